"""Chapter 13: when it goes wrong."""

from __future__ import annotations

import numpy as np

from ..doctor.rounding import rounded
from ..gallery import BUGS, right, symptoms
from ..layouts import pair_indices
from ..reference import rotate_complex
from ..running import INV_FREQ
from ._wrong import Wrong, array, call, require, truth

FORMATS = ("bfloat16", "float16", "float32")
CHOICE = dict(zip("ABCDEFGH", (
    "other-layout", "query-heads-for-keys", "bf16-positions",
    "other-way-keys", "tail-overwritten", "factor-upside-down",
    "factor-not-due", "over-heads")))
PLACED = ("ids-ignored", "resets-ignored", "shared-row", "decode-at-zero",
          "bf16-positions", "table-ends")


def first_lost(answer):
    """13.1: first positive integers that three formats cannot hold."""
    found = array(answer, (3,))
    require(np.isfinite(found).all(), "positive integers are wanted")
    for dtype, bits, n in zip(FORMATS, (16, 16, 32), found):
        require(n not in (2.0**bits + 1, 2.0**(bits - 1) + 1), f"{dtype} has"
                f" {bits} bits, but bits are not digits: some of them hold"
                " the sign and the exponent")
    require((np.diff(found) > 0).all(), "fewer digits lose a smaller integer:"
            " the order is bfloat16, float16, float32")
    for dtype, n in zip(FORMATS, found):
        require(n == round(n) and n > 0, "positive integers are wanted")
        require(rounded(n, dtype) != n, f"{dtype} holds {n:.0f} exactly")
        below = np.arange(1, min(n, 70000))
        lost = below[rounded(below, dtype) != below]
        require(not len(lost), f"{n:.0f} is lost in {dtype}, but a smaller"
                " integer is, too")
    require(found[2] == 2**24 + 1, "in float32 a smaller integer is lost:"
            " count the binary digits")


def blind_at_zero(answer):
    """13.2: letters of the bugs that position 0 does not show."""
    require(isinstance(answer, str), "letters are wanted, such as \"BCF\"")
    found = set(answer.upper()) - set(" ,")
    require(found, "some of the letters A to H are wanted")
    require(found <= set(CHOICE), "the letters run from A to H")
    hidden = {letter for letter, name in CHOICE.items()
              if symptoms(BUGS[name])["at 0"]}
    for letter, reason in {
        "B": "B reorders keys before anything turns",
        "E": "E writes over a channel at every position",
        "G": "G makes every vector longer, also the one at 0",
    }.items():
        require(letter not in found or letter in hidden, reason)
    missing = len(hidden - found)
    require(not missing, f"{missing} more of them can pass at position 0")


def test_of_positions(answer):
    """13.3: a test that finds faulty positions and spares right ones."""
    def passes(fn):
        return truth(answer(fn), "your test must return True or False")

    require(callable(answer), "a function is wanted")
    require(passes(right), "your test refuses the reference itself")
    require(passes(_complex), "your test refuses a right rotation that is"
            " written another way: compare what is returned, and allow for"
            " rounding")
    for name in PLACED:
        require(not passes(BUGS[name].make()), f"{name} passes your test:"
                f" {BUGS[name].code.__doc__}")


def _complex(x, ids):
    """The reference with complex numbers, which round in another way."""
    y = rotate_complex(x, ids[:, None], INV_FREQ) * (1 + 1e-15)
    return y.astype(x.dtype)


def partners(answer):
    """13.4: the partner of every channel, found with unit vectors."""
    rates = np.array([0.9, 0.31, 0.001])
    for order in ([0, 1, 2, 3, 4, 5], [3, 0, 4, 1, 5, 2], [5, 2, 0, 1, 3, 4]):
        order = np.array(order)
        for layout in ("interleaved", "half"):
            found = array(call(answer, _shuffled(order, layout, rates), 6),
                          (6,))
            wanted = _partners(order, layout)
            if not np.array_equal(found, wanted):
                _say_who(found, wanted, order[list(pair_indices(6, layout))])
                _say_why(found, order)


def _say_who(found, wanted, pairs):
    """Name the channels that alone are wrong, if there is a reason."""
    wrong = np.flatnonzero(found != wanted).tolist()
    require(wrong != sorted(pairs[:, -1]), "only the slowest pair is not"
            " found: a sine above 0 may be small")
    require(wrong != [0] or found[0] != 0, "channel 0 alone finds nobody: does"
            " its unit vector stand at position 0, where nothing turns?")


def _say_why(found, order):
    """Name what partners never are, then what has been taken for granted."""
    own = np.arange(6)
    require(np.isin(found, own).all(), "channels are numbered from 0 to"
            " head_dim - 1")
    require(np.ptp(found), "all channels get one partner: nothing has been"
            " turned, or you have not looked at single channels")
    require((found != own).all(), "a channel has another one as partner, not"
            " itself: beware of the diagonal, and of negative sines")
    require(np.array_equal(found[found.astype(int)], own),
            "partners are mutual: if a has b, then b has a")
    for layout in ("interleaved", "half"):
        require(not np.array_equal(found, _partners(own, layout)),
                f"these are the pairs of the layout {layout!r}, and fn has"
                " others")
    raise Wrong(f"the channels {order[:2].tolist()} ... of a shuffled head"
                " get other partners")


def _shuffled(order, layout, rates):
    """A rotation whose pairs are hidden by an order of the channels."""
    back = np.argsort(order)
    return lambda x, ids: right(x[..., order], ids, rates, layout)[..., back]


def _partners(order, layout):
    first, second = pair_indices(len(order), layout)
    wanted = np.empty(len(order), int)
    wanted[order[first]], wanted[order[second]] = order[second], order[first]
    return wanted


CHECKS = {"13.1": first_lost, "13.2": blind_at_zero,
          "13.3": test_of_positions, "13.4": partners}
