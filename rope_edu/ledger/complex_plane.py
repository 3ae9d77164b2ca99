"""Chapter 4: from the wish to f(q, m) = q exp(i m theta).

Here q and k are complex numbers; `f` is the solution that the chapter
derives, so that every step of the derivation can be tried on it.
"""

from __future__ import annotations

import numpy as np

from ..reference import rotate, score
from .algebra import Family
from .core import Equation
from .variables import (
    ANGLE, COMPLEX, FREQUENCY, GROWTH, POLAR, POSITION, SMALL)

WORDS = {"q": COMPLEX, "k": COMPLEX}
POLAR_WORDS = {"q": POLAR, "k": POLAR}
FREE = "the modulus of G does not depend on the offset"
ORDER = "the product of two moduli does not depend on their order"
PLACES = {"m": POSITION, "n": POSITION, r"\theta": FREQUENCY}


def solution(algebra, values):
    """f, and the real and complex g, that the chapter arrives at."""
    def turned(z, position):
        angle = algebra.i * position * values[r"\theta"]
        return z * algebra.e ** angle

    def product(q, k, offset):
        return turned(q, offset) * algebra.conjugate(k)

    return {
        "f": turned, "G": product, r"\theta": values[r"\theta"],
        "g": lambda q, k, offset: algebra.re(product(q, k, offset)),
        "R": Family(algebra.modulus), r"\Theta": Family(algebra.arg),
        r"\varphi": lambda m: m * values[r"\theta"],
    }


def shifted(algebra, values):
    """f with a fixed extra angle gamma: the wish alone does not see it."""
    def turned(z, position):
        angle = position * values[r"\theta"] + values[r"\gamma"]
        return z * algebra.e ** (algebra.i * angle)

    return {"f": turned}


def mirror(algebra, values):
    """F mirrors the plane in the line at half the angle alpha."""
    tilt = algebra.e ** (algebra.i * values[r"\alpha"])
    return {"F": lambda z: tilt * algebra.conjugate(z)}


def two_maps(algebra, values):
    """One map for queries that grows, one for keys that shrinks alike."""
    def map_with(growth):
        rate = growth + algebra.i * values[r"\theta"]
        return lambda z, position: z * algebra.e ** (rate * position)

    return {"f_q": map_with(values[r"\alpha"]),
            "f_k": map_with(-values[r"\alpha"]),
            "R": Family(algebra.modulus)}


def pair(z):
    """The complex number as a pair of real coordinates."""
    return np.array([z.real, z.imag])


def _inv_freq(v):
    return np.array([v[r"\theta"]])


def _score(v):
    return score(pair(v["q"]), pair(v["k"]), v["m"], v["n"], _inv_freq(v))


def _turned(v, name="q", position="m"):
    x, y = rotate(pair(v[name]), v[position], _inv_freq(v))
    return complex(x, y)


def _product(v):
    """f(q, m) times the conjugate of f(k, n), from real coordinates."""
    (a, b), (c, d) = pair(_turned(v)), pair(_turned(v, "k", "n"))
    return complex(a * c + b * d, b * c - a * d)


def _mirrored(v):
    """Inner product and signed area after a mirror matrix, as one number."""
    c, s = np.cos(v[r"\alpha"]), np.sin(v[r"\alpha"])
    matrix = np.array([[c, s], [s, -c]])
    (a, b), (x, y) = matrix @ pair(v["q"]), matrix @ pair(v["k"])
    return complex(a * x + b * y, b * x - a * y)


def _two_moduli(v):
    """Lengths that grow and shrink step by step, from where they begin."""
    step = np.exp(v[r"\alpha"])
    return (np.hypot(*pair(v["q"])) * step ** v["m"]
            * np.hypot(*pair(v["k"])) / step ** v["n"])


def _angle(z):
    return np.arctan2(z.imag, z.real)


