"""SymPy helpers of the derivation: exact turns, and what counts as zero."""

from __future__ import annotations

import sympy as sp


def _as_expression(name, value):
    """Return a SymPy expression; a string is not read as one."""
    try:
        found = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError):
        found = None
    if not isinstance(found, sp.Expr) or found.is_Matrix:
        raise TypeError(
            f"{name} must be a SymPy expression or a number, got {value!r}"
        )
    return found


def turn(angle):
    """Exact 2 x 2 matrix that turns the plane counterclockwise.

    Parameters
    ----------
    angle : sympy expression
        In radians.

    Returns
    -------
    sympy.Matrix, shape (2, 2)

    Raises
    ------
    TypeError
        If `angle` is no expression and no number. A string is neither.

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
    angle = _as_expression("angle", angle)
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, -s], [s, c]])


def _as_sequence(name, values):
    if not hasattr(values, "__len__"):
        raise TypeError(f"{name} must be a sequence, got {values!r}")
    if not len(values):
        raise ValueError(f"{name} must have one rate per pair, got none")
    return values


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

    Raises
    ------
    TypeError, ValueError
        If `position` or a rate is no expression and no number, or there is
        no rate.

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
    position = _as_expression("position", position)
    rates = [_as_expression(f"inv_freq[{i}]", rate)
             for i, rate in enumerate(_as_sequence("inv_freq", inv_freq))]
    return sp.diag(*[turn(position * rate) for rate in rates])


def is_zero(expression):
    """Whether SymPy reduces an expression or a matrix to exactly zero.

    Several exact rewritings are tried; `False` means that none of them gave
    zero, which for a true identity would be a fault of SymPy's.

    Raises
    ------
    TypeError
        If `expression` is no expression, no number and no matrix.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(sp.cos(x) ** 2 + sp.sin(x) ** 2 - 1)
    True
    >>> is_zero(turn(x).T - turn(x))
    False
    """
    entries = (list(expression) if isinstance(expression, sp.MatrixBase)
               else [_as_expression("expression", expression)])
    # To SymPy 1.13 a Float of 0 is not 0.
    return all(any(step(entry) in (0, 0.0) for step in REWRITINGS)
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
