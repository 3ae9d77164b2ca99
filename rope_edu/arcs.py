"""What training shows of each dial, and what a longer text adds.

A model that is trained on texts of L tokens meets the offsets 0 to L - 1, and
on each dial the angles of these offsets. Everything here is about angles; what
a model makes of those it has not met is another question.
"""

import numpy as np

from rope_edu._checks import (
    as_count,
    as_flag,
    as_inv_freq,
    as_positions,
    as_positive,
)
from rope_edu.frequencies import angles

TURN = 2 * np.pi


def seen_share(inv_freq, length, both_ways=False):
    """Share of each dial that the offsets of a training text sweep.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    length : int
        Tokens of the training texts.
    both_ways : bool
        Whether keys also stand after their query, as in an encoder; a
        decoder sees offsets of one sign only.

    Returns
    -------
    numpy.ndarray, shape (pairs,)
        1 for a dial that completes a turn.

    Raises
    ------
    TypeError, ValueError
        If `inv_freq` is wrong as in `angles`, `length` is not a positive
        integer, or `both_ways` not a bool.

    Examples
    --------
    >>> seen_share([1.0, 0.01, 0.001], 315).round(3).tolist()
    [1.0, 0.5, 0.05]
    """
    rates = np.abs(as_inv_freq(inv_freq))
    swept = (as_count("length", length) - 1) * rates / TURN
    ways = 2 if as_flag("both_ways", both_ways) else 1
    return np.minimum(1.0, ways * swept)


def angle_from_seen(inv_freq, length, offsets):
    """How far each dial is from the nearest angle that training showed.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token.
    length : int
        Tokens of the training texts; offsets 0 to ``length - 1`` are seen.
    offsets : array_like, shape (n,)
        In tokens, 0 or more: tokens from the query back to the key.

    Returns
    -------
    numpy.ndarray, shape (n, pairs)
        Radians, 0 to pi, measured around the dial.

    Raises
    ------
    TypeError, ValueError
        As in `seen_share`, or if `offsets` are not positions from 0 on, on
        one axis.

    Examples
    --------
    >>> angle_from_seen([0.001], 300, [250, 300, 599]).round(3).tolist()
    [[0.0], [0.001], [0.3]]
    """
    seen = angles(np.arange(as_count("length", length)), inv_freq) % TURN
    asked = angles(_as_offsets(offsets), inv_freq) % TURN
    columns = zip(seen.T, asked.T)
    return np.stack([_nearest(*column) for column in columns], axis=-1)


def _as_offsets(offsets):
    offsets = as_positions(offsets, "offsets")
    if offsets.ndim != 1 or (offsets < 0).any():
        raise ValueError(
            "offsets must be a list of tokens back to the key, 0 or more,"
            f" got {offsets}"
        )
    return offsets


def _nearest(seen, asked):
    seen = np.sort(seen)
    # The last angle stands once more before the first, a turn away, and the
    # first behind the last.
    ring = np.concatenate([seen[-1:] - TURN, seen, seen[:1] + TURN])
    after = np.searchsorted(ring, asked)
    return np.minimum(asked - ring[after - 1], ring[after] - asked)


def hidden_amplitudes(inv_freq, length, reach, limit=1.0, weight=1e-4):
    """Change of a head that training hardly shows and a long text does.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token of the dials that are changed.
    length : int
        Offsets 0 to ``length - 1`` are seen in training.
    reach : int
        Offsets ``length`` to ``reach - 1`` come with the longer text.
    limit : float
        Size of the largest amplitude.
    weight : float
        How much the size of the amplitudes counts beside the change on the
        seen offsets. The smaller, the less shows in training.

    Returns
    -------
    numpy.ndarray of complex, shape (pairs,)
        Amplitudes h. The score changes at offset r by the real part of
        ``sum(h * exp(1j * r * inv_freq))``; of all changes, this one has the
        largest ratio of mean squares, new offsets to seen ones.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong as in `angles`, a count is not a positive
        integer, `reach` is not above `length`, or `limit` or `weight` not
        above 0 or so small that rounding hides the seen offsets.

    Examples
    --------
    >>> h = hidden_amplitudes([0.02, 0.01], length=40, reach=160)
    >>> change = (h @ np.exp(1j * np.outer([0.02, 0.01], [20, 159]))).real
    >>> change.round(2).tolist()
    [-0.01, 1.23]
    """
    seen, new = as_count("length", length), as_count("reach", reach)
    if new <= seen:
        raise ValueError(f"reach must be above length = {seen}, got {new}")
    waves = np.exp(1j * angles(np.arange(new), inv_freq))
    # Real and imaginary part of h are the unknowns.
    rows = np.concatenate([waves.real, -waves.imag], axis=-1)
    near, far = (part.T @ part / len(part)
                 for part in (rows[:seen], rows[seen:]))
    x = _largest_ratio(far, near + as_positive("weight", weight)
                       * np.eye(len(near)))
    h = x[:len(x) // 2] + 1j * x[len(x) // 2:]
    sign = np.sign(rows[-1] @ x)  # an eigenvector has none of its own
    return sign * as_positive("limit", limit) * h / np.abs(h).max()


def _largest_ratio(over, under):
    """Return x with the largest ``x^T over x / x^T under x``."""
    values, vectors = np.linalg.eigh(under)
    if values[0] <= 0:
        raise ValueError("weight must be larger: these dials differ by less"
                         " than rounding on the seen offsets")
    white = vectors / np.sqrt(values)
    return white @ np.linalg.eigh(white.T @ over @ white)[1][:, -1]
