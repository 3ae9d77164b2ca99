"""Chapter 5: the rotation matrix of one dial and what follows from it."""

from __future__ import annotations

import numpy as np

from ..reference import rotate, rotation_matrix, score
from .algebra import Family, turn
from .core import Equation
from .variables import FREQUENCY, POSITION, vector

DIAL = {"m": POSITION, "n": POSITION, r"\theta": FREQUENCY}
PLANE = DIAL | {"q": vector(2), "k": vector(2)}


def dial(algebra, values):
    """``R_m`` turns by ``m`` times theta; axes and identity."""
    return {
        "R": Family(lambda m: turn(algebra, m * values[r"\theta"])),
        "I": algebra.matrix([[1, 0], [0, 1]]),
        "e_x": algebra.matrix([[1], [0]]),
        "e_y": algebra.matrix([[0], [1]]),
    }


def _inv_freq(v):
    return np.array([v[r"\theta"]])


def _matrix(v, position):
    return rotation_matrix(position, _inv_freq(v))


def _complex(column):
    return complex(column[0, 0], column[1, 0])


def _column(z):
    return np.array([[z.real], [z.imag]])


def _turned(v, name, position):
    """A turned column, by complex multiplication."""
    z = _complex(v[name]) * np.exp(1j * position * v[r"\theta"])
    return _column(z)


def _score(v):
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"],
                 _inv_freq(v))


EQUATIONS = (
    Equation(
        "columns-2d",
        r"\begin{aligned}"
        r" R_m e_x &= \begin{pmatrix} \cos m\theta \\ \sin m\theta"
        r" \end{pmatrix} \\"
        r" R_m e_y &= \begin{pmatrix} -\sin m\theta \\ \cos m\theta"
        r" \end{pmatrix} \end{aligned}",
        {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: tuple(
            _column(axis * np.exp(1j * v["m"] * v[r"\theta"]))
            for axis in (1, 1j)),
        "second text, on the design of R; any text on linear algebra",
        dial,
    ),
    Equation(
        "rotation-2d",
        r"R_m = \begin{pmatrix} \cos m\theta & -\sin m\theta \\"
        r" \sin m\theta & \cos m\theta \end{pmatrix}",
        {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: np.hstack([
            _column(np.exp(1j * v["m"] * v[r"\theta"]) * axis)
            for axis in (1, 1j)]),
        "RoFormer eq. (13); its columns are the turned axes",
        dial,
    ),
    Equation(
        "matrix-form",
        r"f(q,m) = \begin{pmatrix} \cos m\theta & -\sin m\theta \\"
        r" \sin m\theta & \cos m\theta \end{pmatrix}"
        r" \begin{pmatrix} q_0 \\ q_1 \end{pmatrix}",
        {"m": POSITION, r"\theta": FREQUENCY, "q": vector(2)},
        lambda v: rotate(
            v["q"].T, v["m"], _inv_freq(v)).T,
        "first text (11); RoFormer eq. (13)",
        lambda algebra, v: {"f": lambda q, m: algebra.mul(
            dial(algebra, v)["R"].of(m), q)},
        lost=11,
    ),
    Equation(
        "transpose-2d",
        r"R_m^\top = R_{-m}",
        {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: np.linalg.inv(_matrix(v, v["m"])),
        "RoFormer section 3.2.2",
        dial,
    ),
    Equation(
        "orthogonal-2d",
        r"\begin{aligned} R_m^\top R_m &= R_m R_m^\top = I \\"
        r" \det R_m &= 1 \end{aligned}",
        {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: (np.eye(2), 1.0),
        "definition of an orthogonal matrix with determinant 1",
        dial,
    ),
    Equation(
        "sum-2d",
        r"R_m R_n = R_{m+n}",
        DIAL,
        lambda v: np.hstack([
            _column(axis * np.exp(1j * v["m"] * v[r"\theta"])
                    * np.exp(1j * v["n"] * v[r"\theta"]))
            for axis in (1, 1j)]),
        "angle addition",
        dial,
        same={"swap m, n in side 1": "turns of one plane commute",
              "swap m, n in side 2": "m + n = n + m"},
    ),
    Equation(
        "relative-2d",
        r"R_m^\top R_n = R_{n-m}",
        DIAL,
        lambda v: np.linalg.solve(_matrix(v, v["m"]), _matrix(v, v["n"])),
        "RoFormer eq. (16), for one plane",
        dial,
    ),
    Equation(
        "score-2d",
        r"(R_m q)^\top (R_n k) = q^\top R_m^\top R_n k"
        r" = q^\top R_{n-m} k",
        PLANE,
        _score,
        "first text (13), for one plane; RoFormer eq. (16)",
        dial,
    ),
    Equation(
        "score-offset-2d",
        r"\begin{aligned} q^\top R_{n-m} k ={}& (q_0 k_0 + q_1 k_1)"
        r" \cos((n-m)\theta) \\ &+ (q_1 k_0 - q_0 k_1) \sin((n-m)\theta)"
        r" \end{aligned}",
        PLANE,
        _score,
        "expansion of score-2d",
        dial,
        same={"swap m, n in side 2": "the cosine is even",
              "swap q, k in side 2": "the inner product is symmetric"},
    ),
    Equation(
        "norm-2d",
        r"\lVert R_m q \rVert = \lVert q \rVert",
        {"m": POSITION, r"\theta": FREQUENCY, "q": vector(2)},
        lambda v: np.hypot(*v["q"].ravel()),
        "RoFormer section 3.2.2: R is orthogonal",
        dial,
        extra=(r"\lVert R_m q \rVert = m \lVert q \rVert",
               r"\lVert R_m q - q \rVert = \lVert q \rVert"),
    ),
    Equation(
        "row-convention",
        r"\begin{aligned} (R_m q)^\top &= q^\top R_m^\top \\ &= q^\top"
        r" \begin{pmatrix} \cos m\theta & \sin m\theta \\"
        r" -\sin m\theta & \cos m\theta \end{pmatrix} \end{aligned}",
        {"m": POSITION, r"\theta": FREQUENCY, "q": vector(2)},
        lambda v: _turned(v, "q", v["m"]).T,
        "first text, engineering view; transpose of a product",
        dial,
    ),
)
