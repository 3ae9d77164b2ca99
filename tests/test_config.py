"""Reading config.json: what real models carry, and what must not pass.

``scaled_vectors.json`` and ``default_vectors.json`` hold tables made outside
the package. Where transformers is installed, its own functions are asked too.
"""

import copy
import dataclasses
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from rope_edu import angles, inverse_frequencies
from rope_edu.config import ACCEPTED, METHODS, PARTIAL_BY_CLASS, RopeConfig
from rope_edu.scaling import (
    Default,
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    Proportional,
    Scaling,
    YaRN,
)

DATA = Path(__file__).parent / "data"
SCALED = json.loads((DATA / "scaled_vectors.json").read_text("utf-8"))
PLAIN = json.loads((DATA / "default_vectors.json").read_text("utf-8"))["cases"]
CASES = SCALED["cases"]
ORIGINAL = "original_max_position_embeddings"

read = RopeConfig.from_pretrained_config


def by_name(case):
    return case["name"]


def older(rule):
    """The spelling of transformers 4: rope_scaling, type, base beside it."""
    rule = dict(rule)
    base, kind = rule.pop("rope_theta"), rule.pop("rope_type")
    kind = "su" if kind == "longrope" else kind
    return {"rope_theta": base, "rope_scaling": {"type": kind, **rule}}


SPELLINGS = {
    "older": older,
    "newer": lambda rule: {"rope_parameters": rule},
    "both": lambda rule: {**older(rule), "rope_parameters": rule},
    "two types": lambda rule: {"rope_parameters": {**rule, "type": rule["rope_type"]}},
    "per layer": lambda rule: {
        "rope_parameters": {"full_attention": rule, "sliding_attention": {}}
    },
}


def config_of(case, spelling):
    return {
        "head_dim": case["head_dim"],
        "max_position_embeddings": case["max_position_embeddings"],
        "partial_rotary_factor": None,
        **SPELLINGS[spelling](case["rope_parameters"]),
    }


# Vectors.


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_scaled_vectors(case, spelling):
    layer_type = "full_attention" if spelling == "per layer" else None
    config = read(config_of(case, spelling), layer_type)
    length = case["length"] or case["max_position_embeddings"]
    inv_freq, attention_factor = config.table(length)
    assert (config.head_dim, config.rotary_dim) == (
        case["head_dim"], case["rotary_dim"]
    )
    np.testing.assert_allclose(inv_freq, case["inv_freq"], rtol=1e-12)
    assert math.isclose(attention_factor, case["attention_factor"], rel_tol=1e-12)
    if "softmax_multiplier" in case:
        known = case["softmax_multiplier"]
        assert math.isclose(config.softmax_multiplier, known, rel_tol=1e-12)
    else:
        assert config.softmax_multiplier == 1.0


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_probes_of_the_scaled_tables(case):
    length = case["length"] or case["max_position_embeddings"]
    inv_freq, attention_factor = read(config_of(case, "newer")).table(length)
    for m, pair, cos, sin in case["probes"]:
        angle = angles(m, inv_freq)[pair]
        # Rates good to a few 2**-53, a million times over.
        assert abs(attention_factor * math.cos(angle) - cos) < 1e-9
        assert abs(attention_factor * math.sin(angle) - sin) < 1e-9


WITH_RAMP = [case for case in CASES if "correction_range" in case.get("details", {})]


@pytest.mark.parametrize("case", WITH_RAMP, ids=by_name)
def test_ramps_of_the_yarn_vectors(case):
    config = read(config_of(case, "newer"))
    found = config.scaling.correction_range(config.rotary_dim, config.base)
    np.testing.assert_allclose(found, case["details"]["correction_range"], rtol=1e-12)
    whole = dataclasses.replace(config.scaling, truncate=False)
    raw = whole.correction_range(config.rotary_dim, config.base)
    known = case["details"]["correction_dims_raw"]
    np.testing.assert_allclose(raw, known, rtol=1e-12)


def test_the_vectors_are_what_they_say():
    assert len({case["name"] for case in CASES}) == len(CASES) == 19
    # The float32 tables they were compared with are good to a few 2**-24.
    distance = "max_relative_difference_from_transformers_float32"
    assert all(case[distance] < 8 * 2.0**-24 for case in CASES)
    kinds = {case["rope_parameters"]["rope_type"] for case in CASES}
    # "linear" is a division; "ntk_alpha" has vectors of its own.
    assert kinds == set(METHODS) - {"default", "linear", "ntk_alpha"}


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: min(case["models"]))
def test_default_vectors(case):
    for head_dim in case["models"].values():
        share = case["rotary_dim"] / head_dim
        rule = {"rope_type": "default", "rope_theta": case["base"]}
        config = read(
            {"head_dim": head_dim, "partial_rotary_factor": share, "rope_scaling": rule}
        )
        table = config.table()
        np.testing.assert_allclose(table.inv_freq, case["inv_freq"], rtol=1e-12)
        assert (config.scaling, table.attention_factor) == (Default(), 1.0)


@pytest.mark.parametrize("case", SCALED["mrope"], ids=by_name)
def test_sections_for_pictures_leave_the_rates_alone(case):
    keys = ("rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved")
    rule = {"type": "mrope", "rope_type": "default", **{k: case[k] for k in keys}}
    config = read({"head_dim": case["head_dim"], "rope_parameters": rule})
    np.testing.assert_allclose(config.table().inv_freq, case["inv_freq"], rtol=1e-12)


def test_yarn_of_gpt_oss_depends_on_truncate():
    two = {c["name"]: c for c in CASES if c["name"].startswith("gpt_oss")}
    tables = [read(config_of(case, "older")).table().inv_freq for case in two.values()]
    assert len(tables) == 2
    assert np.abs(tables[0] / tables[1] - 1).max() > 0.05


# Configs as they are published, shortened to what bears on the rotation.

