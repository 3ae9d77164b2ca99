"""Figures of SmolLM2 with changed dials, from stored results."""

from __future__ import annotations

import itertools

import numpy as np

from .style import COLORS, DASHES, INK, Picture, canvas

LENGTH = 8192
# The model as it is, and others: each its own color or its own dashes.
LOOKS = {
    "plain": (COLORS["k"], DASHES[0], "o"),
    "PI": (INK, DASHES[2], "^"),
    "NTK": (INK, DASHES[1], "s"),
    "YaRN": (COLORS["q"], DASHES[3], "D"),
}
READINGS = {
    "right": (COLORS["q"], DASHES[0], "right layout"),
    "wrong": (COLORS["k"], DASHES[1], "wrong layout"),
    "none": (INK, DASHES[2], "no rotation"),
}
KINDS = {
    "bfloat16": (COLORS["k"], DASHES[0], "o"),
    "float32": (COLORS["q"], DASHES[1], "s"),
    "float64": (INK, DASHES[2], "^"),
    "bfloat16 rates": (COLORS["dial 1"], DASHES[3], "D"),
}
TICKS = (64, 4096, 8192, 12288, 16384)


def _look(name):
    return LOOKS[name.split()[0]]


def _label(name):
    return name.replace(" x", " ×")


def _listed(numbers, form=".2f"):
    return ", ".join(format(x, form) for x in numbers)


def _mark_length(axes):
    axes.axvline(LENGTH, color=INK, lw=0.6, dashes=(1, 2))
    axes.annotate("length in\nthe settings", (LENGTH, 1), (3, -2), va="top",
                  xycoords=("data", "axes fraction"), size=8.5,
                  textcoords="offset points")


def _gaps_and_shares(axes):
    _mark_length(axes)
    axes.set(xlabel="tokens back to the first mention", ylim=(-0.03, 1.12),
             xlim=(-400, 17200), ylabel="share of words that are right")
    axes.set_xticks(TICKS, [f"{t:,}" for t in TICKS])


def _reach(gaps, shares, least=0.1):
    """Say how a method begins, and how far it keeps a share."""
    kept = np.flatnonzero(np.array(shares) >= least)
    end = f"up to {gaps[kept[-1]]:,}" if kept.size else "nowhere"
    return f"{shares[0]:.2f} at {gaps[0]:,}, {least} {end}"


def copies(starts, methods):
    """Copying across a gap in the positions, by method.

    Parameters
    ----------
    starts : sequence of int
        Tokens from a word to its second mention.
    methods : dict of str to array_like, shape (starts, lists)
        Share of words that are right, for each list.

    Returns
    -------
    Picture

    Examples
    --------
    >>> copies([64, 8128], {"plain": [[0.8, 0.9], [0, 0]]}).alt.split(": ")[1]
    'plain 0.85 at 64, 0.1 up to 64.'
    """
    moves = np.linspace(-1, 1, len(methods)) * 110  # ranges side by side
    with canvas(height=3.5) as (figure, axes):
        for (name, rows), move in zip(methods.items(), moves):
            (color, dashes, mark), rows = _look(name), np.array(rows)
            at = np.array(starts) + move
            axes.plot(at, rows.mean(1), mark, ms=4, color=color, ls="-",
                      dashes=dashes, label=_label(name))
            axes.vlines(at, rows.min(1), rows.max(1), color=color, lw=0.6)
        _gaps_and_shares(axes)
        figure.legend(loc="outside upper center", ncols=4, handlelength=3.2,
                      columnspacing=1.2)
        told = "; ".join(
            f"{_label(name)} {_reach(starts, np.mean(rows, axis=1))}"
            for name, rows in methods.items())
        return Picture(figure, "Share of words copied right, by gap in tokens"
                       f" and as a mean over lists: {told}.")


