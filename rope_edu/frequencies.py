"""The rates of the dials, and the angles they reach.

Everything is computed in float64. A rate is in radians per token, a position
in tokens, an angle in radians.
"""

import numpy as np

from rope_edu._checks import as_base, as_even, as_inv_freq, as_positions


def inverse_frequencies(rotary_dim, base=10000.0):
    """Rate of each pair: ``base ** (-2 * i / rotary_dim)``.

    Parameters
    ----------
    rotary_dim : int
        Even number of rotated channels of one head (not of the model).
    base : float
        Finite number above 1. A base of 1 would give every pair the same
        rate and a smaller one would make rates grow with ``i``; no model
        uses either, so both are refused as likely slips.

    Returns
    -------
    numpy.ndarray, shape (rotary_dim // 2,), float64
        Radians per token, falling from 1.

    Raises
    ------
    TypeError
        If `rotary_dim` is not an integer or `base` is not a real number
        (a bool is neither).
    ValueError
        If `rotary_dim` is odd, below 2 or above 2**20, or `base` is not
        finite or not above 1.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> inverse_frequencies(8).round(12).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """
    rotary_dim = as_even("rotary_dim", rotary_dim)
    exponents = np.arange(0, rotary_dim, 2) / rotary_dim
    return as_base(base) ** -exponents


def wavelengths(inv_freq):
    """Tokens that each dial needs for one turn: ``2 * pi / inv_freq``.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token. A negative rate turns the other way round in the
        same number of tokens; a rate of zero never comes round.

    Returns
    -------
    numpy.ndarray, shape (pairs,), float64
        Tokens per turn, ``inf`` for a rate of zero, or one so near to it,
        below 3.5e-308, that float64 cannot hold the quotient.

    Raises
    ------
    TypeError, ValueError
        If `inv_freq` is not a finite, non-empty 1-D array of real numbers.

    Examples
    --------
    >>> wavelengths(inverse_frequencies(8)).round(1).tolist()
    [6.3, 62.8, 628.3, 6283.2]
    """
    with np.errstate(divide="ignore", over="ignore"):
        return 2 * np.pi / np.abs(as_inv_freq(inv_freq))


def angles(position_ids, inv_freq):
    """Angle of every pair at every position: ``m * inv_freq[i]``.

    Angles are not reduced modulo a turn, so that differences keep their
    meaning.

    Parameters
    ----------
    position_ids : array_like, any shape
        Positions in tokens: integers or fractions, negative ones too, within
        -2**53..2**53.
    inv_freq : array_like, shape (pairs,)
        Radians per token.

    Returns
    -------
    numpy.ndarray, shape position_ids.shape + (pairs,), float64
        Radians.

    Raises
    ------
    TypeError
        If an argument holds bools, complex numbers, strings, objects or
        float16 (which has no 2049), or is masked.
    ValueError
        If a position is NaN, infinite or beyond 2**53, `inv_freq` is empty,
        not 1-D or not finite, or an angle is too large for float64.

    Notes
    -----
    The rounded product is off by at most ``|m| * inv_freq[i] * 2**-53``:
    1.5e-11 rad at position 131,072 for a rate of 1, a whole radian near
    2**53. The rates of `inverse_frequencies` are themselves good to about
    1e-15 of their size, which adds as much of the angle.

    Examples
    --------
    >>> angles([0, 3], inverse_frequencies(8)).round(12).tolist()
    [[0.0, 0.0, 0.0, 0.0], [3.0, 0.3, 0.03, 0.003]]
    """
    ids, rates = as_positions(position_ids), as_inv_freq(inv_freq)
    with np.errstate(over="ignore"):
        angle = ids[..., None] * rates
    lost = np.argwhere(~np.isfinite(angle))
    if len(lost):
        *place, pair = lost[0]
        raise ValueError(
            f"position {ids[tuple(place)]} times inv_freq[{pair}] ="
            f" {rates[pair]} must be an angle that float64 holds"
        )
    return angle
