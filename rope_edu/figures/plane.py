"""Figures of one plane: axes, vectors, and what a turn does to them."""

from __future__ import annotations

import numpy as np

from ..reference import rotate, rotation_matrix, score
from .style import COLORS, INK, Picture, canvas

CIRCLE = np.exp(1j * np.linspace(0, 2 * np.pi, 181))


def _arrow(axes, tip, color, name, dashed=False):
    axes.annotate("", tip, (0, 0), arrowprops={
        "arrowstyle": "-|>", "color": color, "lw": 1.6, "shrinkA": 0,
        "shrinkB": 0, "linestyle": (0, (3, 2)) if dashed else "-"})
    # Beyond the tip by a fixed number of points, whatever the scale.
    away = 12 * np.asarray(tip) / np.linalg.norm(tip)
    axes.annotate(name, tip, away, textcoords="offset points", color=color,
                  ha="center", va="center")


def _plane(axes, reach):
    axes.set_aspect("equal")
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=(),
             yticks=())
    axes.spines[:].set_visible(False)
    axes.axhline(0, color=INK, lw=0.5)
    axes.axvline(0, color=INK, lw=0.5)


def _arc(axes, start, stop, radius):
    turn = np.exp(1j * np.linspace(start, stop, 60))
    axes.plot(radius * turn.real, radius * turn.imag, color=INK, lw=1)


def turned_axes(angle):
    """The unit axes and where a turn by `angle` takes them.

    Parameters
    ----------
    angle : float
        In radians, counterclockwise.

    Returns
    -------
    Picture

    Examples
    --------
    >>> turned_axes(1.0).alt[:40]
    'A turn by 1 rad takes the x axis (1, 0) '
    """
    matrix = rotation_matrix(1, [angle])
    with canvas(height=3.0) as (figure, axes):
        _plane(axes, 1.35)
        axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.5)
        _arrow(axes, (1, 0), INK, "$e_x$", dashed=True)
        _arrow(axes, (0, 1), INK, "$e_y$", dashed=True)
        for column, name in zip(matrix.T, "xy"):
            _arrow(axes, column, COLORS["dial 0"], f"$R\\,e_{name}$")
        _arc(axes, 0, angle, 0.35)
        (a, b), (c, d) = matrix.T.round(2)
        return Picture(figure, f"A turn by {angle:g} rad takes the x axis"
                       f" (1, 0) to ({a:g}, {b:g}) and the y axis (0, 1) to"
                       f" ({c:g}, {d:g}), both on the unit circle.")


def same_offset(q, k, theta, places):
    """A query and a key turned to several pairs of positions.

    Parameters
    ----------
    q, k : array_like, shape (2,)
        Before the turn.
    theta : float
        Radians per token.
    places : sequence of (m, n)
        Positions of the query and of the key, one panel for each.

    Returns
    -------
    Picture

    Examples
    --------
    >>> same_offset([1, 0], [0, 1], 1.0, [(10, 7), (100, 97)]).alt[-31:]
    'the score is 0.14 in each panel'
    """
    with canvas(1, len(places), height=2.6) as (figure, panels):
        for axes, (m, n) in zip(np.ravel(panels), places):
            tips = rotate(q, m, [theta]), rotate(k, n, [theta])
            _plane(axes, 1.4 * max(map(np.linalg.norm, tips)))
            for tip, name, place in zip(tips, "qk", (m, n)):
                _arrow(axes, tip, COLORS[name], f"$R_{{{place}}}{name}$")
            _arc(axes, *_directions(*tips), 0.35)
            axes.set_title(f"m = {m}, n = {n}")
        scores = {f"{score(q, k, m, n, [theta]):.2f}" for m, n in places}
        return Picture(figure, _offset_alt(places, scores))


def _directions(start, stop):
    """Direction of a vector, and of another within half a turn of it."""
    first, last = (complex(*tip) for tip in (start, stop))
    return np.angle(first), np.angle(first) + np.angle(last / first)


def _offset_alt(places, scores):
    where = " and ".join(f"({m}, {n})" for m, n in places)
    same = (f"the score is {scores.pop()} in each panel"
            if len(scores) == 1 else
            f"the scores are {', '.join(sorted(scores))}")
    return ("Query and key turned to positions (m, n) = " + where
            + "; the angle between the two is decided by n - m, " + same)


def score_by_offset(q, k, inv_freq, reach=12, mark=4):
    """Score of a query and a key against the offset n - m.

    Parameters
    ----------
    q, k : array_like, shape (d,)
        Before the turn.
    inv_freq : array_like, shape (d/2,)
        Radians per token.
    reach : int
        Offsets run from `-reach` to `reach`.
    mark : int
        Offset that is compared with its opposite.

    Returns
    -------
    Picture

    Examples
    --------
    >>> score_by_offset([1, 0], [0, 1], [1.0]).alt[:44]
    'Score against offset n - m: 0.76 at +4, -0.7'
    """
    fine = np.linspace(-reach, reach, 401)
    ends = np.array([mark, -mark])
    with canvas() as (figure, axes):
        axes.plot(fine, score(q, k, 0, fine, inv_freq), color=INK, lw=0.8)
        whole = np.arange(-reach, reach + 1)
        axes.plot(whole, score(q, k, 0, whole, inv_freq), ".", color=INK)
        high, low = score(q, k, 0, ends, inv_freq)
        axes.plot(ends, [high, low], "o", color=COLORS["k"], ms=7)
        axes.axhline(0, color=INK, lw=0.5)
        axes.axvline(0, color=INK, lw=0.5)
        axes.set(xlabel="offset n - m in tokens", ylabel="score")
        return Picture(figure, "Score against offset n - m:"
                       f" {high:.2f} at +{mark}, {low:.2f} at -{mark};"
                       " the curve is not symmetric about 0.")
