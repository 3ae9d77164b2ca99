"""Two algebras in which the ledger's formulas are evaluated.

`Exact` computes with SymPy, `Floating` with NumPy in float64.  A vector is
a column ``(d, 1)`` in both; a ``(1, 1)`` product is its only entry.
"""

from __future__ import annotations

import functools
import operator

import numpy as np
import sympy as sp

from .reader import LOOPS


def _scalar_only(z):
    """Refuse the star on a matrix: is it the conjugate or the adjoint?"""
    if getattr(z, "shape", ()) != ():
        raise TypeError("the star is for numbers; a matrix takes ^\\top")
    return z


def unwrapped_argument(z):
    """Argument of a product of polar factors, as the sum of theirs.

    An argument is fixed up to whole turns only; this one is a sum of the
    factors' angles, which keeps it a polynomial that SymPy can compare.
    """
    return sp.im(sp.expand_log(sp.log(sp.powsimp(z)), force=True))


class Exact:
    """SymPy: exact numbers, symbols and matrices."""

    pi, e, i = sp.pi, sp.E, sp.I
    cos, sin, log, sqrt = map(staticmethod, (sp.cos, sp.sin, sp.log, sp.sqrt))
    re, im = map(staticmethod, (sp.re, sp.im))
    arg, modulus = map(staticmethod, (unwrapped_argument, sp.Abs))
    conjugate = staticmethod(lambda z: sp.conjugate(_scalar_only(z)))
    is_matrix = staticmethod(lambda a: isinstance(a, sp.MatrixBase))
    number = staticmethod(sp.Rational)
    power = staticmethod(operator.pow)
    det = staticmethod(lambda a: a.det())
    trace = staticmethod(lambda a: a.trace())
    inverse = staticmethod(lambda a: a.inv())
    hadamard = staticmethod(lambda a, b: a.multiply_elementwise(b))
    diag = staticmethod(lambda a: sp.diag(*a))
    direct_sum = staticmethod(lambda blocks: sp.diag(*blocks))

    @staticmethod
    def matrix(rows):
        return sp.Matrix(rows)

    @staticmethod
    def mul(a, b):
        return a * b


class Floating:
    """NumPy: float64 and complex128."""

    pi, e, i = np.pi, np.e, 1j
    cos, sin, log, sqrt = map(staticmethod, (np.cos, np.sin, np.log, np.sqrt))
    re, im, arg = map(staticmethod, (np.real, np.imag, np.angle))
    modulus = staticmethod(np.abs)
    conjugate = staticmethod(lambda z: np.conj(_scalar_only(z)))
    is_matrix = staticmethod(lambda a: getattr(a, "ndim", 0) == 2)
    number = staticmethod(float)
    det = staticmethod(np.linalg.det)
    trace = staticmethod(np.trace)
    inverse = staticmethod(np.linalg.inv)
    hadamard = staticmethod(operator.mul)
    diag = staticmethod(lambda a: np.diag(a.ravel()))

    @staticmethod
    def matrix(rows):
        return np.array(rows)

    @staticmethod
    def mul(a, b):
        both = Floating.is_matrix(a) and Floating.is_matrix(b)
        return a @ b if both else a * b

    @staticmethod
    def power(a, b):
        if Floating.is_matrix(a):
            return np.linalg.matrix_power(a, round(b))
        return a ** b

    @staticmethod
    def direct_sum(blocks):
        size = sum(len(b) for b in blocks)
        out, at = np.zeros((size, size)), 0
        for block in blocks:
            out[at:at + len(block), at:at + len(block)] = block
            at += len(block)
        return out


def turn(algebra, angle):
    """The 2 x 2 matrix that turns the plane counterclockwise by `angle`."""
    c, s = algebra.cos(angle), algebra.sin(angle)
    return algebra.matrix([[c, -s], [s, c]])


def scalar(algebra, value):
    """The only entry of a (1, 1) matrix; anything else unchanged."""
    if algebra.is_matrix(value) and tuple(value.shape) == (1, 1):
        return value[0, 0]
    return value


def inner(algebra, a, b):
    """Real inner product of two columns or of two complex numbers."""
    if algebra.is_matrix(a):
        return scalar(algebra, algebra.mul(a.T, b))
    return algebra.re(a * algebra.conjugate(b))


def norm(algebra, a):
    """Euclidean norm of a column, modulus of a complex number."""
    if algebra.is_matrix(a):
        return algebra.sqrt(inner(algebra, a, a))
    return algebra.modulus(a)


UNARY = ("cos", "sin", "log", "sqrt", "re", "im", "arg", "modulus",
         "conjugate", "det", "trace", "inverse", "diag")
PLAIN = {"add": operator.add, "sub": operator.sub, "div": operator.truediv}


class Powers:
    """A name that stands for its powers only: ``O^m`` is ``of(m)``."""

    def __init__(self, of):
        self.of = of


