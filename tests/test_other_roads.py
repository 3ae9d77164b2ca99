"""Chapter 17's own arithmetic, each part against another way to get it."""

import numpy as np
import pytest

from rope_edu import angles, inverse_frequencies, score
from rope_edu.config import presets
from rope_edu.figures import roads
from rope_edu.linear import (
    linear_state_attention,
    linear_weights,
    positive_features,
)
from rope_edu.memory import KVCACHES, KVCache
from rope_edu.reference import rotate_by_angles
from rope_edu.spatial import (
    commutator,
    commuting_generators,
    mixed_generators,
    mrope_angles,
    mrope_position_ids,
    noncommuting_generators,
    relative_gap,
    xpos_scales,
)

T, V = TypeError, ValueError
R8 = inverse_frequencies(16)


def exponential(matrix):
    """Return exp by its series, after halving the matrix ten times."""
    small, term = matrix / 1024, np.eye(len(matrix))
    total = term.copy()
    for n in range(1, 20):
        term = term @ small / n
        total += term
    return np.linalg.matrix_power(total, 1024)


# Generators.


@pytest.mark.parametrize("seed", range(5))
def test_commutator_entry_by_entry(seed):
    a, b = pair = noncommuting_generators(6, seed)
    by_hand = np.array([
        [sum(a[i, k] * b[k, j] - b[i, k] * a[k, j] for k in range(6))
         for j in range(6)] for i in range(6)
    ])  # fmt: skip
    np.testing.assert_allclose(commutator(pair), by_hand, rtol=0, atol=1e-13)
    assert np.abs(by_hand).max() > 1
    assert np.abs(commutator(commuting_generators(6, seed))).max() < 1e-13


@pytest.mark.parametrize("make", [commuting_generators, noncommuting_generators])
@pytest.mark.parametrize("size", [0.05, 1.0])
def test_gap_is_the_worst_score_by_the_series_of_exp(make, size):
    """The worst score is that of the singular vectors; no other is worse."""
    a, b = pair = size * make(6, 3)
    turn = {p: exponential(p[0] * a + p[1] * b) for p in ((1, 2), (4, 3), (3, 1))}
    error = turn[1, 2].T @ turn[4, 3] - turn[3, 1]
    left, values, right = np.linalg.svd(error)
    gap = relative_gap((1, 2), (4, 3), pair)
    assert gap == pytest.approx(abs(left[:, 0] @ error @ right[0]), abs=1e-9)
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 100, 6))
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    assert np.abs(np.einsum("ni,ij,nj->n", q, error, k)).max() <= gap + 1e-9


def test_small_gap_is_half_the_commutator_times_the_area():
    """Baker, Campbell and Hausdorff; the next term is 1e-4 times smaller."""
    pair = 1e-4 * noncommuting_generators(8, 1)
    expected = abs(1 * 3 - 2 * 4) / 2 * np.linalg.norm(commutator(pair), 2)
    assert relative_gap((1, 2), (4, 3), pair) == pytest.approx(expected, rel=0.02)


# Positions of text and pictures.


