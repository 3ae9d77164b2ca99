"""Figures of d dimensions: blocks, sums over dials, layouts, planes."""

from __future__ import annotations

import numpy as np

from ..layouts import pair_indices
from ..reference import rotate, rotation_matrix, score
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

CIRCLE = np.exp(1j * np.linspace(0, 2 * np.pi, 181))
VECTORS = (COLORS["q"], COLORS["k"])
SIDES = (1, -1, 0)
LAYOUTS = {"interleaved": "interleaved", "half": "half-split"}


def _bare(axes, **limits):
    axes.set(xticks=(), yticks=(), **limits)
    axes.spines[:].set_visible(False)


def _signed(text):
    return text.replace("-", "\N{MINUS SIGN}")


def block_matrix(position, inv_freq):
    """The matrix of one position, its zeros faint and its dials colored.

    Parameters
    ----------
    position : int
        In tokens.
    inv_freq : array_like, shape (d/2,)
        Radians per token; four dials at most have a color.

    Returns
    -------
    Picture

    Examples
    --------
    >>> block_matrix(1, [1.0, 0.1]).alt[:52]
    'The 4 x 4 matrix R of position 1: 8 of its 16 entrie'
    """
    matrix = rotation_matrix(position, inv_freq)
    d = len(matrix)
    with canvas(height=4.0) as (figure, axes):
        axes.set(xlim=(-0.5, d - 0.5), ylim=(d - 0.5, -0.5),
                 xticks=range(d), yticks=range(d))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for place, entry in np.ndenumerate(matrix):
            _cell(axes, *place, entry)
        zeros, size = np.count_nonzero(matrix == 0), matrix.size
        return Picture(figure, f"The {d} x {d} matrix R of position"
                       f" {position}: {zeros} of its {size} entries are"
                       f" zero; the other {size - zeros} stand in 2 x 2"
                       " blocks down the diagonal, one color for each dial.")


