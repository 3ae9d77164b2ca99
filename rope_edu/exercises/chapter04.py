"""Chapter 4: the complex plane."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..symbolic import is_zero
from ._wrong import Wrong, array, call, expression, require, same

TURN = 2 * np.pi
# Angles are right in float32, too: five of its steps are a few millionths off.
NEAR = 1e-5
# In the last one a small minus is left of the difference; a theta that ends
# at 2 pi instead of 0 is rounding there, not a mistake.
LOOKS = ((0.5, 1.1, 3), (2.0, -2.0, 1), (0, 6, 5), (0.1 + 0.2, 0.3, 3))


def possible_rates(answer):
    """4.1: every theta in [0, 2 pi) that explains two arguments."""
    for first, second, steps in LOOKS:
        found = array(call(answer, first, second, steps), None)
        require(np.size(found) != 1 or steps == 1,
                f"one theta is not all: over {steps} steps a hand may have"
                " made whole turns that the two arguments do not show")
        found = np.sort(array(found, (steps,)))
        _steps_not_taken(found, first, second, steps)
        require(np.all((found >= 0) & (found < TURN + NEAR)),
                "each theta is wanted in [0, 2 pi)")
        require(_leads(first, steps * found, second),
                f"from {first}, {steps} steps of your theta do not lead to"
                f" {second}")
        gaps = np.diff(found, append=found[0] + TURN)
        require(np.all(gaps > NEAR), "a theta comes twice: a whole turn more"
                " in all is less than a turn more for each step")


def _leads(first, way, second):
    """Whether every one of these ways ends at `second`."""
    return np.allclose(np.exp(1j * (first + way)), np.exp(1j * second),
                       rtol=0, atol=NEAR)


def _steps_not_taken(found, first, second, steps):
    """Name the slips that show in the size of the steps."""
    require(steps == 1 or not np.allclose(np.diff(found), 360 / steps),
            "radians are wanted: a whole turn is 2 pi, not 360")
    require(steps == 1 or not _leads(first, found, second), "this is the way"
            f" of all {steps} steps together; theta is the way of one")
    require(_leads(first, steps * found, second)
            or not _leads(second, steps * found, first), "the sign is the"
            f" wrong way: this leads from {second} to {first}")


def mirror_counts(answer):
    """4.2: how many scores, and how many products, the mirror leaves."""
    found = array(answer, (2,))
    q, k = ([z, np.conj(z)] for z in (1 + 2j, 3 + 1j))
    products = {a * np.conj(b) for a in q for b in k}
    scores = {z.real for z in products}
    require(found[1] >= found[0], "first the scores, then the products: equal"
            " products have equal scores, so there cannot be fewer of them")
    require(found[0] != 1, "the scores are not all equal: try (m, n) = (0, 0)"
            " and (1, 0)")
    require(found[0] < 10, "a mirror undoes itself: of the offset only even"
            " or odd is left")
    require(found[0] != len(products), "a score is the real part of a"
            " product, and conjugates have the same")
    require(found[0] == len(scores), "the number of scores is not right")
    require(found[1] != found[0], "the score is only the real part: look at"
            " (0, 0) and (1, 1)")
    require(found[1] < 10, "a mirror undoes itself: of each of the two"
            " positions only even or odd is left")
    require(found[1] == len(products), "the number of products is not right")


def mirror_difference(answer):
    """4.3: F(q) F(k)* - q k* for a mirror F, in coordinates."""
    q0, q1, k0, k1 = sp.symbols("q_0 q_1 k_0 k_1", real=True)
    letters = map(str, getattr(answer, "free_symbols", ()))
    require("alpha" not in letters, "the tilt of the mirror drops out")
    found = expression(answer, (q0, q1, k0, k1))
    wanted = 2 * sp.I * (q0 * k1 - q1 * k0)
    if same(found, wanted):
        return
    require(not is_zero(found), "0 would mean that the products agree; only"
            " their real parts do")
    require(not is_zero(found ** 2 + wanted ** 2), "the factor i is missing:"
            " the real parts agree, the imaginary parts do not")
    require(is_zero(sp.re(sp.expand(found))),
            "a mirror keeps the real part, so the difference has none")
    require(not is_zero(2 * found - wanted), "twice as much: the imaginary"
            " part does not go, it turns into its opposite")
    require(not is_zero(found + wanted), "the sign is the wrong way")
    raise Wrong("the imaginary part is not right")


def gained_angle(answer):
    """4.4: what two clocks of different rates gain over s positions."""
    s, theta, omega = sp.symbols("s theta omega", real=True)
    found = expression(answer, (s, theta, omega))
    require(found.is_polynomial(s, theta, omega) and not found.has(sp.I),
            "give the angle itself, as a real expression that is not reduced"
            " modulo 2 pi")
    require(not is_zero(found - 2 * s * theta), "this is what a key that"
            " turns backwards gains; give it for any omega")
    require(is_zero(found.subs(omega, theta)), "with equal rates nothing may"
            " be gained: did you forget the star on the key?")
    require(is_zero(found.subs(s, 0)), "for s = 0 nobody has moved, yet"
            " something is gained")
    wanted = s * (theta - omega)
    require(not is_zero(found + wanted),
            "the sign is the wrong way: the key enters with its conjugate")
    require(is_zero(found - wanted), "the angle is not right")


CHECKS = {"4.1": possible_rates, "4.2": mirror_counts,
          "4.3": mirror_difference, "4.4": gained_angle}
