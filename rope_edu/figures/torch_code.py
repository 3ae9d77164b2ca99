"""Figures of the torch code: dtypes, shapes, errors, programs, a roofline."""

from __future__ import annotations

import numpy as np
import torch

from ..doctor.rounding import angles_of
from ..reference import rotate
from ..rotary import RotaryEmbedding
from ..running import INV_FREQ
from .dimensions import _bare, _box
from .precision import DASHED, TINTS
from .style import COLORS, INK, Picture, canvas

FORMATS = ("bfloat16", "float16", "float32")
# Middle of each box of the pipeline.
COLUMNS, ROWS = (1.6, 5.0, 8.4), (4.0, 1.2)


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def _stage(axes, x, y, what, dtype, color):
    axes.add_patch(_wide_box(x, y, color))
    axes.text(x, y + 0.28, what, ha="center", va="center")
    axes.text(x, y - 0.33, dtype, ha="center", va="center", color=color,
              fontweight="bold")


def _wide_box(x, y, color):
    from matplotlib.patches import FancyBboxPatch

    return FancyBboxPatch((x - 1.3, y - 0.7), 2.6, 1.4, lw=1.2,
                          boxstyle="round,pad=0,rounding_size=0.15",
                          edgecolor=color, facecolor=color + "22",
                          clip_on=False)  # its id would be an address


def _arrow(axes, start, stop):
    axes.annotate("", stop, start, arrowprops={
        "arrowstyle": "-|>", "color": INK, "lw": 1, "shrinkA": 0,
        "shrinkB": 0})


def pipeline(dtype="bfloat16", position=1_000_000):
    """Which dtype each step of a rotation has, read off from a run.

    Parameters
    ----------
    dtype : str
        Of the vectors: float16, bfloat16 or float32.
    position : int
        Of the key whose error the alt text names.

    Returns
    -------
    Picture

    Examples
    --------
    >>> pipeline().alt.split("; ")[0]
    'int64 positions, float64 angles, float32 cosines and sines'
    """
    x = _vectors(200).to(getattr(torch, dtype))
    rope, ids = RotaryEmbedding(INV_FREQ), torch.tensor(position)
    table, y = rope.table(ids)[0], rope(x, ids)
    off = _largest_error(y, x, position)
    names = [_name(t.dtype) for t in (ids, ids.double(), table, x, table, y)]
    with canvas(height=2.75) as (figure, axes):
        _bare(axes, xlim=(0, 10), ylim=(-0.2, 5.6))
        _stages(axes, names)
        return Picture(figure, f"{names[0]} positions, {names[1]} angles,"
                       f" {names[2]} cosines and sines; the vectors come in"
                       f" {names[3]}, are multiplied in {names[4]} and leave"
                       f" in {names[5]}. At position {position:,} no number"
                       f" is off by more than {off:.2g} of the length of its"
                       " pair.")


def _stages(axes, names):
    tints = (INK, INK, COLORS["q"], COLORS["k"], COLORS["q"], COLORS["k"])
    texts = ("position m", "angle mθ", "cos, sin", "x", "turn", "y")
    middles = [(x, y) for y in ROWS for x in COLUMNS]
    for (x, y), text, name, tint in zip(middles, texts, names, tints):
        _stage(axes, x, y, text, name, tint)
    for y in ROWS:
        for left, right in zip(COLUMNS, COLUMNS[1:]):
            _arrow(axes, (left + 1.3, y), (right - 1.3, y))
    _arrow(axes, (COLUMNS[2] - 0.6, 3.3), (COLUMNS[1] + 0.6, 1.9))
    axes.text(0.3, 5.05, "once, for all layers", va="center")
    axes.text(0.3, 2.25, "in every layer", va="center")


def _vectors(count, seed=0):
    """Random vectors of the running width, the same on every machine."""
    rng = np.random.default_rng(seed)
    return torch.tensor(rng.normal(size=(count, len(INV_FREQ) * 2)))


def _largest_error(y, x, ids):
    """Largest error of a number, as a share of its pair's length."""
    right = rotate(x.double().numpy(), ids, INV_FREQ)
    pairs = right.reshape(*right.shape[:-1], -1, 2)
    length = np.linalg.norm(pairs, axis=-1, keepdims=True)
    found = y.double().numpy().reshape(pairs.shape)
    return float((np.abs(found - pairs) / length).max())


