"""Figures of the dials' speeds, and of positions that look alike."""

from __future__ import annotations

import itertools

import numpy as np

from ..frequencies import angles, inverse_frequencies, wavelengths
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas


def waves(inv_freq, reach=70, mark=3):
    """Cosine of each dial's angle against the position, one below another.

    Parameters
    ----------
    inv_freq : array_like, shape (4,)
        Radians per token, one for each dial.
    reach : int
        Last position.
    mark : int
        Position that is marked on each curve.

    Returns
    -------
    Picture

    Examples
    --------
    >>> waves([1, 0.1, 0.01, 0.001]).alt.split("turn: ")[1]
    'dial 0 11.1, dial 1 1.11, dial 2 0.111 and dial 3 0.0111 times.'
    """
    fine = np.linspace(0, reach, 12 * reach + 1)
    with canvas(len(inv_freq), 1, height=3.4, sharex=True) as (
            figure, panels):
        for i, (axes, theta) in enumerate(zip(panels, inv_freq)):
            axes.plot(fine, np.cos(fine * theta), color=DIALS[i],
                      dashes=DASHES[i])
            axes.plot(mark, np.cos(mark * theta), "o", color=INK, ms=4)
            axes.set(ylim=(-1.25, 1.25), yticks=(-1, 1), xlim=(0, reach))
            axes.text(1.02, 0.5, f"dial {i}", color=DIALS[i], va="center",
                      transform=axes.transAxes)
        panels[-1].set_xlabel("position m in tokens")
        panels[0].set_title("cosine of the angle")
        return Picture(figure, _waves_alt(inv_freq, reach))


def _waves_alt(inv_freq, reach):
    turns = angles(reach, inv_freq) / (2 * np.pi)
    told = [f"dial {i} {t:.3g}" for i, t in enumerate(turns)]
    return (f"Cosine of each dial's angle over {reach} tokens, in which the"
            f" dials turn: {', '.join(told[:-1])} and {told[-1]} times.")


def speeds(settings):
    """Radians per token of every dial, for several widths and bases.

    Parameters
    ----------
    settings : sequence of (rotary_dim, base)
        One curve for each.

    Returns
    -------
    Picture

    Examples
    --------
    >>> speeds([(8, 1e4), (128, 1e4)]).alt.split("turns at ")[1]
    'd = 8, b = 10,000: 0.001; d = 128, b = 10,000: 0.00012'
    """
    with canvas(height=3.3) as (figure, axes):
        for (d, base), dashes in zip(
                settings, itertools.cycle(DASHES)):
            rates = inverse_frequencies(d, base)
            axes.plot(rates, color=INK, lw=1.2, dashes=dashes)
            axes.plot(rates[:1], ".", color=INK)
            _name(axes, rates, f"d = {d}" + _other(base))
        _dots(axes, settings)
        axes.set(yscale="log", xlabel="number i of the dial",
                 ylabel="rad per token", xlim=(-2, _far(settings)))
        axes.set_title("b = 10,000 where nothing else is written")
        return Picture(figure, _speeds_alt(settings))


def _name(axes, values, name):
    """Write the name of a curve to the right of its end."""
    axes.annotate(name, (len(values) - 1, values[-1]), (4, -4),
                  textcoords="offset points", va="center")


def _other(base):
    return "" if base == 1e4 else f", b = {base:,.0f}"


def _dots(axes, settings):
    """The running example's four dials keep their colors."""
    for i, theta in enumerate(inverse_frequencies(8)):
        if (8, 1e4) in settings:
            axes.plot(i, theta, "o", color=DIALS[i], ms=5)


def _far(settings):
    return 1.28 * max(d / 2 for d, _ in settings)


def _speeds_alt(settings):
    told = [f"d = {d}, b = {base:,.0f}: {inverse_frequencies(d, base)[-1]:.2g}"
            for d, base in settings]
    return ("Radians per token on a logarithmic axis fall along straight"
            " lines from 1; the slowest dial turns at " + "; ".join(told))


def turns(models):
    """Turns that each dial makes within a model's configured length.

    Parameters
    ----------
    models : sequence of dict
        With ``name``, ``rotary_dim``, ``base`` and ``trained_length``, as
        in ``rope_edu/data/presets.json``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> turns([{"name": "Llama 2 7B", "rotary_dim": 128, "base": 1e4,
    ...         "trained_length": 4096}]).alt.split("full turn: ")[1]
    'Llama 2 7B 46 of 64, 18 never do.'
    """
    with canvas(height=3.3) as (figure, axes):
        for model, dashes in zip(models, itertools.cycle(DASHES)):
            made, whole = _turns(model)
            axes.plot(made, color=INK, lw=1.2, dashes=dashes)
            axes.plot(*_crossing(made, whole), "o", color=INK, ms=5)
            _name(axes, made, f"{model['name']}\n{whole} of {len(made)}")
        axes.axhspan(1e-3, 1, color=INK, alpha=0.08, lw=0)
        pairs = [(m["rotary_dim"], m["base"]) for m in models]
        axes.set(yscale="log", ylabel="turns within the configured length",
                 xlabel="number i of the dial", ylim=(1e-3, 3e3),
                 xlim=(-2, 1.05 * _far(pairs)))
        return Picture(figure, _turns_alt(models))


