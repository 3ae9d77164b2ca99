"""The two storage orders of a pair, for vectors and for weights."""

import numpy as np
import pytest

from rope_edu import inverse_frequencies, rotate, score
from rope_edu.layouts import (
    half_to_interleaved,
    interleaved_to_half,
    pair_indices,
    permutation,
    permute_weight,
)

TO = {"half": interleaved_to_half, "interleaved": half_to_interleaved}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_pair_indices_of_both_layouts():
    first, second = pair_indices(6, "interleaved")
    assert (first.tolist(), second.tolist()) == ([0, 2, 4], [1, 3, 5])
    first, second = pair_indices(6, "half")
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [3, 4, 5])


def test_report_55_permutation_of_eight():
    assert permutation(8).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


@pytest.mark.parametrize(
    "head_dim, rotary_dim, expected",
    [
        (2, None, [0, 1]),
        (6, None, [0, 2, 4, 1, 3, 5]),
        (8, 4, [0, 2, 1, 3, 4, 5, 6, 7]),
        (7, 6, [0, 2, 4, 1, 3, 5, 6]),
        (8, 8, [0, 2, 4, 6, 1, 3, 5, 7]),
    ],
)
def test_permutation_leaves_the_tail(head_dim, rotary_dim, expected):
    assert permutation(head_dim, rotary_dim).tolist() == expected


def test_vectors_are_reordered_on_the_last_axis():
    x = np.arange(16).reshape(2, 8)
    assert interleaved_to_half(x)[1].tolist() == [8, 10, 12, 14, 9, 11, 13, 15]
    assert half_to_interleaved(x)[1].tolist() == [8, 12, 9, 13, 10, 14, 11, 15]


@pytest.mark.parametrize(
    "head_dim, rotary_dim", [(6, None), (8, None), (128, None), (80, 32)]
)
def test_report_59_the_round_trip_is_the_identity(head_dim, rotary_dim, rng):
    x = rng.normal(size=(3, head_dim))
    for there, back in [("half", "interleaved"), ("interleaved", "half")]:
        moved = TO[there](x, rotary_dim)
        assert not np.array_equal(moved, x)
        np.testing.assert_array_equal(TO[back](moved, rotary_dim), x)


@pytest.mark.parametrize("dtype", ["int32", "float16", "complex64", "U3", bool])
def test_reordering_keeps_the_dtype(dtype):
    x = np.arange(8).astype(dtype)
    result = interleaved_to_half(x)
    assert result.dtype == x.dtype
    assert result.tolist() == x[permutation(8)].tolist()


def test_a_copy_is_returned_and_the_input_left_alone():
    x = np.arange(4.0)
    x.flags.writeable = False
    for move in (interleaved_to_half, half_to_interleaved):
        move(x)[:] = 9
    permute_weight(x, 1, "half")[:] = 9
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_report_55_reordering_carries_one_rotation_into_the_other(rotary_dim, rng):
    x = rng.normal(size=(5, 8))
    rates = inverse_frequencies(rotary_dim or 8)
    ids = np.arange(5)
    inter = rotate(x, ids, rates, "interleaved", rotary_dim)
    moved = interleaved_to_half(x, rotary_dim)
    half = rotate(moved, ids, rates, "half", rotary_dim)
    np.testing.assert_array_equal(half, interleaved_to_half(inter, rotary_dim))


def test_report_55_scores_agree_in_both_layouts_and_not_when_mixed(rng):
    q, k = rng.normal(size=(2, 8))
    rates = inverse_frequencies(8)
    inter = score(q, k, 3, 11, rates, "interleaved")
    moved = [interleaved_to_half(v) for v in (q, k)]
    half = score(*moved, 3, 11, rates, "half")
    mixed = score(q, k, 3, 11, rates, "half")
    # Eight products, summed in another order.
    size = np.linalg.norm(q) * np.linalg.norm(k)
    assert abs(inter - half) <= 8 * 2.0**-53 * size
    assert abs(inter - mixed) > 0.1 * size


