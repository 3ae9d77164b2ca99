"""The ledger of the book's equations: shown, proved, tried, attacked.

``ledger.check("relative-2d")`` examines one equation and prints one line;
`equations` gives all of them.  The formulas live in one module for each
part of the derivation; the LaTeX in an entry is the LaTeX on the page.
"""

from __future__ import annotations

import difflib
from html import escape

from . import (
    appendix, attention, code, complex_plane, decay, dials, dimensions,
    encodings, gradients, inside, past, real_model, rescaling, roads,
    rotations, speed)
from .core import Equation, Result, examine

__all__ = ["Equation", "Lines", "Result", "check", "equations", "examine",
           "get"]


def equations():
    """All entries by label, in the order of the book.

    Raises
    ------
    ValueError
        If two entries share a label.
    """
    found = {}
    for room in (attention, encodings, complex_plane, rotations, dimensions,
                 dials, decay, code, gradients, speed, inside, past, rescaling,
                 real_model, roads, appendix):
        for entry in room.EQUATIONS:
            if entry.label in found:
                raise ValueError(f"two entries share label {entry.label!r}")
            found[entry.label] = entry
    return found


def get(label):
    """The entry with this label.

    Raises
    ------
    TypeError
        If the label is not a string.
    ValueError
        If there is none; the message names the nearest labels.

    Examples
    --------
    >>> print(get("relative-2d").latex)
    R_m^\\top R_n = R_{n-m}
    """
    if not isinstance(label, str):
        raise TypeError(f"label must be a string, got {label!r}")
    known = equations()
    if label not in known:
        near = difflib.get_close_matches(str(label), known, n=3, cutoff=0.3)
        raise ValueError(f"no equation {label!r} in the ledger; "
                         f"near: {', '.join(near) or 'none'}")
    return known[label]


def check(*labels):
    """Examine equations; the result shows one line for each.

    Parameters
    ----------
    *labels : str

    Returns
    -------
    Lines

    Raises
    ------
    AssertionError
        If a proof, a trial or an attack fails.
    ValueError
        If the ledger has no such equation.

    Examples
    --------
    >>> check("transpose-2d")
    ✓ transpose-2d: proved (SymPy), 1000 random points, 2 of 2 mutants caught
    """
    if not labels:
        raise ValueError("labels must name at least one equation")
    results = [examine(get(label)) for label in labels]
    lines = Lines(map(str, results))
    if not all(result.passed for result in results):
        raise AssertionError(repr(lines))
    return lines


class Lines(tuple):
    """Lines of text that show as themselves, on a page as paragraphs."""

    def __repr__(self):
        return "\n".join(self)

    def _repr_html_(self):
        return "".join(f'<p class="check">{escape(x)}</p>' for x in self)