def layouts(trap):
    """Loss by the length of the prompt, for three readings of the pairs.

    Parameters
    ----------
    trap : dict
        ``lengths``, and losses for ``right``, ``wrong`` and ``none``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> layouts({"lengths": [8, 16], "right": [6, 5], "wrong": [6.5, 6],
    ...          "none": [7, 6.5]}).alt.split(": ")[1]
    'right layout 6.0 to 5.0, wrong layout 6.5 to 6.0, no rotation 7.0 to 6.5.'
    """
    lengths = trap["lengths"]
    with canvas(height=3.0) as (figure, axes):
        for name, (color, dashes, label) in READINGS.items():
            axes.plot(lengths, trap[name], "o", ms=4, ls="-", color=color,
                      dashes=dashes, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(lengths, [str(n) for n in lengths])
        axes.minorticks_off()
        axes.set(xlabel="tokens of the prompt", ylabel="nats per token")
        axes.legend(handlelength=3.2)
        told = ", ".join(f"{label} {trap[name][0]:.1f} to {trap[name][-1]:.1f}"
                         for name, (_, _, label) in READINGS.items())
        return Picture(figure, f"Mean loss from {lengths[0]} to {lengths[-1]}"
                       f" tokens of prompt: {told}.")


def readings(losses, best):
    """Losses of one text that is read in several ways.

    Parameters
    ----------
    losses : dict of str to float
        Nats per token.
    best : str
        The reading that the model was trained with.

    Returns
    -------
    Picture

    Examples
    --------
    >>> readings({"as trained": 3.8, "moved": 3.8}, "as trained").alt
    'Loss of one text in nats per token: as trained 3.80, moved 3.80.'
    """
    names, values = list(losses), np.array(list(losses.values()))
    rows = -np.arange(len(names))
    with canvas(height=0.9 + 0.28 * len(names)) as (figure, axes):
        axes.axvline(losses[best], color=INK, lw=0.6, dashes=(1, 2))
        axes.hlines(rows, losses[best], values, color=COLORS["k"], lw=1)
        axes.plot(values, rows, "o", color=COLORS["k"], ms=5)
        for value, row in zip(values, rows):
            axes.annotate(f"{value:.2f}", (value, row), (7, 0), va="center",
                          textcoords="offset points")
        axes.set_yticks(rows, names)
        axes.set(xlabel="nats per token", xlim=(None, values.max() + 0.3))
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        told = ", ".join(f"{n} {v:.2f}" for n, v in losses.items())
        return Picture(figure, f"Loss of one text in nats per token: {told}.")


def rounding(offsets, losses):
    """Loss of one text that begins at several positions, by number format.

    Parameters
    ----------
    offsets : sequence of int
    losses : dict of str to sequence of float
        By what is rounded to which format.

    Returns
    -------
    Picture

    Examples
    --------
    >>> rounding([0, 256], {"float64": [3.8, 3.8]}).alt.split(": ")[1]
    'float64 3.80 to 3.80.'
    """
    places = np.arange(len(offsets))
    with canvas(height=3.2) as (figure, axes):
        for name, values in losses.items():
            color, dashes, mark = KINDS[name]
            axes.plot(places, values, mark, ms=4, ls="-", color=color,
                      dashes=dashes, label=name)
        names = [f"{x:,}" if x < 10**5 else f"$10^{len(str(x)) - 1}$"
                 for x in offsets]
        axes.set_xticks(places, names, size=8.5)
        axes.set(xlabel="position of the first token", ylabel="nats per token")
        axes.legend(handlelength=3.2, loc="center right")
        told = ", ".join(f"{n} {v[0]:.2f} to {v[-1]:.2f}"
                         for n, v in losses.items())
        return Picture(figure, f"Loss of one text at positions from"
                       f" {offsets[0]} to {offsets[-1]:,}: {told}.")


def stopped(counts, still, erased):
    """Loss with pairs that do not turn, and with pairs that are taken out.

    Parameters
    ----------
    counts : sequence of int
        How many pairs, from the fastest or from the slowest on.
    still, erased : dict of str to sequence of float
        Losses for ``fastest`` and ``slowest``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> one = {"fastest": [3.8, 4.1], "slowest": [3.8, 3.8]}
    >>> stopped([0, 1], one, one).alt.split(": ")[1]
    'fastest 4.10 stopped and 4.10 erased, slowest 3.80 and 3.80.'
    """
    ways = (("stopped", still, COLORS["q"], DASHES[0], "o"),
            ("erased", erased, COLORS["k"], DASHES[1], "s"))
    places = np.arange(len(counts))
    with canvas(1, 2, height=2.9, sharey=True) as (figure, panels):
        for axes, end in zip(panels, ("fastest", "slowest")):
            for name, values, color, dashes, mark in ways:
                axes.plot(places, values[end], mark, ms=4, ls="-", color=color,
                          dashes=dashes, label=name)
            axes.set_xticks(places, counts)
            axes.set(title=f"the {end} pairs", xlabel="how many")
        panels[0].set_ylabel("nats per token")
        panels[0].legend(handlelength=3.2)
        told = (f"fastest {still['fastest'][-1]:.2f} stopped and"
                f" {erased['fastest'][-1]:.2f} erased, slowest"
                f" {still['slowest'][-1]:.2f} and {erased['slowest'][-1]:.2f}")
        return Picture(figure,
                       f"Loss with {counts[-1]} pairs changed: {told}.")


def head(sizes, gaps, wavelengths, mark):
    """Amplitudes of a head's pairs, and what each adds to its preference.

    Parameters
    ----------
    sizes, gaps : array_like, shape (pairs,)
        In logits.
    wavelengths : array_like, shape (pairs,)
        In tokens.
    mark : float
        A wavelength to be marked, in tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> head([2, 9], [3, 0], [6.3, 5000], 1000).alt.split("; ")[1]
    'pairs above 1,000 tokens add 0.0 of 3.0 logits.'
    """
    sizes, gaps = np.array(sizes), np.array(gaps)
    slow = np.array(wavelengths) > mark
    edge = np.argmax(slow) - 0.5
    rows = ((sizes, COLORS["k"], "size of the amplitude"),
            (gaps, COLORS["q"], "part of the lead of the token before"))
    with canvas(2, 1, height=3.6, sharex=True) as (figure, panels):
        for axes, (values, color, title) in zip(panels, rows):
            axes.bar(np.arange(len(values)), values, color=color, width=0.7)
            axes.axvline(edge, color=INK, lw=0.6, dashes=(1, 2))
            axes.set(title=title, ylabel="logits")
        panels[0].annotate(f"wavelength above\n{mark:,} tokens", (edge, 1),
                           (4, -2), va="top", size=8.5,
                           xycoords=("data", "axes fraction"),
                           textcoords="offset points")
        panels[1].set_xlabel("number i of the pair")
        return Picture(figure, "The largest amplitude has"
                       f" {sizes.max():.1f} logits, on pair"
                       f" {sizes.argmax()}; pairs above {mark:,} tokens add"
                       f" {gaps[slow].sum():.1f} of {gaps.sum():.1f} logits.")


def between_tokens(plain, squeezed, factor, reach=12):
    """Mean score of a head at whole distances, and between them.

    Parameters
    ----------
    plain : array_like, shape (n,)
        At distance 0, 1, 2 and so on.
    squeezed : array_like, shape (n,)
        The same with all rates divided by `factor`.
    factor : int
    reach : int
        Last distance to show.

    Returns
    -------
    Picture

    Examples
    --------
    >>> between_tokens([0, 2, 1], [0, 1, 2, 1.5, 1], 2, 2).alt.split(": ")[1]
    'at most 0.00 logits apart; the curve is highest at distance 1.00.'
    """
    plain = np.array(plain)[:reach + 1]
    fine = np.array(squeezed)[:factor * reach + 1]
    at = np.arange(len(fine)) / factor
    apart = np.abs(fine[::factor] - plain[:len(fine[::factor])]).max()
    with canvas(height=2.9) as (figure, axes):
        axes.plot(at, fine, ".", ls="-", color=COLORS["q"], lw=1, ms=4,
                  label=f"rates divided by {factor}, distance / {factor}")
        axes.plot(plain, "o", color=COLORS["k"], ms=6, mfc="none", mew=1.6,
                  label="as trained")
        axes.set(xlabel="tokens from the query back to the key",
                 ylabel="mean score in logits")
        axes.legend()
        return Picture(figure, "Mean score of a head as trained, and with"
                       f" slower rates at a multiple of the distance: at most"
                       f" {apart:.2f} logits apart; the curve is highest at"
                       f" distance {at[fine.argmax()]:.2f}.")


def attention(methods):
    """Where a head looks, by method.

    Parameters
    ----------
    methods : dict of str to array_like, shape (n,)
        Mean attention at distance 0, 1, 2 and so on.

    Returns
    -------
    Picture

    Examples
    --------
    >>> attention({"plain": [0, 0.7, 0.1], "PI x2": [0, 0.1, 0.4]}).alt
    'Distance that gets the most attention: plain 1 (0.70), PI ×2 2 (0.40).'
    """
    with canvas(height=2.9) as (figure, axes):
        for (name, values), dashes in zip(
                methods.items(), itertools.cycle(DASHES)):
            color, _, mark = _look(name)
            axes.plot(values, mark, ls="-", ms=4, dashes=dashes, color=color,
                      label=_label(name))
        axes.set(xlabel="tokens from the query back to the key",
                 ylabel="mean attention")
        axes.legend(handlelength=3.2)
        told = ", ".join(f"{_label(name)} {np.argmax(v)} ({np.max(v):.2f})"
                         for name, v in methods.items())
        return Picture(figure,
                       f"Distance that gets the most attention: {told}.")


def long_text(losses, chunk):
    """Loss along a long text, by method, and the difference to the last one.

    Parameters
    ----------
    losses : dict of str to array_like, shape (n,)
        Mean over each `chunk` tokens.
    chunk : int

    Returns
    -------
    Picture

    Examples
    --------
    >>> long_text({"plain": [3, 6], "YaRN x2": [3, 2]}, 8192).alt[-23:]
    'plain 6.0, YaRN ×2 2.0.'
    """
    rows = {name: np.array(values) for name, values in losses.items()}
    *_, last = rows
    at = chunk * (np.arange(len(rows[last])) + 0.5)
    with canvas(2, 1, height=4.4, sharex=True) as (figure, panels):
        for name, values in rows.items():
            color, dashes, _ = _look(name)
            for axes, y in zip(panels, (values, values - rows[last])):
                axes.plot(at, y, color=color, dashes=dashes,
                          label=_label(name))
        _mark_length(panels[0])
        panels[1].axvline(LENGTH, color=INK, lw=0.6, dashes=(1, 2))
        panels[0].set_ylabel("nats per token")
        panels[1].set(ylabel=f"minus {_label(last)}", xlim=(0, 17200),
                      xlabel="place in the text")
        panels[1].set_xticks([0, *TICKS[1:]],
                             ["0", *(f"{t:,}" for t in TICKS[1:])])
        panels[0].legend(handlelength=3.2, loc="upper left")
        told = ", ".join(f"{_label(n)} {v[-1]:.1f}" for n, v in rows.items())
        return Picture(figure, "Loss along a text, in nats per token; in the"
                       f" last {chunk} tokens: {told}.")


def across_text(starts, methods, gaps, bare):
    """Copying across real text, and across positions that are left out.

    Parameters
    ----------
    starts : sequence of int
        Tokens from a word to its second mention, with text between.
    methods : dict of str to array_like, shape (starts,)
        Share of words that are right.
    gaps : sequence of int
        The same with nothing between.
    bare : array_like, shape (gaps,)
        Of the model as it is.

    Returns
    -------
    Picture

    Examples
    --------
    >>> across_text([1024], {"plain": [0.8]}, [64], [0.9]).alt.split(": ")[1]
    'plain 0.80 at 1,024, 0.1 up to 1,024; with nothing between 0.90 at 64,
    0.1 up to 64.'
    """
    with canvas(height=3.3) as (figure, axes):
        for name, values in methods.items():
            color, dashes, mark = _look(name)
            axes.plot(starts, values, mark, ls="-", ms=4, color=color,
                      dashes=dashes, label=_label(name))
        axes.plot(gaps, bare, "o", ms=7, mfc="none", color=COLORS["k"],
                  label="plain, nothing between")
        _gaps_and_shares(axes)
        figure.legend(loc="outside upper center", ncols=2, handlelength=3.2)
        told = "; ".join(f"{_label(name)} {_reach(starts, v)}"
                         for name, v in methods.items())
        return Picture(figure, "Share of words copied right across text, by"
                       f" gap in tokens: {told}; with nothing between"
                       f" {_reach(gaps, bare)}.")
