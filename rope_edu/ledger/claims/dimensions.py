"""Claims about pairs, layouts and rates: from two dimensions to a head."""

from __future__ import annotations

import numpy as np

from rope_edu import rosetta
from rope_edu.config import presets
from rope_edu.counting import dense, elementwise, operations
from rope_edu.frequencies import angles, inverse_frequencies, wavelengths
from rope_edu.layouts import interleaved_to_half, pair_indices
from rope_edu.measures import mean_cosine
from rope_edu.reference import rotate, rotation_matrix, score
from rope_edu.running import INV_FREQ, K, Q
from rope_edu.scaling import Proportional
from rope_edu.spatial import (
    commuting_generators,
    noncommuting_generators,
    relative_gap,
)

from .core import Claim


def _listed(numbers, form=".3g"):
    return ", ".join(f"{number:{form}}" for number in numbers)


def _askew_planes():
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.normal(size=(8, 8)))

    def at(m, n):
        left, right = (rotate(basis.T @ v, p, INV_FREQ)
                       for v, p in ((Q, m), (K, n)))
        return left @ right

    assert np.isclose(at(10, 7), at(100, 97), rtol=0, atol=1e-12)
    assert abs(at(10, 7) - score(Q, K, 10, 7, INV_FREQ)) > 0.1
    return "planes askew to the channels: relative as well, another score"


def _same_width():
    pairs = list(zip(*(index.tolist() for index
                       in pair_indices(8, "interleaved"))))
    turned = rotate(Q, 3, INV_FREQ)
    assert turned.shape == Q.shape and pairs[3] == (6, 7)
    assert np.array_equal(rotate(turned, -3, INV_FREQ).round(12), Q)
    return f"pairs {str(pairs)[1:-1]}: {len(Q)} numbers in, {len(turned)} out"


def _one_channel():
    flip = np.array([[-1.0]])  # beside 1, all that keeps a length
    scores = [np.linalg.matrix_power(flip, r).item() for r in range(4)]
    turned = rotate([[1.0, 0.0], [1.0, 1.0]], 1, [0.5])[:, 0]
    assert abs(np.diff(turned)[0]) > 0.4 and scores[0] == scores[2]
    return (f"one number, offsets 0 to 3: scores {_listed(scores)}; in a turn"
            f" of (1, y) the first number is {turned[0]:.2f} for y = 0 and"
            f" {turned[1]:.2f} for y = 1")


def _rates():
    assert np.allclose(INV_FREQ, inverse_frequencies(8))
    assert np.allclose(INV_FREQ, [1, 0.1, 0.01, 0.001])
    return f"d = 8: {_listed(INV_FREQ)} rad per token, one for each pair"


def _wrong_exponents():
    right, i = inverse_frequencies(8), np.arange(4)
    without_two = 10_000.0 ** (-i / 8)
    wide = inverse_frequencies(4096)[63]
    assert not np.isclose(right, without_two).any(where=i > 0)
    assert wide > 1000 * inverse_frequencies(128)[63]
    return (f"-2i/8: {_listed(right)}; -i/8: {_listed(without_two)}; the last"
            f" of a head's 64 pairs with d = 4096: {wide:.2f}")


def _rate_and_angle():
    angle = angles(3, INV_FREQ)
    assert np.allclose(angle, 3 * INV_FREQ) and (angle > INV_FREQ).all()
    return (f"rates {_listed(INV_FREQ)} rad per token; angles at position 3:"
            f" {_listed(angle)} rad")


def _radians_or_turns():
    angle = angles(128_000, [1e-4])[0]
    turns = angle / (2 * np.pi)
    assert np.isclose(angle, 12.8) and np.isclose(turns, 2.04, atol=0.01)
    return (f"1e-4 rad per token over 128,000 tokens: {angle:.1f} rad, which"
            f" are {turns:.2f} turns")


def _set_of_angles():
    ids = np.arange(1000)
    seen = np.unique(angles(ids, INV_FREQ).round(9), axis=0)
    assert len(seen) == len(ids)
    return f"position 3: {_listed(angles(3, INV_FREQ))} rad"


