"""Chapter 12: what its figures measure, and what is said of its runs."""

import numpy as np
import pytest

from rope_edu import rotate
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
