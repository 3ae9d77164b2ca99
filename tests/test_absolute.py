"""Chapters 2 and 3: what their figures compute."""

import numpy as np

from rope_edu.figures.absolute import _path, spread


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
