"""Chapter 5: rotation matrices."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..reference import score
from ..symbolic import is_zero
from ._wrong import array, call, expression, number, require


def turning_matrix(answer):
    """5.1: a function of an angle that returns the turning matrix."""
    for angle in (0.5, -1.2, 3.0, 4.0, -11.0):
        found = array(call(answer, angle), (2, 2))
        c, s = np.cos(angle), np.sin(angle)
        require(not np.isclose(found[0, 0], np.cos(np.deg2rad(angle))),
                "the angle is in radians, not in degrees")
        require(np.allclose(found[:, 0], [c, s]),
                f"at {angle} the first column is not the turned x axis")
        require(np.allclose(found[:, 1], [-s, c]),
                f"at {angle} the second column is not the turned y axis")


def best_offset(answer):
    """5.2: the offset 0..6 at which k = (0, 1) suits q = (1, 0) best."""
    found, offsets = number(answer), np.arange(7)
    scores = score([1.0, 0.0], [0.0, 1.0], 0, offsets, [1.0])
    require(found in offsets, "a whole number from 0 to 6 is wanted")
    require(found != 0, "near is not best: at offset 0 q and k are at right"
            " angles and the score is 0")
    require(found != np.argmin(scores), "this is where the score is lowest:"
            " which way does a later key turn?")
    require(found == np.argmax(scores), "some offset scores higher")


def odd_part(answer):
    """5.3: g(delta) - g(-delta) as a SymPy expression."""
    symbols = sp.symbols("q_0 q_1 k_0 k_1 delta theta", real=True)
    q0, q1, k0, k1, delta, theta = symbols
    found = expression(answer, symbols)
    require(is_zero(found + found.subs(delta, -delta)),
            "g(delta) - g(-delta) changes its sign with delta")
    wanted = 2 * (q1 * k0 - q0 * k1) * sp.sin(delta * theta)
    require(not is_zero(found + wanted), "the sign is the wrong way")
    require(not is_zero(2 * found - wanted), "this is the odd part of g;"
            " the difference is twice as large")
    require(is_zero(found - wanted), "the amplitude is not right")


CHECKS = {"5.1": turning_matrix, "5.2": best_offset, "5.3": odd_part}
