"""Chapter 9: a NumPy reference."""

from __future__ import annotations

import numpy as np

from ..layouts import interleaved_to_half, permutation, permute_weight
from ..reference import rotate, score
from ..running import INV_FREQ, K, Q
from ._wrong import array, call, require

RATES = np.array([0.9, 0.25, 0.06])
PLACES = np.array([3.0, 0.0, 1.5, -2.0])
SIGNS = np.tile([1.0, -1.0], len(INV_FREQ))


def _text(shape=(2, 4, 6)):
    """Two heads, four places, six channels; no two numbers are equal."""
    return np.random.default_rng(9).normal(size=shape)


def half_split_form(answer):
    """9.1: a function of x, position_ids and inv_freq, half-split pairs."""
    x, given = _text(), _text()
    require(callable(answer), "a function is wanted")
    found = array(answer(given, PLACES.copy(), RATES.copy()), x.shape)
    require(np.array_equal(given, x), "x itself has been changed: work on"
            " copies, not on views")
    for reason, slip in _half_split_slips(x).items():
        require(not np.allclose(found, slip), reason)
    norms = [np.linalg.norm(v, axis=-1) for v in (found, x)]
    require(np.allclose(*norms), "the lengths of the vectors are not kept")
    wanted = rotate(x, PLACES, RATES, "half")
    wrong = ~np.isclose(found, wanted).all(axis=(0, 2))
    require(not wrong.any(), "the vectors at place"
            f" {np.argmax(wrong)} of the sequence are not right")
    for x in (x[0], _text((3, 2, 4, 6)), _text((3, 4, 4))):
        rates = RATES[:x.shape[-1] // 2]
        found = array(call(answer, x, PLACES, rates), x.shape)
        require(np.allclose(found, rotate(x, PLACES, rates, "half")),
                f"for x of shape {x.shape} it is not right: the last axis has"
                " the channels, the one before it the sequence")


def _half_split_slips(x):
    """What faults of a half-split form return, by their names."""
    angle = PLACES[:, None] * RATES
    twice = np.concatenate([angle, angle], axis=-1)
    swapped = np.roll(x, x.shape[-1] // 2, axis=-1)
    return _half_split_partners(x, twice) | {
        "every pair turns clockwise: look at the signs of the partner":
            rotate(x, -PLACES, RATES, "half"),
        "neighbors turn together: this is the interleaved layout":
            rotate(x, PLACES, RATES),
        "both partners have a plus: one of the two needs a minus":
            x * np.cos(twice) + swapped * np.sin(twice),
        "the partner is half-split, but the cosines and sines stand in the"
        " order of neighbors": _mixed(x, np.repeat(angle, 2, axis=-1)),
        "every place turns like the first one": rotate(
            x, PLACES[0], RATES, "half"),
        "the places are counted, but their positions are given": rotate(
            x, np.arange(len(PLACES)), RATES, "half"),
    }


def _half_split_partners(x, angle):
    """What wrong partners lead to, by their names."""
    cosine, sine = np.cos(angle), np.sin(angle)
    pairs = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1)
    half = len(RATES)
    first = _mixed(x, angle)[..., :half]
    second = x[..., half:] * cosine[:, :half] + first * sine[:, :half]
    return {
        "the cosines and sines are half-split, but the partner is made of"
        " neighbors": x * cosine + pairs.reshape(x.shape) * sine,
        "the right half is made from the left one as it is after the turn:"
        " keep what was there before":
            np.concatenate([first, second], axis=-1),
        "one head has become the partner of the other: split the last axis,"
        " not the first": x * cosine + np.stack([-x[1], x[0]]) * sine,
    }


def _mixed(x, angle):
    """Half-split partners, turned by these angles."""
    left, right = np.split(x, 2, axis=-1)
    partner = np.concatenate([-right, left], axis=-1)
    return x * np.cos(angle) + partner * np.sin(angle)


def _pipelines(m, n):
    """The score of each pipeline of exercise 9.2, by its letter."""
    order = permutation(len(Q))
    both = [interleaved_to_half(v) for v in (Q, K)]
    after = [rotate(v, at, INV_FREQ)[order] for v, at in ((Q, m), (K, n))]
    return {
        "A": score(*both, m, n, INV_FREQ, "half"),
        "B": score(*both, m, n, INV_FREQ),
        "C": score(both[0], K, m, n, INV_FREQ, "half"),
        "D": after[0] @ after[1],
        "E": score(SIGNS * Q, SIGNS * K, -m, -n, INV_FREQ),
        "F": score(Q, K, -m, -n, INV_FREQ),
        "G": score(Q, K, m + 1000, n + 1000, INV_FREQ),
    }


def surviving_pipelines(answer):
    """9.2: letters of the pipelines that keep every score."""
    require(isinstance(answer, str), "letters are wanted, such as \"BC\"")
    found = set(answer.upper()) - set(" ,")
    right = score(Q, K, 10, 7, INV_FREQ)
    keeps = {letter for letter, value in _pipelines(10, 7).items()
             if np.isclose(value, right)}
    require(found, "some of the letters A to G are wanted")
    require(found <= set("ABCDEFG"), "the letters run from A to G")
    require("F" not in found, "F turns the other way: the score of offset"
            " +3 becomes that of offset -3")
    require("C" not in found, "in C query and key disagree: the score is not"
            " even relative")
    require("B" not in found, "in B the numbers have moved, and the code does"
            " not know it")
    missing = len(keeps - found)
    require(not missing, f"the score survives {missing} more of them")


def blocks_of_heads(answer):
    """9.3: the matrix that permutes the rows of all heads at once."""
    for heads, width in ((4, 6), (1, 6), (3, 8)):
        rows = heads * width
        found = array(call(answer, heads, width), (rows, rows))
        require(np.isin(found, (0, 1)).all()
                and np.array_equal(found @ found.T, np.eye(rows)),
                "one 1 in each row and column, and zeros elsewhere")
        wanted = permute_weight(np.eye(rows), heads, "half")
        for reason, slip in _other_blocks(heads, width, wanted):
            require(not np.array_equal(found, slip), reason)
        inside = np.kron(np.eye(heads), np.ones((width, width)))
        require(not found[inside == 0].any(), "rows wander from head to"
                " head: each head is permuted by itself")
        require(np.array_equal(found, wanted),
                f"in a head of {width} the rows go elsewhere")


def _other_blocks(heads, width, wanted):
    """Matrices that come of one slip each, after its name."""
    yield ("this carries half-split rows to interleaved ones: turn it round",
           wanted.T)
    yield ("the second numbers of the pairs come first: which half of a head"
           " gets them?", np.roll(wanted.reshape(heads, width, -1),
                                  width // 2, axis=1).reshape(wanted.shape))
    if heads % 2 == 0:
        yield ("num_heads and head_dim have changed places",
               permute_weight(np.eye(heads * width), width, "half"))


def harmless_orders(answer):
    """9.4: signed permutations that change no score, and those that stay."""
    found, still = array(answer, (2,))
    pairs = len(INV_FREQ)
    slips = {
        1: "the identity is one of them, but not the only one",
        2: "turn the sign of one pair, in the query and in the key: what"
           " happens to its part of the score?",
        4: "this is one pair; each of the four chooses by itself",
        2 ** pairs: "as many are the changes of sign of whole pairs; what"
                    " else can be done to a pair, and do the choices of"
                    " pairs add or multiply?",
        2 ** (2 * pairs) * 24: "the four dials have different speeds, so"
                               " pairs cannot change places",
        2 ** pairs * 24: "the four dials have different speeds, so pairs"
                         " cannot change places",
        8 ** pairs: "a mirror of one pair turns its dial the other way",
    }
    for slip, reason in slips.items():
        require(found != slip, reason)
    require(found == 4 ** pairs, "count the choices of one pair first")
    _orders_that_stay(still, pairs)


def _orders_that_stay(found, pairs):
    """The second half of exercise 9.4."""
    slips = {
        1: "a channel may stay where it is and change its sign",
        2 ** (2 * pairs): "a sign that is changed in one number of a pair"
                          " alone is a mirror, and turns the dial the other"
                          " way",
        4 ** pairs - 2 ** pairs: "these are those that do move a channel",
    }
    for slip, reason in slips.items():
        require(found != slip, reason)
    require(found == 2 ** pairs, "the first number is right; which of them"
            " leave every channel in its place?")


CHECKS = {"9.1": half_split_form, "9.2": surviving_pipelines,
          "9.3": blocks_of_heads, "9.4": harmless_orders}
