"""Figures of rounding, and of where bugs first show."""

from __future__ import annotations

import numpy as np

from ..doctor.rounding import STEPS, angles_of, rounded
from ..frequencies import inverse_frequencies
from ..gallery import BUGS, FAR, first_wrong
from ..reference import rotate
from ..running import INV_FREQ, K, Q
from .style import COLORS, DASHES, INK, Picture, canvas

FORMATS = ("bfloat16", "float16", "float32")
TINTS = {"bfloat16": COLORS["k"], "float16": COLORS["dial 1"],
         "float32": COLORS["q"], "float64": INK}
DASHED = dict(zip(FORMATS, DASHES))


def largest_errors(dtype, rotary_dim=128, base=10000.0, last=17,
                   steps=STEPS):
    """Largest error of an angle up to a position, in rad.

    Parameters
    ----------
    dtype : str
        Of the steps that are rounded: bfloat16, float16 or float32.
    rotary_dim : int
    base : float
    last : int
        The last position is ``2**last - 1``.
    steps : tuple of str
        Of "positions", "frequencies" and "angles".

    Returns
    -------
    ends, errors : numpy.ndarray, shape (last,)
        Up to and with position ``ends[j]``, no angle is off by more than
        ``errors[j]``, which may be infinite.

    Examples
    --------
    >>> ends, errors = largest_errors("bfloat16", last=9)
    >>> ends[-2:].tolist(), round(float(errors[-1]), 2)
    ([255, 511], 2.42)
    """
    rates, found = inverse_frequencies(rotary_dim, base), []
    for j in range(last):
        ids = np.arange(2**j, 2 ** (j + 1))
        with np.errstate(invalid="ignore"):
            angle = angles_of(steps, dtype, ids, rates)
        found.append(np.abs(angle - ids[:, None] * rates).max())
    return 2 ** np.arange(1, last + 1) - 1, np.maximum.accumulate(found)


def angle_errors(last=17):
    """Largest error of an angle against the position, in three formats.

    Positions, rates and their product are rounded; d = 128.

    Parameters
    ----------
    last : int
        The last position is ``2**last - 1``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> angle_errors(last=4).alt.split(": ")[1]
    'bfloat16 0.037, float16 0.0063 and float32 8.6e-07 rad.'
    """
    told = []
    with canvas(height=3.3) as (figure, axes):
        for name in FORMATS:
            ends, errors = largest_errors(name, last=last)
            axes.plot(ends, np.where(np.isfinite(errors), errors, np.nan),
                      color=TINTS[name], dashes=DASHED[name])
            _name(axes, ends, errors, name)
            told.append(f"{name} {errors[-1]:.2g}")
        axes.axhline(np.pi, color=INK, lw=0.8)
        axes.text(1, np.pi * 1.3, "half a turn")
        axes.set(xscale="log", yscale="log", ylabel="rad",
                 xlabel="up to position")
        return Picture(figure, "Largest error of an angle on two logarithmic"
                       f" axes, up to position {ends[-1]:,}:"
                       f" {', '.join(told[:-1])} and {told[-1]} rad.")


def _name(axes, ends, errors, name):
    """Write the format above the highest curve, below the others."""
    at, above = len(ends) // 3, name == "bfloat16"
    axes.annotate(name, (ends[at], errors[at]), (-4, 4) if above else (6, -12),
                  ha="right" if above else "left",
                  textcoords="offset points", color=TINTS[name])


def step_errors(last=15, dtype="bfloat16"):
    """Error of a unit arrow's tip if a single step is rounded.

    Parameters
    ----------
    last : int
        The last position is ``2**last - 1``.
    dtype : str

    Returns
    -------
    Picture

    Examples
    --------
    >>> step_errors(last=9).alt.split(": ")[1]
    'positions 0.96, rates 0.61, angles 0.96 and tables 0.0028.'
    """
    told = []
    names = ("positions", "rates", "angles", "tables")
    with canvas(height=3.3) as (figure, axes):
        for name, tint, dashes in zip(names, COLORS.values(), DASHES):
            ends, errors = tip_errors(name, dtype, last)
            axes.plot(ends, np.where(errors > 0, errors, np.nan), color=tint,
                      dashes=dashes, label=name, lw=1.6 if dashes else 3.5)
            told.append(f"{name} {errors[-1]:.2g}")
        axes.legend(loc="upper left", fontsize=8.5)
        axes.set(xscale="log", yscale="log", ylabel="error of the arrow's tip",
                 xlabel="up to position", ylim=(1e-3, 9))
        return Picture(figure, "Error of the tip of an arrow of length 1,"
                       f" with one step in {dtype}, up to position"
                       f" {ends[-1]:,}: {', '.join(told[:-1])} and"
                       f" {told[-1]}.")


