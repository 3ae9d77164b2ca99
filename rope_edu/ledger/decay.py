"""Chapter 8: what the score does with distance."""

from __future__ import annotations

import numpy as np

from ..frequencies import angles
from ..reference import rotate, rotate_dense, rotation_matrix, score
from .core import Equation
from .dimensions import dials
from .variables import FREQUENCY, POSITION, REAL, constant, frequencies, vector

WIDTH = 6
PAIRS = WIDTH // 2
DIALS = {"d": constant(WIDTH), r"\theta": frequencies(PAIRS)}
OFFSET = {"r": POSITION}
QUERY = {"q": vector(WIDTH)}


def _inv_freq(v):
    return v[r"\theta"].ravel()


def _self_score(v, offset):
    q = v["q"].ravel()
    return score(q, q, 0, offset, _inv_freq(v))


def amplitudes(algebra, values):
    """h_i, the partial sums S_i of the dials, and h_{d/2} = 0."""
    pairs = dials(algebra, values)

    def h(i):
        if int(i) == PAIRS:
            return algebra.number(0)
        return pairs[r"\hatq"](i) * algebra.conjugate(pairs[r"\hatk"](i))

    def partial(i):
        terms = [algebra.e ** (algebra.i * values["r"]
                               * values[r"\theta"][j, 0])
                 for j in range(int(i))]
        return sum(terms, algebra.number(0))

    return pairs | {"h": h, "S": partial}


def _complex_score(v):
    """Sum of h_i exp(i r theta_i): real part and imaginary part apart."""
    q, k = v["q"].ravel(), v["k"].ravel()
    turned = rotate(q, v["r"], _inv_freq(v))
    mirrored = np.stack([-turned[1::2], turned[0::2]], axis=1).ravel()
    return complex(turned @ k, -(mirrored @ k))


EQUATIONS = (
    Equation(
        "self-score",
        r"q^\top R_r q = \sum_{i=0}^{d/2-1} (q_{2i}^2 + q_{2i+1}^2)"
        r" \cos r\theta_i",
        DIALS | OFFSET | QUERY,
        lambda v: _self_score(v, v["r"]),
        "this book; score-sum with k = q",
        dials,
    ),
    Equation(
        "moved-peak",
        r"q^\top R_{n-m} (R_r^\top q) = \sum_{i=0}^{d/2-1}"
        r" (q_{2i}^2 + q_{2i+1}^2) \cos((n-m-r)\theta_i)",
        DIALS | OFFSET | QUERY | {"m": POSITION, "n": POSITION},
        lambda v: _self_score(v, v["n"] - v["m"] - v["r"]),
        "Barbero et al. (arXiv:2410.06205), proposition 3.1",
        dials,
    ),
    Equation(
        "mean-score",
        r"\mu^2\, u^\top R_r u = 2 \mu^2 \sum_{i=0}^{d/2-1} \cos r\theta_i",
        DIALS | OFFSET | {r"\mu": REAL},
        lambda v: np.sum(np.outer(v[r"\mu"] * np.ones(WIDTH),
                                  v[r"\mu"] * np.ones(WIDTH))
                         * rotation_matrix(v["r"], _inv_freq(v))),
        "this book; the expected score of independent q and k with mean mu",
        lambda algebra, v: dials(algebra, v) | {
            "u": algebra.matrix([[algebra.number(1)]] * WIDTH)},
    ),
    Equation(
        "abel",
        r"\sum_{i=0}^{d/2-1} h_i\, e^{\mathrm{i}r\theta_i}"
        r" = -\sum_{i=0}^{d/2-1} S_{i+1} (h_{i+1} - h_i)",
        DIALS | OFFSET | QUERY | {"k": vector(WIDTH)},
        _complex_score,
        "RoFormer eq. (36), summation by parts with h_{d/2} = 0",
        amplitudes,
    ),
)
