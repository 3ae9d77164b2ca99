"""SymPy helpers of the derivation: exact turns, and what counts as zero."""

from __future__ import annotations

import sympy as sp


def turn(angle):
    """Exact 2 x 2 matrix that turns the plane anticlockwise.

    Parameters
    ----------
    angle : sympy expression
        In radians.

    Returns
    -------
    sympy.Matrix, shape (2, 2)

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (13).

    Examples
    --------
    >>> turn(sp.pi / 2)
    Matrix([
    [0, -1],
    [1,  0]])
    """
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, -s], [s, c]])


def rotation(position, inv_freq):
    """Exact block-diagonal R of one position, interleaved pairs.

    Parameters
    ----------
    position : sympy expression
        In tokens.
    inv_freq : sequence of sympy expressions
        Radians per token, one for each pair.

    Returns
    -------
    sympy.Matrix, shape (d, d) with d twice the number of pairs

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (15).

    Examples
    --------
    >>> rotation(1, [sp.pi / 2, sp.pi])
    Matrix([
    [0, -1,  0,  0],
    [1,  0,  0,  0],
    [0,  0, -1,  0],
    [0,  0,  0, -1]])
    """
    return sp.diag(*[turn(position * theta) for theta in inv_freq])


def is_zero(expression):
    """Whether SymPy reduces an expression or a matrix to exactly zero.

    Several exact rewritings are tried; `False` means that none of them gave
    zero, which for a true identity would be a fault of SymPy's.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(sp.cos(x) ** 2 + sp.sin(x) ** 2 - 1)
    True
    >>> is_zero(turn(x).T - turn(x))
    False
    """
    entries = (list(expression) if isinstance(expression, sp.MatrixBase)
               else [sp.sympify(expression)])
    return all(any(step(entry) == 0 for step in REWRITINGS)
               for entry in entries)


def _expand_exponentials(entry):
    return sp.powsimp(sp.expand(entry.rewrite(sp.exp), power_exp=True))


# From the cheapest to the dearest; each is an exact rewriting.
REWRITINGS = (
    sp.expand,
    lambda entry: sp.powsimp(sp.expand(sp.expand_complex(entry))),
    _expand_exponentials,
    lambda entry: sp.expand(sp.expand_trig(entry)),
    sp.simplify,
)
