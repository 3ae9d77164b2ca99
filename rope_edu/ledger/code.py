"""Chapter 9: rotations in other orders and directions, and their weights."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..layouts import permute_weight
from ..reference import score
from .core import Equation
from .dimensions import PLACES, SIX, half_split
from .variables import Kind, vector

FEATURES = 2
TEXT = {"x": vector(FEATURES), "y": vector(FEATURES)}


def matrix(rows, columns):
    """Kind of a real matrix, its entries without relation.

    Examples
    --------
    >>> matrix(1, 2).symbol("W_q")
    Matrix([[W_q_00, W_q_01]])
    """
    def fill(make):
        return sp.Matrix(rows, columns, make)

    return Kind(
        lambda name: fill(lambda i, j: sp.Symbol(f"{name}_{i}{j}", real=True)),
        lambda rng: rng.normal(size=(rows, columns)),
        lambda rng: fill(lambda i, j: sp.Rational(
            int(rng.integers(-30, 31)), 7)))


WEIGHTS = {"W_q": matrix(6, FEATURES), "W_k": matrix(6, FEATURES)}


def mirrored(algebra, values):
    """`S` changes the sign of the second number of every pair."""
    one, d = algebra.number(1), 2 * len(values[r"\theta"])
    entries = [[(one if i % 2 == 0 else -one) if i == j else 0 * one
                for j in range(d)] for i in range(d)]
    return half_split(algebra, values) | {"S": algebra.matrix(entries)}


def _rates(v):
    return v[r"\theta"].ravel()


def _score(v):
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"], _rates(v))


def _permuted_score(v):
    """The package's own permuted weights, under half-split rotation."""
    q, k = (permute_weight(v[name], 1, "half") @ v[text].ravel()
            for name, text in (("W_q", "x"), ("W_k", "y")))
    return score(q, k, v["m"], v["n"], _rates(v), "half")


def _backwards(v):
    """R_{-m} from its columns: the axes, as complex pairs, turned back."""
    turns = np.exp(-1j * v["m"] * _rates(v))
    pairs = np.eye(6).reshape(6, 3, 2) @ [1, 1j] * turns
    return np.stack([pairs.real, pairs.imag], axis=2).reshape(6, 6).T


EQUATIONS = (
    Equation(
        "permuted-weights",
        r"\begin{aligned} & (H_m P W_q x)^\top (H_n P W_k y) \\"
        r" &\quad = (R_m W_q x)^\top (R_n W_k y) \end{aligned}",
        PLACES | {r"\theta": SIX[r"\theta"]} | WEIGHTS | TEXT,
        _permuted_score,
        "this book; the converters of Llama checkpoints rest on it",
        half_split,
        extra=tuple(
            rf"(H_m {left} W_q x)^\top (H_n {right} W_k y)"
            r" = (R_m W_q x)^\top (R_n W_k y)"
            for left, right in (("P", ""), ("", ""),
                                (r"P^\top", r"P^\top"))),
    ),
    Equation(
        "other-direction",
        r"\begin{aligned} R_{-m} &= S R_m S \\"
        r" (R_{-m} S q)^\top (R_{-n} S k) &= q^\top R_{n-m} k"
        r" \end{aligned}",
        PLACES | SIX,
        lambda v: (_backwards(v), _score(v)),
        "this book; nanochat turns by -theta",
        mirrored,
        extra=tuple(
            r"R_{-m} = S R_m S, "
            rf"(R_{{-m}} {left} q)^\top (R_{{-n}} {right} k)"
            r" = q^\top R_{n-m} k"
            for left, right in (("S", ""), ("", ""))),
    ),
    Equation(
        "output-order",
        r"(P R_m q)^\top (P R_n k) = q^\top R_{n-m} k",
        PLACES | SIX, _score,
        "this book; DeepSeek-V3 in transformers reads neighbors and returns"
        " halves",
        half_split,
    ),
)
