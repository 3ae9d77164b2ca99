"""Where the two numbers of a pair are stored: interleaved or half-split.

"interleaved" keeps pair ``i`` at channels ``(2i, 2i + 1)``, as the RoFormer
paper writes it; "half" keeps it at ``(i, i + rotary_dim / 2)``, as the
Hugging Face models do. Both hold the same numbers in a different order, so a
vector, or the rows of a projection weight, can be carried from one to the
other. Mixing them raises no error and gives wrong scores.
"""

import numpy as np

from rope_edu._checks import (
    LAYOUTS,
    as_array,
    as_choice,
    as_count,
    as_even,
    as_layout,
    as_rotary_dim,
    as_width,
    with_axis,
)


def pair_indices(rotary_dim, layout):
    """Channels of the first and of the second number of every pair.

    Parameters
    ----------
    rotary_dim : int
        Even number of rotated channels.
    layout : {"interleaved", "half"}

    Returns
    -------
    first, second : numpy.ndarray of int, shape (rotary_dim // 2,)
        Pair ``i`` is ``(x[first[i]], x[second[i]])``.

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not a positive even integer of at most 2**20, or
        `layout` is unknown.

    Examples
    --------
    >>> [index.tolist() for index in pair_indices(8, "half")]
    [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    channels = np.arange(as_even("rotary_dim", rotary_dim))
    if as_layout(layout) == "interleaved":
        return channels[0::2], channels[1::2]
    return channels[: rotary_dim // 2], channels[rotary_dim // 2 :]


def permutation(head_dim, rotary_dim=None):
    """Order ``P`` such that ``x[..., P]`` is the half-split form of ``x``.

    The inverse, from half-split to interleaved, is ``numpy.argsort(P)``.

    Parameters
    ----------
    head_dim : int
        Channels of one head.
    rotary_dim : int, optional
        Channels that are rotated, all by default. The rest stay in place.

    Returns
    -------
    numpy.ndarray of int, shape (head_dim,)

    Raises
    ------
    TypeError, ValueError
        If a width is not a positive integer of at most 2**20, the rotated
        width is odd, or it is wider than the head.

    Examples
    --------
    >>> permutation(8).tolist()
    [0, 2, 4, 6, 1, 3, 5, 7]
    >>> permutation(8, rotary_dim=4).tolist()
    [0, 2, 1, 3, 4, 5, 6, 7]
    """
    width = as_rotary_dim(rotary_dim, head_dim)
    first, second = pair_indices(width, "interleaved")
    return np.concatenate([first, second, np.arange(width, head_dim)])


def _order(head_dim, to, rotary_dim):
    order = permutation(head_dim, rotary_dim)
    return order if to == "half" else np.argsort(order)


def _reorder(x, to, rotary_dim):
    x = with_axis("x", as_array("x", x))
    return x[..., _order(x.shape[-1], to, rotary_dim)]


def interleaved_to_half(x, rotary_dim=None):
    """Reorder the last axis from interleaved to half-split pairs.

    Parameters
    ----------
    x : array_like, shape (..., head_dim)
        Any dtype; it is kept.
    rotary_dim : int, optional
        Channels that are rotated, all by default. The rest stay in place.

    Returns
    -------
    numpy.ndarray, shape of `x`
        A copy.

    Raises
    ------
    TypeError, ValueError
        As in `permutation`, or if `x` has no axis or is masked.

    Examples
    --------
    >>> interleaved_to_half([10, 11, 20, 21]).tolist()
    [10, 20, 11, 21]
    """
    return _reorder(x, "half", rotary_dim)


def half_to_interleaved(x, rotary_dim=None):
    """Reorder the last axis from half-split to interleaved pairs.

    The inverse of `interleaved_to_half`, with the same arguments.

    Parameters
    ----------
    x : array_like, shape (..., head_dim)
        Any dtype; it is kept.
    rotary_dim : int, optional
        Channels that are rotated, all by default. The rest stay in place.

    Returns
    -------
    numpy.ndarray, shape of `x`
        A copy.

    Raises
    ------
    TypeError, ValueError
        As in `permutation`, or if `x` has no axis or is masked.

    Examples
    --------
    >>> half_to_interleaved([10, 20, 11, 21]).tolist()
    [10, 11, 20, 21]
    """
    return _reorder(x, "interleaved", rotary_dim)


def permute_weight(weight, num_heads, to, rotary_dim=None, *, head_dim=None):
    """Reorder the output channels of a query or key projection, per head.

    Vectors made by the new weight are those of the old one in the other
    layout. Do it to both projections, or every score changes. Each takes its
    own number of heads: with grouped-query attention the key projection has
    fewer. The value projection is not rotated and stays as it is.

    Parameters
    ----------
    weight : array_like, shape (num_heads * head_dim, in_features)
        A projection used as ``weight @ x``, or its bias, of shape
        (num_heads * head_dim,). Any dtype; it is kept. Of a torch layer
        give ``weight.detach()``.
    num_heads : int
        Heads of this projection.
    to : {"half", "interleaved"}
        Layout of the result. The weight is taken to be in the other one.
    rotary_dim : int, optional
        Channels of each head that are rotated, all by default.
    head_dim : int, optional
        If given, checked against ``weight.shape[0] // num_heads``. The query
        head count passed with a key weight would otherwise go unnoticed.

    Returns
    -------
    numpy.ndarray, shape of `weight`
        A copy.

    Raises
    ------
    TypeError, ValueError
        If `to` is unknown, `weight` is not 1-D or 2-D, its first axis does
        not split into `num_heads` heads of `head_dim`, or a width is wrong
        as in `permutation`.

    Examples
    --------
    >>> permute_weight([0, 1, 2, 3, 4, 5, 6, 7], 2, to="half").tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    weight, to = as_array("weight", weight), as_choice("to", to, LAYOUTS)
    width = _head_width(weight, as_count("num_heads", num_heads), head_dim)
    heads = weight.reshape(num_heads, width, *weight.shape[1:])
    return heads[:, _order(width, to, rotary_dim)].reshape(weight.shape)


def _head_width(weight, num_heads, head_dim):
    if weight.ndim not in (1, 2):
        raise ValueError(
            f"weight must be 1-D or 2-D, got shape {weight.shape}"
        )
    width, rest = divmod(weight.shape[0], num_heads)
    if rest:
        raise ValueError(
            f"weight.shape[0] must be a multiple of num_heads = {num_heads},"
            f" got {weight.shape[0]}"
        )
    if head_dim is not None and as_width("head_dim", head_dim) != width:
        raise ValueError(
            f"weight.shape[0] must be num_heads * head_dim ="
            f" {num_heads} * {head_dim}, got {weight.shape[0]}"
        )
    return width
