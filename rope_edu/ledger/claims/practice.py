"""Claims about code, models and papers."""

from __future__ import annotations

import numpy as np

from rope_edu.config import presets
from rope_edu.counting import elementwise, operations
from rope_edu.doctor.rounding import angles_of, rounded
from rope_edu.frequencies import inverse_frequencies
from rope_edu.linear import linear_weights, positive_features
from rope_edu.reference import rotate
from rope_edu.running import INV_FREQ, K, Q
from rope_edu.scaling import YaRN

from .core import Claim


def _projections():
    return np.random.default_rng(0).normal(size=(2, 8, 8))


def _before_projection():
    W_q, W_k = _projections()

    def score(m, n):
        return (W_q @ rotate(Q, m, INV_FREQ)) @ (W_k @ rotate(K, n, INV_FREQ))

    found = [score(*pair) for pair in ((3, 0), (10, 7), (100, 97))]
    assert np.ptp(found) > 1
    told = ", ".join(f"{s:.2f}" for s in found)
    return f"offset 3 at (3, 0), (10, 7) and (100, 97): {told}"


def _turned_values():
    weights = np.full(4, 0.25)
    v = np.random.default_rng(0).normal(size=(4, 8))
    here, there = (weights @ rotate(v, at + np.arange(4), INV_FREQ)
                   for at in (0, 100))
    change = np.linalg.norm(here - there)
    assert change > 0.1
    return (f"four turned values with equal weights, 100 tokens on: the"
            f" output moves by {change:.2f}, of length"
            f" {np.linalg.norm(here):.2f}")


def _whole_table():
    models = list(presets())[1:]
    makers = ("LLaMA", "Mistral", "Qwen", "Gemma", "Phi", "DeepSeek")
    assert all(any(name.startswith(m) for name in models) for m in makers)
    return (f"{len(models)} settings in the table of models, among them of"
            f" {', '.join(makers)}")


def _read(*names):
    models = presets()
    for name in names:
        assert (models[name].table(length=1).inv_freq > 0).all(), name
    return "; ".join(f"{name}: d = {models[name].rotary_dim}, base"
                     f" {models[name].base:,.0f}" for name in names)


def _llama():
    return _read("LLaMA 7B", "Llama 2 7B", "Llama 2 70B")


def _gpt_oss():
    model = presets()["gpt-oss 20B"]
    assert isinstance(model.scaling, YaRN)
    return (f"gpt-oss 20B: RoPE with base {model.base:,.0f} and YaRN, factor"
            f" {model.scaling.factor:.0f}")


def _four_families():
    return _read("Mistral 7B v0.1", "Falcon 7B", "Code Llama 7B",
                 "DeepSeek-V3")


def _operations():
    one = np.ones(64)
    _, tally = operations(lambda x: elementwise(one, one, x), np.ones(128))
    turned, added = sum(tally.values()) - tally["sign flips"], 128
    assert turned == 3 * added
    return (f"a head of 128: {turned} multiplications and additions for each"
            f" query and key, in every layer; a vector added at the input"
            f" takes {added}, once")


def _negative_weights():
    tokens = np.random.default_rng(0).normal(size=(2, 512, 64))
    a, b = (positive_features(x) for x in tokens)
    weights = linear_weights(a, b, inverse_frequencies(64))
    below = (weights[np.tri(512, dtype=bool)] < 0).mean()
    least = weights.sum(axis=1).min()
    assert below > 0 and least < 0.9
    return (f"512 tokens: {below:.1%} of the weights are negative, and rows"
            f" add up to as little as {least:.2f}")


def _coarse_positions():
    ids, rates = np.array([1000]), inverse_frequencies(128)
    exact = angles_of((), "float64", ids, rates)
    coarse = angles_of(("positions", "frequencies", "angles"), "bfloat16",
                       ids, rates)
    error = np.abs(coarse - exact).max()
    assert rounded([257.0], "bfloat16")[0] == 256 and error > 1
    return (f"bfloat16: position 257 becomes 256, and at 1000 an angle is off"
            f" by {error:.1f} rad")


