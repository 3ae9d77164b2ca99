"""Exercises and tables of chapters 2 and 3: wrong answers, and why."""

import numpy as np
import pytest
import sympy as sp

from rope_edu.exercises import verdict
from rope_edu.figures.absolute import _path, spread


def wave(m, d, step=2):
    """Return sines and cosines apart; `step` 1 is the slip in the exponent."""
    angle = m * 10_000.0 ** (-step * np.arange(d // 2) / d)
    return np.sin(angle), np.cos(angle)


def mixed(*parts):
    """Put the numbers of the parts beside each other."""
    return np.array(parts).T.ravel()


@pytest.mark.parametrize(
    "answer, word",
    [
        (lambda m, d: mixed(*wave(m, d)[::-1]), "channel 2i"),
        (lambda m, d: np.concatenate(wave(m, d)), "neighbors"),
        (lambda m, d: mixed(*wave(m, d, 1)), "-2i/d"),
        (lambda m, d: mixed(*wave(2 * m, d)), "m * theta_i"),
        (lambda m, d: 2 * mixed(*wave(m, d)), "unit circle"),
        (lambda m, d: mixed(*wave(m, d))[:-1], "shape"),
        (lambda m, d: np.resize(mixed(*wave(m, 8)), d), "d = 8 only"),
    ],
)
def test_wrong_sinusoids(answer, word):
    """Swapped, in halves, too slow, too fast, too long, too short."""
    assert verdict("2.1", lambda m, d: mixed(*wave(m, d))) is None
    assert word in verdict("2.1", answer)


@pytest.mark.parametrize("answer, word", [(1, "one token on"), (7, "larger"),
                                          (44, "from 1 to 30"), (6.5, "whole")])
def test_wrong_positions(answer, word):
    """The neighbor, another near miss, out of range, no position."""
    assert verdict("2.2", 6) is None
    assert word in verdict("2.2", answer)


def test_wrong_commuting_scores():
    """The sine has a sign, and the cosine its factor."""
    a, b, delta, theta = sp.symbols("a b delta theta")
    c, s = sp.cos(delta * theta), sp.sin(delta * theta)
    assert verdict("2.3", a * c - b * s) is None
    assert verdict("2.3", sp.Matrix([[a * c - b * s]])) is None
    assert "sign" in verdict("2.3", a * c + b * s)
    assert "offset 0" in verdict("2.3", b * c - a * s)
    assert "with b" in verdict("2.3", a * c)


def test_wrong_doublings():
    """Backwards, not moved, and moved twice."""
    def stacked(second):
        return lambda table, M: np.vstack([table, second(table, M)])

    assert verdict("2.4", stacked(lambda t, M: t @ M.T)) is None
    assert "backwards" in verdict("2.4", stacked(lambda t, M: t @ M))
    assert "tokens on" in verdict("2.4", stacked(lambda t, M: t))
    assert "first half" in verdict("2.4", lambda t, M: np.vstack([t @ M.T] * 2))


def by_entries(index):
    """Return an answer to 3.1 that looks up `index(m, n, S)`."""
    return lambda b, S: np.array(
        [[b[index(m, n, S)] for n in range(S)] for m in range(S)])


@pytest.mark.parametrize(
    "index, word",
    [
        (lambda m, n, S: m - n + S - 1, "mirrored"),
        (lambda m, n, S: n + m, "n + m"),
        (lambda m, n, S: abs(n - m) + S - 2, "row 0"),
        (lambda m, n, S: n - m + S - 1 - (m > n), "diagonal"),
    ],
)
def test_wrong_tables(index, word):
    """The transposed table, the sum, the wrong middle, one side shifted."""
    assert verdict("3.1", by_entries(lambda m, n, S: n - m + S - 1)) is None
    assert word in verdict("3.1", by_entries(index))


@pytest.mark.parametrize("answer, word", [("A", "one more"), ("ABE", "in B"),
                                          ("CE", "in C"), ("DE", "in D"),
                                          ("AF", "from A to E")])
def test_wrong_letters(answer, word):
    """Each letter that is not even has its reason."""
    assert verdict("3.2", "A, e") is None
    assert word in verdict("3.2", answer)


def test_wrong_channels():
    """Too many, of the wrong token, of the wrong sign."""
    m, n = sp.symbols("m n")
    right = [m**2, -2 * m, 1], [1, n, n**2]
    assert verdict("3.3", right) is None
    assert verdict("3.3", ([1, m, m**2], [n**2, -2 * n, 1])) is None
    assert "sign" in verdict("3.3", ([-x for x in right[0]], right[1]))
    assert "m only" in verdict("3.3", ([(n - m) ** 2, 0, 0], [1, 0, 0]))
    assert "three" in verdict("3.3", ([m**2, -2 * m], [1, n]))
    assert "as many" in verdict("3.3", ([m, 1], [n]))
    assert "not the square" in verdict("3.3", ([m, 1, 1], [n, 1, 1]))


def test_spread_looks_along_diagonals():
    """Not along rows, columns or the other diagonals."""
    offset = np.arange(4) - np.arange(4)[:, None]
    assert spread(offset) == 0
    assert spread(offset[::-1]) == 6
    offset[3, 0] += 5
    assert spread(offset) == 0  # alone on its diagonal
    offset[2, 1] += 1
    assert spread(offset) == 1


def test_paths_follow_their_field():
    """The exponential agrees with many small steps of Euler."""
    field = np.array([[0.05, 1.0], [-1.0, 0.05]])
    p = np.array([0.0, 1.0])
    for _ in range(300_000):
        p = p + field @ p * 1e-5
    assert np.allclose(_path(field, (0.0, 1.0), 3)[-1], p, atol=1e-4)
