"""xPos: RoPE with scales that make the score shrink with distance."""

import torch

from rope_edu._checks import as_number
from rope_edu.encodings.base import _expect, _rows
from rope_edu.encodings.rope import Rope
from rope_edu.rotary import apply_rotary
from rope_edu.spatial import xpos_scales


class XPos(Rope):
    """Turn queries and keys, and scale them with opposite exponents.

    A score gets the factor ``zeta_i ** ((m - n) / scale_base)`` in pair i,
    which shrinks with distance for earlier keys and grows for later ones:
    a causal mask has to hide those.

    Parameters
    ----------
    sizes : Sizes
        With ``causal=True``.
    scale_base : float
        Tokens, above 0; the paper takes 512.
    center : float, optional
        Position with scale 1. It cancels in the score and has to be the same
        for all queries and keys that meet. In the middle of the text it
        doubles the length that a narrow type can hold; by default
        ``(max_positions - 1) / 2``, or 0 where that is unknown.
    **options
        As in `Rope`.

    Raises
    ------
    TypeError, ValueError
        If ``sizes.causal`` is False, or an option is wrong as in `Rope` and
        `rope_edu.spatial.xpos_scales`. By `queries` and `keys`, if float64
        cannot hold the scale of a position.

    References
    ----------
    Sun et al., A Length-Extrapolatable Transformer, arXiv:2212.10554.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> xpos, one = XPos(Sizes(width=2, heads=1)), torch.ones(1, 1, 1, 2)
    >>> q, k = xpos.queries(one, [512]), xpos.keys(one, [512])
    >>> round((k.norm() / q.norm()).item(), 2)  # (7 / 2) ** 2
    12.25
    """

    name = "xpos"

    def __init__(self, sizes, *, scale_base=512.0, center=None, **options):
        super().__init__(sizes, **options)
        if not sizes.causal:
            raise ValueError(
                "causal must be True for xPos (the scores of later keys would"
                " grow with distance), got False"
            )
        if center is None:
            center = ((sizes.max_positions or 1) - 1) / 2
        self.scale_base, self.center = scale_base, as_number("center", center)
        self._scales(torch.zeros(0))  # a wrong scale_base shows here

    def _scales(self, ids):
        query, key = xpos_scales(
            ids.cpu().numpy(),
            self.config.rotary_dim,
            self.scale_base,
            self.center,
        )
        return torch.from_numpy(query), torch.from_numpy(key)

    def _turn_by(self, name, x, position_ids, which, inverse=False):
        _expect(name, x, ("batch", "heads", "sequence", self.sizes.head_dim))
        ids = _rows("position_ids", position_ids, len(x), x.shape[2])[:, None]
        dtype = torch.promote_types(x.dtype, torch.float32)
        scale = self._scales(ids)[which].to(x.device, dtype)
        cos, sin = (
            scale * part for part in self.dials.table(ids, dtype, x.device)
        )
        width, layout = self.config.rotary_dim, self.config.layout
        return apply_rotary(x, cos, sin, layout, inverse, width)

    def queries(self, q, position_ids):
        return self._turn_by("q", q, position_ids, 0)

    def keys(self, k, position_ids):
        return self._turn_by("k", k, position_ids, 1)

    def undo(self, y, position_ids):
        # The scales of queries are the inverses of those of keys.
        return self._turn_by("y", y, position_ids, 0, inverse=True)
