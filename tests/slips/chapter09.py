"""Chapter 9: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import sympy as sp


def turned(x, ids, rates, *, double=lambda angle: np.tile(angle, 2), signs=(-1, 1)):
    """Rotate half-split pairs; each option brings in one slip."""
    angle = double(np.asarray(ids)[:, None] * rates)
    left, right = np.split(x, 2, axis=-1)
    partner = np.concatenate([signs[0] * right, signs[1] * left], axis=-1)
    return x * np.cos(angle) + partner * np.sin(angle)


def slip(**options):
    """Return exercise 9.1 with a slip."""
    return lambda *given: turned(*given, **options)


def by_halves(x, ids, rates):
    """Without a partner, for positions of any kind."""
    angle = np.outer(ids, rates)
    c, s, h = np.cos(angle), np.sin(angle), len(rates)
    a, b = x[..., :h], x[..., h:]
    return np.concatenate([a * c - b * s, b * c + a * s], axis=-1)


def neighbors(x, ids, rates):
    """Interleaved pairs, as complex numbers."""
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.outer(ids, rates))
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def in_place(x, ids, rates):
    """Write into slices, which are views."""
    angle, h = np.outer(ids, rates), len(rates)
    a, b = x[..., :h], x[..., h:]
    x[..., :h] = a * np.cos(angle) - b * np.sin(angle)
    x[..., h:] = b * np.cos(angle) + a * np.sin(angle)
    return x


def in_copy(x, ids, rates):
    """Overwrite the left half of a copy before the right one is made."""
    angle, y, h = np.outer(ids, rates), x.copy(), len(rates)
    c, s = np.cos(angle), np.sin(angle)
    y[..., :h] = y[..., :h] * c - y[..., h:] * s
    y[..., h:] = y[..., h:] * c + y[..., :h] * s
    return y


def three_axes(x, ids, rates):
    """Count the axes from the front."""
    axis = min(2, x.ndim - 1)
    angle = np.concatenate([np.outer(ids, rates)] * 2, axis=1)
    a, b = np.array_split(x, 2, axis)
    partner = np.concatenate([-b, a], axis)
    return x * np.cos(angle) + partner * np.sin(angle)


def two_heads(x, ids, rates):
    """Turn the first two heads."""
    y = turned(x, ids, rates)
    if x.ndim > 2:
        y[2:] = x[2:]
    return y


def of_heads(x, ids, rates):
    """Split the first axis, that of the heads."""
    angle = np.tile(np.outer(ids, rates), 2)
    a, b = np.split(x, 2)
    return x * np.cos(angle) + np.concatenate([-b, a]) * np.sin(angle)


def of_neighbors(x, ids, rates):
    """Half-split angles, and a partner as in the interleaved layout."""
    angle = np.tile(np.outer(ids, rates), 2)
    partner = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angle) + partner * np.sin(angle)


def order(width):
    """Rows of one head, interleaved, in the order of half-split ones."""
    return [*range(0, width, 2), *range(1, width, 2)]


def blocks(heads, width):
    """Return the matrix that exercise 9.3 asks for."""
    return np.kron(np.eye(heads), np.eye(width)[order(width)])


def by_rows(heads, width):
    """The same, row by row, as lists of whole numbers."""
    rows = [head * width + place for head in range(heads) for place in order(width)]
    return [[int(column == row) for column in range(heads * width)] for row in rows]


def first_only(heads, width):
    """Permute the first head and leave the others."""
    matrix = np.eye(heads * width)
    matrix[:width, :width] = np.eye(width)[order(width)]
    return matrix


def alone(heads, width):
    """A block for the first head, and nothing for the others."""
    return np.pad(np.eye(width)[order(width)], (0, (heads - 1) * width))


RIGHT = [
    ("9.1", turned), ("9.1", by_halves),
    ("9.2", "ADEG"), ("9.2", "g, e, d, a"), ("9.2", "A D E G"),
    ("9.3", blocks), ("9.3", by_rows),
    ("9.3", lambda *given: blocks(*given).astype(bool)),
    ("9.4", (256, 16)), ("9.4", [4.0**4, 2**4]), ("9.4", np.array([256, 16])),
    ("9.4", (sp.Integer(256), Fraction(16))),
]

SLIPS = [
    ("9.1", slip(signs=(1, -1)), "clockwise"),
    ("9.1", slip(signs=(1, 1)), "needs a minus"),
    ("9.1", slip(double=lambda angle: np.repeat(angle, 2, -1)), "order of neighbors"),
    ("9.1", of_neighbors, "partner is made of neighbors"),
    ("9.1", of_heads, "the last axis"),
    ("9.1", in_copy, "as it is after the turn"),
    ("9.1", neighbors, "interleaved layout"),
    ("9.1", in_place, "itself has been changed"),
    ("9.1", lambda x, ids, rates: turned(x, [ids[0]] * len(ids), rates), "first one"),
    ("9.1", lambda x, ids, rates: turned(x, range(len(ids)), rates), "are counted"),
    ("9.1", lambda x, ids, rates: np.cos(1) * x, "lengths"),
    ("9.1", lambda x, ids, rates: turned(x, np.flip(ids), rates), "at place 0"),
    ("9.1", three_axes, "x of shape (3, 2, 4, 6)"),
    ("9.1", two_heads, "x of shape"),
    ("9.1", lambda x, ids, rates: turned(x[0], ids, rates), "wanted is (2, 4, 6)"),
    ("9.2", "ABDEG", "the numbers have moved"),
    ("9.2", "ACDEG", "query and key disagree"),
    ("9.2", "ADEFG", "turns the other way"),
    ("9.2", "ADG", "1 more"),
    ("9.2", "A", "3 more"),
    ("9.2", "ADEGH", "from A to G"),
    ("9.2", "", "some of the letters"),
    ("9.2", ["A", "D", "E", "G"], "letters are wanted"),
    ("9.3", lambda *given: blocks(*given).T, "turn it round"),
    ("9.3", lambda heads, width: np.eye(heads * width)[order(heads * width)],
     "wander from head to head"),
    ("9.3", lambda heads, width: np.kron(np.eye(width)[order(width)], np.eye(heads)),
     "wander from head to head"),
    ("9.3", lambda heads, width: blocks(1, width), "wanted is (24, 24)"),
    ("9.3", alone, "one 1 in each row"),
    ("9.3", lambda heads, width: np.kron(
        np.eye(heads), np.eye(width)[np.roll(order(width), width // 2)]),
     "second numbers"),
    ("9.3", lambda heads, width: blocks(width, heads), "changed places"),
    ("9.3", first_only, "go elsewhere"),
    ("9.3", 3, "a function"),
    ("9.4", (1, 1), "not the only one"),
    ("9.4", (2, 2), "turn the sign of one pair"),
    ("9.4", (4, 2), "each of the four chooses by itself"),
    ("9.4", (16, 16), "what else"),
    ("9.4", (8**4, 4**4), "mirror of one pair"),
    ("9.4", (24 * 4**4, 2**4), "different speeds"),
    ("9.4", (24 * 2**4, 2**4), "different speeds"),
    ("9.4", (512, 16), "choices of one pair"),
    ("9.4", (256, 256), "one number of a pair alone is a mirror"),
    ("9.4", (256, 1), "change its sign"),
    ("9.4", (256, 240), "do move a channel"),
    ("9.4", (256, 8), "leave every channel"),
    ("9.4", 256, "wanted is (2,)"),
]
