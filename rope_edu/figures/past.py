"""Figures of texts that are longer than those of the training."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.patches import Arc, Wedge

from ..arcs import angle_from_seen, seen_share
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

TIMES = (1, 2, 4, 8)


def arcs(inv_freq, length, reach):
    """Dials with the angles that training shows and those that are new.

    Parameters
    ----------
    inv_freq : array_like, shape (4,)
        Radians per token.
    length, reach : int
        Tokens of the training texts and of the longer text.

    Returns
    -------
    Picture

    Examples
    --------
    >>> arcs([1, 0.1, 0.01, 0.001], 300, 600).alt.split(": ")[1]
    'dial 0 360 and 0, dial 1 360 and 0, dial 2 171 and 172, dial 3 17 and 17.'
    """
    seen, whole = (360 * seen_share(inv_freq, n) for n in (length, reach))
    with canvas(1, 4, height=1.75) as (figure, panels):
        for i, axes in enumerate(panels):
            _face(axes, seen[i], whole[i], DIALS[i])
            axes.set_title(f"dial {i}", loc="center", color=DIALS[i])
            axes.set_xlabel(f"seen {seen[i]:.0f}°\n"
                            f"new {whole[i] - seen[i]:.0f}°")
        told = ", ".join(f"dial {i} {a:.0f} and {b - a:.0f}"
                         for i, (a, b) in enumerate(zip(seen, whole)))
        return Picture(figure, f"Degrees seen in {length} tokens, and degrees"
                       f" that {reach} tokens add: {told}.")


def _face(axes, seen, whole, color):
    """Gray is what training shows; the band is what the long text adds."""
    axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", xticks=(),
             yticks=())
    axes.spines[:].set_visible(False)
    axes.add_patch(Wedge((0, 0), 1, 0, seen, color=INK, alpha=0.18, lw=0))
    axes.add_patch(Arc((0, 0), 2, 2, color=INK, lw=0.6))
    if whole > seen:
        axes.add_patch(Wedge((0, 0), 1.12, seen, whole, width=0.24,
                             color=color, lw=0))


def new_angles(inv_freq, length, reach):
    """How far from anything seen each dial gets in a longer text.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    length, reach : int
        Tokens of the training texts and of the longer text.

    Returns
    -------
    Picture

    Examples
    --------
    >>> new_angles([1, 0.1, 0.01, 0.001], 300, 600).alt.split("are ")[1]
    'within 1.01 degrees, the unfinished ones up to 94 degrees away.'
    """
    far = np.degrees(angle_from_seen(
        inv_freq, length, np.arange(length, reach)).max(axis=0))
    done = seen_share(inv_freq, length) == 1
    with canvas(height=3.0) as (figure, axes):
        for kind, mark, color, name, place in (
                (done, ".", COLORS["q"], "complete a turn", (0.3, 0.62)),
                (~done, "o", COLORS["k"], "do not", (0.62, 0.88))):
            axes.plot(np.flatnonzero(kind), far[kind], mark, color=color,
                      ms=5)
            axes.text(*place, name, color=color, ha="right",
                      transform=axes.transAxes)
        axes.set(yscale="log", xlabel="number i of the dial", ylim=(5e-3, 300),
                 ylabel="degrees from the nearest\nangle seen in training")
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}°")
        return Picture(figure, f"Angles at offsets {length} to {reach - 1},"
                       " the farthest on each dial from those of smaller"
                       " offsets. Dials that complete a turn are within"
                       f" {far[done].max():.2f} degrees, the unfinished ones"
                       f" up to {far[~done].max():.0f} degrees away.")


def two_heads(first, second, length):
    """Logits of two heads that agree on the offsets seen in training.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Logit at the offsets 0 to ``n - 1``.
    length : int
        Trained length in tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> two_heads([3, 2, 1, 0], [3, 2, 2, 2], 2).alt.split("by ")[1:]
    ['at most 0.000 on the offsets of the training, and ', '2.0 at offset 3.']
    """
    curves = np.array([first, second], dtype=np.float64)
    offsets, apart = np.arange(curves.shape[1]), np.ptp(curves, axis=0)
    with canvas(height=2.8) as (figure, axes):
        axes.axvspan(0, length, color=INK, alpha=0.12, lw=0)
        looks = zip(curves, (COLORS["q"], COLORS["k"]), (0, 1), "AB")
        for values, color, dash, name in looks:
            axes.plot(offsets, values, color=color, dashes=DASHES[dash])
            axes.annotate(name, (offsets[-1], values[-1]), (4, 0), va="center",
                          color=color, textcoords="offset points")
        axes.text(0.25, 0.06, "seen in training", ha="center",
                  transform=axes.transAxes)
        axes.set(xlabel="tokens from the query back to the key",
                 ylabel="logit", xlim=(0, offsets[-1]))
        return Picture(figure, "Logits of two heads differ by at most"
                       f" {apart[:length].max():.3f} on the offsets of the"
                       f" training, and by {apart[-1]:.1f} at offset"
                       f" {offsets[-1]}.")


def entropies(tokens, curves, length):
    """Entropy of the attention of one query, against the text's length.

    Parameters
    ----------
    tokens : array_like, shape (n,)
        Lengths of the text.
    curves : dict of str to array_like, shape (n,)
        Nats, for each kind of head.
    length : int
        Trained length in tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> entropies([64, 128], {"even": [4.16, 4.85]}, 64).alt.split(": ")[1]
    'even 4.2 to 4.8.'
    """
    times = np.asarray(tokens) / length
    with canvas(height=2.8) as (figure, axes):
        for (name, values), dashes in zip(
                curves.items(), itertools.cycle(DASHES)):
            axes.plot(times, values, color=INK, dashes=dashes)
            # A rising curve leaves room above its end, a flat one anywhere.
            at, side = (-1, "right") if values[-1] - values[0] > 1 else (
                0, "left")
            axes.annotate(name, (times[at], values[at]), (0, 6), ha=side,
                          textcoords="offset points")
        _doublings(axes)
        axes.set(ylabel="entropy in nats", ylim=(0, None))
        told = ", ".join(f"{name} {v[0]:.1f} to {v[-1]:.1f}"
                         for name, v in curves.items())
        return Picture(figure, f"Entropy in nats, from {times[0]:g} to"
                       f" {times[-1]:g} times the trained length: {told}.")


def _doublings(axes, label="length of the text / trained length"):
    axes.set_xscale("log", base=2)
    axes.set_xticks(TIMES, [f"{t}×" for t in TIMES])
    axes.minorticks_off()
    axes.set_xlabel(label)


def published(models):
    """Perplexities that were published, past the trained length.

    Parameters
    ----------
    models : dict of str to array_like, shape (n,)
        Perplexity at 1, 2, 4 .. times the trained length.

    Returns
    -------
    Picture

    Examples
    --------
    >>> published({"A": [4.0, 40.0], "B": [7.0, 1000.0]}).alt.split(": ")[1]
    'A 4.0, 40.0; B 7.0, 1000.0.'
    """
    marks = itertools.cycle("os^")
    with canvas(height=2.9) as (figure, axes):
        for (name, values), mark, dashes in zip(
                models.items(), marks, DASHES):
            axes.plot(TIMES[:len(values)], values, mark, color=INK, ls="-",
                      dashes=dashes, ms=5, label=name)
        axes.set(yscale="log", ylabel="perplexity", ylim=(2, 2e4))
        _doublings(axes)
        axes.legend(loc="lower right", handlelength=3.6)
        told = "; ".join(f"{name} {', '.join(f'{v:.1f}' for v in values)}"
                         for name, values in models.items())
        return Picture(figure, "Perplexity, on a logarithmic axis, at 1, 2, 4"
                       f" and 8 times the trained length: {told}.")


def losses(table, names):
    """Loss of the toys by place in a long text: mean and range of the seeds.

    Parameters
    ----------
    table : dict of (str, int) to Spread
        As ``load("extrapolation").table("loss", "encoding", "first")`` gives
        it.
    names : dict of str to str
        What the figure calls the encodings that it shows.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.experiments.runs import Spread
    >>> table = {("rope", first): Spread(mean, 0.1, mean - 0.1, mean + 0.1, 3)
    ...          for first, mean in ((0, 1.9), (64, 2.0))}
    >>> losses(table, {"rope": "RoPE"}).alt.split("last: ")[1]
    'RoPE 1.90, 2.00.'
    """
    firsts = sorted({first for _, first in table})
    places, told, ends = np.arange(len(firsts)), [], {}
    with canvas(height=3.2) as (figure, axes):
        for (label, name), dashes in zip(
                names.items(), itertools.cycle(DASHES)):
            rows = [table[label, first] for first in firsts]
            mean = [row.mean for row in rows]
            axes.plot(places, mean, "o", ls="-", ms=4, dashes=dashes,
                      color=_color(label))
            axes.vlines(places, *zip(*((r.low, r.high) for r in rows)),
                        color=_color(label), lw=1)
            ends[label] = mean[-1]
            told.append(f"{name} {mean[0]:.2f}, {mean[-1]:.2f}")
        _name_ends(axes, places[-1], ends, names)
        axes.set_xticks(places, _stretches(firsts))
        axes.set(xlabel="places in the text", xlim=(-0.2, places[-1] + 0.9),
                 ylabel="nats per character")
        return Picture(figure, "Loss by place in the text, mean of the seeds,"
                       " in the first stretch and the last:"
                       f" {'; '.join(told)}.")


def _color(label):
    return COLORS["k"] if label == "rope" else INK


def _stretches(firsts):
    ends = [*firsts[1:], 2 * firsts[-1]]
    return [f"{a}–{b - 1}" for a, b in zip(firsts, ends)]


def _name_ends(axes, x, ends, names):
    """Write the names of the curves to the right, none on another."""
    low, high = axes.get_ylim()
    space, floor = 0.075 * (high - low), -np.inf
    for label, y in sorted(ends.items(), key=lambda item: item[1]):
        floor = max(y, floor + space)
        axes.annotate(names[label], (x, floor), (8, 0), va="center",
                      color=_color(label), textcoords="offset points")
