"""Claims about long context: what breaks, and what mends it."""

from __future__ import annotations

import numpy as np

from rope_edu.arcs import seen_share
from rope_edu.config import presets
from rope_edu.frequencies import angles, inverse_frequencies
from rope_edu.measures import first_negative, mean_cosine, neighbor_step
from rope_edu.memory import KVCACHES
from rope_edu.reference import rotate
from rope_edu.scaling import (
    DynamicNTK,
    Linear,
    NTKAware,
    NTKByParts,
    YaRN,
)

from .core import Claim

# A head of Llama 2: width, base and trained length.
HEAD, BASE, LENGTH = 128, 10_000.0, 4096
RATES = inverse_frequencies(HEAD, BASE)


def _new_angles():
    rates = presets()["LLaMA 7B"].table().inv_freq
    unfinished = int((seen_share(rates, 2048) < 1).sum())
    assert 0 < unfinished < len(rates)
    return (f"LLaMA 7B: at offset 2048, {unfinished} of {len(rates)} pairs"
            " stand at an angle that no trained offset had")


def _unfinished():
    share = seen_share(RATES, LENGTH)
    assert (share < 1).sum() == 18
    return (f"Llama 2: {(share < 1).sum()} of {len(RATES)} pairs do not come"
            f" round in {LENGTH} tokens; the slowest has seen {share[-1]:.0%}"
            " of its circle")


def _yarn():
    table = YaRN(16, LENGTH).table(HEAD, BASE)
    slower = RATES / table.inv_freq
    assert np.isclose(slower[0], 1) and np.isclose(slower[-1], 16)
    assert table.attention_factor > 1
    return (f"factor 16: fastest pair / {slower[0]:.0f}, slowest /"
            f" {slower[-1]:.0f}, scores times"
            f" {table.attention_factor**2:.2f}")


def _squeezed():
    x, m = np.random.default_rng(0).normal(size=HEAD), 1000
    slower = Linear(8).table(HEAD, BASE).inv_freq
    gap = np.abs(rotate(x, m / 8, RATES) - rotate(x, m, slower)).max()
    assert gap < 1e-12
    return "positions divided by 8, or rates divided by 8: error below 1e-12"


def _cache():
    cache = KVCACHES["Llama 3.1 8B"]
    sizes = [cache.bytes(n) / 2**30 for n in (8192, 131_072)]
    window = KVCACHES["Mistral 7B v0.1"].bytes(131_072) / 2**30
    assert np.isclose(sizes[1], 16 * sizes[0]) and window < 1
    return (f"KV cache of Llama 3.1 8B: {sizes[0]:.0f} GiB at 8192 tokens,"
            f" {sizes[1]:.0f} GiB at 131072; with a window of 4096 in each"
            f" layer {window:.1f} GiB, at any rates")


def _static():
    depends = {method.__name__: method.depends_on_length
               for method in (YaRN, NTKAware, DynamicNTK)}
    assert not depends["YaRN"] and depends["DynamicNTK"]
    below = [first_negative(inverse_frequencies(HEAD, base), 32_768)
             for base in (1e4, 5e5)]
    assert below[1] > 2 * below[0]
    return (f"first offset with a negative mean cosine: {below[0]:,} for base"
            f" 10,000, {below[1]:,} for 500,000; YaRN's rates depend on the"
            f" length: {depends['YaRN']}")


def _bases_in_use():
    models = list(presets().values())[1:]
    usual = sum(model.base == 10_000 for model in models)
    assert 0.2 < usual / len(models) < 0.8
    return (f"{usual} of {len(models)} settings of models have 10,000; the"
            f" largest base is {max(model.base for model in models):,.0f}")


def _beyond_the_bound():
    # All |h_i| = 1, with the arguments that put the peak halfway.
    told = []
    for width in (8, 32, 128):
        rates = inverse_frequencies(width, BASE)
        at_0, half, at_1 = (np.exp(1j * (s - 0.5) * rates).sum().real
                            for s in (0, 0.5, 1))
        strays, bound = half - (at_0 + at_1) / 2, width / (32 * np.log(BASE))
        assert strays > bound
        told.append(f"{strays / bound:.2f}")
    return ("distance from the straight line, by the printed bound: "
            f"{', '.join(told)} times at d = 8, 32, 128")


