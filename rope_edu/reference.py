"""RoPE in NumPy, in the five forms of the book: slow, plain and checked.

Each form turns pair ``i`` of a vector at position ``m`` counterclockwise by
``m * inv_freq[i]``. They agree to rounding; which one is used is a question
of cost, and the elementwise ones are the cheapest.

The arithmetic is float64 and so is the result, whatever real dtype comes in:
this is what other implementations are compared with. No argument is changed.
NaN and infinity in ``x`` are data, not errors: they spoil their own pair and
no other, except in `rotate_dense`, where ``0 * nan`` spreads them over the
vector.

Vectors lie on the last axis and the sequence on the second last, so that
``x`` has shape (..., sequence, head_dim).
"""

import numpy as np

from rope_edu._checks import (
    as_choice,
    as_even,
    as_inv_freq,
    as_layout,
    as_positions,
    as_real,
    as_rotary_dim,
    as_vectors,
    check_places,
    rotated_width,
    with_axis,
)
from rope_edu.frequencies import angles
from rope_edu.layouts import pair_indices


def _checked(x, ids, inv_freq, rotary_dim, names=("x", "position_ids")):
    x, rates = as_vectors(names[0], x), as_inv_freq(inv_freq)
    ids = as_positions(ids, names[1])
    width = rotated_width(x.shape[-1], rates, rotary_dim, names[0])
    check_places(ids, x.shape, names)
    return x, ids, rates, width


def _parts(x, position_ids, inv_freq, rotary_dim):
    # The channels to rotate, the channels to keep, and the angles.
    x, ids, rates, width = _checked(x, position_ids, inv_freq, rotary_dim)
    if x.ndim == 1:
        x = np.broadcast_to(x, ids.shape + x.shape)
    return x[..., :width], x[..., width:], angles(ids, rates)


def _join(first, second, tail, layout):
    # Put pairs back into their channels, in front of the kept ones.
    turned = np.empty(first.shape[:-1] + (2 * first.shape[-1],))
    one, two = pair_indices(turned.shape[-1], layout)
    turned[..., one], turned[..., two] = first, second
    return np.concatenate([turned, tail], axis=-1)


def _matrix(angle, layout):
    width = 2 * angle.shape[-1]
    first, second = pair_indices(width, layout)
    matrix = np.zeros(angle.shape[:-1] + (width, width))
    matrix[..., first, first] = np.cos(angle)
    matrix[..., first, second] = -np.sin(angle)
    matrix[..., second, first] = np.sin(angle)
    matrix[..., second, second] = np.cos(angle)
    return matrix


def rotation_matrix(
    position, inv_freq, layout="interleaved", convention="column"
):
    """Dense rotation of one position, with one 2x2 turn for each pair.

    Parameters
    ----------
    position : array_like, any shape
        Position in tokens, usually a single number.
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    layout : {"interleaved", "half"}
        Which channels form a pair.
    convention : {"column", "row"}
        "column" gives R for ``R @ x``; "row" gives its transpose, for
        ``x @ R`` with vectors on the last axis.

    Returns
    -------
    numpy.ndarray, shape position.shape + (2 * pairs, 2 * pairs), float64

    Raises
    ------
    TypeError, ValueError
        If `layout` or `convention` is unknown, or `position` or `inv_freq`
        is wrong as in `angles`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (15).

    Examples
    --------
    >>> rotation_matrix(1, [1.0]).round(4).tolist()
    [[0.5403, -0.8415], [0.8415, 0.5403]]
    """
    convention = as_choice("convention", convention, ("column", "row"))
    angle = angles(as_positions(position, "position"), inv_freq)
    matrix = _matrix(angle, layout)
    return matrix if convention == "column" else np.swapaxes(matrix, -1, -2)


def rotate_dense(
    x, position_ids, inv_freq, layout="interleaved", rotary_dim=None
):
    """Rotate with the dense matrix: ``R @ x``, d*d products per vector.

    Arguments, result and errors are those of `rotate`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eqs. (14) and (15).

    Examples
    --------
    >>> rotate_dense([1.0, 0.0], 1, [1.0]).round(4).tolist()
    [0.5403, 0.8415]
    """
    part, tail, angle = _parts(x, position_ids, inv_freq, rotary_dim)
    turned = np.einsum("...ij,...j->...i", _matrix(angle, layout), part)
    return np.concatenate([turned, tail], axis=-1)


def rotate_blocks(
    x, position_ids, inv_freq, layout="interleaved", rotary_dim=None
):
    """Rotate with one 2x2 matrix for each pair, leaving out the zeros.

    Arguments, result and errors are those of `rotate`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eqs. (13) and (15).

    Examples
    --------
    >>> rotate_blocks([1.0, 0.0], 1, [1.0]).round(4).tolist()
    [0.5403, 0.8415]
    """
    part, tail, angle = _parts(x, position_ids, inv_freq, rotary_dim)
    first, second = pair_indices(part.shape[-1], layout)
    pairs = np.stack([part[..., first], part[..., second]], axis=-1)
    blocks = _matrix(angle[..., None], "interleaved")
    turned = (blocks @ pairs[..., None])[..., 0]
    return _join(turned[..., 0], turned[..., 1], tail, layout)