def one_by_one(parts):
    """Return t, h and w token by token, from the rule of the paper."""
    found, free = [], 0
    for part in parts:
        grid = part if isinstance(part, tuple) else None
        count = part if grid is None else grid[0] * grid[1]
        start, top = free, free
        for i in range(count):
            steps = (i, i, i) if grid is None else (0, i // grid[1], i % grid[1])
            found.append([start + step for step in steps])
            top = max(top, *found[-1])
        free = top + 1
    return np.array(found).T


@pytest.mark.parametrize(
    "parts",
    [[7], [(2, 3)], [4, (4, 6), 5], [1, (5, 1), (1, 5), 2], [5, (3, 7), 4, (6, 2), 1]],
)
def test_positions_of_text_and_pictures(parts):
    np.testing.assert_array_equal(mrope_position_ids(parts)[:, 0], one_by_one(parts))


def test_positions_as_written_out_by_hand():
    """Two words, a picture of two rows and three columns, one word."""
    t, h, w = mrope_position_ids([2, (2, 3), 1])[:, 0].tolist()
    assert t == [0, 1, 2, 2, 2, 2, 2, 2, 5]
    assert h == [0, 1, 2, 2, 2, 3, 3, 3, 5]
    assert w == [0, 1, 2, 3, 4, 2, 3, 4, 5]


def test_positions_go_into_the_angles():
    ids = mrope_position_ids([3, (2, 2)])
    turn = mrope_angles(ids, R8, [4, 2, 2], interleaved=False)
    assert turn.shape == (1, 7, 8)
    np.testing.assert_array_equal(turn[0, :3], angles(np.arange(3), R8))
    assert turn[0, 6, 7] == 4 * R8[7] and turn[0, 6, 0] == 3 * R8[0]


# Linear attention.


@pytest.fixture
def features():
    q, k = np.random.default_rng(0).normal(size=(2, 12, 16))
    return positive_features(q), positive_features(k)


def test_features_are_elu_plus_one():
    x = np.linspace(-5, 5, 41)
    by_hand = [float(v + 1 if v > 0 else np.exp(v)) for v in x]
    np.testing.assert_allclose(positive_features(x), by_hand, rtol=1e-15)
    assert positive_features([-800.0])[0] >= 0
    assert positive_features([800.0])[0] == 801


@pytest.mark.parametrize("turned", [False, True])
def test_weights_pair_by_pair(features, turned):
    """Sum over pairs of complex numbers; the denominator turned or not."""
    a, b = features
    za, zb = (x[:, 0::2] + 1j * x[:, 1::2] for x in features)
    expected = np.zeros((12, 12))
    for m in range(12):
        row = [(za[m].conj() * zb[n] * np.exp(1j * (n - m) * R8)).sum().real
               for n in range(m + 1)]  # fmt: skip
        below = sum(row) if turned else sum(a[m] @ b[n] for n in range(m + 1))
        expected[m, : m + 1] = np.array(row) / below
    found = linear_weights(a, b, R8, turn_denominator=turned)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_unturned_weights_are_probabilities(features):
    weights = linear_weights(*features, 0 * R8)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
    assert (weights >= 0).all()
    np.testing.assert_allclose(
        linear_weights(*features, R8, turn_denominator=True).sum(axis=1), 1, rtol=1e-13
    )


def test_turned_weights_are_none():
    """What the page shows for 512 tokens and 64 channels."""
    tokens = np.random.default_rng(0).normal(size=(2, 512, 64))
    weights = linear_weights(*positive_features(tokens), inverse_frequencies(64))
    share = (weights[np.tri(512, dtype=bool)] < 0).mean()
    assert 0.005 < share < 0.02
    assert 0.1 < weights.sum(axis=1).min() < 0.5


def test_the_state_gives_the_same_sums(features):
    v = np.random.default_rng(1).normal(size=(12, 5))
    expected = linear_weights(*features, R8) @ v
    found = linear_state_attention(*features, v, R8)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


# Memory.


@pytest.mark.parametrize("length", [1, 7, 40])
def test_bytes_are_those_of_the_arrays(length):
    """Three layers keep all, two keep 10 tokens; 2 heads of 4 channels."""
    cache = KVCache(5, 2 * 2 * 4, "this test", window=10, windowed=2)
    kept = [length] * 3 + [min(10, length)] * 2
    arrays = [np.zeros((2, n, 2, 4), np.float16) for n in kept]
    assert cache.bytes(length) == sum(x.nbytes for x in arrays)
    assert cache.bytes(length, width=4) == 2 * cache.bytes(length)


@pytest.mark.parametrize("layers, window", [(1, 1), (1, 5), (3, 2), (4, 4)])
def test_reach_of_boolean_masks(layers, window):
    """A path of steps that each mask allows."""
    size = layers * window + 3
    back = np.subtract.outer(np.arange(size), np.arange(size))
    mask = (back >= 0) & (back < window)
    paths = np.linalg.matrix_power(mask.astype(int), layers) > 0
    oldest = np.flatnonzero(paths[-1])[0]
    cache = KVCache(layers, 2, "this test", window, layers)
    assert cache.reach() == size - 1 - oldest
    alt = roads.window_reach(layers, window, size).alt
    assert f"reach {cache.reach()} tokens" in alt


def test_a_full_layer_reaches_everything():
    assert KVCache(4, 2, "this test", window=3, windowed=3).reach() is None
    assert KVCache(4, 2, "this test").reach() is None


@pytest.mark.parametrize("name", KVCACHES)
def test_caches_fit_the_table_of_models(name):
    """Heads are as wide as the rotary settings say, and a source is named."""
    cache = KVCACHES[name]
    assert any(x in cache.source for x in ("arXiv", "litgpt", "transformers"))
    known = [m for n, m in presets().items() if n.split(",")[0] == name]
    if name == "DeepSeek-V3":  # a compressed part and a rotated key
        assert cache.numbers == 512 + known[0].head_dim
    elif known:
        assert cache.numbers % (2 * known[0].head_dim) == 0
    else:
        assert name.startswith("gpt-oss")


# Figures.


def test_five_roads_are_scores():
    """The closed forms of the figure against turned vectors."""
    back = np.array([0.0, 3.0, 200.0])
    found, one = roads.equal_logits(back, slope=0.25), np.ones(64)
    rates = inverse_frequencies(64)
    turned = np.array([score(one, one, 500, 500 - r, rates) for r in back]) / 8
    np.testing.assert_allclose(found["RoPE"], turned, rtol=1e-11)
    np.testing.assert_allclose(found["RoPE + ALiBi"], turned - back / 4, rtol=1e-11)
    np.testing.assert_allclose(found["ALiBi"], 8 - back / 4)
    np.testing.assert_allclose(found["NoPE"], 8)
    for r, value in zip(back, found["xPos"]):
        query, key = xpos_scales([500, 500 - r], 64)
        q = rotate_by_angles(one, angles(500, rates), scale=query[0])
        k = rotate_by_angles(one, angles(500 - r, rates), scale=key[1])
        assert q @ k / 8 == pytest.approx(value, rel=1e-10)


def test_patches_are_scores_of_turned_vectors():
    code, one = mixed_generators(16, 100, turn=0.3), np.ones(16)
    found = roads.patch_scores(code, 5)
    for row, column in np.ndindex(5, 5):
        angle = (row - 2) * code[0] + (column - 2) * code[1]
        expected = one @ rotate_by_angles(one, angle) / 16
        assert found[row, column] == pytest.approx(expected, abs=1e-14)


def test_gaps_that_commute_must_be_noise():
    with pytest.raises(ValueError, match="below 1e-12, got 0.1"):
        roads.gaps_by_size([1, 2], [[[0.1]] * 2, [[0.5]] * 2])


def test_no_token_has_values_of_its_width():
    none, values = np.ones((0, 4)), np.ones((0, 3))
    assert linear_state_attention(none, none, values, [1, 1]).shape == (0, 3)


def test_integers_of_numpy_do_not_overflow():
    """80 layers, 2048 numbers, 131,072 tokens, 2 bytes: past 32 bits."""
    cache = KVCache(np.int32(80), np.int32(2048), "x")
    assert cache.bytes(131_072) == 80 * 2048 * 131_072 * 2
    part = KVCache(np.int8(3), np.int8(16), "x", np.int8(100), np.int8(2))
    assert part.bytes(1000) == (1000 + 200) * 16 * 2


# Malformed calls.

A = np.ones((3, 4))
Z = np.vstack([A[:2], 0 * A[:1]])
CALLS = [
    ("one generator", lambda: commutator(commuting_generators(4, 0)[:1]), V, "got 1"),
    ("not skew", lambda: commutator(np.ones((2, 2, 2))), V, "skew"),
    ("one number", lambda: relative_gap(1, 2, commuting_generators(4, 0)), V, "single"),
    ("two rows", lambda: relative_gap([[1, 2]], [[1, 2]], commuting_generators(4, 0)),
     V, "single"),
    ("no parts", lambda: mrope_position_ids([]), V, "got none"),
    ("empty text", lambda: mrope_position_ids([0]), V, r"parts\[0\] must be positive"),
    ("half a token", lambda: mrope_position_ids([2, 1.5]), T, r"parts\[1\].*1.5"),
    ("three sides", lambda: mrope_position_ids([(1, 2, 3)]), T, r"parts\[0\]"),
    ("no columns", lambda: mrope_position_ids([(2, 0)]), V, r"parts\[0\]\[1\].*got 0"),
    ("batch", lambda: linear_weights(A[None], A[None], [1, 1]), V, r"a must.*\(1, 3"),
    ("lengths", lambda: linear_weights(A, A[:2], [1, 1]), V, "one shape"),
    ("widths", lambda: linear_weights(A, A, [1.0]), V, r"a.shape\[-1\].*inv_freq"),
    ("flag", lambda: linear_weights(A, A, [1, 1], "no"), T, "turn_denominator.*'no'"),
    ("all zero, by state", lambda: linear_state_attention(0 * A, A, A, [1, 1]),
     V, "got 0 for query 0"),
    ("one zero, by state", lambda: linear_state_attention(Z, A, A, [1, 1]),
     V, "got 0 for query 2"),
    ("all zero", lambda: linear_weights(0 * A, A, [1, 1]), V, "got 0 for query 0"),
    ("values", lambda: linear_state_attention(A, A, A[:2], [1, 1]), V, "v .*3 rows"),
    ("text", lambda: positive_features("x"), T, "x must"),
    ("no layers", lambda: KVCache(0, 2, "x"), V, "layers must be positive"),
    ("numbers", lambda: KVCache(1, 2.5, "x"), T, "numbers must be an integer"),
    ("window alone", lambda: KVCache(2, 2, "x", window=3), V, "windowed.*got 0"),
    ("windowed alone", lambda: KVCache(2, 2, "x", windowed=1), T, "window must"),
    ("too many", lambda: KVCache(2, 2, "x", 3, 5), V, "at most layers = 2, got 5"),
    ("no text", lambda: KVCache(2, 2, "x").bytes(0), V, "length must be positive"),
    ("no bytes", lambda: KVCache(2, 2, "x").bytes(1, 0), V, "width must be positive"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])  # fmt: skip
def test_malformed_calls_say_what_would_be_right(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert type(caught.value) is kind
