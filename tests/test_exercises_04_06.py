"""Exercises of chapters 4 and 6: wrong answers are refused for the reason."""

import numpy as np
import pytest
import sympy as sp

from rope_edu.exercises import verdict

TURN = 2 * np.pi


def rates(first, second, steps):
    """Every theta; the first may be rounded up to a whole turn."""
    found = (second - first + TURN * np.arange(steps)) / steps
    return found % TURN


def test_rates_up_to_rounding():
    """A rounded 2 pi instead of 0 is no mistake."""
    assert rates(0.1 + 0.2, 0.3, 3).max() == TURN
    assert verdict("4.1", rates) is None
    assert verdict("4.1", lambda *a: rates(*a) % TURN) is None


@pytest.mark.parametrize(
    "change, word",
    [
        (lambda found, steps: found + TURN, r"[0, 2 pi)"),
        (lambda found, steps: found[:1], "not all"),
        (lambda found, steps: 0 * found + found[0], "twice"),
        (lambda found, steps: (found + 0.1) % TURN, "do not lead"),
    ],
)
def test_wrong_rates(change, word):
    """Out of range, too few, repeated, shifted."""
    answer = verdict("4.1", lambda *a: change(rates(*a), a[2]))
    assert word in answer


def letters(names, **options):
    """Return the symbols with these names."""
    return sp.symbols(names, **options)


@pytest.mark.parametrize("number", ["4.3", "4.4"])
def test_letters_without_real(number):
    """The hint names the declaration, not the content."""
    if number == "4.3":
        q0, q1, k0, k1 = letters("q_0 q_1 k_0 k_1")
        answer = 2 * sp.I * (q0 * k1 - q1 * k0)
    else:
        s, theta, omega = letters("s theta omega")
        answer = s * (theta - omega)
    assert "real=True" in verdict(number, answer)


def test_mirror_letters():
    """Only the tilt is told that it drops out."""
    assert "tilt" in verdict("4.3", sp.Symbol("alpha", real=True))
    assert "only the symbols" in verdict("4.3", sp.Symbol("z", real=True))


def test_gained_angle_is_asked_for_as_it_is():
    """Reduced forms and factors are refused with what is wanted instead."""
    s, theta, omega = letters("s theta omega", real=True)
    angle = s * (theta - omega)
    assert verdict("4.4", sp.expand(angle)) is None
    for other in (sp.Mod(angle, 2 * sp.pi), sp.arg(sp.exp(sp.I * angle)),
                  sp.exp(sp.I * angle), sp.I * angle):
        assert "not reduced" in verdict("4.4", other)
    assert "sign" in verdict("4.4", -angle)
    assert "not right" in verdict("4.4", 2 * angle)


def turned(x, m, inv_freq):
    """Return the elementwise form, with a loop and in place."""
    for i, theta in enumerate(inv_freq):
        c, s = np.cos(m * theta), np.sin(m * theta)
        a, b = x[2 * i], x[2 * i + 1]
        x[2 * i], x[2 * i + 1] = a * c - b * s, b * c + a * s
    return x


def test_turn_by_hand_and_in_place():
    """A loop is allowed, and the argument is the answer's own copy."""
    assert verdict("6.1", turned) is None
    assert verdict("6.1", lambda x, m, rates: turned(x, -m, rates))


@pytest.mark.parametrize(
    "answer, word",
    [
        ((0, 24, 24), "third"),
        ((24, 24, 0), "first"),
        ((0, 0, 0), "second"),
        ((0, 25, 0), "at one offset"),
        ((0, 24.5, 0), "whole"),
    ],
)
def test_wrong_offsets(answer, word):
    """Each count is tried by itself."""
    assert verdict("6.3", (0, 24, 0)) is None
    assert word in verdict("6.3", answer)
