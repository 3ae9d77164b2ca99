"""Chapter 8: does the score decay?"""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import angles, inverse_frequencies
from ..reference import rotate, score
from ..running import INV_FREQ, Q
from ..symbolic import is_zero
from ._wrong import Wrong, call, expression, number, require

HEADS = ((8, 10_000.0), (64, 10_000.0), (128, 10_000.0), (128, 500.0))


def first_negative(answer):
    """8.1: the first offset at which the sum of cosines is negative."""
    for rotary_dim, base in HEADS:
        found = call(answer, rotary_dim, base)
        require(found is not None, "your function returns nothing yet")
        found = number(found)
        where = f"for d = {rotary_dim} and base {base:g} your {found:g}"
        require(found in range(1, 100_001),
                f"{where} is no whole number from 1 to 100,000")
        rates = inverse_frequencies(rotary_dim, base)
        if not _is_first(found, rates):
            _say_what_is_wrong(found, rotary_dim, base, where)


def _sums(offsets, rates):
    return np.cos(angles(offsets, rates)).sum(axis=-1)


def _is_first(offset, rates):
    if _sums(offset, rates) >= 0:
        return False
    return np.all(_sums(np.arange(offset), rates) >= 0)


def _say_what_is_wrong(found, rotary_dim, base, where):
    slips = {"the exponent is -2 i / d, not -i / d":
             base ** (-np.arange(rotary_dim // 2) / rotary_dim),
             "i counts pairs, from 0 to d/2 - 1":
             base ** (-2 * np.arange(rotary_dim) / rotary_dim),
             "take the base that is given":
             inverse_frequencies(rotary_dim, 10_000),
             "take the width that is given": inverse_frequencies(128, base)}
    for slip, rates in slips.items():
        require(not _is_first(found, rates), f"{where} is off: {slip}")
    rates = inverse_frequencies(rotary_dim, base)
    require(not _is_first(found + 1, rates), f"{where} is one short:"
            " an index counts from 0; at which offset does your array start?")
    require(_sums(found, rates) < 0,
            f"{where} is an offset where the sum is not negative")
    raise Wrong(f"{where} is not the first: the sum is negative before")


def where_it_peaks(answer):
    """8.2: the offset -6..6 at which k = R_3 q scores highest with q."""
    found, offsets = number(answer), np.arange(-6, 7)
    scores = score(Q, rotate(Q, 3, INV_FREQ), 0, offsets, INV_FREQ)
    require(found in offsets, "a whole number from -6 to 6 is wanted")
    require(found != 0, "at offset 0 the key is still turned away from q:"
            " which offset turns it back?")
    require(found != 3, "this is where the key turned the other way, by"
            " the transpose, would peak")
    best = offsets[np.argmax(scores)]
    require(found < 0, "a later place turns the key further ahead, and it is"
            " ahead already")
    require(found <= best, "this does not bring the key back to q yet")
    require(found >= best, "this brings the key back too far, past q")


def variance(answer):
    """8.3: variance of the score, entries with mean mu and variance 1."""
    d, mu = sp.symbols("d mu", positive=True)
    letters = map(str, getattr(answer, "free_symbols", ()))
    require("r" not in letters, "the offset drops out")
    found = expression(answer, (d, mu))
    require(d in found.free_symbols, "the symbol d does not occur: in Python"
            " it is called dim, and d is the number 128")
    require(is_zero(found.subs(mu, 0) - d),
            "for mu = 0 it must be d: did you take the root, or one dial?")
    require(not is_zero(found - d), "the mean does change the variance: keep"
            " the terms with one a or one b")
    _mean_terms(found, d, mu)


def _mean_terms(found, d, mu):
    """What the mean adds to the variance."""
    require(is_zero(found - found.subs(mu, -mu)), "a mean of -mu gives the"
            " same spread: how does a factor enter a variance?")
    require(is_zero(sp.diff(found, mu, 3)), "the term with u on both sides is"
            " a constant and has no variance")
    require(sp.diff(found, mu, 2).has(d), "u holds d ones: its norm is not 1")
    require(not is_zero(found - d * (1 + mu ** 2)),
            "there are two terms with one mean in them, one for q and one"
            " for k")
    require(is_zero(found - d * (1 + 2 * mu ** 2)), "what stands with mu^2 is"
            " not right: compare with the width of the fan for mu = 1")


CHECKS = {"8.1": first_negative, "8.2": where_it_peaks, "8.3": variance}
