"""Figures of attention without positions: rows, weights, layers, masks."""

from __future__ import annotations

import numpy as np

from .dimensions import _bare, _signed
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

# Text in ink is still read on a tile of this much ink.
DARKEST = 0.45


def swap(first, second):
    """Two orders of the same words, a line from each to itself.

    Parameters
    ----------
    first, second : sequence of str
        Each word of one stands in the other as often.

    Returns
    -------
    Picture

    Examples
    --------
    >>> swap(["man", "bites", "dog"], ["dog", "bites", "man"]).alt[-33:]
    'words; 2 of them stand elsewhere.'
    """
    lines = _matches(first, second)
    with canvas(height=1.7) as (figure, axes):
        for place, other in lines:
            moved = place != other
            axes.plot([place, other], [0.83, 0.17], lw=2 if moved else 1,
                      color=COLORS["q"] if moved else INK,
                      dashes=() if moved else DASHES[2])
        for words, height in ((first, 1), (second, 0)):
            for place, word in enumerate(words):
                axes.text(place, height, word, ha="center", va="center",
                          fontsize=11)
        _bare(axes, xlim=(-0.5, len(first) - 0.5), ylim=(-0.2, 1.2))
        moved = sum(place != other for place, other in lines)
        return Picture(figure, f"{' '.join(first)!r} and"
                       f" {' '.join(second)!r}: two orders of the same"
                       f" {len(first)} words; {moved} of them stand"
                       " elsewhere.")


def _matches(first, second):
    """Pairs of places with the same word, each place once."""
    left, pairs = list(range(len(second))), []
    for place, word in enumerate(first):
        # Where it already stands, if it may.
        found = min((j for j in left if second[j] == word),
                    key=lambda j: abs(j - place))
        left.remove(found)
        pairs.append((place, found))
    return pairs


def strips(words, rows):
    """The numbers of each token, as a column of tiles below its word.

    Parameters
    ----------
    words : sequence of str
    rows : array_like, shape (words, numbers)

    Returns
    -------
    Picture

    Examples
    --------
    >>> strips(["a", "b", "a"], [[1, 2], [3, 4], [1, 2]]).alt
    "Columns of 2 numbers for 3 tokens; equal are those of 'a' at 0 and 2."
    """
    rows = np.asarray(rows, dtype=float)
    with canvas(height=2.9) as (figure, axes):
        for place, (word, row) in enumerate(zip(words, rows)):
            axes.text(place, -0.9, word, ha="center", va="center")
            for j, value in enumerate(row):
                _tile(axes, place, j, value, rows, width=0.9)
        _bare(axes, xlim=(-0.6, len(rows) - 0.4),
              ylim=(rows.shape[1] - 0.4, -1.4))
        return Picture(figure, f"Columns of {rows.shape[1]} numbers for"
                       f" {len(rows)} tokens; equal are"
                       f" {_equal(words, rows)}.")


def _equal(words, rows):
    pairs = [f"those of {words[i]!r} at {i} and {j}"
             for i in range(len(rows)) for j in range(i + 1, len(rows))
             if np.array_equal(rows[i], rows[j])]
    return " and ".join(pairs) or "no two"


def _tile(axes, x, y, value, scale, width=1.0, form=".1f"):
    """A number on as much ink as it is large, of those in `scale`."""
    low, high = np.min(scale), np.max(scale)
    ink = DARKEST * (value - low) / (high - low or 1)
    axes.bar(x, width, bottom=y - width / 2, width=width, lw=0,
             color=(INK, round(float(ink), 2)))
    axes.text(x, y, _signed(f"{value:{form}}"), ha="center", va="center",
              fontsize=8.5)


