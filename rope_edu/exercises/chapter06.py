"""Chapter 6: from 2 to d dimensions."""

from __future__ import annotations

import numpy as np

from ..reference import rotate_complex, rotation_matrix, score
from ..running import INV_FREQ, Q
from ._wrong import array, call, require

TURN = 2 * np.pi
RATES = np.array([0.9, 0.25, 0.06, 0.011])
BY_HAND = np.array([1.0, 2.0, 3.0, 4.0]), 1, np.array([np.pi / 2, 0])


def elementwise_form(answer):
    """6.1: a function of x, m and inv_freq that turns interleaved pairs."""
    for x, m, rates in BY_HAND, *((Q[:d], m, RATES[:d // 2])
                                  for d, m in ((4, 2), (8, 3), (6, 1))):
        d = len(x)
        found = array(call(answer, x, m, rates), (d,))
        for reason, slip in _slips_of_a_turn(x, m, rates):
            require(not np.allclose(found, slip), reason)
        require(np.isclose(np.linalg.norm(found), np.linalg.norm(x)),
                "the length of the vector is not kept")
        wrong = ~np.isclose(found, rotate_complex(x, m, rates))
        require(not wrong.any(), f"with d = {d} coordinate"
                f" {np.argmax(wrong)} is not right")


def _slips_of_a_turn(x, m, rates):
    """Vectors that come of one slip each, after its name."""
    c, s = np.cos(m * rates), np.sin(m * rates)
    a, b = x[0::2], x[1::2]
    yield ("every pair turns clockwise: look at the signs of the partner",
           rotate_complex(x, -m, rates))
    yield ("coordinate i turns with i + d/2: this is the half-split layout",
           rotate_complex(x, m, rates, layout="half"))
    yield ("the two numbers of a pair get the angles of two dials: repeat"
           " each angle, not the list of them",
           x * np.tile(c, 2) + np.stack([-b, a], 1).ravel() * np.tile(s, 2))
    for sign in (1, -1):
        yield ("both partners come with the same sign, and one needs a minus",
               np.stack([a * c + sign * b * s, b * c + sign * a * s],
                        1).ravel())
    yield ("the second number of a pair is made from the first as it is after"
           " the turn: keep what was there before",
           np.stack([a * c - b * s, b * c + (a * c - b * s) * s], 1).ravel())
    other = np.r_[-x[len(a):], x[:len(a)]]
    yield ("the angles are repeated for neighbors, but the partner comes from"
           " the other half of x: this mixes the two layouts",
           x * np.repeat(c, 2) + other * np.repeat(s, 2))
    if m != 1:
        yield (f"at position {m} you give the vector of position 1",
               rotate_complex(x, 1, rates))


def gauss_count(answer):
    """6.2: multiplications and additions of Gauss's product, d = 128."""
    products, sums = array(answer, (2,))
    require((products, sums) != (256, 128),
            "these are the counts of the plain complex product")
    require((products, sums) != (3, 3), "this is one pair: there are 64")
    require(products != 256, "u is computed once and serves both parts")
    require(products != 384, "64 pairs have 128 coordinates: count by pairs")
    require(products == 192, "the number of multiplications is not right")
    require(sums != 320, "c + s and s - c come from a table; they cost"
            " nothing for each vector")
    require(sums != 128, "there is a sum inside u, too")
    require(sums == 192, "the number of additions is not right")


def found_offsets(answer):
    """6.3: offsets -12..12 at which three vectors tell the layouts apart."""
    found, offsets = array(answer, (3,)), np.arange(-12, 13)
    require(np.isin(found, range(26)).all(),
            "three whole numbers from 0 to 25 are wanted")
    require(found.max() < 25, "at one offset the layout cannot matter: which?")
    require(12 not in found, "both sides of offset 0 count")
    vectors = np.eye(8)[0], np.eye(8)[1], np.ones(8)
    dial = "which dial turns the coordinate that is 1, in either layout?"
    hints = {"first": dial, "second": dial, "third": "how long is the pair of"
             " each dial, in either layout?"}
    for (place, hint), count, x in zip(hints.items(), found, vectors):
        right, other = (score(x, x, 0, offsets, INV_FREQ, layout)
                        for layout in ("interleaved", "half"))
        require(count == (np.abs(right - other) > 1e-9).sum(),
                f"the {place} count is not right: {hint}")


def carrying_matrix(answer):
    """6.4: a function of d that returns P, interleaved to half-split."""
    for d in (6, 8):
        found = call(answer, d)
        require(np.shape(found) != (d,), "this is an order of coordinates: P"
                " is a matrix, whose row i has its 1 at the coordinate that"
                " goes to place i")
        found = array(found, (d, d))
        require(np.isin(found, (0, 1)).all(),
                "P only reorders: its entries are 0 and 1")
        require(np.array_equal(found @ found.T, np.eye(d)),
                "P is not a permutation: one 1 in each row and column")
        mixed, wanted = (rotation_matrix(2, RATES[:d // 2], layout)
                         for layout in ("interleaved", "half"))
        require(not np.allclose(found.T @ mixed @ found, wanted),
                "this P carries half-split vectors to interleaved ones:"
                " turn it round")
        require(not np.allclose(found @ mixed @ found.T, wanted.T),
                "with this P the half-split rotation goes backwards: which"
                " number of a pair comes in the first half?")
        require(np.allclose(found @ mixed @ found.T, wanted),
                f"for d = {d} P R P^T is not the half-split rotation")


def shift_dials(answer):
    """6.5: the angles of the planes that a shift of 6 places turns."""
    found = np.sort(np.ravel(array(answer, None)))
    require(found.size > 0, "some angles are wanted")
    require(found.max() < 7, "radians are wanted, not degrees")
    values = np.linalg.eigvals(np.roll(np.eye(6), 1, axis=0))
    wanted = np.sort(np.angle(values[values.imag > 0.1]))
    single = [x for x in found if np.isclose(x, 0) or np.isclose(x, np.pi)]
    require(not single, "0 and pi stand for single axes here, not for dials")
    require(found.min() > 0 and found.max() < np.pi,
            "each plane once: leave out the conjugates")
    require(len(found) > 1, "there is more than one plane: each pair of"
            " conjugate eigenvalues has one")
    require(len(found) == len(wanted), "the number of dials is not right")
    require(not np.allclose(np.pi * found, wanted, atol=0.03),
            "these are in units of pi: radians are wanted")
    require(not np.allclose(TURN * found, wanted, atol=0.03),
            "these are parts of a turn: radians are wanted")
    require(np.allclose(found, wanted, atol=0.005),
            "these are not angles of eigenvalues of the shift")


CHECKS = {"6.1": elementwise_form, "6.2": gauss_count, "6.3": found_offsets,
          "6.4": carrying_matrix, "6.5": shift_dials}
