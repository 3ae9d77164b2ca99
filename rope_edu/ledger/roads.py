"""Chapter 17: scores with a bias or a scale, positions on a grid, sums."""

from __future__ import annotations

import numpy as np

from ..reference import rotate_by_angles, score
from ..spatial import axial_angles, mixed_angles
from .algebra import Family, entry, turn
from .code import matrix
from .core import Equation
from .dimensions import DIALS, PLACES, WORDS, dials
from .variables import (
    FREQUENCY, POSITION, POSITIVE, SMALL, Kind, PerWidth, constant, vector)

HALVES = PerWidth(lambda d: vector(d // 2))
GRID = {letter: POSITION for letter in "xyuv"}
PLANES = {"q": vector(4), "k": vector(4), r"\alpha": FREQUENCY,
          r"\beta": FREQUENCY}
# As in the models: scales below 1, and tokens by the hundred.
ZETA = Kind(POSITIVE.symbol, lambda rng: rng.uniform(0.2, 1), POSITIVE.exact)
SCALE_BASE = Kind(
    POSITIVE.symbol, lambda rng: rng.uniform(64, 512), SMALL.exact)
LAST = 2


def _rates(v):
    return v[r"\theta"].ravel()


def _plain(v, rates):
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"], rates)


def turning_part(algebra, values):
    """`dials`, of which the first t turn and the others stand still."""
    rates = values[r"\theta"]
    turning = int(values["t"])
    still = [[rates[i, 0] if i < turning else algebra.number(0)]
             for i in range(len(rates))]
    return dials(algebra, values | {r"\theta": algebra.matrix(still)})


def _partial(v):
    """The package, with a table that is shorter than the head."""
    turning = int(v["t"])
    return score(v["q"].ravel(), v["k"].ravel(), v["m"], v["n"],
                 _rates(v)[:turning], rotary_dim=2 * turning)


def one_dial(algebra, values):
    """`R_m` in the plane."""
    return {"R": Family(
        lambda position: turn(algebra, position * values[r"\theta"]))}


def _scaled(v):
    """xPos as one factor on an unscaled score of complex numbers."""
    q, k = (complex(*v[name].ravel()) for name in "qk")
    step = v["n"] - v["m"]
    shrunk = -step * np.log(v[r"\zeta"]) / v["c"]
    return (q.conjugate() * k * np.exp(shrunk + 1j * step * v[r"\theta"])).real


def grid(algebra, values):
    """`R_{x,y}` turns pair i by the angle x alpha_i + y beta_i."""
    def turned(x, y):
        return algebra.direct_sum(
            [turn(algebra, x * entry(values[r"\alpha"], i)
                  + y * entry(values[r"\beta"], i))
             for i in range(len(values[r"\alpha"]))])

    return {"R": Family(turned)}


def _from_corner(v):
    """The turned axes, by the package's mixed angles."""
    generators = np.stack([v[r"\alpha"].ravel(), v[r"\beta"].ravel()])
    angle = mixed_angles([v["u"] - v["x"], v["v"] - v["y"]], generators)
    return rotate_by_angles(np.eye(int(v["d"])), angle).T


def planes(algebra, values):
    """`S_{x,y}`: a score whose two pairs listen to one axis each."""
    def found(x, y):
        rows = algebra.direct_sum([turn(algebra, x * values[r"\alpha"]),
                                   turn(algebra, y * values[r"\beta"])])
        return (values["q"].T @ rows @ values["k"])[0, 0]

    return {"S": Family(found)}


def _both_corners(v):
    """Scores at (x, y) and at (0, 0), by the package's axial angles."""
    q, k = v["q"].ravel(), v["k"].ravel()
    angle = axial_angles([v["x"] * v[r"\alpha"], v["y"] * v[r"\beta"]], 4)
    return rotate_by_angles(k, angle) @ q + q @ k


def text(algebra, values):
    """`dials`, and the columns of b and v as one vector for each token."""
    def column(name):
        return Family(lambda j: values[name][:, int(j):int(j) + 1])

    return dials(algebra, values) | {"b": column("b"), "v": column("v")}


def _tokenwise(v):
    """A score for each token, times its value."""
    rates, a = _rates(v), v["a"].ravel()
    scores = [score(a, b, v["m"], j, rates) for j, b in enumerate(v["b"].T)]
    return v["v"] @ np.array(scores)[:, None]


EQUATIONS = (
    Equation(
        "alibi-and-rope",
        r"\begin{aligned} & \frac{(R_m q)^\top (R_n k)}{\sqrt{d}} - s(m - n)"
        r" \\ &\quad = \frac{q^\top R_{n-m} k}{\sqrt{d}} + s(n - m)"
        r" \end{aligned}",
        DIALS | WORDS | PLACES | {"s": POSITIVE},
        lambda v: (_plain(v, _rates(v)) / np.sqrt(v["d"])
                   + v["s"] * (v["n"] - v["m"])),
        "this book; ALiBi (arXiv:2108.12409) is the second term",
        dials,
    ),
    Equation(
        "xpos-score",
        r"\begin{aligned} & (\zeta^{m/c} R_m q)^\top (\zeta^{-n/c} R_n k)"
        r" \\ &\quad = \zeta^{(m-n)/c}\, q^\top R_{n-m} k \end{aligned}",
        {"m": SMALL, "n": SMALL, r"\zeta": ZETA, "c": SCALE_BASE,
         r"\theta": FREQUENCY, "q": vector(2), "k": vector(2)},
        _scaled,
        "xPos (arXiv:2212.10554), one pair",
        one_dial,
    ),
    Equation(
        "partial-score",
        r"\begin{aligned} q^\top R_{n-m} k"
        r" ={}& \sum_{i=0}^{t-1} \operatorname{Re}["
        r"\hat{q}_i^{*}\, \hat{k}_i\, e^{\mathrm{i}(n-m)\theta_i}] \\"
        r" &+ \sum_{i=t}^{d/2-1} \operatorname{Re}["
        r"\hat{q}_i^{*}\, \hat{k}_i] \end{aligned}",
        DIALS | WORDS | PLACES | {"t": constant(1)},
        _partial,
        "this book; score-amplitudes with rates of 0",
        turning_part,
        same={"swap q, k in side 3": "without a turn the real part is the"
              " inner product, and that is symmetric"},
    ),
    Equation(
        "grid-relative",
        r"R_{x,y}^\top R_{u,v} = R_{u-x,v-y}",
        GRID | {"d": DIALS["d"], r"\alpha": HALVES, r"\beta": HALVES},
        _from_corner,
        "Su, post 8397; Heo et al. (arXiv:2403.13298)",
        grid,
    ),
    Equation(
        "axial-cross",
        r"S_{x,y} + S_{0,0} = S_{x,0} + S_{0,y}",
        {"x": POSITION, "y": POSITION} | PLANES,
        _both_corners,
        "this book; an axial score is a sum over the axes",
        planes,
    ),
    Equation(
        "linear-state",
        r"\begin{aligned} & \sum_{j=0}^{N}"
        r" ((R_m a)^\top (R_j b_j))\, v_j \\"
        r" &\quad = (\sum_{j=0}^{N} v_j (R_j b_j)^\top) (R_m a)"
        r" \end{aligned}",
        {"m": POSITION, "N": constant(LAST), r"\theta": DIALS[r"\theta"],
         "d": DIALS["d"], "a": WORDS["q"],
         "b": PerWidth(lambda d: matrix(d, LAST + 1)),
         "v": matrix(3, LAST + 1)},
        _tokenwise,
        "RoFormer eq. (19), its numerator; Katharopoulos et al."
        " (arXiv:2006.16236), section 3.2",
        text,
    ),
)
