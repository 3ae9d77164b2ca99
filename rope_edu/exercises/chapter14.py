"""Chapter 14: pairs, arcs and a softmax past the trained length."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..arcs import angle_from_seen, seen_share
from ..frequencies import inverse_frequencies
from ..symbolic import is_zero
from ._wrong import call, expression, number, require, same

# One of each kind: twice as long, one more, many times, not longer, shorter.
TEXTS = ((10, 20), (7, 8), (3, 100), (12, 12), (20, 5), (4096, 8192))


def new_part(answer):
    """14.1: part of the N^2 pairs that are L or more apart."""
    for length, tokens in TEXTS:
        part = call(answer, length, tokens)
        require(part is not None and part is not ...,
                "your function returns nothing yet")
        found, more = number(part), max(0, tokens - length)
        right = more * (more + 1) / tokens**2  # float32 is enough
        where = f"L = {length:,}, N = {tokens:,}: "
        require(more or not found, f"{where}no two tokens are so far apart")
        require(0 <= found <= 1, f"{where}{found:g} is no part of the pairs")
        if not np.isclose(found, right, rtol=1e-5, atol=0):
            _say_why(found, more, tokens, where)


def _say_why(found, more, tokens, where):
    pairs = tokens * (tokens + 1)
    slips = {
        more * (more + 1) / pairs: "this is a decoder: of the pairs with the"
                                   " key before the query or at it",
        more * (more + 1) / tokens**2 / 2: "keys stand on both sides",
        more * (more - 1) / tokens**2: "a distance of exactly L is new, too:"
                                       " the largest one seen is L - 1",
        2 * more * (more + 1) / pairs: "every pair of different tokens counts"
                                       " twice, but N^2 pairs are asked for",
        more * (more + 1) / (pairs - 2 * tokens): "a token and itself are a"
                                                  " pair, too",
        1 - more * (more + 1) / tokens**2: "these are the pairs that are less"
                                           " than L apart",
        more**2 / tokens**2: "not every pair of which one token is past L is"
                             " that far apart",
        more / tokens: "this is the part of the offsets; far ones have fewer"
                       " pairs",
    }
    for slip, reason in slips.items():
        require(not np.isclose(found, slip, rtol=1e-5), where + reason)
    require(False, f"{where}counting all pairs gives another part")


def known_again(answer):
    """14.2: offsets 4096 to 8191 at seen angles, with 5000 tokens a turn."""
    found, new = number(answer), np.arange(4096, 8192)
    off = angle_from_seen([2 * np.pi / 5000], 4096, new)[:, 0]
    known = int(np.sum(off < 1e-9))
    require(found == int(found) and 0 <= found <= 4096,
            "a whole number from 0 to 4096 is wanted")
    slips = {
        0: "the circle is finite: what does the hand do after a whole turn?",
        4096: "right after the training the hand goes where it never was",
        4096 - known: "these are the offsets at new angles",
        known - 1: "at offset 5000 the hand is at its start, and that has been"
                   " seen",
        known + 1: "the last offset is 8191, not 8192",
    }
    require(found == known or found not in slips, slips.get(found, ""))
    require(found == known, "at which offset is the dial back at its start,"
            " and how many are left from there?")


def of_an_encoder(answer):
    """14.3: unfinished dials at L = 4096 if keys stand on both sides."""
    found, rates = number(answer), inverse_frequencies(128)
    require(found == int(found) and 0 <= found <= 64,
            "a whole number from 0 to 64 is wanted")
    one, both = (int(np.sum(seen_share(rates, 4096, both_ways=way) < 1))
                 for way in (False, True))
    require(found != one,
            "offsets of the other sign turn the hands the other way: the arcs"
            " do change")
    require(found != 9, "twice the arc does not finish half of the dials:"
            " how far apart are neighboring wavelengths?")
    require(found not in (64 - one, 64 - both), "count the unfinished dials,"
            " not the finished ones")
    require(found <= both, "fewer: each arc is twice as long")
    require(found == both, "more: a dial is finished only if its wavelength"
            " is at most twice L - 1")


def needed_growth(answer):
    """14.4: by how much a lead must grow from N to s N tokens."""
    tokens, s = symbols = sp.symbols("N s", positive=True)
    found = expression(answer, symbols)
    right = sp.log(s * tokens - 1) - sp.log(tokens - 1)
    require(tokens in found.free_symbols or not is_zero(found - sp.log(s)),
            "this is the limit for large N; N - 1 and s N - 1 are not exactly"
            " s times apart")
    slips = {
        sp.log(s * (tokens - 1)) - sp.log(tokens - 1):
            "s N tokens have s N - 1 others, not s (N - 1)",
        sp.log(s * tokens - 1): "by how much must it grow? Take off what was"
                                " there",
        sp.log(s * tokens - 1) / sp.log(tokens - 1):
            "a lead grows by a difference, not by a factor",
        right / sp.log(2): "logits are natural logarithms, not of base 2",
        right / sp.log(10): "logits are natural logarithms, not of base 10",
        -right: "the sign is the wrong way: the lead must grow",
        sp.exp(right): "this is the factor of the odds; the lead is its"
                       " logarithm",
    }
    for slip, reason in slips.items():
        require(not same(found, slip), reason)
    require(same(found, right), "the odds p / (1 - p) do not stay the same")


CHECKS = {"14.1": new_part, "14.2": known_again, "14.3": of_an_encoder,
          "14.4": needed_growth}
