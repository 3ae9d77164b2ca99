"""Scaled rates, against the formulas in print and against other people's code.

The formulas are stated again here, pair by pair and in plain Python, apart
from the package. ``scaled_vectors.json`` holds tables made outside it.
"""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rope_edu import inverse_frequencies, rotate
from rope_edu.scaling import (
    Default,
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    NTKByParts,
    Proportional,
    Scaling,
    YaRN,
    ntk_base,
    yarn_mscale,
)

DATA = Path(__file__).parent / "data"
VECTORS = json.loads((DATA / "scaled_vectors.json").read_text("utf-8"))
CASES = {case["name"]: case for case in VECTORS["cases"]}
LLAMA2_16 = YaRN(factor=16, original_length=4096)
LLAMA31 = Llama3(8, low_freq_factor=1, high_freq_factor=4, original_length=8192)
# One rounding each in the power, the factor and the product, and some room.
RTOL = 1e-14


def ends(pairs):
    """Divisors from 1 to 64 for each pair, and twice as large ones."""
    divisors = np.geomspace(1, 64, pairs)
    return divisors, 2 * divisors


def methods(factor, pairs=16, length=512):
    """Every method, for a head of `pairs` pairs."""
    return [
        Default(),
        Linear(factor),
        NTKAware(factor),
        DynamicNTK(factor, length),
        NTKByParts(factor, length),
        YaRN(factor, length),
        YaRN(factor, length, truncate=False, beta_fast=16, beta_slow=2),
        LongRoPE(*ends(pairs), length, factor),
        Llama3(factor, 1, 4, length),
        Llama3(factor, 2, 2, length),
        Proportional(0.5, factor),
    ]


def named(method):
    return type(method).__name__


# The formulas, pair by pair.


