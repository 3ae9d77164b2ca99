"""Figures of times: beside a copy, under the roof, by size, in a layer.

All but the first two draw what a stored sheet says, see `rope_edu.sheets`.
"""

from __future__ import annotations

import re
import statistics

import numpy as np

from ..counting import FORMS, operations
from ..machine import Machine
from ..timing import compare
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

OURS, THEIRS = COLORS["q"], COLORS["k"]
# SmolLM2 135M, as in benchmarks/cpu.py: heads, key heads, head, inner width.
HEADS, KEY_HEADS, HEAD_DIM, INNER = 9, 3, 64, 1536
PARTS = ("rotation", "projections", "attention", "feed-forward")


def slowing_machine(rounds=20, seconds=(1.0, 0.9)):
    """Two ways of timing two jobs while another program starts.

    Parameters
    ----------
    rounds : int
        Timings of each job, at least 8.
    seconds : tuple of float
        True times of the two jobs, the second one the faster.

    Returns
    -------
    Picture

    Examples
    --------
    >>> slowing_machine().alt.split(": ")[1]
    'B takes 1.80 times as long as A, in turn 0.90 times.'
    """
    apart = _one_after_the_other(rounds, seconds)
    turns = _in_turn(rounds, seconds)
    whole = np.arange(rounds)
    with canvas(1, 2, height=2.5, sharey=True) as (figure, panels):
        _dots(panels[0], apart, (whole, whole + rounds))
        _dots(panels[1], turns, (2 * whole, 2 * whole + 1))
        for axes, name in zip(panels, ("one after the other", "in turn")):
            axes.set(title=name, xlabel="timing", ylim=(0, 2.4))
        panels[0].set_ylabel("seconds")
        wrong, right = (statistics.median(b / a for a, b in zip(*times))
                        for times in (apart, turns))
        return Picture(figure, "Times of two jobs on a machine that slows"
                       " down in the middle. One after the other: B takes"
                       f" {wrong:.2f} times as long as A, in turn"
                       f" {right:.2f} times.")


def _dots(axes, times, places):
    for name, seconds, at, mark, tint in zip(
            "AB", times, places, "os", (OURS, THEIRS)):
        axes.plot(at, seconds, mark, color=tint, ms=3.5)
        away = (0, 7 if name == "A" else -14)
        axes.annotate(name, (at[0], seconds[0]), away, color=tint,
                      textcoords="offset points", ha="center")


def _one_after_the_other(rounds, seconds):
    machine, found = Machine(busy_from=rounds * seconds[0] - 1e-6), []
    for job in map(machine.job, seconds):
        marks = [machine.clock()]
        for _ in range(rounds):
            job()
            marks.append(machine.clock())
        found.append(np.diff(marks))
    return found


def _in_turn(rounds, seconds):
    # The first job runs twice in a round, once to be compared with itself.
    once = seconds[0] + sum(seconds)
    machine = Machine(busy_from=rounds * once / 2)
    jobs = dict(zip("AB", map(machine.job, seconds)))
    result = compare(jobs, rounds, warmup=0, least=0, clock=machine.clock)
    return list(result.seconds.values())


def beside_copy(*tables):
    """How many times a copy's time each rotation takes, with bounds.

    Parameters
    ----------
    *tables : Table
        One or two of a sheet, with the same rotations; the rows are in the
        order of the first, whose dots are filled.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu import sheets
    >>> table = sheets.cpu()["16 MiB of float32, 1 thread"]
    >>> beside_copy(table).alt[:41]
    'Times of rotations in units of a copy of '
    """
    names = sorted(tables[0].rows, key=tables[0].seconds)
    names = [name for name in names if name != "copy"][::-1]
    with canvas(height=0.75 + 0.36 * len(names)) as (figure, axes):
        for table, filled in zip(tables, (True, False)):
            for at, name in enumerate(names):
                _range(axes, table.ratio(name), at, name, filled)
        for at, name in enumerate(names):
            axes.text(1.06, at + 0.22, name, color=_tint(name), fontsize=8.5)
        axes.axvline(1, color=INK, lw=1)
        axes.set(xscale="log", xlabel="times copy", yticks=(),
                 xlim=(0.93, 52), ylim=(-0.5, len(names) - 0.3))
        axes.set_xticks((1, 2, 5, 10, 20, 50), ("1", "2", "5", "10", "20",
                                                "50"))
        axes.minorticks_off()
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        return Picture(figure, _beside_alt(tables, names))


