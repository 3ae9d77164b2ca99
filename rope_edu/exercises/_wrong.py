"""What the exercises' checks share."""

from __future__ import annotations

import copy

import numpy as np
import sympy as sp
from sympy.logic.boolalg import BooleanAtom

from .._checks import as_array
from ..symbolic import _as_expression


class Wrong(Exception):
    """An answer lacks a property; the message says which."""


def require(condition, message):
    """Raise `Wrong` with the message unless the condition holds."""
    if not condition:
        raise Wrong(message)


def call(answer, *arguments):
    """What the reader's function returns for copies of the arguments.

    It may write into them without touching what it is compared with.
    """
    require(callable(answer), "a function is wanted")
    return answer(*copy.deepcopy(arguments))


def number(answer):
    """The answer as a finite float.

    A one-argument call, ``number(answer)``, is the first line of every
    check that asks for a number.
    """
    # NumPy and torch write their types in two ways.
    require(not str(getattr(answer, "dtype", "")).endswith("bool")
            and not isinstance(answer, (bool, BooleanAtom)),
            "a number is wanted, not True or False")
    found = _real(answer, f"{_shown(answer)} is not a number")
    require(found.size == 1, "one number is wanted")
    require(np.isfinite(found.item()), f"{found.item()} is not finite")
    return found.item()


def _shown(answer):
    """How the answer is written, in a few characters."""
    try:
        text = repr(answer)
    except Exception:  # an integer of 5000 digits, or the reader's own class
        return f"this {type(answer).__name__}"
    return text if len(text) <= 40 else text[:36] + " ..."


def truth(found, otherwise):
    """What an answer returns as a bool, also from an array without axes."""
    found = np.asarray(found)
    require(found.dtype == bool and found.ndim == 0, otherwise)
    return bool(found)


def array(answer, shape):
    """The answer as a float64 array of the wanted shape, a copy.

    With None for the shape, any is right.
    """
    require(answer is not None and answer is not ...,
            "your function returns nothing yet")
    found = _real(answer, "an array of numbers is wanted")
    require(shape is None or found.shape == shape,
            f"the shape is {found.shape}, wanted is {shape}")
    return found


def _real(answer, wanted):
    """The answer as float64, where that loses no mask and no part of it."""
    try:
        found = as_array("the answer", answer)
    except TypeError as error:  # masked
        raise Wrong(str(error)) from error
    except ValueError as error:  # ragged
        raise Wrong(wanted) from error
    if np.iscomplexobj(found):
        require(not found.imag.any(), "the imaginary part is not 0")
        found = found.real
    try:
        return found.astype(np.float64)
    except OverflowError as error:
        raise Wrong("so large a number does not fit into a float") from error
    except (TypeError, ValueError) as error:
        raise Wrong(wanted) from error


def expression(answer, symbols):
    """The answer as a SymPy expression in these symbols.

    Symbols are known by their names: whether the reader made them real or
    not, they become the given ones.
    """
    # Row times matrix times column is one number in SymPy's brackets.
    if isinstance(answer, sp.MatrixBase) and answer.shape == (1, 1):
        answer = answer[0]
    try:
        found = _as_expression("the answer", answer)
    except TypeError as error:
        raise Wrong("a SymPy expression is wanted") from error
    # SymPy would try for minutes to simplify what holds one.
    require(all(abs(x.p) < 10**100 for x in found.atoms(sp.Rational)),
            "so large a number is not needed")
    own = {symbol.name: symbol for symbol in symbols}
    letters = {letter: own.get(str(letter)) for letter in found.free_symbols}
    require(all(letters.values()),
            f"only the symbols {', '.join(own)} are needed")
    return found.xreplace(letters)


def same(found, wanted):
    """Whether two expressions are equal at a few points, to ten digits.

    For forms that SymPy does not reduce to each other: joined logarithms,
    amplitudes with a phase, cases, rounded coefficients.
    """
    letters = sorted(found.free_symbols | wanted.free_symbols, key=str)
    for seed in range(4):
        draws = np.random.default_rng(seed).integers(12, 40, len(letters))
        signs = (1 if x.is_positive else (-1) ** (seed >> i & 1)
                 for i, x in enumerate(letters))
        at = {x: sp.Rational(int(sign * n), 10)
              for x, sign, n in zip(letters, signs, draws)}
        try:
            off = complex(sp.N((found - wanted).subs(at), 30))
        except TypeError:  # no number
            return False
        if not abs(off) < 1e-10:
            return False
    return True
