"""Argument checks shared by the NumPy rooms: each rule is written once.

Every function returns the checked value in the form the callers work with,
or raises an error that names the argument, the value and what is right.
"""

import math
import numbers
from collections.abc import Sequence

import numpy as np

LAYOUTS = ("interleaved", "half")

# float64 holds every integer up to here and skips some beyond.
LARGEST_POSITION = 2**53

# A thousand times the widest head of a model: past it stands a length or a
# number of parameters, and tables of that size would exhaust the memory.
WIDEST = 2**20


def as_count(name, value):
    """Return a positive Python int; a bool or a float is not a count."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be positive, got {value}")
    return int(value)


def as_width(name, value):
    """Return a positive Python int that a head may have as its width."""
    width = as_count(name, value)
    if width > WIDEST:
        raise ValueError(
            f"{name} must be at most 2**20 (heads have some hundred"
            f" channels), got {width}"
        )
    return width


def as_even(name, value):
    """Return an even width: two numbers for each pair."""
    width = as_width(name, value)
    if width % 2:
        raise ValueError(f"{name} must be even (pairs of 2), got {width}")
    return width


def _as_float(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:  # an integer past the largest float
        return math.inf


def as_number(name, value):
    """Return a finite number as a float."""
    number = _as_float(name, value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value}")
    return number


def as_positive(name, value):
    """Return a finite number above 0 as a float."""
    number = as_number(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {value}")
    return number


def as_base(base):
    """Return the base as a float above 1, so that rates fall with i."""
    number = _as_float("base", base)
    if not 1 < number < math.inf:
        raise ValueError(f"base must be finite and above 1, got {base}")
    return number


def as_choice(name, value, choices):
    """Return the value if it is one of the allowed strings."""
    if not isinstance(value, str) or value not in choices:
        allowed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return value


def as_flag(name, value):
    """Return a bool; the text "False" would count as True."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return value


def as_layout(layout):
    """Return the name of a layout, ``"interleaved"`` or ``"half"``."""
    return as_choice("layout", layout, LAYOUTS)


def _is_list(value):
    texts = (str, bytes, bytearray, memoryview)
    return isinstance(value, Sequence) and not isinstance(value, texts)


def _leaves(value):
    """Yield what nested lists hold, before NumPy makes it one dtype."""
    if not _is_list(value):
        yield value
        return
    for part in value:
        yield from _leaves(part)


def _check_leaf(name, leaf):
    """Refuse what NumPy would read as other numbers than were meant."""
    if isinstance(leaf, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must not be masked (the mask would be lost): pass its"
            " .filled(number) or .compressed()"
        )
    if isinstance(leaf, (bytearray, memoryview)):
        raise TypeError(
            f"{name} must hold numbers, got a {type(leaf).__name__}: read"
            " it with np.frombuffer"
        )


def _to_array(name, value):
    try:
        return np.asarray(value)
    except RecursionError:
        raise
    except (TypeError, RuntimeError) as error:
        raise TypeError(
            f"{name} must be an array that NumPy can read (of a torch tensor"
            " give .detach().cpu(), of bfloat16 .detach().float().cpu()):"
            f" {error}"
        ) from error


def as_array(name, value):
    """Return the value as an array, with its own dtype."""
    try:
        for leaf in _leaves(value):
            _check_leaf(name, leaf)
        return _to_array(name, value)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} must be rectangular: {error}") from error


def _as_float64(name, array):
    with np.errstate(over="ignore"):
        result = array.astype(np.float64, copy=False)
    lost = np.isinf(result) & np.isfinite(array)
    if lost.any():
        raise ValueError(
            f"{name} must fit into float64, at most 1.8e308 in size, got"
            f" {array[lost].flat[0]!s}"
        )
    return result


def _dtypes(value):
    # Of each number by itself: [1.0, True] is an array of floats.
    return {np.asarray(leaf).dtype for leaf in _leaves(value)}


def _check_precise(name, value):
    """Refuse positions and rates that float16 has rounded already."""
    as_array(name, value)
    if np.dtype(np.float16) in _dtypes(value):
        raise TypeError(
            f"{name} must hold integers, float32 or float64: float16 has lost"
            " digits that no later cast brings back"
        )


