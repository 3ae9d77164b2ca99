"""Chapter 1: attention, and what a change of order does to it.

The order of three tokens is changed in every way: in a sum of products by
a matrix that stands for all six orders at once, and inside exponentials,
where SymPy would not see through it, by the two orders that make the rest.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from .algebra import Family, within
from .core import Equation
from .encodings import LENGTH, array
from .variables import Kind, PerWidth, VECTOR, constant, index

TABLE = array(LENGTH, LENGTH)
# Two numbers for each token, so that SymPy can write everything out.
SMALL, SQUARE = array(LENGTH, 2), array(2, 2)
SWAP, CYCLE = (1, 0, 2), (2, 0, 1)
WEIGHTS = ("W_q", "W_k", "W_v", "W_1", "W_2")


def _moved(order):
    return sp.eye(LENGTH)[list(order), :]


def _switch(name):
    """A symbol for 0 or 1: its square is itself, for SymPy as well."""
    return (1 - (-1) ** sp.Symbol(name, integer=True)) / 2


def _any_order(name):
    """Three switches: exchange the first two, the last two, the first two.

    Every order of three tokens comes of some of these.
    """
    first, last = _moved(SWAP), _moved((0, 2, 1))
    found = sp.eye(LENGTH)
    for i, exchange in enumerate((first, last, first)):
        step = sp.eye(LENGTH) + _switch(f"{name}_{i}") * (
            exchange - sp.eye(LENGTH))
        found = (step * found).applyfunc(sp.expand)
    return found


def _random_order(rng):
    return np.eye(LENGTH)[rng.permutation(LENGTH)]


def _cycle(rng):
    # No exchange of two: for these P and its transpose are the same.
    return _moved(CYCLE)


def order(which):
    """Kind of a permutation matrix that is one order in the proof.

    Examples
    --------
    >>> order(SWAP).symbol("P")
    Matrix([
    [0, 1, 0],
    [1, 0, 0],
    [0, 0, 1]])
    """
    return Kind(lambda name: _moved(which), _random_order, _cycle)


ORDER = Kind(_any_order, _random_order, _cycle)
# The two that make all others; each width of the ledger takes one.
MAKERS = PerWidth(lambda d: order(SWAP if d == 4 else CYCLE))


def place(number):
    """Kind of a place in the text that is one number in the proof.

    Examples
    --------
    >>> place(1).symbol("n")
    1
    """
    at = sp.Integer(number)
    return Kind(lambda name: at, index(LENGTH).draw, lambda rng: at)


def softmax(algebra, table):
    """Each entry over the sum of its row, after the exponential."""
    size = range(LENGTH)
    powers = [[algebra.e ** table[m, n] for n in size] for m in size]
    return algebra.matrix(
        [[power / sum(row) for power in row] for row in powers])


def shares(algebra, values):
    """The same by differences of scores, as ``w``, beside the scores."""
    z = values["z"]

    def score(m, n):
        return z[within(m, LENGTH), within(n, LENGTH)]

    def share(m, n):
        return 1 / sum(algebra.e ** (score(m, j) - score(m, n))
                       for j in range(LENGTH))

    return {"z": Family(score), "w": Family(share)}


def averaged(algebra, values):
    """What each token gets: a column of the values times the weights."""
    got, w, v = algebra.mul(values["v"], values["w"].T), *map(
        values.get, "wv")
    return {"w": Family(lambda m, n: w[within(m, LENGTH), within(n, LENGTH)]),
            "v": Family(lambda n: _column(v, n)),
            "y": Family(lambda m: _column(got, m))}


def _column(matrix, at):
    at = within(at, LENGTH)
    return matrix[:, at:at + 1]


def layer(algebra, values):
    """``A``, attention, and ``F``, the part that takes each row alone."""
    W = {name: values[name] for name in WEIGHTS}
    mul = algebra.mul

    def attention(x):
        q, k, v = (mul(x, W[f"W_{c}"].T) for c in "qkv")
        return mul(softmax(algebra, mul(q, k.T) / algebra.sqrt(
            algebra.number(2))), v)

    def feed_forward(x):
        return mul(_bent(mul(x, W["W_1"].T)), W["W_2"].T)

    return {"A": attention, "F": feed_forward}


def _bent(table):
    """Cubes; in a proof, any function: SymPy knows nothing of `phi`."""
    if isinstance(table, np.ndarray):
        return table ** 3
    phi = sp.Function("phi") if table.free_symbols else lambda x: x ** 3
    return table.applyfunc(phi)


def _places(v):
    """Which old row stands in each new one."""
    return v["P"].argmax(axis=1)


def _share(v):
    row = v["z"][int(v["m"])]
    return np.exp(row[int(v["n"])] - np.logaddexp.reduce(row))


def _row_by_row(v):
    """Outputs of attention alone, token by token."""
    found = []
    for x in v["X"]:
        q = v["W_q"] @ x
        scores = np.array([q @ (v["W_k"] @ y) for y in v["X"]]) / 2 ** 0.5
        found.append(np.average([v["W_v"] @ y for y in v["X"]], axis=0,
                                weights=np.exp(scores - scores.max())))
    return np.array(found)


def _fed(v, rows):
    return np.array([v["W_2"] @ np.power(v["W_1"] @ row, 3) for row in rows])


def _log_softmax(table):
    return table - np.logaddexp.reduce(table, axis=1)[:, None]


def _display(first, second, third):
    return (r"\begin{aligned} A(P X) &= " + first + r" \\ F(P X) &= "
            + second + r" \\ F(A(P X)) &= " + third + r" \end{aligned}")


RIGHT = (r"P\, A(X)", r"P\, F(X)", r"P\, F(A(X))")
EQUATIONS = (
    Equation(
        "softmax-weights",
        r"\begin{aligned} w_{m,n} &= \frac{e^{z_{m,n}}}"
        r"{\sum_{j=0}^{S-1} e^{z_{m,j}}} \\"
        r" \sum_{n=0}^{S-1} w_{m,n} &= 1 \end{aligned}",
        {"z": TABLE, "S": constant(LENGTH), "m": place(2), "n": place(1)},
        lambda v: (_share(v), 1.0),
        "Vaswani et al. (arXiv:1706.03762) section 3.2.1",
        shares,
        same={"swap m, n in side 3": "each row of weights has the sum 1"},
    ),
    Equation(
        "weighted-average",
        r"y_m = \sum_{n=0}^{S-1} w_{m,n}\, v_n",
        {"w": TABLE, "v": PerWidth(lambda d: array(d, LENGTH)),
         "S": constant(LENGTH), "m": place(2),
         "n": constant(0)},  # bound by the sum; only a mutant meets it
        lambda v: np.einsum("n,dn->d", v["w"][int(v["m"])], v["v"])[:, None],
        "Vaswani et al. (arXiv:1706.03762) section 3.2.1",
        averaged,
    ),
    Equation(
        "order-undone",
        r"P^\top P = I",
        {"P": ORDER},
        lambda v: np.eye(LENGTH),
        "linear algebra",
        lambda algebra, v: {"I": algebra.matrix(np.eye(
            LENGTH, dtype=int).tolist())},
    ),
    Equation(
        "permuted-scores",
        r"(P Q)(P K)^\top = P\, Q K^\top P^\top",
        {"P": ORDER, "Q": SMALL, "K": SMALL},
        lambda v: np.inner(v["Q"], v["K"])[np.ix_(_places(v), _places(v))],
        "this book; first and second text say it in words",
    ),
    Equation(
        "permuted-softmax",
        r"\operatorname{softmax}(P Z P^\top)"
        r" = P \operatorname{softmax}(Z)\, P^\top",
        {"P": MAKERS, "Z": TABLE},
        lambda v: np.exp(_log_softmax(
            v["Z"][np.ix_(_places(v), _places(v))])),
        "this book; first and second text say it in words",
        lambda algebra, v: {r"\operatorname{softmax}":
                            lambda table: softmax(algebra, table)},
    ),
    Equation(
        "permuted-average",
        r"(P W P^\top)(P V) = P\, W V",
        {"P": ORDER, "W": TABLE, "V": SMALL},
        lambda v: np.tensordot(v["W"][_places(v)], v["V"], axes=1),
        "this book; order-undone",
    ),
    Equation(
        "equivariance",
        _display(*RIGHT),
        {"P": MAKERS, "X": SMALL} | dict.fromkeys(WEIGHTS, SQUARE),
        lambda v: (_row_by_row(v)[_places(v)],
                   _fed(v, v["X"][_places(v)]),
                   _fed(v, _row_by_row(v)[_places(v)])),
        "first text, section 1, which says that A and F ignore position",
        layer,
        extra=(_display(r"A(X)", *RIGHT[1:]),
               _display(r"P^\top A(X)", *RIGHT[1:]),
               _display(RIGHT[0], r"F(X)", RIGHT[2]),
               _display(*RIGHT[:2], r"F(A(X))"),
               _display(*RIGHT[:2], r"P\, A(F(X))")),
    ),
)
