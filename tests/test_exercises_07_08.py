"""Chapters 7 and 8: a wrong answer hears its own error, a right one passes."""

import math
import re

import numpy as np
import pytest
import sympy as sp

from rope_edu import exercises

d, mu, alpha = sp.symbols("d mu alpha", positive=True)
q = sp.symbols("q_0:4", real=True)
k = sp.symbols("k_0:4", real=True)
A = sum(a * b for a, b in zip(q, k))
B = q[1] * k[0] - q[0] * k[1] + q[3] * k[2] - q[2] * k[3]


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


@pytest.mark.parametrize(
    "asked, answer",
    [
        ("7.1", 2_559_000),
        ("7.1", 2.56e6),
        ("7.2", counter(lambda d: range(d // 2))),
        ("7.2", clipped),
        ("7.3", 355),
        ("7.4", (A, B)),
        ("7.4", [A, B]),
        ("7.4", sp.Tuple(A, B)),
        ("7.4", sp.Matrix([A, B])),
        ("7.4", np.array([A, B])),
        ("8.3", d + 2 * d * mu**2),
        ("8.3", d * (1 + 2 * mu**2)),
    ],
)
def test_right_answers_pass(asked, answer):
    """Another form of the same answer, or fewer digits, is not an error."""
    assert exercises.verdict(asked, answer) is None


@pytest.mark.parametrize(
    "asked, answer, told",
    [
        ("7.1", 2.5e6, "three digits"),
        ("7.1", 2 * math.pi * 5e5, "after the last"),
        ("7.2", counter(range), "128 coordinates make 64"),
        ("7.2", closed(int, 1), "128 coordinates make 64"),
        ("7.2", closed(math.ceil, 0), "128 coordinates make 64"),
        ("7.2", lambda *x: min(closed(int, 1)(*x), x[0] // 2), "less than 0"),
        ("7.2", counter(lambda d: range(1, d // 2)), "starts at 0"),
        ("7.2", counter(lambda d: range(d // 2), 1), "counts pairs by two"),
        ("7.2", lambda *x: x[0] // 2 - clipped(*x), "never complete"),
        ("7.2", lambda d, b, n: clipped(d, b, 2 * np.pi * n), "2 pi radians"),
        ("7.3", 66, "3 times the same near miss .* 3 times"),
        ("7.3", 110, "5 times the same near miss .* 5 times"),
        ("7.3", 44, "at its start"),
        ("7.3", 333, "at its start"),
        ("7.3", 710, "at its start"),
        ("7.3", 377, "at its start"),
        ("7.3", 24, "less exactly"),
        ("7.3", 1065, "a smaller number is better"),
        ("7.3", 22, "above 22"),
        ("7.4", (A, -B), "sign of B"),
        ("7.4", A, "a pair"),
        ("7.4", "AB", "a pair"),
        ("7.4", [A, [B]], "expressions"),
        ("7.4", (A, B * alpha), "nothing else"),
        ("8.3", 128 + 256 * mu**2, "called dim"),
        ("8.3", sp.sqrt(d + 2 * d * mu**2), "the root"),
        ("8.3", d + d * mu**2, "one for q and one"),
    ],
)
def test_wrong_answers_hear_their_error(asked, answer, told):
    """The message fits the slip that was made."""
    assert re.search(told, exercises.verdict(asked, answer))
