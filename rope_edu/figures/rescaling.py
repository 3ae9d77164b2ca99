"""Figures of rates for longer texts, one method beside another."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Wedge

from ..frequencies import angles, inverse_frequencies, wavelengths
from ..measures import first_negative, mean_cosine, neighbor_step
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

DIAL = "number i of the dial"


def faces(methods, length, base=10000.0):
    """Four dials under several methods: trained arc, neighbors, last token.

    Parameters
    ----------
    methods : dict of str to Scaling
        One row for each. All of them stretch `length` by the same factor,
        which the first one need not have.
    length : int
        Trained length in tokens.
    base : float

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.scaling import Default, Linear
    >>> faces({"none": Default(), "PI": Linear(8)}, 256).alt.split("arc: ")[1]
    'none 8.0, PI 1.0.'
    """
    factor = max(getattr(method, "factor", 1) for method in methods.values())
    long = round(factor * length)
    plain = inverse_frequencies(8, base)
    with canvas(len(methods), 5, height=0.3 + 0.82 * len(methods),
                squeeze=False) as (figure, rows):
        for row, (name, method) in zip(rows, methods.items()):
            row[0].set_axis_off()
            row[0].text(0, 0.5, name, va="center")
            rates = method.table(8, base, long).inv_freq
            for i, axes in enumerate(row[1:]):
                _face(axes, plain[i] * length, rates[i], long - 1, DIALS[i])
        for i, axes in enumerate(rows[0, 1:]):
            axes.set_title(f"dial {i}", loc="center", color=DIALS[i])
        return Picture(figure, _faces_alt(methods, length, long, base))


def _face(axes, trained, rate, last, color):
    """Gray is what was trained; dots are four neighbors; a hand the end."""
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    axes.set_axis_off()
    seen = np.degrees(min(trained, 2 * np.pi))
    axes.add_patch(Wedge((0, 0), 1, 0, seen, color=INK, alpha=0.18, lw=0))
    around = np.linspace(0, 2 * np.pi, 100)
    axes.plot(np.cos(around), np.sin(around), color=INK, lw=0.6)
    if trained >= 2 * np.pi:
        dots = np.arange(4) * rate
        axes.plot(np.cos(dots), np.sin(dots), "o", color=color, ms=3.5)
    else:
        end = last * rate
        axes.plot([0, np.cos(end)], [0, np.sin(end)], color=color, lw=2)
        axes.plot(np.cos(end), np.sin(end), "o", color=color, ms=4)


def _faces_alt(methods, length, long, base):
    plain = inverse_frequencies(8, base)[2]
    told = [f"{name} {rate * long / (plain * length):.1f}"
            for name, rate in ((name, m.table(8, base, long).inv_freq[2])
                               for name, m in methods.items())]
    return (f"Four dials under {len(methods)} methods. How far dial 2 turns"
            f" within {long:,} tokens, as a multiple of its trained arc:"
            f" {', '.join(told)}.")


def divisors(curves, title=""):
    """By how much each dial is slowed down.

    Parameters
    ----------
    curves : dict of str to array_like, shape (pairs,)
        Old rate by new rate, for each method.
    title : str
        The setting.

    Returns
    -------
    Picture

    Examples
    --------
    >>> divisors({"PI": [8, 8, 8], "NTK": [1, 2.8, 8]}).alt.split(": ")[1]
    'PI 8.0, 8.0, 8.0; NTK 1.0, 2.8, 8.0.'
    """
    with canvas(height=3.1) as (figure, axes):
        for (name, values), dashes in zip(curves.items(), DASHES):
            axes.plot(values, color=INK, dashes=dashes, label=name)
        _log2(axes, max(map(np.max, curves.values())))
        axes.set(xlabel=DIAL, ylabel="slower by", title=title)
        figure.legend(loc="outside upper center", ncols=2, handlelength=3.2)
        told = [f"{name} {v[0]:.1f}, {v[len(v) // 2]:.1f}, {v[-1]:.1f}"
                for name, v in curves.items()]
        return Picture(figure, "Slowdown of the first, the middle and the"
                       f" last dial: {'; '.join(told)}.")


def _log2(axes, most):
    """A vertical axis of doublings, with plain numbers."""
    ticks = 2 ** np.arange(int(np.ceil(np.log2(most))) + 1)
    axes.set_yscale("log", base=2)
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()


def ramps(shares, mark, title=""):
    """Share of its rate that each dial keeps, and one dial marked.

    Parameters
    ----------
    shares : dict of str to array_like, shape (pairs,)
        Between 0 and 1, for each way to reckon it: two of them.
    mark : int
        Number of the dial.
    title : str

    Returns
    -------
    Picture

    Examples
    --------
    >>> ramps({"paper": [1, 0.2, 0], "code": [1, 0.5, 0]}, 1).alt
    'Share kept by dial 1: paper 0.200, code 0.500.'
    """
    with canvas() as (figure, axes):
        looks = ((INK, DASHES[0], (-8, -14), "right"),
                 (COLORS["k"], DASHES[1], (6, 3), "left"))
        for (name, values), (color, dashes, place, side) in zip(
                shares.items(), looks):
            axes.plot(values, color=color, dashes=dashes)
            axes.plot(mark, values[mark], "o", color=color, ms=5)
            axes.annotate(f"{name}: {values[mark]:.2f}",
                          (mark, values[mark]), place, color=color,
                          ha=side, textcoords="offset points")
        axes.set(xlabel=DIAL, ylabel="share of the rate kept", title=title)
        told = ", ".join(f"{n} {v[mark]:.3f}" for n, v in shares.items())
        return Picture(figure, f"Share kept by dial {mark}: {told}.")


def between(x, gap, printed, right):
    """How far a score strays from the straight line between two offsets.

    Parameters
    ----------
    x : array_like, shape (n,)
        Offsets in tokens, from one whole number to the next.
    gap, printed, right : array_like, shape (n,)
        What was found; the bound of the paper; the bound that holds.

    Returns
    -------
    Picture

    Examples
    --------
    >>> between([0, 0.5, 1], [0, 3, 0], [0, 2, 0], [0, 4, 0]).alt
    'Halfway between two offsets: found 3.000, printed 2.000, right 4.000.'
    """
    curves = ((printed, "printed bound", COLORS["k"], DASHES[1]),
              (gap, "found", COLORS["q"], DASHES[0]),
              (right, "right bound", INK, DASHES[2]))
    with canvas() as (figure, axes):
        for values, name, color, dashes in curves:
            axes.plot(x, values, color=color, dashes=dashes, label=name)
        axes.legend(loc="lower center", handlelength=3.2)
        axes.set(xlabel="offset $x$ in tokens", ylim=(0, None),
                 ylabel="distance from the line")
        middle = [max(v) for v in (gap, printed, right)]
        return Picture(figure, "Halfway between two offsets: found"
                       f" {middle[0]:.3f}, printed {middle[1]:.3f}, right"
                       f" {middle[2]:.3f}.")


def reach(curves, unfinished, title=""):
    """Angle at the end of the long text by that of the trained one.

    Parameters
    ----------
    curves : dict of str to array_like, shape (pairs,)
        The quotient for each dial, for each method.
    unfinished : int
        Number of the first dial that makes no full turn in training.
    title : str

    Returns
    -------
    Picture

    Examples
    --------
    >>> reach({"PI": [1, 1], "NTK-aware": [2, 1.5]}, 1).alt
    'Reach of dial 1, the first unfinished one: PI 1.00, NTK-aware 1.50.'
    """
    with canvas(height=3.1) as (figure, axes):
        for (name, values), dashes in zip(curves.items(), DASHES):
            axes.plot(values, color=INK, dashes=dashes, label=name)
        _log2(axes, max(map(np.max, curves.values())))
        last = len(values) - 1
        axes.axvspan(unfinished - 0.5, last, color=INK, alpha=0.12, lw=0)
        axes.text(0.98, 0.75, "no full\nturn yet", ha="right",
                  transform=axes.transAxes)
        axes.set(xlabel=DIAL, ylabel="end / trained end", title=title,
                 xlim=(0, last))
        axes.legend(loc="lower left", bbox_to_anchor=(0, 0.05),
                    handlelength=3.2)
        told = ", ".join(f"{n} {v[unfinished]:.2f}" for n, v in curves.items())
        return Picture(figure, f"Reach of dial {unfinished}, the first"
                       f" unfinished one: {told}.")


def stale_keys(method, rotary_dim, length, base=10000.0):
    """Score of the last query with equal keys, rotated now or when they came.

    Parameters
    ----------
    method : Scaling
        One whose rates depend on the length.
    rotary_dim : int
    length : int
        Tokens of the text, a multiple of 64.
    base : float

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.scaling import DynamicNTK
    >>> stale_keys(DynamicNTK(8, 64), 8, 128).alt.split("rotated: ")[1]
    'now 0.48 to 0.51, when they came 0.50 to 0.73.'
    """
    now = method.table(rotary_dim, base, length).inv_freq
    query = angles(length - 1, now)
    came = np.array([method.table(rotary_dim, base, n + 1).inv_freq * n
                     for n in range(length)])
    fresh = mean_cosine(length - 1 - np.arange(length), now)
    curves = {"now": fresh, "when they came": np.cos(query - came).mean(-1)}
    told = []
    with canvas() as (figure, axes):
        for (name, values), color, dashes in zip(
                curves.items(), (COLORS["q"], COLORS["k"]), DASHES):
            mean = values.reshape(-1, 64).mean(axis=1)
            places = 64 * np.arange(len(mean)) + 32
            axes.plot(places, mean, color=color, dashes=dashes, label=name)
            told.append(f"{name} {mean.min():.2f} to {mean.max():.2f}")
        axes.legend(title="keys rotated", handlelength=3.2)
        axes.set(xlabel="position of the key", ylabel="mean score")
        return Picture(figure, f"Scores of the last of {length:,} tokens with"
                       " equal keys, as means over 64 places. Keys rotated:"
                       f" {', '.join(told)}.")


def base_bound(bases, length, marks=(), rotary_dim=128):
    """First offset at which equal vectors score below 0, for many bases.

    Parameters
    ----------
    bases : array_like, shape (n,)
        Rising.
    length : int
        Offsets up to ``length - 1`` are tried; a base without a negative
        one is drawn at the top.
    marks : sequence of float
        Bases to be named, besides.
    rotary_dim : int

    Returns
    -------
    Picture

    Examples
    --------
    >>> base_bound([1e4, 1e6], 4096).alt.split(": ")[1]
    '1 pass, 1 fail; the first that passes is 1,000,000, the last that fails
    10,000.'
    """
    firsts = np.array([_first(rotary_dim, base, length) for base in bases])
    passed = firsts >= length
    with canvas() as (figure, axes):
        for kind, color, mark in ((passed, COLORS["q"], "|"),
                                  (~passed, COLORS["k"], ".")):
            axes.plot(np.asarray(bases)[kind], firsts[kind], mark,
                      color=color, ms=5)
        for base in marks:
            _mark(axes, base, _first(rotary_dim, base, length))
        axes.set(xlabel="base b", ylabel="first offset below 0",
                 ylim=(0, 1.2 * length))
        axes.axhline(length, color=INK, lw=0.5)
        axes.xaxis.set_major_formatter(lambda b, _: f"{b:,.0f}")
        return Picture(figure, _bound_alt(np.asarray(bases), passed, length))


def _first(rotary_dim, base, length):
    """The first negative offset, or the length where there is none."""
    rates = inverse_frequencies(rotary_dim, base)
    found = first_negative(rates, length)
    return length if found is None else found


def _mark(axes, base, first):
    axes.plot(base, first, "o", color=INK, ms=4)
    axes.annotate(f"{base:,.0f}: {first:,}", (base, first), (0, 7),
                  textcoords="offset points", ha="center")


def _bound_alt(bases, passed, length):
    told = (f"{passed.sum()} pass, {(~passed).sum()} fail")
    if passed.any() and not passed.all():
        told += (f"; the first that passes is {bases[passed][0]:,.0f}, the"
                 f" last that fails {bases[~passed][-1]:,.0f}")
    return (f"Of {len(bases)} bases, tried on {length:,} offsets: {told}.")


def side_by_side(settings, plain):
    """Fastest dial, slowest dial and neighbor step of several methods.

    Parameters
    ----------
    settings : dict of str to array_like, shape (pairs,)
        Rates of each method.
    plain : array_like, shape (pairs,)
        Rates before.

    Returns
    -------
    Picture

    Examples
    --------
    >>> side_by_side({"PI": [0.5, 0.05]}, [1.0, 0.1]).alt.split("step: ")[1]
    'PI 2.0, 2.0, 0.352.'
    """
    plain = np.asarray(plain)
    columns = {"fastest\nslower by": "{:.0f}", "slowest\nslower by": "{:.0f}",
               "step between\nneighbors": "{:.3f}"}
    values = np.array([_three(plain, np.asarray(rates))
                       for rates in settings.values()])
    with canvas(1, 3, height=0.7 + 0.27 * len(settings), sharey=True) as (
            figure, panels):
        for axes, (title, form), column in zip(
                panels, columns.items(), values.T):
            _bars(axes, column, form)
            axes.set_title(title)
        panels[0].set_yticks(range(len(settings)), settings)
        panels[0].invert_yaxis()
        told = [f"{name} {a:.1f}, {b:.1f}, {c:.3f}"
                for name, (a, b, c) in zip(settings, values)]
        return Picture(figure, "Slowdown of the fastest and of the slowest"
                       f" dial, and neighbor step: {'; '.join(told)}.")


def _three(plain, rates):
    return plain[0] / rates[0], plain[-1] / rates[-1], neighbor_step(rates)


def _bars(axes, values, form):
    axes.barh(range(len(values)), values, color=INK, alpha=0.35, height=0.6)
    for row, value in enumerate(values):
        axes.annotate(form.format(value), (value, row), (3, 0), va="center",
                      textcoords="offset points")
    axes.set(xlim=(0, 1.6 * max(values)), xticks=[])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(left=False)


def turns(rates, length):
    """Turns of each dial within a length.

    Parameters
    ----------
    rates : array_like, shape (pairs,)
        Radians per token.
    length : int
        Tokens.

    Returns
    -------
    numpy.ndarray, shape (pairs,)

    Examples
    --------
    >>> turns([1.0, 0.1], 628).round(1).tolist()
    [99.9, 10.0]
    """
    return length / wavelengths(rates)


def on_toys(nats, right):
    """What slowed dials do to two toys that were trained on short rows.

    Parameters
    ----------
    nats, right : dict of (str, int) to Spread
        Loss of the text and right answers of the needle, by method and first
        place, as ``load("rescaling").table("loss", "method", "first")`` and
        the same of "needle_rescaling" and "accuracy" give them.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.experiments.runs import Spread
    >>> table = {("PI", at): Spread(x, 0.1, x - 0.1, x + 0.1, 3)
    ...          for at, x in ((0, 0.5), (256, 0.9))}
    >>> on_toys(table, table).alt.split("needle: ")[1]
    'PI 0.50, 0.90, 0.90.'
    """
    names = list(dict.fromkeys(name for name, _ in nats))
    first, last = (end(at for _, at in nats) for end in (min, max))
    panels = (("text, near", nats, first), ("text, far", nats, last),
              ("needle, far", right, last))
    told = {name: [] for name in names}
    with canvas(1, 3, height=0.9 + 0.24 * len(names), sharey=True) as (
            figure, axes):
        for ax, (title, table, at) in zip(axes, panels):
            rows = {name: table[name, at] for name in names
                    if (name, at) in table}
            _spreads(ax, [names.index(name) for name in rows], rows.values())
            ax.set(title=title, xlabel="nats" if table is nats else "right")
            for name, row in rows.items():
                told[name].append(f"{row.mean:.2f}")
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        axes[0].set_xlim(axes[1].get_xlim())
        each = "; ".join(f"{n} {', '.join(t)}" for n, t in told.items())
        return Picture(figure, "Means of the seeds: loss of the text near and"
                       f" far, right answers of the needle: {each}.")


def _spreads(axes, places, rows):
    """A dot for each mean, a bar from the lowest seed to the highest."""
    rows = list(rows)
    axes.hlines(places, [row.low for row in rows], [row.high for row in rows],
                color=INK, lw=1)
    axes.plot([row.mean for row in rows], places, "o", color=INK, ms=4)
    axes.grid(axis="x")