def test_report_64_deinterleaved_output_keeps_scores_and_moves_channels(rng):
    q, k = rng.normal(size=(2, 8))
    rates = inverse_frequencies(8)
    turned = [rotate(q, 2, rates), rotate(k, 5, rates)]
    moved = [interleaved_to_half(v) for v in turned]
    assert np.isclose(moved[0] @ moved[1], turned[0] @ turned[1], rtol=1e-13)
    np.testing.assert_array_equal(moved[0], turned[0][permutation(8)])
    assert not np.array_equal(moved[0], turned[0])


def project(weight, bias, x, num_heads):
    """(tokens, features) to (heads, tokens, head_dim)."""
    out = x @ weight.T + bias
    return out.reshape(len(x), num_heads, -1).swapaxes(0, 1)


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_reports_56_58_converted_weights_keep_every_score(rotary_dim, rng):
    x, ids = rng.normal(size=(5, 7)), np.arange(5)
    rates = inverse_frequencies(rotary_dim or 6)
    turned = {"interleaved": [], "half": []}
    for num_heads in (4, 2):  # queries, then keys of grouped-query attention
        weight = rng.normal(size=(num_heads * 6, 7))
        bias = rng.normal(size=num_heads * 6)
        for layout, made in turned.items():
            if layout == "half":
                weight, bias = (
                    permute_weight(w, num_heads, "half", rotary_dim)
                    for w in (weight, bias)
                )
            vectors = project(weight, bias, x, num_heads)
            made.append(rotate(vectors, ids, rates, layout, rotary_dim))
    scores = {
        layout: np.einsum("hmd,hnd->hmn", q, np.repeat(k, 2, axis=0))
        for layout, (q, k) in turned.items()
    }
    # Two sums of 7 and one of 6 products, all of order 1, in another order.
    np.testing.assert_allclose(*scores.values(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("num_heads", [1, 2, 4])
@pytest.mark.parametrize("shape", [(24, 5), (24,)])
def test_weight_round_trip_is_the_identity(num_heads, shape, rng):
    weight = rng.normal(size=shape).astype(np.float32)
    there = permute_weight(weight, num_heads, "half")
    back = permute_weight(there, num_heads, to="interleaved")
    assert there.dtype == np.float32 and there.shape == shape
    assert not np.array_equal(there, weight)
    np.testing.assert_array_equal(back, weight)


def test_torch_parameters_are_told_what_to_do():
    torch = pytest.importorskip("torch")
    weight, remedy = torch.nn.Linear(4, 8).weight, r"must be an array.*\.detach\(\)"
    with pytest.raises(TypeError, match="weight " + remedy):
        permute_weight(weight, 2, "half")
    with pytest.raises(TypeError, match="x " + remedy):
        rotate(weight, np.arange(8), [1.0, 0.1])
    with pytest.raises(TypeError, match=r"x must.*of bfloat16 \.detach\(\)\.float"):
        rotate([weight[0].bfloat16().detach()], [1], [1.0, 0.1])
    with pytest.raises(TypeError, match="inv_freq " + remedy):
        rotate(np.ones(4), 1, weight[0, :2])
    moved = permute_weight(weight.detach(), 2, "half")
    np.testing.assert_array_equal(moved[:4], weight.detach().numpy()[[0, 2, 1, 3]])


def test_weight_rows_move_within_their_own_head():
    weight = np.arange(12)[:, None] * [1, 1]
    moved = permute_weight(weight, 2, to="half", rotary_dim=4)
    assert moved[:, 0].tolist() == [0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11]


def test_report_56_head_dim_uncovers_the_wrong_number_of_heads():
    key_weight = np.zeros((2 * 8, 3))  # 2 key heads, 4 query heads
    assert permute_weight(key_weight, 2, "half", head_dim=8).shape == (16, 3)
    with pytest.raises(ValueError, match="4 \\* 8"):
        permute_weight(key_weight, 4, "half", head_dim=8)
