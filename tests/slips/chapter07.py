"""Chapter 7: right answers, and slips with a word of what is said to them."""

import math

import numpy as np
import sympy as sp

from rope_edu import inverse_frequencies

alpha = sp.Symbol("alpha", positive=True)
q, k = sp.symbols("q_0:4"), sp.symbols("k_0:4")
A = sum(a * b for a, b in zip(q, k))
B = q[1] * k[0] - q[0] * k[1] + q[3] * k[2] - q[2] * k[3]
HALF_B = q[2] * k[0] - q[0] * k[2] + q[3] * k[1] - q[1] * k[3]
REAL = {x: sp.Symbol(x.name, real=True) for x in (*q, *k)}
BASE, SLOWEST = 1e5, inverse_frequencies(64, 1e5)[-1]


def counter(indices, power=2):
    """Return a count over some indices, with b to the power * i / d."""
    return lambda d, b, length: sum(
        2 * math.pi * b ** (power * i / d) <= length for i in indices(d)
    )


def closed(rounding, more):
    """Return the count that solves for i, with no limit on it."""
    return lambda d, b, length: more + rounding(
        d / 2 * math.log(length / (2 * math.pi)) / math.log(b)
    )


def clipped(d, b, length):
    """Return the same count, kept within what there is."""
    return min(max(closed(math.floor, 1)(d, b, length), 0), d // 2)


RIGHT = [
    ("7.1", 438_460),
    ("7.1", 4.38e5),
    ("7.2", counter(lambda d: range(d // 2))),
    ("7.2", clipped),
    ("7.3", 355),
    ("7.3", np.int64(355)),
    ("7.4", (A, B)),
    ("7.4", [A, B]),
    ("7.4", sp.Tuple(A, B)),
    ("7.4", sp.Matrix([A, B])),
    ("7.4", np.array([A, B])),
    # Letters are asked for, whatever is assumed of them.
    ("7.4", (A.subs(REAL), B.subs(REAL))),
]

SLIPS = [
    ("7.1", 4.4e5, "three digits"),
    ("7.1", 2 * math.pi * BASE, "after the last"),
    ("7.1", 1 / SLOWEST, "one radian, not by one turn"),
    ("7.1", 360 / SLOWEST, "not in degrees"),
    ("7.1", 2 * math.pi * BASE ** (31 / 64), "counts pairs by two"),
    ("7.1", 2 * math.pi * BASE ** (62 / 576), "not that of the model"),
    ("7.1", 2 * math.pi * BASE ** (574 / 576), "not that of the model"),
    ("7.1", 2 * math.pi * BASE ** (126 / 128), "here d is 64"),
    ("7.1", 2 * math.pi * BASE ** (30 / 32), "not pairs"),
    ("7.1", math.pi / SLOWEST, "half a turn"),
    ("7.1", 2 * math.pi, "fastest dial"),
    ("7.1", SLOWEST, "its speed"),
    ("7.1", 2 * math.pi * 1e4 ** (62 / 64), "not 10,000"),
    ("7.2", counter(range), "128 coordinates make 64"),
    ("7.2", closed(int, 1), "128 coordinates make 64"),
    ("7.2", closed(math.ceil, 0), "128 coordinates make 64"),
    ("7.2", lambda *x: min(closed(int, 1)(*x), x[0] // 2), "less than 0"),
    ("7.2", counter(lambda d: range(1, d // 2)), "starts at 0"),
    ("7.2", lambda *x: min(clipped(*x) + 1, x[0] // 2), "one dial too many"),
    ("7.2", counter(lambda d: range(d // 2), 1), "counts pairs by two"),
    ("7.2", lambda *x: x[0] // 2 - clipped(*x), "never complete"),
    ("7.2", lambda d, b, n: clipped(d, b, 2 * np.pi * n), "2 pi radians"),
    ("7.2", lambda d, b, n: clipped(d, 1e4, n), "base 10,000 only"),
    ("7.2", lambda d, b, n: d // 4, "the count is not right"),
    ("7.2", lambda *x: None, "returns nothing"),
    ("7.3", 66, "3 times the same near miss is a miss 3 times as far"),
    ("7.3", 110, "5 times the same near miss is a miss 5 times as far"),
    ("7.3", 44, "at its start"),
    ("7.3", 333, "at its start"),
    ("7.3", 710, "at its start"),
    ("7.3", 377, "at its start"),
    ("7.3", 24, "less exactly"),
    ("7.3", 1065, "a smaller number is better"),
    ("7.3", 22, "above 22"),
    ("7.4", (A, -B), "sign of B"),
    ("7.4", (B, A), "changed places"),
    ("7.4", (q[0] * k[0] + q[1] * k[1], B), "one dial alone"),
    ("7.4", (A + q[0] * k[1], B), "it is q·k"),
    ("7.4", (A, HALF_B), "neighbors"),
    ("7.4", (A, q[1] * k[0] - q[0] * k[1]), "both add to B"),
    ("7.4", (A, B - 2 * (q[3] * k[2] - q[2] * k[3])), "a quarter turn on"),
    ("7.4", A, "a pair"),
    ("7.4", "AB", "a pair"),
    ("7.4", [A, [B]], "expression"),
    ("7.4", (A, B * alpha), "only the symbols q_0"),
]
