"""Rates, wavelengths and angles, against exact arithmetic and known numbers."""

import math
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from rope_edu import angles, inverse_frequencies, wavelengths

ULP = 2.0**-53


@pytest.mark.parametrize("rotary_dim", [2, 6, 8, 24, 64, 128, 256])
@pytest.mark.parametrize("base", [1.5, 10000, 500000.0, 1000042, 1e7])
def test_rates_match_fifty_digit_arithmetic(rotary_dim, base):
    with localcontext() as context:
        context.prec = 50
        exact = [
            Decimal(base) ** (Decimal(-2 * i) / Decimal(rotary_dim))
            for i in range(rotary_dim // 2)
        ]
    # The exponent is rounded once, which log(base) magnifies; the power
    # itself is good to about one unit in the last place.
    tolerance = (math.log(base) + 3) * ULP
    rates = inverse_frequencies(rotary_dim, base)
    assert rates.dtype == np.float64
    assert rates.shape == (rotary_dim // 2,)
    np.testing.assert_allclose(rates, [float(e) for e in exact], rtol=tolerance)


def test_default_base_is_ten_thousand():
    expected = [1.0, 0.1, 0.01, 0.001]
    np.testing.assert_allclose(inverse_frequencies(8), expected, rtol=1e-15)


def test_first_rate_is_one_and_all_rates_fall():
    rates = inverse_frequencies(128, 500000)
    assert rates[0] == 1.0
    assert (np.diff(rates) < 0).all()


@pytest.mark.parametrize("width", [np.int64(8), np.int8(8), np.uint16(8)])
def test_numpy_integers_are_widths(width):
    np.testing.assert_array_equal(inverse_frequencies(width), inverse_frequencies(8))


@pytest.mark.parametrize("base", [10000, np.float32(10000), Fraction(10000)])
def test_any_real_number_is_a_base(base):
    np.testing.assert_array_equal(
        inverse_frequencies(8, base), inverse_frequencies(8)
    )


# 2*pi*base**((d-2)/d), worked out apart from the package; not 2*pi*10000.
@pytest.mark.parametrize(
    "rotary_dim, tokens", [(64, 47117), (128, 54410), (256, 58470)]
)
def test_longest_wavelength_is_shorter_than_a_turn_of_the_base(rotary_dim, tokens):
    longest = wavelengths(inverse_frequencies(rotary_dim))[-1]
    assert round(longest) == tokens


def test_wavelength_is_one_turn():
    rates = inverse_frequencies(64, 160000)
    turns = wavelengths(rates) * rates / (2 * np.pi)
    np.testing.assert_allclose(turns, 1, rtol=4 * ULP)


def test_a_rate_of_zero_never_comes_round_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lengths = wavelengths([1.0, 0.0, -1.0, 5e-324, 3.6e-308])
    assert lengths[:4].tolist() == [2 * np.pi, np.inf, 2 * np.pi, np.inf]
    assert np.isfinite(lengths[4])


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 1, 3)])
def test_angles_add_one_axis(shape):
    assert angles(np.zeros(shape), [1.0, 0.5]).shape == shape + (2,)


@pytest.mark.parametrize(
    "ids",
    [
        [-2, 0, 3],
        (-2, 0, 3),
        np.array([-2, 0, 3], dtype=np.int8),
        np.array([-2, 0, 3], dtype=np.float32),
        [np.int64(-2), 0.0, 3],
    ],
)
def test_positions_of_any_real_type_give_the_same_angles(ids):
    result = angles(ids, [1.0, 0.25])
    assert result.dtype == np.float64
    assert result.tolist() == [[-2, -0.5], [0, 0], [3, 0.75]]


def test_unsigned_positions_are_numbers_and_not_wrapped():
    ids = np.array([0, 2**53], dtype=np.uint64)
    assert angles(ids, [1.0]).ravel().tolist() == [0.0, 2.0**53]


def test_fractional_positions():
    assert angles(0.5, [1.0, 0.5]).tolist() == [0.5, 0.25]


@pytest.mark.parametrize("m", [1, 3, 4095, 65537, -(2**20) + 1, 2**53 - 1])
def test_angle_is_within_the_documented_error(m):
    rates = inverse_frequencies(64)
    for rate, angle in zip(rates, angles(m, rates)):
        error = abs(Fraction(angle) - m * Fraction(rate))
        assert error <= abs(m) * Fraction(rate) * Fraction(ULP)


def test_report_01_angle_far_out_in_a_narrow_head():
    angle = angles(1857, inverse_frequencies(32))[1]
    assert round(angle, 5) == 1044.26784
    assert round(math.cos(angle), 8) == 0.30669281


@pytest.mark.parametrize("m", [256, 2048, 65536, 2**24])
def test_report_11_neighbors_past_low_precision_stay_apart(m):
    here, there = angles([m, m + 1], [1.0, 0.5])
    assert (there - here).tolist() == [1.0, 0.5]


def test_report_47_position_minus_one_is_the_mirror_of_one():
    minus, plus = angles([-1, 1], inverse_frequencies(16))
    np.testing.assert_array_equal(np.cos(minus), np.cos(plus))
    np.testing.assert_array_equal(np.sin(minus), -np.sin(plus))


def test_inputs_are_left_alone():
    ids, rates = np.arange(3.0), inverse_frequencies(4)
    ids.flags.writeable = rates.flags.writeable = False
    angles(ids, rates)[:] = 7
    wavelengths(rates)[:] = 7
    assert ids.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(rates, inverse_frequencies(4))
