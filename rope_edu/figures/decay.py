"""Figures of the score against distance: what falls and what does not."""

from __future__ import annotations

import numpy as np

from ..reference import score, unrotate
from .style import COLORS, DASHES, INK, Picture, canvas

OFFSET = "offset $r = n - m$ in tokens"


def _alignment(q, k, offsets, inv_freq):
    """Score by the product of the norms: a cosine, 1 for one direction."""
    norms = np.linalg.norm(q) * np.linalg.norm(k)
    return score(q, k, 0, offsets, inv_freq) / norms


def three_keys(inv_freq, peak=500, seed=0):
    """One query and three keys: its equal, a turned one, an unrelated one.

    Parameters
    ----------
    inv_freq : array_like, shape (d/2,)
        Radians per token.
    peak : int
        Offset, in tokens, that the turned key is made for.
    seed : int
        Of the standard normal query and of the unrelated key.

    Returns
    -------
    Picture

    Examples
    --------
    >>> three_keys([1.0, 0.1, 0.01], peak=50).alt[:48]
    'Score by the norms over offsets 0 to 100. Equal:'
    """
    q, other = np.random.default_rng(seed).normal(size=(2, 2 * len(inv_freq)))
    keys = {"equal": (q, COLORS["q"]),
            "turned": (unrotate(q, peak, inv_freq), COLORS["k"]),
            "unrelated": (other, INK)}
    offsets, said = np.arange(2 * peak + 1), []
    with canvas(3, 1, height=4.2, sharex=True, sharey=True) as (figure, rows):
        for axes, (name, (key, color)) in zip(rows, keys.items()):
            curve = _alignment(q, key, offsets, inv_freq)
            axes.plot(offsets, curve, color=color, lw=1)
            axes.axhline(0, color=INK, lw=0.5)
            axes.set_title(f"{name} key", color=color)
            said.append(f"{name}: highest {curve.max():.2f} at"
                        f" {curve.argmax()}, {curve[-1]:.2f} at the end")
        rows[1].set_ylabel("score / product of the norms")
        rows[-1].set_xlabel(OFFSET)
        return Picture(figure, "Score by the norms over offsets 0 to"
                       f" {2 * peak}. {'; '.join(said).capitalize()}.")


def bounds(offsets, cases):
    """Abel bound, triangle bound and what they bound, on a log axis.

    Parameters
    ----------
    offsets : array_like, shape (n,)
        In tokens, from 1.
    cases : dict
        Title -> (Abel bound (n,), triangle bound (number), actual (n,)).

    Returns
    -------
    Picture

    Examples
    --------
    >>> bounds([1, 2], {"h": ([9, 8], 4.0, [3, 2])}).alt
    'Bounds and actual sum, h: Abel 8 to 9, triangle 4.0, actual 2.0 to 3.0.'
    """
    height = 0.6 + 1.25 * len(cases)
    with canvas(len(cases), 1, height=height, sharex=True, sharey=True,
                squeeze=False) as (figure, rows):
        for axes, (title, curves) in zip(rows[:, 0], cases.items()):
            _three_levels(axes, offsets, curves)
            axes.set(title=title, xscale="log", yscale="log")
        _name_levels(rows[0, 0], offsets[-1], next(iter(cases.values())))
        rows[0, 0].set(ylim=(_floor(cases), 20_000), xlim=(offsets[0], None))
        rows[-1, 0].set_xlabel(OFFSET)
        said = [f"{title}: Abel {np.min(a):.0f} to {np.max(a):.0f}, triangle"
                f" {t:.1f}, actual {np.min(x):.1f} to {np.max(x):.1f}"
                for title, (a, t, x) in cases.items()]
        return Picture(figure, f"Bounds and actual sum, {'; '.join(said)}.")


def _floor(cases):
    """Below the deepest dip: the bounds are judged by what they leave."""
    return 0.7 * min(np.min(actual) for _, _, actual in cases.values())