def attends(words, place, scores, weights):
    """The scores that one query meets, and what the softmax makes of them.

    Parameters
    ----------
    words : sequence of str
    place : int
        Of the token that asks.
    scores, weights : array_like, shape (words,)

    Returns
    -------
    Picture

    Examples
    --------
    >>> attends(["a", "b"], 0, [0, 0], [0.5, 0.5]).alt
    "The query of 'a' gives the weights: a 50 %, b 50 %."
    """
    with canvas(height=2.9) as (figure, axes):
        bars = axes.bar(range(len(words)), weights, width=0.6,
                        color=COLORS["k"] + "55", edgecolor=COLORS["k"])
        axes.bar_label(bars, [f"{w:.2f}" for w in weights], padding=2)
        axes.set_xticks(range(len(words)), [
            _signed(f"{word}\n{z:.2f}") for word, z in zip(words, scores)])
        axes.tick_params(axis="x", length=0)
        axes.set(ylabel="weight", ylim=(0, 1.18 * max(weights)),
                 xlabel="key, and its score with this query")
        axes.set_title(f"query of {words[place]!r}", color=COLORS["q"])
        told = ", ".join(f"{word} {100 * w:.0f} %"
                         for word, w in zip(words, weights))
        return Picture(figure, f"The query of {words[place]!r} gives the"
                       f" weights: {told}.")


def layer(words):
    """One layer: attention joins all tokens, the rest takes each alone.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    Picture

    Examples
    --------
    >>> layer(["a", "b", "c"]).alt[:44]
    'A layer of two parts. In attention 9 lines l'
    """
    size, box = len(words), {"boxstyle": "round,pad=0.35", "lw": 1.4,
                             "edgecolor": DIALS[1], "facecolor": "none"}
    with canvas(height=3.1) as (figure, axes):
        for m in range(size):
            for n in range(size):
                axes.plot([n, m], [0.22, 1.1], color=COLORS["k"], lw=0.8)
            axes.plot(m, 1.1, "o", color=INK, ms=4)
            axes.plot([m, m], [1.1, 1.75], color=INK, lw=1.2)
            axes.plot([m, m], [2.15, 2.6], color=INK, lw=1.2)
            axes.text(m, 1.95, "F", ha="center", va="center", bbox=box,
                      color=DIALS[1])
            for height, text in ((0, words[m]), (2.78, f"$y_{m}$")):
                axes.text(m, height, text, ha="center", va="center")
        for height, text in ((0.66, "attention:\nall rows"),
                             (1.95, "feed-forward:\neach alone")):
            axes.text(size - 0.45, height, text, va="center")
        _bare(axes, xlim=(-0.5, size + 1.0), ylim=(-0.2, 3.0))
        return Picture(figure, _layer_alt(size))


def _layer_alt(size):
    return (f"A layer of two parts. In attention {size ** 2} lines lead from"
            " every token to every token; in the feed-forward part"
            f" {size} boxes stand side by side, and no line joins them.")


def shuffled(tables):
    """Weights of the same words in several orders, side by side.

    Parameters
    ----------
    tables : sequence of (words, table)
        Row: the token that asks. The first is what the others are made of.

    Returns
    -------
    Picture

    Examples
    --------
    >>> one = (["a", "b"], [[0.9, 0.1], [0.4, 0.6]])
    >>> two = (["b", "a"], [[0.6, 0.4], [0.1, 0.9]])
    >>> shuffled([one, two]).alt[-23:]
    'the same numbers: True.'
    """
    kept = {tuple(sorted(np.ravel(table).round(9))) for _, table in tables}
    with canvas(1, len(tables), height=3.0) as (figure, panels):
        for axes, (words, table) in zip(panels, tables):
            for (m, n), value in np.ndenumerate(np.asarray(table)):
                _tile(axes, n, m, value, table, form=".2f")
            size = len(words)
            axes.set_yticks(range(size), words)
            axes.set_xticks(range(size), words, rotation=50, ha="right",
                            rotation_mode="anchor")
            axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5),
                     aspect="equal")
            axes.tick_params(length=0)
        firsts = " and ".join(f"{table[0][0]:.2f}" for _, table in tables)
        return Picture(figure, "Tables of weights of two orders of the same"
                       f" words. Their first entries are {firsts}; all"
                       f" together they hold the same numbers:"
                       f" {len(kept) == 1}.")