class Family:
    """A name that stands with subscripts only: ``R_m`` is ``of(m)``."""

    def __init__(self, of):
        self.of = of


def evaluate(node, algebra, names):
    """Value of a parsed formula.

    Parameters
    ----------
    node : Node
        A side from `reader.parse`.
    algebra : Exact or Floating
    names : dict
        Meaning of each name: a value; a matrix, whose subscripts are
        indices; a `Family` (``R_m``); `Powers` (``O^m``); or a function
        (``f(q, m)``). An entry for the whole text (``"f_q"``) comes before
        the bare name.

    Raises
    ------
    NameError
        For a name without a meaning, or used in another way than meant.
    IndexError
        For an index out of range: there is no counting from the end.
    ValueError
        For a sum or a power whose bounds or exponent are not whole.

    Examples
    --------
    >>> from rope_edu.ledger.reader import parse
    >>> from rope_edu.ledger.tokens import tokenize
    >>> [([side], _)] = parse(tokenize(r"2\\cos(m\\pi)"))
    >>> evaluate(side, Exact, {"m": sp.Integer(3)})
    -2
    """
    go = functools.partial(evaluate, algebra=algebra, names=names)
    if node.op == "number":
        return algebra.number(node.text)
    if node.op in ("name", "call", "either"):
        return _NAMED[node.op](node, algebra, names, go)
    if node.op in LOOPS.values():
        return _loop(node, algebra, names)
    if node.op == "matrix":
        return algebra.matrix([[go(x) for x in row] for row in node.args])
    if node.op == "power" and node.args[0].op == "name":
        base = _meaning(node.args[0], algebra, names, go)
        if isinstance(base, Powers):
            return base.of(go(node.args[1]))
    return _apply(node.op, [go(a) for a in node.args], algebra)


def _apply(op, values, algebra):
    if op in PLAIN:
        return PLAIN[op](*values)
    if op in UNARY:
        return getattr(algebra, op)(*values)
    if op in ("inner", "norm"):
        return {"inner": inner, "norm": norm}[op](algebra, *values)
    if op == "transpose":
        return values[0].T
    if op == "neg":
        return -values[0]
    if op == "power" and algebra.is_matrix(values[0]):
        whole(values[1], "the exponent of a matrix")
    return scalar(algebra, getattr(algebra, op)(*values))


def whole(value, what):
    """The value as a Python int; an error if it is not whole."""
    if int(value) != value:
        raise ValueError(f"{what} must be whole, got {value}")
    return int(value)


def _meaning(node, algebra, names, go):
    """What a name with its subscripts stands for."""
    constants = {r"\pi": algebra.pi, "e": algebra.e,
                 r"\mathrm{i}": algebra.i}
    table, text, subs = constants | names, node.text, node.args
    if text in table:
        return table[text]
    base = text.split("_")[0]
    if base not in table:
        raise NameError(f"{text!r} has no meaning here")
    value = table[base]
    if isinstance(value, Family):
        return value.of(*map(go, subs))
    if not algebra.is_matrix(value) or len(subs) != 1:
        raise NameError(f"{base!r} takes no such subscript: {text!r}")
    return entry(value, go(subs[0]))


def within(index, count):
    """The index as an int; an error unless it is one of 0 .. count - 1."""
    if not 0 <= index < count:
        raise IndexError(f"no number {index} among {count}")
    return whole(index, "an index")


def entry(column, index):
    """One entry of a column; there is no counting from the end."""
    return column[within(index, column.shape[0]), 0]


def _is_function(value):
    return callable(value) and not isinstance(value, (type, sp.Basic))


def _name(node, algebra, names, go):
    value = _meaning(node, algebra, names, go)
    if _is_function(value) or isinstance(value, (Family, Powers)):
        raise NameError(f"{node.text!r} stands alone")
    return value


def _call(node, algebra, names, go):
    function = _meaning(node.args[0], algebra, names, go)
    if not _is_function(function):
        raise NameError(f"{node.args[0].text!r} is no function")
    return function(*map(go, node.args[1:]))


def _either(node, algebra, names, go):
    name, call, product = node.args
    function = _is_function(_meaning(name, algebra, names, go))
    return go(call if function else product)


_NAMED = {"name": _name, "call": _call, "either": _either}


def _loop(node, algebra, names):
    start, stop = (whole(evaluate(b, algebra, names), "a bound of a sum")
                   for b in node.args[:2])
    values = [evaluate(node.args[2], algebra, names | {node.text: i})
              for i in range(start, stop + 1)]
    if node.op == "direct_sum":
        return algebra.direct_sum(values)
    # SymPy adds no number to a matrix, not even 0.
    vectors = bool(values) and algebra.is_matrix(values[0])
    return functools.reduce(
        operator.add, values if vectors else [algebra.number(0), *values])
