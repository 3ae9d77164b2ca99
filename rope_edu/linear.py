"""Linear attention with RoPE: no softmax, and weights that can be negative.

Where softmax attention weighs a value by ``exp(q @ k)``, linear attention
takes ``a @ b``, with features ``a`` of the query and ``b`` of the key that
are never negative. Such sums can be made in another order, with a memory
that does not grow: `linear_state_attention`.

RoPE turns the features. A turned feature may be negative, and so may a
weight; only the numerator is turned, so that the sum of the unturned
weights, which is positive, stays below the fraction.

Everything is causal and in float64; the tokens stand at 0, 1, 2, ...
"""

import numpy as np

from rope_edu._checks import (
    as_flag,
    as_inv_freq,
    as_vectors,
    rotated_width,
)
from rope_edu.reference import rotate


def positive_features(x):
    """Features above 0: ``x + 1``, or ``exp(x)`` where x is below 0.

    Below about -745 float64 rounds the exponential to 0.

    Parameters
    ----------
    x : array_like
        Queries or keys.

    Returns
    -------
    numpy.ndarray, shape of `x`, float64

    Raises
    ------
    TypeError, ValueError
        If `x` is not an array of real numbers with at least one axis.

    References
    ----------
    Katharopoulos et al., arXiv:2006.16236: elu(x) + 1.

    Examples
    --------
    >>> positive_features([-1.0, 0.0, 2.0]).round(4).tolist()
    [0.3679, 1.0, 3.0]
    """
    x = as_vectors("x", x)
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def _turned(a, b, inv_freq):
    a, b = as_vectors("a", a), as_vectors("b", b)
    for name, x in (("a", a), ("b", b)):
        if x.ndim != 2:
            raise ValueError(
                f"{name} must have shape (sequence, width), got {x.shape}"
            )
    if a.shape != b.shape:
        raise ValueError(
            f"a and b must have one shape, got {a.shape} and {b.shape}"
        )
    rotated_width(a.shape[1], as_inv_freq(inv_freq), None, "a")
    ids = np.arange(len(a))
    return a, b, rotate(a, ids, inv_freq), rotate(b, ids, inv_freq)


def linear_weights(a, b, inv_freq, turn_denominator=False):
    """Causal weights of linear attention with RoPE, one row for each query.

    Parameters
    ----------
    a, b : array_like, shape (sequence, width)
        Features of queries and keys.
    inv_freq : array_like, shape (width // 2,)
        Radians per token; zeros leave RoPE out.
    turn_denominator : bool
        False, as in RoFormer: the row is divided by the sum of the unturned
        weights, and need not add up to 1. True: it is divided by its own
        sum, which may be 0 or negative.

    Returns
    -------
    numpy.ndarray, shape (sequence, sequence), float64
        Zero above the diagonal.

    Raises
    ------
    TypeError, ValueError
        If `a` and `b` are not two arrays of one shape with two axes,
        `inv_freq` does not fit their width, `turn_denominator` is not a bool,
        or a row would be divided by 0.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eqs. (18) and (19).

    Examples
    --------
    >>> a = b = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    >>> linear_weights(a, b, [2.0])[2].round(3).tolist()
    [-0.218, -0.139, 0.333]
    """
    a, b, turned_a, turned_b = _turned(a, b, inv_freq)
    numerators = np.tril(turned_a @ turned_b.T)
    turned = as_flag("turn_denominator", turn_denominator)
    below = numerators if turned else np.tril(a @ b.T)
    return numerators / _as_divisors(below.sum(axis=1, keepdims=True))


def _as_divisors(sums):
    if (sums == 0).any():
        raise ValueError(
            "a and b must have weights with a sum other than 0, got 0 for"
            f" query {int(np.argmax(sums == 0))}"
        )
    return sums


def linear_state_attention(a, b, v, inv_freq):
    """The same attention, token by token, with a memory of fixed size.

    Parameters
    ----------
    a, b : array_like, shape (sequence, width)
        As in `linear_weights`.
    v : array_like, shape (sequence, value_width)
        Values.
    inv_freq : array_like, shape (width // 2,)
        Radians per token.

    Returns
    -------
    numpy.ndarray, shape (sequence, value_width), float64
        ``linear_weights(a, b, inv_freq) @ v``, made in another order.

    Raises
    ------
    TypeError, ValueError
        As in `linear_weights`, or if `v` has not one row for each token.

    References
    ----------
    Katharopoulos et al., arXiv:2006.16236, section 3.3.

    Examples
    --------
    >>> linear_state_attention([[1.0, 0]], [[1.0, 0]], [[7.0]], [1.0])
    array([[7.]])
    """
    a, b, turned_a, turned_b = _turned(a, b, inv_freq)
    v = as_vectors("v", v)
    if v.ndim != 2 or len(v) != len(a):
        raise ValueError(
            f"v must have {len(a)} rows, one for each token, got shape"
            f" {v.shape}"
        )
    state, total = np.zeros((v.shape[1], a.shape[1])), np.zeros(a.shape[1])
    rows, sums = np.empty_like(v), np.empty((len(a), 1))
    for i in range(len(a)):
        state = state + np.outer(v[i], turned_b[i])
        total = total + b[i]
        rows[i], sums[i] = state @ turned_a[i], total @ a[i]
    return rows / _as_divisors(sums)
