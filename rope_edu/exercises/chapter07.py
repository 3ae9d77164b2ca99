"""Chapter 7: the speeds of the dials, and positions that look alike."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies, wavelengths
from ..symbolic import is_zero, rotation
from ._wrong import number, require

CASES = ((128, 1e4, 4096), (64, 1e5, 8192), (32, 1e4, 2048), (8, 1e4, 10))


def slowest_wavelength(answer):
    """7.1: tokens per turn of the slowest of 64 dials at base 500000."""
    found, d, base = number(answer), 128, 5e5
    rate = inverse_frequencies(d, base)[-1]
    slips = {
        1 / rate: "this many tokens turn the dial by one radian, not by one"
                  " turn",
        360 / rate: "the speeds are in radians, not in degrees",
        2 * np.pi * base: "this would be the dial after the last one: i starts"
                          " at 0, so the last i is not d/2",
        2 * np.pi * base ** (63 / d): "the exponent counts pairs by two:"
                                      " 2i/d, not i/d",
        np.pi / rate: "this is half a turn",
    }
    for slip, reason in slips.items():
        require(not np.isclose(found, slip, rtol=1e-3), reason)
    require(np.isclose(found, 2 * np.pi / rate, rtol=1e-5),
            "after this many tokens the dial is not at its start")


def complete_turns(answer):
    """7.2: how many dials complete a turn within `length` tokens."""
    for case in CASES:
        found = _count(answer(*case))
        lengths = wavelengths(inverse_frequencies(*case[:2]))
        whole = int(np.sum(lengths <= case[2]))
        name = "d = {}, b = {:,.0f}, L = {}".format(*case)
        require(found != len(lengths) - whole or whole == found,
                f"{name}: these are the dials that never complete a turn")
        require(found != int(np.sum(lengths <= 2 * np.pi * case[2])),
                f"{name}: a turn is 2 pi radians, not one radian")
        require(found == whole, f"{name}: the count is not right")


def _count(found):
    require(found is not None and found is not ...,
            "your function returns nothing yet")
    return number(found)


def _away(m):
    """Angle between a dial of 1 rad per token and its start."""
    return float(np.abs(np.angle(np.exp(1j * m))))


def next_return(answer):
    """7.3: the first m > 44 that is nearer to whole turns than 44."""
    found = number(answer)
    require(found == int(found) and found > 44,
            "a whole number above 44 is wanted")
    require(found % 44, "twice the same near miss is a miss twice as far")
    require(_away(found) < 3, "the hand has made half a turn too many: it"
            " points away from its start")
    require(_away(found) < _away(44), "this is farther from its start than 44")
    earlier = range(45, int(found))
    require(not any(_away(m) < _away(44) for m in earlier),
            "it is nearer than 44, but a smaller number is nearer, too")


def one_speed(answer):
    """7.4: (A, B) with score = A cos(delta theta) + B sin(delta theta)."""
    q, k = (sp.Matrix(sp.symbols(f"{name}_0:4", real=True)) for name in "qk")
    angle = sp.Symbol("alpha", real=True)
    require(isinstance(answer, (tuple, list)) and len(answer) == 2,
            "a pair (A, B) is wanted")
    a, b = map(sp.sympify, answer)
    require((a.free_symbols | b.free_symbols) <= {*q, *k},
            "A and B may hold q_0 to q_3 and k_0 to k_3, nothing else")
    wanted = (q.T * rotation(1, [angle, angle]) * k)[0]
    require(is_zero(wanted.subs(angle, 0) - a), "at offset 0 the score is A,"
            " and there it is q·k")
    quarter = wanted.subs(angle, sp.pi / 2)
    require(not is_zero(quarter + b), "the sign of B is the wrong way")
    require(is_zero(quarter - b), "a quarter turn on, the score is B, and"
            " yours is another")


CHECKS = {"7.1": slowest_wavelength, "7.2": complete_turns,
          "7.3": next_return, "7.4": one_speed}
