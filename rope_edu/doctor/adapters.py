"""Other signatures, brought into the form ``fn(x, position_ids)``.

The doctor asks with x of shape (batch, heads, sequence, head_dim) and
position_ids of shape (batch, sequence), and finds out by itself whether the
callable wants the sequence before the heads, or positions of another shape.
Adapters do the rest. None of them imports torch.
"""

from rope_edu.doctor.subject import CannotAsk


def from_tables(apply, tables):
    """Adapt a rotation that is given cosine and sine.

    Parameters
    ----------
    apply : callable
        ``apply(x, cos, sin)``, returns the rotated x.
    tables : callable
        ``tables(x, position_ids)``, returns cos and sin.

    Returns
    -------
    callable
        ``fn(x, position_ids)``.

    Examples
    --------
    >>> import numpy as np
    >>> def tables(x, position_ids):
    ...     return np.cos(position_ids), np.sin(position_ids)
    >>> fn = from_tables(lambda x, cos, sin: x * cos, tables)
    >>> fn(2.0, 0.0).tolist()
    2.0
    """
    return lambda x, ids: apply(x, *tables(x, ids))


def from_pair(fn, heads_axis=1):
    """Adapt a rotation of query and key together.

    The doctor then looks at the key, too: it has to be turned as the query
    is, also where it has fewer heads.

    Parameters
    ----------
    fn : callable
        ``fn(q, k, position_ids)``, returns rotated q and k.
    heads_axis : int
        Axis of the heads in q and k, 1 or 2.

    Returns
    -------
    callable
        ``fn(x, position_ids)`` with the attributes ``key``, the same for
        keys; ``beside``, for queries beside a key of other numbers; and
        ``grouped_key`` and ``grouped_query``, for half as many key heads.

    Examples
    --------
    >>> fn = from_pair(lambda q, k, ids: (q + ids, k - ids))
    >>> fn(1, 2), fn.key(1, 2)
    (3, -1)
    """
    return Pair(fn, heads_axis)


class Pair:
    """What `from_pair` returns."""

    def __init__(self, fn, heads_axis):
        self.fn, self.heads_axis = fn, heads_axis

    def __call__(self, x, ids):
        return self.fn(x, x, ids)[0]

    def beside(self, x, ids):
        """Rotate x as a query, beside a key that is -x."""
        return self.fn(x, -x, ids)[0]

    def key(self, x, ids):
        """Rotate x as a key, beside a query that is -x."""
        return self.fn(-x, x, ids)[1]

    def grouped_key(self, x, ids):
        """Rotate x as a key, beside a query of twice as many heads."""
        twice = 2 * list(range(x.shape[self.heads_axis]))
        return self.fn(-self._heads(x, twice), x, ids)[1]

    def grouped_query(self, x, ids):
        """Rotate x as a query, beside a key of half as many heads."""
        half = list(range(x.shape[self.heads_axis] // 2))
        return self.fn(x, -self._heads(x, half), ids)[0]

    def _heads(self, x, which):
        return x[(*(slice(None),) * self.heads_axis, which)]


def from_offset(fn):
    """Adapt a rotation that counts up from an offset by itself.

    Parameters
    ----------
    fn : callable
        ``fn(x, offset)`` with one integer for all rows.

    Returns
    -------
    callable
        ``fn(x, position_ids)``; raises `CannotAsk` for positions that do
        not count up by one, or differ from row to row.

    Examples
    --------
    >>> import numpy as np
    >>> fn = from_offset(lambda x, offset: offset)
    >>> fn(None, np.array([[5, 6, 7]]))
    5
    """
    def counted(x, ids):
        steps = ids[..., 1:] - ids[..., :-1]
        if not (steps == 1).all() or not (ids == ids[:1]).all():
            raise CannotAsk("takes one offset, and counts up from it")
        return fn(x, int(ids.reshape(-1)[0]))

    return counted


def by_keyword(fn, name):
    """Adapt a rotation that wants its positions under a keyword.

    Parameters
    ----------
    fn : callable
        Such as ``RotaryPositionalEmbeddings(64)`` of torchtune.
    name : str
        The keyword, such as ``"input_pos"``.

    Returns
    -------
    callable
        ``fn(x, position_ids)``.

    Examples
    --------
    >>> by_keyword(dict, "input_pos")([("x", 1)], 2)
    {'x': 1, 'input_pos': 2}
    """
    return lambda x, ids: fn(x, **{name: ids})
