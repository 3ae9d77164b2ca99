"""RoPE as an encoding, alone and together with ALiBi."""

from rope_edu._checks import as_even
from rope_edu.config import RopeConfig
from rope_edu.encodings.alibi import ALiBi
from rope_edu.encodings.base import Encoding, _expect, _rows
from rope_edu.rotary import RotaryEmbedding
from rope_edu.scaling import Default


class Rope(Encoding):
    """Turn every pair of queries and keys by its rate times the position.

    Parameters
    ----------
    sizes : Sizes
        Of the model.
    base : float
        Finite number above 1.
    rotary_dim : int, optional
        Even number of rotated channels, at most ``sizes.head_dim``, which is
        the default.
    layout : {"interleaved", "half"}
        Which channels form a pair.
    scaling : rope_edu.scaling.Scaling
        How the rates are changed for longer texts.
    length : int, optional
        Tokens of the whole text, where `scaling` depends on it.

    Attributes
    ----------
    config : rope_edu.config.RopeConfig
    dials : rope_edu.rotary.RotaryEmbedding

    Raises
    ------
    TypeError, ValueError
        As in `RopeConfig` and `RotaryEmbedding.from_config`.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> import torch
    >>> from rope_edu.encodings.base import Sizes
    >>> rope = Rope(Sizes(width=4, heads=1), base=100)
    >>> k = torch.tensor([[[[1.0, 0.0, 0.0, 1.0]]]])
    >>> turned = rope.keys(k, torch.tensor([1]))
    >>> turned.flatten().numpy().round(4).tolist()
    [0.5403, 0.8415, -0.0998, 0.995]
    >>> rope.undo(turned, torch.tensor([1])).round(decimals=4).flatten()
    tensor([1., 0., 0., 1.])
    """

    name = "rope"

    def __init__(
        self,
        sizes,
        *,
        base=10000.0,
        rotary_dim=None,
        layout="interleaved",
        scaling=Default(),
        length=None,
    ):
        super().__init__(sizes)
        width = rotary_dim
        if rotary_dim is None:
            width = as_even("head_dim", sizes.head_dim)
        self.config = RopeConfig(sizes.head_dim, width, base, scaling, layout)
        self.dials = RotaryEmbedding.from_config(self.config, length=length)

    def _turn(self, name, x, position_ids, inverse=False):
        _expect(name, x, ("batch", "heads", "sequence", self.sizes.head_dim))
        ids = _rows("position_ids", position_ids, len(x), x.shape[2])
        return self.dials(x, ids, inverse=inverse)

    def queries(self, q, position_ids):
        return self._turn("q", q, position_ids)

    def keys(self, k, position_ids):
        return self._turn("k", k, position_ids)

    def undo(self, y, position_ids):
        return self._turn("y", y, position_ids, inverse=True)


class RopeALiBi(Rope):
    """Turn queries and keys, and let scores fall with distance as well.

    Both depend on the offset alone, and so does their sum.

    Parameters
    ----------
    sizes : Sizes
        Of the model.
    **options
        As in `Rope`.

    Examples
    --------
    >>> import torch
    >>> from rope_edu.encodings.base import Sizes
    >>> both, q = RopeALiBi(Sizes(width=16, heads=8)), torch.ones(1, 8, 3, 2)
    >>> both.bias(q, q, torch.arange(3), torch.arange(3))[0, 0, 2].tolist()
    [-1.0, -0.5, 0.0]
    """

    name = "rope+alibi"

    def __init__(self, sizes, **options):
        super().__init__(sizes, **options)
        self.alibi = ALiBi(sizes)

    def bias(self, q, k, q_ids, k_ids):
        return self.alibi.bias(q, k, q_ids, k_ids)