def flat_errors(last=20, each=256):
    """Largest error of a turned number against its position.

    Four running dials; the error is a share of the length of the pair.

    Parameters
    ----------
    last : int
        The last position is below ``2**last``.
    each : int
        Positions between two powers of 2.

    Returns
    -------
    Picture

    Examples
    --------
    >>> flat_errors(last=8).alt.split(": ")[1].split(", ")[0]
    'bfloat16 0.0038'
    """
    ids = _spread(last, each)
    ends = [part[-1] for part in ids]
    told = []
    with canvas(height=3.3) as (figure, axes):
        for name in FORMATS:
            errors = [_module_error(part, name) for part in ids]
            axes.plot(ends, errors, color=TINTS[name], dashes=DASHED[name])
            _label(axes, ends[4], errors[4], name, TINTS[name])
            told.append(f"{name} {max(errors):.2g}")
        errors = [_angle_error(part) for part in ids]
        axes.plot(ends, errors, color=INK, lw=1)
        axes.annotate("angles in float32", (ends[last // 2],
                      errors[last // 2]), (14, -6),
                      textcoords="offset points")
        axes.set(xscale="log", yscale="log", ylabel="error / length of pair",
                 xlabel="up to position")
        return Picture(figure, "Largest error of a number, as a share of the"
                       " length of its pair, up to position"
                       f" {ends[-1]:,}: {', '.join(told)}, all three without"
                       " a slope; with angles in float32 it climbs to"
                       f" {errors[-1]:.2g}.")


def _label(axes, x, y, text, color):
    axes.annotate(text, (x, y), (0, 5), textcoords="offset points",
                  color=color, ha="right", va="bottom")


def _spread(last, each):
    """Positions from each power of 2 up to the next, `each` at most."""
    return [np.unique(np.linspace(2**j, 2 ** (j + 1) - 1, min(each, 2**j))
                      .astype(int)) for j in range(last)]


def _module_error(ids, dtype):
    x = _vectors(len(ids)).to(getattr(torch, dtype))
    y = RotaryEmbedding(INV_FREQ)(x, torch.tensor(ids))
    return _largest_error(y, x, ids)


def _angle_error(ids):
    """What is lost if rates and angles are float32, all else exact."""
    steps = ("positions", "frequencies", "angles")
    found = angles_of(steps, "float32", ids, INV_FREQ)
    gap = found - ids[:, None] * INV_FREQ
    return float(np.abs(2 * np.sin(gap / 2)).max())


def places(shape=(2, 3, 5)):
    """Positions that the module gives to each vector, for three kinds of ids.

    They are measured: each vector starts along the first axis of a dial of
    0.1 rad per token, and its angle is read off.

    Parameters
    ----------
    shape : tuple of int
        Batch, heads and sequence.

    Returns
    -------
    Picture

    Examples
    --------
    >>> places().alt.split(". ")[1]
    'ids of shape (2, 5) put row 1 at 7 8 9 10 11'
    """
    batch, _, length = shape
    rows = torch.arange(length) + 7 * torch.arange(batch)[:, None]
    kinds = (torch.tensor(4), torch.arange(length), rows)
    with canvas(1, len(kinds), height=2.5) as (figure, panels):
        for axes, ids in zip(panels, kinds):
            found = measured(ids, shape)
            _grid(axes, found, tuple(ids.shape))
        last = " ".join(map(str, found[-1, 0]))
        return Picture(figure, f"Positions of the vectors of {batch} rows and"
                       f" {shape[1]} heads. ids of shape"
                       f" {tuple(rows.shape)} put row {batch - 1} at {last}."
                       " All heads of a token stand at one place.")


def measured(ids, shape):
    """Positions at which a module turns the vectors of an array.

    Parameters
    ----------
    ids : torch.Tensor
        From 0 to 31.
    shape : tuple of int
        Of the array, without its channels.

    Returns
    -------
    numpy.ndarray of int, shape `shape`

    Examples
    --------
    >>> measured(torch.tensor([3, 1]), (1, 2)).tolist()
    [[3, 1]]
    """
    x = torch.zeros(*shape, 2)
    x[..., 0] = 1
    y = RotaryEmbedding([0.1])(x, ids).numpy()
    return np.rint(np.arctan2(y[..., 1], y[..., 0]) / 0.1).astype(int)


def _grid(axes, found, shape):
    batch, heads, length = found.shape
    _bare(axes, xlim=(-0.6, length - 0.4), ylim=(batch * heads + 0.2, -0.6))
    for (b, h, s), place in np.ndenumerate(found):
        y = b * (heads + 0.4) + h
        color = COLORS["q"]
        axes.add_patch(_box(s, y, color, size=0.9))
        axes.text(s, y, place, ha="center", va="center", fontsize=8.5)
    axes.set_title(f"{shape}", fontsize=9.5, loc="center")


def programs(batch=2, length=3, heads=4, key_heads=1, head_dim=128, mark=4):
    """Which program of the kernel reads and writes what.

    Parameters
    ----------
    batch, length : int
        Tokens; each has a program.
    heads, key_heads : int
        Of the query and of the key.
    head_dim : int
    mark : int
        Program that is framed.

    Returns
    -------
    Picture

    Examples
    --------
    >>> programs().alt.split("; ")[1]
    'program 4 turns row 1, place 1'
    """
    tokens, wide = batch * length, heads + key_heads
    with canvas(height=0.62 + 0.36 * tokens) as (figure, axes):
        _bare(axes, xlim=(-3.7, wide + 0.1), ylim=(tokens - 0.35, -1.25))
        for token in range(tokens):
            _program(axes, token, heads, key_heads)
        _frame(axes, mark, wide)
        for x, text in ((-3.0, "program"), (-1.45, "cos, sin"),
                        (heads / 2 - 0.5, f"q, {heads} heads"),
                        (heads + key_heads / 2 - 0.3, "k")):
            axes.text(x, -0.9, text, ha="center", va="center")
        row, place = divmod(mark, length)
        numbers = 2 * wide * head_dim
        return Picture(figure, f"{tokens} programs, one for each token;"
                       f" program {mark} turns row {row}, place {place};"
                       f" it reads and writes {numbers} numbers of vectors"
                       f" and reads {head_dim} of tables.")


def _program(axes, token, heads, key_heads):
    axes.text(-3.0, token, str(token), ha="center", va="center")
    _strip_box(axes, -2.2, token, 1.5, INK)
    for head in range(heads + key_heads):
        name = "q" if head < heads else "k"
        _strip_box(axes, head - 0.4 + 0.2 * (name == "k"), token, 0.8,
                   COLORS[name])


def _strip_box(axes, x, y, width, color):
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y - 0.33), width, 0.66, edgecolor=color,
                             facecolor=color + "38", lw=1.2))


