"""Chapter 6: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

from rope_edu.layouts import permutation
from rope_edu.reference import rotate_complex, rotation_matrix


def in_place(x, m, inv_freq):
    """Return the elementwise form, with a loop that writes into x."""
    for i, theta in enumerate(inv_freq):
        c, s = np.cos(m * theta), np.sin(m * theta)
        a, b = x[2 * i], x[2 * i + 1]
        x[2 * i], x[2 * i + 1] = a * c - b * s, b * c + a * s
    return x


def overwritten(x, m, inv_freq):
    """Return what becomes of a pair if its first number is used once turned."""
    c, s = np.cos(m * inv_freq), np.sin(m * inv_freq)
    x[::2] = x[::2] * c - x[1::2] * s
    x[1::2] = x[1::2] * c + x[::2] * s
    return x


def elementwise(spread=lambda angle: np.repeat(angle, 2), first=-1, second=1):
    """Return the elementwise form, with slips in angles and signs."""
    def turned(x, m, inv_freq):
        angle = spread(m * inv_freq)
        partner = np.stack([first * x[1::2], second * x[::2]], axis=1).ravel()
        return x * np.cos(angle) + partner * np.sin(angle)
    return turned


def two_layouts(x, m, inv_freq):
    """Return repeated angles with the partner of the half-split form."""
    angle = np.repeat(m * inv_freq, 2)
    partner = np.r_[-x[len(x) // 2:], x[:len(x) // 2]]
    return x * np.cos(angle) + partner * np.sin(angle)


def half(x, m, inv_freq):
    """Return the half-split form."""
    return rotate_complex(x, m, inv_freq, layout="half")


def by_columns(d):
    """Return P from where each coordinate goes."""
    matrix = np.zeros((d, d), dtype=bool)
    for i in range(d):
        matrix[i // 2 + d // 2 * (i % 2), i] = True
    return matrix


def rows(order):
    """Return a function that gives P by an order of rows."""
    return lambda d: np.eye(d)[order(d)]


def seconds_first(d):
    """Return the order that puts the halves the wrong way."""
    return np.r_[1:d:2, 0:d:2]


THIRD = np.pi / 3

RIGHT = [
    ("6.1", in_place),
    ("6.1", elementwise()),
    ("6.1", lambda *given: list(in_place(*given))),
    ("6.1", lambda x, m, rates: rotation_matrix(m, rates) @ x),
    ("6.2", (192, 192)),
    ("6.2", np.array([192.0, 192.0])),
    ("6.3", (0, 24, 0)),
    ("6.3", np.array([0.0, 24.0, 0.0])),
    ("6.4", rows(permutation)),
    ("6.4", by_columns),
    ("6.4", lambda d: rows(permutation)(d).astype(int).tolist()),
    ("6.5", (THIRD, 2 * THIRD)),
    ("6.5", [2 * sp.pi / 3, sp.pi / 3]),
    ("6.5", np.array([1.05, 2.09])),
]

SLIPS = [
    ("6.1", lambda x, m, rates: in_place(x, -m, rates), "clockwise"),
    ("6.1", elementwise(first=1, second=-1), "clockwise"),
    ("6.1", half, "half-split"),
    ("6.1", elementwise(first=1), "one needs a minus"),
    ("6.1", elementwise(second=-1), "one needs a minus"),
    ("6.1", elementwise(first=0, second=0), "the length of the vector"),
    ("6.1", elementwise(lambda angle: np.tile(angle, 2)), "angles of two dials"),
    ("6.1", two_layouts, "mixes the two layouts"),
    ("6.1", overwritten, "as it is after the turn"),
    ("6.1", lambda x, m, rates: in_place(x, 1, rates), "vector of position 1"),
    ("6.1", lambda x, m, rates: in_place(x, m, rates[::-1]), "coordinate 0"),
    ("6.1", lambda x, m, rates: in_place(x[:4], m, rates[:2]), "wanted is (8,)"),
    ("6.2", (256, 128), "plain complex product"),
    ("6.2", (3, 3), "one pair"),
    ("6.2", (384, 384), "count by pairs"),
    ("6.2", (256, 256), "serves both parts"),
    ("6.2", (192, 320), "come from a table"),
    ("6.2", (192, 128), "inside u"),
    ("6.2", (128, 128), "the number of multiplications"),
    ("6.2", (192, 384), "the number of additions"),
    ("6.3", (24, 24, 0), "first"),
    ("6.3", (0, 0, 0), "the second count is not right: which dial"),
    ("6.3", (0, 24, 24), "the third count is not right: how long"),
    ("6.3", (0, 25, 0), "at one offset"),
    ("6.3", (0, 12, 0), "both sides"),
    ("6.3", (0, 24.5, 0), "whole"),
    ("6.4", permutation, "order of coordinates"),
    ("6.4", lambda d: rows(permutation)(d).T, "turn it round"),
    ("6.4", rows(seconds_first), "goes backwards"),
    ("6.4", lambda d: np.eye(d), "is not the half-split rotation"),
    ("6.4", lambda d: rotation_matrix(1, np.ones(d // 2)), "0 and 1"),
    ("6.4", rows(lambda d: [0] * d), "not a permutation"),
    ("6.4", lambda d: np.eye(4), "wanted is (6, 6)"),
    ("6.5", [60, 120], "degrees"),
    ("6.5", [1 / 6, 1 / 3], "parts of a turn"),
    ("6.5", [1 / 3, 2 / 3], "units of pi"),
    ("6.5", [0, THIRD, 2 * THIRD, np.pi], "single axes"),
    ("6.5", [THIRD, 2 * THIRD, np.pi], "single axes"),
    ("6.5", [-2 * THIRD, -THIRD, THIRD, 2 * THIRD], "conjugates"),
    ("6.5", [THIRD, 2 * THIRD, 4 * THIRD, 5 * THIRD], "conjugates"),
    ("6.5", [THIRD], "more than one plane"),
    ("6.5", [1.0, 0.0464, 0.00215], "the number of dials"),
    ("6.5", [THIRD / 2, THIRD], "not angles of eigenvalues"),
    ("6.5", [], "some angles"),
]
