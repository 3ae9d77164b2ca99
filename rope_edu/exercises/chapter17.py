"""Chapter 17: other roads."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..spatial import mrope_position_ids
from ..symbolic import is_zero
from ._wrong import array, call, expression, number, require

# layers, of these with a window, key heads, width, window, tokens
CACHES = ((32, 0, 8, 128, 4096, 10_000), (34, 29, 4, 256, 1024, 32_768),
          (36, 18, 8, 64, 128, 100), (3, 3, 1, 2, 7, 1000))


def cache_bytes(answer):
    """17.1: bytes of a KV cache at 16 bits, some layers with a window."""
    for case in CACHES:
        found, right = number(_returned(answer, case)), _bytes(*case)
        for slip, reason in _other_bytes(*case):
            require(found != slip or slip == right, reason)
        require(found == right, f"for {case} the bytes are others: count"
                " numbers first, and two bytes for each")


def _bytes(layers, windowed, heads, width, window, length):
    """Bytes of a cache: two numbers a channel, two bytes a number."""
    tokens = (layers - windowed) * length + windowed * min(window, length)
    return 2 * 2 * heads * width * tokens


def _other_bytes(layers, windowed, heads, width, window, length):
    """Bytes that come of one slip each, and its name."""
    shape = heads, width, window, length
    right = _bytes(layers, windowed, *shape)
    full = _bytes(layers - windowed, 0, *shape)
    yield right // 2, ("this is half: keys and values are both kept, and a"
                       " number has two bytes")
    yield 8 * right, "these are bits: a byte has 8"
    yield full + 4 * heads * width * windowed * window, (
        "a window longer than the text keeps the text")
    yield _bytes(layers, layers, *shape), (
        "every layer has its own window or none: here all were treated alike")
    yield _bytes(layers, 0, *shape), (
        "the layers with a window keep no more than it")
    yield full, "the layers with a window keep something, too"


def _returned(answer, arguments):
    found = call(answer, *arguments)
    require(found is not None, "your function returns nothing yet")
    return found


def who_notices(answer):
    """17.2: outputs that change in layers 1 and 2 without positions."""
    first, second = array(answer, (2,))
    require(first >= 3, "in layer 1 a token in between sees another set of"
            " tokens, too")
    require(first <= 3, "in layer 1 the tokens from place 4 on see the same"
            " set as before, and place 0 sees itself alone")
    require(second <= 5, "place 0 sees itself alone, in every layer")
    require(second == 5, "what changed in layer 1 is seen by every later"
            " place in layer 2")


def share_beyond(answer):
    """17.3: ALiBi's share of keys at distance D or more, equal scores."""
    s, D = sp.symbols("s D", positive=True)
    found = expression(answer, (s, D))
    require(not found.has(sp.Sum), "a sum is left: it is geometric, so add"
            " it up")
    right = is_zero(found - sp.exp(-s * D))
    for slip, reason in _other_shares(s, D):
        require(not is_zero(found - slip), reason)
    other = found.subs({s: 2 * s, D: D / 2}, simultaneous=True)
    require(right or is_zero(found - other), "this is no function of s D"
            " alone: with twice the slope, half the distance must do the same")
    spot = found.subs({s: 0.5, D: 10})
    require(spot.is_real and 0 <= spot <= 1, "a share is between 0 and 1: far"
            " keys weigh less than near ones")
    require(right, "test it: for s = 1/2 and D = 10 the share is below one"
            " percent")


def _other_shares(s, D):
    """Shares that come of one slip each, and its name."""
    far = sp.exp(-s * D)
    yield 1 - far, "this is the share of the nearer keys: take the rest"
    yield (1 - sp.exp(-s)) * far, ("this is the weight of the one key at"
                                   " distance D")
    yield sp.exp(-s * (D + 1)), "keys at distance D itself count, too"
    yield far / (1 - sp.exp(-s)), ("divide by the sum over all distances, from"
                                   " 0 on")


def next_position(answer):
    """17.4: position of the first token behind two pictures."""
    found = number(answer)
    parts = (5, (3, 7), 4, (6, 2), 1)
    ids = mrope_position_ids(parts)
    require(found != ids.shape[-1] - 1, "this is the number of tokens before"
            " it; the patches of a picture share positions")
    # 5 + 7 + 4 + 2 is as much: columns alone fall in here, too.
    require(found != 5 + 3 + 4 + 6, "one picture has more rows, the other"
            " more columns: the longer side counts")
    require(found != 5 + (3 + 7) + 4 + (6 + 2), "rows and columns are counted"
            " side by side, not one after the other")
    require(found != ids.max() - 1, "this position is taken by the picture")
    require(found != ids.max() + 1, "the first position is 0, not 1")
    require(found == ids.max(), "a text counts its tokens, a picture its"
            " longer side")


def axial_map(answer):
    """17.5: whether a map of scores can be that of an axial head."""
    for scores, wanted, told in _maps():
        found = _returned(answer, (scores,))
        require(isinstance(found, (bool, np.bool_)),
                "your function must return True or False")
        require(bool(found) == wanted, told)


def _maps():
    """Maps of 5 by 7 patches, whether they can be axial, what else to say."""
    rows, columns = np.random.default_rng(17).normal(size=(2, 7))
    whole = 4 * rows[:5, None].round() + (4 * columns).round()
    additive = rows[:5, None] + columns
    inside, edge = np.zeros((2, 5, 7))
    inside[3, 4] = edge[2, 6] = 1
    yield whole, True, ("a map that is a function of the row plus one of the"
                        " column is refused")
    yield additive, True, ("a sum of rounded numbers is hardly ever exact:"
                           " compare with a tolerance")
    yield additive - 40.0, True, "a constant may be added to a map"
    yield additive + inside, False, "a map with one bright patch passes"
    yield additive + edge, False, ("a map need not be square: one with a"
                                   " bright patch in its last column passes")
    yield np.outer(rows[:5], columns), False, (
        "a map that is a product, not a sum, passes")


CHECKS = {"17.1": cache_bytes, "17.2": who_notices, "17.3": share_beyond,
          "17.4": next_position, "17.5": axial_map}
