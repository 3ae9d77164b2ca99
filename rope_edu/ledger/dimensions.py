"""Chapter 6: from one dial to d/2 dials, and the general solution."""

from __future__ import annotations

import functools

import numpy as np

from ..reference import rotate_complex, rotation_matrix, score
from .algebra import Family, Floating, Powers, entry, turn
from .core import Equation
from .variables import (
    FREQUENCIES, FREQUENCY, GROWTH, INTEGER, PAIR, POSITION, SMALL, VECTOR,
    WIDTH, frequencies, vector)

DIALS = {"d": WIDTH, r"\theta": FREQUENCIES}
PLACES = {"m": POSITION, "n": POSITION}
QUERY, WORDS = {"q": VECTOR}, {"q": VECTOR, "k": VECTOR}
# What a display with all its entries written out can show.
FOUR = {r"\theta": frequencies(2), "q": vector(4), "m": POSITION}
# With d = 4 the permutation of the layouts is its own inverse, and a
# transpose on the wrong side would pass.
SIX = {r"\theta": frequencies(3), "q": vector(6), "k": vector(6)}


def dials(algebra, values):
    """`R_m` turns each pair; the hat makes a pair one complex number."""
    theta = values[r"\theta"]

    def matrix(position):
        return algebra.direct_sum(
            [turn(algebra, position * theta[i, 0]) for i in range(len(theta))])

    def pair(name):
        return lambda i: (entry(values[name], 2 * int(i))
                          + algebra.i * entry(values[name], 2 * int(i) + 1))

    found = {"R": Family(matrix), "I": matrix(0)}
    return found | {rf"\hat{name}": Family(pair(name))
                    for name in "qk" if name in values}


def _inv_freq(v):
    return v[r"\theta"].ravel()


def _score(v):
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"],
                 _inv_freq(v))


def _turned(v, form=rotate_complex):
    return form(v["q"].ravel(), v["m"], _inv_freq(v))[:, None]


def _block_matrix(v):
    """Its columns are the axes, each turned as complex pairs."""
    return rotate_complex(np.eye(int(v["d"])), v["m"], _inv_freq(v)).T


def half_split(algebra, values):
    """`H_m` turns the pairs ``(i, i + d/2)``; `P` puts pairs there."""
    half = len(values[r"\theta"])
    zero, one = algebra.number(0), algebra.number(1)

    def matrix(position):
        rows = [[zero] * 2 * half for _ in range(2 * half)]
        for i in range(half):
            angle = position * values[r"\theta"][i, 0]
            c, s = algebra.cos(angle), algebra.sin(angle)
            rows[i][i] = rows[i + half][i + half] = c
            rows[i][i + half], rows[i + half][i] = -s, s
        return algebra.matrix(rows)

    order = [*range(0, 2 * half, 2), *range(1, 2 * half, 2)]
    places = [[one if j == place else zero for j in range(2 * half)]
              for place in order]
    return dials(algebra, values) | {
        "H": Family(matrix), "P": algebra.matrix(places)}


def _half_matrix(v):
    return rotation_matrix(v["m"], _inv_freq(v), layout="half")


# A fixed orthogonal matrix with rational entries and no symmetry: neither
# the plane nor the axis of the general solution below is a coordinate one.
AXES = ((3, 0, 4), (0, 5, 0), (-4, 0, 3))


def _axes(algebra):
    fifth = algebra.number(1) / algebra.number(5)
    return fifth * algebra.matrix(
        [[algebra.number(x) for x in row] for row in AXES])


def mirrored_turn(algebra, values):
    """Powers of an orthogonal O with determinant -1, in tilted axes B.

    D turns one plane by theta a step and flips the third axis; the flip
    after t steps is cos(pi t), which is (-1)**t for whole t.
    """
    axes = _axes(algebra)

    def core(t):
        flip = algebra.matrix([[algebra.cos(algebra.pi * t)]])
        return algebra.direct_sum([turn(algebra, t * values[r"\theta"]), flip])

    def power(t):
        return algebra.mul(algebra.mul(axes, core(t)), axes.T)

    return {"O": Powers(power), "D": Powers(core), "B": axes}


