"""Chapter 7: the speeds of the dials, and positions that look alike."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies, wavelengths
from ..symbolic import is_zero, rotation
from ._wrong import Wrong, call, expression, number, require

# The last three: nearly all dials, more turns than dials, and none at all.
CASES = ((128, 1e4, 4096), (64, 1e5, 8192), (32, 1e4, 2048), (8, 1e4, 10),
         (128, 1e4, 54_000), (128, 1e4, 1_000_000), (128, 1e4, 4))


def slowest_wavelength(answer):
    """7.1: tokens per turn of the slowest of 32 dials at base 100000."""
    found, d, base = number(answer), 64, 1e5
    right = wavelengths(inverse_frequencies(d, base))[-1]
    for slip, reason in _other_wavelengths(d, base, 2 * np.pi / right).items():
        require(not np.isclose(found, slip, rtol=1e-3), reason)
    require(np.isclose(found, right, rtol=2e-3),  # three digits
            "after this many tokens the dial is not at its start, not even"
            " to three digits")


def _other_wavelengths(d, base, rate):
    """Numbers that come of one slip each, and its name."""
    return {
        1 / rate: "this many tokens turn the dial by one radian, not by one"
                  " turn",
        360 / rate: "the speeds are in radians, not in degrees",
        2 * np.pi * base: "this would be the dial after the last one: i starts"
                          " at 0, so the last i is not d/2",
        2 * np.pi * base ** (31 / d): "the exponent counts pairs by two:"
                                      " 2i/d, not i/d",
        2 * np.pi * base ** (62 / 576): "d is the width that one head turns,"
                                        " not that of the model",
        2 * np.pi * base ** (574 / 576): "d is the width that one head turns,"
                                         " not that of the model",
        2 * np.pi * base ** (126 / 128): "this is a head that turns 128"
                                         " coordinates: here d is 64",
        2 * np.pi * base ** (30 / 32): "d counts coordinates, not pairs",
        np.pi / rate: "this is half a turn",
        2 * np.pi: "this is the fastest dial: the speeds fall with i",
        rate: "this is its speed, in radians per token",
        2 * np.pi * 1e4 ** (62 / d): "here the base is not 10,000",
    }


def complete_turns(answer):
    """7.2: how many dials complete a turn within `length` tokens."""
    for d, b, length in CASES:
        found = _count(call(answer, d, b, length))
        lengths = wavelengths(inverse_frequencies(d, b))
        whole = int(np.sum(lengths <= length))
        name = f"d = {d}, b = {b:,.0f}, L = {length:,}"
        require(0 <= found <= d / 2, f"{name}: you count {found:g} dials, but"
                f" {d} coordinates make {d // 2}, and none is less than 0")
        for slip, reason in _miscounts(d, b, length, whole).items():
            require(found == whole or found != slip, f"{name}: {reason}")
        require(found == whole, f"{name}: the count is not right")


def _miscounts(d, b, length, whole):
    """Counts that come of one slip each, and its name."""
    exponent = 2 * np.arange(d // 2) / d
    lengths = 2 * np.pi * b ** exponent
    return {
        int(np.sum(2 * np.pi * 1e4 ** exponent <= length)):
            "this is right for the base 10,000 only",
        whole - 1: "one dial is missing: i starts at 0",
        whole + 1: "one dial too many: the last is short of a turn",
        int(np.sum(np.sqrt(2 * np.pi * lengths) <= length)):
            "the exponent counts pairs by two: 2i/d, not i/d",
        int(np.sum(lengths <= 2 * np.pi * length)):
            "a turn is 2 pi radians, not one radian",
        d // 2 - whole: "these are the dials that never complete a turn",
    }


def _count(found):
    require(found is not None and found is not ...,
            "your function returns nothing yet")
    return number(found)


def _off(m):
    """Angle between a dial of 1 rad per token and the end opposite 0."""
    return float(np.pi - np.abs(np.angle(np.exp(1j * m))))


def next_opposite(answer):
    """7.3: the first m > 22 that is nearer to an odd half turn than 22."""
    found = number(answer)
    require(found == int(found) and found > 22,
            "a whole number above 22 is wanted")
    require(_off(found) < 3, "an even number of half turns is a number of"
            " whole ones: the hand is at its start")
    times = int(found) // 22
    multiple = found == 22 * times and times * _off(22) < np.pi
    require(not multiple, f"{times} times the same near miss is a miss"
            f" {times} times as far")
    require(_off(found) < _off(22), "the hand points away less exactly here"
            " than at 22")
    earlier = range(23, int(found))
    require(not any(_off(m) < _off(22) for m in earlier),
            "it is better than 22, but a smaller number is better, too")


def one_speed(answer):
    """7.4: (A, B) with score = A cos(delta theta) + B sin(delta theta)."""
    q, k = (sp.Matrix(sp.symbols(f"{name}_0:4", real=True)) for name in "qk")
    angle = sp.Symbol("alpha", real=True)
    a, b = (expression(part, (*q, *k)) for part in _pair(answer))
    score = (q.T * rotation(1, [angle, angle]) * k)[0]
    start, quarter = score.subs(angle, 0), score.subs(angle, sp.pi / 2)
    require(not (is_zero(a - quarter) and is_zero(b - start)),
            "A and B have changed places: which goes with the cosine?")
    require(a.free_symbols >= {*q, *k}, "one dial alone is not the score: in"
            " A some coordinates are missing")
    require(is_zero(start - a), "at offset 0 the score is A, and there it is"
            " q·k")
    require(not is_zero(quarter + b), "the sign of B is the wrong way")
    halves = q[2] * k[0] - q[0] * k[2] + q[3] * k[1] - q[1] * k[3]
    require(not is_zero(halves ** 2 - b ** 2), "in B neighbors are a pair,"
            " not i and i + d/2")
    require(b.free_symbols >= {*q, *k}, "both dials turn, so both add to B")
    require(is_zero(quarter - b), "a quarter turn on, the score is B, and"
            " yours is another")


def _pair(answer):
    """Two parts, whether of a tuple, a list or a SymPy matrix."""
    require(not isinstance(answer, str), "a pair (A, B) is wanted")
    try:
        a, b = answer
    except (TypeError, ValueError) as error:  # not two
        raise Wrong("a pair (A, B) is wanted") from error
    return a, b


CHECKS = {"7.1": slowest_wavelength, "7.2": complete_turns,
          "7.3": next_opposite, "7.4": one_speed}