def _fine_and_coarse():
    near, far = (2 * np.abs(np.sin(angles(m, INV_FREQ[[0, 3]]) / 2))
                 for m in (1, 1000))
    assert near[0] > 0.9 and near[1] < 0.01 and far[1] > 0.9
    return (f"1 token moves the hand of dial 0 by {near[0]:.2f} and that of"
            f" dial 3 by {near[1]:.3f}; 1000 tokens move dial 3 by"
            f" {far[1]:.2f}, while dial 0 has made"
            f" {1000 / wavelengths(INV_FREQ)[0]:.0f} turns")


def _layouts_in_use():
    codes = rosetta.CONVENTIONS.values()
    half = sum(code.reads == "half" for code in codes)
    for layout in ("interleaved", "half"):
        found = score(Q, K, [10, 100], [7, 97], INV_FREQ, layout)
        assert np.isclose(*found, rtol=0, atol=1e-12)
    assert 0 < half < len(codes)
    return (f"of {len(codes)} codes, {len(codes) - half} read neighbors and"
            f" {half} read halves; both give relative scores")


def _layouts_mixed():
    right = score(Q, K, 10, 7, INV_FREQ)
    moved = interleaved_to_half(Q), interleaved_to_half(K)
    carried = score(*moved, 10, 7, INV_FREQ, "half")
    mixed = score(Q, K, 10, 7, INV_FREQ, "half")
    assert np.isclose(right, carried) and abs(right - mixed) > 0.1
    return (f"interleaved {right:.3f}, half-split with moved channels"
            f" {carried:.3f}, without {mixed:.3f}")


def _head_widths():
    models = list(presets().values())[1:]
    heads = sorted({model.head_dim for model in models})
    turned = sorted({model.rotary_dim for model in models})
    assert heads[-1] < 4096 and turned[0] < heads[0]
    return (f"{len(models)} settings of models: heads of {heads[0]} to"
            f" {heads[-1]}, of which {turned[0]} to {turned[-1]} turn")


def _cost():
    one = np.ones(64)
    count = [operations(lambda x, form=form: form(one, one, x), np.ones(128))
             for form in (dense, elementwise)]
    (slow, many), (fast, few) = count
    assert np.allclose(slow, fast)
    assert many["multiplications"] == 64 * few["multiplications"]
    return (f"d = 128: {many['multiplications']} multiplications by the"
            f" matrix, {few['multiplications']} entry by entry")


def _not_kronecker():
    cos = np.repeat(np.cos(3 * INV_FREQ), 2)
    there, back = rotate(Q, 3, INV_FREQ), rotate(Q, -3, INV_FREQ)
    assert np.allclose(Q * cos, (there + back) / 2, rtol=0, atol=1e-12)
    return (f"entry by entry {(Q * cos).size} numbers, the cosine part of the"
            f" turned query; as a Kronecker product {np.kron(Q, cos).size}")


def _slips_of_sign():
    pairs = np.array([10, 100]), np.array([7, 97])

    def scores(q_sign, k_sign):
        return np.sum(rotate(Q, q_sign * pairs[0], INV_FREQ)
                      * rotate(K, k_sign * pairs[1], INV_FREQ), axis=1)

    right, both, one = scores(1, 1), scores(-1, -1), scores(1, -1)
    assert np.ptp(right) < 1e-12 and np.ptp(both) < 1e-12 < np.ptp(one)
    assert abs(right - both)[0] > 0.1
    return (f"(10, 7) and (100, 97): right {_listed(right)}; both the other"
            f" way {_listed(both)}; the key alone {_listed(one)}")


def _odd_rotation():
    rng = np.random.default_rng(0)
    for width in (5, 6):
        matrix, _ = np.linalg.qr(rng.normal(size=(width, width)))
        values = np.linalg.eigvals(matrix)
        assert np.allclose(np.abs(values), 1)
        real = int(np.isclose(values.imag, 0).sum())
        assert real % 2 == width % 2
        if width == 5:
            told = real
    return (f"a random orthogonal matrix, 5 by 5: {(5 - told) // 2} planes"
            f" and {told} real eigenvalue")