def tip_errors(step, dtype="bfloat16", last=15):
    """Largest distance of a turned unit arrow from where it should be.

    Parameters
    ----------
    step : {"positions", "rates", "angles", "tables"}
        The one that is rounded; d = 128, base 10000.
    dtype : str
    last : int
        The last position is ``2**last - 1``.

    Returns
    -------
    ends, errors : numpy.ndarray, shape (last,)
        As in `largest_errors`, as lengths.

    Examples
    --------
    >>> ends, errors = tip_errors("positions", last=9)
    >>> errors[-2:].round(3).tolist()
    [0.0, 0.959]
    """
    rates, found = inverse_frequencies(128), []
    steps = {"rates": ("frequencies",), "tables": ()}.get(step, (step,))
    for j in range(last):
        ids = np.arange(2**j, 2 ** (j + 1))
        angle = angles_of(steps, dtype, ids, rates)
        tip = np.stack([np.cos(angle), np.sin(angle)])
        tip = rounded(tip, dtype) if step == "tables" else tip
        right = ids[:, None] * rates
        gap = tip - np.stack([np.cos(right), np.sin(right)])
        found.append(np.linalg.norm(gap, axis=0).max())
    return 2 ** np.arange(1, last + 1) - 1, np.maximum.accumulate(found)


def drifting_score(offset=3, last=5000, dtype="bfloat16"):
    """Score of one offset while query and key move on together.

    Parameters
    ----------
    offset : int
        How far the key stands before the query.
    last : int
        Last position of the key.
    dtype : str
        Of the positions.

    Returns
    -------
    Picture

    Examples
    --------
    >>> drifting_score(last=500).alt.split("key ")[1]
    'at position 254.'
    """
    n = np.arange(1, last + 1)
    right = (rotate(Q, n + offset, INV_FREQ) * rotate(K, n, INV_FREQ)).sum(-1)
    m, n_ = rounded(n + offset, dtype), rounded(n, dtype)
    wrong = (rotate(Q, m, INV_FREQ) * rotate(K, n_, INV_FREQ)).sum(-1)
    first = int(n[np.abs(wrong - right) > 1e-9][0])
    with canvas() as (figure, axes):
        axes.plot(n, wrong, ".", color=COLORS["k"], ms=3)
        axes.plot(n, right, color=INK, lw=1.2)
        axes.set(xscale="log", xlabel="position of the key", ylabel="score")
        axes.annotate("exact", (1.1, right[0]), (0, 5),
                      textcoords="offset points")
        axes.set_title(f"positions in {dtype}, dots")
        return Picture(figure, f"The score of offset {offset} is"
                       f" {right[0]:.3f} everywhere; with positions in"
                       f" {dtype} it lies between {wrong.min():.2f} and"
                       f" {wrong.max():.2f},"
                       f" and is first wrong for a key at position {first}.")


def where_it_shows(names=tuple(BUGS)):
    """First position of a plain text that each bug turns wrongly.

    Parameters
    ----------
    names : sequence of str
        Keys of `rope_edu.gallery.BUGS`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> where_it_shows(["bf16-positions", "in-place"]).alt.split(": ")[1]
    '1 of 2 bugs do not show; bf16-positions does from position 257.'
    """
    first = {name: first_wrong(BUGS[name]) for name in names}
    order = sorted(names, key=lambda name: -_reach(first[name]))
    with canvas(height=0.8 + 0.21 * len(order)) as (figure, axes):
        for row, name in enumerate(order):
            at, hidden = first[name], first[name] is None
            axes.plot(_reach(at), row, "s" if hidden else "o",
                      color=COLORS["dial 0" if hidden else "k"], ms=5,
                      mfc="none" if hidden else None)
        axes.set(xscale="symlog", xlim=(-0.4, 8 * FAR),
                 xlabel="first position that is wrong")
        axes.set_yticks(range(len(order)), order)
        axes.set_xticks([0, 1, 10, 100, 1000, 4 * FAR],
                        ["0", "1", "10", "100", "1000", "never"])
        axes.grid(axis="y")
        return Picture(figure, _shown(first))


def _reach(at):
    """Where a first wrong position is drawn."""
    return 4 * FAR if at is None else at


def _shown(first):
    hidden = sum(at is None for at in first.values())
    late = [f"{name} does from position {at}" for name, at in first.items()
            if at is not None and at > 1]
    return (f"First wrong position in a text of one row and one head, up to"
            f" {FAR}: {hidden} of {len(first)} bugs do not show;"
            f" {', '.join(late)}.")