def _three_levels(axes, offsets, curves):
    abel, triangle, actual = curves
    axes.plot(offsets, abel, color=COLORS["k"], dashes=DASHES[2])
    axes.plot(offsets, np.full(len(offsets), triangle), color=INK,
              dashes=DASHES[1], lw=1)
    axes.plot(offsets, actual, color=COLORS["q"], lw=0.9)


def _name_levels(axes, edge, curves):
    abel, triangle, actual = curves
    for level, color, name in ((abel[-1], COLORS["k"], "Abel bound"),
                               (triangle, INK, "triangle bound"),
                               (actual[-1], COLORS["q"], "actual")):
        axes.annotate(name, (edge, level), (6, 0), color=color, va="center",
                      textcoords="offset points")


def rising_steps(values, ylabel):
    """A curve over offsets 0, 1, 2, ..., with the steps that go up marked.

    Parameters
    ----------
    values : array_like, shape (n,)
        One for each offset.
    ylabel : str
        What the values are.

    Returns
    -------
    Picture

    Examples
    --------
    >>> rising_steps([3, 1, 2], "a value").alt
    'The curve starts at 3.00 and ends at 2.00; 1 of 2 steps go up.'
    """
    values = np.asarray(values, dtype=np.float64)
    rises = np.diff(values) > 0
    up = np.where(np.append(rises, False) | np.append(False, rises),
                  values, np.nan)
    with canvas() as (figure, axes):
        axes.plot(values, color=INK, lw=1)
        axes.plot(up, color=COLORS["k"], lw=2.4)
        axes.set(xlabel=OFFSET, ylabel=ylabel, ylim=(0, None))
        axes.text(0.97, 0.9, f"{rises.sum()} of {rises.size} steps go up",
                  color=COLORS["k"], ha="right", transform=axes.transAxes)
        return Picture(figure, f"The curve starts at {values[0]:.2f} and ends"
                       f" at {values[-1]:.2f}; {rises.sum()} of {rises.size}"
                       " steps go up.")


def slow_fall(offsets, values, trend):
    """Mean cosine of the dials beside its trend, over the log of the offset.

    Parameters
    ----------
    offsets : array_like, shape (n,)
        In tokens, from 1.
    values, trend : array_like, shape (n,)
        The mean cosine and a smooth curve to compare it with.

    Returns
    -------
    Picture

    Examples
    --------
    >>> slow_fall([1, 2, 3], [1.0, 0.5, -0.5], [1, 0.2, -0.1]).alt[-65:]
    'first negative at 3, the trend reaches 0 between offsets 2 and 3.'
    """
    values = np.asarray(values)
    first = int(np.argmax(values < 0))
    with canvas() as (figure, axes):
        axes.plot(offsets, values, color=COLORS["q"], lw=0.9)
        axes.plot(offsets, trend, color=INK, dashes=DASHES[1])
        axes.axhline(0, color=INK, lw=0.5)
        axes.plot(offsets[first], values[first], "o", color=COLORS["k"])
        axes.annotate(f"first negative: {offsets[first]:.0f}",
                      (offsets[first], values[first]), (-4, -14),
                      textcoords="offset points", ha="right",
                      color=COLORS["k"])
        axes.text(0.05, 0.45, "mean cosine", color=COLORS["q"],
                  transform=axes.transAxes)
        axes.text(0.4, 0.85, "trend (dashed)", transform=axes.transAxes)
        axes.set(xscale="log", xlabel=OFFSET,
                 ylabel="mean of cos $r\\theta_i$")
        return Picture(figure, "Mean cosine of the dials: from"
                       f" {values[0]:.2f} at offset {offsets[0]:.0f} to"
                       f" {values[-1]:.2f} at {offsets[-1]:.0f}, around a"
                       " trend that is straight over the log of the offset"
                       " and flattens at the end. The mean cosine is first"
                       f" negative at {offsets[first]:.0f},"
                       f" {_zero(offsets, np.asarray(trend))}.")


