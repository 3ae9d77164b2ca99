"""Chapter 12: what its figures measure, and what its exercises say."""

import re

import numpy as np
import pytest
import sympy as sp

from rope_edu import exercises, rotate
from rope_edu.running import INV_FREQ

torch = pytest.importorskip("torch")
from rope_edu.experiments import load  # noqa: E402
from rope_edu.figures import inside  # noqa: E402

# Float64: some units of 1e-16 in sums of a few dozen terms.
CLOSE = {"rtol": 0, "atol": 1e-12}


# --- figures ----------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 100])
def test_parts_are_those_of_a_layer(first):
    """Scores by the NumPy reference, head by head, query by query."""
    found = {name: part[0].numpy() for name, part in inside.parts(first).items()}
    for h, m, n in np.ndindex(4, 5, 5):
        q = rotate(found["q"][h, m], first + m, INV_FREQ)
        k = rotate(found["k"][h // 2, n], first + n, INV_FREQ)
        np.testing.assert_allclose(found["scores"][h, m, n], q @ k / 8**0.5, **CLOSE)
    share = np.where(np.tri(5), np.exp(found["scores"]), 0)
    share /= share.sum(-1, keepdims=True)
    np.testing.assert_allclose(found["weights"], share, **CLOSE)
    values = found["v"][[0, 0, 1, 1]]
    np.testing.assert_allclose(found["average"], share @ values, **CLOSE)


def test_only_turned_arrays_know_where_the_text_stands():
    """By theorem; the picture is drawn from this comparison."""
    here, there = inside.parts(0), inside.parts(100)
    moved = {n for n in here if not torch.allclose(here[n], there[n], **CLOSE)}
    assert moved == {"turned q", "turned k"}
    assert inside.layer().alt.endswith(": turned q, turned k.")


def test_faults_and_right_code_are_told_apart():
    """What stays below the line is not drawn as a curve."""
    alt = inside.decoding({"a": [1e-6], "b": [2e-4, 0.5]}, 3).alt
    assert "b 0.0002 to 0.5" in alt and alt.endswith("all along: a.")


# --- what the chapter says of the stored runs --------------------------------


def test_relative_placements_do_not_see_a_shift():
    """Rounding moves logits by some 1e-5; a position moves them by more than 1."""
    moved = load("placement").table("moved_500", "place")
    stays = {n for n, spread in moved.items() if spread.high < 1e-3}
    assert stays == {
        "q and k", "q and k, first layer", "q, k and v, undone", "v, undone", "none",
    }
    assert all(moved[n].low > 1 for n in moved.keys() - stays)


def test_placements_in_the_order_that_the_text_names():
    """Means of three seeds, with gaps that are wider than their spread."""
    right = load("placement").table("accuracy_0", "place")
    for name in ("q and k", "q and k, first layer", "q, k and v", "q, k and v, undone"):
        assert right[name].low > 0.99
    assert right["none"].high < right["v, undone"].low < 0.99
    assert max(right[n].mean for n in "qv") < right["none"].mean


def test_rope_is_among_the_first_and_never_the_first():
    """The text says so of both tasks."""
    learning = load("learning")
    for task in ("copy", "recall"):
        steps = learning.values("reached", "encoding", task=task)
        total = {n: sum(s) for n, s in steps.items() if None not in s}
        assert min(total, key=total.get) != "rope"
        assert total["rope"] <= sorted(total.values())[4]
    assert None in learning.values("reached", "encoding", task="copy")["learned, small"]
    sines = learning.values("reached", "encoding", task="recall")["sinusoidal"]
    assert sines.count(None) == 2


# --- exercises ---------------------------------------------------------------


def shared(q, k, v, ids, *, order=np.repeat, turn=True, values=False, later=0, root=8):
    """Four query heads on two key heads; each option brings in one fault."""
    turned = [rotate(x, ids, INV_FREQ) if turn else x for x in (q, k)]
    v = rotate(v, ids, INV_FREQ) if values else v
    if order is np.repeat:
        keys, v = (np.repeat(x, 2, axis=0) for x in (turned[1], v))
    else:
        keys, v = (np.concatenate([x, x]) for x in (turned[1], v))
    scores = np.einsum("hmd,hnd->hmn", turned[0], keys) / root**0.5
    share = np.where(np.tri(len(ids), k=later), np.exp(scores), 0)
    return share / share.sum(-1, keepdims=True) @ v


def fault(**options):
    """Return an answer to exercise 12.1 with a fault."""
    return lambda *given: shared(*given, **options)


a, b, c, g, sigma = sp.symbols("a b c g sigma", real=True)
RIGHT = (a - g) / 2 * sp.cos(sigma) + (b + c) / 2 * sp.sin(sigma)
# The same wave; where it vanishes, the phase is undefined.
AMPLITUDE = (
    sp.sqrt((a - g) ** 2 + (b + c) ** 2) / 2
    * sp.cos(sigma - sp.atan2(b + c, a - g))
)


@pytest.mark.parametrize("asked, answer", [
    ("12.1", shared), ("12.2", "ABF"), ("12.2", "f, b, a"),
    ("12.3", lambda keep: keep.sum(1)[:, None]),
    ("12.4", RIGHT), ("12.4", sp.expand(RIGHT)), ("12.4", AMPLITUDE),
])
def test_right_answers_pass(asked, answer):
    """In any order, in any form."""
    assert exercises.verdict(asked, answer) is None


@pytest.mark.parametrize("asked, answer, told", [
    ("12.1", fault(order=None), "read key head 0: here"),
    ("12.1", fault(later=4), "looked at a later one"),
    ("12.1", fault(turn=False), "nothing has been turned"),
    ("12.1", fault(values=True), "values are not turned"),
    ("12.1", fault(root=1), "root of 8"),
    ("12.1", fault(root=4), "some average is not right"),
    ("12.1", lambda q, k, v, ids: shared(q, k, v, np.arange(5)), r"\[7, 8"),
    ("12.2", "ABCF", "differently"),
    ("12.2", "D", "bias"),
    ("12.2", "ABE", "mirror"),
    ("12.2", "AB", "1 more"),
    ("12.2", "XY", "from A to F"),
    ("12.3", lambda keep: np.full((3, 1), 5), "padding has been counted"),
    ("12.3", lambda keep: keep.sum(1)[:, None] - 1, "last tokens"),
    ("12.3", lambda keep: np.array([[5], [5], [1]]), "a place in the row"),
    ("12.3", lambda keep: np.zeros((3, 1)), "another position"),
    ("12.4", 2 * RIGHT, "twice"),
    ("12.4", RIGHT + a, "has to vanish"),
    ("12.4", RIGHT.subs(a, 2 * a - g), "with a and g"),
    ("12.4", -RIGHT.subs({a: -a, g: -g}), "with b and c"),
])
def test_slips_hear_their_own_name(asked, answer, told):
    """The message names the property that failed."""
    reason = exercises.verdict(asked, answer)
    assert reason and re.search(told, reason), reason
