"""Chapter 11: what a rotation moves and computes, and what a timing says."""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from ..counting import FORMS, operations
from .core import Equation
from .variables import POSITIVE, WIDTH, Kind

ROUNDS = Kind(
    lambda name: sp.Symbol(name, integer=True, positive=True),
    lambda rng: float(rng.integers(1, 20)),
    lambda rng: sp.Integer(int(rng.integers(2, 9))))
HEADS = Kind(
    ROUNDS.symbol, lambda rng: float(rng.integers(1, 129)), ROUNDS.exact)
SIZE = Kind(
    ROUNDS.symbol, lambda rng: float(rng.choice([2, 4, 8])), ROUNDS.exact)


def _tally(d):
    """Products and sums that the package's complex form is seen to make."""
    d = int(d)
    one = np.ones(d // 2)
    form = FORMS["complex"]
    _, tally = operations(lambda x: form(one, one, x), np.ones(d))
    return tally["multiplications"] + tally["additions"]


def counted(algebra, values):
    """`F` is what a run counts; `B` adds up what goes in and out."""
    d, s = int(values["d"]), values["s"]
    return {"F": algebra.number(_tally(d)),
            "B": sum((s + s for _ in range(d)), algebra.number(0))}


def _row(v, rows=1):
    """Vectors of the width and the size of number that are drawn."""
    return np.zeros((int(rows), int(v["d"])), f"f{int(v['s'])}")


def _moved(v):
    """Bytes of an array and of its copy."""
    return float(_row(v).nbytes + _row(v).copy().nbytes)


def _table_share(v):
    """Bytes of two float32 tables over those of vectors and a copy."""
    tables = np.zeros((2, int(v["d"]) // 2), np.float32)
    vectors = _row(v, v["H"])
    return tables.nbytes / (vectors.nbytes + vectors.copy().nbytes)


def _on_both_sides(v):
    """Chance that some of n tosses of a coin are heads, some tails."""
    n = int(v["n"])
    return sum(math.comb(n, j) for j in range(1, n)) / 2**n


EQUATIONS = (
    Equation(
        "paired-ratio",
        r"\frac{c b}{c a} = \frac{b}{a}",
        dict.fromkeys("abc", POSITIVE),
        lambda v: np.exp(np.log(v["b"]) - np.log(v["a"])),
        "this book; rounds in turn rest on it",
        extra=(r"\frac{c b}{a} = \frac{b}{a}", r"\frac{c b}{c a} = b",
               r"\frac{c b}{c a} = \frac{a}{b}"),
    ),
    Equation(
        "one-side",
        r"\frac{1}{2^n} + \frac{1}{2^n} = 2^{1-n}",
        {"n": ROUNDS},
        lambda v: 1 - _on_both_sides(v),
        "sign test; order statistics as bounds of a median",
    ),
    Equation(
        "bytes-moved",
        r"B = \sum_{i=0}^{d/2-1} (2 s + 2 s) = 2 s d",
        {"d": WIDTH, "s": SIZE}, _moved,
        "this book",
        counted,
    ),
    Equation(
        "rotation-work",
        r"F = \sum_{i=0}^{d/2-1} (4 + 2) = 3 d",
        {"d": WIDTH},
        lambda v: float(_tally(v["d"])),
        "this book; the count of chapter 6",
        lambda algebra, values: {"F": algebra.number(
            6 * len(range(0, int(values["d"]), 2)))},
    ),
    Equation(
        "intensity",
        r"\frac{F}{B} = \frac{3 d}{2 s d} = \frac{3}{2 s}",
        {"d": WIDTH, "s": SIZE},
        lambda v: _tally(v["d"]) / _moved(v),
        "roofline model: Williams, Waterman and Patterson, 2009",
        counted,
    ),
    Equation(
        "table-share",
        r"\frac{4 d}{2 s d H} = \frac{2}{s H}",
        {"d": WIDTH, "s": SIZE, "H": HEADS}, _table_share,
        "this book",
    ),
)
