"""The appendices: complex numbers, orthogonal matrices, trigonometry."""

from __future__ import annotations

import cmath
import math

import numpy as np

from .algebra import Family, turn
from .core import Equation
from .variables import ANGLE, COMPLEX, POSITIVE, REAL, vector

TWO = {r"\alpha": ANGLE, r"\beta": ANGLE}


def _sum(v, sign=1):
    """Unit complex number at alpha + beta, or alpha - beta."""
    return (cmath.rect(1.0, v[r"\alpha"])
            * cmath.rect(1.0, sign * v[r"\beta"]))


def mirrors(algebra, values):
    """Turns T and mirrors F by their angles."""
    def mirror_at(angle):
        c, s = algebra.cos(angle), algebra.sin(angle)
        return algebra.matrix([[c, s], [s, -c]])

    return {"T": Family(lambda angle: turn(algebra, angle)),
            "F": Family(mirror_at)}


def mirror(algebra, values):
    """The turn T and the mirror F of angle alpha, with the identity I."""
    maps, alpha = mirrors(algebra, values), values[r"\alpha"]
    one, zero = algebra.number(1), algebra.number(0)
    return {name: maps[name].of(alpha) for name in "TF"} | {
        "I": algebra.matrix([[one, zero], [zero, one]])}


def _column(z):
    return np.array([[z.real], [z.imag]])


def _mirrored_twice(v):
    """Mirror the axes at beta/2, then at alpha/2, as complex numbers."""
    once = [z.conjugate() * cmath.rect(1, v[r"\beta"]) for z in (1 + 0j, 1j)]
    return np.hstack([
        _column(z.conjugate() * cmath.rect(1, v[r"\alpha"])) for z in once])


def _pair(column):
    return complex(*column.ravel())


def _polar_product(v):
    """q k* from moduli and arguments."""
    (r, a), (s, b) = map(cmath.polar, (_pair(v["q"]), _pair(v["k"])))
    return cmath.rect(r * s, a - b)


def _reflected(v):
    """F q: the mirror image of q in the line at angle alpha/2."""
    return _column(_pair(v["q"]).conjugate() * cmath.rect(1, v[r"\alpha"]))


