"""Chapter 2: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import sympy as sp
import torch

from rope_edu.encodings import sinusoids


def wave(m, d, step=2):
    """Return sines and cosines apart; other steps are slips in the exponent."""
    angle = m * 10_000.0 ** (-step * np.arange(d // 2) / d)
    return np.sin(angle), np.cos(angle)


def mixed(*parts):
    """Put the numbers of the parts beside each other."""
    return np.array(parts).T.ravel()


def exponents(m, d, first=0, less=0, turn=1):
    """Return the vector with slips in i, in d, or in the angle."""
    i = first + np.arange(d // 2)
    angle = turn * m * 10_000.0 ** (-2 * i / (d - less))
    return mixed(np.sin(angle), np.cos(angle))


def by_channels(m, d):
    """Give each channel a frequency of its own, which is a slip."""
    angle = m * 10_000.0 ** (-np.arange(d) / d)
    return mixed(np.sin(angle[0::2]), np.cos(angle[1::2]))


a, b, delta, theta = sp.symbols("a b delta theta")
C, S = sp.cos(delta * theta), sp.sin(delta * theta)
SCORE = a * C - b * S


def stacked(second):
    """Return an answer to exercise 2.4 with this second half."""
    return lambda table, M: np.vstack([table, second(table, M)])


RIGHT = [
    ("2.1", lambda m, d: mixed(*wave(m, d))),
    ("2.1", lambda m, d: mixed(*wave(m, d)).tolist()),
    ("2.1", lambda m, d: sinusoids(torch.tensor([m]), d)[0]),
    *(("2.2", kind(6)) for kind in (int, float, np.int64, Fraction, sp.Integer)),
    ("2.3", SCORE),
    ("2.3", sp.Matrix([[SCORE]])),
    # An amplitude and a phase, which SymPy does not take apart.
    ("2.3", sp.Abs(a + sp.I * b) * sp.cos(delta * theta + sp.arg(a + sp.I * b))),
    ("2.3", sp.expand(SCORE.rewrite(sp.exp))),
    ("2.4", stacked(lambda t, M: t @ M.T)),
    ("2.4", lambda t, M: [*t.tolist(), *(M @ t.T).T.tolist()]),
]

SLIPS = [
    ("2.1", lambda m, d: mixed(*wave(m, d)[::-1]), "channel 2i"),
    ("2.1", lambda m, d: np.concatenate(wave(m, d)), "neighbors"),
    ("2.1", lambda m, d: mixed(*wave(m, d, 1)), "-2i/d"),
    ("2.1", lambda m, d: mixed(*wave(m, d, -2)), "grows with i"),
    ("2.1", lambda m, d: mixed(*wave(m + 1, d)), "count from 0"),
    ("2.1", lambda m, d: exponents(m, d, first=1), "i counts from 0"),
    ("2.1", lambda m, d: exponents(m, d, less=2), "not by d - 2"),
    ("2.1", lambda m, d: exponents(m, d, turn=2 * np.pi), "no 2 pi"),
    ("2.1", by_channels, "share one angle"),
    ("2.1", lambda m, d: mixed(*wave(2 * m, d)), "m * theta_i"),
    ("2.1", lambda m, d: 2 * mixed(*wave(m, d)), "unit circle"),
    ("2.1", lambda m, d: mixed(*wave(m, d))[:-1], "shape"),
    ("2.1", lambda m, d: np.resize(mixed(*wave(m, 8)), d), "d = 8 only"),
    ("2.2", 1, "one token on"),
    ("2.2", 3, "away from its start"),
    ("2.2", 13, "dial 0 was home before"),
    ("2.2", 7, "nearest to its return"),
    ("2.2", 5, "dial 0 comes home near there"),
    ("2.2", 0, "from 1 to 30"),
    ("2.2", 44, "from 1 to 30"),
    ("2.2", 6.5, "whole"),
    ("2.3", SCORE.subs(delta, -delta), "sign"),
    ("2.3", b * C - a * S, "offset 0"),
    ("2.3", 2 * SCORE, "offset 0"),
    ("2.3", a * C, "where is b"),
    ("2.3", a * C - 2 * b * S, "part with b"),
    ("2.3", SCORE.subs(theta, 1), "without theta"),
    ("2.3", a * C**2 - b * S, "with b = 0"),
    ("2.3", SCORE.subs(delta, sp.Symbol("n") - sp.Symbol("m")), "only the symbols"),
    ("2.4", stacked(lambda t, M: sinusoids(len(t) + torch.arange(len(t)), 8)),
     "other rates"),
    ("2.4", stacked(lambda t, M: t @ M), "backwards"),
    ("2.4", stacked(lambda t, M: t), "has not moved on"),
    ("2.4", stacked(lambda t, M: M @ t), "other side"),
    ("2.4", stacked(lambda t, M: M.T @ t), "other side"),
    ("2.4", stacked(lambda t, M: t @ M.T @ M.T), "tokens on"),
    ("2.4", stacked(lambda t, M: M @ t.T), "in each column"),
    ("2.4", stacked(lambda t, M: M.T @ t.T), "in each column"),
    ("2.4", lambda t, M: np.vstack([t @ M.T] * 2), "first half"),
    ("2.4", lambda t, M: t @ M.T, "shape"),
]
