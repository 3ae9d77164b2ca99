"""What the exercises' checks share."""

from __future__ import annotations

import copy

import numpy as np

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
    found = _real(answer, f"{answer!r} is not a number")
    require(found.ndim == 0, "one number is wanted")
    require(np.isfinite(found), f"{found} is not finite")
    return float(found)


def array(answer, shape):
    """The answer as a float64 array of the wanted shape, a copy."""
    require(answer is not None and answer is not ...,
            "your function returns nothing yet")
    found = _real(answer, "an array of numbers is wanted")
    require(found.shape == shape,
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
    except (TypeError, ValueError, OverflowError) as error:
        raise Wrong(wanted) from error


def expression(answer, symbols):
    """The answer as a SymPy expression in these symbols.

    Symbols are known by their names: whether the reader made them real or
    not, they become the given ones.
    """
    try:
        found = _as_expression("the answer", answer)
    except TypeError as error:
        raise Wrong("a SymPy expression is wanted") from error
    own = {symbol.name: symbol for symbol in symbols}
    letters = {letter: own.get(str(letter)) for letter in found.free_symbols}
    require(all(letters.values()),
            f"only the symbols {', '.join(own)} are needed")
    return found.xreplace(letters)
