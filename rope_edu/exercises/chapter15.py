"""Chapter 15: rates for longer texts."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies, wavelengths
from ..scaling import NTKAware, NTKByParts, YaRN, ntk_base
from ..symbolic import is_zero
from ._wrong import array, call, expression, number, require

# Llama 2, a narrow head, and a length at which even the fastest dial makes
# fewer than 32 turns.
CASES = ((128, 1e4, 4096, 8.0), (8, 1e4, 300, 8.0), (64, 5e5, 64, 4.0))


def implied_factor(answer):
    """15.1: the NTK-aware factor of a base of 300,000 at d = 32."""
    found = number(answer)
    right = 30.0 ** (30 / 32)
    slips = {
        30.0: "this is the quotient of the bases, and it belongs to the dial"
              " after the last one",
        30.0 ** (14 / 16): "here d counts the pairs; the formula means the"
                           " coordinates",
        30.0 ** (32 / 30): "the exponent stands on its head: a factor of"
                           " 30 would need a base above 300,000",
        30.0 ** (126 / 128): "this is a head of 128 coordinates; how many"
                             " does this one turn?",
        1 / right: "this is how fast the slowest dial still is; by how much"
                   " is it slower?",
    }
    for slip, reason in slips.items():
        require(not np.isclose(found, slip, rtol=1e-3), reason)
    require(np.isclose(found, right, rtol=2e-3), "with this factor another"
            " base comes out, already in the first three digits")


def by_parts(answer):
    """15.2: rates of NTK-by-parts with the ends at 1 and 32 turns."""
    for d, b, length, factor in CASES:
        found = array(call(answer, d, b, length, factor), (d // 2,))
        name = f"d = {d}, b = {b:,.0f}, L = {length:,}, s = {factor:g}"
        right = NTKByParts(factor, length).table(d, b).inv_freq
        for slip, reason in _slips(d, b, length, factor):
            same = np.allclose(found, slip, rtol=1e-6)
            require(not same or np.allclose(slip, right, rtol=1e-6),
                    f"{name}: {reason}")
        off = np.flatnonzero(~np.isclose(found, right, rtol=1e-6))
        require(not off.size, f"{name}: {_first(d, b, length, off)}")


def _first(d, b, length, off):
    """Say which dial is the first one that is not right."""
    turns = length / wavelengths(inverse_frequencies(d, b))
    return "".join(f"dial {i}, which makes {turns[i]:.2f} turns, is the first"
                   " one that is not right" for i in off[:1])


def _slips(d, b, length, factor):
    """Rates that come of one slip each, and its name."""
    rates = inverse_frequencies(d, b)
    turns = length / wavelengths(rates)
    keep = np.clip((turns - 1) / 31, 0, 1)
    slower = inverse_frequencies(d, ntk_base(d, b, factor)) / rates
    for share, reason in _shares(turns, factor, keep, slower):
        yield rates * (share + (1 - share) / factor), reason
    for whole in (True, False):
        yield YaRN(factor, length, truncate=whole).table(d, b).inv_freq, (
            "this ramp runs over the numbers of the dials; the paper's runs"
            " over their turns")
    yield rates / (keep + (1 - keep) * factor), (
        "the rates are blended, not the wavelengths")
    yield rates * (keep + (1 - keep) * factor), (
        "the slow dials must become slower, not faster")
    divisors = 1 / (keep + (1 - keep) / factor)
    yield divisors, "these are divisors of the rates: divide by them"
    yield 2 * np.pi * divisors / rates, (
        "these are wavelengths: rates are wanted, in radians per token")


def _shares(turns, factor, keep, slower):
    """Shares of a rate that come of one slip each, and its name."""
    yield np.clip((turns - 1) / 3, 0, 1), (
        "this ramp ends at 4 turns, as Llama 3.1's does: here it is 32")
    yield np.clip((turns * slower - 1) / 31, 0, 1), (
        "the turns are those that the model has seen, so the old base counts"
        " them and not a new one")
    yield np.clip((2 * np.pi * turns - 1) / 31, 0, 1), (
        "a turn is 2 pi radians: you count radians")
    yield np.clip((factor * turns - 1) / 31, 0, 1), (
        "the turns in training count, not those in the long text")
    yield (turns - 1) / 31, "outside the ramp the share is 0 or 1"
    yield 1 - keep, "the fast dials must stay and the slow ones be divided"
    yield 0 * keep, "this divides every dial: that is PI"


def within_their_arcs(answer):
    """15.3: dials of Llama 2 within their arc at 16 L, with NTK by 32."""
    found = number(answer)
    require(found == int(found) and 0 <= found <= 18,
            "a whole number from 0 to 18 is wanted")
    plain = inverse_frequencies(128)
    unfinished = wavelengths(plain) > 4096
    over = 16 * NTKAware(32).table(128).inv_freq / plain
    kept = int(np.sum(over[unfinished] <= 1))
    for slip, reason in {
        18: "all 18 would stay if each were slowed down by 32: is it?",
        0: "none? Look again at the slow end: by how much is a dial there"
           " slowed down?",
        1: "the last alone would be kept if the text were 32 times as long",
        18 - kept: "these are the dials that run past their arc",
        kept - 1: "one is missing: is 63, the last, among yours, and is d - 2"
                  " in your exponent, not d?",
        kept + 1: "one of them ends a little past its arc",
    }.items():
        require(found != slip, reason)
    require(found == kept, "a dial stays in its arc if it is slowed down at"
            " least as much as the text is longer: which ones are?")


def smallest_base(answer):
    """15.4: the base that keeps dial i and all slower ones in their arcs."""
    b, s, d, i = symbols = sp.symbols("b s d i", positive=True)
    found = sp.nsimplify(expression(answer, symbols), rational=True)
    for slip, reason in _other_bases(*symbols):
        require(not is_zero(found - slip), reason)
    spot = found.subs({b: 100, s: 4, d: 8, i: 2})
    require(not (spot.is_real and spot < 100),
            "a smaller base makes every dial but the first faster")
    require(is_zero(spot - 1600), "try b = 100, d = 8, i = 2 and s = 4: the"
            " new rate of dial 2 must be a quarter of the old one")
    require(is_zero(found - b * s ** (d / (2 * i))),
            "right in one example, but not for all b, s, d and i")


def _other_bases(b, s, d, i):
    """Bases that come of one slip each, and its name."""
    yield b * s ** (d / (d - 2)), ("this is made for the last dial; dial i has"
                                   " another number")
    yield b * s, "this is made for the dial after the last, i = d/2"
    yield b * s ** (2 * i / d), "the exponent stands on its head"
    yield s ** (d / (2 * i)), ("by this the base is multiplied: what is it"
                               " then?")
    yield b * s ** (d / i), "the exponent counts pairs by two: 2i/d, not i/d"


CHECKS = {"15.1": implied_factor, "15.2": by_parts,
          "15.3": within_their_arcs, "15.4": smallest_base}
