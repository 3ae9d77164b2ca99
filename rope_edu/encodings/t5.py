"""T5: one learned number for each head and each range of offsets."""

from bisect import bisect_left
from functools import lru_cache

import torch

from rope_edu._checks import as_count, as_flag
from rope_edu.encodings.base import (
    SCALE,
    Encoding,
    _as_scale,
    _normal,
    _whole,
)
from rope_edu.rotary import _as_ids


def _as_buckets(buckets, farthest, bidirectional):
    # As Python's integers: powers of NumPy's overflow.
    buckets = as_count("num_buckets", buckets)
    farthest = as_count("max_distance", farthest)
    parts = 4 if as_flag("bidirectional", bidirectional) else 2
    if buckets % parts:
        raise ValueError(
            f"num_buckets must be a multiple of {parts} (near and far"
            f"{', before and after' * bidirectional}), got {buckets}"
        )
    if farthest <= buckets // parts:
        raise ValueError(
            f"max_distance must be above {buckets // parts}, the distances"
            f" with a bucket each, got {farthest}"
        )
    return buckets, farthest


@lru_cache
def _first_distances(buckets, farthest):
    """Return the first distance of every bucket but 0, for one direction.

    In whole numbers: bucket ``near + j`` begins where ``(n / near) ** far >=
    (farthest / near) ** j``.
    """
    near = buckets // 2
    far = buckets - near
    firsts = list(range(1, near + 1))
    for j in range(1, far):
        least = farthest**j * near ** (far - j)
        where = range(farthest + 1)
        firsts.append(bisect_left(where, least, key=lambda n: n**far))
    return tuple(firsts)


def relative_buckets(
    offsets, bidirectional, num_buckets=32, max_distance=128
):
    """Bucket of each offset ``n - m`` of a key from the query.

    Of the buckets for one direction, the first half hold one distance each;
    the others hold ranges whose lengths grow geometrically up to
    `max_distance`. What lies farther falls into the last.

    Parameters
    ----------
    offsets : array_like or torch.Tensor, any shape
        Key minus query in tokens, whole numbers.
    bidirectional : bool
        True: the first half of the buckets are for keys up to the query,
        the second half for later ones. False: all are for earlier keys, and
        later ones fall into bucket 0.
    num_buckets : int
        A multiple of 2; of 4 if `bidirectional`.
    max_distance : int
        Above the number of distances that have a bucket each.

    Returns
    -------
    torch.Tensor, shape of `offsets`, int64
        In 0..num_buckets - 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above.

    Notes
    -----
    The published code takes a logarithm in floating point and cuts it off.
    Here the ranges come from whole numbers, so that no rounding moves a
    distance into the bucket below. The two agree for the published 32 and
    128. They do not for, say, 40 buckets up to 640: distance 40 begins
    bucket 24, and logarithms in float32 or float64 say 23.

    References
    ----------
    Raffel et al., T5, arXiv:1910.10683, section 2.1, and the function
    ``_relative_position_bucket`` of Mesh TensorFlow.

    Examples
    --------
    >>> relative_buckets([0, -15, -16, -18, -19, -500, 3], False).tolist()
    [0, 15, 16, 16, 17, 31, 0]
    >>> relative_buckets([-2, 2], bidirectional=True).tolist()
    [2, 18]
    """
    buckets, farthest = _as_buckets(num_buckets, max_distance, bidirectional)
    offsets = _whole("offsets", _as_ids(offsets, "offsets"))
    half = buckets // 2 if bidirectional else buckets
    firsts = torch.tensor(
        _first_distances(half, farthest), device=offsets.device
    )
    distance = offsets.abs() if bidirectional else (-offsets).clamp(min=0)
    buckets = torch.bucketize(distance, firsts, right=True)
    return buckets + half * (offsets > 0) if bidirectional else buckets


class T5(Encoding):
    """Add a learned number for each head and bucket of offsets.

    Parameters
    ----------
    sizes : Sizes
        Where they say ``causal=False``, later keys have buckets too.
    num_buckets, max_distance : int
        As in `relative_buckets`.
    scale : float
        Standard deviation of the numbers at the start, 0.02 by default.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Attributes
    ----------
    table : torch.nn.Parameter, shape (heads, num_buckets)

    Raises
    ------
    TypeError, ValueError
        If an option is wrong. By `bias`, if offsets are not whole numbers.

    Notes
    -----
    T5 itself does not divide scores by ``sqrt(head_dim)``, and shares one
    table between its layers.

    References
    ----------
    Raffel et al., T5, arXiv:1910.10683, section 2.1.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> t5, q = T5(Sizes(width=4, heads=2)), torch.ones(1, 2, 3, 2)
    >>> t5.bias(q, q, torch.arange(3), torch.arange(3)).shape
    torch.Size([1, 2, 3, 3])
    """

    name = "t5"

    def __init__(
        self,
        sizes,
        *,
        num_buckets=32,
        max_distance=128,
        scale=SCALE,
        generator=None,
    ):
        super().__init__(sizes)
        self.num_buckets, self.max_distance = _as_buckets(
            num_buckets, max_distance, not sizes.causal
        )
        shape = (sizes.heads, self.num_buckets)
        self.table = _normal(shape, _as_scale(scale), generator)

    def bias(self, q, k, q_ids, k_ids):
        buckets = relative_buckets(
            self._between(q, k, q_ids, k_ids),
            not self.sizes.causal,
            self.num_buckets,
            self.max_distance,
        )
        return self.table.to(q.dtype)[:, buckets].transpose(0, 1)
