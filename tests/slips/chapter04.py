"""Chapter 4: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

TURN = 2 * np.pi
q0, q1, k0, k1, s, theta, omega = sp.symbols("q_0 q_1 k_0 k_1 s theta omega")


def declared(expression, **assumed):
    """Return the expression in letters of which something is assumed."""
    return expression.subs(
        {x: sp.Symbol(x.name, **assumed) for x in expression.free_symbols}
    )


MIRROR = 2 * sp.I * (q0 * k1 - q1 * k0)
Q, K = (declared(x + sp.I * y, real=True) for x, y in ((q0, q1), (k0, k1)))
GAINED = s * (theta - omega)


def rates(first, second, steps):
    """Every theta; the first may be rounded up to a whole turn."""
    found = (second - first + TURN * np.arange(steps)) / steps
    return found % TURN


# A rounded 2 pi instead of 0 is no mistake, and one of the looks has it.
assert rates(0.1 + 0.2, 0.3, 3).max() == TURN


def changed(change):
    """Return a function whose rates are those that `change` makes of them."""
    return lambda *look: change(rates(*look), look[2])


def whole_way(first, second, steps):
    """Return the slip of which no step is known."""
    return (second - first + TURN * np.arange(steps)) % TURN


def in_degrees(first, second, steps):
    """Return the slip that mixes radians and degrees."""
    return (second - first + 360 * np.arange(steps)) / steps % 360


def unreduced(first, second, steps):
    """Return the rates as they come, one of them below 0."""
    return (second - first + TURN * np.arange(steps)) / steps


RIGHT = [
    ("4.1", rates),
    ("4.1", changed(lambda found, steps: found % TURN)),
    ("4.1", changed(lambda found, steps: list(found[::-1]))),
    ("4.1", changed(lambda found, steps: np.float32(found))),
    ("4.2", (2, 4)),
    ("4.2", np.array([2.0, 4.0])),
    # Letters are asked for, whatever is assumed of them.
    ("4.3", MIRROR),
    ("4.3", 2 * sp.I * sp.Abs(Q) * sp.Abs(K) * sp.sin(sp.arg(K) - sp.arg(Q))),
    ("4.3", declared(sp.expand(MIRROR), real=True)),
    ("4.4", GAINED),
    ("4.4", declared(sp.expand(GAINED), real=True)),
]

SLIPS = [
    ("4.1", unreduced, "[0, 2 pi)"),
    ("4.1", changed(lambda found, steps: found + TURN), "[0, 2 pi)"),
    ("4.1", changed(lambda found, steps: found[:1]), "one theta is not all"),
    ("4.1", lambda *look: unreduced(*look)[0], "one theta is not all"),
    ("4.1", changed(lambda found, steps: 0 * found + found[0]), "comes twice"),
    ("4.1", changed(lambda found, steps: (found + 0.1) % TURN), "do not lead"),
    ("4.1", changed(lambda found, steps: found[1:]), "(2,), wanted is (3,)"),
    ("4.1", lambda *look: [[1, 2], [3]], "array of numbers"),
    ("4.1", changed(lambda found, steps: found + 1e-4), "do not lead"),
    ("4.1", whole_way, "all 3 steps together"),
    ("4.1", in_degrees, "not 360"),
    ("4.1", lambda *look: np.degrees(rates(*look)), "not 360"),
    ("4.1", lambda a, b, steps: rates(b, a, steps), "sign is the wrong way"),
    ("4.2", (1, 1), "not all equal"),
    ("4.2", (10, 10), "of the offset only even"),
    ("4.2", (19, 100), "of the offset only even"),
    ("4.2", (4, 4), "real part of a product"),
    ("4.2", (3, 4), "the number of scores"),
    ("4.2", (4, 2), "first the scores"),
    ("4.2", (2, 2), "only the real part"),
    ("4.2", (2, 19), "two positions"),
    ("4.2", (2, 3), "the number of products"),
    ("4.3", -MIRROR, "sign is the wrong way"),
    ("4.3", MIRROR / 2, "twice"),
    ("4.3", MIRROR / sp.I, "factor i is missing"),
    ("4.3", -MIRROR / sp.I, "factor i is missing"),
    ("4.3", sp.Integer(0), "only their real parts do"),
    ("4.3", (q0 - sp.I * q1) * (k0 + sp.I * k1), "the difference has none"),
    ("4.3", 2 * sp.I * (q0 * k0 - q1 * k1), "imaginary part is not right"),
    ("4.3", sp.Symbol("alpha", real=True), "tilt"),
    ("4.3", sp.Symbol("z", real=True), "only the symbols q_0, q_1, k_0, k_1 are"),
    ("4.4", -GAINED, "sign"),
    ("4.4", s * (theta + omega), "star on the key"),
    ("4.4", theta - omega, "nobody has moved"),
    ("4.4", 2 * s * theta, "turns backwards"),
    ("4.4", 2 * GAINED, "not right"),
    # Reduced forms and factors: the angle is asked for as it is.
    *(("4.4", form(declared(GAINED, real=True)), "not reduced") for form in (
        lambda x: sp.Mod(x, 2 * sp.pi),
        lambda x: sp.arg(sp.exp(sp.I * x)),
        lambda x: sp.exp(sp.I * x),
        lambda x: sp.I * x,
    )),
    ("4.4", GAINED * sp.Symbol("m"), "only the symbols"),
]
