"""Positions of more than one number, and scales that grow with position.

A picture has rows and columns, a video time as well. Each function here
turns such positions into angles, one for each pair, which
`rope_edu.reference.rotate_by_angles` takes. They differ only in how much
each axis turns each pair. Every one of them is a case of `mixed_angles`:
the angle is a sum of coordinate times rate. Since angles add up, a score
depends on the offset along each axis and on nothing else.

Rotations of whole vectors that are not of this kind, made of generators that
do not commute, lose that property: `rotation_from_generators` shows it.

xPos keeps one number for the position and scales as well as turns.

Everything is computed in float64 from the arguments alone; there is no cache.
"""

import numbers
from collections.abc import Mapping, Set

import numpy as np

from rope_edu._checks import (
    as_choice,
    as_count,
    as_even,
    as_flag,
    as_inv_freq,
    as_positions,
    as_real,
)
from rope_edu.frequencies import inverse_frequencies

ORDERS = ("halves", "interleaved", "dealt")


def _as_number(name, value):
    number = as_positions(value, name)
    if number.ndim:
        raise ValueError(
            f"{name} must be one number, got shape {number.shape}"
        )
    return float(number)


def _as_quarters(rotary_dim):
    # Two axes, and two numbers for each pair.
    width = as_even("rotary_dim", rotary_dim)
    if width % 4:
        raise ValueError(
            "rotary_dim must be a multiple of 4 (pairs for each of 2 axes),"
            f" got {width}"
        )
    return width


def _as_coordinates(positions, axes):
    places = as_positions(positions, "positions")
    if places.ndim == 0 or places.shape[-1] != axes:
        raise ValueError(
            f"positions must have {axes} coordinates on the last axis, got"
            f" shape {places.shape}"
        )
    return places


