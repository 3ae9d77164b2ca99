"""What the exercises' checks share."""

from __future__ import annotations

import numpy as np


class Wrong(Exception):
    """An answer lacks a property; the message says which."""


def require(condition, message):
    """Raise `Wrong` with the message unless the condition holds."""
    if not condition:
        raise Wrong(message)


def number(answer):
    """The answer as a finite float.

    A one-argument call, ``number(answer)``, is the first line of every
    check that asks for a number.
    """
    require(np.ndim(answer) == 0, "one number is wanted")
    try:
        value = float(answer)
    except (TypeError, ValueError) as error:
        raise Wrong(f"{answer!r} is not a number") from error
    require(np.isfinite(value), f"{value} is not finite")
    return value


def array(answer, shape):
    """The answer as a float64 array of the wanted shape."""
    require(answer is not None and answer is not ...,
            "your function returns nothing yet")
    try:
        found = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Wrong("an array of numbers is wanted") from error
    require(found.shape == shape,
            f"the shape is {found.shape}, wanted is {shape}")
    return found
