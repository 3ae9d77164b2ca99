"""Figures of vectors that are added: their waves, clocks, terms and flows."""

from __future__ import annotations

import numpy as np

from ..frequencies import angles
from .dimensions import _bare, _signed
from .plane import CIRCLE, _arc, _arrow
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

# Text in ink is still read on a tile of this much ink.
DARKEST = 0.45


def _waves(position_ids, inv_freq):
    """Sine and cosine of each dial, shape position_ids.shape + (d,)."""
    angle = angles(position_ids, inv_freq)
    both = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    return both.reshape(*angle.shape[:-1], -1)


def sinusoids(inv_freq, length=64):
    """The sinusoidal vectors of many positions, one channel below another.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token; four pairs at most have a color.
    length : int
        Positions 0 to ``length - 1`` are drawn.

    Returns
    -------
    Picture

    Examples
    --------
    >>> sinusoids([1, 0.1], length=8).alt.split("times: ")[1]
    'channel 0 2, channel 1 2, channel 2 0, channel 3 0.'
    """
    rows = _waves(np.arange(length), inv_freq).T
    with canvas(height=3.0) as (figure, axes):
        for j, row in enumerate(rows):
            _stripe(axes, j, row, DIALS[j // 2])
        for i in range(len(rows) // 2):
            axes.text(length + 0.8, 2 * i + 0.5, f"dial {i}", va="center",
                      color=DIALS[i])
        axes.set(xlim=(-0.5, length - 0.5), ylim=(len(rows) - 0.4, -0.6),
                 xlabel="position m in tokens", ylabel="channel",
                 yticks=range(len(rows)))
        axes.spines[:].set_visible(False)
        axes.tick_params(axis="y", length=0)
        signs = np.diff(rows >= 0, axis=1).sum(axis=1)
        told = ", ".join(f"channel {j} {n}" for j, n in enumerate(signs))
        return Picture(figure, f"Sines and cosines at {length} positions,"
                       f" full color for 1, none for -1. They change their"
                       f" sign so many times: {told}.")


def _stripe(axes, place, values, color):
    """One channel: a tile for each position, the fuller the larger."""
    alphas = np.round((1 + np.asarray(values)) / 2, 2)
    axes.bar(range(len(values)), 0.86, bottom=place - 0.43, width=1.0,
             color=[(color, alpha) for alpha in alphas], lw=0)


def clocks(inv_freq, m=3, s=5):
    """Each pair of the sinusoidal vector as the hand of a clock.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token; four pairs at most have a color.
    m, s : int
        A position, and how many tokens to move on.

    Returns
    -------
    Picture

    Examples
    --------
    >>> clocks([1, 0.1]).alt.split("on by ")[1]
    'dial 0 5 rad, dial 1 0.5 rad.'
    """
    with canvas(1, len(inv_freq), height=1.75) as (figure, faces):
        for i, (axes, theta) in enumerate(zip(faces, inv_freq)):
            _bare(axes, xlim=(-1.45, 1.45), ylim=(-1.45, 1.45))
            axes.set_aspect("equal")
            axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.8)
            for place, name in ((m, "$m$"), (m + s, "$m+s$")):
                tip = _waves(place, [theta])
                _arrow(axes, tip, DIALS[i], "", dashed=place == m)
            # From the top, clockwise: the sine goes to the right.
            _arc(axes, np.pi / 2 - m * theta,
                 np.pi / 2 - (m + s) * theta, 0.5)
            axes.set_title(f"dial {i}", color=DIALS[i], loc="center")
            axes.set_xlabel(f"{s * theta:g} rad")
        told = ", ".join(f"dial {i} {s * theta:g} rad"
                         for i, theta in enumerate(inv_freq))
        return Picture(figure, "Clock hands of the sinusoidal vector at"
                       f" position {m} (dashed) and {m + s}; clockwise, they"
                       f" move on by {told}.")


def tables(panels, names=None, columns=2):
    """Tables of numbers for pairs of places, the larger the darker.

    Parameters
    ----------
    panels : dict
        Title -> square array; row m, column n.
    names : sequence of str, optional
        Of the places, for both axes.
    columns : int
        Panels in one row.

    Returns
    -------
    Picture

    Examples
    --------
    >>> tables({"one": [[1, 2], [3, 1]], "two": [[1, 2], [3, 4]]}).alt
    'Tables of pairs of places. Spread along a diagonal: one 0.0, two 3.0.'
    """
    rows = -(-len(panels) // columns)
    height = rows * 5.4 / columns + 0.3 * (names is not None)
    with canvas(rows, columns, height=height, squeeze=False) as (
            figure, grid):
        for axes, (title, table) in zip(grid.flat, panels.items()):
            _tiles(axes, np.asarray(table, dtype=float))
            axes.set_title(title)
            _places(axes, len(table), names, axes in grid[:, 0],
                    axes in grid[-1])
        told = ", ".join(f"{title} {spread(table):.1f}"
                         for title, table in panels.items())
        return Picture(figure, "Tables of pairs of places. Spread along a"
                       f" diagonal: {told}.")


def _places(axes, size, names, left, bottom):
    """Names or numbers of the places, at the outer edges only."""
    step = max(1, size // 3)
    ticks = range(0, size, step if names is None else 1)
    axes.set_yticks(ticks if left else (), names if left else None)
    axes.set_xticks(ticks if bottom else ())
    if names is not None and bottom:
        axes.set_xticks(ticks, names, rotation=50, ha="right",
                        rotation_mode="anchor")
    axes.set(xlabel="key n" if bottom else "",
             ylabel="query m" if left else "")


def spread(table):
    """Largest difference between two entries of one diagonal.

    Parameters
    ----------
    table : array_like, shape (S, S)

    Returns
    -------
    float
        0 for a table that knows the offset alone.

    Examples
    --------
    >>> spread([[1, 2], [3, 4]])
    3.0
    """
    table = np.asarray(table, dtype=np.float64)
    lines = [table.diagonal(o) for o in range(1 - len(table), len(table))]
    return float(max(np.ptp(line) for line in lines))


def _tiles(axes, table):
    """Tiles of ink; numbers on them where there is room."""
    low, high = table.min(), table.max()
    form = ".0f" if (table == table.round()).all() else ".1f"
    for (m, n), value in np.ndenumerate(table):
        ink = DARKEST * (value - low) / (high - low or 1)
        axes.bar(n, 1, bottom=m - 0.5, width=1, lw=0,
                 color=(INK, round(float(ink), 2)))
        if len(table) <= 7:
            axes.text(n, m, _signed(f"{value:{form}}"), ha="center",
                      va="center", fontsize=8.5)
    size = len(table)
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5),
             aspect="equal")
    axes.spines[:].set_visible(True)
    axes.tick_params(length=0)


def terms(shifts, curves):
    """Terms of one score while both tokens move on together.

    Parameters
    ----------
    shifts : array_like, shape (n,)
        Tokens that both have moved.
    curves : dict
        Name of a term -> its values, shape (n,). In the order content with
        content, content with position, position with content, position with
        position.

    Returns
    -------
    Picture

    Examples
    --------
    >>> terms([0, 1], {"a": [1, 1], "b": [0, 2]}).alt
    'Terms of a score while both tokens move on. Ranges: a 0.0, b 2.0.'
    """
    looks = ((INK, ()), (COLORS["k"], DASHES[1]), (COLORS["q"], DASHES[2]),
             (DIALS[0], DASHES[3]))
    with canvas(len(curves), 1, height=0.7 + 0.85 * len(curves), sharex=True,
                sharey=True) as (figure, rows):
        for axes, (name, values), (color, dashes) in zip(
                rows, curves.items(), looks):
            axes.plot(shifts, values, color=color, dashes=dashes)
            axes.set_title(name, color=color)
            axes.margins(y=0.2)
        rows[-1].set_xlabel("tokens that both have moved")
        told = ", ".join(f"{name} {np.ptp(values):.1f}"
                         for name, values in curves.items())
        return Picture(figure, "Terms of a score while both tokens move on."
                       f" Ranges: {told}.")


def flows(fields, start=(0.0, 1.0), tokens=12):
    """Paths of one pair that follow a field, dp/dt = h(p), on one scale.

    Parameters
    ----------
    fields : dict
        Title -> matrix h of the field, shape (2, 2).
    start : tuple of two floats
        Where the path begins.
    tokens : int
        Length of the path; whole tokens are marked.

    Returns
    -------
    Picture

    Examples
    --------
    >>> flows({"turn": [[0, 1], [-1, 0]]}, tokens=3).alt[-38:]
    'the lengths after 3 tokens: turn 1.00.'
    """
    fields = {name: np.asarray(h, dtype=float) for name, h in fields.items()}
    paths = [_path(field, start, tokens) for field in fields.values()]
    reach = 1.15 * np.abs(paths).max()
    with canvas(1, len(fields), height=2.6, squeeze=False) as (figure, row):
        ends = []
        for axes, (title, field), path in zip(row[0], fields.items(), paths):
            _arrows(axes, field, reach)
            axes.plot(*path.T, color=DIALS[0], lw=1.2)
            axes.plot(*path[::16].T, ".", color=DIALS[0])
            axes.set_title(title)
            ends.append(f"{title} {np.linalg.norm(path[-1]):.2f}")
        return Picture(figure, "Fields of arrows and the path that follows"
                       f" them from {start}; the lengths after {tokens}"
                       f" tokens: {', '.join(ends)}.")


def _path(field, start, tokens):
    """Sixteen points a token, by the exponential of the field."""
    rates, axes = np.linalg.eig(field)
    t = np.arange(16 * tokens + 1)[:, None] / 16
    parts = np.exp(t * rates) * np.linalg.solve(axes, np.array(start))
    return (parts @ axes.T).real


def _arrows(axes, field, reach):
    _bare(axes, xlim=(-reach, reach), ylim=(-reach, reach))
    axes.set_aspect("equal")
    line = np.linspace(-0.85, 0.85, 7) * reach
    x, y = np.meshgrid(line, line)
    u, v = np.einsum("ij,jkl->ikl", field, np.stack([x, y]))
    axes.quiver(x, y, u, v, color=INK, alpha=0.55, width=0.006)
