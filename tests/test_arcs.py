"""Arcs of the dials: found again offset by offset, and by trying."""

import numpy as np
import pytest

from rope_edu import inverse_frequencies, rotate
from rope_edu.arcs import angle_from_seen, hidden_amplitudes, seen_share

RATES = inverse_frequencies(128)
# A whole number of tokens a turn, a rate backwards, a dial that stands still.
ODD = [2 * np.pi / 50, -0.03, 0.0]


@pytest.mark.parametrize(
    "width, base, length, both_ways, unfinished",
    [
        (128, 1e4, 4096, False, 18),
        (128, 1e4, 4096, True, 14),
        (128, 5e5, 8192, False, 29),
        (64, 1e4, 1536, False, 12),
        (64, 1e4, 1536, True, 10),
        (20, 1e4, 4096, False, 2),
    ],
)
def test_unfinished_dials_of_the_book(width, base, length, both_ways, unfinished):
    """Mistake 10 says 18 of 64."""
    share = seen_share(inverse_frequencies(width, base), length, both_ways)
    assert np.sum(share < 1) == unfinished


@pytest.mark.parametrize("length", [1, 2, 300])
def test_share_is_what_the_hand_sweeps(length):
    """Step by step, as the arguments of turned unit vectors, unwrapped."""
    for rate, share in zip([0.02, *ODD], seen_share([0.02, *ODD], length)):
        hand = np.array([rotate([1.0, 0.0], m, [rate]) for m in range(length)])
        swept = np.ptp(np.unwrap(np.arctan2(hand[:, 1], hand[:, 0])))
        # A sum of 300 steps, each rounded.
        assert np.isclose(share, min(1, swept / (2 * np.pi)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rates", [inverse_frequencies(8), ODD])
@pytest.mark.parametrize("length", [1, 7, 120])
def test_nearest_seen_angle_by_trying_all(rates, length):
    offsets = np.arange(300)
    hands = np.exp(1j * np.multiply.outer(np.arange(300), rates))
    between = np.abs(np.angle(hands[:, None] / hands[None, :length]))
    # The argument is good to 1e-15 of angles up to 300 rad.
    np.testing.assert_allclose(
        angle_from_seen(rates, length, offsets), between.min(axis=1), atol=1e-12
    )


def test_finished_dials_find_a_neighbor_and_unfinished_ones_do_not():
    """The gap that chapter 14 draws."""
    far = np.degrees(angle_from_seen(RATES, 4096, np.arange(4096, 8192)).max(axis=0))
    done = seen_share(RATES, 4096) == 1
    assert far[done].max() < 0.6 and far[~done].min() > 23


def test_an_unfinished_dial_is_as_far_as_it_has_turned_on():
    r = np.arange(300, 629)
    on, back = (r - 299) * 0.01, 2 * np.pi - r * 0.01
    found = angle_from_seen([0.01], 300, r)[:, 0]
    np.testing.assert_allclose(found, np.abs(np.minimum(on, back)), atol=1e-12)


def changes(h, rates, length, reach):
    """Mean square of the change of the score, on seen and on new offsets."""
    waves = np.exp(1j * np.multiply.outer(np.arange(reach), rates))
    change = (waves @ h).real
    return np.mean(change[:length] ** 2), np.mean(change[length:] ** 2)


def test_hidden_change_is_hidden_and_not_small():
    h = hidden_amplitudes(RATES[46:], 4096, 8192, limit=1.5)
    assert np.isclose(np.abs(h).max(), 1.5)
    change = np.exp(1j * np.outer(np.arange(8192), RATES[46:])) @ h
    change = change.real / np.sqrt(128)
    assert np.abs(change[:4096]).max() < 0.02 and change[-1] > 1.5


@pytest.mark.parametrize("weight", [1e-2, 1e-5])
def test_no_other_change_does_better(weight):
    rates, rng = np.array([0.03, 0.02, 0.01]), np.random.default_rng(0)
    h = hidden_amplitudes(rates, 40, 200, weight=weight)

    def ratio(h):
        near, far = changes(h, rates, 40, 200)
        return far / (near + weight * np.sum(np.abs(h) ** 2))

    best = ratio(h)
    for size in (1e-3, 1e-1, 10):
        for _ in range(20):
            push = rng.normal(size=3) + 1j * rng.normal(size=3)
            assert ratio(h + size * push) <= best * (1 + 1e-9)


@pytest.mark.parametrize(
    "call, kind, told",
    [
        (lambda: seen_share([1.0], 0), ValueError, "length"),
        (lambda: seen_share([1.0], 2.5), TypeError, "length"),
        (lambda: seen_share([], 5), ValueError, "inv_freq"),
        (lambda: angle_from_seen([1.0], 5, [np.nan]), ValueError, "offsets must be"),
        (lambda: hidden_amplitudes([1.0], 8, 8), ValueError, "reach must be above"),
        (lambda: seen_share([1.0], 5, "no"), TypeError, "both_ways must be.*'no'"),
        (lambda: angle_from_seen([1.0], 5, [-3]), ValueError, "offsets.*0 or more"),
        (lambda: angle_from_seen([1.0], 5, [[1]]), ValueError, "offsets.*a list"),
        (lambda: angle_from_seen([1.0], 5, [True]), TypeError, "offsets must hold"),
        (lambda: hidden_amplitudes([1.0], 8, 9, np.nan), ValueError, "limit.*nan"),
        (lambda: hidden_amplitudes([1.0], 8, 9, weight=-1), ValueError, "weight must"),
        (lambda: hidden_amplitudes(RATES[46:], 4096, 8192, weight=1e-18), ValueError,
         "weight must be larger"),
    ],
)
def test_errors_name_the_argument(call, kind, told):
    with pytest.raises(kind, match=told):
        call()
