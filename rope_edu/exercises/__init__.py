"""Exercises of the book: ``check`` says which property an answer lacks.

Each chapter has a module with one function for each exercise. Such a
function takes the answer, tries properties on it, and raises `Wrong` with
the first that fails. It never shows the solution.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ._wrong import Wrong

__all__ = ["Wrong", "check", "numbers", "verdict"]

CHECKS = {
    number: properties
    for module in sorted(found.name for found in iter_modules(__path__))
    if module.startswith("chapter")
    for number, properties in import_module(
        f".{module}", __name__).CHECKS.items()
}


def numbers():
    """Numbers of all exercises, in the order of the book.

    Examples
    --------
    >>> "5.1" in numbers()
    True
    """
    return list(CHECKS)


def check(number, answer):
    """Try an answer and print what came of it.

    Parameters
    ----------
    number : str
        The exercise, such as ``"5.1"``.
    answer
        What the exercise asks for: a number, an array or a function.
        ``...`` stands for an answer not yet given.

    Raises
    ------
    TypeError
        If `number` is no string: 5.1 and 5.10 are one float.
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> check("5.1", ...)
    ✗ 5.1: no answer yet
    """
    reason = verdict(number, answer)
    print(f"✗ {number}: {reason}" if reason else f"✓ {number}")


def verdict(number, answer):
    """Why an answer is wrong, in a phrase; None if it is right.

    Parameters and errors are those of `check`.

    Examples
    --------
    >>> verdict("5.1", lambda angle: [1, 2, 3])
    'the shape is (3,), wanted is (2, 2)'
    """
    if not isinstance(number, str):
        raise TypeError('number must be a string, such as "5.1", got'
                        f" {number!r}")
    if number not in CHECKS:
        raise ValueError(f"no exercise {number!r}; there are: "
                         f"{', '.join(CHECKS)}")
    if answer is ... or answer is None:
        return "no answer yet"
    try:
        CHECKS[number](answer)
    except Wrong as wrong:
        return str(wrong)
    # The reader's own code may do anything, such as call exit().
    except (Exception, SystemExit) as error:
        return f"{_blamed(answer)} {type(error).__name__}: {_text(error)}"
    return None


def _blamed(answer):
    """Whose error it is: what holds no function cannot raise any."""
    parts = answer if isinstance(answer, (list, tuple)) else (answer,)
    if any(map(callable, parts)):
        return "your answer raises"
    return "the check cannot read this answer:"


def _text(error):
    """What an error says, if it can say it."""
    try:
        return str(error)
    except Exception:
        return "(and its text raises another error)"
