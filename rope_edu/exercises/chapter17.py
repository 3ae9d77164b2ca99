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
        layers, windowed, heads, width, window, length = case
        found = number(_returned(answer, case))
        one = 2 * 2 * heads * width
        full, kept = (layers - windowed) * length, min(window, length)
        slips = {
            "keys and values are both kept": one // 2 * (
                full + windowed * kept),
            "a window longer than the text keeps the text": one * (
                full + windowed * window),
            "every layer has its own window or none: here all were treated"
            " alike": one * layers * kept,
            "the layers with a window keep no more than it": one * layers
            * length,
        }
        right = one * (full + windowed * kept)
        for reason, slip in slips.items():
            require(found != slip or slip == right, reason)
        require(found == right, f"for {case} the bytes are others: count"
                " numbers first, and two bytes for each")


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
    slips = {
        "this is the share of the nearer keys: take the rest":
            1 - sp.exp(-s * D),
        "this is the weight of the one key at distance D":
            (1 - sp.exp(-s)) * sp.exp(-s * D),
        "keys at distance D itself count, too": sp.exp(-s * (D + 1)),
        "divide by the sum over all distances, from 0 on":
            sp.exp(-s * D) / (1 - sp.exp(-s)),
    }
    for reason, slip in slips.items():
        require(not is_zero(found - slip), reason)
    require(is_zero(found - sp.exp(-s * D)),
            "test it: for s = 1/2 and D = 10 the share is below one percent")


def next_position(answer):
    """17.4: position of the first token behind two pictures."""
    found = number(answer)
    parts = (5, (3, 7), 4, (6, 2), 1)
    ids = mrope_position_ids(parts)
    require(found != ids.shape[-1] - 1, "this is the number of tokens before"
            " it; the patches of a picture share positions")
    require(found != 5 + 3 + 4 + 6, "the longer side of a picture counts,"
            " which need not be its rows")
    require(found != ids.max() - 1, "this position is taken by the picture")
    require(found == ids.max(), "a text counts its tokens, a picture its"
            " longer side")


def axial_map(answer):
    """17.5: whether a map of scores can be that of an axial head."""
    rng = np.random.default_rng(17)
    rows, columns = rng.normal(size=(2, 7))
    additive = rows[:5, None] + columns
    bumped, tilted = additive.copy(), np.outer(rows[:5], columns)
    bumped[3, 4] += 1
    for scores, wanted, told in (
            (additive, True, "a map that is a function of the row plus one"
             " of the column is refused"),
            (additive - 40.0, True, "a constant may be added to a map"),
            (bumped, False, "a map with one bright patch passes"),
            (tilted, False, "a map that is a product, not a sum, passes")):
        found = _returned(answer, (scores,))
        require(isinstance(found, (bool, np.bool_)),
                "your function must return True or False")
        require(bool(found) == wanted, told)


CHECKS = {"17.1": cache_bytes, "17.2": who_notices, "17.3": share_beyond,
          "17.4": next_position, "17.5": axial_map}