def _bases():
    bases = sorted({model.base for model in presets().values()})
    assert len(bases) > 5
    return (f"{len(bases)} bases in the table of models, from"
            f" {bases[0]:,.0f} to {bases[-1]:,.0f}")


def _one_rate():
    m = np.arange(1, 200_001)
    away = np.abs(np.angle(np.exp(1j * m)))
    assert 0 < away.min() < 1e-4
    return (f"closest return within 200,000 tokens: {m[away.argmin()]:,},"
            f" {away.min():.1e} rad away")


def _several_rates():
    m = np.arange(20_000, 60_000)
    most = {d: mean_cosine(m, inverse_frequencies(d)).max()
            for d in (8, 128)}
    assert most[8] > 0.99 and most[128] < 0.5
    told = ", ".join(f"{best:.3f} with {d // 2} dials"
                     for d, best in most.items())
    return f"largest mean cosine from 20,000 to 60,000 tokens: {told}"


def _near_returns():
    away = [abs(np.angle(np.exp(1j * m))) for m in (44, 710, 103_993)]
    assert 0 < away[2] < away[1] < away[0] < 0.02
    return f"1 rad each: after 44, 710, 103993: {_listed(away, '.1e')} rad"


def _longest():
    longest = [wavelengths(inverse_frequencies(d))[-1] for d in (64, 128)]
    rounded = 2 * np.pi * 10_000
    assert max(longest) < 0.9 * rounded
    return (f"d = 64: {longest[0]:,.0f}, d = 128: {longest[1]:,.0f}; 2 pi b ="
            f" {rounded:,.0f}")