def _tint(name):
    return OURS if name.startswith("rope_edu") else THEIRS


def _range(axes, ratio, at, name, filled):
    middle, low, high = ratio
    down = 0 if filled else -0.16
    axes.plot((low, high), (at + down,) * 2, color=_tint(name), lw=1.4)
    axes.plot(middle, at + down, "s" if "compiled" in name else "o", ms=5,
              color=_tint(name), mfc=None if filled else "none")


def _beside_alt(tables, names):
    told = []
    for table in tables:
        best, worst = names[-1], names[0]
        told.append(f"{table.title}: from {table.ratio(best)[0]:.1f} times"
                    f" ({best}) to {table.ratio(worst)[0]:.0f} times"
                    f" ({worst})")
    return ("Times of rotations in units of a copy of the same tensor, with"
            f" bounds, on a logarithmic axis. {'; '.join(told)}.")


def rates(tables):
    """What the machine of a sheet was seen to reach, with one thread.

    Parameters
    ----------
    tables : dict of str to Table
        The sheet.

    Returns
    -------
    bandwidth, work : float
        Bytes per second of a copy of 16 MiB of float32, and operations per
        second of the feed-forward part of a layer.

    Examples
    --------
    >>> from rope_edu import sheets
    >>> bandwidth, work = rates(sheets.cpu())
    >>> bandwidth > 1e9, work > 1e9
    (True, True)
    """
    copied = tables["16 MiB of float32, 1 thread"].row("copy")
    seconds = _layer(tables, 1024).seconds("feed-forward")
    return copied["bandwidth"], layer_flops(1024)["feed-forward"] / seconds


def _layer(tables, tokens):
    return tables[f"One layer, 1 thread: {tokens} of 1024 tokens"]


def layer_flops(tokens):
    """Operations of the parts of SmolLM2 135M's layer, but for attention.

    Parameters
    ----------
    tokens : int
        New tokens.

    Returns
    -------
    dict of str to int

    Examples
    --------
    >>> layer_flops(1)
    {'rotation': 2304, 'projections': 1769472, 'feed-forward': 5308416}
    """
    full, keys = HEADS * HEAD_DIM, KEY_HEADS * HEAD_DIM
    return {
        "rotation": 3 * tokens * (full + keys),
        "projections": 2 * tokens * full * (2 * full + 2 * keys),
        "feed-forward": 2 * tokens * 3 * full * INNER,
    }


def roofline(tables):
    """Operations per second against operations per byte, under two roofs.

    Parameters
    ----------
    tables : dict of str to Table
        The stored sheet of a CPU; one thread.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu import sheets
    >>> roofline(sheets.cpu()).alt[:34]
    'Operations per second against oper'
    """
    bandwidth, work = rates(tables)
    with canvas(height=3.3) as (figure, axes):
        x = np.array([0.1, work / bandwidth, 1000])
        axes.plot(x, np.minimum(work, x * bandwidth) / 1e9, color=INK, lw=1.4)
        for dtype, size in (("float32", 4), ("bfloat16", 2)):
            _under(axes, tables[f"16 MiB of {dtype}, 1 thread"], size)
        _beside_weights(axes, tables)
        axes.set(xscale="log", yscale="log", ylabel="10⁹ operations a second",
                 xlabel="operations for each byte moved", ylim=(0.5, 400))
        axes.set_xticks((0.1, 1, 10, 100, 1000),
                        ("0.1", "1", "10", "100", "1000"))
        axes.set_yticks((1, 10, 100), ("1", "10", "100"))
        axes.text(0.13, 17, "bandwidth of the copy", rotation=38,
                  fontsize=8.5)
        axes.text(1000, work / 1e9 * 1.2, "products of matrices", ha="right",
                  fontsize=8.5)
        return Picture(figure, "Operations per second against operations for"
                       " each byte, two logarithmic axes. The roof rises with"
                       f" {bandwidth / 1e9:.0f} GB/s up to"
                       f" {work / bandwidth:.1f} operations a byte, then stays"
                       f" at {work / 1e9:.0f} thousand million a second;"
                       " all rotations lie left of the bend and below it.")


