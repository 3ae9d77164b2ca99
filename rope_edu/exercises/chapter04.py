"""Chapter 4: the complex plane."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..symbolic import is_zero
from ._wrong import array, require

TURN = 2 * np.pi
# In the last one a small minus is left of the difference; a theta that ends
# at 2 pi instead of 0 is rounding there, not a mistake.
LOOKS = ((0.5, 1.1, 3), (2.0, -2.0, 1), (0, 6, 5), (0.1 + 0.2, 0.3, 3))


def _letters(found, symbols):
    """Refuse other letters, and the same letters without real=True."""
    strays = {x.name for x in found.free_symbols - set(symbols)}
    names = [x.name for x in symbols]
    require(not strays & set(names), "keep the symbols of the stub: without"
            " real=True a symbol of the same name is another one")
    require(not strays, f"only the symbols {', '.join(names)} are needed")


def possible_rates(answer):
    """4.1: every theta in [0, 2 pi) that explains two arguments."""
    for first, second, steps in LOOKS:
        found = answer(first, second, steps)
        found = array(found, np.shape(found))
        require(np.size(found) != 1 or steps == 1,
                f"one theta is not all: over {steps} steps a hand may have"
                " made whole turns that the two arguments do not show")
        found = np.sort(array(found, (steps,)))
        require(np.all((found >= 0) & (found < TURN + 1e-9)),
                "each theta is wanted in [0, 2 pi)")
        missed = np.exp(1j * (first + steps * found)) - np.exp(1j * second)
        require(np.max(np.abs(missed)) < 1e-9,
                f"from {first}, {steps} steps of your theta do not lead to"
                f" {second}")
        gaps = np.diff(found, append=found[0] + TURN)
        require(np.all(gaps > 1e-9), "a theta comes twice")


def mirror_counts(answer):
    """4.2: how many scores, and how many products, the mirror leaves."""
    found = array(answer, (2,))
    q, k = ([z, np.conj(z)] for z in (1 + 2j, 3 + 1j))
    products = {a * np.conj(b) for a in q for b in k}
    scores = {z.real for z in products}
    require(found[0] != 1, "the scores are not all equal: try (m, n) = (0, 0)"
            " and (1, 0)")
    require(found[0] < 10, "a mirror undoes itself: of the offset only even"
            " or odd is left")
    require(found[0] == len(scores), "the number of scores is not right")
    require(found[1] != found[0], "the score is only the real part: look at"
            " (0, 0) and (1, 1)")
    require(found[1] == len(products), "the number of products is not right")


def mirror_difference(answer):
    """4.3: F(q) F(k)* - q k* for a mirror F, in coordinates."""
    q0, q1, k0, k1 = sp.symbols("q_0 q_1 k_0 k_1", real=True)
    found = sp.sympify(answer)
    require("alpha" not in {x.name for x in found.free_symbols},
            "the tilt of the mirror drops out")
    _letters(found, (q0, q1, k0, k1))
    wanted = 2 * sp.I * (q0 * k1 - q1 * k0)
    require(is_zero(sp.re(sp.expand(found))),
            "a mirror keeps the real part, so the difference has none")
    require(not is_zero(found + wanted), "the sign is the wrong way")
    require(is_zero(found - wanted), "the imaginary part is not right")


def gained_angle(answer):
    """4.4: what two clocks of different rates gain over s positions."""
    s, theta, omega = sp.symbols("s theta omega", real=True)
    found = sp.sympify(answer)
    _letters(found, (s, theta, omega))
    require(found.is_polynomial(s, theta, omega) and not found.has(sp.I),
            "give the angle itself, as a real expression that is not reduced"
            " modulo 2 pi")
    require(is_zero(found.subs(omega, theta)),
            "with equal rates nothing may be gained")
    require(is_zero(found.subs(s, 0)), "nobody moved, yet something is gained")
    wanted = s * (theta - omega)
    require(not is_zero(found + wanted),
            "the sign is the wrong way: the key enters with its conjugate")
    require(is_zero(found - wanted), "the angle is not right")


CHECKS = {"4.1": possible_rates, "4.2": mirror_counts,
          "4.3": mirror_difference, "4.4": gained_angle}