def rotate_complex(
    x, position_ids, inv_freq, layout="interleaved", rotary_dim=None
):
    """Rotate each pair as one complex number: ``z * exp(1j * angle)``.

    Arguments, result and errors are those of `rotate`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (12).

    Examples
    --------
    >>> rotate_complex([1.0, 0.0], 1, [1.0]).round(4).tolist()
    [0.5403, 0.8415]
    """
    part, tail, angle = _parts(x, position_ids, inv_freq, rotary_dim)
    first, second = pair_indices(part.shape[-1], layout)
    z = part[..., first] + 1j * part[..., second]
    turned = z * np.exp(1j * angle)
    return _join(turned.real, turned.imag, tail, layout)


def rotate_interleaved(x, position_ids, inv_freq, rotary_dim=None):
    """Rotate interleaved pairs elementwise: ``x * cos + partner * sin``.

    Arguments, result and errors are those of `rotate`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (34).

    Examples
    --------
    >>> rotate_interleaved([1, 0, 0, 1], 1, [1.0, 0.1]).round(4).tolist()
    [0.5403, 0.8415, -0.0998, 0.995]
    """
    part, tail, angle = _parts(x, position_ids, inv_freq, rotary_dim)
    twice = np.repeat(angle, 2, axis=-1)
    partner = np.stack([-part[..., 1::2], part[..., 0::2]], axis=-1)
    turned = part * np.cos(twice) + partner.reshape(part.shape) * np.sin(twice)
    return np.concatenate([turned, tail], axis=-1)


def rotate_half_split(x, position_ids, inv_freq, rotary_dim=None):
    """Rotate half-split pairs elementwise: ``x * cos + partner * sin``.

    Arguments, result and errors are those of `rotate`. Other libraries call
    the partner alone ``rotate_half``; this is the whole rotation.

    Examples
    --------
    >>> rotate_half_split([1, 0, 0, 1], 1, [1.0, 0.1]).round(4).tolist()
    [0.5403, -0.0998, 0.8415, 0.995]
    """
    part, tail, angle = _parts(x, position_ids, inv_freq, rotary_dim)
    twice = np.concatenate([angle, angle], axis=-1)
    left, right = np.split(part, 2, axis=-1)
    partner = np.concatenate([-right, left], axis=-1)
    turned = part * np.cos(twice) + partner * np.sin(twice)
    return np.concatenate([turned, tail], axis=-1)


_FORMS = {"interleaved": rotate_interleaved, "half": rotate_half_split}


def rotate(x, position_ids, inv_freq, layout="interleaved", rotary_dim=None):
    """Rotate every pair of ``x`` by its position times its rate.

    Parameters
    ----------
    x : array_like, shape (..., sequence, head_dim) or (head_dim,)
        Real numbers, after the projection and split into heads. A single
        vector is placed at every one of the positions.
    position_ids : array_like
        Positions in tokens, as in `angles`. Either one number; or one for
        each place of the sequence, which is the second last axis of `x`; or
        an array with as many axes as ``x.shape[:-1]``, each of the same
        length or 1. So ids of shape (batch, sequence) are written
        ``position_ids[:, None, :]`` for an `x` of shape (batch, heads,
        sequence, head_dim), and ``position_ids[:, :, None]`` for one of
        shape (batch, sequence, heads, head_dim). With a single vector, any
        shape.
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    layout : {"interleaved", "half"}
        Which channels form a pair.
    rotary_dim : int, optional
        To be given for a partial rotation, where ``head_dim > 2 * pairs``,
        and then equal to ``2 * pairs``: the channels after it are returned
        unchanged.

    Returns
    -------
    numpy.ndarray, shape of `x`, float64
        For a single vector, shape position_ids.shape + (head_dim,).

    Raises
    ------
    TypeError
        If an argument holds anything but integers and floats.
    ValueError
        If `layout` is unknown, the widths of `x`, `inv_freq` and
        `rotary_dim` do not fit together, the axes of `position_ids` do not
        fit `x`, or `position_ids` or `inv_freq` is wrong as in `angles`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eqs. (14) and (34).

    Examples
    --------
    >>> rotate([1, 0, 0, 1], 1, [1.0, 0.1]).round(4).tolist()
    [0.5403, 0.8415, -0.0998, 0.995]
    """
    return _FORMS[as_layout(layout)](x, position_ids, inv_freq, rotary_dim)


