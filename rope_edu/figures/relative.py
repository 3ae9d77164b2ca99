"""Figures of positions in the score: who looks where, and what is added."""

from __future__ import annotations

import numpy as np

from .dimensions import _bare, _signed
from .style import COLORS, DASHES, INK, Picture, canvas


def looks(words, place):
    """The query of one token and the keys that it meets.

    Parameters
    ----------
    words : sequence of str
        The text.
    place : int
        Position m of the token that asks.

    Returns
    -------
    Picture

    Examples
    --------
    >>> looks(["the", "cat", "sees"], 1).alt.split("offsets: ")[1]
    'the -1, cat 0, sees +1.'
    """
    offsets = np.arange(len(words)) - place
    with canvas(height=2.3) as (figure, axes):
        for n, (word, offset) in enumerate(zip(words, offsets)):
            axes.text(n, 0.2, f"{word}\n{n}", ha="center", va="center")
            _curve(axes, place, n)
            axes.text(n, 0.78, _signed(f"{offset:+d}" if offset else "0"),
                      ha="center", color=COLORS["k"])
        axes.text(place, 2.2, f"query at m = {place}", ha="center",
                  va="bottom", color=COLORS["q"])
        axes.text(len(words) - 0.45, 0.78, "n - m".replace("-", "\u2212"),
                  color=COLORS["k"])
        _bare(axes, xlim=(-0.6, len(words) + 0.3), ylim=(-0.15, 2.6))
        told = ", ".join(f"{word} {offset:+d}" if offset else f"{word} 0"
                         for word, offset in zip(words, offsets))
        return Picture(figure, f"The query of {words[place]!r} at {place}"
                       f" meets the keys of all tokens at the offsets:"
                       f" {told}.")


def _curve(axes, start, stop):
    axes.annotate("", (stop, 1.05), (start, 2.15), arrowprops={
        "arrowstyle": "-|>", "color": COLORS["q"], "lw": 1.3,
        "shrinkA": 0, "shrinkB": 0})


def buckets(distances, lines):
    """Number of the bucket for every distance, on a logarithmic axis.

    Parameters
    ----------
    distances : array_like, shape (n,)
        In tokens, from 1.
    lines : dict
        Name -> buckets, shape (n,).

    Returns
    -------
    Picture

    Examples
    --------
    >>> buckets([1, 2, 4, 8], {"one": [1, 2, 2, 2]}).alt
    'Bucket against distance. One: 2 buckets, the last from distance 2 on.'
    """
    distances, told = np.asarray(distances), []
    with canvas(height=2.9) as (figure, axes):
        for (name, line), dashes in zip(lines.items(), DASHES):
            line = np.asarray(line)
            axes.step(distances, line, where="post", color=INK, lw=1.2,
                      dashes=dashes)
            axes.annotate(name, (distances[-1], line[-1]), (0, 4),
                          textcoords="offset points", ha="right")
            last = distances[int(np.argmax(line == line[-1]))]
            told.append(f"{name.capitalize()}: {len(set(line.tolist()))}"
                        f" buckets, the last from distance {last} on")
        axes.set(xscale="log", xlabel="distance in tokens", ylabel="bucket",
                 xlim=(distances[0], distances[-1]))
        axes.margins(y=0.12)
        _plain(axes, distances[-1])
        return Picture(figure, f"Bucket against distance. {'; '.join(told)}.")


def _plain(axes, last):
    """Powers of two as they are spoken."""
    ticks = [2 ** j for j in range(20) if 2 ** j <= last]
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.set_xticks((), minor=True)


def biases(slopes, reach=40):
    """What each head of ALiBi adds to a score, against the offset.

    Parameters
    ----------
    slopes : sequence of float
        Per token, one for each head, falling.
    reach : int
        Largest distance.

    Returns
    -------
    Picture

    Examples
    --------
    >>> biases([0.5, 0.25], reach=10).alt.split("away: ")[1]
    'head 1 -5, head 2 -2.5.'
    """
    offsets = np.array([-reach, 0])
    with canvas(height=2.9) as (figure, axes):
        for h, slope in enumerate(slopes, start=1):
            axes.plot(offsets, slope * offsets, color=INK, lw=1.1)
            edge = max(-reach, -0.25 * reach / slope)
            if h <= 5:  # the flatter ones lie too close together
                axes.annotate(f"head {h}", (edge, slope * edge), (-5, 0),
                              textcoords="offset points", ha="right",
                              va="center")
        axes.set(xlim=(-1.2 * reach, 0), ylim=(-0.27 * reach, 0.02 * reach),
                 xlabel="offset n \u2212 m of the key in tokens",
                 ylabel="added to the score")
        told = ", ".join(f"head {h} {-slope * reach:g}"
                         for h, slope in enumerate(slopes, start=1))
        return Picture(figure, "Straight lines that fall with distance, one"
                       f" for each head; added {reach} tokens away: {told}.")
