"""The table of published models, and the objects made from it."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import rope_edu
from rope_edu import inverse_frequencies, rotate, running
from rope_edu.config import RopeConfig, presets
from rope_edu.scaling import Default, Linear, Llama3, LongRoPE, Proportional, YaRN

DATA = Path(__file__).parent / "data"
TABLE = Path(rope_edu.__file__).parent / "data" / "presets.json"
ROWS = json.loads(TABLE.read_text("utf-8"))
MODELS = ROWS[1:]
KEYS = ["name", "head_dim", "rotary_dim", "base", "layout", "trained_length", "source"]
# Rows of KEYS alone are told by width and base, as the live dials need it.
MORE = [[], ["layer_type"], ["rope_parameters"], ["layer_type", "rope_parameters"]]
VECTORS = {
    case["name"]: case
    for case in json.loads((DATA / "scaled_vectors.json").read_text("utf-8"))["cases"]
}
PLAIN = {
    model: (head_dim, case["rotary_dim"], case["base"])
    for case in json.loads((DATA / "default_vectors.json").read_text("utf-8"))["cases"]
    for model, head_dim in case["models"].items()
}


def by_name(row):
    return row["name"]


def test_thirty_models_and_the_running_example():
    names = [row["name"] for row in ROWS]
    assert names == list(presets()) and len(set(names)) == len(names)
    assert len(MODELS) >= 30
    first = presets()[names[0]]
    assert (first.rotary_dim, first.base) == (running.ROTARY_DIM, running.BASE)


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_every_row_has_the_same_keys_and_a_source(row):
    assert list(row)[:7] == KEYS and list(row)[7:] in MORE
    assert re.search(r"arXiv:\d{4}\.\d{5}|5\.24|0\.5\.13|config|book", row["source"])
    assert row["trained_length"] is None or row["trained_length"] >= 1024
    assert row.get("layer_type", "full_attention") in (
        "full_attention", "sliding_attention"
    )


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_a_preset_is_its_row(row):
    config = presets()[row["name"]]
    assert isinstance(config, RopeConfig)
    settings = (config.head_dim, config.rotary_dim, config.base, config.layout)
    assert settings == tuple(row[key] for key in KEYS[1:5])
    rule = row.get("rope_parameters")
    assert (config.scaling == Default()) == (rule is None)
    for key in ("factor", "low_freq_factor", "mscale", "truncate", "beta_fast"):
        if rule and key in rule:
            assert getattr(config.scaling, key) == rule[key]


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_a_preset_rotates(row):
    config = presets()[row["name"]]
    inv_freq, attention_factor = config.table(length=100)
    x = np.ones(config.head_dim)
    turned = rotate(x, 7, inv_freq, config.layout, config.rotary_dim)
    np.testing.assert_allclose(
        np.linalg.norm(turned), math.sqrt(config.head_dim), rtol=1e-14
    )
    assert 1 <= attention_factor < 1.5


@pytest.mark.parametrize("row", [r for r in MODELS if len(r) == 7], ids=by_name)
def test_plain_rows_are_width_and_base(row):
    """What the live dials show of them is all there is."""
    inv_freq, attention_factor = presets()[row["name"]].table()
    rates = inverse_frequencies(row["rotary_dim"], row["base"])
    np.testing.assert_array_equal(inv_freq, rates)
    assert attention_factor == 1.0


def test_rules_and_vectors_of_other_people_agree():
    known = {
        "Llama 3.1 8B": "llama3_1_8b",
        "Llama 3.2 1B": "llama3_2_1b",
        "Yarn Llama 2 7B 128k": "yarn_llama2_7b_128k",
        "Qwen3 8B with YaRN": "qwen3_8b_yarn4",
        "DeepSeek-V3": "deepseek_v3_yarn40_mscale1",
        "gpt-oss 20B": "gpt_oss_yarn32_truncate_false",
        "Ministral 3 8B": "ministral3_yarn16",
        "Phi-3 vision 128k": "phi3_mini_128k_longrope_long",
        "LFM3 1.7B, global layers": "lfm3_global_proportional_0p5",
    }
    for name, model in known.items():
        case = VECTORS[model]
        table = presets()[name].table(case["length"] or 1)
        np.testing.assert_allclose(table.inv_freq, case["inv_freq"], rtol=1e-12)
        factor = case["attention_factor"]
        assert math.isclose(table.attention_factor, factor, rel_tol=1e-12), name


def test_widths_and_bases_and_vectors_agree():
    known = {
        "GPT-J 6B": "gptj_6b_rotary_dim_64",
        "GPT-NeoX 20B": "gpt_neox_20b_partial_0p25",
        "LLaMA 7B": "llama1_7b",
        "Mistral 7B v0.1": "mistral_7b_v01",
        "Mixtral 8x7B": "mixtral_8x7b",
        "Gemma 2 9B": "gemma2_9b",
        "Gemma 3 1B, global layers": "gemma3_1b_global",
        "Gemma 3 4B, local layers": "gemma3_local",
        "SmolLM2 1.7B": "smollm2_1p7b",
        "ModernBERT, global layers": "modernbert_global",
        "ModernBERT, local layers": "modernbert_local",
    }
    for name, model in known.items():
        config = presets()[name]
        assert (config.head_dim, config.rotary_dim, config.base) == PLAIN[model], name


def test_every_method_of_published_models_is_there():
    kinds = {type(config.scaling) for config in presets().values()}
    assert kinds == {Default, Linear, Llama3, LongRoPE, Proportional, YaRN}


def test_two_layers_of_one_model_differ():
    full, local = (
        presets()[f"Gemma 3 4B, {kind} layers"] for kind in ("global", "local")
    )
    assert (full.base, full.scaling) == (1e6, Linear(8))
    assert (local.base, local.scaling) == (1e4, Default())


def test_softmax_multipliers_of_deepseek():
    found = [presets()[f"DeepSeek-V{i}"].softmax_multiplier for i in (2, 3)]
    assert np.round(found, 9).tolist() == [1.589626165, 1.873854207]


def test_a_change_of_the_dict_stays_with_the_caller():
    presets().clear()
    assert len(presets()) == len(ROWS)
