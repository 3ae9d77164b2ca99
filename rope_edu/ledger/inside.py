"""Chapter 12: rotations beside projections, values, scales and shifts."""

from __future__ import annotations

import numpy as np

from ..reference import rotate, rotate_complex, score
from .algebra import Family, entry, turn, within
from .core import Equation
from .dimensions import DIALS, FOUR, PLACES, WORDS, dials
from .encodings import LENGTH, array, projected
from .variables import (
    FREQUENCY, POSITION, POSITIVE, REAL, PerWidth, constant, vector)

TEXT = {"x": vector(3), "y": vector(3)}
# As in a head, which is narrower or wider than what it reads.
WEIGHTS = {"W_q": array(4, 3), "W_k": array(4, 3)}
INPUTS = {"x": vector(4), "y": vector(4)}
SQUARE = {"W_q": array(4, 4), "W_k": array(4, 4)}
RATES = {r"\theta": FOUR[r"\theta"]}


def _rates(v):
    return v[r"\theta"].ravel()


def _turned(v, name, position):
    """A column, turned by the package's complex form."""
    return rotate_complex(v[name].ravel(), position, _rates(v))


def _score(v, q, k):
    return score(q.ravel(), k.ravel(), v["m"], v["n"], _rates(v))


def inputs_turned(algebra, values):
    """`R_m` on the input, and `A`, what two projections make of a score."""
    return dials(algebra, values) | projected(algebra, values)


def _before(v):
    """Inputs are turned as complex pairs, then projected one by one."""
    q = v["W_q"] @ _turned(v, "x", v["m"])
    k = v["W_k"] @ _turned(v, "y", v["n"])
    return q @ k


def turn_and_mirror(algebra, values):
    """`C` commutes with every turn, `F` reverses it; both fill 2 x 2."""
    a, b, c, g = (values[name] for name in "abcg")
    return {
        "R": Family(lambda t: turn(algebra, t * values[r"\theta"])),
        "C": algebra.matrix([[a, -b], [b, a]]),
        "F": algebra.matrix([[c, g], [g, -c]])}


def _split(v):
    """The axes as complex numbers: C turns them on, F conjugates first."""
    z = np.exp(1j * v["n"] * v[r"\theta"]) * np.array([1, 1j])
    found = (v["a"] + 1j * v["b"]) * z + (v["c"] + 1j * v["g"]) * z.conj()
    found = found * np.exp(-1j * v["m"] * v[r"\theta"])
    return np.stack([found.real, found.imag])


def one_query(algebra, values):
    """Weights of the query at m, and the values it averages."""
    def column(n):
        at = within(n, LENGTH)
        return values["v"][:, at:at + 1]

    return dials(algebra, values) | {
        "v": Family(column),
        "w": Family(lambda m, n: entry(values["w"], n))}


def _by_offset(v):
    """Each value turned by its offset, then averaged."""
    parts = [rotate(column, n - v["m"], _rates(v))
             for n, column in enumerate(v["v"].T)]
    return np.tensordot(v["w"].ravel(), parts, axes=1)[:, None]


def _longer(v):
    """The score of vectors that got the factor before they were turned."""
    return _score(v, v["c"] * v["q"], v["c"] * v["k"]) / np.sqrt(v["d"])


EQUATIONS = (
    Equation(
        "score-projected",
        r"\begin{aligned} & (R_m W_q x)^\top (R_n W_k y) \\"
        r" &\quad = x^\top W_q^\top R_{n-m} W_k\, y \end{aligned}",
        PLACES | RATES | TEXT | WEIGHTS,
        lambda v: _score(v, v["W_q"] @ v["x"], v["W_k"] @ v["y"]),
        "RoFormer eq. (16), where the transpose of W_q is missing",
        dials,
    ),
    Equation(
        "scale-anywhere",
        r"\begin{aligned} & \frac{(c R_m q)^\top (c R_n k)}{\sqrt{d}} \\"
        r" &\quad = (R_m \frac{c^2 q}{\sqrt{d}})^\top (R_n k)"
        r" \end{aligned}",
        DIALS | WORDS | PLACES | {"c": POSITIVE},
        _longer,
        "this book; a number commutes with every matrix",
        dials,
    ),
    Equation(
        "score-before",
        r"\begin{aligned} & (W_q R_m x)^\top (W_k R_n y) \\"
        r" &\quad = x^\top R_m^\top A R_n y \\"
        r" A &= W_q^\top W_k \end{aligned}",
        PLACES | RATES | INPUTS | SQUARE,
        lambda v: (_before(v), np.einsum("ij,ik->jk", v["W_q"], v["W_k"])),
        "this book; the first text says it in words",
        inputs_turned,
    ),
    Equation(
        "before-split",
        r"R_m^\top (C + F) R_n = C R_{n-m} + F R_{m+n}",
        PLACES | {r"\theta": FREQUENCY} | dict.fromkeys("abcg", REAL),
        _split,
        "this book; a mirror turns the other way",
        turn_and_mirror,
    ),
    Equation(
        "one-sided",
        r"(R_m q)^\top k = q^\top R_{-m} k",
        DIALS | WORDS | PLACES,
        lambda v: _turned(v, "k", -v["m"]) @ v["q"].ravel(),
        "this book; transpose-2d",
        dials,
    ),
    Equation(
        "values-back",
        r"R_m^\top \sum_{n=0}^{S-1} w_{m,n}\, R_n v_n"
        r" = \sum_{n=0}^{S-1} w_{m,n}\, R_{n-m} v_n",
        DIALS | {"m": POSITION, "S": constant(LENGTH),
                 "v": PerWidth(lambda d: array(d, LENGTH)),
                 "w": vector(LENGTH),
                 "n": constant(0)},  # bound; only a mutant meets it
        _by_offset,
        "Su, post 10862",
        one_query,
    ),
    Equation(
        "both-moved",
        r"(R_{m+s} q)^\top (R_{n+s} k) = (R_m q)^\top (R_n k)",
        DIALS | WORDS | PLACES | {"s": POSITION},
        lambda v: _score(v, v["q"], v["k"]),
        "this book; relative",
        dials,
    ),
)
