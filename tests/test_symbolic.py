"""The SymPy helpers: exact, and strict about what an expression is."""

import numpy as np
import pytest
import sympy as sp

from rope_edu.symbolic import is_zero, rotation, turn

x = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (lambda: turn("t"), "angle must be a SymPy expression.*got 't'"),
        (lambda: turn(None), "angle must be a SymPy expression.*got None"),
        (lambda: turn(sp.eye(2)), "angle must be"),
        (lambda: rotation("m", [x]), "position must be.*got 'm'"),
        (lambda: rotation(2, ["t"]), r"inv_freq\[0\] must be.*got 't'"),
        (lambda: rotation(2, [x, True]), r"inv_freq\[1\] must be.*got True"),
        (lambda: rotation(2, x), "inv_freq must be a sequence, got x"),
        (lambda: is_zero("x-x"), "expression must be.*got 'x-x'"),
        (lambda: is_zero([0, 0]), r"expression must be.*got \[0, 0\]"),
        (lambda: is_zero(None), "expression must be"),
        (lambda: is_zero(sp.Eq(x, x + 1)), "expression must be"),
    ],
)
def test_what_is_no_expression_is_refused(bad, told):
    """Text multiplied by 2 is text twice, not an angle twice as large."""
    with pytest.raises(TypeError, match=told):
        bad()


def test_a_rotation_has_a_rate():
    """Of no pairs there is nothing to turn."""
    with pytest.raises(ValueError, match="inv_freq must have one rate per pair"):
        rotation(2, [])


def test_numbers_are_expressions():
    """Also NumPy's, and also where only a matrix is zero."""
    assert rotation(np.int64(2), np.array([0.5])) == turn(1.0)
    assert rotation(2, sp.Matrix([x, sp.pi])) == sp.diag(turn(2 * x), sp.eye(2))
    assert is_zero(0) and is_zero(np.float64(0)) and is_zero(sp.zeros(2))
    assert not is_zero(1) and not is_zero(sp.eye(2))
