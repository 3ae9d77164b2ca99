"""Chapter 14: what training has shown, and a softmax over more keys."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..arcs import seen_share
from ..reference import score
from .algebra import Exact, Family, turn
from .core import Equation
from .decay import DIALS, OFFSET
from .dials import ONE, spectrum
from .dimensions import dials
from .rescaling import LENGTH
from .variables import FREQUENCY, POSITION, Kind, vector

# More tokens than LENGTH ever draws.
TOKENS = Kind(
    LENGTH["L"].symbol,
    lambda rng: float(rng.integers(8192, 20_000)),
    lambda rng: sp.Integer(int(rng.integers(8192, 20_000))))
PLANE = {"q": vector(2), "k": vector(2), r"\theta": FREQUENCY,
         "r": POSITION}
LEAD = Kind(
    lambda name: sp.Symbol(name, real=True),
    lambda rng: rng.uniform(-3, 15),
    lambda rng: sp.Rational(int(rng.integers(2, 30)), 7))


def swept(algebra, values):
    """`spectrum`, and between its ends the path of each hand, in turns."""
    found = spectrum(algebra, values)

    def share(i):
        first, last = (found[r"\theta"].of(i) * offset
                       for offset in (algebra.number(0), values["L"] - 1))
        return (last - first) / (2 * algebra.pi)

    return found | {"a": Family(share)}


def _swept(v):
    """The package's share, at a rate so small that no dial comes round."""
    rate = np.exp(-v["i"] * np.log(v["b"]) * 2 / v["d"])
    slow = seen_share([rate * 1e-5], int(v["L"]))[0]
    assert slow < 1
    return slow * 1e5


def pairs_apart(algebra, values):
    """`c_r`, how many queries and keys of a causal text are r or more apart.

    At offset x there are N - x of them: added up, one offset after another.
    """
    def count(r):
        if algebra is Exact:
            x = sp.Symbol("x", integer=True)
            return sp.summation(values["N"] - x, (x, r, values["N"] - 1))
        return np.sum(values["N"] - np.arange(r, values["N"]))

    return {"c": Family(count)}


def _counted(v):
    """Query by query: how many of its keys are far, and how many there are."""
    query = np.arange(v["N"])
    far = np.maximum(0, query - v["L"] + 1)
    return far.sum() / (query + 1).sum()


def one_dial(algebra, values):
    """`R_r` in the plane."""
    return {"R": Family(lambda r: turn(algebra, r * values[r"\theta"]))}


def _neighbors(v):
    q, k = v["q"].ravel(), v["k"].ravel()
    return sum(score(q, k, 0, v["r"] + step, [v[r"\theta"]])
               for step in (1, -1))


def _axes(v):
    """Each axis with itself: what is left of independent coordinates."""
    axes = np.eye(int(v["d"]))
    rates = v[r"\theta"].ravel()
    return np.sum(score(axes, axes, 0, v["r"], rates)) / np.sqrt(v["d"])


def softmax_of_one(algebra, values):
    """`p`: the weight of one key ahead of N - 1 equal ones."""
    ahead = algebra.e ** values[r"\Delta"]
    return {"p": ahead / (ahead + values["N"] - 1)}


def _odds(v):
    weights = np.exp(np.append(v[r"\Delta"], np.zeros(int(v["N"]) - 1)))
    return weights[0] / weights[1:].sum()


EQUATIONS = (
    Equation(
        "arc-share",
        r"a_i = \frac{(L-1)\, \theta_i}{2\pi} = \frac{L-1}{\lambda_i}",
        ONE | LENGTH,
        _swept,
        "this book; the partial circles of YaRN (arXiv:2309.00071)",
        swept,
    ),
    Equation(
        "new-pairs",
        r"\frac{c_L}{c_0} = \frac{(N-L)(N-L+1)}{N(N+1)}",
        LENGTH | {"N": TOKENS},
        _counted,
        "this book; STRING (arXiv:2410.18745) counts offset by offset",
        pairs_apart,
    ),
    Equation(
        "three-offsets",
        r"q^\top R_{r+1} k + q^\top R_{r-1} k"
        r" = 2\, q^\top R_r k \cos\theta",
        PLANE,
        _neighbors,
        "this book; cos(x + y) + cos(x - y) = 2 cos x cos y",
        one_dial,
    ),
    Equation(
        "mean-logit",
        r"\frac{\operatorname{tr}(R_r)}{\sqrt{d}} = \frac{2}{\sqrt{d}}"
        r" \sum_{i=0}^{d/2-1} \cos r\theta_i",
        DIALS | OFFSET,
        _axes,
        "this book; the expected logit of a normal vector with itself",
        dials,
    ),
    Equation(
        "odds-of-one",
        r"\frac{p}{1-p} = \frac{e^{\Delta}}{N-1}",
        {r"\Delta": LEAD, "N": LENGTH["L"]},
        _odds,
        "this book; one key ahead of N - 1 equal ones in a softmax",
        softmax_of_one,
    ),
)