def _no_threshold():
    found = {base: first_negative(inverse_frequencies(HEAD, base), LENGTH)
             for base in (26_955, 27_000, 58_789)}
    assert found[26_955] is None and None not in (found[27_000],
                                                  found[58_789])
    told = ", ".join(f"{base:,}: {at}" for base, at in found.items())
    return f"first negative mean cosine within 4096 tokens, by base: {told}"


def _two_ramps():
    paper = NTKByParts(16, LENGTH).table(HEAD, BASE).inv_freq
    code = YaRN(16, LENGTH).table(HEAD, BASE).inv_freq
    faster = code / paper
    assert faster.max() > 3
    return (f"Llama 2, factor 16: pair {faster.argmax()} turns"
            f" {faster.max():.2f} times as fast in the code as in the paper")


def _squared():
    a = [YaRN(s, LENGTH).table(HEAD, BASE).attention_factor for s in (4, 32)]
    assert np.allclose(a, 0.1 * np.log([4, 32]) + 1)
    return (f"factor 32: q and k times {a[1]:.3f} each, their score times"
            f" {a[1] ** 2:.3f}")


def _stale_keys():
    scaling, m, n = DynamicNTK(8, LENGTH), 8191, 4000
    now, then = (scaling.table(HEAD, BASE, length=length).inv_freq
                 for length in (8192, 4001))
    right = mean_cosine(m - n, now)
    mixed = np.cos(angles(m, now) - angles(n, then)).mean()
    assert abs(right - mixed) > 0.1
    return (f"mean cosine, {m - n} tokens back: {right:.2f} with one set of"
            f" rates, {mixed:.2f} with the key rotated when it came")


def _steps():
    step = {name: neighbor_step(method.table(HEAD, BASE).inv_freq)
            for name, method in (("none", Linear(1)), ("NTK", NTKAware(8)),
                                 ("PI", Linear(8)))}
    assert step["PI"] < step["none"] / 7 < step["NTK"]
    told = ", ".join(f"{name} {size:.3f}" for name, size in step.items())
    return f"how far a unit vector moves in one token, factor 8: {told}"