def _under(axes, table, size):
    intensity = 3 / (2 * size)
    for name in table.rows:
        if name != "copy":
            reached = intensity * table.row(name)["bandwidth"] / 1e9
            axes.plot(intensity, reached, "o", color=_tint(name), ms=4,
                      mfc=None if size == 4 else "none")
    left = size == 4
    axes.text(intensity * (0.8 if left else 1.25), 1.6,
              table.title.split()[3].strip(","), fontsize=8.5,
              ha="right" if left else "left")


def _beside_weights(axes, tables):
    full, keys = HEADS * HEAD_DIM, KEY_HEADS * HEAD_DIM
    moved = {"projections": 2 * full * (full + keys) + 1024 * (
                 4 * full + 2 * keys),
             "feed-forward": 3 * full * INNER + 1024 * 2 * full}
    for name, numbers in moved.items():
        work = layer_flops(1024)[name]
        axes.plot(work / (4 * numbers),
                  work / _layer(tables, 1024).seconds(name) / 1e9, "D",
                  color=DIALS[1], ms=5)


def growth(tables):
    """Time of copy, rotation and tables by tokens and by heads.

    Parameters
    ----------
    tables : dict of str to Table
        The stored sheet of a CPU; one thread, half-split pairs, D = 128.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu import sheets
    >>> growth(sheets.cpu()).alt[:29]
    'Times on logarithmic axes. Fo'
    """
    sizes = {name: tuple(map(int, re.findall(r"= (\d+)", name)))
             for name in tables if name.startswith("Growth")}
    by_tokens = {size[1]: tables[name] for name, size in sizes.items()
                 if size[::2] == (32, 128)}
    by_heads = {size[0]: tables[name] for name, size in sizes.items()
                if size[1:] == (1024, 128)}
    with canvas(1, 2, height=3.0, sharey=True) as (figure, panels):
        _lines(panels[0], by_tokens, "tokens, 32 heads", named=True)
        _lines(panels[1], by_heads, "heads, 1024 tokens")
        panels[0].set_ylabel("µs")
        first, last = (1e6 * by_tokens[s].seconds("rotation")
                       for s in (min(by_tokens), max(by_tokens)))
        flat = [1e6 * by_heads[h].seconds("cos and sin")
                for h in (min(by_heads), max(by_heads))]
        return Picture(figure, "Times on logarithmic axes. For 32 heads the"
                       f" rotation takes {first:.0f} µs for one token and"
                       f" {last:.0f} µs for 1024; the cosines and sines of"
                       f" 1024 tokens take {flat[0]:.0f} µs for one head and"
                       f" {flat[1]:.0f} µs for 32.")


def _lines(axes, tables, label, named=False):
    looks = (("rotation", OURS, "o", 0, (0, 13)),
             ("cos and sin", THEIRS, "s", 1, (2, -12)),
             ("copy", INK, "", 2, (14, -1)))
    for name, tint, mark, dash, away in looks:
        x = sorted(tables)
        y = [1e6 * tables[at].seconds(name) for at in x]
        axes.plot(x, y, marker=mark, color=tint, dashes=DASHES[dash], ms=4)
        if named:
            axes.annotate(name, (x[0], y[0]), away, color=tint, fontsize=8.5,
                          textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlabel=label)


