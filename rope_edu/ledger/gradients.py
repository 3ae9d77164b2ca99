"""Chapter 10: keys on new dials, and the way back through a rotation."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..reference import rotate, unrotate
from .algebra import Exact, inner
from .core import Equation
from .dimensions import dials
from .variables import COMPLEX, FREQUENCY, POSITION, frequencies, vector

FOUR = {r"\theta": frequencies(2), "x": vector(4), "w": vector(4)}
NEW_RATE = r"\tilde\theta"
# A step so small that its square is lost beside any number of float64.
STEP = 1e-30


def derivative(algebra, function, x):
    """Gradient of a function of a column, without a rule for its parts.

    SymPy differentiates; floats take the imaginary part of an imaginary
    step, which has no rounding error of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from rope_edu.ledger.algebra import Floating
    >>> square = lambda x: (x.T @ x)[0, 0]
    >>> derivative(Floating, square, np.array([[3.0], [4.0]])).tolist()
    [[6.0], [8.0]]
    """
    if algebra is Exact:
        free = sp.Matrix(sp.symbols(f"x_:{len(x)}", cls=sp.Dummy))
        value = function(free)
        at = dict(zip(free, x))
        return sp.Matrix([sp.diff(value, s).subs(at) for s in free])
    steps = 1j * STEP * np.eye(len(x))
    return np.array([[function(x + step[:, None]).imag / STEP]
                     for step in steps])


def loss(algebra, values):
    r"""A loss of y = R_m x; its gradients are written with a bar.

    It is a cube, so that the gradient at y is not the same everywhere.
    """
    found = dials(algebra, values)

    def of_y(y):
        return inner(algebra, values["w"], y) ** 3

    def of_x(x):
        return of_y(algebra.mul(found["R"].of(values["m"]), x))

    y = algebra.mul(found["R"].of(values["m"]), values["x"])
    return found | {
        r"\barx": derivative(algebra, of_x, values["x"]),
        r"\bary": derivative(algebra, of_y, y)}


def _rates(v):
    return v[r"\theta"].ravel()


def _turned_back(v):
    """The gradient at y by hand, and the package's own way back."""
    w = v["w"].ravel()
    along = w @ rotate(v["x"].ravel(), v["m"], _rates(v))
    return unrotate(3 * along**2 * w, v["m"], _rates(v))[:, None]


def _on_new_dials(v):
    """The package's own turn, by the new rate from the start."""
    pair = rotate([v["k"].real, v["k"].imag], v["n"], [v[NEW_RATE]])
    return complex(*pair)


EQUATIONS = (
    Equation(
        "turned-on",
        r"k\, e^{\mathrm{i}n\tilde{\theta}} = (k\, e^{\mathrm{i}n\theta})\,"
        r" e^{\mathrm{i}n(\tilde{\theta} - \theta)}",
        {"k": COMPLEX, "n": POSITION, r"\theta": FREQUENCY,
         NEW_RATE: FREQUENCY},
        _on_new_dials,
        "this book; turns add up",
        extra=tuple(
            r"k\, e^{\mathrm{i}n\tilde{\theta}} ="
            rf" (k\, e^{{\mathrm{{i}}n\theta}})\, e^{{\mathrm{{i}}{wrong}}}"
            for wrong in (r"n(\theta - \tilde{\theta})",
                          r"(\tilde{\theta} - \theta)")),
    ),
    Equation(
        "gradient-back",
        r"\bar{x} = R_m^\top \bar{y} = R_{-m} \bar{y}",
        FOUR | {"m": POSITION},
        _turned_back,
        "chain rule; the bar is that of Griewank and Walther",
        loss,
        extra=(r"\bar{x} = \bar{y} = R_{-m} \bar{y}",),
    ),
)
