"""Learned vectors for the offset, beside every key and every value."""

import torch

from rope_edu._checks import as_count
from rope_edu.encodings.base import (
    SCALE,
    Encoding,
    _as_scale,
    _normal,
    _offsets,
    _whole,
)


class Shaw(Encoding):
    """Add a vector for the clipped offset to each key and each value.

    A query at m meets ``k_n + a_{n-m}`` instead of the key, and attention
    sums ``v_n + b_{n-m}`` instead of the values, where offsets beyond `clip`
    count as `clip`. The heads share the vectors.

    Parameters
    ----------
    sizes : Sizes
        Of the model.
    clip : int
        Largest offset that has a vector of its own; the paper's base model
        has 16.
    scale : float
        Standard deviation of the vectors at the start, 0.02 by default.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Attributes
    ----------
    key_table, value_table : torch.nn.Parameter, shape (2 * clip + 1, head_dim)
        Row ``clip + n - m``.

    Raises
    ------
    TypeError, ValueError
        If an option is wrong. By `bias` and `outputs`, if offsets are not
        whole numbers.

    References
    ----------
    Shaw et al., Self-Attention with Relative Position Representations,
    arXiv:1803.02155, eqs. (3) to (5).

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> shaw = Shaw(Sizes(width=4, heads=2), clip=1)
    >>> _ = torch.nn.init.constant_(shaw.value_table, 3.0)
    >>> weights = torch.full((1, 2, 2, 2), 0.5)
    >>> shaw.outputs(weights, torch.arange(2), torch.arange(2))[0, 0].tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """

    name = "shaw"

    def __init__(self, sizes, *, clip=16, scale=SCALE, generator=None):
        super().__init__(sizes)
        self.clip, scale = as_count("clip", clip), _as_scale(scale)
        shape = (2 * self.clip + 1, sizes.head_dim)
        self.key_table = _normal(shape, scale, generator)
        self.value_table = _normal(shape, scale, generator)

    def _row(self, offsets):
        offsets = _whole("offsets k_ids - q_ids", offsets)
        return (offsets.clamp(-self.clip, self.clip) + self.clip)[:, None]

    def bias(self, q, k, q_ids, k_ids):
        row = self._row(self._between(q, k, q_ids, k_ids))
        # One product for each query and row, not for each query and key.
        scores = q @ self.key_table.to(q.dtype).T * q.shape[-1] ** -0.5
        return scores.gather(-1, row.expand(*q.shape[:2], -1, -1))

    def outputs(self, weights, q_ids, k_ids):
        row = self._row(_offsets(q_ids, k_ids, weights.shape))
        row = row.to(weights.device).expand_as(weights)
        rows = len(self.value_table)
        sums = weights.new_zeros(*weights.shape[:3], rows)
        sums = sums.scatter_add(-1, row, weights)
        return sums @ self.value_table.to(weights.dtype)
