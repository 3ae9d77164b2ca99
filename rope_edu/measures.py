"""Numbers that say what a set of rates is good for, whatever made it.

They need no model, only the rates of the dials. Each compares vectors whose
length is spread evenly over the pairs, so it says what the rates allow, not
what a trained model does with them.
"""

import numpy as np

from rope_edu._checks import as_count, as_inv_freq, as_positions, as_real
from rope_edu.frequencies import angles

# Offsets at a time: a table of as many rows and some hundred pairs is small.
_BLOCK = 4096


def neighbor_step(inv_freq):
    """How far a vector of length 1 moves from one position to the next.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token.

    Returns
    -------
    float
        Length of ``R_1 u - u``, from 0 to 2, for a vector ``u`` of length 1
        whose pairs are equally long.

    Raises
    ------
    TypeError, ValueError
        If `inv_freq` is not a finite, non-empty 1-D array of real numbers.

    Examples
    --------
    >>> from rope_edu import inverse_frequencies
    >>> round(neighbor_step(inverse_frequencies(128)), 3)
    0.244
    """
    chords = 2 * np.sin(as_inv_freq(inv_freq) / 2)
    return float(np.sqrt(np.mean(chords**2)))


def mean_cosine(offsets, inv_freq):
    """Score of a vector of length 1 with itself, some tokens apart.

    Parameters
    ----------
    offsets : array_like, any shape
        In tokens.
    inv_freq : array_like, shape (pairs,)
        Radians per token.

    Returns
    -------
    numpy.ndarray, shape of `offsets`
        Mean over the pairs of ``cos(offset * inv_freq)``.

    Raises
    ------
    TypeError, ValueError
        As in `angles`.

    Examples
    --------
    >>> mean_cosine([0, 1], [0.0, np.pi]).round(12).tolist()
    [1.0, 0.0]
    """
    offsets = as_positions(offsets, "offsets")
    return np.cos(angles(offsets, inv_freq)).mean(axis=-1)


def first_negative(inv_freq, limit):
    """First offset at which equal vectors score below 0.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    limit : int
        Offsets 0 to ``limit - 1`` are tried.

    Returns
    -------
    int or None
        None if none of them is negative.

    Raises
    ------
    TypeError, ValueError
        If `inv_freq` is wrong as in `angles` or `limit` is not a positive
        integer.

    References
    ----------
    Xu et al., Base of RoPE Bounds Context Length, arXiv:2405.14591, ask of a
    base that there be none within the context.

    Examples
    --------
    >>> from rope_edu import inverse_frequencies
    >>> first_negative(inverse_frequencies(128), 4096)
    1707
    """
    limit = as_count("limit", limit)
    for start in range(0, limit, _BLOCK):
        offsets = np.arange(start, min(start + _BLOCK, limit))
        below = np.flatnonzero(mean_cosine(offsets, inv_freq) < 0)
        if below.size:
            return int(offsets[below[0]])
    return None


def previous_token_norm(inv_freq, tokens, share=0.99):
    """Squared length that a head needs to look at the previous token.

    Query and key are one vector, turned so that their score peaks when the
    key stands one token back. All tokens have the same content, as in a text
    that repeats one word. The longer the vector, the more of the softmax
    falls on the peak.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token, the length of the vector evenly spread over them.
    tokens : int
        Keys that the query sees, itself included: at least 2.
    share : float
        What the previous token shall get, above 1/2 and below 1.

    Returns
    -------
    float
        Smallest squared length for which it gets that much. Scores are not
        divided by the root of the width.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, or a key is turned so nearly as the
        previous one that no length in float64 is enough.

    References
    ----------
    Barbero et al., arXiv:2410.06205, theorem 5.3 and its proof.

    Examples
    --------
    >>> round(previous_token_norm([1.0], 32))
    548
    """
    gaps = _gaps(inv_freq, tokens)
    share = _as_share(share)
    # The other keys get at most (1 - share) / share of what the peak gets.
    # One key at the smallest gap already asks for `low`; all of them for no
    # more than `high`.
    rest = np.log(share / (1 - share))
    low, high = rest / gaps.min(), (rest + np.log(gaps.size)) / gaps.min()
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        enough = np.exp(-middle * gaps).sum() <= (1 - share) / share
        low, high = (low, middle) if enough else (middle, high)
    return float(high)


def _gaps(inv_freq, tokens):
    """What each other key scores less than the previous one, per length."""
    if as_count("tokens", tokens) < 2:
        raise ValueError(f"tokens must be at least 2, got {tokens}")
    away = np.arange(tokens) - 1  # the query itself is one token past it
    # 1 - cos x as 2 sin(x / 2)**2 keeps its digits where x is small.
    halves = angles(away[away != 0], as_inv_freq(inv_freq)) / 2
    gaps = 2 * np.mean(np.sin(halves) ** 2, axis=-1)
    if gaps.min() < 1e-300:
        raise ValueError("inv_freq must turn each key away from the previous"
                         " one: no length is enough")
    return gaps


def _as_share(share):
    number = as_real("share", share)
    if number.ndim or not 0.5 < number < 1:
        raise ValueError(f"share must be above 1/2 and below 1, got {share}")
    return float(number)