def as_real(name, value):
    """Return a float64 array made of integers or floats, nothing else."""
    array = as_array(name, value)
    dtypes = _dtypes(value)
    odd = sorted(str(dtype) for dtype in dtypes if dtype.kind not in "iuf")
    if odd:
        raise TypeError(
            f"{name} must hold integers or floats, got dtype {odd[0]}"
        )
    return _as_float64(name, array)


def with_axis(name, array):
    """Return the array if it has at least one axis."""
    if array.ndim == 0:
        kind = ValueError if array.dtype.kind in "biufc" else TypeError
        raise kind(f"{name} must be a vector or more, got {array.item()!r}")
    return array


def as_vectors(name, value):
    """Return a float64 array with at least one axis, the last one d long."""
    return with_axis(name, as_real(name, value))


def as_inv_freq(inv_freq):
    """Return the rates as a finite, non-empty 1-D float64 array."""
    _check_precise("inv_freq", inv_freq)
    rates = as_real("inv_freq", inv_freq)
    if rates.ndim != 1 or rates.size == 0:
        raise ValueError(
            "inv_freq must be 1-D with one rate per pair,"
            f" got shape {rates.shape}"
        )
    odd = rates[~np.isfinite(rates)]
    if odd.size:
        raise ValueError(f"inv_freq must be finite, got {odd[0]}")
    return rates


def _unrounded(name, value):
    """Return an array of numbers that still tells 2**53 + 1 from 2**53.

    In a list, a fraction beside an integer would have NumPy round it.
    Integers past 64 bits come as objects, too.
    """
    array = as_array(name, value)
    if _is_list(value):
        array = np.array(value, dtype=object)
    if array.dtype != object or not all(
        isinstance(place, numbers.Real) for place in array.flat
    ):
        as_real(name, value)
    return array


def as_positions(position_ids, name="position_ids"):
    """Return positions as float64, refusing what float64 cannot count."""
    _check_precise(name, position_ids)
    ids = _unrounded(name, position_ids)
    with np.errstate(invalid="ignore"):
        near = (ids >= -LARGEST_POSITION) & (ids <= LARGEST_POSITION)
    if not np.all(near):
        raise ValueError(
            f"{name} must be finite and within -2**53..2**53 (float64 skips"
            f" integers beyond), got {ids[~near].flat[0]!s}"
        )
    return as_real(name, position_ids)


def as_rotary_dim(rotary_dim, head_dim):
    """Return the even width that is rotated: all of the head by default."""
    if rotary_dim is None:
        return as_even("head_dim", head_dim)
    width = as_even("rotary_dim", rotary_dim)
    if width > as_width("head_dim", head_dim):
        raise ValueError(
            f"rotary_dim must be at most head_dim = {head_dim}, got {width}"
        )
    return width


def rotated_width(head_dim, inv_freq, rotary_dim, name="x"):
    """Return 2*len(inv_freq) where the call says that this is meant."""
    width = 2 * len(inv_freq)
    if rotary_dim is None and head_dim != width:
        hint = f"; if partial, rotary_dim={width}" if head_dim > width else ""
        raise ValueError(
            f"{name}.shape[-1] must be 2*len(inv_freq) = {width},"
            f" got {head_dim}{hint}"
        )
    if rotary_dim is not None and as_even("rotary_dim", rotary_dim) != width:
        raise ValueError(
            f"rotary_dim must be 2*len(inv_freq) = {width}, got {rotary_dim}"
        )
    return as_rotary_dim(width, head_dim)


def check_places(ids, shape, names=("x", "position_ids")):
    """Refuse positions whose axes could be read in two ways.

    `shape` is that of the vectors; its second last axis is the sequence.
    """
    grid = shape[:-1]
    if ids.ndim == 0 or not grid or ids.shape == grid[-1:]:
        return
    same_axes = 1 < ids.ndim == len(grid)
    if same_axes and all(p in (1, g) for p, g in zip(ids.shape, grid)):
        return
    hint = ""
    if (ids.ndim, len(grid)) == (2, 3):
        hint = f"; for (batch, sequence) write {names[1]}[:, None, :]"
    raise ValueError(
        f"{names[1]} of shape {ids.shape} does not fit {names[0]} of shape"
        f" {shape}: give one number, {grid[-1]} numbers (for the second last"
        f" axis), or {len(grid)} axes that broadcast to {grid}{hint}"
    )
