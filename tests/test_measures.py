"""What rates are good for: measured again by rotating real vectors."""

import math

import numpy as np
import pytest

from rope_edu import inverse_frequencies, rotate, score
from rope_edu.measures import (
    first_negative,
    mean_cosine,
    neighbor_step,
    previous_token_norm,
)
from rope_edu.scaling import Linear, NTKAware

RATES = inverse_frequencies(128)


def even(pairs, seed=0):
    """A vector of length 1, the same length in each pair, any directions."""
    turns = np.random.default_rng(seed).uniform(0, 2 * np.pi, pairs)
    pair = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return pair.ravel() / math.sqrt(pairs)


@pytest.mark.parametrize("rates", [RATES, [1.0], [0.0, 3.0], [np.pi, 0.1, 7.0]])
@pytest.mark.parametrize("place", [0, 1000])
def test_step_is_how_far_a_vector_moves(rates, place):
    u = even(len(rates))
    moved = rotate(u, place + 1, rates) - rotate(u, place, rates)
    # Two rotations of a vector of length 1, each rounded.
    assert math.isclose(neighbor_step(rates), np.linalg.norm(moved), abs_tol=1e-12)


@pytest.mark.parametrize(
    "rates, step",
    [
        (RATES, 0.244),
        (NTKAware(8).table(128).inv_freq, 0.223),
        (inverse_frequencies(128, 5e5), 0.210),
        (Linear(8).table(128).inv_freq, 0.031),
    ],
)
def test_steps_that_the_book_quotes(rates, step):
    """Mistake 27."""
    assert round(neighbor_step(rates), 3) == step


def test_mean_cosine_is_a_score():
    u, offsets = even(64), np.array([[0, 1, -7], [500, 4096, 10**6]])
    wanted = score(u, u, 0, offsets, RATES)
    # Angles up to 1e6 rad are good to 1e-10.
    np.testing.assert_allclose(mean_cosine(offsets, RATES), wanted, atol=1e-9)


@pytest.mark.parametrize(
    "base, limit, found",
    [
        (1e4, 4096, 1707),
        (1e4, 1707, None),
        (1e4, 1708, 1707),
        (27_000, 4096, 4079),
        (26_955, 4096, None),
        (1e6, 32_768, 27_115),
        (5e5, 32_768, 18_438),
    ],
)
def test_first_negative_of_known_bases(base, limit, found):
    """As in chapter 8 and in the facts; 4096 is the edge of a block."""
    assert first_negative(inverse_frequencies(128, base), limit) == found


@pytest.mark.parametrize(
    "rates", [[np.pi / 8189], [np.pi / 8191], [2.0], [np.pi / 4095, 0.0]])
def test_first_negative_is_the_first(rates):
    """One at a time, in plain Python; the first two are 4095 and 4096."""
    wanted = next((m for m in range(5000)
                   if sum(math.cos(m * rate) for rate in rates) < 0), None)
    assert first_negative(rates, 5000) == wanted


def attention(length, rates, tokens):
    """Softmax of a query over keys 0..tokens-1, all of the same content."""
    u = even(len(rates)) * math.sqrt(length)
    query, keys = rotate(u, -1, rates), np.tile(u, (tokens, 1))  # peaks one back
    scores = rotate(keys, np.arange(tokens), rates) @ rotate(query, tokens - 1, rates)
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


@pytest.mark.parametrize("tokens", [2, 32, 300])
@pytest.mark.parametrize("rates", [[1.0], RATES, RATES / 8])
@pytest.mark.parametrize("share", [0.6, 0.99])
def test_that_length_is_enough_and_less_is_not(rates, tokens, share):
    needed = previous_token_norm(rates, tokens, share)
    got = [attention(f * needed, rates, tokens)[-2] for f in (0.99, 1.001)]
    assert got[0] < share < got[1]


@pytest.mark.parametrize("tokens, norm", [(32, 548), (256, 29_326)])
def test_one_dial_pays_for_near_misses(tokens, norm):
    """Offset 44, and later 710, are nearly home for a dial of 1 rad."""
    assert round(previous_token_norm([1.0], tokens)) == norm
    assert round(previous_token_norm([1.0], 1024), -8) == 2.5e9


@pytest.mark.parametrize(
    "call, error, told",
    [
        (lambda: neighbor_step([]), ValueError, "inv_freq"),
        (lambda: first_negative(RATES, 0), ValueError, "limit must be positive"),
        (lambda: first_negative(RATES, 4.0), TypeError, "limit must be an integer"),
        (lambda: previous_token_norm(RATES, 1), ValueError, "tokens must be at"),
        (lambda: previous_token_norm(RATES, 9, 0.5), ValueError, "share must be above"),
        (lambda: previous_token_norm(RATES, 9, True), TypeError, "share must hold"),
        (lambda: previous_token_norm(RATES, 9, [0.9]), ValueError, "share must be"),
        (lambda: previous_token_norm([0.0], 9), ValueError, "no length is enough"),
        (lambda: previous_token_norm([1e-160], 9), ValueError, "no length is enough"),
        (lambda: mean_cosine([True], RATES), TypeError, "offsets must hold.*bool"),
    ],
)
def test_malformed_calls_say_what_is_right(call, error, told):
    with pytest.raises(error, match=told):
        call()