def _frame(axes, token, wide):
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((-3.6, token - 0.47), wide + 3.6, 0.94, lw=1.6,
                             edgecolor=INK, facecolor="none"))


def roofline(points, vector=19.5e12, matrix=312e12, bandwidth=2.039e12):
    """What a device can do, by the operations asked for per byte moved.

    The defaults are peaks of one device, an NVIDIA A100 of 80 GB (SXM), from
    its data sheet: float32 on vectors, bfloat16 on matrices, memory.

    Parameters
    ----------
    points : dict of str to float
        Operations per byte of each task; names that end in "matrix" are
        drawn on the roof of matrices.
    vector, matrix : float
        Operations per second.
    bandwidth : float
        Bytes per second.

    Returns
    -------
    Picture

    Examples
    --------
    >>> roofline({"one pass": 0.75}).alt.split("; ")[1]
    'one pass at 0.75 can use 7.8 % of it.'
    """
    x = np.logspace(-1.3, 3.7, 200)
    with canvas(height=3.2) as (figure, axes):
        for peak, name in ((matrix, "matrices, bfloat16"),
                           (vector, "vectors, float32")):
            axes.plot(x, np.minimum(peak, bandwidth * x), color=INK, lw=1)
            axes.text(x[-1], 1.5 * peak, name, ha="right")
        told = [_point(axes, name, at, *(
            (matrix, bandwidth) if name.endswith("matrix") else
            (vector, bandwidth))) for name, at in points.items()]
        axes.set(xscale="log", yscale="log", xlabel="operations per byte",
                 ylabel="operations per second", ylim=(5e10, 2e15))
        return Picture(figure, "Roofline of one device: its peak is reached"
                       f" from {vector / bandwidth:.1f} operations per byte"
                       f" on; {', '.join(told)}.")


def _point(axes, name, at, peak, bandwidth):
    reached = min(peak, bandwidth * at)
    product = name.endswith("matrix")
    axes.plot(at, reached, "D" if product else "o", ms=6,
              color=COLORS["dial 1" if product else "q"])
    away, side = ((-7, 3), "right") if product else ((8, -4), "left")
    if reached == peak:
        away, side = (0, -12), "center"
    axes.annotate(name, (at, reached), away, textcoords="offset points",
                  va="center", ha=side)
    return f"{name} at {at:.3g} can use {100 * reached / peak:.1f} % of it"