def plain(d, base):
    return [base ** (-2 * i / d) for i in range(d // 2)]


def mix(rate, share, factor):
    """The share that stays, and the rest divided by the factor."""
    return (1 - share) * rate / factor + share * rate


def test_linear_is_eq_4_of_position_interpolation():
    """Dividing the rates and dividing the positions is the same rotation."""
    x = np.random.default_rng(0).normal(size=(9, 16))
    rates = Linear(8).table(16, 500.0).inv_freq
    there = rotate(x, np.arange(9), rates)
    fractions = rotate(x, np.arange(9) / 8, inverse_frequencies(16, 500.0))
    np.testing.assert_allclose(there, fractions, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "factor, base", [(2, 20221), (4, 40890), (8, 82685), (16, 167199), (32, 338097)]
)
def test_ntk_bases_for_a_head_of_128(factor, base):
    assert round(ntk_base(128, 10000, factor)) == base


@pytest.mark.parametrize("case", VECTORS["ntk_aware"], ids=lambda c: f"{c['s']:g}")
def test_ntk_aware_vectors(case):
    assert math.isclose(
        ntk_base(case["d"], case["theta"], case["s"]), case["theta_new"], rel_tol=1e-12
    )
    last = NTKAware(case["s"]).table(case["d"], case["theta"]).inv_freq[-1]
    assert math.isclose(last, case["inv_freq_last"], rel_tol=1e-12)


@pytest.mark.parametrize("d, factor", [(4, 3.0), (64, 8.0), (128, 100.0)])
def test_ntk_aware_keeps_the_fastest_and_divides_the_slowest(d, factor):
    rates = inverse_frequencies(d)
    scaled = NTKAware(factor).table(d).inv_freq
    assert scaled[0] == rates[0] == 1.0
    assert math.isclose(scaled[-1], rates[-1] / factor, rel_tol=RTOL)


def test_code_llama_is_a_factor_of_93_and_not_of_88_6():
    """Facts 3.4: a base of 1e6 by NTK is s = 100 ** (126 / 128)."""
    assert round(ntk_base(128, 1e4, 100 ** (126 / 128))) == 1_000_000
    assert round(ntk_base(128, 1e4, 88.6), -3) == 951_000


@pytest.mark.parametrize("length", [1, 100, 2048, 2049, 3000, 4096, 65536])
def test_dynamic_ntk_is_a_base_for_each_length(length):
    stretch = 3 * length / 2048 - 2
    base = 1e4 * stretch ** (128 / 126) if length > 2048 else 1e4
    table = DynamicNTK(3, 2048).table(128, 1e4, length)
    np.testing.assert_allclose(table.inv_freq, plain(128, base), rtol=1e-12)
    assert table.attention_factor == 1.0


def test_report_25_dynamic_is_unscaled_up_to_the_original_length():
    method, rates = DynamicNTK(2, 2048), inverse_frequencies(128)
    for length in (1, 2047, 2048):
        np.testing.assert_array_equal(method.table(128, length=length)[0], rates)
    assert (method.table(128, length=2049)[0][1:] < rates[1:]).all()


def test_report_26_a_short_text_does_not_shrink_the_base():
    """The bare formula gives 4 * 0.5 - 3 = -1 for half the length."""
    table = DynamicNTK(4, 2048).table(128, length=1024)
    np.testing.assert_array_equal(table.inv_freq, inverse_frequencies(128))


@pytest.mark.parametrize("d, base, length", [(128, 1e4, 4096), (64, 1.5e5, 1000)])
def test_by_parts_is_eqs_17_to_20_of_yarn(d, base, length):
    expected = []
    for rate in plain(d, base):
        turns = length / (2 * math.pi / rate)
        share = min(max((turns - 2) / (20 - 2), 0), 1)
        expected.append(mix(rate, share, 16))
    method = NTKByParts(16, length, alpha=2, beta=20)
    table = method.table(d, base)
    np.testing.assert_allclose(table.inv_freq, expected, rtol=RTOL)
    assert table.attention_factor == 1.0


@pytest.mark.parametrize("truncate, low, high", [(True, 20, 46), (False, 20.94, 45.03)])
def test_report_80_ramp_of_llama_2(truncate, low, high):
    """The yarn_llama2_7b_64k range; the cut is at d - 1, beyond all pairs."""
    method = YaRN(16, 4096, truncate=truncate)
    found = method.correction_range(128, 1e4)
    assert [round(end, 2) for end in found] == [low, high]
    assert YaRN(16, 10**9).correction_range(128, 1e4)[1] == 127


@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize("d, base, length", [(128, 1e4, 4096), (64, 1.5e5, 4096)])
def test_yarn_ramp_is_linear_in_the_index(d, base, length, truncate):
    # Solve length * base**(-2i/d) / (2 pi) = turns for i.
    low, high = (
        d / 2 * math.log(length / (2 * math.pi * turns), base) for turns in (32, 1)
    )
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    expected = []
    for i, rate in enumerate(plain(d, base)):
        share = 1 - min(max((i - low) / (high - low), 0), 1)
        expected.append(mix(rate, share, 8))
    table = YaRN(8, length, truncate=truncate).table(d, base)
    np.testing.assert_allclose(table.inv_freq, expected, rtol=1e-13)


def test_paper_and_code_of_yarn_differ_threefold():
    """Facts 3.4: Llama 2, s = 16."""
    rates = inverse_frequencies(128)
    paper = NTKByParts(16, 4096).table(128).inv_freq
    code = LLAMA2_16.table(128).inv_freq
    shares = [(scaled / rates - 1 / 16) / (15 / 16) for scaled in (paper, code)]
    assert [round(share[30], 3) for share in shares] == [0.248, 0.615]
    assert round(np.abs(shares[0] - shares[1]).max(), 3) == 0.367
    assert round((code / paper).max(), 2) == 3.04


@pytest.mark.parametrize(
    "factor, square", [(4, 1.296), (8, 1.459), (16, 1.631), (32, 1.813)]
)
def test_yarn_multiplies_scores_by_the_square(factor, square):
    """Eq. (22) acts on queries and on keys."""
    attention_factor = YaRN(factor, 4096).table(128).attention_factor
    assert round(attention_factor**2, 3) == square


def test_equal_betas_make_a_step():
    """A pair turns within the length more often than beta, or is divided."""
    d, base, length = 64, 1e4, 4096
    scaled = YaRN(8, length, 5, 5, truncate=False).table(d, base).inv_freq
    expected = [
        rate if length * rate / (2 * math.pi) > 5 else rate / 8
        for rate in plain(d, base)
    ]
    np.testing.assert_allclose(scaled, expected, rtol=RTOL)


@pytest.mark.parametrize(
    "d, base, factor", [(128, 5e5, 8), (64, 5e5, 32), (64, 1e4, 8)]
)
def test_llama3_is_three_cases_of_the_wavelength(d, base, factor):
    expected = []
    for rate in plain(d, base):
        wavelength = 2 * math.pi / rate
        if wavelength < 8192 / 4:
            expected.append(rate)
        elif wavelength > 8192 / 1:
            expected.append(rate / factor)
        else:
            expected.append(mix(rate, (8192 / wavelength - 1) / (4 - 1), factor))
    table = Llama3(factor, 1, 4, 8192).table(d, base)
    np.testing.assert_allclose(table.inv_freq, expected, rtol=RTOL)
    assert table.attention_factor == 1.0


@pytest.mark.parametrize(
    "d, factor, split", [(128, 8, (29, 6, 29)), (64, 32, (15, 3, 14))]
)
def test_report_82_split_of_the_llama_3_pairs(d, factor, split):
    """Whole, blended, divided; in this order."""
    method = dataclasses.replace(LLAMA31, factor=factor)
    ratio = inverse_frequencies(d, 5e5) / method.table(d, 5e5).inv_freq
    whole, divided = (ratio == 1).sum(), np.isclose(ratio, factor, rtol=1e-15).sum()
    assert (whole, d // 2 - whole - divided, divided) == split
    assert (np.diff(ratio) >= 0).all()


def test_llama_4_scout_has_a_step():
    """Equal bounds: no pair is blended, and none is lost to a division by 0."""
    rates = inverse_frequencies(128, 5e5)
    scaled = Llama3(16, 1, 1, 8192).table(128, 5e5).inv_freq
    assert set(np.round(rates / scaled, 12)) == {1.0, 16.0}
    assert (rates == scaled).sum() == (8192 * rates > 2 * np.pi).sum()


def test_report_89_longrope_switches_after_the_original_length():
    """The last divisors of Phi-3.5 mini; its other ones are not needed."""
    short, long = np.full((2, 48), 2.0)
    short[-1], long[-1] = 2.8399999141693115, 64.83999633789062
    method = LongRoPE(short, long, original_length=4096, factor=32)
    tables = [method.table(96, length=n) for n in (1, 4096, 4097, 131072)]
    last = [f"{table.inv_freq[-1]:.5e}" for table in tables]
    assert last == ["4.26594e-05"] * 2 + ["1.86849e-06"] * 2
    factors = {round(table.attention_factor, 10) for table in tables}
    assert factors == {1.1902380714}


def test_report_91_short_and_long_lists_are_both_used():
    method = LongRoPE(*ends(4), original_length=8, factor=2)
    near, far = (method.table(8, length=n).inv_freq for n in (8, 9))
    np.testing.assert_allclose(near, plain(8, 1e4) / ends(4)[0], rtol=RTOL)
    np.testing.assert_allclose(far, near / 2, rtol=RTOL)


def test_report_88_keys_of_a_short_text_do_not_fit_a_long_one():
    """One length for the whole text: mixing two tables changes the score."""
    method = LongRoPE(*ends(8), original_length=4096, factor=2)
    tables = {n: method.table(16, length=n).inv_freq for n in (4096, 4097)}
    q = k = np.ones(16)
    right = rotate(q, 4096, tables[4097]) @ rotate(k, 4000, tables[4097])
    mixed = rotate(q, 4096, tables[4097]) @ rotate(k, 4000, tables[4096])
    assert abs(right - mixed) > 1


def test_a_given_attention_factor_needs_no_factor():
    method = LongRoPE([1.0], [2.0], 8, attention_factor=1.5)
    assert method.table(2, length=9).attention_factor == 1.5


@pytest.mark.parametrize(
    "head_dim, share, turning", [(512, 0.25, 64), (8, 0.9, 3), (8, 1, 4), (2, 1.0, 1)]
)
def test_report_65_proportional_rotates_the_fastest_pairs(head_dim, share, turning):
    rates = inverse_frequencies(head_dim, 1e6)
    scaled = Proportional(share).table(head_dim, 1e6).inv_freq
    np.testing.assert_array_equal(scaled[:turning], rates[:turning])
    assert scaled[turning:].tolist() == [0.0] * (head_dim // 2 - turning)
    if head_dim == 512:
        assert round(scaled[1], 10) == 0.9474635257
        assert round(scaled[63], 10) == 0.0333762469


def test_report_83_a_factor_divides():
    found = Linear(8).table(4, 100).inv_freq
    assert found.tolist() == pytest.approx([1 / 8, 0.1 / 8], rel=1e-15)


# The two factors of models like DeepSeek.


@pytest.mark.parametrize(
    "mscale, factor, softmax",
    [(0.707, 1.2608037774, 1.5896261651), (1.0, 1.3688879454, 1.8738542071)],
)
def test_report_71_softmax_multiplier_of_deepseek(mscale, factor, softmax):
    method = YaRN(40, 4096, mscale=mscale, mscale_all_dim=mscale)
    assert round(yarn_mscale(40, mscale), 10) == factor
    assert round(method.softmax_multiplier, 10) == softmax
    assert method.table(64).attention_factor == 1.0


def test_report_73_the_table_is_scaled_by_the_ratio():
    method = YaRN(40, 4096, mscale=1.0, mscale_all_dim=0.707)
    ratio = method.table(64).attention_factor
    assert math.isclose(ratio, 1.3688879454 / 1.2608037774, rel_tol=1e-9)
    assert round(method.softmax_multiplier, 10) == 1.5896261651


def test_report_74_both_factors_are_there():
    """Nothing of the temperature is lost: their product is the same."""
    with_keys = YaRN(40, 4096, mscale=1.0, mscale_all_dim=1.0)
    without = YaRN(40, 4096)
    totals = [
        method.table(64).attention_factor ** 2 * method.softmax_multiplier
        for method in (with_keys, without)
    ]
    assert math.isclose(*totals, rel_tol=RTOL)
    assert with_keys.softmax_multiplier != without.softmax_multiplier == 1.0


def test_report_76_mscales_turn_off_the_factor_of_the_table():
    keys = {"mscale": 1, "mscale_all_dim": 1}
    assert YaRN(16, 4096, **keys).table(64).attention_factor == 1.0
    assert round(YaRN(16, 4096).table(64).attention_factor, 10) == 1.2772588722


@pytest.mark.parametrize("factor", [1, 1.5, 4, 40])
@pytest.mark.parametrize("mscale", [0.5, 0.707, 1.0, 2.0])
@pytest.mark.parametrize("all_dim", [0.5, 0.707, 1.0, 2.0])
def test_report_77_grid_of_mscales(factor, mscale, all_dim):
    method = YaRN(factor, 4096, mscale=mscale, mscale_all_dim=all_dim)
    top, bottom = (1 + m * math.log(factor) / 10 for m in (mscale, all_dim))
    attention_factor = method.table(64).attention_factor
    assert math.isclose(attention_factor, top / bottom, rel_tol=RTOL)
    assert math.isclose(method.softmax_multiplier, bottom**2, rel_tol=RTOL)


def test_a_given_attention_factor_wins():
    method = YaRN(16, 4096, attention_factor=1.0, mscale=1, mscale_all_dim=2)
    assert method.table(64).attention_factor == 1.0


@pytest.mark.parametrize("method", methods(4.0), ids=named)
def test_only_yarn_and_longrope_touch_cosine_and_sine(method):
    attention_factor = method.table(32, length=1000).attention_factor
    assert isinstance(attention_factor, float)
    scaled = isinstance(method, (YaRN, LongRoPE))
    assert (attention_factor > 1) == scaled
    assert method.softmax_multiplier == 1.0


# Properties.

WIDTHS = st.integers(2, 64).map(lambda pairs: 2 * pairs)
# Such that YaRN's ramp does not run backwards: in the shortest text the
# fastest pair makes 32 turns, in the longest the slowest one fewer.
BASES = st.floats(1000, 1e8)
LENGTHS = st.integers(256, 2**17)
FACTORS = st.floats(1, 1000)


@given(width=WIDTHS, base=BASES, original=LENGTHS, length=LENGTHS)
def test_a_factor_of_one_changes_no_bit(width, base, original, length):
    rates = inverse_frequencies(width, base)
    for method in methods(1, width // 2, original):
        if isinstance(method, (LongRoPE, Proportional)):
            continue  # their lists and shares are no factors
        if isinstance(method, DynamicNTK):
            length = min(length, original)  # it grows without a factor, too
        table = method.table(width, base, length)
        np.testing.assert_array_equal(table.inv_freq, rates, err_msg=named(method))
        assert table.attention_factor == 1.0


@given(width=WIDTHS, base=BASES, factor=FACTORS, length=LENGTHS)
def test_rates_fall_and_stay_between_the_two_ends(width, base, factor, length):
    rates = inverse_frequencies(width, base)
    for method in methods(factor, width // 2):
        if isinstance(method, (LongRoPE, Proportional)):
            continue  # bounded by their lists, and by zero
        scaled = method.table(width, base, length).inv_freq
        # Dynamic NTK goes on growing past factor * original length.
        most = factor * max(length / 512, 1)
        assert (np.diff(scaled) <= 0).all(), named(method)
        assert (scaled <= rates * (1 + RTOL)).all(), named(method)
        assert (scaled >= rates / most * (1 - 1e-12)).all(), named(method)


@given(width=WIDTHS, lengths=st.lists(LENGTHS, min_size=2, max_size=5))
def test_reports_22_23_a_table_does_not_know_what_came_before(width, lengths):
    for method in methods(4.0, width // 2):
        first = [method.table(width, length=n).inv_freq.copy() for n in lengths]
        for n in lengths:
            method.table(width, length=n).inv_freq[:] = np.nan
        for n, before in zip(lengths, first):
            after = method.table(width, length=n).inv_freq
            np.testing.assert_array_equal(after, before, err_msg=named(method))


@given(width=WIDTHS, base=BASES, lengths=st.tuples(LENGTHS, LENGTHS))
def test_only_two_methods_depend_on_the_length(width, base, lengths):
    for method in methods(4.0, width // 2):
        one, two = (method.table(width, base, n).inv_freq for n in lengths)
        if not method.depends_on_length:
            np.testing.assert_array_equal(one, two)
            np.testing.assert_array_equal(one, method.table(width, base).inv_freq)
    names = {named(m) for m in methods(4.0) if m.depends_on_length}
    assert names == {"DynamicNTK", "LongRoPE"}


def test_report_35_any_position_within_the_scaled_length_works():
    """A table is made of rates: no row of it can be missing."""
    rates = YaRN(4, 1024).table(64).inv_freq
    ids = [4095, 4096, 2**40]
    turned = rotate(np.ones(64), ids, rates)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), 8, rtol=1e-14)


# Objects and bad input.


@pytest.mark.parametrize("method", methods(4.0), ids=named)
def test_methods_are_frozen_values(method):
    fields = dataclasses.asdict(method)
    assert type(method)(**fields) == method
    assert hash(type(method)(**fields)) == hash(method)
    for name in fields:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(method, name, 2)


def test_lists_are_copied():
    short = [1.0, 2.0]
    method = LongRoPE(short, np.array([3, 4]), 8, 2)
    short[0] = 100.0
    assert (method.short_factor, method.long_factor) == ((1.0, 2.0), (3.0, 4.0))


def test_numbers_become_plain():
    """NumPy scalars from a loop over a grid must not leak into messages."""
    method = YaRN(np.float64(4), np.int64(4096))
    assert method == YaRN(4, 4096)
    assert "np." not in repr(method)
    given = LongRoPE([1], [1], 8, attention_factor=2).attention_factor
    assert isinstance(given, float)


V, T = ValueError, TypeError
S, L = [1.0, 1.0], [2.0, 2.0]

CALLS = [
    ("factor below one", lambda: Linear(0.5), V, "factor must be at least 1.*0.5"),
    ("report 83: upside down", lambda: Linear(1 / 8), V, "8, not 1/8.*0.125"),
    ("factor of zero", lambda: NTKAware(0), V, "at least 1.*got 0"),
    ("negative factor", lambda: DynamicNTK(-2, 8), V, "at least 1.*-2"),
    ("NaN factor", lambda: YaRN(math.nan, 8), V, "factor must be finite.*nan"),
    ("infinite factor", lambda: Llama3(math.inf, 1, 4, 8), V, "factor.*finite"),
    ("huge factor", lambda: Linear(10**400), V, "factor must be finite"),
    ("text factor", lambda: Linear("8"), T, "factor must be a number, got '8'"),
    ("bool factor", lambda: Linear(True), T, "factor must be a number, got True"),
    ("no factor", lambda: NTKByParts(None, 8), T, "factor.*None"),
    ("complex factor", lambda: Proportional(0.5, 2j), T, "factor.*2j"),
    ("zero length", lambda: DynamicNTK(2, 0), V, "original_length.*positive, got 0"),
    ("float length", lambda: YaRN(2, 4096.0), T, "original_length.*integer.*4096.0"),
    ("no length", lambda: Llama3(2, 1, 4, None), T, "original_length.*None"),
    ("endless length", lambda: YaRN(2, 10**400), V, r"original_length.*2\*\*53"),
    ("endless text", lambda: Linear(2).table(8, length=2**53 + 1), V,
     r"length must be at most 2\*\*53"),
    ("text length", lambda: NTKByParts(2, "4096"), T, "original_length.*'4096'"),
    ("report 79: swapped betas", lambda: YaRN(2, 8, 1, 32), V,
     "beta_fast must be at least beta_slow.*swapped"),
    ("swapped alpha and beta", lambda: NTKByParts(2, 8, 32, 1), V,
     "beta must be at least alpha, got beta = 1.0 and alpha = 32.0"),
    ("swapped bands", lambda: Llama3(8, 4, 1, 8), V, "high_freq_factor must be at"),
    ("beta of zero", lambda: YaRN(2, 8, 32, 0), V, "beta_slow must be above 0"),
    ("band of zero", lambda: Llama3(8, 0, 4, 8), V, "low_freq_factor.*above 0"),
    ("truncate a number", lambda: YaRN(2, 8, truncate=0), T, "truncate.*True or False"),
    ("attention factor zero", lambda: YaRN(2, 8, attention_factor=0), V,
     "attention_factor must be above 0, got 0"),
    ("mscale alone", lambda: YaRN(2, 8, mscale=1.0), V, "mscale_all_dim = None"),
    ("mscale_all_dim alone", lambda: YaRN(2, 8, mscale_all_dim=1.0), V, "go together"),
    ("mscale of zero", lambda: YaRN(2, 8, mscale=0, mscale_all_dim=1), V,
     "mscale must be above 0"),
    ("coefficient of zero", lambda: yarn_mscale(4, 0), V, "coefficient.*above 0"),
    ("backwards, short", lambda: YaRN(2, 2).table(64), V, "original_length = 2.*back"),
    ("backwards, long", lambda: YaRN(2, 10**9).table(8, 2.0), V, "base = 2.0.*back"),
    ("one list", lambda: LongRoPE(S, 2.0, 8, 2), T, "long_factor must be a list"),
    ("text list", lambda: LongRoPE("12", L, 8, 2), T, "short_factor must be a list"),
    ("zero in a list", lambda: LongRoPE(S, [1, 0], 8, 2), V, r"factor\[1\].*above"),
    ("None in a list", lambda: LongRoPE([1, None], L, 8, 2), T, r"short_factor\[1\]"),
    ("short list", lambda: LongRoPE([1], L, 8, 2).table(4, length=9), V,
     "short_factor must hold.*= 2, got 1"),
    ("long list", lambda: LongRoPE(S, [1] * 3, 8, 2).table(4, length=1), V,
     "long_factor must hold.*= 2, got 3"),
    ("no factor and no attention factor", lambda: LongRoPE(S, L, 8), V,
     "factor must be given.*neither"),
    ("original length of one", lambda: LongRoPE(S, L, 1, 2), V, "above 1, got 1"),
    ("share above one", lambda: Proportional(25), V, "partial_factor.*at most 1.*25"),
    ("share of zero", lambda: Proportional(0), V, "partial_factor must be above 0"),
    ("no pair left", lambda: Proportional(0.1).table(8), V, "none of the 4 pairs"),
    ("no length given", lambda: DynamicNTK(2, 8).table(8), V, "length must be given"),
    ("no length, lists", lambda: LongRoPE(S, L, 8, 2).table(4), V, "LongRoPE depend"),
    ("length of zero", lambda: Default().table(8, length=0), V, "length must be pos"),
    ("float length given", lambda: Linear(2).table(8, length=9.0), T, "length.*int"),
    ("odd width", lambda: Linear(2).table(7), V, "rotary_dim must be even.*7"),
    ("base", lambda: Default().table(8, 1.0), V, "base must be finite and above 1"),
    ("one pair, NTK", lambda: NTKAware(2).table(2), V, "rotary_dim.*above 2.*got 2"),
    ("one pair, dynamic", lambda: DynamicNTK(2, 8).table(2, length=1), V, "above 2"),
    ("base past float64", lambda: ntk_base(64, 1e4, 1e308), V,
     "factor must give a base that float64 holds, got 1e\\+308 for base = 10000"),
    ("base past float64, by a product", lambda: ntk_base(1002, 1e10, 1e300), V,
     "factor must give a base that float64 holds"),
    ("rates past float64", lambda: NTKAware(1e300).table(64), V, "factor must give"),
    ("rates past float64, dynamic", lambda: DynamicNTK(1e300, 1).table(64, length=99),
     V, "factor must give a base"),
    ("divisors as bytes", lambda: LongRoPE(b"ab", [1, 1], 8, 2), T,
     "short_factor must be a list of numbers, got b'ab'"),
    ("divisors as a set", lambda: LongRoPE([1, 1], {1, 2}, 8, 2), T,
     "long_factor must be a list"),
    ("divisors as a dict", lambda: LongRoPE({1: 1}, [1], 8, 2), T,
     "short_factor must be a list"),
    ("odd width, base", lambda: ntk_base(7, 1e4, 2), V, "rotary_dim must be even"),
]


@pytest.mark.parametrize(
    "bad, error, words", [c[1:] for c in CALLS], ids=[c[0] for c in CALLS]
)
def test_bad_call(bad, error, words):
    with pytest.raises(error, match=words) as caught:
        bad()
    assert caught.type is error


def test_labels_are_unique():
    assert len({label for label, *_ in CALLS}) == len(CALLS) >= 40


def test_the_base_class_is_no_method():
    with pytest.raises(NotImplementedError):
        Scaling().table(8)