COMPLEX_NUMBERS = (
    Equation(
        "complex-polar",
        r"r\, e^{\mathrm{i}\alpha} = r (\cos\alpha"
        r" + \mathrm{i} \sin\alpha)",
        {"r": POSITIVE, r"\alpha": ANGLE},
        lambda v: cmath.rect(v["r"], v[r"\alpha"]),
        "Euler",
    ),
    Equation(
        "complex-product",
        r"r\, e^{\mathrm{i}\alpha} \cdot s\, e^{\mathrm{i}\beta}"
        r" = r s\, e^{\mathrm{i}(\alpha + \beta)}",
        TWO | {"r": POSITIVE, "s": POSITIVE},
        lambda v: v["r"] * v["s"] * _sum(v),
        "moduli multiply, arguments add",
    ),
    Equation(
        "quarter-turn",
        r"\mathrm{i}(x + \mathrm{i}y) = -y + \mathrm{i}x",
        {"x": REAL, "y": REAL},
        lambda v: complex(v["x"], v["y"]) * cmath.rect(1, math.pi / 2),
        "multiplying by i turns by +90 degrees",
    ),
    Equation(
        "complex-conjugate",
        r"(r\, e^{\mathrm{i}\alpha})^{*} = r\, e^{-\mathrm{i}\alpha}",
        {"r": POSITIVE, r"\alpha": ANGLE},
        lambda v: cmath.rect(v["r"], v[r"\alpha"]).conjugate(),
        "definition of the conjugate",
    ),
    Equation(
        "complex-modulus",
        r"z\, z^{*} = |z|^2",
        {"z": COMPLEX},
        lambda v: v["z"].real ** 2 + v["z"].imag ** 2,
        "any text on complex numbers",
    ),
    Equation(
        "conjugate-product",
        r"\begin{aligned} &(q_0 + \mathrm{i} q_1)(k_0 + \mathrm{i} k_1)^{*}"
        r" \\ &\quad = (q_0 k_0 + q_1 k_1)"
        r" + \mathrm{i}(q_1 k_0 - q_0 k_1) \end{aligned}",
        {"q": vector(2), "k": vector(2)},
        _polar_product,
        "inner product and determinant in one product",
    ),
)
ORTHOGONAL = (
    Equation(
        "orthogonal-product",
        r"\begin{aligned} (T q)^\top (T k) &= q^\top k \\"
        r" (F q)^\top (F k) &= q^\top k \end{aligned}",
        {r"\alpha": ANGLE, "q": vector(2), "k": vector(2)},
        lambda v: (np.dot(v["q"].ravel(), v["k"].ravel()),) * 2,
        "orthogonal maps keep every inner product",
        mirror,
        same={f"swap q, k in side {j}": "the product is symmetric"
              for j in (1, 2, 3, 4)},
        extra=(r"(T q)^\top (F k) = q^\top k,"
               r" (F q)^\top (F k) = q^\top k",
               r"(T q)^\top k = q^\top k, (F q)^\top (F k) = q^\top k"),
    ),
    Equation(
        "mirror-image",
        r"F q = \begin{pmatrix} \cos\alpha & \sin\alpha \\ \sin\alpha"
        r" & -\cos\alpha \end{pmatrix} \begin{pmatrix} q_0 \\ q_1"
        r" \end{pmatrix}",
        {r"\alpha": ANGLE, "q": vector(2)},
        _reflected,
        "any text on linear algebra",
        mirror,
    ),
    Equation(
        "mirror-matrix",
        r"\begin{aligned} F^\top F &= I \\ \det F &= -1 \\ F F &= I"
        r" \end{aligned}",
        {r"\alpha": ANGLE},
        lambda v: (np.eye(2), -1.0, np.eye(2)),
        "a mirror is orthogonal and no rotation",
        mirror,
        same={"drop ^⊤ (1)": "a mirror is symmetric"},
    ),
    Equation(
        "two-mirrors",
        r"F_\alpha F_\beta = T_{\alpha - \beta}",
        TWO,
        _mirrored_twice,
        "two mirrors make a turn",
        mirrors,
        extra=(r"F_\beta F_\alpha = T_{\alpha - \beta}",
               r"F_\alpha F_\beta = F_{\alpha - \beta}"),
    ),
)
TRIGONOMETRY = (
    Equation(
        "cos-sum",
        r"\begin{aligned} \cos(\alpha + \beta) ={}& \cos\alpha \cos\beta"
        r" \\ &- \sin\alpha \sin\beta \end{aligned}",
        TWO, lambda v: _sum(v).real, "angle addition",
    ),
    Equation(
        "sin-sum",
        r"\begin{aligned} \sin(\alpha + \beta) ={}& \sin\alpha \cos\beta"
        r" \\ &+ \cos\alpha \sin\beta \end{aligned}",
        TWO, lambda v: _sum(v).imag, "angle addition",
    ),
    Equation(
        "cos-difference",
        r"\begin{aligned} \cos(\alpha - \beta) ={}& \cos\alpha \cos\beta"
        r" \\ &+ \sin\alpha \sin\beta \end{aligned}",
        TWO, lambda v: _sum(v, -1).real, "angle addition",
    ),
    Equation(
        "sin-difference",
        r"\begin{aligned} \sin(\alpha - \beta) ={}& \sin\alpha \cos\beta"
        r" \\ &- \cos\alpha \sin\beta \end{aligned}",
        TWO, lambda v: _sum(v, -1).imag, "angle addition",
    ),
    Equation(
        "pythagoras",
        r"\cos^2\alpha + \sin^2\alpha = 1",
        {r"\alpha": ANGLE}, lambda v: 1.0, "Pythagoras",
    ),
    Equation(
        "half-angle",
        r"1 - \cos\alpha = 2 \sin^2 \frac{\alpha}{2}",
        {r"\alpha": ANGLE},
        lambda v: 0.5 * abs(cmath.rect(1, v[r"\alpha"]) - 1) ** 2,
        "the double-angle formula",
    ),
)
EQUATIONS = COMPLEX_NUMBERS + ORTHOGONAL + TRIGONOMETRY