def _cell(axes, row, column, entry):
    text, style = "0", {"alpha": 0.45}
    if row // 2 == column // 2:
        axes.add_patch(_box(column, row, DIALS[row // 2]))
        text, style = _signed(f"{entry:.3f}"), {"fontsize": 8.5}
    axes.text(column, row, text, ha="center", va="center", **style)


def _box(x, y, color, size=1.0):
    from matplotlib.patches import Rectangle

    return Rectangle((x - size / 2, y - size / 2), size, size, edgecolor=color,
                     facecolor=color + "38", lw=1.2)


def contributions(q, k, m, n, inv_freq):
    """What each dial adds to one score, as steps from 0 to the score.

    Parameters
    ----------
    q, k : array_like, shape (d,)
        Before the turn, interleaved pairs.
    m, n : int
        Positions of query and key.
    inv_freq : array_like, shape (d/2,)
        Radians per token.

    Returns
    -------
    Picture

    Examples
    --------
    >>> contributions([1, 0, 0, 2], [1, 0, 0, 2], 1, 1, [1, 0.1]).alt[-40:]
    ' dial 0 1.00, dial 1 4.00; the sum is 5.'
    """
    turned = rotate(q, m, inv_freq) * rotate(k, n, inv_freq)
    parts = turned.reshape(-1, 2).sum(axis=1)
    ends = np.cumsum(parts)
    names = [f"dial {i}" for i in range(len(parts))]
    with canvas() as (figure, axes):
        for i, (part, end) in enumerate(zip(parts, ends)):
            _step(axes, i, part, end, DIALS[i])
        _step(axes, len(parts), ends[-1], ends[-1], INK)
        axes.axhline(0, color=INK, lw=0.8)
        axes.set_xticks(range(len(parts) + 1), [*names, "sum"])
        low, high = min(0, *ends), max(0, *ends)
        room = 0.12 * (high - low)
        axes.set(ylabel="score", xlim=(-0.6, len(parts) + 0.6),
                 ylim=(low - room, high + room))
        axes.tick_params(axis="x", length=0)
        each = ", ".join(f"{a} {b:.2f}" for a, b in zip(names, parts))
        return Picture(figure, f"Score at m = {m}, n = {n} in steps: {each};"
                       f" the sum is {ends[-1]:.4g}.")


def _step(axes, place, part, end, color):
    bar = axes.bar(place, part, bottom=end - part, color=color + "55",
                   edgecolor=color, lw=1.4, width=0.7)
    axes.bar_label(bar, [_signed(f"{part:+.2f}")], padding=3)
    if color != INK:
        axes.plot([place + 0.35, place + 0.65], [end, end], color=INK, lw=0.8)


def pairings(rotary_dim=8):
    """Which two coordinates turn together, in the two layouts.

    Parameters
    ----------
    rotary_dim : int
        Even; 8 at most, for the four colors of the dials.

    Returns
    -------
    Picture

    Examples
    --------
    >>> pairings(4).alt[-36:]
    'half-split pairs are (0, 2), (1, 3).'
    """
    with canvas(2, 1, height=3.1, height_ratios=(1.3, 2)) as (figure, panels):
        for axes, layout, top in zip(panels, LAYOUTS, (1.2, 2.0)):
            pairs = list(zip(*pair_indices(rotary_dim, layout)))
            _bare(axes, xlim=(-0.6, rotary_dim - 0.4), ylim=(-0.5, top))
            axes.set_title(LAYOUTS[layout])
            for dial, pair in enumerate(pairs):
                _linked(axes, dial, pair)
        return Picture(figure, _pairs_alt(rotary_dim))


def _linked(axes, dial, pair):
    for place in pair:
        axes.add_patch(_box(place, 0, DIALS[dial], size=0.8))
        axes.text(place, 0, str(place), ha="center", va="center")
    middle, radius = np.mean(pair), (pair[1] - pair[0]) / 2
    half = np.exp(1j * np.linspace(0, np.pi, 60))
    height = 0.45 + 0.18 * radius ** 1.5 + 0.09 * dial * (radius > 1)
    axes.plot(middle + radius * half.real, 0.46 + height * half.imag,
              color=DIALS[dial], dashes=DASHES[dial] or (1, 0))


def _pairs_alt(rotary_dim):
    text = {layout: ", ".join(
        f"({a}, {b})" for a, b in zip(*pair_indices(rotary_dim, layout)))
        for layout in LAYOUTS}
    return (f"Interleaved pairs are {text['interleaved']}; half-split pairs"
            f" are {text['half']}.")


def mixed_layouts(q, k, inv_freq, reach=24):
    """Score against the offset: the layout of the vectors, and the other.

    Parameters
    ----------
    q, k : array_like, shape (d,)
        Their pairs are interleaved.
    inv_freq : array_like, shape (d/2,)
        Radians per token.
    reach : int
        Offsets run from `-reach` to `reach`.

    Returns
    -------
    Picture

    Examples
    --------
    >>> mixed_layouts([1, 0, 1, 0], [1, 0, 1, 0], [1.0, 0.1]).alt[-30:]
    'layout it is off by up to 1.9.'
    """
    fine = np.linspace(-reach, reach, 401)
    whole = np.arange(-reach, reach + 1)
    with canvas() as (figure, axes):
        for layout, dashes in zip(LAYOUTS, ((1, 0), (4, 2))):
            axes.plot(fine, score(q, k, 0, fine, inv_freq, layout), lw=1.2,
                      color=INK, dashes=dashes, label=LAYOUTS[layout])
        figure.legend(loc="outside upper center", ncols=2)
        right, wrong = (score(q, k, 0, whole, inv_freq, layout)
                        for layout in LAYOUTS)
        axes.plot(whole, right, ".", color=INK)
        axes.plot(0, right[reach], "o", color=COLORS["k"], ms=7)
        axes.set(xlabel="offset n - m in tokens", ylabel="score")
        return Picture(figure, "Score against offset: at offset 0 both"
                       f" layouts give {right[reach]:.2f}, elsewhere"
                       " in the other layout it is off by up to"
                       f" {np.abs(right - wrong).max():.2g}.")


def bent_sum(q, k):
    """A map that keeps lengths and is not linear: each turns by its length.

    Parameters
    ----------
    q, k : array_like, shape (2,)

    Returns
    -------
    Picture

    Examples
    --------
    >>> bent_sum([1.2, 0.4], [0.9, -0.5]).alt[:45]
    'Each vector is turned by its own length: T(q '
    """
    q, k = np.array(q, dtype=float), np.array(k, dtype=float)
    turned = [rotate(v, np.linalg.norm(v), [1.0]) for v in (q, k, q + k)]
    gap = np.linalg.norm(turned[0] + turned[1] - turned[2])
    tips = [np.array([q, k, q + k]), np.array(turned)]
    names = [("$q$", "$k$", "$q + k$"), ("$T(q)$", "$T(k)$", "$T(q + k)$")]
    with canvas(1, 2, height=2.7) as (figure, panels):
        for axes, title, ends, texts in zip(
                panels, ("before", "after"), tips, names):
            _sum_of_two(axes, ends, texts)
            axes.set_title(title)
        return Picture(figure, "Each vector is turned by its own length:"
                       " T(q + k) keeps the length of q + k but misses the"
                       f" corner T(q) + T(k) by {gap:.2f}.")


def _sum_of_two(axes, ends, names):
    corner = ends[0] + ends[1]
    for end, name, color, side in zip(ends, names, (*VECTORS, INK), SIDES):
        _ray(axes, end, color, name, side)
    for start in ends[:2]:
        axes.plot(*zip(start, corner), color=INK, lw=0.8, dashes=(3, 2))
    points = np.vstack([ends, corner, 0 * corner])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    reach = 0.8 * np.linalg.norm(ends[2])
    axes.set_aspect("equal")
    _bare(axes, xlim=middle[0] + np.array([-reach, reach]),
          ylim=middle[1] + np.array([-reach, reach]))


def _ray(axes, tip, color, name, side):
    axes.annotate("", tip, (0, 0), arrowprops={
        "arrowstyle": "-|>", "color": color, "lw": 1.6, "shrinkA": 0,
        "shrinkB": 0})
    # Beyond the tip in points, or to one side of it, clear of other lines.
    beyond = complex(*tip) / np.linalg.norm(tip) * np.exp(1j * side)
    axes.annotate(name, tip, ((8 + 2 * len(name)) * beyond.real,
                              12 * beyond.imag), textcoords="offset points",
                  color=color, ha="center", va="center")


def eigenvalues(*matrices):
    """Eigenvalues of orthogonal matrices on the unit circle.

    Parameters
    ----------
    *matrices : array_like, shape (d, d)
        Orthogonal, one panel for each; four planes at most have a color.

    Returns
    -------
    Picture

    Examples
    --------
    >>> eigenvalues([[0, -1], [1, 0]]).alt
    'Eigenvalues on the unit circle. Determinant 1: one pair at 1.57 rad.'
    """
    with canvas(1, len(matrices), height=2.8) as (figure, panels):
        texts = [_spectrum(axes, np.linalg.eigvals(matrix))
                 for axes, matrix in zip(np.ravel(panels), matrices)]
        return Picture(figure, "Eigenvalues on the unit circle. "
                       + ". ".join(texts) + ".")


def _spectrum(axes, values):
    axes.set_aspect("equal")
    _bare(axes, xlim=(-1.6, 1.6), ylim=(-1.35, 1.35))
    axes.plot(CIRCLE.real, CIRCLE.imag, color=INK, lw=0.5)
    axes.axhline(0, color=INK, lw=0.5)
    real = np.sort(values.real[np.abs(values.imag) < 1e-9]).round()
    angles = np.sort(np.angle(values[values.imag > 1e-9]))
    for dial, angle in enumerate(angles):
        _conjugates(axes, dial, angle)
    for value in real:
        axes.plot(value, 0, "s", color=INK, ms=6)
        axes.text(1.25 * value, 0.1, _signed(f"{value:+.0f}"), ha="center")
    det = round(float(np.prod(values).real))
    axes.set_title(_signed(f"det = {det}"))
    return _spectrum_text(det, real, angles)


def _conjugates(axes, dial, angle):
    x, y = np.cos(angle), np.sin(angle)
    axes.plot([x, x], [y, -y], "o-", color=DIALS[dial], lw=1.2, ms=5)
    axes.text(1.33 * x, 1.18 * y, f"{angle:.2f}", color=DIALS[dial],
              ha="center", va="center")


def _spectrum_text(det, real, angles):
    pairs = " and ".join(f"{angle:.2f}" for angle in angles)
    count = {1: "one pair"}.get(len(angles), f"{len(angles)} pairs")
    signs = "".join(f", one at {value:+.0f}" for value in real)
    return f"Determinant {det}: {count} at {pairs} rad{signs}"
