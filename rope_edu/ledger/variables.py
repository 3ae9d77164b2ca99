"""What the letters of an equation range over.

Each kind knows its SymPy symbol (for the proof), how to draw a float (for
the random points) and how to draw a small exact number (to see that a
mutant's residual is not zero).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
import sympy as sp


@dataclass(frozen=True)
class Kind:
    """A set that a letter ranges over."""

    symbol: Callable
    draw: Callable
    exact: Callable


@dataclass(frozen=True)
class PerWidth:
    """A kind that depends on the width d: ``of(d)`` is a `Kind`."""

    of: Callable


# A formula in d is examined at each of these. One width would not tell
# d/2 from d - 2, nor from 2.
WIDTHS = (4, 6)


def _rational(rng, low=1, high=60):
    sign = int(rng.choice([-1, 1]))
    return sp.Rational(sign * int(rng.integers(low, high)), 7)


def _position(rng):
    """Small, trained-length and large offsets, of both signs."""
    reach = rng.choice([16, 4096, 2**20])
    return float(rng.integers(-reach, reach + 1))


POSITION = Kind(
    lambda name: sp.Symbol(name, real=True), _position,
    lambda rng: sp.Integer(int(rng.integers(2, 40))))
INTEGER = Kind(
    lambda name: sp.Symbol(name, integer=True), _position, POSITION.exact)
SMALL = Kind(
    INTEGER.symbol, lambda rng: float(rng.integers(-40, 41)), POSITION.exact)
GROWTH = Kind(
    lambda name: sp.Symbol(name, real=True),
    lambda rng: rng.uniform(-0.02, 0.02), lambda rng: _rational(rng, 1, 6))
COUNT = Kind(
    lambda name: sp.Symbol(name, integer=True, nonnegative=True),
    lambda rng: float(rng.integers(0, 12)),
    lambda rng: sp.Integer(int(rng.integers(2, 9))))
ANGLE = Kind(
    lambda name: sp.Symbol(name, real=True),
    lambda rng: rng.uniform(-np.pi, np.pi),
    lambda rng: _rational(rng, 1, 20))
FREQUENCY = Kind(
    lambda name: sp.Symbol(name, positive=True),
    lambda rng: 10.0 ** rng.uniform(-4, 0),
    lambda rng: abs(_rational(rng, 1, 6)))
POSITIVE = Kind(
    lambda name: sp.Symbol(name, positive=True),
    lambda rng: rng.uniform(0.1, 4.0),
    lambda rng: abs(_rational(rng)))
REAL = Kind(
    lambda name: sp.Symbol(name, real=True),
    lambda rng: rng.normal(), _rational)
BASE = Kind(
    lambda name: sp.Symbol(name, positive=True),
    lambda rng: 10.0 ** rng.uniform(1, 7),
    lambda rng: sp.Integer(int(rng.integers(20, 90))))


def _complex_symbol(name):
    x, y = sp.symbols(f"{name}_x {name}_y", real=True)
    return x + sp.I * y


COMPLEX = Kind(
    _complex_symbol,
    lambda rng: complex(rng.normal(), rng.normal()),
    lambda rng: _rational(rng) + sp.I * _rational(rng))


def _polar_symbol(name):
    radius = sp.Symbol(f"r_{name}", positive=True)
    return radius * sp.exp(sp.I * sp.Symbol(f"a_{name}", real=True))


POLAR = Kind(_polar_symbol, COMPLEX.draw, COMPLEX.exact)


def vector(d):
    """Kind of a column of `d` real numbers.

    Examples
    --------
    >>> vector(2).symbol("q").T
    Matrix([[q_0, q_1]])
    """
    def column(make):
        return sp.Matrix([make(i) for i in range(d)])

    return Kind(
        lambda name: column(lambda i: sp.Symbol(f"{name}_{i}", real=True)),
        lambda rng: rng.normal(size=(d, 1)),
        lambda rng: column(lambda i: _rational(rng)))


def constant(value):
    """Kind with one value, e.g. the width ``d = 8``."""
    return Kind(lambda name: sp.sympify(value), lambda rng: float(value),
                lambda rng: sp.sympify(value))


def frequencies(pairs):
    """Kind of a column of `pairs` positive frequencies, in no order."""
    return Kind(
        lambda name: sp.Matrix(sp.symbols(
            [f"t_{i}" for i in range(pairs)], positive=True)),
        lambda rng: 10.0 ** rng.uniform(-4, 0, size=(pairs, 1)),
        lambda rng: sp.Matrix([FREQUENCY.exact(rng) for _ in range(pairs)]))


def index(count):
    """Kind of a number of a pair, 0 to `count` - 1.

    A proof takes the last one: an index must be a number for SymPy, and
    any pair stands for all where the frequencies are free symbols.
    """
    return Kind(lambda name: sp.Integer(count - 1),
                lambda rng: float(rng.integers(count)),
                lambda rng: sp.Integer(count - 1))


WIDTH = PerWidth(constant)
VECTOR = PerWidth(vector)
FREQUENCIES = PerWidth(lambda d: frequencies(d // 2))
PAIR = PerWidth(lambda d: index(d // 2))
PAIR_BUT_LAST = PerWidth(lambda d: index(d // 2 - 1))
