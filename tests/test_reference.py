"""The five forms: an independent oracle, their laws, shapes and bug reports."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rope_edu import angles, inverse_frequencies, rotate, score, unrotate
from rope_edu.layouts import interleaved_to_half, permutation
from rope_edu.reference import (
    rotate_blocks,
    rotate_complex,
    rotate_dense,
    rotate_half_split,
    rotate_interleaved,
    rotation_matrix,
)

ULP = 2.0**-53
LAYOUTS = ("interleaved", "half")
FORMS = {
    ("dense", "interleaved"): rotate_dense,
    ("dense", "half"): rotate_dense,
    ("blocks", "interleaved"): rotate_blocks,
    ("blocks", "half"): rotate_blocks,
    ("complex", "interleaved"): rotate_complex,
    ("complex", "half"): rotate_complex,
    ("elementwise", "interleaved"): rotate_interleaved,
    ("elementwise", "half"): rotate_half_split,
    ("entry", "interleaved"): rotate,
    ("entry", "half"): rotate,
}


def call(form, x, ids, rates, rotary_dim=None):
    """Run one form in its layout, however the layout is passed."""
    kind, layout = form
    if kind == "elementwise":
        return FORMS[form](x, ids, rates, rotary_dim=rotary_dim)
    return FORMS[form](x, ids, rates, layout=layout, rotary_dim=rotary_dim)


@pytest.fixture(params=FORMS, ids="-".join)
def form(request):
    return request.param


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def oracle(vector, m, rates, layout):
    """One vector at one position, pair by pair, without NumPy arithmetic."""
    out, half = [float(v) for v in vector], len(rates)
    for i, rate in enumerate(rates):
        one, two = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
        turned = complex(vector[one], vector[two]) * cmath.rect(1, m * float(rate))
        out[one], out[two] = turned.real, turned.imag
    return out


def slack(size, *positions):
    """Rounding allowed for vectors of length `size` turned at `positions`.

    The fastest rate is 1, so an angle is off by at most |m| ulp and moves
    the end of a vector by as much of its length. Each turn adds a cosine, a
    sine, two products and a sum, below 8 ulp together; a sum over 16
    channels adds another 16.
    """
    return size * ULP * (16 + sum(abs(m) + 8 for m in positions)) + 1e-300


# --- the five forms against the oracle ------------------------------------


@pytest.mark.parametrize("m", [0, 1, -3, 2.5, 4095, -70001])
def test_each_form_matches_pairwise_complex_arithmetic(form, m, rng):
    rates = inverse_frequencies(8)
    x = rng.normal(size=8)
    expected = oracle(x, m, rates, form[1])
    size = np.linalg.norm(x)
    assert np.abs(call(form, x, m, rates) - expected).max() <= slack(size, m)


@pytest.mark.parametrize("shape", [(5, 8), (1, 8), (2, 5, 8), (2, 3, 5, 8), (0, 8)])
def test_each_form_places_the_sequence_on_the_second_last_axis(form, shape, rng):
    x, rates = rng.normal(size=shape), inverse_frequencies(8)
    ids = rng.integers(-50, 50, size=shape[-2])
    y = call(form, x, ids, rates)
    assert y.shape == x.shape and y.dtype == np.float64
    for where in np.ndindex(shape[:-1]):
        expected = oracle(x[where], ids[where[-1]], rates, form[1])
        np.testing.assert_allclose(y[where], expected, rtol=0, atol=slack(9, 50))


def test_each_form_passes_the_tail_through(form, rng):
    x, rates = rng.normal(size=(3, 5, 11)), inverse_frequencies(6)
    y = call(form, x, np.arange(5), rates, rotary_dim=6)
    np.testing.assert_array_equal(y[..., 6:], x[..., 6:])
    turned = call(form, x[..., :6], np.arange(5), rates)
    np.testing.assert_array_equal(y[..., :6], turned)
    assert not np.array_equal(y[:, 1:, :6], x[:, 1:, :6])


def test_each_form_places_a_single_vector_at_every_position(form, rng):
    x, rates = rng.normal(size=10), inverse_frequencies(8)
    ids = np.array([[0, 1, 2], [7, -7, 30]])
    y = call(form, x, ids, rates, rotary_dim=8)
    assert y.shape == (2, 3, 10)
    for where in np.ndindex(ids.shape):
        turned = call(form, x, ids[where], rates, rotary_dim=8)
        np.testing.assert_allclose(y[where], turned, rtol=0, atol=slack(9))


def test_each_form_leaves_its_arguments_alone(form):
    args = np.arange(12.0).reshape(2, 6), np.array([0, 3]), np.array([1.0, 0.5])
    kept = [array.copy() for array in args]
    for array in args:
        array.flags.writeable = False
    y = call(form, *args, rotary_dim=4)
    y[:] = -1  # a view of x would raise, or write into it
    for array, before in zip(args, kept):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32, np.float64])
def test_each_form_computes_in_float64_whatever_comes_in(form, dtype):
    x, rates = np.array([1, 2, 3, 4], dtype=dtype), inverse_frequencies(4)
    y = call(form, x, 3, rates)
    assert y.dtype == np.float64
    np.testing.assert_array_equal(y, call(form, [1.0, 2.0, 3.0, 4.0], 3, rates))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_numbers_spoil_their_own_pair_and_token_only(form, bad):
    x = np.ones((2, 6))
    x[0, 2] = bad
    with np.errstate(invalid="ignore"):
        y = call(form, x, [1, 1], inverse_frequencies(6))
    pair = [2, 3] if form[1] == "interleaved" else [2, 5]
    spoiled = slice(None) if form[0] == "dense" else pair
    assert not np.isfinite(y[0, spoiled]).any()
    assert np.isfinite(y[1]).all()
    if form[0] != "dense":
        assert np.isfinite(np.delete(y[0], pair)).all()


def test_bad_numbers_in_the_tail_pass_through(form):
    x = [1.0, 2.0, np.nan, np.inf]
    y = call(form, x, 1, [1.0], rotary_dim=2)
    assert np.isfinite(y[:2]).all()
    assert np.isnan(y[2]) and y[3] == np.inf


# --- the matrix ------------------------------------------------------------


def test_matrix_turns_counterclockwise():
    c, s = math.cos(2), math.sin(2)
    np.testing.assert_array_equal(rotation_matrix(2, [1.0]), [[c, -s], [s, c]])


def test_matrix_of_two_pairs_in_both_layouts():
    c, s, d, t = math.cos(1), math.sin(1), math.cos(0.5), math.sin(0.5)
    inter = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, d, -t], [0, 0, t, d]]
    half = [[c, 0, -s, 0], [0, d, 0, -t], [s, 0, c, 0], [0, t, 0, d]]
    rates = [1.0, 0.5]
    np.testing.assert_array_equal(rotation_matrix(1, rates), inter)
    np.testing.assert_array_equal(rotation_matrix(1, rates, "half"), half)


def test_layouts_are_the_same_matrix_reordered():
    rates, order = inverse_frequencies(8), permutation(8)
    inter = rotation_matrix(7, rates)[np.ix_(order, order)]
    np.testing.assert_array_equal(inter, rotation_matrix(7, rates, "half"))


def test_row_convention_multiplies_from_the_right(layout, rng):
    x, rates = rng.normal(size=8), inverse_frequencies(8)
    row = rotation_matrix(5, rates, layout, convention="row")
    column = rotation_matrix(5, rates, layout, "column")
    np.testing.assert_array_equal(row, column.T)
    expected = oracle(x, 5, rates, layout)
    np.testing.assert_allclose(x @ row, expected, rtol=0, atol=slack(9, 5))
    np.testing.assert_allclose(column @ x, expected, rtol=0, atol=slack(9, 5))


@pytest.mark.parametrize("m, n", [(0, 0), (3, 8), (-4, 2**20), (65537, 12)])
def test_matrix_is_a_rotation_and_sees_only_the_offset(layout, m, n):
    rates = inverse_frequencies(8)
    at_m, at_n = (rotation_matrix(p, rates, layout) for p in (m, n))
    close = {"rtol": 0, "atol": slack(1, m, n, n - m)}
    np.testing.assert_allclose(at_m.T @ at_m, np.eye(8), **close)
    np.testing.assert_allclose(np.linalg.det(at_m), 1, rtol=64 * ULP)
    np.testing.assert_allclose(
        at_m.T @ at_n, rotation_matrix(n - m, rates, layout), **close
    )
    np.testing.assert_array_equal(at_m.T, rotation_matrix(-m, rates, layout))


def test_matrices_of_several_positions():
    stack = rotation_matrix([[0, 1, 2]], [1.0, 0.1])
    assert stack.shape == (1, 3, 4, 4)
    np.testing.assert_array_equal(stack[0, 2], rotation_matrix(2, [1.0, 0.1]))


# --- laws, on random vectors and positions to 2**20 ------------------------

POSITIONS = st.integers(-(2**20), 2**20)
PLACES = st.sampled_from(LAYOUTS)
NUMBERS = st.floats(-4, 4, allow_subnormal=False)
BASES = st.sampled_from([10000.0, 500000.0, 1e6])


@st.composite
def vectors(draw, count):
    pairs = draw(st.integers(1, 8))
    drawn = draw(arrays(np.float64, (count, 2 * pairs), elements=NUMBERS))
    return (*drawn, inverse_frequencies(2 * pairs, draw(BASES)))


def law(*strategies):
    """`given` without its time limit, which a busy machine would exceed."""
    return lambda test: settings(deadline=None)(given(*strategies)(test))


def length(*xs):
    return math.prod(math.hypot(*x) for x in xs)  # safe for tiny numbers


@law(vectors(2), POSITIONS, POSITIONS, POSITIONS, PLACES)
def test_law_a_score_does_not_feel_a_shift(qk, m, n, shift, layout):
    q, k, rates = qk
    before = score(q, k, m, n, rates, layout)
    after = score(q, k, m + shift, n + shift, rates, layout)
    allowed = slack(length(q, k), m, n, m + shift, n + shift)
    assert abs(before - after) <= allowed


@law(vectors(2), POSITIONS, POSITIONS, PLACES)
def test_law_a_score_is_q_times_the_matrix_of_n_minus_m_times_k(qk, m, n, layout):
    q, k, rates = qk
    by_matrix = q @ rotation_matrix(n - m, rates, layout) @ k
    allowed = slack(length(q, k), m, n, n - m)
    assert abs(score(q, k, m, n, rates, layout) - by_matrix) <= allowed


@law(vectors(1), POSITIONS, POSITIONS, PLACES)
def test_law_turns_add_up(xs, a, b, layout):
    x, rates = xs
    twice = rotate(rotate(x, a, rates, layout), b, rates, layout)
    once = rotate(x, a + b, rates, layout)
    assert np.abs(twice - once).max() <= slack(length(x), a, b, a + b)


@law(vectors(1), POSITIONS, PLACES)
def test_law_unrotate_undoes_rotate(xs, m, layout):
    x, rates = xs
    back = unrotate(rotate(x, m, rates, layout), m, rates, layout)
    # The same angle both ways, so that its error cancels.
    assert np.abs(back - x).max() <= slack(length(x), 0, 0)


@law(vectors(1), POSITIONS, PLACES)
def test_law_length_is_kept(xs, m, layout):
    x, rates = xs
    turned = rotate(x, m, rates, layout)
    assert abs(length(turned) - length(x)) <= slack(length(x), 0)


@law(vectors(2), NUMBERS, POSITIONS, PLACES)
def test_law_rotation_is_linear(xy, a, m, layout):
    x, y, rates = xy
    joined = rotate(a * x + y, m, rates, layout)
    apart = a * rotate(x, m, rates, layout) + rotate(y, m, rates, layout)
    # The same angle on both sides, so that its error cancels.
    allowed = slack(abs(a) * length(x) + length(y), 0, 0)
    assert np.abs(joined - apart).max() <= allowed


@law(vectors(1), POSITIONS)
def test_law_layouts_are_conjugate(xs, m):
    x, rates = xs
    moved = rotate(interleaved_to_half(x), m, rates, "half")
    np.testing.assert_array_equal(moved, interleaved_to_half(rotate(x, m, rates)))


@law(vectors(3), st.lists(POSITIONS, min_size=3, max_size=3), PLACES)
def test_law_a_batch_is_its_rows(xs, ids, layout):
    *rows, rates = xs
    batch = rotate(np.stack(rows), ids, rates, layout)
    for turned, row, m in zip(batch, rows, ids):
        # Wide and narrow arrays may take other code paths for cosines.
        alone = rotate(row, m, rates, layout)
        assert np.abs(turned - alone).max() <= slack(length(row), 0)


@law(vectors(1), POSITIONS, PLACES)
def test_law_all_forms_agree(xs, m, layout):
    x, rates = xs
    expected = oracle(x, m, rates, layout)
    for kind, where in FORMS:
        if where == layout:
            got = call((kind, where), x, m, rates)
            assert np.abs(got - expected).max() <= slack(length(x), 0)


# --- scores ----------------------------------------------------------------


def test_score_is_signed_in_the_offset():
    q, k, rates = [1.0, 0.0], [0.0, 1.0], [1.0]
    assert score(q, k, 0, 1, rates) == pytest.approx(-math.sin(1), abs=4 * ULP)
    assert score(q, k, 1, 0, rates) == pytest.approx(math.sin(1), abs=4 * ULP)


def test_score_of_partial_vectors_adds_the_unrotated_part():
    q, k = [1.0, 0.0, 2.0], [1.0, 0.0, 5.0]
    result = score(q, k, 0, 3, [1.0], rotary_dim=2)
    assert result == pytest.approx(math.cos(3) + 10, abs=32 * ULP)


def test_scores_of_all_pairs_of_positions(rng):
    q, k = rng.normal(size=(2, 8))
    rates = inverse_frequencies(8)
    m, n = np.arange(3)[:, None], np.arange(4)[None, :]
    table = score(q, k, m, n, rates)
    assert table.shape == (3, 4)
    np.testing.assert_allclose(table[2, 3], score(q, k, 2, 3, rates), rtol=1e-13)


def test_scores_of_rows_are_taken_one_by_one(rng):
    q, k = rng.normal(size=(2, 5, 8))
    result = score(q, k, np.arange(5), 0, inverse_frequencies(8))
    for i in range(5):
        alone = score(q[i], k[i], i, 0, inverse_frequencies(8))
        np.testing.assert_allclose(result[i], alone, rtol=1e-12, atol=1e-14)


def test_unrotate_takes_every_kind_of_position(layout, rng):
    x, rates = rng.normal(size=(2, 3, 9)), inverse_frequencies(8)
    for ids in (4, [1, 2, 3], np.array([[5, 6, 7]], dtype=np.uint8)):
        y = rotate(x, ids, rates, layout, 8)
        back = unrotate(y, ids, rates, layout, 8)
        np.testing.assert_allclose(back, x, rtol=0, atol=slack(9, 0, 0))


# --- positions -------------------------------------------------------------


def test_positions_broadcast_only_axis_by_axis(rng):
    x, rates = rng.normal(size=(2, 3, 5, 4)), inverse_frequencies(4)
    full = rng.integers(0, 90, size=(2, 3, 5))
    np.testing.assert_array_equal(
        rotate(x, full[:1, :1], rates), rotate(x, full[0, 0], rates)
    )
    y = rotate(x, full[:, :1], rates)
    for b in range(2):
        np.testing.assert_array_equal(y[b], rotate(x[b], full[b, 0], rates))


def test_one_number_places_every_vector_alike(rng):
    x = rng.normal(size=(3, 5, 4))
    same = rotate(x, np.full(5, 7), [1.0, 0.1])
    np.testing.assert_array_equal(rotate(x, 7, [1.0, 0.1]), same)


def test_position_zero_is_the_identity(form, rng):
    x = rng.normal(size=(4, 8))
    np.testing.assert_array_equal(call(form, x, 0, inverse_frequencies(8)), x)


# --- bug reports of other libraries ----------------------------------------


def test_report_11_positions_256_and_257_differ():
    y = rotate(np.ones(8), [256, 257], inverse_frequencies(8))
    for turned, m in zip(y, (256, 257)):
        expected = oracle(np.ones(8), m, inverse_frequencies(8), "interleaved")
        np.testing.assert_allclose(turned, expected, rtol=0, atol=slack(3, m))
    assert np.abs(y[0] - y[1]).max() > 0.5


def test_report_22_long_calls_leave_no_trace(rng):
    x, rates = rng.normal(size=(25, 8)), inverse_frequencies(8)
    before = rotate(x, np.arange(25), rates)
    rotate(np.zeros((8000, 8)), np.arange(8000), rates)
    np.testing.assert_array_equal(rotate(x, np.arange(25), rates), before)


@pytest.mark.parametrize("m", [7, 8, 19, 4095, 4096, 4097])
def test_reports_32_34_no_table_runs_out(m, layout):
    x, rates = np.arange(1.0, 9.0), inverse_frequencies(8)
    expected = oracle(x, m, rates, layout)
    np.testing.assert_allclose(
        rotate(x, m, rates, layout), expected, rtol=0, atol=slack(15, m)
    )


def test_report_37_left_padding_with_its_own_ids(rng):
    x, rates = rng.normal(size=(1, 2, 4, 8)), inverse_frequencies(8)
    padded = rotate(x, np.array([1, 1, 0, 1])[None, None], rates)
    alone = rotate(x[:, :, 2:], [0, 1], rates)
    np.testing.assert_array_equal(padded[:, :, 2:], alone)


def test_report_38_each_row_has_its_own_decode_position(rng):
    x, rates = rng.normal(size=(2, 3, 1, 8)), inverse_frequencies(8)
    y = rotate(x, np.array([[5], [9]])[:, None, :], rates)
    for row, m in enumerate([5, 9]):
        np.testing.assert_allclose(
            y[row], rotate(x[row], m, rates), rtol=0, atol=slack(9)
        )
    with pytest.raises(ValueError, match="None"):
        rotate(x, [[5], [9]], rates)


def test_reports_40_43_packed_documents_start_again(rng):
    x, rates = np.tile(rng.normal(size=(1, 8)), (5, 1)), inverse_frequencies(8)
    y = rotate(x, [0, 1, 2, 0, 1], rates)
    np.testing.assert_array_equal(y[3:], y[:2])
    assert not np.array_equal(y[2], y[3])


def test_report_41_positions_need_not_grow(rng):
    x, rates = rng.normal(size=(3, 8)), inverse_frequencies(8)
    y = rotate(x, [3, 1, 7], rates)
    for row, m in enumerate([3, 1, 7]):
        np.testing.assert_allclose(
            y[row], rotate(x[row], m, rates), rtol=0, atol=slack(9)
        )


def test_report_44_a_share_of_packed_texts_keeps_its_own_positions(rng):
    """Rank 0 of 2 holds the first and the last quarter of each text.

    Its positions are 0 and 3 in either text, not 0, 3, 4 and 7 in one row.
    """
    x, rates = rng.normal(size=(8, 8)), inverse_frequencies(8)
    whole, share = rotate(x, [0, 1, 2, 3, 0, 1, 2, 3], rates), [0, 3, 4, 7]
    np.testing.assert_array_equal(rotate(x[share], [0, 3, 0, 3], rates), whole[share])
    assert not np.allclose(rotate(x[share], share, rates), whole[share])


def test_report_46_a_decode_step_equals_the_last_row_of_a_prefill(rng):
    q, rates = rng.normal(size=(6, 8)), inverse_frequencies(8)
    prefill = rotate(q, np.arange(6), rates)
    step = rotate(q[5:], [5], rates)
    np.testing.assert_allclose(step[0], prefill[5], rtol=0, atol=slack(9))
    assert not np.allclose(step[0], q[5])


def test_report_47_offset_minus_one_is_not_the_last_place(layout):
    x, rates = np.arange(1.0, 9.0), inverse_frequencies(8)
    expected = oracle(x, -1, rates, layout)
    turned = rotate(x, -1, rates, layout)
    np.testing.assert_allclose(turned, expected, rtol=0, atol=slack(15, 1))


def test_reports_50_70_one_head_and_one_token_are_rotated(form, rng):
    vector, rates = rng.normal(size=64), inverse_frequencies(64)
    x = np.broadcast_to(vector, (3, 2, 1, 64))
    y = call(form, x, [4], rates)
    longer = call(form, np.broadcast_to(vector, (3, 1, 2, 64)), [4, 5], rates)
    expected = oracle(vector, 4, rates, form[1])
    for turned in (*y.reshape(-1, 64), *longer[:, 0, 0]):
        np.testing.assert_allclose(turned, expected, rtol=0, atol=slack(30, 4))
    assert (np.abs(y - x).max(axis=-1) > 0.1).all()


def test_report_52_cached_keys_are_moved_by_turning_on(layout, rng):
    k, rates = rng.normal(size=8), inverse_frequencies(8)
    moved = rotate(rotate(k, 100, rates, layout), 37, rates, layout)
    np.testing.assert_allclose(moved, rotate(k, 137, rates, layout), rtol=0, atol=1e-12)


@pytest.mark.parametrize("heads", [2, 5])
def test_report_61_heads_of_one_token_share_their_angles(heads, rng):
    """(batch, sequence, heads, d): also where heads == sequence length."""
    batch, seq, rates = 3, 5, inverse_frequencies(8)
    vector, ids = rng.normal(size=8), np.arange(seq)
    x = np.broadcast_to(vector, (batch, seq, heads, 8))
    y = rotate(x, ids[None, :, None], rates)
    np.testing.assert_array_equal(y, np.broadcast_to(y[:1, :, :1], y.shape))
    expected = rotate(x.swapaxes(1, 2), ids, rates).swapaxes(1, 2)
    np.testing.assert_array_equal(y, expected)


def test_report_67_partial_head_of_phi(form, rng):
    x, rates = rng.normal(size=(2, 80)), inverse_frequencies(32)
    y = call(form, x, [3, 9], rates, rotary_dim=32)
    np.testing.assert_array_equal(y[:, 32:], x[:, 32:])
    expected = oracle(x[1, :32], 9, rates, form[1])
    np.testing.assert_allclose(y[1, :32], expected, rtol=0, atol=slack(20, 9))


def test_report_68_guard_values_after_an_odd_width_stay(form):
    x = np.full((3, 16), 7.0)
    y = call(form, x, [1, 2, 3], inverse_frequencies(6), rotary_dim=6)
    assert (y[:, 6:] == 7.0).all()
    assert (y[:, :6] != 7.0).all()


def test_report_115_one_row_of_ids_serves_the_batch(rng):
    x, rates = rng.normal(size=(3, 5, 8)), inverse_frequencies(8)
    ids = np.array([[4, 1, 0, 9, 2]])
    np.testing.assert_array_equal(rotate(x, ids, rates), rotate(x, ids[0], rates))


@pytest.mark.parametrize("width", [2, 4, 6, 10, 12, 14])
def test_report_116_small_widths(form, width, rng):
    x, rates = rng.normal(size=(1, width)), inverse_frequencies(width)
    expected = oracle(x[0], 3, rates, form[1])
    np.testing.assert_allclose(
        call(form, x, [3], rates)[0], expected, rtol=0, atol=slack(9, 3)
    )


def test_angles_beyond_a_turn_are_not_reduced_before_subtracting():
    far = angles(10**6, [1.0]) - angles(10**6 - 5, [1.0])
    assert far.tolist() == [5.0]
