"""Transformer-XL: the score is split in four and the offset put in two."""

import torch

from rope_edu.encodings.base import SCALE, Encoding, _as_scale, _normal
from rope_edu.encodings.sinusoidal import sinusoids


class TransformerXL(Encoding):
    """Score ``(q + u) @ k + (q + v) @ W_r @ s_{m-n}``, over sqrt(head_dim).

    Here s is the sinusoidal vector of the distance m - n, `width` wide; W_r
    and, for each head, u and v are learned.

    Parameters
    ----------
    sizes : Sizes
        With an even `width`.
    base : float
        Finite number above 1.
    scale : float
        Standard deviation of W_r, u and v at the start, 0.02 by default.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Attributes
    ----------
    u, v : torch.nn.Parameter, shape (heads, 1, head_dim)
    projection : torch.nn.Parameter, shape (heads, width, head_dim)
        W_r of each head, transposed.

    Raises
    ------
    TypeError, ValueError
        If ``sizes.width`` is odd or an option is wrong.

    Notes
    -----
    The paper's s has all sines first and then all cosines. W_r takes that
    up: with its columns in the same order the model is the same.

    References
    ----------
    Dai et al., Transformer-XL, arXiv:1901.02860, section 3.3.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> xl = TransformerXL(Sizes(width=4, heads=2))
    >>> q = torch.ones(1, 2, 3, 2)
    >>> xl.bias(q, q, torch.arange(3), torch.arange(3)).shape
    torch.Size([1, 2, 3, 3])
    """

    name = "transformer-xl"

    def __init__(self, sizes, *, base=10000.0, scale=SCALE, generator=None):
        super().__init__(sizes)
        self.base, scale = base, _as_scale(scale)
        sinusoids([0], sizes.width, base)  # what is wrong shows here
        heads, width, head_dim = sizes.heads, sizes.width, sizes.head_dim
        shape = (heads, width, head_dim)
        self.projection = _normal(shape, scale, generator)
        self.u = _normal((heads, 1, head_dim), scale, generator)
        self.v = _normal((heads, 1, head_dim), scale, generator)

    def bias(self, q, k, q_ids, k_ids):
        distance = -self._between(q, k, q_ids, k_ids)
        # Each distance once, however many pairs of tokens have it.
        each, place = torch.unique(distance, return_inverse=True)
        dtype = torch.promote_types(q.dtype, torch.float32)
        s = sinusoids(each, self.sizes.width, self.base, dtype).to(q.dtype)
        r = s @ self.projection.to(q.dtype)  # heads, distances, head_dim
        by_distance = (q + self.v.to(q.dtype)) @ r.mT
        place = place[:, None].expand(*q.shape[:2], -1, -1)
        group = self.sizes.heads // self.sizes.kv_heads
        by_key = self.u.to(q.dtype) @ k.repeat_interleave(group, 1).mT
        total = by_distance.gather(-1, place) + by_key
        return total * q.shape[-1] ** -0.5