def axial_angles(positions, rotary_dim, base=10000.0, order="halves"):
    """Angles of 2-D RoPE where each pair listens to one axis.

    Parameters
    ----------
    positions : array_like, shape (..., 2)
        Two coordinates, such as (row, column), integers or fractions. Which
        comes first is a convention of the model: Qwen2-VL and Pixtral write
        (row, column), the rope-vit code (column, row).
    rotary_dim : int
        Rotated channels of one head, a multiple of 4.
    base : float
        Above 1. The rope-vit models take 100, since a grid is short.
    order : {"halves", "interleaved", "dealt"}
        "halves": the first half of the pairs turns with the first
        coordinate, the second half with the second; pair ``j`` of each half
        has the rate ``base ** (-4 * j / rotary_dim)``. "interleaved": the
        same rates, but even pairs turn with the first coordinate and odd
        ones with the second. "dealt": halves again, but the rates of 1-D
        RoPE are dealt out in turn, so that the second coordinate turns more
        slowly than the first.

    Returns
    -------
    numpy.ndarray, shape positions.shape[:-1] + (rotary_dim // 2,), float64
        Radians.

    Raises
    ------
    TypeError, ValueError
        If `positions` has not two coordinates or is wrong as in `angles`,
        `rotary_dim` is not a positive multiple of 4, `base` is not above 1,
        or `order` is unknown.

    Notes
    -----
    "interleaved" here is about axes. How the two numbers of a pair are
    stored is the `layout` of the rotation, and independent of it.

    References
    ----------
    "halves": ``modeling_qwen2_vl.py`` of transformers 5.24 (vision part) and
    the code at naver-ai/rope-vit. "interleaved": the axial formula in the
    paper of the latter, Heo et al., arXiv:2403.13298. "dealt": Pixtral, the
    code at mistralai/mistral-inference.

    Examples
    --------
    >>> for order in ("halves", "interleaved", "dealt"):
    ...     print(axial_angles([1, 2], 8, 100, order).round(4).tolist())
    [1.0, 0.1, 2.0, 0.2]
    [1.0, 2.0, 0.1, 0.2]
    [1.0, 0.1, 0.6325, 0.0632]
    """
    width, order = _as_quarters(rotary_dim), as_choice("order", order, ORDERS)
    places = _as_coordinates(positions, 2)
    rates = inverse_frequencies(width // 2, base)
    if order == "interleaved":
        axis_of_pair, rates = np.tile([0, 1], width // 4), rates.repeat(2)
    else:
        axis_of_pair, rates = np.repeat([0, 1], width // 4), np.tile(rates, 2)
    if order == "dealt":
        rates = inverse_frequencies(width, base)
        rates = np.concatenate([rates[0::2], rates[1::2]])
    return places[..., axis_of_pair] * rates


def mixed_angles(positions, generators):
    """Angles where every pair listens to every axis, each at its own rate.

    Pair ``i`` turns by ``sum(positions[a] * generators[a, i])``, as a complex
    number by ``exp(1j * (p_x * theta_x + p_y * theta_y))`` in two dimensions.
    Any generators will do, learned or random: turns within fixed planes
    commute.

    Parameters
    ----------
    positions : array_like, shape (..., axes)
        Coordinates, integers or fractions.
    generators : array_like, shape (axes, pairs)
        Radians for each step along each axis.

    Returns
    -------
    numpy.ndarray, shape positions.shape[:-1] + (pairs,), float64
        Radians.

    Raises
    ------
    TypeError, ValueError
        If `generators` is not a finite, non-empty 2-D array, or `positions`
        has not one coordinate for each of its rows or is wrong as in
        `angles`, or an angle is too large for float64.

    References
    ----------
    Heo et al., arXiv:2403.13298, RoPE-Mixed.

    Examples
    --------
    >>> mixed_angles([2, 3], [[1.0, 0.5], [0.0, -0.5]]).tolist()
    [2.0, -0.5]
    """
    rates = as_real("generators", generators)
    if rates.ndim != 2 or rates.size == 0:
        raise ValueError(
            "generators must be 2-D, one row per axis and one column per"
            f" pair, got shape {rates.shape}"
        )
    if not np.isfinite(rates).all():
        odd = rates[~np.isfinite(rates)][0]
        raise ValueError(f"generators must be finite, got {odd}")
    places = _as_coordinates(positions, len(rates))
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(places @ rates, "generators")


def _finite(angle, name):
    if not np.isfinite(angle).all():
        raise ValueError(
            f"positions times {name} must be angles that float64 holds, got"
            f" {angle[~np.isfinite(angle)].flat[0]}"
        )
    return angle


def mixed_generators(rotary_dim, base=10.0, turn=0.0):
    """Generators that RoPE-Mixed starts its training from.

    Axial ones of the order "halves" for axes that are turned counterclockwise
    by `turn`. The models draw one turn at random for each head.

    Parameters
    ----------
    rotary_dim : int
        A multiple of 4.
    base : float
        Above 1.
    turn : float
        Radians.

    Returns
    -------
    numpy.ndarray, shape (2, rotary_dim // 2), float64
        Radians for each step along either axis.

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not a positive multiple of 4, `base` is not above
        1, or `turn` is not a finite number.

    References
    ----------
    The code at naver-ai/rope-vit.

    Examples
    --------
    >>> mixed_generators(8, base=100).tolist()
    [[1.0, 0.1, 0.0, 0.0], [0.0, 0.0, 1.0, 0.1]]
    """
    rates = inverse_frequencies(_as_quarters(rotary_dim) // 2, base)
    turn = _as_number("turn", turn)
    along, across = rates * np.cos(turn), rates * np.sin(turn)
    # 0 - across, since -across would give zeros with a minus.
    return np.block([[along, 0 - across], [across, along]])


def commuting_generators(rotary_dim, seed):
    """Two random skew-symmetric matrices that commute.

    Both turn the same planes, which lie askew to the channels.

    Parameters
    ----------
    rotary_dim : int
        Even.
    seed : int or numpy.random.Generator

    Returns
    -------
    numpy.ndarray, shape (2, rotary_dim, rotary_dim), float64

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not a positive even integer, or NumPy cannot take
        `seed`.

    Examples
    --------
    >>> a, b = commuting_generators(4, seed=0)
    >>> float(abs(a @ b - b @ a).max()) < 1e-14
    True
    """
    width, rng = as_even("rotary_dim", rotary_dim), np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(width, width)))[0]
    rates = rng.normal(size=(2, width // 2))
    quarter = [[0.0, -1.0], [1.0, 0.0]]
    planes = np.array([np.kron(np.diag(row), quarter) for row in rates])
    return basis @ planes @ basis.T


def noncommuting_generators(rotary_dim, seed):
    """Two random skew-symmetric matrices that do not commute.

    Parameters
    ----------
    rotary_dim : int
        Even, above 2: within one plane all turns commute.
    seed : int or numpy.random.Generator

    Returns
    -------
    numpy.ndarray, shape (2, rotary_dim, rotary_dim), float64

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not an even integer above 2, or NumPy cannot take
        `seed`.

    Examples
    --------
    >>> a, b = noncommuting_generators(4, seed=0)
    >>> float(abs(a @ b - b @ a).max()) > 1
    True
    """
    width, rng = as_even("rotary_dim", rotary_dim), np.random.default_rng(seed)
    if width == 2:
        raise ValueError(
            "rotary_dim must be above 2 (all turns of one plane commute), got"
            " 2"
        )
    noise = rng.normal(size=(2, width, width))
    return noise - noise.swapaxes(-1, -2)


def _as_skew(generators):
    matrices = as_real("generators", generators)
    shape = matrices.shape
    if len(shape) != 3 or shape[1] != shape[2] or matrices.size == 0:
        raise ValueError(
            "generators must have shape (axes, d, d), one square matrix per"
            f" axis, got {shape}"
        )
    # NaN fails this test as well.
    gap = np.abs(matrices + matrices.swapaxes(-1, -2)).max()
    if not gap <= 1e-12 * np.abs(matrices).max():
        raise ValueError(
            "generators must be finite and skew-symmetric (A.T = -A), got an"
            f" A with |A + A.T| up to {gap}"
        )
    return matrices


def rotation_from_generators(positions, generators):
    """Rotation matrix ``exp(p_x * A_x + p_y * A_y + ...)`` of a position.

    It is relative, ``R(p).T @ R(q) == R(q - p)``, if the generators commute,
    and in general not otherwise.

    Parameters
    ----------
    positions : array_like, shape (..., axes)
    generators : array_like, shape (axes, d, d)
        One skew-symmetric matrix for each axis.

    Returns
    -------
    numpy.ndarray, shape positions.shape[:-1] + (d, d), float64
        For column vectors, ``R @ x``.

    Raises
    ------
    TypeError, ValueError
        If `generators` are not square, finite and skew-symmetric, or
        `positions` has not one coordinate for each of them or is wrong as in
        `angles`.

    References
    ----------
    Ostmeier et al., LieRE, arXiv:2406.10322, takes any generators; Yu et
    al., ComRoPE, arXiv:2506.03737, those that commute.

    Examples
    --------
    >>> quarter = [[[0, -1], [1, 0]]]
    >>> rotation_from_generators([1], quarter).round(4).tolist()
    [[0.5403, -0.8415], [0.8415, 0.5403]]
    """
    matrices = _as_skew(generators)
    places = _as_coordinates(positions, len(matrices))
    # i times a skew-symmetric matrix is Hermitian: its exponential needs
    # real eigenvalues and unitary vectors alone.
    with np.errstate(over="ignore", invalid="ignore"):
        angle = _finite(np.tensordot(places, matrices, 1), "generators")
    values, vectors = np.linalg.eigh(1j * angle)
    turned = vectors * np.exp(-1j * values)[..., None, :]
    return (turned @ vectors.conj().swapaxes(-1, -2)).real


def commutator(generators):
    """Difference that the order of two turns makes: ``A @ B - B @ A``.

    Parameters
    ----------
    generators : array_like, shape (2, d, d)
        Skew-symmetric, one for each axis.

    Returns
    -------
    numpy.ndarray, shape (d, d), float64
        Zero, up to rounding, if the two commute.

    Raises
    ------
    TypeError, ValueError
        If `generators` are not two square, finite, skew-symmetric matrices.

    Examples
    --------
    >>> bool(abs(commutator(commuting_generators(4, seed=0))).max() < 1e-14)
    True
    """
    matrices = _as_skew(generators)
    if len(matrices) != 2:
        raise ValueError(
            f"generators must be two matrices, got {len(matrices)}"
        )
    first, second = matrices
    return first @ second - second @ first


def relative_gap(first, second, generators):
    """How far a score can be from one that knows the offset alone.

    The largest difference, over all queries and keys of length 1, between
    the score at these two positions and the one at 0 and ``second - first``:
    the spectral norm of ``R(first).T @ R(second) - R(second - first)``.

    Parameters
    ----------
    first, second : array_like, shape (axes,)
        Position of the query and of the key.
    generators : array_like, shape (axes, d, d)
        One skew-symmetric matrix for each axis.

    Returns
    -------
    float
        From 0, where the rotation is relative, to 2.

    Raises
    ------
    TypeError, ValueError
        As in `rotation_from_generators`, or if `first` and `second` are not
        single positions of the same number of axes.

    Examples
    --------
    >>> relative_gap([1, 2], [4, 3], noncommuting_generators(8, 0)) > 1
    True
    """
    places = as_positions([first, second], "first and second")
    if places.ndim != 2:
        raise ValueError(
            "first and second must be single positions, got shape"
            f" {places.shape[1:]}"
        )
    one, two = rotation_from_generators(places, generators)
    offset = rotation_from_generators(places[1] - places[0], generators)
    return float(np.linalg.norm(one.T @ two - offset, 2))


def _as_sections(sections):
    odd = (str, bytes, bytearray, Set, Mapping)  # the last two: no order
    if isinstance(sections, odd) or not hasattr(sections, "__len__"):
        raise TypeError(
            f"sections must be 3 integers (t, h, w), got {sections!r}"
        )
    if len(sections) != 3:
        raise ValueError(
            "sections must be 3 integers (pairs for t, h and w), got"
            f" {len(sections)}: {sections}"
        )
    return [as_count(f"sections[{i}]", n) for i, n in enumerate(sections)]


def mrope_axes(sections, *, interleaved):
    """Which coordinate, 0 for t, 1 for h and 2 for w, turns each pair.

    Parameters
    ----------
    sections : sequence of 3 int
        Pairs for time, height and width: `mrope_section` in configs.
    interleaved : bool
        False: three runs, as in Qwen2-VL. True: t, h, w in turn, as in
        Qwen3-VL, for as long as the sections of h and w last; all other
        pairs turn with t. There is no default, since a flag that gets lost
        gives wrong angles without an error.

    Returns
    -------
    numpy.ndarray of int, shape (sum(sections),)

    Raises
    ------
    TypeError, ValueError
        If `sections` are not 3 positive integers, `interleaved` is not a
        bool, or there are too few pairs to place h and w at every third one
        (other code then shortens these sections without a word).

    References
    ----------
    Wang et al., Qwen2-VL, arXiv:2409.12191, section 2.1;
    ``modeling_qwen3_vl.py`` of transformers 5.24.

    Examples
    --------
    >>> mrope_axes([2, 3, 3], interleaved=False).tolist()
    [0, 0, 1, 1, 1, 2, 2, 2]
    >>> mrope_axes([4, 2, 2], interleaved=True).tolist()
    [0, 1, 2, 0, 1, 2, 0, 0]
    """
    counts = _as_sections(sections)
    if not as_flag("interleaved", interleaved):
        return np.repeat([0, 1, 2], counts)
    axes = np.zeros(sum(counts), dtype=int)
    axes[1 : 3 * counts[1] : 3] = 1
    axes[2 : 3 * counts[2] : 3] = 2
    placed = np.bincount(axes, minlength=3).tolist()
    if placed != counts:
        raise ValueError(
            f"sections {counts} cannot be interleaved: every third of"
            f" {len(axes)} pairs gives {placed}; use sections with more for t,"
            " or interleaved=False"
        )
    return axes


def _as_thw(position_ids):
    ids = as_positions(position_ids)
    if ids.ndim == 3 and len(ids) == 3:
        return ids
    if ids.ndim == 2 and len(ids) != 3:
        return np.broadcast_to(ids, (3, *ids.shape))
    hint = ""
    if ids.ndim == 2:
        hint = (
            "; of this shape it could be a batch of 3 texts, then write"
            " numpy.stack([ids] * 3), or t, h and w of one text, then write"
            " ids[:, None]"
        )
    elif ids.ndim == 3 and len(ids) == 4:
        hint = "; if the first of 4 holds text positions, write ids[1:]"
    raise ValueError(
        "position_ids must have shape (3, batch, sequence), or (batch,"
        f" sequence) for text, got {ids.shape}{hint}"
    )


def mrope_position_ids(parts):
    """Positions t, h and w of a row of texts and pictures.

    The three positions of a text count up together. A picture starts at the
    next free position on all three axes; its patches keep t and count rows
    and columns. What follows starts behind the largest position so far.

    Parameters
    ----------
    parts : sequence
        In the order of the sequence. A text is the number of its tokens, a
        picture the pair (rows, columns) of its patches, as the language
        model sees them, that is after neighbors were merged.

    Returns
    -------
    numpy.ndarray of int, shape (3, 1, sequence)
        For `mrope_angles`.

    Raises
    ------
    TypeError, ValueError
        If a part is neither a positive integer nor a pair of them, or there
        is none.

    References
    ----------
    Wang et al., Qwen2-VL, arXiv:2409.12191, section 2.1;
    ``modeling_qwen2_vl.py`` of transformers 5.24.

    Examples
    --------
    >>> mrope_position_ids([2, (2, 2), 1])[:, 0].tolist()
    [[0, 1, 2, 2, 2, 2, 4], [0, 1, 2, 2, 3, 3, 4], [0, 1, 2, 3, 2, 3, 4]]
    """
    if isinstance(parts, numbers.Number) or not hasattr(parts, "__iter__"):
        raise TypeError(f"parts must be a list of parts, got {parts!r}")
    start, found = 0, []
    for i, part in enumerate(parts):
        shape = _as_part(f"parts[{i}]", part)
        found.append(start + np.indices(shape).reshape(3, -1))
        if isinstance(part, numbers.Integral):
            found[-1] = start + np.tile(np.arange(shape[0]), (3, 1))
        start = found[-1].max() + 1
    if not found:
        raise ValueError("parts must hold a text or a picture, got none")
    return np.concatenate(found, axis=1)[:, None]


def _as_part(name, part):
    # As a grid of t, h and w; a text is a grid for its size alone.
    if isinstance(part, (tuple, list)) and len(part) == 2:
        return 1, *(as_count(f"{name}[{j}]", n) for j, n in enumerate(part))
    return as_count(name, part), 1, 1


def mrope_angles(position_ids, inv_freq, sections, *, interleaved):
    """Angles of M-RoPE: pairs shared out between time, height and width.

    With equal t, h and w it is 1-D RoPE, to the bit: text is rotated as
    ever.

    Parameters
    ----------
    position_ids : array_like, shape (3, batch, sequence) or (batch, sequence)
        t, h and w of each token; or, for text, one position for all three.
        A first axis of length 3 with a single other one is refused, since
        it could mean either.
    inv_freq : array_like, shape (pairs,)
        Radians per step, those of 1-D RoPE, scaled or not.
    sections : sequence of 3 int
        Pairs for t, h and w, as in `mrope_axes`.
    interleaved : bool
        As in `mrope_axes`.

    Returns
    -------
    numpy.ndarray, shape (batch, sequence, pairs), float64
        Radians. For an `x` of shape (batch, heads, sequence, head_dim) write
        ``rotate_by_angles(x, angle[:, None], "half")``.

    Raises
    ------
    TypeError, ValueError
        If `position_ids` has another shape or is wrong as in `angles`,
        `inv_freq` is wrong as there, `sections` does not add up to the
        number of pairs, or is wrong as in `mrope_axes`.

    References
    ----------
    Wang et al., Qwen2-VL, arXiv:2409.12191, section 2.1.

    Examples
    --------
    >>> thw = [[[5]], [[7]], [[11]]]
    >>> mrope_angles(thw, [1.0, 0.1, 0.01], [1, 1, 1],
    ...              interleaved=False).round(12).tolist()
    [[[5.0, 0.7, 0.11]]]
    """
    rates = as_inv_freq(inv_freq)
    axis_of_pair = mrope_axes(sections, interleaved=interleaved)
    if len(axis_of_pair) != len(rates):
        raise ValueError(
            f"sections must add up to len(inv_freq) = {len(rates)} pairs,"
            f" got {len(axis_of_pair)} from {sections}"
        )
    thw = np.moveaxis(_as_thw(position_ids), 0, -1)
    with np.errstate(over="ignore"):
        return _finite(thw[..., axis_of_pair] * rates, "inv_freq")


def xpos_zeta(rotary_dim):
    """Base of the scale of each pair: ``(2 * i / d + 0.4) / 1.4``.

    Parameters
    ----------
    rotary_dim : int
        Even; d in the formula.

    Returns
    -------
    numpy.ndarray, shape (rotary_dim // 2,), float64
        From 2/7 for the fastest pair up to just below 1.

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not a positive even integer.

    References
    ----------
    Sun et al., xPos, arXiv:2212.10554.

    Examples
    --------
    >>> xpos_zeta(8).round(4).tolist()
    [0.2857, 0.4643, 0.6429, 0.8214]
    """
    width = as_even("rotary_dim", rotary_dim)
    return (np.arange(0, width, 2) / width + 0.4) / 1.4


def _as_scale_base(scale_base):
    number = _as_number("scale_base", scale_base)
    if number <= 0:
        raise ValueError(f"scale_base must be above 0, got {scale_base}")
    return number


def xpos_reach(dtype, scale_base=512.0):
    """Distance from the center at which the scales of xPos overflow.

    It is the same for every width, since the fastest pair has 2/7 in all of
    them. bfloat16 has the range of float32.

    Parameters
    ----------
    dtype : numpy.dtype or what NumPy takes for one
        A float type.
    scale_base : float
        Tokens, above 0.

    Returns
    -------
    float
        Tokens: ``scale_base * ln(largest number) / ln(7 / 2)``.

    Raises
    ------
    TypeError, ValueError
        If `dtype` is not a float type or `scale_base` not above 0.

    Examples
    --------
    >>> [int(xpos_reach(t)) for t in ("float16", "float32", "float64")]
    [4532, 36260, 290085]
    """
    try:
        largest = np.finfo(dtype).max
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"dtype must be a float type of NumPy, got {dtype!r}"
        ) from error
    # The logarithm of a float16 would be one too.
    steps = np.log(np.longdouble(largest)) / np.log(3.5)
    return float(_as_scale_base(scale_base) * steps)


def xpos_scales(position_ids, rotary_dim, scale_base=512.0, center=0.0):
    """Scales that xPos gives queries and keys, beside the rotation.

    A query at ``m`` is multiplied by ``zeta ** ((m - center) / scale_base)``
    and a key at ``n`` by the inverse, so that their product gets ``zeta **
    ((m - n) / scale_base)``: a factor that shrinks with distance where the
    key comes first, and grows without limit where it comes later. Hence it is
    for causal attention only.

    Parameters
    ----------
    position_ids : array_like, any shape
        Positions in tokens.
    rotary_dim : int
        Even.
    scale_base : float
        Tokens, above 0.
    center : float
        Tokens. It cancels in a score if it is the same for all queries and
        keys that meet, cached ones too. In the middle of the text it doubles
        the length that a narrow type can hold: see `xpos_reach`.

    Returns
    -------
    query, key : numpy.ndarray, shape position_ids.shape + (pairs,), float64
        For ``rotate_by_angles(x, angles(position_ids, inv_freq),
        scale=query)``. Inverses of each other.

    Raises
    ------
    TypeError, ValueError
        If `position_ids` is wrong as in `angles` or so far from `center` that
        float64 overflows, `rotary_dim` is not a positive even integer,
        `scale_base` is not above 0, or `center` is not a number.

    References
    ----------
    Sun et al., xPos, arXiv:2212.10554.

    Examples
    --------
    >>> query, key = xpos_scales([0, 512], 4)
    >>> query.round(4).tolist()
    [[1.0, 1.0], [0.2857, 0.6429]]
    >>> (query * key).round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    zeta, ids = xpos_zeta(rotary_dim), as_positions(position_ids)
    reach = xpos_reach(np.float64, scale_base)
    offset = ids - _as_number("center", center)
    far = np.abs(offset) >= reach
    if far.any():
        raise ValueError(
            f"position_ids must be less than {reach:.1f} tokens from center"
            f" = {center} (float64 overflows there), got {ids[far].flat[0]}"
        )
    power = offset[..., None] / _as_scale_base(scale_base)
    return zeta**power, zeta**-power
