"""Chapter 12: inside attention."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..reference import rotate
from ..running import INV_FREQ, K, Q
from ..symbolic import is_zero
from ._wrong import Wrong, array, call, expression, require, same

# Query heads, key heads, tokens, channels of exercise 12.1.
SHAPE = (4, 2, 5, 8)
GAIN, BIAS = np.random.default_rng(12).normal(size=(2, 8))
STEPS = {
    "A": lambda x: x / 8**0.25,
    "B": lambda x: x / np.linalg.norm(x),
    "C": lambda x: GAIN * x,
    "D": lambda x: x + BIAS,
    "E": lambda x: x[[1, 0, 3, 2, 5, 4, 7, 6]],
    "F": lambda x: rotate(x, 1, np.full(4, 0.3)),
}


def _twice(x):
    return np.repeat(x, 2, axis=0)


def _turn(x, ids):
    return rotate(x, ids, INV_FREQ)


def _earlier(ids):
    """The causal mask: what each place may look at, whatever its id."""
    return np.tri(len(ids), dtype=bool)


def _shared(q, k, v, ids, turned="qk", turn=_turn, order=_twice,
            seen=_earlier, scale=8**-0.5, axis=-1):
    """Attention of heads that share keys, or one with a slip in it."""
    q, k, v = (turn(x, ids) if name in turned else x
               for name, x in zip("qkv", (q, k, v)))
    k, v = (order(x) for x in (k, v))
    scores = np.where(seen(ids), q @ k.swapaxes(1, 2) * scale, -np.inf)
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True) @ v


SLIPS = {
    "query heads 0 and 1 read key head 0: here they read 0 and 1":
        {"order": lambda x: np.tile(x, (2, 1, 1))},
    "some token has looked at a later one":
        {"seen": lambda ids: np.ones((len(ids),) * 2, dtype=bool)},
    "the mask is upside down: tokens look at later ones alone":
        {"seen": lambda ids: _earlier(ids).T},
    "the place is what the mask sees, and ids only say how far to turn":
        {"seen": lambda ids: ids[:, None] >= ids},
    "the tokens are counted from 0, but their ids are given":
        {"turn": lambda x, ids: _turn(x, np.arange(len(ids)))},
    "this is the half-split layout: here neighbors are a pair":
        {"turn": lambda x, ids: rotate(x, ids, INV_FREQ, "half")},
    "queries and keys are turned clockwise, by minus their ids":
        {"turn": lambda x, ids: _turn(x, -ids)},
    "each head is turned by its number: the axis of the tokens is the second":
        {"turn": lambda x, ids: _turn(x, np.arange(len(x))[:, None])},
    "the weights of each query add up to 1, not those of each key":
        {"axis": -2},
    "nothing has been turned": {"turned": ""},
    "keys have to be turned, too": {"turned": "q"},
    "queries have to be turned, too": {"turned": "k"},
    "values have been turned, and should stay as they are": {"turned": "qkv"},
    "the scores are not divided by the root of 8": {"scale": 1.0},
    "the scores are divided by 8 itself, not by its root": {"scale": 1 / 8},
}


def shared_keys(answer):
    """12.1: four query heads on two heads of keys and values."""
    heads, groups, tokens, width = SHAPE
    rng = np.random.default_rng(5)
    q = rng.normal(size=(heads, tokens, width))
    k, v = rng.normal(size=(2, groups, tokens, width))
    for ids in ([0, 1, 2, 3, 4], [7, 8, 9, 20, 41], [9, 17, 4, 0, 2]):
        given = (q, k, v, np.array(ids))
        found = array(call(answer, *given), q.shape)
        require(not np.isnan(found).any(), "some average is NaN: does the mask"
                " leave some token nothing to look at?")
        right = np.allclose(found, _shared(*given))
        for reason, slip in SLIPS.items():
            require(right or not np.allclose(found, _shared(*given, **slip)),
                    reason)
        require(right, f"at positions {ids} some average is not right")


def _may_move(step):
    """Whether scores are the same with the step before and after."""
    pairs = ((Q, 9), (K, 4))
    before = [rotate(step(x), at, INV_FREQ) for x, at in pairs]
    after = [step(rotate(x, at, INV_FREQ)) for x, at in pairs]
    return bool(np.isclose(before[0] @ before[1], after[0] @ after[1]))


def movable_steps(answer):
    """12.2: letters of the steps that may change places with the turn."""
    require(isinstance(answer, str), "letters are wanted, such as \"BC\"")
    found = set(answer.upper()) - set(" ,")
    require(found, "some of the letters A to F are wanted")
    require(found <= set(STEPS), "the letters run from A to F")
    right = {letter for letter, step in STEPS.items() if _may_move(step)}
    hints = {
        "C": "C stretches the two channels of a pair differently",
        "D": "in D the bias is turned only if it is there before the turn",
        "E": "E is a mirror of each plane, and a mirror reverses a turn",
    }
    for letter, reason in hints.items():
        require(letter not in found, reason)
    missing = len(right - found)
    require(not missing, f"{missing} more of them may be moved")


def next_position(answer):
    """12.3: positions of the tokens that follow padded prompts."""
    # In the first column no row has a token: the width is nobody's count.
    keep = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1],
                     [0, 1, 0, 0, 0, 0]], dtype=bool)
    found = array(call(answer, keep), (3, 1)).ravel()
    count = keep.sum(axis=1)
    last = 5 - np.argmax(keep[:, ::-1], axis=1)
    for reason, slip in {
        "every row got its length: padding has been counted":
            np.full(3, 6),
        "every row goes on as the longest text does: each has its own count":
            np.full(3, count.max()),
        "these are the positions of the last tokens, not of the next ones":
            count - 1,
        "a place in the row is not a position: padding on the left comes"
        " before it": last + 1,
        "the mask has been read the other way: False is padding": 6 - count,
        "one too many: the first token of a text has position 0": count + 1,
    }.items():
        require(not np.array_equal(found, slip), reason)
    require(np.array_equal(found, count), "some row continues at another"
            " position than the one after its last token")


def sum_part(answer):
    """12.4: the part of a score that depends on the sum of positions."""
    symbols = sp.symbols("u v w z sigma", real=True)
    u, v, w, z, sigma = symbols
    found = expression(answer, symbols)
    wanted = (u - z) / 2 * sp.cos(sigma) + (v + w) / 2 * sp.sin(sigma)
    # An amplitude and a phase are right, and undefined where A commutes.
    if not same(found, wanted):
        require(not same(sp.diff(found - wanted, sigma), sp.S.Zero), "right"
                " but for a part without sigma: the mean over a turn is to"
                " be 0")
        _say_why(found, wanted, u, v, w, z)


def _say_why(found, wanted, u, v, w, z):
    require(not is_zero(found.subs({v: 0, w: 0}) - wanted.subs(
        {v: 0, w: 0, z: -z})), "beside u and z stands what n - m gets: which"
            " half of each product knows the sum?")
    require(is_zero(found.subs({z: u, w: -v})),
            "some A commute with every turn: for these it has to vanish")
    require(not is_zero(found - 2 * wanted), "this is twice the part: the"
            " other half knows n - m")
    for letters, others in (("u and z", {v: 0, w: 0}),
                            ("v and w", {u: 0, z: 0})):
        part, right = found.subs(others), wanted.subs(others)
        require(not is_zero(part + right),
                f"the part with {letters} has the wrong sign")
        require(is_zero(part - right),
                f"the part with {letters} is not right")
    raise Wrong("each part is right alone, but not their sum")


CHECKS = {"12.1": shared_keys, "12.2": movable_steps,
          "12.3": next_position, "12.4": sum_part}