EQUATIONS = (
    Equation(
        "wish",
        r"\langle f(q,m), f(k,n) \rangle = g(q,k,m-n)",
        WORDS | PLACES, _score,
        "first text (2); Su, post 8265, eq. (2); RoFormer eq. (11)",
        solution, lost=2,
    ),
    Equation(
        "inner-product-complex",
        r"\langle q, k \rangle = \operatorname{Re}[q\, k^{*}]",
        WORDS,
        lambda v: pair(v["q"]) @ pair(v["k"]),
        "Su, post 8265",
        same={"swap q, k in side 1": "the inner product is symmetric",
              "swap q, k in side 2": "conjugation keeps the real part"},
        extra=(r"\langle q, k \rangle = \operatorname{Im}[q\, k^{*}]",
               r"\langle q, k \rangle = q\, k^{*}"),
    ),
    Equation(
        "wish-complex",
        r"\operatorname{Re}[f(q,m)\, f(k,n)^{*}] = g(q,k,m-n)",
        WORDS | PLACES, _score,
        "first text (4); Su, post 8265, eq. (3); RoFormer eq. (12)",
        solution, lost=4,
    ),
    Equation(
        "initial-conditions",
        r"f(q,0) = q, \qquad f(k,0) = k",
        WORDS | {r"\theta": FREQUENCY},
        lambda v: tuple(
            complex(*rotate(pair(v[name]), 0, _inv_freq(v)))
            for name in "qk"),
        "first text (3); RoFormer eq. (22)",
        solution, lost=3,
    ),
    Equation(
        "offset-gamma",
        r"\begin{aligned} & \operatorname{Re}[f(q,m)\, f(k,n)^{*}] \\"
        r" &\quad = \operatorname{Re}[q\, e^{\mathrm{i}(m\theta + \gamma)}"
        r" (k\, e^{\mathrm{i}(n\theta + \gamma)})^{*}] \end{aligned}",
        POLAR_WORDS | PLACES | {r"\gamma": ANGLE}, _score,
        "RoFormer eq. (30) keeps this gamma",
        shifted,
    ),
    Equation(
        "modulus-forced",
        r"\lVert f(q,m) \rVert^2 = g(q,q,0) = \lVert q \rVert^2",
        WORDS | {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: pair(v["q"]) @ pair(v["q"]),
        "this book: put k = q and n = m in the wish",
        solution,
    ),
    Equation(
        "wish-stronger",
        r"f(q,m)\, f(k,n)^{*} = G(q,k,m-n)",
        WORDS | PLACES, _product,
        "first text, the assumption made for simplicity",
        solution,
    ),
    Equation(
        "mirror",
        r"\begin{aligned} F(q)\, F(k)^{*} &= q^{*}\, k \\"
        r" \operatorname{Re}[F(q)\, F(k)^{*}]"
        r" &= \operatorname{Re}[q\, k^{*}] \end{aligned}",
        WORDS | {r"\alpha": ANGLE},
        lambda v: (_mirrored(v), _mirrored(v).real),
        "this book: a counterexample",
        mirror,
        same={"swap q, k in side 3": "conjugation keeps the real part",
              "swap q, k in side 4": "conjugation keeps the real part"},
    ),
    Equation(
        "polar-form",
        r"\begin{aligned}"
        r" f(q,m) &= R_{f(q,m)}\, e^{\mathrm{i}\Theta_{f(q,m)}} \\"
        r" f(k,n) &= R_{f(k,n)}\, e^{\mathrm{i}\Theta_{f(k,n)}} \\"
        r" G(q,k,m-n) &= R_{G(q,k,m-n)}\,"
        r" e^{\mathrm{i}\Theta_{G(q,k,m-n)}}"
        r" \end{aligned}",
        POLAR_WORDS | PLACES,
        lambda v: (_turned(v), _turned(v, "k", "n"), _product(v)),
        "first text (5); Su, post 8265, eq. (4); RoFormer eq. (23)",
        solution, same={"- to + (2)": FREE}, lost=5,
    ),
    Equation(
        "modulus-and-argument",
        r"\begin{aligned}"
        r" R_{f(q,m)}\, R_{f(k,n)} &= R_{G(q,k,m-n)} \\"
        r" \Theta_{f(q,m)} - \Theta_{f(k,n)} &\equiv \Theta_{G(q,k,m-n)}"
        r" \pmod{2\pi} \end{aligned}",
        POLAR_WORDS | PLACES,
        lambda v: (np.hypot(*pair(_product(v))), _angle(_product(v))),
        "first text (6); Su, post 8265, eq. (5); RoFormer eq. (24), whose"
        " angle has the opposite sign",
        solution, lost=6,
        same={"swap m, n in side 1": FREE, "swap q, k in side 1": ORDER,
              "swap m, n in side 2": FREE, "swap q, k in side 2": ORDER,
              "- to + (1)": FREE},
    ),
    Equation(
        "same-place-modulus",
        r"\begin{aligned} R_{f(q,m)}\, R_{f(k,m)} &= R_{G(q,k,0)} \\"
        r" &= R_{f(q,0)}\, R_{f(k,0)} \\"
        r" &= \lVert q \rVert \, \lVert k \rVert \end{aligned}",
        POLAR_WORDS | {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: np.hypot(*pair(v["q"])) * np.hypot(*pair(v["k"])),
        "first text (7); Su, post 8265, eq. (6); RoFormer eq. (26a)",
        solution, lost=7,
        same={f"swap q, k in side {j}": ORDER for j in (1, 2, 3, 4)}
        | {f"0 to 1 ({j})": FREE for j in (1, 2, 3)},
        extra=(r"R_{f(q,m)}\, R_{f(k,m)} = R_{G(q,q,0)}",
               r"R_{f(q,m)}\, R_{f(k,m)} = \lVert q \rVert^2",
               r"R_{f(q,m)} + R_{f(k,m)} = \lVert q \rVert"
               r" \lVert k \rVert"),
    ),
    Equation(
        "two-moduli",
        r"R_{f_q(q,m)}\, R_{f_k(k,n)} = \lVert q \rVert\, \lVert k \rVert\,"
        r" e^{(m-n)\alpha}",
        POLAR_WORDS | {"m": SMALL, "n": SMALL, r"\theta": FREQUENCY,
                       r"\alpha": GROWTH},
        _two_moduli,
        "xPos (arXiv:2212.10554) makes this choice; this book",
        two_maps,
        same={"swap q, k in side 2": ORDER},
    ),
    Equation(
        "same-place-argument",
        r"\begin{aligned} \Theta_{f(q,m)} - \Theta_{f(k,m)}"
        r" &\equiv \Theta_{G(q,k,0)} \\"
        r" &\equiv \Theta_{f(q,0)} - \Theta_{f(k,0)} \\"
        r" &\equiv \Theta_q - \Theta_k \pmod{2\pi} \end{aligned}",
        POLAR_WORDS | {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: _angle(v["q"]) - _angle(v["k"]),
        "first text (8); Su, post 8265, eq. (7); RoFormer eq. (26b)",
        solution, lost=8,
    ),
    Equation(
        "arithmetic-step",
        r"\varphi(m) - \varphi(m-1) \equiv \Theta_{G(q,k,1)}"
        r" + \Theta_k - \Theta_q \pmod{2\pi}",
        POLAR_WORDS | {"m": POSITION, r"\theta": FREQUENCY},
        lambda v: v[r"\theta"],
        "first text (9); Su, post 8265, eq. (8); RoFormer eq. (29)",
        solution, lost=9,
        same={"swap q, k in side 2":
              "q and k leave the right side as they came: it is theta"},
    ),
    Equation(
        "rope-2d",
        r"\begin{aligned} f(q,m) &= R_{f(q,m)}\,"
        r" e^{\mathrm{i}\Theta_{f(q,m)}} \\"
        r" &= \lVert q \rVert\, e^{\mathrm{i}(\Theta_q + m\theta)} \\"
        r" &= q\, e^{\mathrm{i}m\theta} \end{aligned}",
        {"q": POLAR, "m": POSITION, r"\theta": FREQUENCY},
        _turned,
        "first text (10); Su, post 8265, eq. (9); RoFormer eq. (33)",
        solution, lost=10,
        extra=(r"f(q,m) = q\, e^{-\mathrm{i}m\theta}",
               r"f(q,m) = q\, e^{m\theta}",
               r"f(q,m) = \lVert q \rVert\, e^{\mathrm{i}m\theta}"),
    ),
    Equation(
        "score-complex",
        r"\begin{aligned} \langle f(q,m), f(k,n) \rangle"
        r" &= \operatorname{Re}[q\, k^{*} e^{\mathrm{i}(m-n)\theta}] \\"
        r" &= \lVert q \rVert\, \lVert k \rVert"
        r" \cos(\Theta_q - \Theta_k + (m-n)\theta) \end{aligned}",
        POLAR_WORDS | PLACES, _score,
        "RoFormer eq. (12)",
        solution,
    ),
)
