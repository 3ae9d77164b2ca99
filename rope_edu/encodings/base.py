"""One interface for all encodings: hooks that do nothing unless overridden.

A Transformer calls every hook, in this order, whatever the encoding. With
``scores = queries(q) @ keys(k).T / sqrt(head_dim) + bias`` and ``weights =
softmax(mask(scores))``, attention gives ``weights @ v + outputs``.
"""

from dataclasses import dataclass

import torch

from rope_edu._checks import as_count, as_flag, as_number
from rope_edu.rotary import _as_ids

# Standard deviation of the tables that BERT and GPT-2 start from.
SCALE = 0.02


@dataclass(frozen=True)
class Sizes:
    """What an encoding must know of the model, checked when it is made.

    Parameters
    ----------
    width : int
        Channels of the model.
    heads : int
        Query heads.
    kv_heads : int, optional
        Key and value heads, a divisor of `heads`; by default `heads`. Query
        head ``h`` reads key head ``h // (heads // kv_heads)``.
    head_dim : int, optional
        Channels of one head, ``width // heads`` by default.
    max_positions : int, optional
        Positions 0..max_positions - 1 that the model is made for.
    causal : bool
        Whether later keys are masked.

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer, `heads` does not divide
        `width` where `head_dim` is left out, `kv_heads` does not divide
        `heads`, or `causal` is not a bool.

    Examples
    --------
    >>> Sizes(width=64, heads=8, kv_heads=2).head_dim
    8
    """

    width: int
    heads: int
    kv_heads: int | None = None
    head_dim: int | None = None
    max_positions: int | None = None
    causal: bool = True

    def __post_init__(self):
        width = as_count("width", self.width)
        heads = as_count("heads", self.heads)
        if self.head_dim is None and width % heads:
            raise ValueError(
                f"width must be a multiple of heads = {heads}, or head_dim be"
                f" given, got width = {width}"
            )
        for name, value in (("kv_heads", heads), ("head_dim", width // heads)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        self._check()

    def _check(self):
        # As Python's integers: the products of NumPy's may overflow.
        for name in (
            "width", "heads", "kv_heads", "head_dim", "max_positions",
        ):
            value = getattr(self, name)
            if name != "max_positions" or value is not None:
                object.__setattr__(self, name, as_count(name, value))
        if self.heads % self.kv_heads:
            raise ValueError(
                f"kv_heads must divide heads = {self.heads}, got"
                f" {self.kv_heads}"
            )
        as_flag("causal", self.causal)


class Encoding(torch.nn.Module):
    """No encoding: every hook gives back what it got, or 0.

    The others override the hooks they need. Position ids are integers or,
    where an encoding has a meaning for them, fractions and negative numbers:
    of shape (batch, sequence), so that rows may differ, or (sequence,).

    Parameters
    ----------
    sizes : Sizes
        Of the model.

    Attributes
    ----------
    name : str
        What `rope_edu.encodings.make` calls it.
    relative : bool
        Whether scores stay as they are if all positions are shifted.
    sizes : Sizes

    Raises
    ------
    TypeError
        If `sizes` is something else.

    Examples
    --------
    >>> encoding = Encoding(Sizes(width=8, heads=2))
    >>> q = torch.ones(1, 2, 3, 4)
    >>> encoding.queries(q, torch.arange(3)) is q
    True
    >>> encoding.bias(q, q, torch.arange(3), torch.arange(3))
    0
    """

    name = "none"
    relative = True

    def __init__(self, sizes):
        super().__init__()
        if not isinstance(sizes, Sizes):
            raise TypeError(f"sizes must be a Sizes, got {sizes!r}")
        self.sizes = sizes

    def _embed_ids(self, x, position_ids):
        _expect("x", x, ("batch", "sequence", self.sizes.width))
        return _rows("position_ids", position_ids, *x.shape[:2]).to(x.device)

    def _between(self, q, k, q_ids, k_ids):
        # n - m for each score.
        heads, kv_heads, head_dim = (
            getattr(self.sizes, n) for n in ("heads", "kv_heads", "head_dim")
        )
        _expect("q", q, ("batch", heads, "Q", head_dim))
        _expect("k", k, (len(q), kv_heads, "K", head_dim))
        shape = (*q.shape[:3], k.shape[2])
        return _offsets(q_ids, k_ids, shape).to(q.device)

    def embed(self, x, position_ids):
        """Add to the embeddings, before the first layer.

        Parameters
        ----------
        x : torch.Tensor, shape (batch, sequence, width)
        position_ids : torch.Tensor, shape (batch, sequence) or (sequence,)

        Returns
        -------
        torch.Tensor, shape and dtype of `x`
        """
        return x

    def queries(self, q, position_ids):
        """Change the queries of a layer.

        Parameters
        ----------
        q : torch.Tensor, shape (batch, heads, sequence, head_dim)
        position_ids : torch.Tensor, shape (batch, sequence) or (sequence,)

        Returns
        -------
        torch.Tensor, shape and dtype of `q`
        """
        return q

    def keys(self, k, position_ids):
        """Change the keys of a layer; a cache keeps the result.

        Parameters
        ----------
        k : torch.Tensor, shape (batch, kv_heads, sequence, head_dim)
        position_ids : torch.Tensor, shape (batch, sequence) or (sequence,)

        Returns
        -------
        torch.Tensor, shape and dtype of `k`
        """
        return k

    def bias(self, q, k, q_ids, k_ids):
        """Give what is added to ``q @ k.T / sqrt(head_dim)``.

        Parameters
        ----------
        q : torch.Tensor, shape (batch, heads, Q, head_dim)
            From `queries`.
        k : torch.Tensor, shape (batch, kv_heads, K, head_dim)
            From `keys`, cached ones included.
        q_ids : torch.Tensor, shape (batch, Q) or (Q,)
        k_ids : torch.Tensor, shape (batch, K) or (K,)

        Returns
        -------
        0, or torch.Tensor that broadcasts to (batch, heads, Q, K)
            Of the dtype of `q`.
        """
        return 0

    def outputs(self, weights, q_ids, k_ids):
        """Give what is added to ``weights @ v``.

        Parameters
        ----------
        weights : torch.Tensor, shape (batch, heads, Q, K)
            After the softmax.
        q_ids : torch.Tensor, shape (batch, Q) or (Q,)
        k_ids : torch.Tensor, shape (batch, K) or (K,)

        Returns
        -------
        0, or torch.Tensor, shape (batch, heads, Q, head_dim)
        """
        return 0

    def undo(self, y, position_ids):
        """Invert `keys`: ``undo(keys(x, ids), ids)`` is ``x``.

        For the experiment that turns the values as well, with `keys`, and
        the output back.

        Parameters
        ----------
        y : torch.Tensor, shape (batch, heads, sequence, head_dim)
        position_ids : torch.Tensor, shape (batch, sequence) or (sequence,)

        Returns
        -------
        torch.Tensor, shape and dtype of `y`
        """
        return y


def _expect(name, x, shape):
    # A text in the shape stands for any length.
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(x).__name__}")
    wrong = any(isinstance(a, int) and a != b for a, b in zip(shape, x.shape))
    if wrong or x.ndim != len(shape):
        wanted = ", ".join(str(axis) for axis in shape)
        raise ValueError(
            f"{name} must have shape ({wanted}), got {tuple(x.shape)}"
        )


def _rows(name, position_ids, batch, length):
    """Return ids as (batch or 1, sequence), the integer ones as int64."""
    ids = _as_ids(position_ids, name)
    # A difference of unsigned ones would never be negative.
    ids = ids if ids.is_floating_point() else ids.long()
    rows = ids[None] if ids.ndim == 1 else ids
    if rows.shape not in ((1, length), (batch, length)):
        raise ValueError(
            f"{name} must have shape ({length},) or ({batch}, {length}), one"
            f" position for each token, got {tuple(ids.shape)}"
        )
    return rows


def _whole(name, ids):
    # Tables have no rows between their rows.
    # The difference is NaN for infinity, too, which has no integer.
    odd = ids[ids - ids.floor() != 0] if ids.is_floating_point() else ()
    if len(odd):
        raise ValueError(f"{name} must be whole numbers, got {odd[0].item()}")
    return ids.long()


def _from_zero(name, ids, why):
    if ids.numel() and ids.min() < 0:
        raise ValueError(
            f"{name} must not be negative ({why}), got {ids.min().item()}"
        )
    return ids


def _offsets(q_ids, k_ids, shape):
    """Return key minus query, n - m, of shape (batch or 1, Q, K)."""
    batch, _, queries, keys = shape
    m = _rows("q_ids", q_ids, batch, queries)
    n = _rows("k_ids", k_ids, batch, keys)
    return n[:, None, :] - m[:, :, None]


def _normal(shape, scale, generator):
    """Return a new parameter, the same for a seed on every device."""
    if generator is not None and not isinstance(generator, torch.Generator):
        raise TypeError(
            "generator must be a torch.Generator or None (the global seed),"
            f" got {generator!r}"
        )
    start = torch.randn(shape, generator=generator, device="cpu")
    return torch.nn.Parameter(start * scale)


def _as_scale(value):
    if as_number("scale", value) < 0:
        raise ValueError(f"scale must not be negative, got {value}")
    return float(value)
