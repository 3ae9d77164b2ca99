"""Chapter 17: other roads."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..spatial import mrope_position_ids
from ..symbolic import is_zero
from ._wrong import (
    Wrong, array, call, expression, number, require, same, truth)

# layers, of these with a window, key heads, width, window, tokens
CACHES = ((34, 29, 4, 256, 1024, 32_768), (32, 0, 8, 128, 4096, 10_000),
          (36, 18, 8, 64, 128, 100), (3, 3, 1, 2, 7, 1000))


def cache_bytes(answer):
    """17.1: bytes of a KV cache at 16 bits, some layers with a window."""
    for case in CACHES:
        found, right = number(_returned(answer, case)), _bytes(*case)
        for slip, reason in _other_bytes(*case):
            require(found != slip or slip == right, reason)
        require(found == right, f"for {case} it is another number: first the"
                " tokens that each layer keeps, then the numbers of each"
                " token, then bytes")


def _bytes(layers, windowed, heads, width, window, length):
    """Bytes of a cache: two numbers a channel, two bytes a number."""
    tokens = (layers - windowed) * length + windowed * min(window, length)
    return 2 * 2 * heads * width * tokens


def _other_bytes(layers, windowed, heads, width, window, length):
    """Bytes that come of one slip each, and its name."""
    shape = heads, width, window, length
    right = _bytes(layers, windowed, *shape)
    full = _bytes(layers - windowed, 0, *shape)
    short = heads, width, window - 1, length
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
    yield _bytes(layers, layers - windowed, *shape), (
        "layers with a window and those without have changed places")
    yield _bytes(layers + windowed, windowed, *shape), (
        "the layers with a window are counted twice: they are some of all")
    yield _bytes(layers, windowed, *short), (
        "the window itself is what is kept, not one token less")


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
    if same(found, sp.exp(-s * D)):
        return
    for slip, reason in _other_shares(s, D):
        require(not is_zero(found - slip), reason)
    other = found.subs({s: 2 * s, D: D / 2}, simultaneous=True)
    require(is_zero(found - other), "this is no function of s D"
            " alone: with twice the slope, half the distance must do the same")
    spot = found.subs({s: 0.5, D: 10})
    require(spot.is_real and 0 <= spot <= 1, "a share is between 0 and 1: far"
            " keys weigh less than near ones")
    raise Wrong("test it: for s = 1/2 and D = 10 the share is below one"
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
            " more columns: what makes the next position free on every axis?")
    require(found != 5 + (3 + 7) + 4 + (6 + 2), "rows and columns are counted"
            " side by side, not one after the other")
    require(found != ids.max() - 1, "this position is taken by the picture")
    require(found != ids.max() + 1, "the first position is 0, not 1")
    require(found == ids.max(), "look again at the figure with a text, a"
            " picture and a text: what does each of them take?")


def balanced_map(answer):
    """17.5: whether the two diagonals of every rectangle have equal sums."""
    def passes(scores):
        found = _returned(answer, (scores,))
        return truth(found, "your function must return True or False")

    rows, columns = np.random.default_rng(17).normal(size=(2, 7))
    additive = rows[:5, None] + columns
    for scores, wanted, told in _maps(rows, columns, additive):
        require(passes(scores) == wanted, told)
    missed = [place for place in np.ndindex(5, 7)
              if passes(additive + 100 * _patch(*place))]
    if missed:
        raise Wrong(_overlooked(missed))


def _patch(row, column):
    """A dark map of 5 by 7 patches but for one."""
    return np.outer(np.arange(5) == row, np.arange(7) == column)


def _maps(rows, columns, additive):
    """Maps of 5 by 7 patches, whether they are balanced, what else to say."""
    whole = 4 * rows[:5, None].round() + (4 * columns).round()
    blocks = np.zeros((5, 7))
    blocks[2:4, 2:4] = 1
    for scores, told in (
        (whole, "a function of the row plus one of the column is refused"),
        (whole - 40, "a constant may be added to a map"),
        (additive, "rounded numbers are hardly ever equal: compare with a"
         " tolerance"),
        (additive - 40, "larger numbers are rounded more coarsely: allow for"
         " more"),
    ):
        yield scores, True, told
    for scores, told in (
        (additive + 100 * _patch(3, 4), "a map with one bright patch passes"),
        (additive + 0.003 * _patch(3, 4), "a map passes in which one patch is"
         " off by 0.003: not the order of the corners counts but their two"
         " sums, and these up to rounding"),
        (np.outer(rows[:5], columns),
         "a map that is a product, not a sum, passes"),
        (additive + blocks, "a map passes that is balanced within small blocks"
         " but not across them"),
    ):
        yield scores, False, told


def _overlooked(missed):
    """Say what the maps that pass have in common."""
    row, column = missed[0]
    passes = (f"a map with one bright patch, in row {row} and column {column},"
              " passes: ")
    if set(missed) == {(x, y) for x in range(5) for y in (5, 6)}:
        return passes + "a map need not be square"
    edges = {(4, y) for y in range(7)}, {(x, 6) for x in range(5)}
    if (all(x in (0, 4) or y in (0, 6) for x, y in missed)
            and any(edge <= set(missed) for edge in edges)):
        return passes + "the edges belong to the map"
    return passes + "all rectangles are to be balanced, not some"


CHECKS = {"17.1": cache_bytes, "17.2": who_notices, "17.3": share_beyond,
          "17.4": next_position, "17.5": balanced_map}
