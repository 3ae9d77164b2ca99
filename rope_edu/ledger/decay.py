"""Chapter 8: what the score does with distance."""

from __future__ import annotations

import numpy as np

from ..reference import rotate, rotation_matrix, score
from .algebra import Family, within
from .core import Equation
from .dimensions import dials
from .variables import FREQUENCIES, POSITION, REAL, VECTOR, WIDTH

DIALS = {"d": WIDTH, r"\theta": FREQUENCIES}
OFFSET = {"r": POSITION}
QUERY = {"q": VECTOR}
WORDS = QUERY | {"k": VECTOR}


def _inv_freq(v):
    return v[r"\theta"].ravel()


def _score(v, offset):
    return score(v["q"].ravel(), v["k"].ravel(), 0, offset, _inv_freq(v))


def _self_score(v, offset):
    return _score(v | {"k": v["q"]}, offset)


def amplitudes(algebra, values):
    """h_i, the partial sums S_i of the dials, and h_{d/2} = 0."""
    pairs, count = dials(algebra, values), int(values["d"]) // 2

    def h(i):
        if within(i, count + 1) == count:
            return algebra.number(0)
        return (algebra.conjugate(pairs[r"\hatq"].of(i))
                * pairs[r"\hatk"].of(i))

    def partial(i):
        terms = [algebra.e ** (algebra.i * values["r"]
                               * values[r"\theta"][j, 0])
                 for j in range(within(i, count + 1))]
        return sum(terms, algebra.number(0))

    return pairs | {"h": Family(h), "S": Family(partial)}


def _complex_score(v):
    """Sum of h_i exp(i r theta_i): real part and imaginary part apart."""
    k = v["k"].ravel()
    back = rotate(v["q"].ravel(), -v["r"], _inv_freq(v))
    ahead = np.stack([-back[1::2], back[0::2]], axis=1).ravel()
    return complex(back @ k, ahead @ k)


EQUATIONS = (
    Equation(
        "score-amplitudes",
        r"q^\top R_r k = \operatorname{Re}[\sum_{i=0}^{d/2-1}"
        r" \hat{q}_i^{*}\, \hat{k}_i\, e^{\mathrm{i}r\theta_i}]",
        DIALS | OFFSET | WORDS,
        lambda v: _score(v, v["r"]),
        "RoFormer eq. (35), counted as r = n - m",
        dials,
    ),
    Equation(
        "abel",
        r"\begin{aligned} &\sum_{i=0}^{d/2-1} h_i\,"
        r" e^{\mathrm{i}r\theta_i} \\"
        r" &= \sum_{i=0}^{d/2-1} h_i (S_{i+1} - S_i) \\"
        r" &= -\sum_{i=0}^{d/2-1} S_{i+1} (h_{i+1} - h_i) \end{aligned}",
        DIALS | OFFSET | WORDS,
        _complex_score,
        "RoFormer eq. (36), summation by parts with h_{d/2} = 0",
        amplitudes,
    ),
    Equation(
        "self-score",
        r"\begin{aligned} &q^\top R_r q \\ &= \sum_{i=0}^{d/2-1}"
        r" (q_{2i}^2 + q_{2i+1}^2) \cos r\theta_i \end{aligned}",
        DIALS | OFFSET | QUERY,
        lambda v: _self_score(v, v["r"]),
        "this book; score-sum with k = q",
        dials,
    ),
    Equation(
        "trace",
        r"\operatorname{tr}(R_r R_r^\top) = d",
        DIALS | OFFSET,
        lambda v: np.sum(rotation_matrix(v["r"], _inv_freq(v)) ** 2),
        "this book; the variance of the score of standard normal q and k",
        dials,
        extra=(r"\operatorname{tr}(R_r) = d",
               r"\operatorname{tr}(R_r R_r^\top) = d/2"),
    ),
    Equation(
        "mean-score",
        r"\mu^2\, u^\top R_r u = 2 \mu^2 \sum_{i=0}^{d/2-1} \cos r\theta_i",
        DIALS | OFFSET | {r"\mu": REAL},
        lambda v: v[r"\mu"] ** 2 * np.sum(
            rotation_matrix(v["r"], _inv_freq(v))),
        "this book; the expected score of independent q and k with mean mu",
        lambda algebra, v: dials(algebra, v) | {
            "u": algebra.matrix([[algebra.number(1)]] * int(v["d"]))},
    ),
    Equation(
        "moved-peak",
        r"q^\top R_{n-m} (R_r^\top q) = q^\top R_{n-m-r}\, q",
        DIALS | OFFSET | QUERY | {"m": POSITION, "n": POSITION},
        lambda v: _self_score(v, v["n"] - v["m"] - v["r"]),
        "Barbero et al. (arXiv:2410.06205), proposition 3.1",
        dials,
    ),
    Equation(
        "odd-part",
        r"\begin{aligned} &q^\top R_r k - q^\top R_{-r} k \\"
        r" &= -2 \sum_{i=0}^{d/2-1} \operatorname{Im}["
        r"\hat{q}_i^{*}\, \hat{k}_i] \sin r\theta_i \end{aligned}",
        DIALS | OFFSET | WORDS,
        lambda v: _score(v, v["r"]) - _score(v, -v["r"]),
        "this book; score-amplitudes at r and at -r",
        dials,
    ),
)
