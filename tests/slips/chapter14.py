"""Chapter 14: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import sympy as sp


def part(L, N):
    """Return the part of pairs that exercise 14.1 asks for."""
    return max(0, N - L) * (max(0, N - L) + 1) / N**2


def counted(L, N):
    """Count the pairs, one diagonal of the table after the other."""
    return Fraction(sum(2 * (N - r) for r in range(L, N)), N**2)


def decoder(L, N):
    """Return the part of a causal text, as on the page."""
    return max(0, N - L) * (max(0, N - L) + 1) / (N * (N + 1))


N, s = sp.symbols("N s", positive=True)
p, plain_N, plain_s = sp.symbols("p N s")
GROWTH = sp.log(s * N - 1) - sp.log(N - 1)

RIGHT = [
    ("14.1", part),
    ("14.1", counted),
    ("14.1", lambda L, N: np.float32(part(L, N))),
    *(("14.2", kind(3192)) for kind in (int, np.int64, float, sp.Integer)),
    *(("14.3", kind(14)) for kind in (int, np.int64, float)),
    ("14.4", GROWTH),
    ("14.4", sp.log(1.0 * s * N - 1) - sp.log(N - 1.0)),
    ("14.4", sp.log((s * N - 1) / (N - 1))),
    ("14.4", -sp.log((N - 1) / (s * N - 1))),
    ("14.4", GROWTH.subs({N: plain_N, s: plain_s})),
]

SLIPS = [
    ("14.1", decoder, "this is a decoder"),
    ("14.1", lambda L, N: part(L, N) / 2, "on both sides"),
    ("14.1", lambda L, N: part(L + 1, N), "exactly L is new"),
    ("14.1", lambda L, N: 2 * decoder(L, N), "counts twice"),
    ("14.1", lambda L, N: part(L, N) * N / (N - 1), "and itself"),
    ("14.1", lambda L, N: max(0, N - L) ** 2 / N**2, "not every pair"),
    ("14.1", lambda L, N: max(0, N - L) / N, "part of the offsets"),
    ("14.1", lambda L, N: (N - L) * (N - L + 1) / N**2, "no two tokens"),
    ("14.1", lambda L, N: 100 * part(L, N), "is no part"),
    ("14.1", lambda L, N: 1 - part(L, N), "less than L apart"),
    ("14.1", lambda L, N: part(L, N) ** 2, "gives another part"),
    ("14.1", lambda L, N: print(end=""), "returns nothing yet"),
    ("14.2", 0, "the circle is finite"),
    ("14.2", 4096, "where it never was"),
    ("14.2", 904, "at new angles"),
    ("14.2", 3191, "has been seen"),
    ("14.2", 3193, "not 8192"),
    ("14.2", 2288, "back at its start"),
    ("14.2", 3192.5, "a whole number from 0"),
    ("14.2", 5000, "a whole number from 0"),
    ("14.3", 18, "the arcs do change"),
    ("14.3", 9, "neighboring wavelengths"),
    ("14.3", 50, "not the finished ones"),
    ("14.3", 46, "not the finished ones"),
    ("14.3", 36, "fewer: each arc"),
    ("14.3", 13, "more: a dial"),
    ("14.3", -4, "whole number from 0"),
    ("14.4", sp.nan, "do not stay the same"),
    ("14.4", sp.log(s), "limit for large N"),
    ("14.4", sp.log(s * (N - 1)) - sp.log(N - 1), "have s N - 1 others"),
    ("14.4", sp.log(s * N - s) - sp.log(N - 1), "have s N - 1 others"),
    ("14.4", sp.log(s * N - 1), "Take off what was there"),
    ("14.4", -GROWTH, "the sign is the wrong way"),
    ("14.4", (s * N - 1) / (N - 1), "factor of the odds"),
    ("14.4", sp.log(s * N - 1) / sp.log(N - 1), "by a difference"),
    ("14.4", GROWTH / sp.log(2), "not of base 2"),
    ("14.4", GROWTH / sp.log(10), "not of base 10"),
    ("14.4", sp.log(s * N) - sp.log(N - 1), "do not stay the same"),
    ("14.4", GROWTH + sp.log(p), "only the symbols"),
]
