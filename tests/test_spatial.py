"""Positions of two and three numbers, and xPos.

``spatial_vectors.json`` holds tables made outside the package. The other
oracles are 1-D RoPE, sums of dense matrices, and the formulas pair by pair.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rope_edu import angles, inverse_frequencies, rotate, score
from rope_edu.reference import rotate_by_angles
from rope_edu.spatial import (
    ORDERS,
    axial_angles,
    commuting_generators,
    mixed_angles,
    mixed_generators,
    mrope_angles,
    mrope_axes,
    mrope_position_ids,
    noncommuting_generators,
    rotation_from_generators,
    xpos_reach,
    xpos_scales,
    xpos_zeta,
)

DATA = Path(__file__).parent / "data"
VECTORS = json.loads((DATA / "spatial_vectors.json").read_text("utf-8"))
AXIAL, XPOS = VECTORS["axial"], VECTORS["xpos"]
MROPE = {case["name"]: case for case in VECTORS["mrope"]}
V, T = ValueError, TypeError
R8 = inverse_frequencies(16)
IDS = np.arange(10).reshape(2, 5)  # batch, sequence
THW = np.stack([IDS, IDS + 1, IDS + 2])
SKEW = commuting_generators(4, 0)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def dot(q, k, q_angle, k_angle, layout="half"):
    """Score of a query and a key that were turned by those angles."""
    return rotate_by_angles(q, q_angle, layout) @ rotate_by_angles(k, k_angle, layout)


def slack(*turned):
    """Rounding of a score of unit vectors: that of the angles, and the sums."""
    return 2**-50 * (8 + sum(np.abs(a).max() for a in turned))


def unit(rng, width):
    x = rng.normal(size=width)
    return x / np.linalg.norm(x)


# Rotation by given angles.


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("kept", [0, 3])
def test_rotate_by_angles_is_rotate(layout, kept, rng):
    x, ids = rng.normal(size=(2, 3, 5, 16 + kept)), rng.integers(-99, 99, (2, 1, 5))
    expected = rotate(x, ids, R8, layout, 16)
    turned = rotate_by_angles(x, angles(ids, R8), layout, 16)
    # Angles are the same to the bit; the product is summed in another order.
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(turned[..., 16:], x[..., 16:])


def test_rotate_by_angles_places_a_vector_everywhere(rng):
    x, turn = rng.normal(size=16), rng.normal(size=(2, 3, 8))
    turned = rotate_by_angles(x, turn)
    assert turned.shape == (2, 3, 16)
    np.testing.assert_array_equal(turned[1, 2], rotate_by_angles(x, turn[1, 2]))


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_scale_multiplies_both_numbers_of_a_pair_and_no_kept_one(layout, rng):
    x, turn = rng.normal(size=(5, 20)), rng.normal(size=(5, 8))
    scale = rng.uniform(0.5, 2, size=(5, 8))
    plain = rotate_by_angles(x, turn, layout, 16)
    scaled = rotate_by_angles(x, turn, layout, 16, scale)
    spread = {
        "interleaved": np.repeat(scale, 2, axis=-1),
        "half": np.concatenate([scale, scale], axis=-1),
    }[layout]
    np.testing.assert_allclose(scaled[:, :16], plain[:, :16] * spread, rtol=1e-14)
    np.testing.assert_array_equal(scaled[:, 16:], x[:, 16:])
    twice = rotate_by_angles(x, turn, layout, 16, 2)
    np.testing.assert_array_equal(twice[:, :16], 2 * plain[:, :16])


def test_rotate_by_angles_leaves_its_arguments_alone(rng):
    x, turn, scale = rng.normal(size=(5, 16)), rng.normal(size=(5, 8)), np.ones((5, 8))
    for array in (x, turn, scale):
        array.flags.writeable = False
    assert not np.shares_memory(rotate_by_angles(x, turn, scale=scale), x)


# Tables made elsewhere.


def test_axial_vectors():
    turn = axial_angles(AXIAL["positions_hw"], AXIAL["rotary_dim"], AXIAL["base"])
    np.testing.assert_allclose(turn, AXIAL["angles"], rtol=1e-12)


@pytest.mark.parametrize("case", MROPE.values(), ids=MROPE)
def test_mrope_vectors(case):
    sections, interleaved = case["mrope_section"], case["mrope_interleaved"]
    axes = mrope_axes(sections, interleaved=interleaved)
    assert axes.tolist() == case["axis_of_frequency"]
    rates = inverse_frequencies(case["rotary_dim"], case["base"])
    thw = np.array(case["positions_thw"]).T[:, None]
    turn = mrope_angles(thw, rates, sections, interleaved=interleaved)
    np.testing.assert_allclose(turn[0], case["angles"], rtol=1e-12)


@pytest.mark.parametrize("case", [AXIAL, *MROPE.values()], ids=lambda c: c["name"])
def test_rotation_by_the_tables(case, rng):
    """The half-split formula of the models, written out, to 1e-9."""
    turn = np.array(case["angles"])
    x = rng.normal(size=(len(turn), case["rotary_dim"]))
    cos, sin = (np.tile(f(turn), 2) for f in (np.cos, np.sin))
    left, right = np.split(x, 2, axis=-1)
    expected = x * cos + np.concatenate([-right, left], axis=-1) * sin
    turned = rotate_by_angles(x, turn, "half")
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-9)


def test_xpos_vectors():
    query, key = xpos_scales(XPOS["positions"], XPOS["rotary_dim"], XPOS["scale_base"])
    zeta = xpos_zeta(XPOS["rotary_dim"])
    np.testing.assert_allclose(zeta, XPOS["zeta"], rtol=1e-12)
    np.testing.assert_allclose(query, XPOS["query_scales"], rtol=1e-12)
    np.testing.assert_allclose(key, 1 / np.array(XPOS["query_scales"]), rtol=1e-12)


# Two axes.


def test_axial_orders_pair_by_pair():
    (p, q), base, pairs = (3.0, -2.5), 100.0, 8
    shared = [base ** (-2 * j / pairs) for j in range(pairs // 2)]
    ladder = [base ** (-i / pairs) for i in range(pairs)]
    expected = {
        "halves": [p * r for r in shared] + [q * r for r in shared],
        "interleaved": [c * r for r in shared for c in (p, q)],
        "dealt": [p * r for r in ladder[0::2]] + [q * r for r in ladder[1::2]],
    }
    assert sorted(expected) == sorted(ORDERS)
    for order, turn in expected.items():
        np.testing.assert_allclose(
            axial_angles([p, q], 2 * pairs, base, order), turn, rtol=1e-14
        )


def test_interleaved_axes_are_a_permutation_of_halves():
    """The same numbers for other pairs: a model of one kind needs its own."""
    places = np.random.default_rng(1).integers(-30, 30, size=(7, 2))
    halves = axial_angles(places, 24, order="halves")
    mixed = axial_angles(places, 24, order="interleaved")
    by_axis = mixed.reshape(7, 6, 2).swapaxes(1, 2)
    np.testing.assert_array_equal(by_axis, halves.reshape(7, 2, 6))
    assert np.abs(mixed - halves).max() > 1


@pytest.mark.parametrize("order", ["halves", "interleaved"])
def test_axes_that_agree_are_1d_rope_of_half_the_width(order):
    ids = np.arange(-4, 9)
    turn = axial_angles(np.stack([ids, ids], axis=-1), 16, 500.0, order)
    once = angles(ids, inverse_frequencies(8, 500.0))
    twice = {"halves": np.tile(once, 2), "interleaved": np.repeat(once, 2, axis=-1)}
    np.testing.assert_array_equal(turn, twice[order])


def test_dealt_axes_that_agree_are_1d_rope_of_the_whole_width():
    ids = np.arange(-4, 9)
    turn = axial_angles(np.stack([ids, ids], axis=-1), 16, 500.0, "dealt")
    whole = angles(ids, inverse_frequencies(16, 500.0))
    np.testing.assert_array_equal(turn, whole[:, [0, 2, 4, 6, 1, 3, 5, 7]])


@pytest.mark.parametrize("order", ORDERS)
def test_each_axis_turns_its_own_half_of_the_pairs(order):
    first = axial_angles([5, 0], 16, order=order) != 0
    second = axial_angles([0, 5], 16, order=order) != 0
    assert first.sum() == second.sum() == 4
    assert (first ^ second).all()


def test_report_28_offsets_on_both_axes_and_no_memory():
    """A 4x4 grid that starts at (3, 5): 5, not 3, on the second axis."""
    grid, rates = np.stack(np.indices((4, 4)), axis=-1), inverse_frequencies(4)
    before = axial_angles(grid, 8)
    shifted = axial_angles(grid + (3, 5), 8)
    np.testing.assert_array_equal(shifted[0, 0], np.concatenate([3 * rates, 5 * rates]))
    np.testing.assert_array_equal(axial_angles(grid, 8), before)
    np.testing.assert_array_equal(axial_angles(grid + (3, 5), 8), shifted)


def test_axial_and_mrope_are_mixed_with_zeros():
    """The same thing two ways: picking a coordinate, or a sum with zeros."""
    places = np.random.default_rng(2).integers(-99, 99, size=(6, 3))
    rates = inverse_frequencies(8)
    generators = np.kron(np.eye(2), rates)
    np.testing.assert_array_equal(
        axial_angles(places[:, :2], 16), mixed_angles(places[:, :2], generators)
    )
    axes = mrope_axes([4, 2, 2], interleaved=True)
    generators = (axes == np.arange(3)[:, None]) * R8
    turn = mrope_angles(places.T[:, None], R8, [4, 2, 2], interleaved=True)
    np.testing.assert_array_equal(turn[0], mixed_angles(places, generators))


def test_mixed_is_the_complex_exponential_of_the_paper(rng):
    theta, place, x = rng.normal(size=(2, 4)), (7, -3), rng.normal(size=8)
    z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * (theta[0] * 7 + theta[1] * -3))
    turned = rotate_by_angles(x, mixed_angles(place, theta))
    np.testing.assert_allclose(turned[0::2] + 1j * turned[1::2], z, rtol=1e-13)


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0, math.pi / 2])
def test_mixed_generators_are_axial_ones_on_turned_axes(turn):
    place, (c, s) = np.array([3.0, 8.0]), (math.cos(turn), math.sin(turn))
    along = [c * place[0] + s * place[1], -s * place[0] + c * place[1]]
    mixed = mixed_angles(place, mixed_generators(16, 10.0, turn))
    np.testing.assert_allclose(mixed, axial_angles(along, 16, 10.0), atol=1e-14)


def test_one_axis_is_1d_rope():
    turn = mixed_angles(IDS[..., None], R8[None])
    np.testing.assert_array_equal(turn, angles(IDS, R8))


coordinate = st.integers(-(2**20), 2**20)
place = st.tuples(coordinate, coordinate, coordinate)


def kinds(seed):
    """Every way to make angles of (t, h, w), by name; some drop the first."""
    theta = np.random.default_rng(seed).normal(size=(3, 8))
    for order in ORDERS:
        yield order, lambda p, order=order: axial_angles(p[1:], 16, order=order)
    yield "mixed", lambda p: mixed_angles(p, theta)
    yield "turned", lambda p: mixed_angles(p[1:], mixed_generators(16, 10.0, seed))
    for flag in (False, True):
        yield f"mrope {flag}", lambda p, flag=flag: mrope_angles(
            np.reshape(p, (3, 1, 1)), R8, [4, 2, 2], interleaved=flag
        )[0, 0]


@given(place, place, place, st.integers(0, 99))
def test_scores_are_relative_in_each_axis(m, n, shift, seed):
    rng = np.random.default_rng(seed)
    q, k = unit(rng, 16), unit(rng, 16)
    m, n, shift = np.array(m), np.array(n), np.array(shift)
    for name, turn in kinds(seed):
        here = dot(q, k, turn(m), turn(n))
        there = dot(q, k, turn(m + shift), turn(n + shift))
        offset = q @ rotate_by_angles(k, turn(n - m), "half")
        far = [turn(p) for p in (m, n, m + shift, n + shift)]
        assert abs(here - there) < slack(*far), name
        assert abs(here - offset) < slack(*far), name


@pytest.mark.parametrize("name", [name for name, _ in kinds(0)])
@pytest.mark.parametrize("axis", [1, 2])
def test_an_offset_along_either_axis_changes_the_score(name, axis, rng):
    turn, q = dict(kinds(0))[name], unit(rng, 16)
    step = 1000 * np.eye(3, dtype=int)[axis]  # a radian for the slowest pair
    assert abs(dot(q, q, turn(step * 0), turn(step)) - 1) > 1e-3


# Generators that do not commute.


def shift_error(generators, p, q):
    """Relative distance of R(p).T @ R(q) from R(q - p)."""
    places = [p, q, np.subtract(q, p)]
    at_p, at_q, offset = rotation_from_generators(places, generators)
    return np.linalg.norm(at_p.T @ at_q - offset) / np.linalg.norm(offset)


def test_mistake_16_generators_must_commute():
    """One draw of each gave 1.56 and 8e-15; here are 100 of each.

    Two rotations that have nothing to do with each other are sqrt(2) apart.
    """
    p, q, seeds = (3, 5), (7, 2), range(100)
    clash = [shift_error(noncommuting_generators(8, s), p, q) for s in seeds]
    agree = [shift_error(commuting_generators(8, s), p, q) for s in seeds]
    assert 1 < min(clash) < 1.56 < max(clash) < 2
    assert abs(np.mean(clash) - math.sqrt(2)) < 0.05
    assert max(agree) < 2e-14


def test_generators_are_skew_and_seeded():
    for make in (commuting_generators, noncommuting_generators):
        a, b = make(6, 3)
        np.testing.assert_allclose(a, -a.T, rtol=0, atol=1e-14)
        assert np.abs(a - b).max() > 0.1
        np.testing.assert_array_equal(make(6, 3), make(6, np.random.default_rng(3)))


def test_matrices_from_generators_are_rotations(rng):
    places = rng.integers(-20, 20, size=(4, 5, 2))
    turned = rotation_from_generators(places, noncommuting_generators(6, 0))
    assert turned.shape == (4, 5, 6, 6)
    eye = np.broadcast_to(np.eye(6), turned.shape)
    product = turned @ turned.swapaxes(-1, -2)
    np.testing.assert_allclose(product, eye, rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(turned), 1, rtol=1e-13)


def test_exponential_is_its_series():
    """A sum of powers, for a matrix small enough; also the sign of the turn."""
    generators = 0.1 * noncommuting_generators(6, 1)
    a = np.tensordot((2, -1), generators, 1)
    term = total = np.eye(6)
    for i in range(1, 40):
        term = term @ a / i
        total = total + term
    turned = rotation_from_generators((2, -1), generators)
    np.testing.assert_allclose(turned, total, rtol=0, atol=1e-13)


def test_planes_of_channels_give_mixed_angles(rng):
    """Block-diagonal generators: the matrix does what the angles do."""
    theta, place, x = rng.normal(size=(2, 4)), (5, -2), rng.normal(size=8)
    quarter = [[0, -1], [1, 0]]
    generators = np.array([np.kron(np.diag(row), quarter) for row in theta])
    turned = rotation_from_generators(place, generators) @ x
    expected = rotate_by_angles(x, mixed_angles(place, theta))
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-13)


# M-RoPE.


def letters(sections, interleaved):
    axes = mrope_axes(sections, interleaved=interleaved)
    return "".join("thw"[axis] for axis in axes)


def test_contiguous_sections():
    assert letters([16, 24, 24], False) == "t" * 16 + "h" * 24 + "w" * 24


def test_report_92_stride_of_three_is_bounded_by_the_sections():
    assert letters([24, 20, 20], True) == "thw" * 20 + "tttt"
    assert letters([11, 11, 10], True) == "thw" * 10 + "th"
    assert letters([5, 3, 2], True) == "thwthwthtt"


def test_report_92_the_flag_changes_the_angles_and_has_no_default():
    sections = [4, 2, 2]
    runs = mrope_angles(THW, R8, sections, interleaved=False)
    turns = mrope_angles(THW, R8, sections, interleaved=True)
    assert np.abs(runs - turns).max() > 0.1
    with pytest.raises(TypeError, match="interleaved"):
        mrope_angles(THW, R8, sections)


@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_of_equal_coordinates_is_1d_rope_to_the_bit(interleaved):
    flag = {"interleaved": interleaved}
    expected = angles(IDS, R8)
    same = np.stack([IDS] * 3)
    np.testing.assert_array_equal(mrope_angles(same, R8, [4, 2, 2], **flag), expected)
    np.testing.assert_array_equal(mrope_angles(IDS, R8, [4, 2, 2], **flag), expected)


def test_mrope_takes_scaled_rates():
    turn = mrope_angles(IDS, R8 / 8, [4, 2, 2], interleaved=False)
    np.testing.assert_array_equal(turn, angles(IDS, R8 / 8))


@pytest.mark.parametrize("interleaved", [False, True])
def test_report_94_packed_text_keeps_its_positions(interleaved, rng):
    """[0 1 2 0 1] in one row and [0 1 0 1 2] in the other."""
    x = rng.normal(size=(2, 4, 5, 16))
    ids = np.array([[0, 1, 2, 0, 1], [0, 1, 0, 1, 2]])
    turn = mrope_angles(ids, R8, [4, 2, 2], interleaved=interleaved)
    np.testing.assert_array_equal(turn[0, 3:], turn[0, :2])
    np.testing.assert_array_equal(turn[1, 2:], turn[0, :3])
    turned = rotate_by_angles(x, turn[:, None], "half")
    expected = rotate(x, ids[:, None], R8, "half")
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-14)


def test_report_94_a_batch_of_three_and_one_text_are_told_apart():
    """The message says how to write either, and both ways work."""
    ids, flag = np.arange(15).reshape(3, 5), {"interleaved": False}
    with pytest.raises(ValueError, match=r"stack\(\[ids\] \* 3\).*ids\[:, None\]"):
        mrope_angles(ids, R8, [4, 2, 2], **flag)
    texts = mrope_angles(np.stack([ids] * 3), R8, [4, 2, 2], **flag)
    np.testing.assert_array_equal(texts, angles(ids, R8))
    one = mrope_angles(ids[:, None], R8, [4, 2, 2], **flag)
    assert one.shape == (1, 5, 8)
    np.testing.assert_array_equal(one[0, :, 4], ids[1] * R8[4])


def test_report_95_three_rows_of_positions_are_n_tokens(rng):
    """(3, N) positions read as 3N tokens would write past the end of q."""
    thw, q = rng.integers(0, 50, (3, 1, 7)), np.full((1, 2, 9, 16), 7.0)
    turn = mrope_angles(thw, R8, [4, 2, 2], interleaved=True)
    assert turn.shape == (1, 7, 8)
    q[:, :, :7] = rotate_by_angles(q[:, :, :7], turn[:, None], "half")
    assert (q[:, :, 7:] == 7.0).all()
    with pytest.raises(ValueError, match=r"\(21,\)"):
        mrope_angles(thw.ravel(), R8, [4, 2, 2], interleaved=True)


# xPos.


@given(coordinate, coordinate, st.integers(-99_999, 99_999), st.integers(0, 99))
def test_xpos_scores_are_relative_and_the_center_cancels(m, n, center, seed):
    """Both scores against the sum over pairs, which knows n - m alone."""
    m, n, rng = m % 2**16, n % 2**16, np.random.default_rng(seed)
    q, k = unit(rng, 16), unit(rng, 16)
    z = np.conj(q[0::2] + 1j * q[1::2]) * (k[0::2] + 1j * k[1::2])
    growth = xpos_zeta(16) ** ((m - n) / 512)
    expected = (z * growth * np.exp(1j * angles(n - m, R8))).real.sum()
    # As for the angles, and the powers: their exponents are below 2**9.
    room = (slack(angles([m, n], R8)) + 2**-40) * max(1, growth.max())
    for c in (0, center):
        query, key = xpos_scales([m, n], 16, center=c)
        turned_q = rotate_by_angles(q, angles(m, R8), scale=query[0])
        turned_k = rotate_by_angles(k, angles(n, R8), scale=key[1])
        assert abs(turned_q @ turned_k - expected) < room


def test_xpos_damps_what_comes_before_and_blows_up_what_comes_later():
    zeta = xpos_zeta(16)
    query, key = xpos_scales(np.arange(0, 4096, 512), 16)
    growth = query[4] * key  # a query at 2048
    np.testing.assert_allclose(growth[4], 1, rtol=1e-13)
    np.testing.assert_allclose(growth[3], zeta, rtol=1e-13)
    np.testing.assert_allclose(growth[5], 1 / zeta, rtol=1e-13)
    assert (np.diff(growth, axis=0) > 0).all()


def test_xpos_of_equal_positions_is_plain_rope():
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=(2, 16))
    query, key = xpos_scales(100, 16)
    turned = rotate_by_angles(q, angles(100, R8), scale=query) @ rotate_by_angles(
        k, angles(100, R8), scale=key
    )
    assert math.isclose(turned, score(q, k, 100, 100, R8), rel_tol=1e-12)


@pytest.mark.parametrize("dtype, last", [("float16", 4532), ("float32", 36260)])
def test_xpos_overflows_in_narrow_types(dtype, last):
    """The key scale is the one that overflows, and the position is exact."""
    assert int(xpos_reach(dtype)) == last
    _, key = xpos_scales([last, last + 1], 64)
    with np.errstate(over="ignore"):
        stored = key.astype(dtype)
    assert np.isfinite(stored[0]).all()
    assert np.isinf(stored[1, 0])
    assert np.isfinite(stored[1, 1:]).all()
    query, _ = xpos_scales([-last - 1], 64)
    with np.errstate(over="ignore"):
        assert np.isinf(query.astype(dtype)[0, 0])


def test_xpos_centered_positions_reach_twice_as_far():
    ids, middle = np.arange(0, 70_000, 1000), 35_000
    with np.errstate(over="ignore"):
        plain = xpos_scales(ids, 64)[1].astype(np.float32)
        centered = np.array(xpos_scales(ids, 64, center=middle), np.float32)
    assert np.isinf(plain).any()
    assert np.isfinite(centered).all()
    assert (centered > 0).all()


def test_xpos_reach_grows_with_the_scale_base():
    assert math.isclose(xpos_reach("float32", 64) * 8, xpos_reach("float32"))
    edge = int(xpos_reach("float64"))
    assert np.isfinite(xpos_scales([-edge, edge], 4)).all()


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_report_7_low_precision_does_not_leak_in(dtype):
    """Whatever holds the positions, angles and scales are those of float64."""
    ids = np.array([[0, 1], [5, 7]], dtype)
    wide = ids.astype(float)
    for make in (
        lambda p: axial_angles(p, 16),
        lambda p: mrope_angles(p, R8, [4, 2, 2], interleaved=True),
        lambda p: mixed_angles(p, mixed_generators(16, 10.0, 0.3)),
        lambda p: np.array(xpos_scales(p, 16)),
    ):
        assert make(ids).dtype == np.float64
        np.testing.assert_array_equal(make(ids), make(wide))


def test_report_7_a_rounded_table_leaves_no_trace():
    """Results are the caller's own: nothing is kept that a cast could spoil."""
    for make in (
        lambda: xpos_zeta(16),
        lambda: xpos_scales(IDS, 16)[0],
        lambda: axial_angles(THW[:2].T, 16),
        lambda: mrope_angles(IDS, R8, [4, 2, 2], interleaved=False),
    ):
        fresh, spoiled = make().copy(), make()
        spoiled[...] = spoiled.astype(np.float16)
        np.testing.assert_array_equal(make(), fresh)