def _turns(model):
    """Turns of each dial within the length, and how many make one."""
    rates = inverse_frequencies(model["rotary_dim"], model["base"])
    made = model["trained_length"] / wavelengths(rates)
    return made, int(np.sum(made >= 1))


def _crossing(made, whole):
    """The first dial short of a turn, if there is one."""
    short = np.arange(len(made))[whole:whole + 1]
    return short, made[short]


def _turns_alt(models):
    told = []
    for model in models:
        made, whole = _turns(model)
        told.append(f"{model['name']} {whole} of {len(made)},"
                    f" {len(made) - whole} never do")
    return ("Turns of each dial within the configured length, on a"
            " logarithmic axis. Dials that complete a full turn:"
            f" {'; '.join(told)}.")


def returns(reach=760, marks=(44, 710)):
    """How far a dial of 1 rad per token is from its start, per position.

    Parameters
    ----------
    reach : int
        Last position.
    marks : tuple of int
        Positions that are named.

    Returns
    -------
    Picture

    Examples
    --------
    >>> returns().alt.split("start: ")[1]
    '0.018 rad at m = 44 and 6e-05 rad at m = 710.'
    """
    places = np.arange(1, reach + 1)
    away = np.abs(np.angle(np.exp(1j * places)))
    with canvas(height=3.1) as (figure, axes):
        axes.plot(places, away, ".", color=COLORS["dial 0"], ms=2.5)
        for m in marks:
            axes.plot(m, away[m - 1], "o", color=INK, ms=5)
            left = m > reach / 2
            axes.annotate(f"m = {m}", (m, away[m - 1]), (7 - 14 * left, 0),
                          ha="right" if left else "left", va="center",
                          textcoords="offset points")
        axes.set(yscale="log", xlabel="position m in tokens",
                 ylabel="rad from the start")
        told = " and ".join(f"{away[m - 1]:.2g} rad at m = {m}"
                            for m in marks)
        return Picture(figure, "A dial of 1 rad per token never returns,"
                       f" but comes close to its start: {told}.")


def torus(rates=(1.0, 0.1), count=63, marks=(0, 44)):
    """Positions as points whose coordinates are the angles of two dials.

    Parameters
    ----------
    rates : tuple of two floats
        Radians per token of the two dials.
    count : int
        Positions 0 to ``count - 1`` are drawn.
    marks : tuple of int
        Positions that are named.

    Returns
    -------
    Picture

    Examples
    --------
    >>> torus().alt.split("one: ")[1]
    'm = 0 at (0, 0) rad and m = 44 at (0.018, 4.4) rad.'
    """
    points = angles(np.arange(count), rates) % (2 * np.pi)
    with canvas(height=3.6) as (figure, axes):
        axes.plot(*_path(points), color=INK, lw=0.5, alpha=0.6)
        axes.plot(*points.T, ".", color=INK, ms=4)
        for m in marks:
            axes.plot(*points[m], "o", color=COLORS["dial 0"], ms=7)
            axes.annotate(f"m = {m}", points[m], (8, -11 if m else 9),
                          textcoords="offset points")
        _square(axes)
        told = " and ".join(f"m = {m} at ({points[m][0]:.2g},"
                            f" {points[m][1]:.2g}) rad" for m in marks)
        return Picture(figure, f"Angles of two dials at {count} positions in"
                       " a square whose opposite edges are one: " + told + ".")


def _path(points):
    """The points, with a gap where the path leaves the square."""
    wraps = np.nonzero((np.diff(points, axis=0) < 0).any(axis=1))[0] + 1
    return np.insert(points, wraps, np.nan, axis=0).T


def _square(axes):
    """A turn by a turn; what leaves at an edge enters at the other."""
    ticks, names = (0, np.pi, 2 * np.pi), ("0", "π", "2π")
    axes.set(xlim=(-0.15, 2 * np.pi), ylim=(-0.15, 2 * np.pi), aspect="equal",
             xlabel="angle of dial 0", ylabel="angle of dial 1")
    axes.set_xticks(ticks, names)
    axes.set_yticks(ticks, names)
    axes.spines[:].set_visible(True)


def likeness(widths, values):
    """Largest mean cosine of the dials in a window, for several widths.

    Parameters
    ----------
    widths : sequence of int
        Rotary widths.
    values : sequence of float
        The largest mean cosine for each.

    Returns
    -------
    Picture

    Examples
    --------
    >>> likeness([8, 128], [1.0, 0.299]).alt.split("width: ")[1]
    '1.000 at d = 8, 0.299 at d = 128.'
    """
    with canvas(height=2.7) as (figure, axes):
        axes.plot(range(len(widths)), values, "o", color=INK)
        axes.vlines(range(len(widths)), 0, values, color=INK, lw=1)
        for j, value in enumerate(values):
            axes.annotate(f"{value:.2f}", (j, value), (0, 6), ha="center",
                          textcoords="offset points")
        axes.set(ylim=(0, 1.15), xlim=(-0.5, len(widths) - 0.5),
                 xlabel="rotary width d", ylabel="largest mean cosine")
        axes.set_xticks(range(len(widths)), widths)
        told = ", ".join(f"{v:.3f} at d = {d}"
                         for d, v in zip(widths, values))
        return Picture(figure, "The largest mean cosine falls with the"
                       f" width: {told}.")