def _zero(offsets, trend):
    """Say where a falling trend reaches 0, if it does."""
    below = np.nonzero(trend <= 0)[0]
    if not below.size:
        return "the trend stays above 0"
    end = below[0]
    return (f"the trend reaches 0 between offsets {offsets[end - 1]:.0f} and"
            f" {offsets[end]:.0f}")


def fan(q, k, inv_freq, means=(0.0, 1.0), reach=2048, steps=32):
    """Mean and spread of the scores of many pairs, against the offset.

    Parameters
    ----------
    q, k : array_like, shape (samples, d)
        Independent draws with mean 0.
    inv_freq : array_like, shape (d/2,)
        Radians per token.
    means : sequence of float
        Added to every entry of `q` and `k`, one panel for each.
    reach, steps : int
        Largest offset, and number of equal steps up to it.

    Returns
    -------
    Picture

    Examples
    --------
    >>> fan([[1, 0]], [[1, 0]], [1.0], means=(0.0,), reach=2, steps=2).alt
    'Mean 0: average score 1.0 at 0 and -0.4 at 2, spread 0.0 to 0.0.'
    """
    offsets = np.linspace(0, reach, steps + 1)
    with canvas(len(means), 1, height=0.7 + 1.5 * len(means), sharex=True,
                sharey=True, squeeze=False) as (figure, rows):
        said = [_band(axes, offsets, mean + np.asarray(q),
                      mean + np.asarray(k), inv_freq, f"Mean {mean:g}")
                for axes, mean in zip(rows[:, 0], means)]
        rows[-1, 0].set_xlabel(OFFSET)
        return Picture(figure, " ".join(said))


def _band(axes, offsets, q, k, inv_freq, title):
    """Draw one panel of the fan and say what it shows."""
    scores = np.stack([score(q, k, 0, r, inv_freq) for r in offsets])
    middle, spread = scores.mean(axis=1), scores.std(axis=1)
    for away in (-1, 1):
        axes.plot(offsets, middle + away * spread, color=INK, lw=0.8,
                  dashes=DASHES[1])
    axes.fill_between(offsets, middle - spread, middle + spread, color=INK,
                      alpha=0.12, lw=0)
    axes.plot(offsets, middle, color=COLORS["q"])
    axes.axhline(0, color=INK, lw=0.5)
    axes.set(title=title, ylabel="score")
    return (f"{title}: average score {middle[0]:.1f} at {offsets[0]:.0f} and"
            f" {middle[-1]:.1f} at {offsets[-1]:.0f}, spread"
            f" {spread.min():.1f} to {spread.max():.1f}.")


def moved_peak(q, inv_freq, peak=500, reach=1100):
    """Scores of a query with itself and with itself turned back.

    Parameters
    ----------
    q : array_like, shape (d,)
        The query.
    inv_freq : array_like, shape (d/2,)
        Radians per token.
    peak : int
        Offset that the second key is made for.
    reach : int
        Offsets run from `peak` - `reach` to `reach`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> moved_peak([1.0, 2.0], [1.0], peak=3, reach=5).alt
    'Over offsets -2 to 5, q itself scores highest at 0, R_3^T q at 3.'
    """
    offsets = np.arange(peak - reach, reach + 1)
    keys = ((q, COLORS["q"], "$q$"),
            (unrotate(q, peak, inv_freq), COLORS["k"],
             f"$R_{{{peak}}}^\\top q$"))
    with canvas() as (figure, axes):
        tops = []
        for key, color, name in keys:
            curve = score(q, key, 0, offsets, inv_freq)
            top = int(curve.argmax())
            axes.plot(offsets, curve, color=color, lw=0.9)
            axes.annotate(f"key {name}", (offsets[top], curve[top]), (0, 3),
                          textcoords="offset points", ha="center",
                          color=color)
            tops.append(int(offsets[top]))
        axes.axhline(0, color=INK, lw=0.5)
        axes.margins(y=0.12)
        axes.set(xlabel=OFFSET, ylabel="score")
        return Picture(figure, f"Over offsets {offsets[0]} to {reach}, q"
                       f" itself scores highest at {tops[0]}, R_{peak}^T q"
                       f" at {tops[1]}.")
