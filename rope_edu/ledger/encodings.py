"""Chapters 2 and 3: a position in the input, and in the score."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..frequencies import inverse_frequencies
from ..reference import rotate_complex, rotation_matrix
from .algebra import Exact, Family, turn, within
from .core import Equation
from .dials import sinusoidal
from .variables import (
    FREQUENCIES, INTEGER, PAIR, POSITION, POSITIVE, REAL, VECTOR, WIDTH,
    Kind, PerWidth, constant, index)

DIALS = {"d": WIDTH, r"\theta": FREQUENCIES}
PLACES = {"m": POSITION, "n": POSITION}
TOKENS = {"x_m": VECTOR, "x_n": VECTOR, "p_m": VECTOR, "p_n": VECTOR}
PAIRS = {"q_m": VECTOR, "q_n": VECTOR, "k_m": VECTOR, "k_n": VECTOR}
WORDS = {"q": VECTOR, "k": VECTOR}
SYMMETRIC = "the inner product is symmetric"
# A text of three tokens, and a table that ends at offsets -2 and 2.
LENGTH, CLIP = 3, 2


def array(rows, columns):
    """Kind of a real matrix without any structure.

    Examples
    --------
    >>> array(2, 2).symbol("A")
    Matrix([
    [A_0, A_1],
    [A_2, A_3]])
    """
    def filled(make):
        return sp.Matrix(rows, columns, lambda i, j: make(columns * i + j))

    return Kind(
        lambda name: filled(lambda i: sp.Symbol(f"{name}_{i}", real=True)),
        lambda rng: rng.normal(size=(rows, columns)),
        lambda rng: filled(lambda i: REAL.exact(rng)))


SQUARE = PerWidth(lambda d: array(d, d))
TABLE = PerWidth(lambda d: array(d, 2 * CLIP + 1))
VALUES = PerWidth(lambda d: array(d, LENGTH))
# Number 0 is no head, but where the slopes of the heads start.
HEAD = PerWidth(index)
WEIGHTS = array(LENGTH, LENGTH)


def projected(algebra, values):
    """The matrix that a score puts between two tokens."""
    return {"A": algebra.mul(values["W_q"].T, values["W_k"])}


def waves(algebra, values):
    """The sinusoidal vector ``p_m`` and ``M_s``, which moves it on by s."""
    theta = values[r"\theta"]

    def vector_at(position):
        return algebra.matrix([
            [wave(position * theta[i, 0])] for i in range(len(theta))
            for wave in (algebra.sin, algebra.cos)])

    def step(s):
        return algebra.direct_sum(
            [turn(algebra, -s * theta[i, 0]) for i in range(len(theta))])

    return {"p": Family(vector_at), "M": Family(step)}


def flow(algebra, values):
    """The same vector as a function of time, its derivative, its field."""
    at, theta = waves(algebra, values)["p"].of, values[r"\theta"]

    def derivative(t):
        if algebra is Exact:
            s = sp.Symbol("s", real=True)
            return at(s).diff(s).subs(s, t)
        return at(t + 1e-30j).imag / 1e-30  # without a difference to round

    zero = algebra.number(0)
    blocks = [algebra.matrix([[zero, theta[i, 0]], [-theta[i, 0], zero]])
              for i in range(len(theta))]
    return {"p": at, r"\dotp": derivative,
            r"\Omega": algebra.direct_sum(blocks)}


def by_offset(algebra, values, letter):
    """Columns of a learned table by offset, clipped at two tokens.

    For an offset that is a symbol they are functions of it that SymPy
    knows nothing of: a proof holds for every table and every clipping.
    """
    rows = values["T"]

    def column(offset):
        if getattr(offset, "free_symbols", None):
            return sp.Matrix([sp.Function(f"T_{i}", real=True)(offset)
                              for i in range(rows.shape[0])])
        place = min(max(int(offset), -CLIP), CLIP) + CLIP
        return rows[:, place:place + 1]

    return {letter: Family(column)}


def weighted(algebra, values):
    """Weights of one row, values of the tokens, table for the values."""
    column = {name: Family(lambda j, name=name: values[name][
        :, int(j):int(j) + 1]) for name in "v"}
    return by_offset(algebra, values, "c") | column | {
        "w": Family(lambda m, n: values["w"][int(m), int(n)])}


def transformer_xl(algebra, values):
    """``r`` is the sinusoidal vector of an offset, projected."""
    at = waves(algebra, values)["p"].of
    return {"p": Family(at),
            "r": Family(lambda x: algebra.mul(values["W_r"], at(x)))}


def slopes(algebra, values):
    """Slopes of ALiBi by repeated division, from 1 before the first."""
    heads = int(values["H"])
    root = algebra.number(256) ** (algebra.number(1) / algebra.number(heads))

    def slope(h):
        found = algebra.number(1)
        for _ in range(within(h, heads + 1)):
            found = found / root
        return found

    return {"s": Family(slope)}


def _rates(v):
    return v[r"\theta"].ravel()


def _wave(v, position):
    """The sinusoidal vector: (0, 1) in each pair, turned clockwise."""
    start = np.tile([0.0, 1.0], len(_rates(v)))
    return rotate_complex(start, -position, _rates(v))


def _tenthousand(v):
    return _wave(v | {r"\theta": inverse_frequencies(int(v["d"]))}, v["m"])


def _velocity(v):
    """From exponentials: the pair is i exp(-i t theta) as one number."""
    speed = _rates(v) * np.exp(-1j * v["t"] * _rates(v))
    return np.stack([speed.real, speed.imag], axis=1).reshape(-1, 1)


def _generator(v):
    """The matrix that turns each pair back by a quarter, times its rate."""
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    return np.kron(np.diag(_rates(v)), quarter)


def _score(v, left, right):
    """Score of two inputs, projected one after the other."""
    return np.dot((v["W_q"] @ left).ravel(), (v["W_k"] @ right).ravel())


def _clipped(v, offset):
    return v["T"].T[int(np.clip(offset, -CLIP, CLIP)) + CLIP]


def _mixed(v):
    """What token m receives: an average of values, row by row."""
    m = int(v["m"])
    parts = [v["v"].T[j] + _clipped(v, j - m) for j in range(LENGTH)]
    return (v["w"][m] @ np.array(parts))[:, None]


def _longer(v):
    """Query and key with two more channels each, at their positions."""
    q = [*v["q"].ravel(), -v["s"] * v["m"], 1.0]
    return np.dot(q, [*v["k"].ravel(), 1.0, v["s"] * v["n"]])


def _offset_vector(v):
    return v["W_r"] @ _wave(v, v["n"] - v["m"])


def _recurrent_score(v):
    q, r = v["q_m"].ravel(), _offset_vector(v)
    return np.dot(q + v["u"].ravel(), v["k_n"].ravel()) + np.dot(
        q + v["v"].ravel(), r)


ABSOLUTE = (
    Equation(
        "sinusoidal-pair",
        r"\begin{aligned} \begin{pmatrix} p_{m,2i} \\ p_{m,2i+1}"
        r" \end{pmatrix} &= \begin{pmatrix} \sin m\theta_i \\"
        r" \cos m\theta_i \end{pmatrix} \\"
        r" \theta_i &= 10000^{-2i/d} \end{aligned}",
        {"m": POSITION, "d": WIDTH, "i": PAIR},
        lambda v: (
            _tenthousand(v).reshape(-1, 2)[int(v["i"])].reshape(2, 1),
            np.exp(-np.log(1e4) * 2 * v["i"] / v["d"])),
        "Vaswani et al. section 3.5; second text",
        sinusoidal,
    ),
    Equation(
        "shift-matrix",
        r"\begin{aligned} p_{m+s} &= M_s\, p_m \\"
        r" M_s &= \bigoplus_{i=0}^{d/2-1} \begin{pmatrix}"
        r" \cos s\theta_i & \sin s\theta_i \\"
        r" -\sin s\theta_i & \cos s\theta_i \end{pmatrix} \end{aligned}",
        DIALS | {"m": POSITION, "s": POSITION},
        lambda v: (_wave(v, v["m"] + v["s"])[:, None],
                   rotation_matrix(v["s"], _rates(v), convention="row")),
        "Vaswani et al. section 3.5: a linear function of p_m",
        waves,
    ),
    Equation(
        "absolute-dot",
        r"\begin{aligned} p_m^\top p_n &= p_0^\top M_{n-m}\, p_0 \\"
        r" &= \sum_{i=0}^{d/2-1} \cos((n-m)\theta_i) \end{aligned}",
        DIALS | PLACES,
        lambda v: np.exp(1j * (v["n"] - v["m"]) * _rates(v)).real.sum(),
        "this book; shift-matrix",
        waves,
        same={f"swap m, n in side {j}": SYMMETRIC for j in (1, 2, 3)},
    ),
    Equation(
        "four-terms",
        r"\begin{aligned} & (W_q (x_m + p_m))^\top (W_k (x_n + p_n)) \\"
        r" &= x_m^\top A\, x_n + x_m^\top A\, p_n \\"
        r" &\quad + p_m^\top A\, x_n + p_m^\top A\, p_n \end{aligned}",
        TOKENS | {"W_q": SQUARE, "W_k": SQUARE},
        lambda v: _score(v, v["x_m"] + v["p_m"], v["x_n"] + v["p_n"]),
        "Dai et al. (arXiv:1901.02860) section 3.3; RoFormer eq. (6)",
        projected,
    ),
    Equation(
        "moved-on",
        r"p_{m+s}^\top A\, p_{n+s} = p_m^\top M_s^\top A\, M_s\, p_n",
        DIALS | PLACES | {"s": POSITION, "A": SQUARE},
        lambda v: _wave(v, v["m"] + v["s"]) @ v["A"] @ _wave(
            v, v["n"] + v["s"]),
        "this book; shift-matrix",
        waves,
    ),
    Equation(
        "sinusoidal-flow",
        r"\begin{aligned} \dot{p}(t) &= \Omega\, p(t) \\"
        r" \Omega &= \bigoplus_{i=0}^{d/2-1} \begin{pmatrix}"
        r" 0 & \theta_i \\ -\theta_i & 0 \end{pmatrix} = -\Omega^\top"
        r" \end{aligned}",
        DIALS | {"t": POSITION},
        lambda v: (_velocity(v), _generator(v)),
        "this book; second text: a special solution of FLOATER",
        flow,
    ),
)
RELATIVE = (
    Equation(
        "shaw-score",
        r"q_m^\top (k_n + a_{n-m}) = q_m^\top k_n + q_m^\top a_{n-m}",
        PAIRS | {"T": TABLE, "m": INTEGER, "n": INTEGER},
        lambda v: v["q_m"].ravel() @ (
            v["k_n"].ravel() + _clipped(v, v["n"] - v["m"])),
        "Shaw et al. (arXiv:1803.02155) eqs. (4) and (5); RoFormer eq. (5)",
        lambda algebra, v: by_offset(algebra, v, "a"),
    ),
    Equation(
        "shaw-value",
        r"\begin{aligned} & \sum_{n=0}^{S-1} w_{m,n} (v_n + c_{n-m}) \\"
        r" &= \sum_{n=0}^{S-1} w_{m,n}\, v_n"
        r" + \sum_{n=0}^{S-1} w_{m,n}\, c_{n-m} \end{aligned}",
        {"v": VALUES, "w": WEIGHTS, "T": TABLE,
         "m": index(LENGTH), "S": constant(LENGTH),
         "n": constant(0)},  # bound by the sums; only a mutant meets it
        _mixed,
        "Shaw et al. (arXiv:1803.02155) eq. (3); RoFormer eq. (5)",
        weighted,
    ),
    Equation(
        "transformer-xl",
        r"\begin{aligned} & (q_m + u)^\top k_n + (q_m + v)^\top r_{n-m} \\"
        r" &= q_m^\top k_n + q_m^\top r_{n-m} \\"
        r" &\quad + u^\top k_n + v^\top r_{n-m} \\"
        r" r_{n-m} &= W_r\, p_{n-m} \end{aligned}",
        DIALS | PLACES | PAIRS | {"u": VECTOR, "v": VECTOR, "W_r": SQUARE},
        lambda v: (_recurrent_score(v), _offset_vector(v)[:, None]),
        "Dai et al. (arXiv:1901.02860) section 3.3; RoFormer eq. (7)",
        transformer_xl,
    ),
    Equation(
        "alibi-slopes",
        r"\begin{aligned} s_h &= 2^{-8h/H} \\"
        r" \frac{s_{h+1}}{s_h} &= 2^{-8/H} \end{aligned}",
        {"H": WIDTH, "h": HEAD},
        lambda v: (np.geomspace(1, 1 / 256, int(v["H"]) + 1)[int(v["h"])],
                   256 ** (-1 / v["H"])),
        "Press et al. (arXiv:2108.12409) section 3",
        slopes,
    ),
    Equation(
        "alibi-channels",
        r"\begin{aligned} & q^\top k + s(n-m) \\"
        r" &= q^\top k + \begin{pmatrix} -sm & 1 \end{pmatrix}"
        r" \begin{pmatrix} 1 \\ sn \end{pmatrix} \end{aligned}",
        WORDS | PLACES | {"s": POSITIVE},
        _longer,
        "this book; Press et al. (arXiv:2108.12409) section 3 for the bias",
        same={f"swap q, k in side {j}": SYMMETRIC for j in (1, 2)},
    ),
)
EQUATIONS = ABSOLUTE + RELATIVE
