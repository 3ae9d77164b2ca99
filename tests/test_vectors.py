"""Numbers made outside the package: frequencies, rotations, presets.

``default_vectors.json`` holds the frequencies and some cosines and sines of
published models in float64, with their distance from the float32 table that
transformers 5.24.0 builds for the same settings.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import rope_edu
from rope_edu import angles, inverse_frequencies, rotate, running
from rope_edu.layouts import interleaved_to_half, permutation

DATA = Path(__file__).parent / "data"
PRESETS = Path(rope_edu.__file__).parent / "data" / "presets.json"


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


CASES = load(DATA / "default_vectors.json")["cases"]
LAYOUTS_DIM8 = load(DATA / "rotation_layouts_dim8.json")
ROWS = load(PRESETS)


def case_id(case):
    return f"{case['rotary_dim']}-{case['base']:.0f}"


@pytest.fixture(params=CASES, ids=case_id)
def case(request):
    return request.param


def test_every_width_and_base_is_a_case_of_its_own():
    assert len({case_id(case) for case in CASES}) == len(CASES) == 13
    # The float32 tables they were compared with are good to a few 2**-24.
    distance = "max_relative_difference_from_transformers_float32"
    assert all(case[distance] < 4 * 2.0**-24 for case in CASES)


def test_rates(case):
    rates = inverse_frequencies(case["rotary_dim"], case["base"])
    np.testing.assert_allclose(rates, case["inv_freq"], rtol=1e-12)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_probes_of_the_table(case, layout):
    """Turn the first axis of one pair: its cosine and sine come out."""
    rates = inverse_frequencies(case["rotary_dim"], case["base"])
    width = case["rotary_dim"]
    for head_dim in case["models"].values():
        for m, pair, cos, sin in case["probes"]:
            one = 2 * pair if layout == "interleaved" else pair
            two = one + (1 if layout == "interleaved" else width // 2)
            x = np.eye(head_dim)[one]
            y = rotate(x, m, rates, layout, rotary_dim=width)
            # Two rates equal to a few 2**-53 reach angles apart by m times
            # that.
            tolerance = (abs(m) * rates[pair] * 16 + 4) * 2.0**-53
            assert abs(y[one] - cos) <= tolerance
            assert abs(y[two] - sin) <= tolerance
            assert np.count_nonzero(np.delete(y, [one, two])) == 0


@pytest.mark.parametrize(
    "field, layout, rotary_dim",
    [
        ("half_split", "half", None),
        ("interleaved", "interleaved", None),
        ("partial_rotary_dim4_half", "half", 4),
        ("partial_rotary_dim4_interleaved", "interleaved", 4),
    ],
)
def test_rotations_of_one_to_eight(field, layout, rotary_dim):
    x, ids = LAYOUTS_DIM8["input"], LAYOUTS_DIM8["positions"]
    rates = inverse_frequencies(rotary_dim or 8, LAYOUTS_DIM8["base"])
    result = rotate(x, ids, rates, layout, rotary_dim)
    # Lengths near 11 and positions to 1e6 in steps of 2**-53.
    tolerance = 16 * 11 * (1 + max(np.abs(ids))) * 2.0**-53
    np.testing.assert_allclose(result, LAYOUTS_DIM8[field], rtol=0, atol=tolerance)


def test_deinterleaved_rotation_and_permutation():
    x, ids = LAYOUTS_DIM8["input"], LAYOUTS_DIM8["positions"]
    turned = rotate(x, ids, inverse_frequencies(8, LAYOUTS_DIM8["base"]))
    expected = LAYOUTS_DIM8["deinterleaved_output_of_interleaved_input"]
    tolerance = 16 * 11 * (1 + max(np.abs(ids))) * 2.0**-53
    np.testing.assert_allclose(
        interleaved_to_half(turned), expected, rtol=0, atol=tolerance
    )
    known = LAYOUTS_DIM8["hf_permutation_interleaved_to_half"]
    assert permutation(8).tolist() == known


def test_partial_and_proportional_have_different_rates():
    known = load(DATA / "partial_vs_proportional.json")
    head_dim, base = known["head_dim"], known["base"]
    width = int(known["partial_rotary_factor"] * head_dim)
    partial = inverse_frequencies(width, base)
    proportional = inverse_frequencies(head_dim, base)[: width // 2]
    np.testing.assert_allclose(partial, known["partial_inv_freq"], rtol=1e-12)
    np.testing.assert_allclose(
        proportional, known["proportional_inv_freq_nonzero"], rtol=1e-12
    )


def test_report_65_proportional_rotates_far_pairs_and_keeps_the_rest():
    rates = np.zeros(256)
    rates[:64] = inverse_frequencies(512, 1e6)[:64]
    assert round(rates[1], 10) == 0.9474635257
    assert round(rates[63], 10) == 0.0333762469
    x = np.arange(1.0, 513.0)
    y = rotate(x, 5, rates, "half")
    for kept in (slice(64, 256), slice(320, 512)):
        np.testing.assert_array_equal(y[kept], x[kept])
    for i in (0, 1, 63):
        turned = (x[i] + 1j * x[i + 256]) * np.exp(5j * rates[i])
        assert np.isclose(y[i] + 1j * y[i + 256], turned, rtol=1e-13)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_presets_are_complete_and_usable(row):
    assert list(row)[:7] == [
        "name", "head_dim", "rotary_dim", "base", "layout", "trained_length", "source"
    ]
    assert set(list(row)[7:]) <= {"layer_type", "rope_parameters"}
    rates = inverse_frequencies(row["rotary_dim"], row["base"])
    x = np.ones(row["head_dim"])
    turned = rotate(x, 1, rates, row["layout"], row["rotary_dim"])
    assert turned.shape == x.shape
    assert row["source"].strip()
    assert row["trained_length"] is None or row["trained_length"] >= 1024


def test_first_preset_is_the_running_example():
    row = ROWS[0]
    assert row["name"] == "running example"
    assert row["head_dim"] == row["rotary_dim"] == running.ROTARY_DIM
    assert row["base"] == running.BASE
    assert len({row["name"] for row in ROWS}) == len(ROWS) >= 10


KNOWN = {
    "Llama 2 7B": "llama2_7b",
    "Llama 3 8B": "llama3_8b",
    "Code Llama 7B": "codellama_7b",
    "Mistral 7B v0.2": "mistral_7b_v02",
    "Qwen2 7B": "qwen2_7b",
    "SmolLM2 135M": "smollm2_135m",
    "Falcon 7B": "falcon_7b",
    "Phi-2": "phi2_partial_0p4",
}


@pytest.mark.parametrize("name, model", KNOWN.items())
def test_presets_agree_with_the_vectors(name, model):
    row = next(row for row in ROWS if row["name"] == name)
    case = next(case for case in CASES if model in case["models"])
    assert row["head_dim"] == case["models"][model]
    assert (row["rotary_dim"], row["base"]) == (case["rotary_dim"], case["base"])


def test_probe_positions_reach_past_a_million():
    assert max(m for case in CASES for m, *_ in case["probes"]) == 2**20 - 1
    assert angles(2**20 - 1, [1.0]) == 2**20 - 1
