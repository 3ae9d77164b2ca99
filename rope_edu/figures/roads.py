"""Figures of other roads: biases, scales, grids, sums and windows."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np

from ..frequencies import angles, inverse_frequencies, wavelengths
from ..memory import KVCACHES
from ..scaling import Proportional
from ..spatial import (
    axial_angles,
    commuting_generators,
    mixed_angles,
    mrope_axes,
    mrope_position_ids,
    noncommuting_generators,
    relative_gap,
    xpos_zeta,
)
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

BACK = "tokens from the query back to the key, $m - n$"
AXES = ("t", "h", "w")
AXIS_COLORS = (DIALS[0], DIALS[1], DIALS[3])
# Far above what rounding leaves of a score, far below what can be seen.
NOISE = 1e-12
# Few steps, drawn as vectors: the bytes of a bitmap differ by library.
STEPS = mpl.colormaps["cividis"].resampled(11)


def equal_logits(back, slope=1 / 16, head_dim=64, scale_base=512):
    """Logits of a key that equals its query, on five roads.

    Parameters
    ----------
    back : array_like, shape (n,)
        Tokens from the query back to the key.
    slope : float
        Of ALiBi, in logits per token.
    head_dim : int
        All channels are 1, so that a logit starts at its square root.
    scale_base : float
        Of xPos, in tokens.

    Returns
    -------
    dict of str to numpy.ndarray, shape (n,)

    Examples
    --------
    >>> {k: float(v[0]) for k, v in equal_logits([16]).items()}["ALiBi"]
    7.0
    """
    back = np.asarray(back, dtype=np.float64)
    cosines = np.cos(angles(back, inverse_frequencies(head_dim)))
    shrunk = xpos_zeta(head_dim) ** (back[:, None] / scale_base)
    flat, unit = np.full(len(back), np.sqrt(head_dim)), 2 / head_dim**0.5
    turned = unit * cosines.sum(axis=-1)
    return {"NoPE": flat, "RoPE": turned, "ALiBi": flat - slope * back,
            "RoPE + ALiBi": turned - slope * back,
            "xPos": unit * (shrunk * cosines).sum(axis=-1)}


def five_roads(reach=1024, slope=1 / 64):
    """One panel for each road: the logit of an equal key over distance.

    Parameters
    ----------
    reach : int
        Largest distance, in tokens.
    slope : float
        Of ALiBi, in logits per token.

    Returns
    -------
    Picture

    Examples
    --------
    >>> five_roads(128).alt.split("; ")[2]
    'ALiBi 6.0'
    """
    back = np.append(np.arange(64), np.arange(64, reach + 1, 4))
    roads = equal_logits(back, slope)
    with canvas(len(roads), 1, height=5.2, sharex=True,
                sharey=True) as (figure, rows):
        for axes, (name, logits) in zip(rows, roads.items()):
            axes.plot(back, roads["RoPE"], color=INK, lw=0.5, alpha=0.4)
            axes.plot(back, logits, color=COLORS["q"], lw=1.2)
            axes.axhline(0, color=INK, lw=0.5)
            axes.set_title(name, color=COLORS["q"])
        rows[2].set_ylabel("logit")
        rows[-1].set_xlabel(BACK)
        ends = "; ".join(f"{n} {v[-1]:.1f}" for n, v in roads.items())
        return Picture(figure, "Logit of a key that equals its query, from"
                       f" {roads['NoPE'][0]:.0f} at distance 0 to, {reach}"
                       f" tokens back: {ends}.")


def xpos_factors(before=2048, after=1024, rotary_dim=128, scale_base=512):
    """What xPos multiplies a pair's part of the score by.

    Parameters
    ----------
    before, after : int
        Tokens before and after the query, on the axis of offsets.
    rotary_dim : int
    scale_base : float
        Tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> xpos_factors().alt.split("; ")[0][-18:]
    'to 12.2 1024 ahead'
    """
    offsets, zeta = np.arange(-before, after + 1), xpos_zeta(rotary_dim)
    told = []
    with canvas(height=2.7) as (figure, axes):
        for i, dashes in zip((0, len(zeta) // 2, len(zeta) - 1), DASHES):
            factor = zeta[i] ** (-offsets / scale_base)
            axes.plot(offsets, factor, color=INK, dashes=dashes)
            axes.annotate(f"pair {i}", (after, factor[-1]), (5, 0),
                          textcoords="offset points", va="center")
            told.append(f"pair {i}: {factor[0]:.2g} {before} tokens back,"
                        f" to {factor[-1]:.3g} {after} ahead")
        axes.axvline(0, color=INK, lw=0.5)
        axes.set(yscale="log", xlabel="offset $n - m$ in tokens",
                 ylabel="factor")
        return Picture(figure, f"Factor of xPos on a log axis, {told[0]};"
                       f" {'; '.join(told[1:])}.")


def who_notices(changed):
    """Which outputs change when two tokens change places.

    Parameters
    ----------
    changed : array_like of bool, shape (layers, tokens)

    Returns
    -------
    Picture

    Examples
    --------
    >>> who_notices([[True, False], [True, True]]).alt
    'Outputs that change: 1 of 2 in layer 1, 2 of 2 in layer 2.'
    """
    changed = np.asarray(changed, dtype=bool)
    layers, tokens = changed.shape
    with canvas(height=0.9 + 0.45 * layers) as (figure, axes):
        for layer, place in np.ndindex(changed.shape):
            axes.plot(place, layer, "s", ms=17, mew=1.2,
                      color=COLORS["k"] if changed[layer, place] else INK,
                      fillstyle="full" if changed[layer, place] else "none")
        axes.set(xlim=(-0.7, tokens - 0.3), ylim=(-0.7, layers - 0.3),
                 xticks=range(tokens), xlabel="place of the token")
        axes.set_yticks(range(layers),
                        [f"layer {i + 1}" for i in range(layers)])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        told = ", ".join(f"{row.sum()} of {tokens} in layer {i + 1}"
                         for i, row in enumerate(changed))
        return Picture(figure, f"Outputs that change: {told}.")


def slowest_pairs(widths=(64, 128, 256, 512), base=1e6, share=0.25):
    """Slowest wavelength of a partial and of a proportional rotation.

    Parameters
    ----------
    widths : sequence of int
        Of the head.
    base : float
    share : float
        Of the head that turns.

    Returns
    -------
    Picture

    Examples
    --------
    >>> slowest_pairs().alt[-39:]
    'proportional 129, 160, 178, 188 tokens.'
    """
    found = _slowest(widths, base, share)
    with canvas(height=2.7) as (figure, axes):
        for (name, slowest), dashes in zip(found.items(), DASHES):
            axes.plot(widths, slowest, "o", ls=(0, dashes or (1, 0)),
                      color=INK, ms=5)
            for width, tokens in zip(widths, slowest):
                axes.annotate(f"{tokens:,.0f}", (width, tokens), (0, 7),
                              textcoords="offset points", ha="center")
            axes.annotate(name, (widths[0], slowest[0]), (0, -16),
                          textcoords="offset points", ha="center")
        axes.set(xscale="log", yscale="log", xlabel="channels of the head",
                 ylabel="tokens per turn, slowest pair", ylim=(20, 1e8),
                 xlim=(widths[0] / 1.6, widths[-1] * 1.6))
        axes.set_xticks(widths, widths)
        axes.minorticks_off()
        told = "; ".join(
            f"{name} {', '.join(f'{t:.3g}' for t in slowest)}"
            for name, slowest in found.items())
        return Picture(figure, f"Slowest pair, base {base:g}, {share:.0%} of"
                       f" heads of {', '.join(map(str, widths))} channels:"
                       f" {told} tokens.")


def _slowest(widths, base, share):
    """Slowest wavelengths, by the kind of rotation, one for each width."""
    short = [inverse_frequencies(int(share * width), base) for width in widths]
    whole = [Proportional(share).table(width, base).inv_freq
             for width in widths]
    return {"partial": [wavelengths(rates)[-1] for rates in short],
            "proportional": [wavelengths(rates[rates > 0])[-1]
                             for rates in whole]}


def patch_scores(generators, side):
    """Mean cosine between the middle patch of a square and each patch.

    Parameters
    ----------
    generators : array_like, shape (2, pairs)
        Radians for each step down and to the right.
    side : int
        Patches along one side, odd.

    Returns
    -------
    numpy.ndarray, shape (side, side)

    Examples
    --------
    >>> patch_scores([[1.0], [0.0]], 3)[:, 0].round(3).tolist()
    [0.54, 1.0, 0.54]
    """
    places = np.moveaxis(np.indices((side, side)), 0, -1) - side // 2
    return np.cos(mixed_angles(places, generators)).mean(axis=-1)


def patch_maps(maps):
    """Scores of one patch with all patches, one square for each code.

    Parameters
    ----------
    maps : dict of str to numpy.ndarray, shape (side, side)

    Returns
    -------
    Picture

    Examples
    --------
    >>> patch_maps({"axial": patch_scores([[1.0], [0.0]], 3)}).alt[-39:]
    'axial 1.00 in its row, 0.54 diagonally.'
    """
    told, lowest = [], min(scores.min() for scores in maps.values())
    lowest = np.floor(20 * lowest) / 20
    with canvas(1, len(maps), height=2.0, squeeze=False) as (figure, row):
        for axes, (name, scores) in zip(row[0], maps.items()):
            shown = axes.pcolormesh(scores[::-1], cmap=STEPS, vmin=lowest,
                                    vmax=1)
            middle = len(scores) // 2
            axes.plot(middle + 0.5, middle + 0.5, "+", color="black", ms=7)
            axes.set(xticks=(), yticks=(), aspect="equal")
            axes.set_title(name)
            told.append(f"{name} {scores[middle, 0]:.2f} in its row,"
                        f" {scores[0, 0]:.2f} diagonally")
        figure.colorbar(shown, ax=row[0], shrink=0.7, format="%.2f",
                        ticks=(lowest, (1 + lowest) / 2, 1))
        return Picture(figure, "Mean cosine of the middle patch of a square"
                       " with all patches. At the edge of the square:"
                       f" {'; '.join(told)}.")


def relative_gaps(sizes, seeds, rotary_dim=8, first=(1, 2), second=(4, 3)):
    """How far random generators are from relative, by their size.

    Parameters
    ----------
    sizes : sequence of float
        Factors of the generators.
    seeds : sequence of int
        One draw for each.
    rotary_dim : int
    first, second : sequence of 2 float
        Positions of query and key.

    Returns
    -------
    numpy.ndarray, shape (2, sizes, seeds)
        Gaps of generators that commute and of generators that do not.

    Examples
    --------
    >>> relative_gaps([0.0], [7]).tolist()
    [[[0.0]], [[0.0]]]
    """
    makers = (commuting_generators, noncommuting_generators)
    drawn = [[make(rotary_dim, seed) for seed in seeds] for make in makers]
    return np.array([[[relative_gap(first, second, size * pair)
                       for pair in pairs] for size in sizes]
                     for pairs in drawn])


def gaps_by_size(sizes, gaps):
    """Gaps of `relative_gaps` on two log axes, with a band over the seeds.

    Those of generators that commute are rounding alone; they are compared
    with one line, as their digits differ from machine to machine.

    Parameters
    ----------
    sizes : array_like, shape (sizes,)
    gaps : array_like, shape (2, sizes, seeds)

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If generators that commute leave more than rounding.

    Examples
    --------
    >>> gaps_by_size([1, 2], [[[1e-15]] * 2, [[0.5]] * 2]).alt[-57:]
    '0.5 to 0.5, by their size; all that commute: below 1e-12.'
    """
    tame, wild = np.asarray(gaps)
    if tame.max() >= NOISE:
        raise ValueError(f"gaps[0] must be below {NOISE}, got {tame.max()}")
    low, middle, high = np.quantile(wild, (0.05, 0.5, 0.95), axis=1)
    half = len(sizes) // 2
    with canvas(height=2.9) as (figure, axes):
        axes.fill_between(sizes, low, high, color=COLORS["k"], alpha=0.3,
                          lw=0)
        axes.plot(sizes, middle, color=COLORS["k"])
        axes.annotate("do not commute", (sizes[half], low[half]), (0, -18),
                      textcoords="offset points", color=COLORS["k"])
        for height, color, text in (
                (NOISE, COLORS["q"], "all that commute are below this line"),
                (2, INK, "largest possible: 2")):
            axes.axhline(height, color=color, lw=0.8)
            axes.annotate(text, (sizes[0], height), (0, 4), color=color,
                          textcoords="offset points")
        axes.set(xscale="log", yscale="log", ylim=(1e-14, 100),
                 xlabel="size of the generators", ylabel="gap")
        return Picture(figure, "Largest error of a score of unit vectors."
                       " Generators that do not commute: median from"
                       f" {middle[0]:.1g} to {middle[-1]:.1g}, by their size;"
                       f" all that commute: below {NOISE}.")


def text_and_picture(parts):
    """Positions t, h and w along a row of texts and pictures.

    Parameters
    ----------
    parts : sequence
        As in `rope_edu.spatial.mrope_position_ids`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> text_and_picture([2, (2, 2), 1]).alt
    '7 tokens take the positions 0 to 4 on the axes t, h and w.'
    """
    ids = mrope_position_ids(parts)[:, 0]
    with canvas(3, 1, height=3.6, sharex=True, sharey=True) as (figure, rows):
        for axes, name, color, places in zip(rows, AXES, AXIS_COLORS, ids):
            axes.plot(np.arange(len(places)), np.arange(len(places)),
                      color=INK, lw=0.6, dashes=DASHES[2])
            axes.plot(places, "o", ms=3.5, color=color)
            axes.set_ylabel(name, color=color)
        half = len(ids[0]) // 2
        rows[0].annotate("1-D position", (half, half), (-8, 4), ha="right",
                         textcoords="offset points")
        rows[-1].set_xlabel("number of the token")
        return Picture(figure, f"{len(ids[0])} tokens take the positions"
                       f" 0 to {ids.max()} on the axes t, h and w.")


def axes_of_pairs(models):
    """Which axis turns which pair, and by how much for each step.

    Parameters
    ----------
    models : dict of str to (sections, interleaved, base)

    Returns
    -------
    Picture

    Examples
    --------
    >>> axes_of_pairs({"A": ([1, 1, 1], False, 1e6)}).alt[-38:]
    'A: t 1, h 0.01, w 0.0001 rad per step.'
    """
    told = []
    with canvas(len(models), 1, height=0.7 + 1.3 * len(models), sharex=True,
                sharey=True, squeeze=False) as (figure, rows):
        for axes, (name, (sections, mixed, base)) in zip(
                rows[:, 0], models.items()):
            owner = mrope_axes(sections, interleaved=mixed)
            rates = inverse_frequencies(2 * len(owner), base)
            for axis, marker in enumerate("osD"):
                mine = np.flatnonzero(owner == axis)
                axes.plot(mine, rates[mine], marker, ms=3.2, ls="none",
                          color=AXIS_COLORS[axis], label=AXES[axis])
            axes.set(yscale="log", title=name, ylabel="rad per step")
            told.append(f"{name}: " + ", ".join(
                f"{a} {rates[owner == i][0]:.2g}"
                for i, a in enumerate(AXES)))
        rows[0, 0].legend(loc="upper right", ncols=3, handletextpad=0)
        rows[-1, 0].set_xlabel("number of the pair")
        return Picture(figure, "Pairs by the axis that turns them. Fastest"
                       f" of each axis, {'; '.join(told)} rad per step.")


def signed_weights(rows):
    """Weights of one query over all keys, those below 0 in another color.

    Parameters
    ----------
    rows : dict of str to array_like, shape (keys,)

    Returns
    -------
    Picture

    Examples
    --------
    >>> signed_weights({"turned": [0.5, -0.1, 0.2]}).alt
    'Weights over 3 keys. turned: sum 0.60, 1 of them negative.'
    """
    told = []
    with canvas(len(rows), 1, height=0.6 + 1.3 * len(rows), sharex=True,
                sharey=True, squeeze=False) as (figure, panels):
        for axes, (name, weights) in zip(panels[:, 0], rows.items()):
            weights = np.asarray(weights)
            below = np.flatnonzero(weights < 0)
            axes.plot(weights, color=COLORS["q"], lw=0.8)
            axes.plot(below, weights[below], "o", color=COLORS["k"], ms=3)
            axes.axhline(0, color=INK, lw=0.5)
            axes.set(title=name, ylabel="weight")
            told.append(f"{name}: sum {weights.sum():.2f}, {len(below)} of"
                        " them negative")
        panels[-1, 0].set_xlabel("place of the key")
        return Picture(figure, f"Weights over {len(weights)} keys."
                       f" {'; '.join(told)}.")


def window_reach(layers=4, window=4, tokens=16):
    """What the last token of the last layer depends on, layer by layer.

    Parameters
    ----------
    layers : int
    window : int
        Tokens that a layer sees, the newest one included.
    tokens : int
        Places that are drawn.

    Returns
    -------
    Picture

    Examples
    --------
    >>> window_reach().alt
    'With a window of 4, 4 layers reach 12 tokens back.'
    """
    back = np.subtract.outer(np.arange(tokens), np.arange(tokens))
    seen = (back >= 0) & (back < window)
    lit = np.eye(tokens, dtype=bool)[-1]
    with canvas(height=0.9 + 0.32 * (layers + 1)) as (figure, axes):
        for level in range(layers, -1, -1):
            for place in range(tokens):
                axes.plot(place - tokens + 1, level, "s", ms=10, mew=1,
                          color=COLORS["q"] if lit[place] else INK,
                          alpha=1 if lit[place] else 0.35,
                          fillstyle="full" if lit[place] else "none")
            lit, reach = lit @ seen, tokens - 1 - np.argmax(lit)
        axes.set(ylim=(-0.6, layers + 0.6), xlabel="place, from the newest")
        axes.set_yticks(range(layers + 1), ["input", *(
            f"layer {i}" for i in range(1, layers + 1))])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return Picture(figure, f"With a window of {window}, {layers} layers"
                       f" reach {reach} tokens back.")


def cache_growth(names, reach=2**20):
    """Memory of the KV cache against the length of the text.

    Parameters
    ----------
    names : sequence of str
        Of `rope_edu.memory.KVCACHES`, four at most.
    reach : int
        Largest length, in tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> cache_growth(["Mistral 7B v0.1"]).alt[-33:]
    'Mistral 7B v0.1 from 0.12 to 0.5.'
    """
    lengths = 2 ** np.arange(10, int(np.log2(reach)) + 1)
    told = []
    with canvas(height=3.2) as (figure, axes):
        for name, color, dashes in zip(names, DIALS, DASHES):
            sizes = [KVCACHES[name].bytes(int(n)) / 2**30 for n in lengths]
            axes.plot(lengths, sizes, color=color, dashes=dashes)
            axes.annotate(name, (lengths[-1], sizes[-1]), (5, 0),
                          textcoords="offset points", color=color,
                          va="center")
            told.append(f"{name} from {sizes[0]:.2g} to {sizes[-1]:.3g}")
        axes.set(xscale="log", yscale="log", ylabel="GiB at 16 bits",
                 xlabel="tokens of one text")
        axes.set_xticks(lengths[::3], [f"{n // 1024}k" for n in lengths[::3]])
        axes.minorticks_off()
        return Picture(figure, f"GiB of the cache, {lengths[0]} to"
                       f" {lengths[-1]} tokens: {'; '.join(told)}.")