CLAIMS = (
    Claim(
        "before-the-projection",
        "Rotated before the projection, scores lose the relative position.",
        ("A45",), "practice", "conditional",
        "True unless $W_q^\\top W_k$ commutes with the rotations, which"
        " trained weights have no reason to do.",
        _before_projection),
    Claim(
        "values-or-inputs",
        "RoPE may as well be applied to values, or before the projections.",
        ("mistake-20",), "practice", "false",
        "Before the projections scores are not relative. Turned values bring"
        " absolute positions into the output, unless it is turned back."
        " DeepSeek-V4, whose key is its value, does turn it back.",
        _turned_values),
    Claim(
        "in-every-layer",
        "RoPE acts in every layer, absolute encodings in the first one only.",
        ("A50",), "practice", "conditional",
        "The usual practice. FLOATER adds absolute vectors in every block, and"
        " some models have layers without any encoding.",
        cites=("liu2020floater", "kimi2025linear")),
    Claim(
        "strong-with-depth",
        "Applied in every layer, relative information stays strong however"
        " deep the model.",
        ("A51",), "practice", "unknown",
        "The ALiBi paper offers the same idea as a hypothesis. A measurement"
        " that separates it from the rest is not known to this book.",
        cites=("press2022alibi",)),
    Claim(
        "five-references",
        "The first text names five references for what it says.",
        ("A57",), "practice", "unknown",
        "The first is Su's post, and the derivation is there. The other four"
        " are named without an address and could not be checked.",
        cites=("su2021rope",)),
    Claim(
        "roformer-and-su",
        "RoPE comes from the paper RoFormer; Su Jianlin is among its authors"
        " and has derived it on his site.",
        ("B1", "B2"), "practice", "true",
        "The post of March 2021 is older than the paper.",
        cites=("su2024roformer", "su2021rope")),
    Claim(
        "the-standard",
        "RoPE has become the standard in large language models.",
        ("C16",), "practice", "conditional",
        "Of open models it is true. Many now mix it with layers that have no"
        " encoding.",
        _whole_table, cites=("gemma2025three", "deepseek2024v2",
                             "kimi2025linear")),
    Claim(
        "llama-uses-rope",
        "LLaMA and LLaMA 2 use RoPE.",
        ("C17",), "practice", "true",
        "LLaMA's paper says so in section 2.2, and their configs agree.",
        _llama, cites=("touvron2023llama", "touvron2023llama2")),
    Claim(
        "llama-paper-compares",
        "The LLaMA paper says that RoPE is better than absolute encodings,"
        " above all on long sequences.",
        ("C18",), "practice", "false",
        "It says that absolute embeddings were replaced by rotary ones at"
        " each layer, and compares nothing.",
        cites=("touvron2023llama",)),
    Claim(
        "gpt-4-uses-rope",
        "GPT-3.5 and GPT-4 use an encoding like RoPE.",
        ("C19",), "practice", "unknown",
        "Their architecture has not been published. An open model of the"
        " same makers does use RoPE.",
        _gpt_oss),
    Claim(
        "four-families",
        "Mistral, Falcon, Code Llama and DeepSeek use RoPE.",
        ("C20",), "practice", "true",
        "The configs of these models say so. Falcon's has a switch to ALiBi.",
        _four_families, cites=("jiang2023mistral", "roziere2023codellama",
                               "deepseek2024v2")),
    Claim(
        "as-cheap-as-absolute",
        "RoPE is simple, and costs about as much as an absolute encoding.",
        ("C24",), "practice", "conditional",
        "Next to the attention it is cheap: about 2 % slower than sinusoids,"
        " once optimized. But it is paid in every layer.",
        _operations, ("rotation-work",), ("press2022alibi",)),
    Claim(
        "linear-attention-weights",
        "In linear attention with RoPE the weights are still probabilities.",
        ("mistake-21",), "practice", "false",
        "Turned features may be negative, and so may weights. RoFormer leaves"
        " the denominator unturned, so that it is positive, and the weights"
        " need not add up to 1.",
        _negative_weights, ("linear-state",), ("su2024roformer",)),
    Claim(
        "bfloat16-will-do",
        "RoPE works well in bfloat16.",
        ("mistake-22",), "practice", "conditional",
        "If positions and angles are in float32 at least, queries and keys may"
        " be in bfloat16, and often are. bfloat16 holds whole numbers exactly"
        " up to 256.",
        _coarse_positions, cites=("wang2025precision",)),
)