def bars(panels, names):
    """Two vectors beside each other, number by number.

    Parameters
    ----------
    panels : dict
        Title -> pair of arrays, shape (numbers,).
    names : pair of str
        Of the two.

    Returns
    -------
    Picture

    Examples
    --------
    >>> bars({"one": ([1, 2], [1, 2]), "two": ([1, 2], [1, 4])}, "ab").alt
    'Two vectors, bar by bar. Largest difference: one 0.00, two 2.00.'
    """
    looks = ({"color": COLORS["q"] + "77", "edgecolor": COLORS["q"]},
             {"color": "none", "edgecolor": COLORS["k"], "hatch": "////"})
    with canvas(len(panels), 1, height=1.7 * len(panels), sharex=True,
                sharey=True) as (figure, rows):
        for axes, (title, pair) in zip(rows, panels.items()):
            for side, vector, look, name in zip((-0.2, 0.2), pair, looks,
                                                names):
                axes.bar(np.arange(len(vector)) + side, vector, width=0.36,
                         label=name, **look)
            axes.axhline(0, color=INK, lw=0.8)
            axes.set(title=title, xticks=(), ylabel="number")
            axes.spines["bottom"].set_visible(False)
        figure.legend(*rows[0].get_legend_handles_labels(), ncols=2,
                      loc="outside lower center", fontsize=9)
        told = ", ".join(f"{title} {np.abs(np.subtract(*pair)).max():.2f}"
                         for title, pair in panels.items())
        return Picture(figure, "Two vectors, bar by bar. Largest difference:"
                       f" {told}.")


def padding(layers):
    """A text of equal tokens after several convolutions.

    Parameters
    ----------
    layers : sequence of array_like, shape (places,)
        After the first, the second and further layers; four at most.

    Returns
    -------
    Picture

    Examples
    --------
    >>> padding([[0.7, 1, 1, 1, 0.8]]).alt.split("ends: ")[1]
    'after layer 1 1 from the left.'
    """
    with canvas(height=2.7) as (figure, axes):
        for number, (values, dashes) in enumerate(zip(layers, DASHES), 1):
            axes.plot(values, ".-", color=DIALS[number - 1], lw=1.4,
                      dashes=dashes or (1, 0), label=f"layer {number}")
        axes.set(xlabel="place in the text", ylabel="output",
                 ylim=(0, 1.08 * np.max(layers)))
        figure.legend(loc="outside upper center", ncols=len(layers))
        told = ", ".join(f"after layer {number} {_bent(values)} from the left"
                         for number, values in enumerate(layers, 1))
        return Picture(figure, "Outputs of equal tokens fall at both ends,"
                       " where zeros were put. Places that differ from the"
                       f" middle, counted at the ends: {told}.")


def _bent(values):
    """How many places at the left differ from the middle one."""
    middle = values[len(values) // 2]
    return int(np.argmax(np.isclose(values, middle)))


def masks(panels):
    """Which token may see which, as filled squares.

    Parameters
    ----------
    panels : dict
        Title -> square array of bool; row: who asks.

    Returns
    -------
    Picture

    Examples
    --------
    >>> masks({"all": [[1, 1], [1, 1]], "causal": [[1, 0], [1, 1]]}).alt
    'Who may see whom; filled squares: all 4 of 4, causal 3 of 4.'
    """
    with canvas(1, len(panels), height=2.1) as (figure, row):
        for axes, (title, table) in zip(row, panels.items()):
            table = np.asarray(table, dtype=bool)
            size = len(table)
            for (m, n), seen in np.ndenumerate(table):
                axes.bar(n, 0.86, bottom=m - 0.43, width=0.86, lw=0.7,
                         edgecolor=COLORS["k"], color=(
                             COLORS["k"] + "bb" if seen else "none"))
            axes.set(xlim=(-0.6, size - 0.4), ylim=(size - 0.4, -0.6),
                     aspect="equal", xticks=(), yticks=(), xlabel="key n")
            axes.spines[:].set_visible(False)
            axes.set_title(title)
        row[0].set_ylabel("query m")
        told = ", ".join(f"{title} {int(np.sum(table))} of {np.size(table)}"
                         for title, table in panels.items())
        return Picture(figure, "Who may see whom; filled squares:"
                       f" {told}.")
