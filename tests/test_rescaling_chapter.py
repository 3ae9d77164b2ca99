"""Chapter 15: its numbers by another route, its figures.

Rates are written out pair by pair in plain Python, apart from the package.
"""

import cmath
import math
import re

import numpy as np
import pytest

from rope_edu.config import presets
from rope_edu.figures import rescaling
from rope_edu.measures import first_negative, neighbor_step
from rope_edu.scaling import (
    DynamicNTK,
    Linear,
    Llama3,
    NTKAware,
    NTKByParts,
    YaRN,
    ntk_base,
)

D, BASE, LENGTH = 128, 1e4, 4096


def plain(d=D, base=BASE):
    """Return the rates, pair by pair."""
    return [base ** (-2 * i / d) for i in range(d // 2)]


def in_parts(d, base, length, factor):
    """Return the rates of NTK-by-parts as the paper prints it."""
    found = []
    for rate in plain(d, base):
        keep = min(max((length * rate / (2 * math.pi) - 1) / 31, 0), 1)
        found.append((1 - keep) * rate / factor + keep * rate)
    return np.array(found)


UNFINISHED = [i for i, rate in enumerate(plain()) if LENGTH * rate < 2 * math.pi]


# The theorem of PI


@pytest.mark.parametrize("d, ratio", [(8, 4.56), (32, 1.66), (128, 1.14)])
def test_counter_example_breaks_the_printed_bound(d, ratio):
    """Mistake 11: h_i turns back by half a token, x is halfway."""
    def score(x):
        turned = (cmath.exp(1j * (x - 0.5) * rate) for rate in plain(d))
        return sum(z.real for z in turned)

    stray = score(0.5) - (score(0) + score(1)) / 2
    printed = d * 0.25 / (8 * math.log(BASE))
    right = sum(rate**2 for rate in plain(d)) / 8
    assert round(stray / printed, 2) == ratio
    assert printed < stray < right


def test_six_hundred_shrinks():
    """With the triangle bound, and then with the right constant."""
    halfway = D / (32 * math.log(BASE))
    right = sum(rate**2 for rate in plain()) / 8
    quotients = [2 * D / halfway, D / 2 / halfway, D / 2 / right]
    assert [round(q, 1) for q in quotients] == [589.5, 147.4, 128.1]


@pytest.mark.parametrize("offset, quotient", [(3643, 1.116), (70_508, 0.590)])
def test_partial_sums_fall_below_d(offset, quotient):
    """The paper's premise holds up to 4096 tokens and fails later."""
    total, sizes = 0, 0
    for rate in plain():
        total += cmath.exp(1j * offset * rate)
        sizes += abs(total)
    assert round(sizes / D, 3) == quotient


# Arcs, bases and lengths


def test_ntk_overshoots_all_unfinished_dials_but_the_last():
    """17 of 18, by 1.75 times at most."""
    rates = NTKAware(8).table(D).inv_freq
    over = [8 * rates[i] / plain()[i] for i in UNFINISHED]
    assert (len(over), sum(x > 1 + 1e-9 for x in over)) == (18, 17)
    assert round(max(over), 2) == 1.75


def test_smallest_base_keeps_every_unfinished_dial():
    """Exercise 15.4: a little less, and dial 46 leaves its arc."""
    base = BASE * 8 ** (D / (2 * UNFINISHED[0]))
    assert round(base) == 180_498
    for tried, safe in ((base * 1.0001, True), (base * 0.999, False)):
        ends = [8 * new / old for new, old in zip(plain(D, tried), plain())]
        assert all(ends[i] <= 1 for i in UNFINISHED) == safe


def test_code_of_dynamic_ntk_asks_for_more_than_the_paper():
    """At 8 L a setting of 1 is the paper's factor 8, one of 8 is 57."""
    for setting, slower in ((1, 8), (8, 57)):
        last = DynamicNTK(setting, LENGTH).table(D, BASE, 8 * LENGTH).inv_freq[-1]
        assert math.isclose(plain()[-1] / last, slower, rel_tol=1e-9)


def test_cached_keys_do_not_fit():
    """Mistake 23: key 4000 and a query 149 tokens on."""
    def rates(length):
        stretch = max(8 * length / LENGTH - 7, 1)
        return plain(D, BASE * stretch ** (D / (D - 2)))

    now, then = rates(4150), rates(4001)
    right = sum(math.cos(149 * t) for t in now) / 64
    mixed = sum(math.cos(4149 * t - 4000 * u) for t, u in zip(now, then)) / 64
    assert (round(right, 2), round(mixed, 2)) == (0.31, 0.66)


def test_implied_factor_of_code_llama():
    """93.06, and not the 88.6 of the YaRN paper."""
    found = plain()[-1] / plain(D, 1e6)[-1]
    assert round(found, 2) == 93.06
    assert round(ntk_base(D, BASE, 88.6)) == 951_361


def test_radians_shift_the_ramp():
    """Mistake 24: by ln(2 pi) in the number of the dial."""
    ends = [64 * math.log(LENGTH / turn / r, BASE)
            for turn in (2 * math.pi, 1) for r in (32, 1)]
    assert [round(end, 1) for end in ends] == [20.9, 45.0, 33.7, 57.8]
    assert sum(i < ends[3] for i in UNFINISHED) == 12


def test_larger_base_widens_the_range():
    """3.94 to 5.61 decades."""
    decades = [math.log10(1 / plain(D, base)[-1]) for base in (1e4, 5e5)]
    assert [round(x, 2) for x in decades] == [3.94, 5.61]


def test_mean_sines_beside_the_estimates():
    """ABF, appendix B: 0.027 and 0.076 are the limit of many dials."""
    by_four = sum(math.sin(rate / 4) for rate in plain()) / 64
    larger = sum(math.sin(rate) for rate in plain(D, 5e5)) / 64
    assert (round(by_four, 4), round(larger, 4)) == (0.0290, 0.0788)


@pytest.mark.parametrize(
    "method, step, below",
    [(Linear(8), 0.031, 13_649), (NTKAware(8), 0.223, 5_732),
     (NTKByParts(8, LENGTH), 0.244, 9_767), (YaRN(8, LENGTH), 0.244, 8_886),
     (Llama3(8, 1, 4, LENGTH), 0.244, 11_089)],
    ids=lambda x: type(x).__name__ if hasattr(x, "table") else "",
)
def test_sheet_of_methods(method, step, below):
    """The last table of the chapter."""
    rates = method.table(D).inv_freq
    assert round(neighbor_step(rates), 3) == step
    assert first_negative(rates, 8 * LENGTH) == below


def test_by_parts_with_64_tokens_keeps_no_dial():
    """The setting 1 and 32 belongs to a family of models."""
    rates = in_parts(D, BASE, 64, 8)
    assert (rates < plain()).all()
    assert round(neighbor_step(rates), 3) == 0.077


def test_phi_goes_past_the_range_of_the_paper():
    """1.25 s is 40; the list rises to 64.8."""
    long = presets()["Phi-3 vision 128k"].scaling.long_factor
    assert list(long) == sorted(long)
    assert round(long[-1], 1) == 64.8 > 1.25 * 32
    assert math.isclose(math.log(131_072) / math.log(4096), 17 / 12)


# Figures


def test_faces_say_how_far_dial_2_turns():
    """The first method may be none, whose factor is not known."""
    methods = {"PI": Linear(8), "NTK-aware": NTKAware(8)}
    alt = rescaling.faces(methods, 300).alt
    # Dial 2 of 4: 8 ** (1 - 2 / 3).
    assert "2,400 tokens" in alt and alt.endswith("PI 1.0, NTK-aware 2.0.")


def test_stale_keys_are_right_where_nothing_has_changed():
    """Up to the original length both curves are one."""
    alt = rescaling.stale_keys(DynamicNTK(8, 512), 16, 512).alt
    found = re.search(r"now (\S+ to \S+), when they came (\S+ to \S+)\.$", alt)
    assert found[1] == found[2]


def test_base_bound_counts():
    """As in the text of chapter 8: the smaller base passes."""
    alt = rescaling.base_bound([26_955, 27_000], LENGTH).alt
    assert "1 pass, 1 fail; the first that passes is 26,955" in alt
