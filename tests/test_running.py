"""The running objects of the book, and what importing the package costs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rope_edu
from rope_edu import inverse_frequencies, running, score
from rope_edu.layouts import pair_indices
from rope_edu.running import INV_FREQ, K, Q

LAYOUTS = ("interleaved", "half")


def test_sentences():
    assert " ".join(running.SENTENCE) == "the cat chases the mouse"
    assert "".join(running.SENTENCE_ZH) == "猫追老鼠"


def test_dials_turn_at_powers_of_ten():
    expected = inverse_frequencies(running.ROTARY_DIM, running.BASE)
    np.testing.assert_array_equal(INV_FREQ, expected)
    np.testing.assert_allclose(INV_FREQ, [1, 0.1, 0.01, 0.001], rtol=1e-15)
    assert len(running.DIALS) == len(set(running.DIALS)) == len(INV_FREQ)


@pytest.mark.parametrize("array", [Q, K, INV_FREQ], ids=["Q", "K", "INV_FREQ"])
def test_arrays_are_float64_and_read_only(array):
    assert array.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0.0


@pytest.mark.parametrize("vector", [Q, K], ids=["Q", "K"])
def test_vectors_are_short_numbers_with_a_mean_and_no_empty_pair(vector):
    assert vector.shape == (running.ROTARY_DIM,)
    np.testing.assert_array_equal(vector, vector.round(1))
    assert abs(vector.mean()) > 0.2
    for layout in LAYOUTS:
        pairs = vector[np.stack(pair_indices(8, layout))]
        assert (np.hypot(*pairs) > 0.3).all()


def test_products_worked_by_hand():
    """0.36 + 0.36 - 0.32 - 0.21 + 0.40 - 0.09 - 0.10 + 0.14, and so on."""
    products = [Q @ K, Q @ Q, K @ K]
    np.testing.assert_allclose(products, [0.54, 3.92, 2.49], rtol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_score_varies_and_is_not_even(layout):
    offsets = np.arange(1, 9)
    ahead = score(Q, K, 0, offsets, INV_FREQ, layout)
    behind = score(Q, K, 0, -offsets, INV_FREQ, layout)
    assert np.ptp(ahead) > 1
    assert np.abs(ahead - behind).max() > 1


def test_import_loads_numpy_and_nothing_heavy():
    heavy = ["torch", "sympy", "matplotlib", "scipy", "pandas"]
    code = (
        "import sys, rope_edu;"
        "assert 'numpy' in sys.modules;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    root = Path(rope_edu.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True
    )
    assert (result.stdout.strip(), result.stderr) == ("[]", "")


def test_exports():
    assert rope_edu.__version__ == "0.1.0"
    for name in rope_edu.__all__:
        assert callable(getattr(rope_edu, name))
    assert sorted(rope_edu.__all__) == [
        "angles", "inverse_frequencies", "rotate", "score", "unrotate", "wavelengths"
    ]