def _two_quarters():
    told = []
    for head in (128, 512):
        partial = inverse_frequencies(head // 4, 1e6)
        whole = Proportional(0.25).table(head, 1e6).inv_freq
        slow, fast = (wavelengths(rates)[-1]
                      for rates in (partial, whole[whole > 0]))
        assert slow > 1000 * fast
        told.append(f"head {head}: {slow:.3g} and {fast:.0f} tokens")
    return "slowest dial at base 1e6, " + "; ".join(told)


def _generators():
    wild, tame = ([relative_gap((1, 2), (4, 3), make(4, seed))
                   for seed in range(20)]
                  for make in (noncommuting_generators, commuting_generators))
    assert min(wild) > 0.01 and max(tame) < 1e-12
    return (f"20 random pairs: error {min(wild):.1f} to {max(wild):.1f} of at"
            " most 2; 20 that commute: below 1e-12")


CLAIMS = (
    Claim(
        "inner-products-add",
        "The inner product is additive: that of two long vectors is the sum"
        " over their pairs.",
        ("A54",), "dimensions", "true",
        "It is a sum over the coordinates, in any grouping.",
        equations=("additive",)),
    Claim(
        "pairs-put-together",
        "Since the inner product is additive, RoPE in any even dimension is"
        " the two-dimensional one put together.",
        ("A35",), "dimensions", "conditional",
        "It is one way, in even dimensions. Planes that lie askew to the"
        " channels do as well; the projections absorb the difference.",
        _askew_planes, ("block-diagonal", "change-of-basis")),
    Claim(
        "one-block-at-many-rates",
        "RoPE repeats one two-dimensional rotation at many rates and puts the"
        " turned pairs side by side.",
        ("B53", "B60"), "dimensions", "true",
        "These are the blocks on the diagonal of $R_m$.",
        equations=("block-diagonal", "pair-form")),
    Claim(
        "groups-not-new-numbers",
        "With $d=8$ there are four groups of two coordinates; the vector keeps"
        " its eight numbers.",
        ("B49", "B50"), "dimensions", "true",
        "A group is a way of looking at coordinates that are there anyway.",
        _same_width),
    Claim(
        "two-coordinates-for-a-turn",
        "A rotation needs two coordinates: both new ones depend on both old"
        " ones.",
        ("B51",), "dimensions", "true",
        "What keeps the length of a single number is 1 or -1, and their"
        " powers tell at most odd from even positions.",
        _one_channel),
    Claim(
        "pair-formulas",
        "Pair $i$ becomes $(q_{2i}\\cos m\\theta_i - q_{2i+1}\\sin m\\theta_i,"
        "\\; q_{2i}\\sin m\\theta_i + q_{2i+1}\\cos m\\theta_i)$, and the same"
        " for keys.",
        ("B46", "C8", "C9"), "dimensions", "true",
        "This is the rotation of one pair, written out for the interleaved"
        " layout.",
        equations=("pair-form",)),
    Claim(
        "rates-of-the-pairs",
        "$\\theta_i=10000^{-2i/d}$, one rate for both numbers of a pair: 1,"
        " 0.1, 0.01 and 0.001 for $d=8$.",
        ("B15", "B45", "B52"), "dimensions", "true",
        "Here $i$ counts pairs from 0 and $d$ is the rotated width of one"
        " head.",
        _rates, ("inverse-frequency",), ("su2024roformer",)),
    Claim(
        "rate-without-the-two",
        "The rates are $10000^{-i/d}$ for pair $i$, with $d$ the width of the"
        " model.",
        ("A47", "mistake-7"), "dimensions", "false",
        "Right only if $i$ is meant to run over the even coordinates, or $d$"
        " to be the number of pairs. And $d$ is the rotated width of a head:"
        " with that of the model the dials of a head hardly differ.",
        _wrong_exponents, ("inverse-frequency",)),
    Claim(
        "the-rate-is-the-angle",
        "Pair $i$ is turned by the angle $\\theta_i$.",
        ("C7",), "dimensions", "imprecise",
        "$\\theta_i$ is a rate in radians per token; the angle at position"
        " $m$ is $m\\theta_i$.",
        _rate_and_angle),
    Claim(
        "radians-or-turns",
        "A dial of rate $\\theta$ makes $m\\theta$ turns in $m$ tokens.",
        ("mistake-24",), "dimensions", "false",
        "$m\\theta$ is in radians, and a turn has $2\\pi$ of them.",
        _radians_or_turns, ("wavelength",)),
    Claim(
        "a-position-is-a-set-of-angles",
        "At $m=3$ the four dials stand at 3, 0.3, 0.03 and 0.003: a position"
        " is a set of angles, not one.",
        ("B56", "B57"), "dimensions", "true",
        "The angles are radians, and each acts on its own two numbers.",
        _set_of_angles),
    Claim(
        "fast-and-fine",
        "Small $i$ turns fast and tells fine differences of position, large"
        " $i$ turns slowly and tells coarse ones.",
        ("B16",), "dimensions", "true",
        "A statement about the dials, not about what a model makes of them.",
        _fine_and_coarse),
    Claim(
        "neighbors-make-pairs",
        "The pairs are $(q_0,q_1),(q_2,q_3),\\dots$",
        ("B44",), "dimensions", "conditional",
        "In the interleaved layout of the RoFormer paper. GPT-NeoX and most"
        " Hugging Face models pair coordinate $i$ with $i+d/2$.",
        _layouts_in_use, ("half-split",), ("black2022neox",)),
    Claim(
        "layouts-are-one-code",
        "Interleaved and half-split code are the same RoPE.",
        ("mistake-13",), "dimensions", "imprecise",
        "The same up to a permutation of the channels, of which the weights"
        " have to know. Weights of one layout in code of the other raise no"
        " error and give wrong scores.",
        _layouts_mixed, ("half-split", "permuted-weights")),
    Claim(
        "width-of-a-head",
        "In a real Transformer the dimension is 128, 256 or 4096.",
        ("B43",), "dimensions", "imprecise",
        "RoPE turns each head by itself, and $d$ in $\\theta_i$ is the"
        " rotated width of a head. 4096 is the width of a whole model.",
        _head_widths),
    Claim(
        "sparse-matrix",
        "$R_m$ is sparse, so multiplying by it is a waste; (14) does the same"
        " elementwise.",
        ("A41",), "dimensions", "true",
        "Only two numbers in each row of $R_m$ are not 0.",
        _cost, ("elementwise",), ("su2024roformer",)),
    Claim(
        "entry-by-entry",
        "The $\\otimes$ in (14) is the product entry by entry.",
        ("A42",), "dimensions", "true",
        "$\\odot$ is the safer sign, since $\\otimes$ also stands for the"
        " Kronecker product.",
        _not_kronecker, ("elementwise",)),
    Claim(
        "lost-figure",
        "A figure shows where (14) comes from.",
        ("A52",), "dimensions", "unknown",
        "The figure is lost for good. Equation (14) itself was announced in"
        " words and is put back with high certainty; that it equals $R_m q$"
        " is proved.",
        equations=("elementwise", "block-diagonal")),
    Claim(
        "rows-and-transposes",
        "Code multiplies a row by a matrix from the right, so its matrix is"
        " the transpose.",
        ("A44",), "dimensions", "conditional",
        "True of code with a matrix, which real code hardly ever has. Without"
        " the transpose both turn the other way: still relative, and wrong"
        " for trained weights. On one side only, nothing is relative any"
        " more.",
        _slips_of_sign, ("row-convention", "other-direction")),
    Claim(
        "rotations-split-into-planes",
        "A rotation of a high-dimensional space splits into rotations of"
        " planes.",
        ("A46",), "dimensions", "conditional",
        "In a suitable orthonormal basis, which RoPE fixes to be pairs of"
        " channels. In odd dimensions one axis is left over, fixed or"
        " flipped.",
        _odd_rotation, ("change-of-basis",), ("horn2013matrix",)),
    Claim(
        "other-rates-are-possible",
        "$10000^{-2i/d}$ is only one design; other bases and other schedules"
        " will do.",
        ("A48",), "dimensions", "true",
        "Any rates make scores relative. Which of them a model learns well"
        " with is an empirical question.",
        _bases, ("block-diagonal",), ("su2021rope",)),
    Claim(
        "one-rate-repeats",
        "With one rate for all pairs, positions repeat as the dials come"
        " round.",
        ("B54",), "dimensions", "conditional",
        "At the rate 1 no whole number of tokens is a whole number of turns,"
        " since $\\pi$ is irrational; but some come as near as rounding can"
        " tell.",
        _one_rate, ("whole-turns",), ("hardy2008numbers",)),
    Claim(
        "several-rates-tell-more",
        "Several rates together give positions a richer pattern.",
        ("B55",), "dimensions", "true",
        "The more dials, the less alike are positions far apart. How alike"
        " they become depends on the window one looks at.",
        _several_rates, ("all-chords",)),
    Claim(
        "no-aliasing",
        "Every position has its own set of angles, so that none can be taken"
        " for another.",
        ("mistake-8",), "dimensions", "imprecise",
        "The angles are all different, with one dial of rate 1 already. They"
        " can still be as good as equal, and with few dials they are.",
        _near_returns, ("chord",)),
    Claim(
        "longest-wavelength",
        "The longest wavelength is $2\\pi\\cdot 10000$ tokens.",
        ("mistake-6",), "dimensions", "false",
        "The last exponent is $(d-2)/d$ and not 1, so it is $2\\pi\\,"
        "b^{(d-2)/d}$. Vaswani et al. round it in their section 3.5.",
        _longest, ("longest-wavelength",), ("vaswani2017attention",)),
    Claim(
        "a-quarter-of-a-head",
        "A partial rotation of a quarter is the same as p-RoPE with a"
        " quarter.",
        ("mistake-17",), "dimensions", "false",
        "A partial rotation spreads all rates over the channels that turn;"
        " p-RoPE keeps the fastest ones of the whole head. How far their"
        " slowest dials are apart depends on head and base.",
        _two_quarters, cites=("barbero2025round",)),
    Claim(
        "any-two-generators",
        "For positions in two dimensions, take any two generators of"
        " rotations.",
        ("mistake-16",), "dimensions", "false",
        "They have to commute, or the score depends on more than the offset.",
        _generators, ("grid-relative",), ("ostmeier2025liere",
                                          "yu2025comrope")),
)