CLAIMS = (
    Claim(
        "extrapolates-better",
        "RoPE extrapolates better than absolute encodings, and generalizes to"
        " longer inputs to some extent.",
        ("C1", "C23"), "length", "imprecise",
        "A little: trained on 512 or 1024 tokens, it gained 200 or 100 more,"
        " where sinusoids gained 20 or 50 and T5's bias 600 or 800. On longer"
        " reasoning tasks it was about equal to an absolute encoding.",
        cites=("press2022alibi", "kazemnejad2023nope")),
    Claim(
        "position-l-is-handled",
        "Trained on positions 0 to $L-1$, a model with RoPE handles position"
        " $L$ normally.",
        ("C12",), "length", "imprecise",
        "At $L$ itself nothing has a step: the angles are new by a fraction of"
        " a degree only. Further on they stray, and LLaMA 7B has perplexity"
        " 7.20 at its 2048 tokens and above 1000 at 4096.",
        _new_angles, cites=("chen2023pi",)),
    Claim(
        "relative-hence-extrapolates",
        "RoPE extrapolates because it is relative: only known offsets occur at"
        " new positions.",
        ("C13", "mistake-10"), "length", "false",
        "A longer text has longer offsets, and these are as new as its"
        " positions. At them the slow pairs leave the arc that training has"
        " shown.",
        _unfinished, cites=("chen2023pi",)),
    Claim(
        "extrapolation-is-limited",
        "RoPE alone does not solve long sequences: a model trained on 2K is"
        " worse on 8K or 10K.",
        ("C14", "C26"), "length", "true",
        "Rather too mild: published models without a repair are lost at twice"
        " their length already.",
        cites=("chen2023pi", "press2022alibi")),
    Claim(
        "yarn-rescales",
        "YaRN improves extrapolation by rescaling the frequencies.",
        ("C15",), "length", "true",
        "Slow pairs are slowed down, fast ones stay. It also multiplies the"
        " scores, its temperature.",
        _yarn, ("ramp-index", "temperature"), ("peng2024yarn",)),
    Claim(
        "interpolation-scales-positions",
        "Position interpolation scales the positions to fit longer"
        " sequences.",
        ("C33",), "length", "true",
        "Which is the same as slowing down all pairs alike.",
        _squeezed, ("squeezed-score",), ("chen2023pi",)),
    Claim(
        "gains-on-long-tasks",
        "On short tasks RoPE and absolute encodings are similar; RoPE wins on"
        " long ones.",
        ("C27",), "length", "imprecise",
        "The evidence in RoFormer is thin: in its Table 5, 68.29 against 68.10"
        " at 512 tokens, and 69.79 at 1024, where no absolute encoding was"
        " tried. Its Table 2 compares validation results with test results.",
        cites=("su2024roformer", "devlin2019bert")),
    Claim(
        "windows-and-caches",
        "RoPE does not give a model long context; that also takes sliding"
        " windows, sparse attention and work on the KV cache.",
        ("C28",), "length", "imprecise",
        "It does not, but these lower the cost and give no ability. What is"
        " left out is training on long texts.",
        _cache, cites=("xiong2024abf",)),
    Claim(
        "base-matters-yarn-is-dynamic",
        "The choice of the base affects extrapolation; YaRN adjusts the"
        " frequencies dynamically.",
        ("C29",), "length", "imprecise",
        "The base does matter. YaRN's rates are fixed for a factor; that they"
        " follow the length of the text is an option, which its authors call"
        " dynamic scaling.",
        _static, cites=("peng2024yarn",)),
    Claim(
        "base-is-usually-ten-thousand",
        "The base is usually 10000.",
        ("C30",), "length", "imprecise",
        "It was. Since 2023 many models, above all those for long texts, have"
        " larger ones.",
        _bases_in_use, ("implied-factor",), ("xiong2024abf",)),
    Claim(
        "interpolation-theorem",
        "The theorem of position interpolation, with its factor of 600, is"
        " rigorous.",
        ("mistake-11",), "length", "false",
        "An inequality in its proof is the wrong way round, and the printed"
        " bound is exceeded. The 600 compares it with a loose bound for"
        " extrapolation.",
        _beyond_the_bound, ("squared-rates",), ("chen2023pi",)),
    Claim(
        "larger-is-better",
        "A larger base is always better, and there is a least base for each"
        " length.",
        ("mistake-12",), "length", "false",
        "Passing and failing bases alternate over a wide range, so the least"
        " base that passes is no threshold. And slower dials tell neighbors"
        " apart less well.",
        _no_threshold, cites=("xu2024base", "su2024base")),
    Claim(
        "the-ramp-as-printed",
        "Models run the ramp of YaRN as the paper prints it.",
        ("mistake-18",), "length", "false",
        "The paper's ramp is linear in the number of turns, that of the code"
        " in the index of the pair.",
        _two_ramps, ("by-parts", "ramp-index"), ("peng2024yarn",)),
    Claim(
        "yarns-temperature",
        "YaRN multiplies the scores by $0.1\\ln s + 1$.",
        ("mistake-19",), "length", "false",
        "Cosine and sine are multiplied by it, for queries and for keys, so"
        " the score gets its square.",
        _squared, ("temperature",), ("peng2024yarn",)),
    Claim(
        "cached-keys-survive",
        "Keys in the cache stay valid when dynamic scaling changes the base.",
        ("mistake-23",), "length", "false",
        "They were rotated with the old rates, and then the score depends on"
        " more than the offset. The cache has to hold keys before their"
        " rotation.",
        _stale_keys, ("mixed-rates",), ("peng2024yarn",)),
    Claim(
        "interpolation-keeps-near-and-far",
        "Position interpolation keeps the resolution between neighbors.",
        ("mistake-27",), "length", "false",
        "It divides every step by the factor. A new base slows the fast dials"
        " hardly at all.",
        _steps, ("neighbor-step",), ("peng2024yarn",)),
)
