"""Chapter 5: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import sympy as sp

C, S = np.cos, np.sin
q0, q1, k0, k1, delta, theta = sp.symbols("q_0 q_1 k_0 k_1 delta theta")
ODD = 2 * (q1 * k0 - q0 * k1) * sp.sin(delta * theta)
REAL = [{"real": True}, {"positive": True}]


def turning(angle):
    """Return the matrix that exercise 5.1 asks for."""
    return [[C(angle), -S(angle)], [S(angle), C(angle)]]


def by_root(angle):
    """Take the sine from the cosine: right within half a turn of 0."""
    c = C(angle)
    s = np.sign(angle) * np.sqrt(1 - c * c)
    return [[c, -s], [s, c]]


RIGHT = [
    ("5.1", turning),
    *(("5.2", kind(5)) for kind in (int, np.int64, np.float32, Fraction, sp.Integer)),
    ("5.3", ODD),
    # Letters are asked for, whatever is assumed of them.
    *(("5.3", ODD.subs({x: sp.Symbol(x.name, **more) for x in ODD.free_symbols}))
      for more in REAL),
]

SLIPS = [
    ("5.1", lambda angle: np.transpose(turning(angle)), "turned x axis"),
    ("5.1", lambda angle: turning(np.deg2rad(angle)), "in radians"),
    ("5.1", lambda angle: [[C(angle), S(angle)], [S(angle), C(angle)]],
     "turned y axis"),
    ("5.1", by_root, "at 4.0 the first column"),
    ("5.1", lambda angle: np.ma.masked_array(turning(angle), mask=True), "masked"),
    ("5.1", lambda angle: np.array(turning(angle)) + 1j, "imaginary"),
    ("5.2", 0, "near is not best"),
    ("5.2", 2, "which way does a later key turn"),
    ("5.2", 4, "some offset scores higher"),
    ("5.2", 4.71, "whole number"),
    ("5.2", 5 + 3j, "imaginary"),
    ("5.3", -ODD, "sign is the wrong way"),
    ("5.3", ODD / 2, "twice"),
    ("5.3", 2 * (q0 * k0 + q1 * k1) * sp.cos(delta * theta), "changes its sign"),
    ("5.3", 2 * sp.sin(delta * theta), "amplitude"),
    ("5.3", ODD * sp.Symbol("m"), "only the symbols"),
]
