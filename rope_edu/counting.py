"""Count the arithmetic of a formula, instead of timing it.

A count is the same on every machine and says what a formula asks for; what
a machine makes of it is another matter.  `operations` runs a formula on
numbers that keep a tally.  `FORMS` holds the forms of a rotation, written
out for interleaved pairs so that they also run on such numbers.
"""

import numpy as np

from rope_edu._checks import as_array, as_even, as_real, as_vectors

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


def _is_counted(value):
    objects = as_array("x", value).ravel()
    return any(isinstance(v, _Counted) for v in objects)


def _as_vector(x):
    """Return a 1-D array: float64, or the counted numbers as they are."""
    x = np.asarray(x) if _is_counted(x) else as_vectors("x", x)
    if x.ndim != 1:
        raise ValueError(f"x must be 1-D, got shape {x.shape}")
    return x


def _as_table(name, value, pairs):
    table = as_real(name, value)
    if table.shape != (pairs,):
        raise ValueError(
            f"{name} must have shape {(pairs,)}, one number per pair of x,"
            f" got shape {table.shape}"
        )
    return table


def _checked(cos, sin, x):
    x = _as_vector(x)
    pairs = as_even("len(x)", len(x)) // 2
    return _as_table("cos", cos, pairs), _as_table("sin", sin, pairs), x


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
        If `form` is no function or returns anything but real numbers, or
        `x` is not a 1-D array of real numbers.

    Examples
    --------
    >>> value, tally = operations(lambda x: np.eye(2) @ x, [3.0, 4.0])
    >>> value.tolist(), tally["multiplications"], tally["additions"]
    ([3.0, 4.0], 4, 2)
    """
    if not callable(form):
        raise TypeError(f"form must be a function of x, got {form!r}")
    tally = dict.fromkeys(KINDS, 0)
    wrap = np.vectorize(lambda v: _Counted(v, tally), otypes=[object])
    found = as_array("form(x)", form(wrap(_as_vector(x))))
    value = np.vectorize(_plain, otypes=[object])(found)
    return as_real("form(x)", value.tolist()), tally


def dense(cos, sin, x):
    """Rotate with the d x d matrix, zeros included.

    Parameters
    ----------
    cos, sin : array_like, shape (d/2,)
        Of the angle of each pair.
    x : array_like, shape (d,)
        Real numbers, or those that `operations` counts.

    Returns
    -------
    numpy.ndarray, shape (d,), float64
        Of objects for counted numbers.

    Raises
    ------
    TypeError, ValueError
        If an argument holds anything but real numbers, `x` is not 1-D or
        its width is odd, or `cos` or `sin` has not one number per pair.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (15).

    Examples
    --------
    >>> dense(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    cos, sin, x = _checked(cos, sin, x)
    even = np.arange(0, len(x), 2)
    matrix = np.zeros((len(x), len(x)))
    matrix[even, even] = matrix[even + 1, even + 1] = cos
    matrix[even, even + 1], matrix[even + 1, even] = -sin, sin
    return matrix @ x


def blocks(cos, sin, x):
    """Rotate with one 2 x 2 matrix for each pair.

    Parameters, result and errors are those of `dense`.

    Examples
    --------
    >>> blocks(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    cos, sin, x = _checked(cos, sin, x)
    turns = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
    return (turns @ x.reshape(-1, 2, 1)).ravel()


def complex_product(cos, sin, x):
    """Rotate each pair as a complex number, ``(a + ib)(cos + i sin)``.

    Parameters, result and errors are those of `dense`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (12).

    Examples
    --------
    >>> complex_product(np.zeros(1), np.ones(1), np.array([3, 4])).tolist()
    [-4.0, 3.0]
    """
    cos, sin, x = _checked(cos, sin, x)
    a, b = x[0::2], x[1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=1).ravel()


def elementwise(cos, sin, x):
    """Rotate with two elementwise products, ``x * cos + partner * sin``.

    Parameters, result and errors are those of `dense`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (34).

    Examples
    --------
    >>> elementwise(np.zeros(1), np.ones(1), np.array([3.0, 4.0])).tolist()
    [-4.0, 3.0]
    """
    cos, sin, x = _checked(cos, sin, x)
    partner = np.stack([-x[1::2], x[0::2]], axis=1).ravel()
    return x * np.repeat(cos, 2) + partner * np.repeat(sin, 2)


FORMS = {"dense": dense, "2 x 2 blocks": blocks,
         "complex": complex_product, "elementwise": elementwise}