LLAMA31 = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "max_position_embeddings": 131072,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "rope_scaling": {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        ORIGINAL: 8192, "rope_type": "llama3",
    },
    "rope_theta": 500000.0,
    "vocab_size": 128256,
}
DEEPSEEK_YARN = {
    "beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707,
    "mscale_all_dim": 0.707, ORIGINAL: 4096, "type": "yarn",
}
DEEPSEEK_V2 = {
    "hidden_size": 5120, "num_attention_heads": 128, "model_type": "deepseek_v2",
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "max_position_embeddings": 163840, "rope_scaling": DEEPSEEK_YARN,
    "rope_theta": 10000,
}
GEMMA3_OLD = {
    "head_dim": 256, "hidden_size": 2560, "model_type": "gemma3_text",
    "rope_local_base_freq": 10000.0, "rope_theta": 1000000.0,
    "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
    "sliding_window": 1024, "sliding_window_pattern": 6,
}
GEMMA3_NEW = {
    "head_dim": 256,
    "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
    "rope_parameters": {
        "full_attention": {
            "rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0,
        },
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
}
GEMMA4 = {
    "head_dim": 256, "global_head_dim": 512, "model_type": "gemma4_text",
    "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
    "rope_parameters": {
        "full_attention": {
            "rope_type": "proportional", "partial_rotary_factor": 0.25,
            "rope_theta": 1000000.0,
        },
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
}
PHI3 = {
    "hidden_size": 96, "num_attention_heads": 1, "model_type": "phi3",
    "max_position_embeddings": 131072, ORIGINAL: 4096, "rope_theta": 10000.0,
    "rope_scaling": {"type": "su", "short_factor": [1.05] * 48,
                     "long_factor": [2.5] * 48},
}


def but(config, **changes):
    """The config with some keys changed, or left out where they are None."""
    changed = {**copy.deepcopy(config), **changes}
    return {k: v for k, v in changed.items() if k not in changes or v is not None}


def ruled(config, **changes):
    """The config with some keys of its rule changed, or left out."""
    place = "rope_scaling" if "rope_scaling" in config else "rope_parameters"
    return but(config, **{place: but(config[place], **changes)})


PUBLISHED = [
    ("Llama 3.1", LLAMA31, None,
     RopeConfig(128, 128, 5e5, Llama3(8, 1, 4, 8192))),
    ("Llama 4 Scout, text", but(
        ruled(LLAMA31, factor=16.0, high_freq_factor=1.0), head_dim=128,
        no_rope_layers=[], model_type="llama4_text"), None,
     RopeConfig(128, 128, 5e5, Llama3(16, 1, 1, 8192))),
    ("DeepSeek-V2", DEEPSEEK_V2, None,
     RopeConfig(64, 64, 1e4, YaRN(40, 4096, mscale=0.707, mscale_all_dim=0.707))),
    ("DeepSeek-V2 of transformers 5", but(
        DEEPSEEK_V2, head_dim=64, rope_scaling=None, rope_theta=None,
        rope_parameters={**DEEPSEEK_YARN, "rope_type": "yarn", "rope_theta": 10000}),
     None, RopeConfig(64, 64, 1e4, YaRN(40, 4096, mscale=0.707, mscale_all_dim=0.707))),
    ("DeepSeek-V3 in vLLM's spelling", ruled(
        DEEPSEEK_V2, type="deepseek_yarn", mscale=1.0, mscale_all_dim=1.0), None,
     RopeConfig(64, 64, 1e4, YaRN(40, 4096, mscale=1, mscale_all_dim=1))),
    ("report 85: Gemma 3, full", GEMMA3_OLD, "full_attention",
     RopeConfig(256, 256, 1e6, Linear(8))),
    ("report 85: Gemma 3, sliding", GEMMA3_OLD, "sliding_attention",
     RopeConfig(256, 256, 1e4)),
    ("report 85: nested, full", GEMMA3_NEW, "full_attention",
     RopeConfig(256, 256, 1e6, Linear(8))),
    ("report 85: nested, sliding", GEMMA3_NEW, "sliding_attention",
     RopeConfig(256, 256, 1e4)),
    ("Mistral 4: a part and a share", {
        "qk_rope_head_dim": 64, "qk_nope_head_dim": 64, "partial_rotary_factor": 0.5,
        "rope_theta": 1e4}, None, RopeConfig(64, 64, 1e4)),
    ("Gemma 3, nested, base beside it", but(
        GEMMA3_NEW, rope_theta=1000000.0, rope_local_base_freq=10000.0),
     "sliding_attention", RopeConfig(256, 256, 1e4)),
    ("Gemma 4, full", GEMMA4, "full_attention",
     RopeConfig(512, 512, 1e6, Proportional(0.25))),
    ("Gemma 4, sliding", GEMMA4, "sliding_attention", RopeConfig(256, 256, 1e4)),
    ("Gemma 4 of transformers 5, full", but(
        GEMMA4, global_head_dim=None, per_layer_config={"05": {"head_dim": 512}}),
     "full_attention", RopeConfig(512, 512, 1e6, Proportional(0.25))),
    ("Gemma 4 of transformers 5, sliding", but(
        GEMMA4, global_head_dim=None, per_layer_config={"05": {"head_dim": 512}}),
     "sliding_attention", RopeConfig(256, 256, 1e4)),
    ("ModernBERT, global", {
        "hidden_size": 768, "num_attention_heads": 12, "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3},
     "full_attention", RopeConfig(64, 64, 1.6e5)),
    ("ModernBERT, local", {
        "hidden_size": 768, "num_attention_heads": 12, "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3},
     "sliding_attention", RopeConfig(64, 64, 1e4)),
    ("ModernBERT, local, scaled", {
        "hidden_size": 768, "num_attention_heads": 12, "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 2}},
     "sliding_attention", RopeConfig(64, 64, 1e4, Linear(2))),
    ("DeepSeek-V4, main", {
        "head_dim": 512, "qk_rope_head_dim": 64, "rope_theta": 10000.0,
        "compress_rope_theta": 160000.0, "rope_scaling": {
            "type": "yarn", "factor": 16, ORIGINAL: 65536}},
     "main", RopeConfig(64, 64, 1e4)),
    ("DeepSeek-V4, compress", {
        "head_dim": 512, "qk_rope_head_dim": 64, "rope_theta": 10000.0,
        "partial_rotary_factor": 0.125, "compress_rope_theta": 160000.0,
        "rope_scaling": {"type": "yarn", "factor": 16, ORIGINAL: 65536}},
     "compress", RopeConfig(64, 64, 1.6e5, YaRN(16, 65536, attention_factor=1))),
    ("Phi-3 128k", PHI3, None, RopeConfig(
        96, 96, 1e4, LongRoPE([1.05] * 48, [2.5] * 48, 4096, factor=32))),
    ("Phi-3.5-MoE", ruled(
        PHI3, type="longrope", short_mscale=1.243163121016122,
        long_mscale=1.243163121016122), None, RopeConfig(
        96, 96, 1e4, LongRoPE([1.05] * 48, [2.5] * 48, 4096,
                              attention_factor=1.243163121016122))),
    ("Phi-3 4k", but(PHI3, rope_scaling=None), None, RopeConfig(96, 96, 1e4)),
    ("report 67: Phi-2", {
        "hidden_size": 2560, "num_attention_heads": 32, "model_type": "phi",
        "partial_rotary_factor": 0.4, "rope_theta": 10000.0, "rope_scaling": None},
     None, RopeConfig(80, 32, 1e4)),
    ("GPT-NeoX", {
        "hidden_size": 6144, "num_attention_heads": 64, "model_type": "gpt_neox",
        "rotary_emb_base": 10000, "rotary_pct": 0.25}, None, RopeConfig(96, 24, 1e4)),
    ("GPT-J, with a base", {
        "n_embd": 4096, "n_head": 16, "n_positions": 2048, "rotary": True,
        "rotary_dim": 64, "rope_theta": 10000.0, "model_type": "gptj"},
     None, RopeConfig(256, 64, 1e4)),
    ("MiniMax-M2", {
        "head_dim": 128, "rotary_dim": 64, "rope_theta": 5000000}, None,
     RopeConfig(128, 64, 5e6)),
    ("Moonshine: 0.9 of 36 is 32", {
        "head_dim": 36, "partial_rotary_factor": 0.9, "rope_theta": 10000.0,
        "model_type": "moonshine"}, None, RopeConfig(36, 32, 1e4)),
    ("JetMoE", {
        "kv_channels": 128, "hidden_size": 2048, "num_attention_heads": 32,
        "rope_theta": 10000.0}, None, RopeConfig(128, 128, 1e4)),
    ("HunYuan", {
        "head_dim": 128, "rope_theta": 10000.0, "max_position_embeddings": 32768,
        "rope_scaling": {
            "alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0,
            "mscale": 1.0, "mscale_all_dim": 1.0, "type": "dynamic"}}, None,
     RopeConfig(128, 128, 1e4, NTKAware(1000))),
    ("InternLM2", {
        "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000,
        "max_position_embeddings": 32768,
        "rope_scaling": {"type": "dynamic", "factor": 2.0}}, None,
     RopeConfig(128, 128, 1e6, DynamicNTK(2, 32768))),
    ("Yarn-Llama", {
        "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0,
        "rope_scaling": {"factor": 32.0, ORIGINAL: 4096, "type": "yarn",
                         "finetuned": True}}, None,
     RopeConfig(128, 128, 1e4, YaRN(32, 4096))),
    ("Ministral 3", {
        "head_dim": 128, "rope_parameters": {
            **but(DEEPSEEK_YARN, factor=16.0, mscale=1.0, mscale_all_dim=1.0),
            ORIGINAL: 16384, "rope_theta": 1000000.0, "llama_4_scaling_beta": 0.1,
            "max_position_embeddings": 262144}}, None,
     RopeConfig(128, 128, 1e6, YaRN(16, 16384, mscale=1, mscale_all_dim=1))),
    ("Qwen2-VL, text", {
        "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
        "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}, None,
     RopeConfig(128, 128, 1e6)),
    ("null everywhere", {
        "head_dim": None, "hidden_size": 512, "num_attention_heads": 8,
        "partial_rotary_factor": None, "rope_scaling": None, "rotary_dim": None,
        "rotary_emb_scale_base": None,
        "rope_parameters": {"rope_theta": 10000.0, "factor": None}}, None,
     RopeConfig(64, 64, 1e4)),
    ("no layout", {"head_dim": 64, "rope_theta": 1e4}, None, RopeConfig(64, 64, 1e4)),
    ("interleaved", {"head_dim": 64, "rope_theta": 1e4, "rope_interleave": True},
     None, RopeConfig(64, 64, 1e4, layout="interleaved")),
    ("half", {"head_dim": 64, "rope_theta": 1e4, "rotary_emb_interleaved": False},
     None, RopeConfig(64, 64, 1e4, layout="half")),
]


@pytest.mark.parametrize(
    "config, layer_type, expected",
    [p[1:] for p in PUBLISHED],
    ids=[p[0] for p in PUBLISHED],
)
def test_published_config(config, layer_type, expected):
    before = copy.deepcopy(config)
    assert read(config, layer_type) == expected
    assert config == before


def test_report_85_rates_of_gemma_3():
    full, sliding = (
        read(GEMMA3_NEW, kind) for kind in ("full_attention", "sliding_attention")
    )
    assert (full.base, full.table().inv_freq[0]) == (1e6, 0.125)
    assert (sliding.base, sliding.table().inv_freq[0]) == (1e4, 1.0)


def test_report_86_layer_types_are_independent():
    """A change in one rule must not reach the other."""
    changed = copy.deepcopy(GEMMA3_NEW)
    changed["rope_parameters"]["full_attention"]["rope_theta"] = 5e6
    sliding = [read(c, "sliding_attention") for c in (GEMMA3_NEW, changed)]
    assert sliding[0] == sliding[1]
    assert read(changed, "full_attention").base == 5e6


def test_report_82_the_rule_of_llama_3_is_used():
    scaled = read(LLAMA31).table().inv_freq
    ratio = inverse_frequencies(128, 5e5) / scaled
    assert (ratio[:29] == 1).all() and np.allclose(ratio[35:], 8, rtol=1e-15)
    assert ((ratio > 1) & (ratio < 7.999)).sum() == 6


def test_report_74_both_factors_of_deepseek():
    config = read(DEEPSEEK_V2)
    assert config.table().attention_factor == 1.0
    assert round(config.softmax_multiplier, 6) == 1.589626


def test_report_89_boundary_of_longrope():
    config = read(PHI3)
    rates = inverse_frequencies(96)
    for length, divisor in [(1, 1.05), (4096, 1.05), (4097, 2.5), (131072, 2.5)]:
        table = config.table(length)
        np.testing.assert_allclose(table.inv_freq, rates / divisor, rtol=1e-15)
        assert round(table.attention_factor, 10) == 1.1902380714


@pytest.mark.parametrize("length, base", [(2048, 1e4), (2049, 10009.920711785855)])
def test_boundary_of_dynamic_ntk(length, base):
    rule = {"type": "dynamic", "factor": 2.0}
    config = {"head_dim": 128, "rope_theta": 1e4, "max_position_embeddings": 2048}
    found = read({**config, "rope_scaling": rule}).table(length).inv_freq
    np.testing.assert_allclose(found, inverse_frequencies(128, base), rtol=1e-12)
    with pytest.raises(ValueError, match="length must be given"):
        read({**config, "rope_scaling": rule}).table()


def test_names_that_agree_do_no_harm():
    pair = {"hidden_size": 128, "n_embd": 128, "num_attention_heads": 2, "n_head": 2}
    told = {**but(HEAD, head_dim=None), **pair, "alibi": False,
            "position_embedding_type": "rope"}
    assert read(told) == read({**told, "head_dim": 64, "kv_channels": 64})
    assert read({**SHARE, "rotary_dim": 64, "rotary_pct": 0.25}) == read(SHARE)
    assert read(ruled(PHI3, factor=32.0)).scaling == read(PHI3).scaling
    # With an attention factor of its own, this one has no effect.
    read(ruled(PHI3, factor=4.0, attention_factor=1.2))


def test_modernbert_rotates_although_it_says_absolute():
    told = {"head_dim": 64, "global_rope_theta": 1.6e5, "local_rope_theta": 1e4,
            "position_embedding_type": "absolute"}
    assert read(told, "full_attention").base == 1.6e5


def test_one_rule_serves_every_type_of_layer():
    config = but(LLAMA31, layer_types=["full_attention"] * 2)
    assert read(config, "full_attention") == read(config) == read(LLAMA31)


def test_a_tuple_or_another_mapping_will_do():
    from types import MappingProxyType

    rule = MappingProxyType({**PHI3["rope_scaling"], "long_factor": (2.5,) * 48})
    assert read(MappingProxyType({**PHI3, "rope_scaling": rule})) == read(PHI3)


# What must not pass.

V, T = ValueError, TypeError
HEAD = {"head_dim": 64, "rope_theta": 1e4}
DYNAMIC = {**HEAD, "max_position_embeddings": 2048,
           "rope_scaling": {"type": "dynamic", "factor": 2.0}}
LINEAR = {**HEAD, "rope_scaling": {"type": "linear", "factor": 2.0}}
YARN = {**HEAD, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, ORIGINAL: 4096}}
SHARE = {"head_dim": 64, "rope_parameters": {
    "rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25}}

BAD = [
    # the container
    ("not a dict", [1], T, "config must be a dict"),
    ("JSON text", "{}", T, "config must be a dict.*'{}'"),
    ("no settings but a text_config", {"text_config": HEAD}, V, "text_config"),
    ("rope_scaling a list", {**HEAD, "rope_scaling": [8]}, T, "rope_scaling must be"),
    ("rope_parameters a number", {**HEAD, "rope_parameters": 8}, T,
     "rope_parameters must be a dict or null, got 8"),
    ("empty", {}, V, "rope_theta is missing"),
    # widths
    ("no head", {"rope_theta": 1e4}, V, "head_dim is missing.*hidden_size"),
    ("no heads", {"rope_theta": 1e4, "hidden_size": 64}, V, "64 and None"),
    ("uneven heads", {"rope_theta": 1e4, "hidden_size": 100, "num_attention_heads": 3},
     V, "100 is not a multiple of num_attention_heads = 3"),
    ("zero heads", {"rope_theta": 1e4, "hidden_size": 64, "num_attention_heads": 0},
     V, "num_attention_heads must be positive"),
    ("odd head", {"head_dim": 65, "rope_theta": 1e4}, V, "head_dim must be even.*65"),
    ("zero head", {"head_dim": 0, "rope_theta": 1e4}, V, "head_dim must be positive"),
    ("text head", {"head_dim": "64", "rope_theta": 1e4}, T, "head_dim.*'64'"),
    ("text head and a share", {**HEAD, "head_dim": "64", "rotary_pct": 0.5}, T,
     "head_dim must be an integer"),
    ("float head", {"head_dim": 64.0, "rope_theta": 1e4}, T, "head_dim.*integer"),
    ("odd share", {**HEAD, "partial_rotary_factor": 0.52}, V,
     r"partial_rotary_factor \* head_dim, 0.52 \* 64, must be even.*33"),
    ("share of zero", {**HEAD, "partial_rotary_factor": 0}, V, "above 0, got 0"),
    ("share in percent", {**HEAD, "rotary_pct": 25}, V, "at most 1.*25"),
    ("share a text", {**HEAD, "rotary_pct": "0.25"}, T, "partial_rotary_factor.*0.25"),
    ("share of nothing", {**HEAD, "partial_rotary_factor": 0.01}, V, "positive, got 0"),
    ("two shares", {**HEAD, "rotary_pct": 0.25, "partial_rotary_factor": 0.5}, V,
     "share is given twice: partial_rotary_factor = 0.5 and rotary_pct = 0.25"),
    ("share and width", {**HEAD, "rotary_dim": 32, "partial_rotary_factor": 0.25}, V,
     "width is given twice: rotary_dim = 32 and"),
    ("odd rotary_dim", {**HEAD, "rotary_dim": 31}, V, "rotary_dim must be even.*31"),
    ("report 118: wide rotary_dim", {**HEAD, "rotary_dim": 66}, V,
     "rotary_dim must be at most head_dim = 64, got 66"),
    ("share unsaid", {**HEAD, "model_type": "phi"}, V,
     "partial_rotary_factor is missing.*'phi'.*0.5"),
    ("share unsaid, text model", {**HEAD, "model_type": "qwen3_5_text"}, V, "0.25"),
    ("another width in some layers", {**HEAD, "per_layer_config": {
        "05": {"head_dim": 128}}}, V, "head_dim of layer 05 = 128 and head_dim = 64"),
    ("heads of two widths", {**GEMMA4, "per_layer_config": {5: {"head_dim": 1024}}},
     V, "head_dim for layer_type 'full_attention' is given twice"),
    # base
    ("no base", {"head_dim": 64}, V, "rope_theta is missing.*10000.0"),
    ("two bases", {**HEAD, "rope_parameters": {"rope_theta": 5e5}}, V,
     "the base is given twice: rope_theta = 10000.0 and.*500000.0"),
    ("two bases, old names", {**HEAD, "rotary_emb_base": 1e6}, V, "base is given twi"),
    ("base of no layer", {**GEMMA3_NEW, "rope_theta": 5e5}, V, "base is given twice"),
    ("base of one", {"head_dim": 64, "rope_theta": 1}, V, "rope_theta: base.*above 1"),
    ("base a text", {"head_dim": 64, "rope_theta": "1e4"}, T, "rope_theta: base.*1e4"),
    ("base of NaN", {"head_dim": 64, "rope_theta": math.nan}, V,
     "rope_theta: base must be finite.*nan"),
    ("base for each layer", {"head_dim": 64, "rope_theta": [1e4] * 2}, T,
     "rope_theta: base must be a number"),
    # type and keys
    ("unknown type", ruled(LINEAR, type="linaer"), V, "type must be.*'linaer'"),
    ("type a list", ruled(LINEAR, type=["linear"]), V, "type must be"),
    ("two types", ruled(LINEAR, rope_type="yarn"), V,
     "type of scaling is given twice: rope_type = 'yarn' and type = 'linear'"),
    ("no type", ruled(LINEAR, type=None), V, "rope_type is missing beside factor"),
    ("axial", ruled(LINEAR, type="axial"), V, "got 'axial'"),
    ("two factors", {**LINEAR, "rope_parameters": {"factor": 4.0}}, V,
     "factor is given twice: rope_scaling = 2.0 and rope_parameters = 4.0"),
    ("misspelt factor", ruled(LINEAR, factr=2.0), V, "'factr'.*nearest.*'factor'"),
    ("misspelt beta", ruled(YARN, beta_fats=32), V, "nearest.*'beta_fast'"),
    ("vLLM's attn_factor", ruled(YARN, attn_factor=1.0), V,
     "'attn_factor'.*nearest.*'attention_factor'"),
    ("key of another type", ruled(LINEAR, beta_fast=32), V,
     "'linear' has no key 'beta_fast'.*belongs to 'yarn'"),
    ("misspelt base", {**HEAD, "rope_thata": 1e4}, V, "'rope_thata'.*'rope_theta'"),
    ("misspelt share", {**HEAD, "partial_rotray_factor": 0.5}, V,
     "nearest known one is 'partial_rotary_factor'"),
    ("ChatGLM's rope_ratio", {**HEAD, "rope_ratio": 50}, V, "'rope_ratio' = 50"),
    ("xPos of nomic", {**HEAD, "rotary_emb_scale_base": 512}, V, "not known what"),
    # numbers of a rule
    ("no factor", ruled(LINEAR, factor=None), V, "factor is missing.*'linear'"),
    ("factor below one", ruled(LINEAR, factor=0.25), V, "'linear': factor.*at least"),
    ("factor a text", ruled(LINEAR, factor="2"), T, "factor must be a number, got '2'"),
    ("no factor, yarn", ruled(YARN, factor=None), V, "factor is missing.*'yarn'"),
    ("no original, yarn", ruled(YARN, **{ORIGINAL: None}), V,
     "original_max_position_embeddings is missing.*in tokens"),
    ("original of zero", ruled(YARN, **{ORIGINAL: 0}), V,
     "original_max_position_embeddings of the rule must be positive"),
    ("original a float", ruled(YARN, **{ORIGINAL: 4096.0}), T, "integer, got 4096.0"),
    ("two originals", {**YARN, ORIGINAL: 2048}, V, "original length is given twice"),
    ("report 79: swapped betas", ruled(YARN, beta_fast=1, beta_slow=32), V,
     "beta_fast must be at least beta_slow"),
    ("truncate a text", ruled(YARN, truncate="false"), T, "truncate.*'false'"),
    ("mscale alone", ruled(YARN, mscale=1.0), V, "mscale_all_dim = None"),
    ("ramp backwards", ruled(YARN, **{ORIGINAL: 4}), V, "ramp would run from"),
    ("no length, dynamic", but(DYNAMIC, max_position_embeddings=None), V,
     "original_max_position_embeddings is missing.*'dynamic'"),
    ("two lengths, dynamic", ruled(DYNAMIC, **{ORIGINAL: 1024}), V,
     "max_position_embeddings of the config = 2048 and.*1024"),
    ("length a text, dynamic", {**DYNAMIC, "max_position_embeddings": "2048"}, T,
     "max_position_embeddings must be an integer"),
    ("one pair, dynamic", {**DYNAMIC, "head_dim": 2}, V, "rotary_dim must be above 2"),
    ("alpha below one", ruled(DYNAMIC, alpha=0.5), V, "alpha must be at least 1"),
    ("no bands", ruled(LLAMA31, low_freq_factor=None), V,
     "low_freq_factor is missing.*'llama3'.*1 in Llama 3.1"),
    ("swapped bands", ruled(LLAMA31, low_freq_factor=4, high_freq_factor=1), V,
     "high_freq_factor must be at least low_freq_factor"),
    ("no long list", ruled(PHI3, long_factor=None), V, "long_factor is missing"),
    ("short list", ruled(PHI3, short_factor=[1.0] * 47), V,
     "short_factor must hold.*= 48, got 47"),
    ("long list too long", ruled(PHI3, long_factor=[1.0] * 96), V, "= 48, got 96"),
    ("a zero in the list", ruled(PHI3, long_factor=[0.0] * 48), V, r"long_factor\[0"),
    ("list a number", ruled(PHI3, long_factor=2.0), T, "long_factor must be a list"),
    ("no longest length", but(PHI3, max_position_embeddings=None), V,
     "'longrope': factor must be given"),
    ("shorter than the original", {**PHI3, "max_position_embeddings": 2048}, V,
     "max_position_embeddings = 2048 must be at least original_max.* = 4096"),
    ("two lengths, longrope", ruled(PHI3, factor=4.0), V,
     r"factor is given twice: factor = 4.0 and max_position_emb.* = 32\.0"),
    ("two mscales", ruled(PHI3, short_mscale=1.1, long_mscale=1.2), V,
     "attention factor is given twice"),
    ("no share, proportional", ruled(SHARE, partial_rotary_factor=None), V,
     "partial_rotary_factor is missing.*share of the pairs"),
    ("share above one, proportional", ruled(SHARE, partial_rotary_factor=1.5), V,
     "partial_rotary_factor must be at most 1"),
    ("two shares, proportional", {**SHARE, "partial_rotary_factor": 0.5}, V,
     "rotated share is given twice.*0.5.*of the rule = 0.25"),
    ("two shares, proportional, old name", {**SHARE, "rotary_pct": 0.5}, V,
     "rotated share is given twice: rotary_pct = 0.5"),
    ("a part, proportional", {**SHARE, "rotary_dim": 32}, V,
     "rotated width is given twice: rotary_dim = 32.*'proportional'.*64"),
    ("a part of its own, proportional", {**SHARE, "qk_rope_head_dim": 32}, V,
     "rotated width is given twice: qk_rope_head_dim = 32.*'proportional'.*64"),
    # what does not rotate
    ("ALiBi", {**HEAD, "alibi": True}, V, "alibi = True.*does not rotate"),
    ("ALiBi without a base", {"head_dim": 64, "alibi": True}, V, "does not rotate"),
    *((kind, {**HEAD, "position_embedding_type": kind}, V,
       f"position_embedding_type = '{kind}': this is no rotation")
      for kind in ("alibi", "absolute", "nope")),
    # two names of one thing
    ("two heads", {**HEAD, "kv_channels": 128}, V,
     "head_dim is given twice: head_dim = 64 and kv_channels = 128"),
    ("two heads, attention", {**HEAD, "attention_head_dim": 128}, V,
     "head_dim is given twice.*attention_head_dim = 128"),
    ("two hidden sizes", {**but(HEAD, head_dim=None), "hidden_size": 64, "n_embd": 128,
        "n_head": 2}, V, "hidden_size is given twice.*n_embd = 128"),
    ("two counts of heads", {**but(HEAD, head_dim=None), "hidden_size": 64,
        "num_attention_heads": 2, "n_head": 4}, V,
     "num_attention_heads is given twice.*n_head = 4"),
    ("length a text", {**HEAD, "max_position_embeddings": "4096"}, T,
     "max_position_embeddings must be an integer, got '4096'"),
    # layers
    ("mixed levels", ruled(GEMMA3_NEW, rope_theta=1e4), V,
     "mixes types of layers.*'rope_theta'"),
    ("layers a number", {**HEAD, "layer_types": 6}, T, "layer_types must be a list"),
    ("layers a list", {**HEAD, "per_layer_config": [5]}, T, "per_layer_config must be"),
    ("a layer without a number", {**HEAD, "per_layer_config": {"a": {}}}, V,
     "per_layer_config must have the numbers of layers as keys, got 'a'"),
    ("a layer of no keys", {**HEAD, "per_layer_config": {"0": 5}}, T,
     r"per_layer_config\['0'\] must be a dict, got 5"),
    # widths that no head has
    ("absurd head", {**HEAD, "head_dim": 10**400}, V, "head_dim must be at most 2.*20"),
    ("absurd head, part of it", {**HEAD, "head_dim": 10**400,
        "partial_rotary_factor": 0.5}, V, "head_dim must be at most 2.*20"),
    ("absurd hidden size", {**but(HEAD, head_dim=None), "hidden_size": 10**400,
        "num_attention_heads": 1}, V, "head_dim.*hidden_size.*must be at most 2.*20"),
    ("absurd rotary part", {**but(HEAD, head_dim=None), "qk_rope_head_dim": 10**400}, V,
     "qk_rope_head_dim must be at most 2.*20"),
    ("absurd length", ruled({**PHI3, "max_position_embeddings": 10**400}), V,
     r"max_position_embeddings must be at most 2\*\*53"),
    ("layout a text", {**HEAD, "rope_interleave": "no"}, T, "rope_interleave.*'no'"),
    ("two layouts", {**HEAD, "rope_interleave": True, "rotary_emb_interleaved": False},
     V, "layout is given twice"),
]


@pytest.mark.parametrize(
    "config, error, words", [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_config(config, error, words):
    nested = isinstance(config, dict) and "layer_types" in config
    with pytest.raises(error, match=words) as caught:
        read(config, "full_attention" if nested else None)
    assert caught.type is error


@pytest.mark.parametrize(
    "config, layer_type, words",
    [
        (GEMMA3_NEW, None, "'full_attention' or 'sliding_attention', got None"),
        (GEMMA3_OLD, None, "'full_attention' or 'sliding_attention', got None"),
        (GEMMA3_NEW, "chunked_attention", "got 'chunked_attention'"),
        (GEMMA3_NEW, ["full_attention"], r"got \['full_attention'\]"),
        (LLAMA31, "full_attention", "None, got 'full_attention'"),
        ({**HEAD, "layer_types": ["full_attention"]}, "sliding_attention",
         "None or 'full_attention'"),
        ({"head_dim": 64, "rope_parameters": {
            "full_attention": None, "sliding_attention": {"rope_theta": 1e4}}},
         "full_attention", "'sliding_attention'"),
    ],
)
def test_layer_type_has_to_be_one_of_the_config(config, layer_type, words):
    with pytest.raises(ValueError, match=f"layer_type must be .*{words}"):
        read(config, layer_type)


UNKNOWN = [
    ruled(LINEAR, factr=2.0),
    ruled(LINEAR, beta_fast=32),
    {**LINEAR, "rope_ratio": 1},
    {**LINEAR, "partial_rotray_factor": 1.0},
]


@pytest.mark.parametrize("config", UNKNOWN)
def test_not_strict_is_a_warning_at_the_callers_line(config):
    with pytest.raises(ValueError, match="strict=False makes this a warning"):
        read(config)
    with pytest.warns(UserWarning, match="nearest|belongs") as caught:
        assert read(config, strict=False) == read(LINEAR)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("config", [b[1] for b in BAD if b[0].startswith("two")])
def test_not_strict_lets_no_contradiction_pass(config):
    with warnings.catch_warnings(), pytest.raises(ValueError, match="twice"):
        warnings.simplefilter("ignore")
        read(config, strict=False)


@pytest.mark.parametrize("key", ACCEPTED)
def test_accepted_keys_change_nothing(key):
    """Beside the rule or in it, whatever the value."""
    beside = {**HEAD, key: 7}
    inside = {**HEAD, "rope_scaling": {"type": "default", key: 7}}
    assert read(beside) == read(inside) == read(HEAD)


@pytest.mark.parametrize("key", ["property", "dropout", "european", "theta", "rotated"])
def test_other_keys_are_no_business_of_ours(key):
    assert read({**HEAD, key: 7}) == read(HEAD)


@pytest.mark.parametrize("model_type", PARTIAL_BY_CLASS)
def test_a_share_that_the_class_would_add_has_to_be_written(model_type):
    config = {**HEAD, "model_type": model_type}
    with pytest.raises(ValueError, match=f"'{model_type}' rotates a part"):
        read(config)
    assert read({**config, "partial_rotary_factor": 1.0}).rotary_dim == 64


# The object itself.


@pytest.mark.parametrize(
    "bad, error, words",
    [
        ({"head_dim": 64.0}, TypeError, "head_dim must be an integer"),
        ({"rotary_dim": 31}, ValueError, "rotary_dim must be even"),
        ({"rotary_dim": 128}, ValueError, "at most head_dim = 64, got 128"),
        ({"rotary_dim": None}, TypeError, "rotary_dim.*None"),
        ({"base": 1.0}, ValueError, "base must be finite and above 1"),
        ({"layout": "neox"}, ValueError, "layout must be 'interleaved' or 'half'"),
        ({"scaling": "linear"}, TypeError, r"scaling.*Linear\(8\), got 'linear'"),
        ({"scaling": None}, TypeError, "scaling.*None"),
        ({"scaling": Linear}, TypeError, "scaling must be a method"),
        ({"scaling": Scaling()}, TypeError, "scaling must be a method"),
        ({"scaling": LongRoPE([1], [1], 8, 2)}, ValueError, "= 32, got 1"),
        ({"scaling": YaRN(2, 3)}, ValueError, "ramp would run"),
        ({"scaling": Proportional(0.01)}, ValueError, "none of the 32 pairs"),
    ],
)
def test_bad_settings(bad, error, words):
    good = {"head_dim": 64, "rotary_dim": 64, "base": 1e4}
    with pytest.raises(error, match=words):
        RopeConfig(**{**good, **bad})


def test_a_config_is_a_frozen_value():
    config = read(DEEPSEEK_V2)
    assert config == read(DEEPSEEK_V2) != read(LLAMA31)
    assert len({config, read(DEEPSEEK_V2)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.base = 5e5
    assert isinstance(config.base, float)


def test_reports_22_23_a_config_does_not_know_what_came_before():
    config = read(DYNAMIC)
    before = config.table(2500).inv_freq
    config.table(8000)
    np.testing.assert_array_equal(config.table(2500).inv_freq, before)
    unscaled = config.table(2048).inv_freq
    np.testing.assert_array_equal(unscaled, inverse_frequencies(64))


# transformers' own functions, where it is installed.

LLAMA_BASE = {"hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128}


def rule(kind, base=1e4, **keys):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": base, **keys}}


def yarn(factor, original=4096, base=1e4, **keys):
    keys = {"factor": factor, ORIGINAL: original, **keys}
    return {**LLAMA_BASE, **rule("yarn", base, **keys)}


def llama3(factor, head_dim=128, low=1.0, high=4.0):
    keys = {"low_freq_factor": low, "high_freq_factor": high, ORIGINAL: 8192}
    keys = {**rule("llama3", 5e5, factor=factor, **keys), "head_dim": head_dim}
    return {**LLAMA_BASE, "max_position_embeddings": 131072, **keys}


def longrope(**keys):
    lists = {"short_factor": [1.05] * 64, "long_factor": [2.5 + i for i in range(64)]}
    return {**LLAMA_BASE, **rule("longrope", **lists, **keys)}


WITH_DYNAMIC = {**LLAMA_BASE, "max_position_embeddings": 2048}
MSCALES = {"mscale": 0.707, "mscale_all_dim": 0.707}

# Class, what it is given, type of layer, length.
THEIRS = [
    ("Llama", {**LLAMA_BASE, **rule("default")}, None, 1),
    ("Llama", {**LLAMA_BASE, **rule("default", 5e5)}, None, 1),
    ("Llama", {**LLAMA_BASE, "head_dim": 64, **rule("default")}, None, 1),
    ("Llama", {**LLAMA_BASE, **rule("linear", factor=4.0)}, None, 1),
    ("Llama", {**LLAMA_BASE, **rule("linear", 1e6, factor=1.0)}, None, 1),
    ("Llama", {**WITH_DYNAMIC, **rule("dynamic", factor=2.0)}, None, 2048),
    ("Llama", {**WITH_DYNAMIC, **rule("dynamic", factor=2.0)}, None, 2049),
    ("Llama", {**WITH_DYNAMIC, **rule("dynamic", factor=4.0)}, None, 30000),
    ("Llama", yarn(4.0, 32768, 1e6), None, 1),
    ("Llama", yarn(32.0), None, 1),
    ("Llama", yarn(8.0, truncate=False), None, 1),
    ("Llama", yarn(8.0, beta_fast=64, beta_slow=2), None, 1),
    ("Llama", yarn(8.0, attention_factor=1.0), None, 1),
    ("Llama", yarn(40, **MSCALES), None, 1),
    ("Llama", llama3(8.0), None, 1),
    ("Llama", llama3(32.0, 64), None, 1),
    ("Llama", llama3(16.0, 128, 1.0, 1.0), None, 1),
    ("Llama", longrope(factor=32.0, **{ORIGINAL: 4096}), None, 4096),
    ("Llama", longrope(factor=32.0, **{ORIGINAL: 4096}), None, 4097),
    ("Llama", longrope(attention_factor=1.5, **{ORIGINAL: 4096}), None, 4097),
    ("GPTNeoX", {}, None, 1),
    ("Phi", {"hidden_size": 2560, "num_attention_heads": 32,
             "partial_rotary_factor": 0.4}, None, 1),
    ("StableLm", {}, None, 1),
    ("Falcon", {}, None, 1),
    ("GptOss", {}, None, 1),
    ("Ministral3", {}, None, 1),
    ("DeepseekV3", {}, None, 1),
    ("ModernBert", {}, "full_attention", 1),
    ("ModernBert", {}, "sliding_attention", 1),
    ("Gemma3Text", {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
     "full_attention", 1),
    ("Gemma3Text", {}, "sliding_attention", 1),
    ("Gemma4Text", {}, "full_attention", 1),
    ("Lfm3", {}, "full_attention", 1),
]


def their_config(name, given):
    transformers = pytest.importorskip("transformers")
    return getattr(transformers, f"{name}Config")(**copy.deepcopy(given))


def their_table(config, layer_type=None, length=1):
    import importlib

    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    ours = config.rope_parameters
    kind = (ours[layer_type] if layer_type else ours)["rope_type"]
    layer = {"layer_type": layer_type} if layer_type else {}
    if kind in ROPE_INIT_FUNCTIONS:
        return ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=length, **layer)
    module = type(config).__module__.replace(".configuration_", ".modeling_")
    room = vars(importlib.import_module(module))
    name = next(k for k in room if k.endswith("RotaryEmbedding") and "Vision" not in k)
    return room[name].compute_default_rope_parameters(config, **layer)


@pytest.mark.parametrize(
    "name, given, layer_type, length", THEIRS, ids=lambda v: v if type(v) is str else ""
)
def test_transformers_agrees(name, given, layer_type, length):
    theirs = their_config(name, given)
    inv_freq, attention_factor = their_table(theirs, layer_type, length)
    table = read(theirs.to_dict(), layer_type).table(length)
    # They compute in float32, some of it with a power and a blend.
    np.testing.assert_allclose(table.inv_freq, inv_freq.numpy(), rtol=8 * 2.0**-24)
    assert math.isclose(table.attention_factor, attention_factor, rel_tol=1e-12)


def test_there_are_25_configs_for_transformers():
    assert len(THEIRS) >= 25


@pytest.mark.parametrize("mscale", [0.707, 1.0])
def test_report_71_transformers_multiplies_the_scores_of_deepseek(mscale):
    given = yarn(40, mscale=mscale, mscale_all_dim=mscale)
    theirs = their_config("DeepseekV2", given)
    from transformers.models.deepseek_v2 import modeling_deepseek_v2 as room

    found = room.yarn_apply_mscale(theirs.rope_parameters, 1.0)
    ours = read(theirs.to_dict()).softmax_multiplier
    assert math.isclose(found, ours, rel_tol=1e-12)


def test_the_attention_of_ministral_3_leaves_the_multiplier_out():
    """The same keys, another attention: a config does not say which."""
    theirs = their_config("Ministral3", {})
    from transformers.models.ministral3.modeling_ministral3 import Ministral3Attention

    assert Ministral3Attention(theirs, 0).scaling == 128**-0.5
    assert round(read(theirs.to_dict()).softmax_multiplier, 4) == 1.6314


# Where transformers 5.24 is wrong. Each of these fails once it is mended.


def test_transformers_misses_truncate_in_a_layer():
    """It looks for the key beside the layers, not in the rule of the layer."""
    full = yarn(8.0, truncate=False)["rope_parameters"]
    nested = {"full_attention": full, "sliding_attention": {"rope_type": "default"}}
    given = {**GEMMA3_NEW, "head_dim": 128, "rope_parameters": nested}
    nested["sliding_attention"]["rope_theta"] = 1e4
    theirs = their_config("Gemma3Text", {**given, "num_hidden_layers": 6})
    found = their_table(theirs, "full_attention")[0].numpy()
    for truncate in (True, False):
        table = YaRN(8, 4096, truncate=truncate).table(128)
        same = np.allclose(table.inv_freq, found, rtol=1e-6)
        assert same is truncate
    ours = read(theirs.to_dict(), "full_attention").table().inv_freq
    np.testing.assert_array_equal(ours, table.inv_freq)


@pytest.mark.parametrize("given", [yarn(8.0), longrope(factor=2.0, **{ORIGINAL: 8})])
def test_transformers_stumbles_over_a_head_dim_of_null(given):
    """For two rules of five it multiplies None by the share."""
    theirs = their_config("Llama", given)
    theirs.head_dim = None
    with pytest.raises(TypeError, match="NoneType"):
        their_table(theirs)
    assert read(theirs.to_dict()).head_dim == 2048 // 16


def test_transformers_ignores_a_share_in_the_default_rule():
    """A Llama with a partial rotation: all is rotated, unless it is scaled."""
    given = {**LLAMA_BASE, **rule("default", partial_rotary_factor=0.5)}
    theirs = their_config("Llama", given)
    assert len(their_table(theirs)[0]) == 64
    assert read(theirs.to_dict()).rotary_dim == 64
    scaled = rule("linear", partial_rotary_factor=0.5, factor=1.0)
    theirs = their_config("Llama", {**LLAMA_BASE, **scaled})
    assert len(their_table(theirs)[0]) == 32 == read(theirs.to_dict()).rotary_dim // 2


def test_labels_are_unique():
    assert len({label for label, *_ in BAD}) == len(BAD) >= 60
