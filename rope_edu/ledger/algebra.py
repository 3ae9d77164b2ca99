"""Two algebras in which the ledger's formulas are evaluated.

`Exact` computes with SymPy, `Floating` with NumPy in float64.  A vector is
a column ``(d, 1)`` in both; a ``(1, 1)`` product is its only entry.
"""

from __future__ import annotations

import functools
import operator

import numpy as np
import sympy as sp


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
    conjugate = staticmethod(sp.conjugate)
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
    conjugate = staticmethod(np.conj)
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
    """The 2 x 2 matrix that turns the plane anticlockwise by `angle`."""
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


def evaluate(node, algebra, names):
    """Value of a parsed formula.

    Parameters
    ----------
    node : Node
        A side from `reader.parse`.
    algebra : Exact or Floating
    names : dict
        Meaning of each name: a value, or a function of its subscripts
        (``R_m``), arguments (``f(q, m)``) or exponent (``O^m``).  An entry
        for the whole text (``"f_q"``) comes before the bare name.

    Raises
    ------
    KeyError
        For a name without a meaning.

    Examples
    --------
    >>> from rope_edu.ledger.reader import parse, tokenize
    >>> [([side], _)] = parse(tokenize(r"2\\cos(m\\pi)"))
    >>> evaluate(side, Exact, {"m": sp.Integer(3)})
    -2
    """
    op, args = node.op, node.args
    go = functools.partial(evaluate, algebra=algebra, names=names)
    if op == "number":
        return algebra.number(node.text)
    if op == "name":
        return _name(node, algebra, names, go)
    if op in ("sum", "direct_sum"):
        return _loop(node, algebra, names)
    if op == "matrix":
        return algebra.matrix([[go(x) for x in row] for row in args])
    return _apply(op, [go(a) for a in args], algebra)


def _apply(op, values, algebra):
    if op in PLAIN:
        return PLAIN[op](*values)
    if op == "power" and callable(values[0]):
        return values[0](values[1])
    if op in UNARY:
        return getattr(algebra, op)(*values)
    if op in ("inner", "norm"):
        return {"inner": inner, "norm": norm}[op](algebra, *values)
    if op == "transpose":
        return values[0].T
    if op == "neg":
        return -values[0]
    return scalar(algebra, getattr(algebra, op)(*values))


def _name(node, algebra, names, go):
    (subs, call), text = node.args, node.text
    value, subs = _lookup(text, subs, algebra, names)
    if subs and algebra.is_matrix(value):
        value = value[int(go(subs[0])), 0]
    elif subs:
        value = value(*map(go, subs))
    if call is None:
        return value
    args = [go(a) for a in call]
    if callable(value) and not algebra.is_matrix(value):
        return value(*args)
    (factor,) = args
    return scalar(algebra, algebra.mul(value, factor))


def _lookup(text, subs, algebra, names):
    constants = {r"\pi": algebra.pi, "e": algebra.e,
                 r"\mathrm{i}": algebra.i}
    table = constants | names
    if text in table:
        return table[text], ()
    return table[text.split("_")[0]], subs


def _loop(node, algebra, names):
    start, stop, body = node.args
    bounds = [int(evaluate(b, algebra, names)) for b in (start, stop)]
    values = [
        evaluate(body, algebra, names | {node.text: i})
        for i in range(bounds[0], bounds[1] + 1)]
    if node.op == "sum":
        return functools.reduce(operator.add, values)
    return algebra.direct_sum(values)