# Malformed calls.


def mrope(ids=THW, sections=(4, 2, 2), rates=R8, interleaved=False):
    return mrope_angles(ids, rates, sections, interleaved=interleaved)


def by(turn, x=None, **options):
    x = np.ones((2, 3, 5, 16)) if x is None else x
    return rotate_by_angles(x, turn, **options)


CALLS = [
    # axial
    ("three coordinates", lambda: axial_angles([1, 2, 3], 8), V, r"2 coord.*\(3,\)"),
    ("axes first", lambda: axial_angles(np.ones((2, 5)), 8), V, r"last.*\(2, 5\)"),
    ("a number", lambda: axial_angles(3, 8), V, r"positions.*2 coord.*\(\)"),
    ("NaN", lambda: axial_angles([0, np.nan], 8), V, "positions must be finite.*nan"),
    ("bool", lambda: axial_angles([True, False], 8), T, "positions.*bool"),
    ("ragged", lambda: axial_angles([[1, 2], [3]], 8), V, "positions must be rect"),
    ("odd width", lambda: axial_angles([1, 2], 7), V, "rotary_dim must be even.*7"),
    ("width of 6", lambda: axial_angles([1, 2], 6), V, "multiple of 4.*6"),
    ("negative width", lambda: axial_angles([1, 2], -8), V, "positive, got -8"),
    ("float width", lambda: axial_angles([1, 2], 8.0), T, "rotary_dim.*integer"),
    ("base", lambda: axial_angles([1, 2], 8, 1), V, "base.*above 1"),
    ("base, dealt", lambda: axial_angles([1, 2], 8, 0, "dealt"), V, "base.*above 1"),
    ("order", lambda: axial_angles([1, 2], 8, order="xy"), V, "order.*'dealt'.*'xy'"),
    ("no order", lambda: axial_angles([1, 2], 8, order=None), V, "order.*None"),
    # mixed
    ("one generator, flat", lambda: mixed_angles([1, 2], R8), V, r"2-D.*\(8,\)"),
    ("too many axes", lambda: mixed_angles([1, 2, 3], np.ones((2, 4))),
     V, "2 coordinates"),
    ("generators by pair", lambda: mixed_angles([1, 2], np.ones((4, 2))),
     V, r"4 coordinates.*\(2,\)"),
    ("no generators", lambda: mixed_angles([], np.ones((0, 4))), V, "generators"),
    ("NaN rates", lambda: mixed_angles([1], [[np.nan]]), V, "generators.*finite.*nan"),
    ("complex rates", lambda: mixed_angles([1], [[1j]]), T, "generators.*complex"),
    ("mixed past float64", lambda: mixed_angles([2.0**53], [[1e300]]), V,
     "positions times generators must be angles that float64 holds, got inf"),
    ("matrix past float64", lambda: rotation_from_generators(
        [2**53], [[[0, 1e300], [-1e300, 0]]]), V, "times generators must be angles"),
    ("M-RoPE past float64", lambda: mrope([[10**15]], (1, 1, 1), [1e300, 1, 1]), V,
     "positions times inv_freq must be angles"),
    ("sections without an order", lambda: mrope(sections={4, 2, 3}), T,
     r"sections must be 3 integers \(t, h, w\), got \{"),
    ("sections as bytes", lambda: mrope(sections=b"abc"), T, "sections must be 3"),
    ("one part, bare", lambda: mrope_position_ids(5), T,
     "parts must be a list of parts, got 5"),
    ("turned, width", lambda: mixed_generators(6), V, "multiple of 4.*6"),
    ("two turns", lambda: mixed_generators(8, turn=[0, 1]), V, r"turn.*one.*\(2,\)"),
    ("NaN turn", lambda: mixed_generators(8, turn=np.nan), V, "turn must be finite"),
    ("bool turn", lambda: mixed_generators(8, turn=True), T, "turn.*bool"),
    # dense generators
    ("commuting, odd", lambda: commuting_generators(5, 0), V, "even.*5"),
    ("clashing, odd", lambda: noncommuting_generators(5, 0), V, "even.*5"),
    ("one plane", lambda: noncommuting_generators(2, 0), V, "above 2.*got 2"),
    ("symmetric", lambda: rotation_from_generators([1], [np.eye(2)]), V, "skew.*2.0"),
    ("oblong", lambda: rotation_from_generators([1], np.ones((1, 2, 3))),
     V, r"square.*\(1, 2, 3\)"),
    ("one matrix, flat", lambda: rotation_from_generators([1], SKEW[0]),
     V, r"\(axes, d, d\).*\(4, 4\)"),
    ("NaN matrix", lambda: rotation_from_generators([1], np.full((1, 2, 2), np.nan)),
     V, "finite"),
    ("place of 3", lambda: rotation_from_generators([1, 2, 3], SKEW), V, "2 coord"),
    # sections
    ("too few pairs", lambda: mrope(sections=(2, 2, 2)), V, "add up.*= 8 pairs, got 6"),
    ("doubled", lambda: mrope(sections=(8, 4, 4)), V, "add up.*= 8 pairs, got 16"),
    ("two sections", lambda: mrope(sections=(4, 4)), V, "3 integers.*got 2"),
    ("four sections", lambda: mrope(sections=[2, 2, 2, 2]), V, "3 integers.*got 4"),
    ("negative section", lambda: mrope(sections=(12, -2, -2)),
     V, r"sections\[1\] must be positive, got -2"),
    ("empty section", lambda: mrope(sections=(4, 4, 0)), V, r"sections\[2\].*0"),
    ("float section", lambda: mrope(sections=(4.0, 2, 2)), T, r"sections\[0\].*4.0"),
    ("a number of sections", lambda: mrope(sections=8), T, "sections.*3 integers.*8"),
    ("text sections", lambda: mrope(sections="thw"), T, "sections.*'thw'"),
    ("no sections", lambda: mrope(sections=None), T, "sections.*None"),
    ("h and w too long", lambda: mrope_axes([16, 24, 24], interleaved=True),
     V, r"every third of 64 pairs gives \[22, 21, 21\]"),
    ("h too long", lambda: mrope_axes([2, 3, 1], interleaved=True), V, "cannot"),
    ("flag of 1", lambda: mrope(interleaved=1), T, "interleaved.*True or False, got 1"),
    ("flag of None", lambda: mrope(interleaved=None), T, "interleaved.*None"),
    # positions of M-RoPE
    ("report 94: four rows", lambda: mrope(np.ones((4, 2, 5))), V, r"write ids\[1:\]"),
    ("report 94: batch of 3", lambda: mrope(np.ones((3, 5))), V, "batch of 3 texts"),
    ("coordinates last", lambda: mrope(np.ones((2, 5, 3))), V, r"\(2, 5, 3\)"),
    ("coordinates second", lambda: mrope(np.ones((2, 3, 5))), V, r"\(2, 3, 5\)"),
    ("one row of text", lambda: mrope(np.arange(5)), V, r"\(batch, seq.*\(5,\)"),
    ("one token", lambda: mrope(3), V, r"got \(\)"),
    ("four axes", lambda: mrope(np.ones((3, 1, 2, 5))), V, r"\(3, 1, 2, 5\)"),
    ("infinite", lambda: mrope(np.full((2, 5), np.inf)), V, "position_ids.*finite"),
    ("text", lambda: mrope([["a", "b"]]), T, "position_ids.*integers"),
    ("no rates", lambda: mrope(rates=[]), V, "inv_freq.*one rate"),
    # xPos
    ("xpos, odd", lambda: xpos_zeta(7), V, "even.*7"),
    ("xpos, negative", lambda: xpos_scales(0, -4), V, "positive.*-4"),
    ("scale base", lambda: xpos_scales(0, 4, 0), V, "scale_base.*above 0, got 0"),
    ("scale base < 0", lambda: xpos_reach("float32", -1), V, "scale_base.*above 0"),
    ("scale base, NaN", lambda: xpos_scales(0, 4, np.nan), V, "scale_base.*finite"),
    ("scale base, list", lambda: xpos_scales(0, 4, [512]), V, "scale_base.*one number"),
    ("center, None", lambda: xpos_scales(0, 4, center=None), T, "center must hold"),
    ("centers", lambda: xpos_scales([0], 4, center=[0]), V, r"center.*one.*\(1,\)"),
    ("overflow", lambda: xpos_scales([0, 300_000], 4), V, "290085.* tokens.*300000"),
    ("overflow, before", lambda: xpos_scales(0, 4, center=1e6), V, "center.*got 0"),
    ("integer type", lambda: xpos_reach("int32"), T, "dtype.*float type.*'int32'"),
    ("no type", lambda: xpos_reach("bfloat16"), T, "dtype.*'bfloat16'"),
    # rotation by angles
    ("angle a number", lambda: by(1.0), V, "angle must be a vector"),
    ("too few angles", lambda: by(np.ones(7)), V,
     r"x.shape\[-1\] must be 2\*angle.shape\[-1\] = 14, got 16"),
    ("partial, other", lambda: by(np.ones(4), rotary_dim=6), V, "rotary_dim.*= 8.*6"),
    ("partial, too wide", lambda: by(np.ones(9), rotary_dim=18), V, "head_dim = 16"),
    ("no angles", lambda: by(np.ones((5, 0)), rotary_dim=0), V, "rotary_dim.*positive"),
    ("batch angles", lambda: by(np.ones((2, 5, 8))), V,
     r"angle\[\.\.\., 0\] of shape \(2, 5\).*\[:, None, :\]"),
    ("long angles", lambda: by(np.ones((4, 8))), V, r"\(4,\) does not fit x"),
    ("NaN angle", lambda: by(np.full(8, np.nan)), V, "angle must be finite"),
    ("complex angle", lambda: by(np.full(8, 1j)), T, "angle.*complex"),
    ("layout of angles", lambda: by(np.ones(8), layout="thw"), V, "layout.*'thw'"),
    ("scale of pairs", lambda: by(np.ones((5, 8)), scale=np.ones(8)),
     V, r"scale.*\(5, 8\), got shape \(8,\)"),
    ("infinite scale", lambda: by(np.ones(8), scale=np.inf), V, "scale.*finite.*inf"),
    ("text scale", lambda: by(np.ones(8), scale="2"), T, "scale must hold"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])  # fmt: skip
def test_malformed_calls_say_what_would_be_right(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert type(caught.value) is kind