def layer_shares(tables):
    """How the time of one layer is divided, for a text and for a token.

    Parameters
    ----------
    tables : dict of str to Table
        The stored sheet of a CPU; one thread.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu import sheets
    >>> layer_shares(sheets.cpu()).alt[:27]
    'Share of the rotation in th'
    """
    told = []
    with canvas(height=2.4) as (figure, axes):
        for at, (tokens, name) in enumerate(((1, "one more token"),
                                             (1024, "1024 tokens"))):
            shares, left = share_of_layer(tables, tokens), 0
            for part, tint in zip(PARTS, (OURS, *DIALS[1:])):
                axes.barh(at, shares[part], left=left, color=tint, height=0.5)
                left += shares[part]
            axes.text(0, at + 0.32, f"{name}: rotation"
                      f" {100 * shares['rotation']:.1f} %")
            told.append(f"{100 * shares['rotation']:.1f} % for {name}")
        for x, part, tint in zip((0, 0.2, 0.46, 0.7), PARTS,
                                 (OURS, *DIALS[1:])):
            axes.text(x, -0.55, part, color=tint, fontsize=8.5)
        axes.set(ylim=(-0.6, 1.7), xlim=(0, 1), yticks=(), xticks=())
        axes.spines[:].set_visible(False)
        return Picture(figure, "Share of the rotation in the time of a layer"
                       f": {' and '.join(told[::-1])}.")


def share_of_layer(tables, tokens):
    """Share of each part in the sum of the parts' median times.

    Parameters
    ----------
    tables : dict of str to Table
        The stored sheet of a CPU.
    tokens : {1024, 1}
        How many are new.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> from rope_edu import sheets
    >>> round(sum(share_of_layer(sheets.cpu(), 1).values()), 9)
    1.0
    """
    table = _layer(tables, tokens)
    seconds = {part: table.seconds(part) for part in PARTS}
    return {part: time / sum(seconds.values())
            for part, time in seconds.items()}


def dense_or_pairs(tables):
    """How many times as dear the dense matrix is: counted and measured.

    Parameters
    ----------
    tables : dict of str to Table
        The stored sheet of a CPU; NumPy, 256 places.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu import sheets
    >>> dense_or_pairs(sheets.cpu()).alt[:40]
    'The dense matrix against pairs, by width'
    """
    widths, counted, timed = (8, 32, 128), [], []
    for d in widths:
        table = tables[f"NumPy reference, 256 places: d = {d}"]
        counted.append(_arithmetic("dense", d) / _arithmetic("complex", d))
        timed.append(table.seconds("dense matrix") / table.seconds("pairs"))
    with canvas(height=2.7) as (figure, axes):
        for values, name, tint, mark in ((counted, "operations", INK, "o"),
                                         (timed, "time", OURS, "s")):
            axes.plot(widths, values, marker=mark, color=tint)
            axes.annotate(name, (widths[1], values[1]), (-4, 7), ha="right",
                          textcoords="offset points", color=tint)
        axes.set(xscale="log", yscale="log", xlabel="width d",
                 ylabel="dense / pairs", ylim=(0.8, 150))
        axes.set_xticks(widths, map(str, widths))
        axes.set_yticks((1, 3, 10, 30, 100), ("1", "3", "10", "30", "100"))
        axes.minorticks_off()
        return Picture(figure, "The dense matrix against pairs, by width 8,"
                       f" 32, 128: {_series(counted)} times the operations,"
                       f" {_series(timed)} times the time.")


def _arithmetic(form, d):
    """Products and sums of a form of the rotation, for one vector."""
    one = np.ones(d // 2)
    _, tally = operations(lambda x: FORMS[form](one, one, x), np.ones(d))
    return tally["multiplications"] + tally["additions"]


def _series(values):
    return ", ".join(f"{value:.1f}" for value in values)
