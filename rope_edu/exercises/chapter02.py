"""Chapter 2: absolute encodings."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies
from ..reference import rotation_matrix
from ..symbolic import is_zero
from ._wrong import Wrong, array, call, expression, number, require, same

CASES = ((0, 8), (3, 8), (7, 4), (100, 16))


def sinusoid(answer):
    """2.1: a function of m and d that returns the sinusoidal vector."""
    for m, d in CASES:
        found = array(call(answer, m, d), (d,))
        angle = m * inverse_frequencies(d)
        right = np.allclose(found, _waves(angle))
        name = f"at m = {m}, d = {d}"
        for slip, reason in _slips(m, d, angle):
            require(right or not np.allclose(found, slip),
                    f"{name}: {reason}")
        lengths = (found.reshape(-1, 2) ** 2).sum(axis=1)
        require(np.allclose(lengths, 1),
                f"{name}: a pair is not a point of the unit circle; do its"
                " sine and cosine share one angle?")
        require(right, f"{name}: some angle is not m * theta_i")


def _slips(m, d, angle):
    """Vectors that come of one slip each, and its name."""
    i = np.arange(d // 2)
    slow = m * 10_000.0 ** (-i / d)
    # At d = 4 the first is also what a fixed width of 8 would give.
    exponent = ("i counts pairs, so the exponent is -2i/d and not -i/d"
                if d == 8 else "the exponent is right at d = 8 only")
    return (
        (_pairs(np.cos(angle), np.sin(angle)),
         "the sine belongs into channel 2i, the cosine into 2i + 1"),
        (np.concatenate([np.sin(angle), np.cos(angle)]),
         "all sines stand before all cosines: the pairs are to be"
         " neighbors"),
        (_waves(slow), exponent),
        (_waves(m / inverse_frequencies(d)),
         "theta_i grows with i: the exponent is negative"),
        (_waves(angle + inverse_frequencies(d)), "positions count from 0"),
        (_waves(m * 10_000.0 ** (-2 * (i + 1) / d)), "i counts from 0"),
        (_waves(m * 10_000.0 ** (-2 * i / (d - 2))), "the exponent is divided"
         " by d, not by d - 2: the last dial is not at 1/10000"),
        (_waves(2 * np.pi * angle), "m * theta_i is the angle in radians, with"
         " no 2 pi"),
    )


def _waves(angle):
    return _pairs(np.sin(angle), np.cos(angle))


def _pairs(first, second):
    return np.stack([first, second], axis=-1).ravel()


def most_alike(answer):
    """2.2: the position 1..30 whose vector is most like that of 0."""
    found = number(answer)
    require(found in range(1, 31), "a whole number from 1 to 30 is wanted")
    alike = np.cos(np.arange(31)[:, None] * inverse_frequencies(8)).sum(1)
    require(found != 1, "one token on, dial 0 has gone a sixth of its turn:"
            " some position is more alike")
    require(np.cos(found) > 0,
            "there dial 0 points away from its start and takes from the sum")
    require(found < 3 * np.pi,
            "dial 0 was home before, and dial 1 had not gone so far then")
    require(found == 1 + np.argmax(alike[1:]),
            "dial 0 comes home near there: which whole number is nearest"
            " to its return?")


def commuting_score(answer):
    """2.3: p_m^T C p_n for one pair as a SymPy expression."""
    a, b, delta, theta = symbols = sp.symbols("a b delta theta", real=True)
    found = expression(answer, symbols)
    wanted = a * sp.cos(delta * theta) - b * sp.sin(delta * theta)
    if same(found, wanted):
        return
    require(is_zero(found.subs(delta, 0) - a),
            "at offset 0 both vectors are equal and the score is a")
    require(not is_zero(found - wanted.subs(b, -b)),
            "the sign of the sine is the wrong way: delta is n - m, and the"
            " sine comes first in a pair")
    require(found.has(theta), "without theta no pair turns")
    require(found.has(b), "where is b? C turns a vector as well as stretching"
            " it")
    require(is_zero(found.subs(b, 0) - wanted.subs(b, 0)),
            "with b = 0 it is not a times the product of two positions")
    raise Wrong("the part with b is not right")


def doubled(answer):
    """2.4: a function of a table and M_S that doubles the table."""
    for size, rates in [(n, inverse_frequencies(8)) for n in (8, 1, 4, 16)] + [
            (5, inverse_frequencies(8, 100.0))]:
        angle = np.arange(2 * size)[:, None] * rates
        wanted = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(-1, 8)
        step = rotation_matrix(size, rates, convention="row")
        found = array(call(answer, wanted[:size], step), (2 * size, 8))
        require(np.allclose(found[:size], wanted[:size]),
                "the first half of the table has changed")
        for slip, reason in _moves(wanted[:size], step):
            require(not np.allclose(found[size:], slip), reason)
        require(np.allclose(found[size:], wanted[size:]),
                f"with S = {size}{(size == 5) * ' and other rates'} the"
                " second half is not S tokens on")


def _moves(table, step):
    """Second halves that come of one slip each, and its name."""
    yield table, "the second half repeats the first: it has not moved on"
    yield table @ step, ("the second half goes backwards: a row is a"
                         " transposed column, and M a matrix for columns")
    if len(table) == len(step):
        # Only then does a matrix fit on the wrong side.
        for matrix in (step, step.T):
            yield matrix @ table, ("M has mixed the positions: they are rows,"
                                   " so it stands on the other side")
            yield matrix @ table.T, ("the second half has a position in each"
                                     " column: positions are rows")


CHECKS = {"2.1": sinusoid, "2.2": most_alike, "2.3": commuting_score,
          "2.4": doubled}
