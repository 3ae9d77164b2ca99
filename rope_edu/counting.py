"""Count the arithmetic of a formula, instead of timing it.

A count is the same on every machine and says what a formula asks for; what
a machine makes of it is another matter.  `operations` runs a formula on
numbers that keep a tally.  `FORMS` holds the forms of a rotation, written
out for interleaved pairs so that they also run on such numbers.
"""

import numpy as np

from rope_edu._checks import as_vectors

KINDS = ("multiplications", "additions", "sign flips")


class _Counted:
    """A number that notes in a shared tally what is done with it."""

    def __init__(self, value, tally):
        self.value, self.tally = value, tally

    def _note(self, kind, value):
        self.tally[kind] += 1
        return _Counted(value, self.tally)

    def __mul__(self, other):
        return self._note("multiplications", self.value * _plain(other))

    def __add__(self, other):
        return self._note("additions", self.value + _plain(other))

    def __sub__(self, other):
        return self._note("additions", self.value - _plain(other))

    def __rsub__(self, other):
        return self._note("additions", _plain(other) - self.value)

    def __neg__(self):
        return self._note("sign flips", -self.value)

    __rmul__, __radd__ = __mul__, __add__


def _plain(number):
    return number.value if isinstance(number, _Counted) else number


def operations(form, x):
    """Run a formula on a vector and count what it does with it.

    Parameters
    ----------
    form : callable
        ``form(x)``, built from ``+``, ``-``, ``*`` and ``@``. What it does
        with other numbers alone, such as its tables, is not counted.
    x : array_like, shape (d,)

    Returns
    -------
    value : numpy.ndarray, float64
        What the formula gives.
    tally : dict
        How many multiplications, additions (or subtractions) and sign flips.

    Raises
    ------
    TypeError, ValueError
        If `x` is not an array of real numbers.

    Examples
    --------
    >>> value, tally = operations(lambda x: np.eye(2) @ x, [3.0, 4.0])
    >>> value.tolist(), tally["multiplications"], tally["additions"]
    ([3.0, 4.0], 4, 2)
    """
    tally = dict.fromkeys(KINDS, 0)
    wrap = np.vectorize(lambda v: _Counted(v, tally), otypes=[object])
    found = form(wrap(as_vectors("x", x)))
    return np.vectorize(_plain, otypes=[np.float64])(found), tally


def dense(cos, sin, x):
    """Rotate with the d x d matrix, zeros included.

    Parameters
    ----------
    cos, sin : numpy.ndarray, shape (d/2,)
        Of the angle of each pair.
    x : numpy.ndarray, shape (d,)

    Returns
    -------
    numpy.ndarray, shape (d,)

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (15).

    Examples
    --------
    >>> dense(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    even = np.arange(0, len(x), 2)
    matrix = np.zeros((len(x), len(x)))
    matrix[even, even] = matrix[even + 1, even + 1] = cos
    matrix[even, even + 1], matrix[even + 1, even] = -sin, sin
    return matrix @ x


def blocks(cos, sin, x):
    """Rotate with one 2 x 2 matrix for each pair.

    Parameters and result are those of `dense`.

    Examples
    --------
    >>> blocks(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    turns = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
    return (turns @ x.reshape(-1, 2, 1)).ravel()


def complex_product(cos, sin, x):
    """Rotate each pair as a complex number, ``(a + ib)(cos + i sin)``.

    Parameters and result are those of `dense`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (12).

    Examples
    --------
    >>> complex_product(np.zeros(1), np.ones(1), np.array([3, 4])).tolist()
    [-4.0, 3.0]
    """
    a, b = x[0::2], x[1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=1).ravel()


def elementwise(cos, sin, x):
    """Rotate with two elementwise products, ``x * cos + partner * sin``.

    Parameters and result are those of `dense`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (34).

    Examples
    --------
    >>> elementwise(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    partner = np.stack([-x[1::2], x[0::2]], axis=1).ravel()
    return x * np.repeat(cos, 2) + partner * np.repeat(sin, 2)


FORMS = {"dense": dense, "2 x 2 blocks": blocks,
         "complex": complex_product, "elementwise": elementwise}