def stretched_turn(algebra, values):
    """Powers of an invertible A that is not orthogonal: xPos in one plane."""
    def power(t):
        growth = algebra.e ** (t * values[r"\alpha"])
        return growth * turn(algebra, t * values[r"\theta"])

    return {"A": Powers(power)}


def _orthogonal(v):
    return mirrored_turn(Floating, v)["O"].of(1.0)


def _powers(matrix, t):
    return np.linalg.matrix_power(matrix, int(t))


def _general_score(v):
    turned = [_powers(_orthogonal(v), v[p]) @ v[x]
              for p, x in (("m", "q"), ("n", "k"))]
    return (turned[0].T @ turned[1])[0, 0]


def _stretched_score(v):
    a = np.exp(v[r"\alpha"]) * turn(Floating, v[r"\theta"])
    left = _powers(a, v["m"]) @ v["q"]
    right = np.linalg.inv(_powers(a, v["n"])).T @ v["k"]
    return (left.T @ right)[0, 0]


EQUATIONS = (
    Equation(
        "additive",
        r"q^\top k = \sum_{i=0}^{d/2-1} (q_{2i} k_{2i}"
        r" + q_{2i+1} k_{2i+1})",
        WORDS | {"d": WIDTH},
        lambda v: np.dot(v["q"].ravel(), v["k"].ravel()),
        "first text: the inner product is additive",
        same={"swap q, k in side 1": "the inner product is symmetric",
              "swap q, k in side 2": "the inner product is symmetric"},
    ),
    Equation(
        "pair-form",
        r"\begin{aligned}"
        r" \tilde{q}_{2i} &= q_{2i} \cos m\theta_i"
        r" - q_{2i+1} \sin m\theta_i \\"
        r" \tilde{q}_{2i+1} &= q_{2i+1} \cos m\theta_i"
        r" + q_{2i} \sin m\theta_i \end{aligned}",
        DIALS | QUERY | {"m": POSITION, "i": PAIR},
        lambda v: tuple(_turned(v).reshape(-1, 2)[int(v["i"])]),
        "second text; RoFormer eq. (34)",
        lambda algebra, v: {r"\tildeq": algebra.mul(
            dials(algebra, v)["R"].of(v["m"]), v["q"])},
    ),
    Equation(
        "block-diagonal",
        r"R_m = \bigoplus_{i=0}^{d/2-1} \begin{pmatrix}"
        r" \cos m\theta_i & -\sin m\theta_i \\"
        r" \sin m\theta_i & \cos m\theta_i \end{pmatrix}",
        DIALS | {"m": POSITION},
        _block_matrix,
        "first text (12); RoFormer eq. (15)",
        dials, lost=12,
    ),
    Equation(
        "group-law",
        r"\begin{aligned} R_m R_n &= R_{m+n} \\"
        r" R_m^\top R_m &= I \end{aligned}",
        DIALS | PLACES,
        lambda v: (rotation_matrix(v["m"] + v["n"], _inv_freq(v)),
                   np.eye(int(v["d"]))),
        "RoFormer section 3.2.2",
        dials,
        same={"swap m, n in side 1": "turns of the same planes commute",
              "swap m, n in side 2": "m + n = n + m"},
    ),
    Equation(
        "relative",
        r"\begin{aligned} (R_m q)^\top (R_n k) &= q^\top R_m^\top R_n k \\"
        r" &= q^\top R_{n-m} k \end{aligned}",
        DIALS | WORDS | PLACES, _score,
        "first text (13); Su, post 8265, eq. (12); RoFormer eq. (16)",
        dials, lost=13,
    ),
    Equation(
        "norm",
        r"\lVert R_m q \rVert = \lVert q \rVert",
        DIALS | QUERY | {"m": POSITION},
        lambda v: np.linalg.norm(v["q"]),
        "RoFormer section 3.2.2: R is orthogonal",
        dials,
        extra=(r"\lVert R_m q \rVert = m \lVert q \rVert",
               r"\lVert R_m q - q \rVert = \lVert q \rVert"),
    ),
    Equation(
        "score-sum",
        r"\begin{aligned} & q^\top R_{n-m} k \\"
        r" &\quad = \sum_{i=0}^{d/2-1} \operatorname{Re}["
        r"\hat{q}_i\, \hat{k}_i^{*}\,"
        r" e^{\mathrm{i}(m-n)\theta_i}] \end{aligned}",
        DIALS | WORDS | PLACES, _score,
        "RoFormer eq. (35)",
        dials,
    ),
    Equation(
        "elementwise",
        r"\begin{aligned} R_m q ={}& \begin{pmatrix} q_0 \\ q_1 \\ q_2"
        r" \\ q_3 \end{pmatrix} \odot \begin{pmatrix} \cos m\theta_0 \\"
        r" \cos m\theta_0 \\ \cos m\theta_1 \\ \cos m\theta_1"
        r" \end{pmatrix} \\ &+ \begin{pmatrix} -q_1 \\ q_0 \\ -q_3 \\ q_2"
        r" \end{pmatrix} \odot \begin{pmatrix} \sin m\theta_0 \\"
        r" \sin m\theta_0 \\ \sin m\theta_1 \\ \sin m\theta_1"
        r" \end{pmatrix} \end{aligned}",
        FOUR, _turned,
        "first text (14), shown for d = 4; Su, post 8265, eq. (13);"
        " RoFormer eq. (34)",
        dials, lost=14,
    ),
    Equation(
        "elementwise-half",
        r"\begin{aligned} H_m q ={}& \begin{pmatrix} q_0 \\ q_1 \\ q_2"
        r" \\ q_3 \end{pmatrix} \odot \begin{pmatrix} \cos m\theta_0 \\"
        r" \cos m\theta_1 \\ \cos m\theta_0 \\ \cos m\theta_1"
        r" \end{pmatrix} \\ &+ \begin{pmatrix} -q_2 \\ -q_3 \\ q_0 \\ q_1"
        r" \end{pmatrix} \odot \begin{pmatrix} \sin m\theta_0 \\"
        r" \sin m\theta_1 \\ \sin m\theta_0 \\ \sin m\theta_1"
        r" \end{pmatrix} \end{aligned}",
        FOUR,
        lambda v: _turned(v, functools.partial(
            rotate_complex, layout="half")),
        "the layout of GPT-NeoX and Hugging Face, shown for d = 4",
        half_split,
    ),
    Equation(
        "half-split",
        r"\begin{aligned} H_m &= P R_m P^\top \\"
        r" (H_m P q)^\top (H_n P k) &= q^\top R_{n-m} k \end{aligned}",
        PLACES | SIX,
        lambda v: (_half_matrix(v), _score(v)),
        "this book; permuted weights rest on it",
        half_split,
    ),
    Equation(
        "general-solution",
        r"(O^m q)^\top (O^n k) = q^\top O^{n-m} k",
        {"m": INTEGER, "n": INTEGER, r"\theta": FREQUENCY,
         "q": vector(3), "k": vector(3)},
        _general_score,
        "Su, post 8397; this book proves that there is no other",
        mirrored_turn,
    ),
    Equation(
        "change-of-basis",
        r"\begin{aligned} & q^\top O^{n-m} k \\"
        r" &\quad = (B^\top q)^\top D^{n-m} (B^\top k) \end{aligned}",
        {"m": INTEGER, "n": INTEGER, r"\theta": FREQUENCY,
         "q": vector(3), "k": vector(3)},
        _general_score,
        "real normal form of an orthogonal matrix: Horn and Johnson,"
        " section 2.5",
        mirrored_turn,
    ),
    Equation(
        "two-maps",
        r"\begin{aligned} & (A^m q)^\top ((A^{-n})^\top k) \\"
        r" &\quad = q^\top (A^{m-n})^\top k \end{aligned}",
        {"m": SMALL, "n": SMALL, r"\theta": FREQUENCY, r"\alpha": GROWTH,
         "q": vector(2), "k": vector(2)},
        _stretched_score,
        "xPos (arXiv:2212.10554) is one A; this book",
        stretched_turn,
    ),
)