def _width_of(angle, x, rotary_dim):
    width, given = 2 * angle.shape[-1], x.shape[-1]
    if rotary_dim is not None:
        given = as_even("rotary_dim", rotary_dim)
    if given != width:
        name = "x.shape[-1]" if rotary_dim is None else "rotary_dim"
        raise ValueError(
            f"{name} must be 2*angle.shape[-1] = {width}, got {given}"
        )
    return as_rotary_dim(width, x.shape[-1])


def _as_scale(scale, shape):
    scale = as_real("scale", scale)
    if scale.shape not in ((), shape):
        raise ValueError(
            f"scale must be one number or have the shape of angle, {shape},"
            f" got shape {scale.shape}"
        )
    if not np.isfinite(scale).all():
        raise ValueError(
            f"scale must be finite, got {scale[~np.isfinite(scale)].flat[0]}"
        )
    return scale


def rotate_by_angles(
    x, angle, layout="interleaved", rotary_dim=None, scale=1.0
):
    """Rotate every pair of ``x`` by an angle of its own.

    For positions that are more than one number: `rope_edu.spatial` gives
    such angles. ``rotate(x, m, r)`` is ``rotate_by_angles(x, angles(m, r))``.

    Parameters
    ----------
    x : array_like, shape (..., sequence, head_dim) or (head_dim,)
        As in `rotate`.
    angle : array_like, shape (..., pairs)
        Radians. The axes before the last are read like `position_ids` in
        `rotate`: angles of shape (batch, sequence, pairs) are written
        ``angle[:, None]`` for an `x` of shape (batch, heads, sequence,
        head_dim).
    layout, rotary_dim
        As in `rotate`, with ``pairs = angle.shape[-1]``.
    scale : array_like, one number or of the shape of `angle`
        Both numbers of a pair are multiplied by it.

    Returns
    -------
    numpy.ndarray, shape of `x`, float64
        For a single vector, shape angle.shape[:-1] + (head_dim,).

    Raises
    ------
    TypeError, ValueError
        As in `rotate`, or if `angle` or `scale` is not finite, or `scale`
        has another shape.

    Examples
    --------
    >>> turned = rotate_by_angles([1, 0, 0, 1], [np.pi / 2, np.pi])
    >>> (turned.round(12) + 0).tolist()
    [0.0, 1.0, 0.0, -1.0]
    """
    x, angle = as_vectors("x", x), as_positions(angle, "angle")
    with_axis("angle", angle)
    width = _width_of(angle, x, rotary_dim)
    check_places(angle[..., 0], x.shape, ("x", "angle[..., 0]"))
    if x.ndim == 1:
        x = np.broadcast_to(x, angle.shape[:-1] + x.shape)
    first, second = pair_indices(width, layout)
    z = x[..., first] + 1j * x[..., second]
    turned = z * (_as_scale(scale, angle.shape) * np.exp(1j * angle))
    return _join(turned.real, turned.imag, x[..., width:], layout)


def unrotate(x, position_ids, inv_freq, layout="interleaved", rotary_dim=None):
    """Undo `rotate`: turn every pair back by the same angle.

    Arguments, result and errors are those of `rotate`.

    Examples
    --------
    >>> turned = rotate([1.0, 2.0], 5, [1.0])
    >>> unrotate(turned, 5, [1.0]).round(12).tolist()
    [1.0, 2.0]
    """
    back = -as_positions(position_ids)
    return rotate(x, back, inv_freq, layout, rotary_dim)


def score(q, k, m, n, inv_freq, layout="interleaved", rotary_dim=None):
    """Dot product of a query rotated at ``m`` and a key rotated at ``n``.

    It depends on ``n - m`` and the vectors alone, and is not divided by the
    square root of the width.

    Parameters
    ----------
    q, k : array_like, shape (..., head_dim)
        Queries and keys; after the rotation they broadcast to each other.
    m, n : array_like
        Their positions, as `position_ids` in `rotate`.
    inv_freq, layout, rotary_dim
        As in `rotate`.

    Returns
    -------
    numpy.ndarray or numpy.float64
        The last axis of the rotated vectors is summed away.

    Raises
    ------
    TypeError, ValueError
        As in `rotate`, or if the rotated queries and keys do not broadcast.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (16).

    Examples
    --------
    >>> q = k = [1.0, 0.0]
    >>> score(q, k, 2, [2, 3, 4], [1.0]).round(4).tolist()
    [1.0, 0.5403, -0.4161]
    """
    q, m, *_ = _checked(q, m, inv_freq, rotary_dim, ("q", "m"))
    k, n, *_ = _checked(k, n, inv_freq, rotary_dim, ("k", "n"))
    q = rotate(q, m, inv_freq, layout, rotary_dim)
    k = rotate(k, n, inv_freq, layout, rotary_dim)
    try:
        return np.einsum("...d,...d->...", q, k)
    except ValueError as error:
        raise ValueError(
            f"q, rotated to shape {q.shape}, and k, rotated to shape"
            f" {k.shape}, must broadcast to each other"
        ) from error
