"""Exercises of chapter 18: each typical slip is named, no answer is told."""

import pytest
import sympy as sp

from rope_edu.exercises import verdict

P = sp.symbols("p", positive=True)
SLIPS = [
    ("18.1", 0, "one position"),
    ("18.1", 44, "dial 1 is 1.88 rad"),
    ("18.1", 63, "dial 0 is 0.17 rad"),
    ("18.1", 754, "there is a smaller one"),
    ("18.1", 377.5, "whole numbers"),
    ("18.1", -377, "from 1 to 999"),
    ("18.2", 3, "letters are wanted"),
    ("18.2", "AX", "X is not one of"),
    ("18.2", "BCDG", "the others"),
    ("18.2", "AE", "1 of the 7 models is on"),
    ("18.2", "ABCDE", "4 of the 7 models are on"),
    ("18.3", P, "squared cosine"),
    ("18.3", P**2 / 2, "two equal factors"),
    ("18.3", P**2 / 4, "different dials"),
    ("18.3", P**2, "at r = 0"),
    ("18.3", 0, "not negative"),
    ("18.3", sp.Rational(1, 2), "one dial alone"),
    ("18.3", P / 4, "counts dials"),
    ("18.3", P / 3, "multiply the sum out"),
    ("18.3", sp.symbols("q"), "only the symbols p"),
]


@pytest.mark.parametrize(("number", "answer", "reason"), SLIPS)
def test_slip_is_named(number, answer, reason):
    """The message says what is wrong with this very answer."""
    said = verdict(number, answer)
    assert reason in said
    assert "377" not in said and "AEF" not in said and "p/2" not in said


@pytest.mark.parametrize(
    ("number", "answer"),
    [("18.1", 377), ("18.2", "AEF"), ("18.2", "f, e, a"), ("18.3", P / 2),
     ("18.3", sp.symbols("p") / 2)],
)
def test_right_answer_passes(number, answer):
    """Also in another order, and with a symbol that is not positive."""
    assert verdict(number, answer) is None
