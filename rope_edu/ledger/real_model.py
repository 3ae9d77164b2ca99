"""Chapter 16: positions counted backwards, and what a slow pair can tell."""

from __future__ import annotations

import numpy as np

from ..reference import rotation_matrix, score
from .core import Equation
from .rotations import DIAL, dial
from .variables import ANGLE, FREQUENCY, POSITION


def _backwards(v):
    """Turn back by one matrix and on by the other, as linear systems."""
    first, second = (rotation_matrix(v["c"] - v[at], [v[r"\theta"]])
                     for at in ("m", "n"))
    return np.linalg.solve(first, second)


def _near_less_far(v):
    """Scores of a pair of length 1 with keys 1 and r tokens before it."""
    key = [np.cos(v[r"\varphi"]), np.sin(v[r"\varphi"])]
    near, far = (score([1.0, 0.0], key, at, 0, [v[r"\theta"]])
                 for at in (1, v["r"]))
    return near - far


EQUATIONS = (
    Equation(
        "backwards",
        r"R_{c-m}^\top R_{c-n} = R_{m-n} = R_{n-m}^\top",
        DIAL | {"c": POSITION},
        _backwards,
        "this book; relative-2d with positions that count down from c",
        dial,
    ),
    Equation(
        "near-less-far",
        r"\begin{aligned} &\cos(\theta - \varphi) - \cos(r\theta - \varphi)"
        r" \\ &= 2 \sin(\tfrac{r+1}{2} \theta - \varphi)"
        r" \sin(\tfrac{r-1}{2} \theta) \end{aligned}",
        {"r": POSITION, r"\theta": FREQUENCY, r"\varphi": ANGLE},
        _near_less_far,
        "this book; a difference of two cosines as a product",
    ),
)
