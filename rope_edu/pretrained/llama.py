"""A decoder of the Llama kind, small enough to read, with open dials.

Norm, attention, norm, gated feed-forward, thirty times over: everything but
the rotation is what torch offers. The rotation is that of
`rope_edu.rotary`, and each call may bring its own rates, layout and
positions. A mask keeps tokens from looking ahead; it goes by their order and
not by their positions, so that positions may be anything.

Whatever is named `tokens` has shape (sequence,) or (batch, sequence).
"""

import numbers
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch.nn.functional import (
    cross_entropy,
    linear,
    rms_norm,
    scaled_dot_product_attention,
    silu,
)

from rope_edu._checks import as_array, as_count, as_positive
from rope_edu.config import RopeConfig
from rope_edu.layouts import permute_weight
from rope_edu.rotary import RotaryEmbedding, _as_ids, apply_rotary
from rope_edu.scaling import Default, Scaling

EMBEDDING, OUTPUT = "token_embd.weight", "output.weight"


@dataclass(frozen=True)
class Config:
    """Sizes of a model, checked when it is made.

    Parameters
    ----------
    layers, width, hidden : int
        Blocks, channels of a token, channels inside the feed-forward part.
    heads, kv_heads : int
        Query heads, and key and value heads, each shared by
        ``heads / kv_heads`` query heads.
    vocabulary, context : int
        Number of tokens there are, and the length trained on.
    epsilon : float
        Of the norms.
    rope : RopeConfig
        Width of a head, base and layout of the rotation.

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer (`epsilon`: a number above 0),
        `heads` is no multiple of `kv_heads`, or `rope` has no layout.

    Examples
    --------
    >>> Config(2, 8, 16, 2, 1, 32, 64, 1e-5,
    ...        RopeConfig(4, 4, 100.0, layout="interleaved")).heads
    2
    """

    layers: int
    width: int
    hidden: int
    heads: int
    kv_heads: int
    vocabulary: int
    context: int
    epsilon: float
    rope: RopeConfig

    def __post_init__(self):
        for name in (
            "layers", "width", "hidden", "heads", "kv_heads", "vocabulary",
            "context",
        ):
            # As Python's integers: products of NumPy's may overflow.
            value = as_count(name, getattr(self, name))
            object.__setattr__(self, name, value)
        as_positive("epsilon", self.epsilon)
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads must be a multiple of kv_heads = {self.kv_heads},"
                f" got {self.heads}"
            )
        if not isinstance(self.rope, RopeConfig):
            raise TypeError(f"rope must be a RopeConfig, got {self.rope!r}")
        if self.rope.layout is None:
            raise ValueError("rope must have a layout, got layout = None")

    def shapes(self):
        """Shape of every tensor, by its name in a GGUF file.

        Returns
        -------
        dict of str to tuple of int
            All that a model has to have; ``output.weight`` may come in
            addition, in place of the embedding.

        Examples
        --------
        >>> rope = RopeConfig(4, 4, 100.0, layout="half")
        >>> config = Config(1, 8, 16, 2, 1, 32, 64, 1e-5, rope)
        >>> config.shapes()["blk.0.attn_k.weight"]
        (4, 8)
        """
        width, head_dim = self.width, self.rope.head_dim
        shapes = {
            EMBEDDING: (self.vocabulary, width),
            "output_norm.weight": (width,),
        }
        block = {
            "attn_norm": (width,),
            "attn_q": (self.heads * head_dim, width),
            "attn_k": (self.kv_heads * head_dim, width),
            "attn_v": (self.kv_heads * head_dim, width),
            "attn_output": (width, self.heads * head_dim),
            "ffn_norm": (width,),
            "ffn_gate": (self.hidden, width),
            "ffn_up": (self.hidden, width),
            "ffn_down": (width, self.hidden),
        }
        for layer in range(self.layers):
            for name, shape in block.items():
                shapes[f"blk.{layer}.{name}.weight"] = shape
        return shapes


class Cache:
    """Rotated keys, and values, of the tokens that were read so far.

    Made empty, and filled by the calls that it is given to, all of one model
    and for as many texts. The keys have been turned: rates that change with
    the length do not fit them.

    Examples
    --------
    >>> len(Cache())
    0
    """

    def __init__(self):
        self._layers, self._model = {}, None

    def __len__(self):
        keys = self._layers.get(0, [torch.empty(0, 1)])[0]
        return keys.shape[-2]

    def copy(self):
        """Return a cache of the same tokens, which grows by itself from here.

        Examples
        --------
        >>> len(Cache().copy())
        0
        """
        branch = Cache()
        branch._layers = dict(self._layers)  # tensors are never written to
        branch._model = self._model
        return branch

    def extended(self, layer, keys, values):
        """Add keys and values of one layer, and return all of them.

        Parameters
        ----------
        layer : int
        keys, values : torch.Tensor, shape (batch, kv_heads, new, head_dim)

        Returns
        -------
        keys, values : torch.Tensor, shape (batch, kv_heads, all, head_dim)

        Examples
        --------
        >>> cache = Cache()
        >>> for _ in range(2):
        ...     both = cache.extended(0, *torch.ones(2, 1, 1, 3, 4))
        >>> len(cache)
        6
        """
        new = (keys, values)
        if layer in self._layers:
            pairs = zip(self._layers[layer], new)
            new = tuple(torch.cat(pair, -2) for pair in pairs)
        self._layers[layer] = new
        return new


def _check_weights(config, weights):
    shapes = config.shapes()
    shapes[OUTPUT] = shapes[EMBEDDING]
    missing = set(shapes) - set(weights) - {OUTPUT}
    if missing:
        raise ValueError(f"weights must have a tensor {min(missing)!r}")
    for name, weight in weights.items():
        if name not in shapes:
            raise ValueError(
                f"weights have a tensor {name!r}, which this model does not"
                " know: without it the result would be wrong"
            )
        if not isinstance(weight, torch.Tensor):
            raise TypeError(
                f"{name} must be a tensor, got {type(weight).__name__}"
            )
        if tuple(weight.shape) != shapes[name]:
            raise ValueError(
                f"{name} must have the shape {shapes[name]}, got"
                f" {tuple(weight.shape)}"
            )


class Llama:
    """A model that can be asked for more than its answer.

    Parameters
    ----------
    config : Config
    weights : dict of str to torch.Tensor
        By their names in a GGUF file, matrices as (out, in).

    Raises
    ------
    TypeError, ValueError
        If a tensor is missing, unknown, none, or of another shape than
        ``config.shapes()`` says.

    Examples
    --------
    >>> model = Llama.random()
    >>> model.logits([3, 1, 4]).shape
    torch.Size([3, 32])
    """

    def __init__(self, config, weights):
        _check_weights(config, weights)
        self.config, self.weights = config, dict(weights)

    @classmethod
    def random(cls, config=None, seed=0):
        """Make a model with random weights, tiny unless told otherwise.

        Parameters
        ----------
        config : Config, optional
            Two layers of width 16 by default, with 4 query heads, 2 key
            heads and 4 of 4 channels rotated.
        seed : int

        Returns
        -------
        Llama

        Examples
        --------
        >>> Llama.random().config.kv_heads
        2
        """
        if config is None:
            rope = RopeConfig(4, 4, 100.0, layout="interleaved")
            config = Config(2, 16, 24, 4, 2, 32, 64, 1e-5, rope)
        generator = torch.Generator().manual_seed(seed)
        weights = {
            name: torch.randn(shape, generator=generator)
            for name, shape in config.shapes().items()
        }
        for name, weight in weights.items():
            if weight.ndim == 2 and name != EMBEDDING:
                weight /= weight.shape[1] ** 0.5
        return cls(config, weights)

    def half_split(self):
        """Carry the model over to the half-split layout.

        The rows of the query and key projections are permuted, head by head;
        the result computes the same.

        Returns
        -------
        Llama
            All other weights are shared.

        Raises
        ------
        ValueError
            If the layout is half-split already.

        Examples
        --------
        >>> Llama.random().half_split().config.rope.layout
        'half'
        """
        rope = self.config.rope
        if rope.layout == "half":
            raise ValueError("layout must be 'interleaved', got 'half'")
        heads = {"q": self.config.heads, "k": self.config.kv_heads}
        weights = dict(self.weights)
        for layer in range(self.config.layers):
            for part, count in heads.items():
                name = f"blk.{layer}.attn_{part}.weight"
                rows = permute_weight(
                    np.arange(len(weights[name])), count, "half",
                    rope.rotary_dim, head_dim=rope.head_dim,
                )
                weights[name] = weights[name][rows]
        rope = replace(rope, layout="half")
        return Llama(replace(self.config, rope=rope), weights)

    def rope(self, scaling=None, length=None, layout=None, still=()):
        """Make a rotation for this model, to be given to its methods.

        Parameters
        ----------
        scaling : Scaling, optional
            A method of `rope_edu.scaling`; the model's own rates by default.
            Scores are not multiplied by its ``softmax_multiplier``.
        length : int, optional
            Tokens of the whole text, where the rates depend on it.
        layout : {"interleaved", "half"}, optional
            That of the weights by default. The other one is a mistake, and
            you may want to see what it does.
        still : sequence of int
            Pairs whose rate becomes 0; pair 0 is the fastest.

        Returns
        -------
        RotaryEmbedding

        Raises
        ------
        TypeError, ValueError
            If `scaling` is no method or does not fit, `length` is missing,
            `layout` is unknown, or there is no such pair.

        Examples
        --------
        >>> Llama.random().rope(still=[0]).inv_freq
        (0.0, 0.1)
        """
        rope = self.config.rope
        if scaling is not None:
            rope = replace(rope, scaling=scaling)
        inv_freq, factor = rope.table(length)
        for pair in still:
            inv_freq[_as_pair(pair, len(inv_freq))] = 0
        layout = rope.layout if layout is None else layout
        return RotaryEmbedding(inv_freq, layout, rope.head_dim, factor)

    @torch.no_grad()
    def logits(self, tokens, position_ids=None, rope=None, cache=None):
        """Logits of the token that comes next, at every place.

        Parameters
        ----------
        tokens : array_like of int, shape (sequence,) or (batch, sequence)
            A text longer than ``config.context`` is allowed.
        position_ids : array_like, optional
            Shape (sequence,) or that of `tokens`; any numbers that
            `RotaryEmbedding.table` takes. By default they count on from
            those of the cache.
        rope : optional
            What `Llama.rope` gives, a scaling method, or any object with a
            ``layout`` and a ``table(position_ids)`` that returns ``(cos,
            sin)``; by default the model's own rotation.
        cache : Cache, optional
            Of what was read before; it grows by these tokens.

        Returns
        -------
        torch.Tensor, shape tokens.shape + (vocabulary,), float32
            Of SmolLM2, 0.2 MB for each token: for long texts, see `losses`.

        Raises
        ------
        TypeError, ValueError
            If `tokens` are not integers within the vocabulary,
            `position_ids` are wrong as in `RotaryEmbedding.table` or their
            shape does not fit, `rope` is no rotation of this width, or
            `cache` is of another model or another number of texts.

        Examples
        --------
        >>> model, text = Llama.random(), [3, 1, 4, 1, 5]
        >>> moved = model.logits(text, position_ids=range(100, 105))
        >>> bool(torch.allclose(model.logits(text), moved, atol=1e-5))
        True
        """
        tokens, shape = _as_tokens(tokens, self.config.vocabulary)
        x = self._read(tokens, position_ids, rope, cache)
        return self._logits(x).view(*shape, -1)

    @torch.no_grad()
    def losses(self, tokens, position_ids=None, rope=None, chunk=512):
        """Surprise at each token, in nats, given those before it.

        Parameters
        ----------
        tokens, position_ids, rope
            As in `logits`, of two tokens or more.
        chunk : int
            Tokens read at a time. It changes memory and time only: 16,384
            tokens of SmolLM2 take 2 GB.

        Returns
        -------
        numpy.ndarray, shape tokens.shape, the sequence one shorter
            Of token 1, token 2 and so on.

        Raises
        ------
        TypeError, ValueError
            As in `logits`, or if there is only one token.

        Examples
        --------
        >>> Llama.random().losses([3, 1, 4, 1]).shape
        (3,)
        """
        tokens, shape = _as_tokens(tokens, self.config.vocabulary)
        ids = _ids_of(position_ids, tokens, 0)
        if tokens.shape[-1] < 2:
            raise ValueError("tokens must be two or more, got one")
        parts, cache, chunk = [], Cache(), as_count("chunk", chunk)
        for start in range(0, tokens.shape[-1] - 1, chunk):
            stop = min(start + chunk, tokens.shape[-1] - 1)
            here = slice(start, stop)
            x = self._read(tokens[:, here], ids[:, here], rope, cache)
            next_ones = tokens[:, start + 1 : stop + 1]
            logits = self._logits(x).transpose(1, 2)
            parts.append(cross_entropy(logits, next_ones, reduction="none"))
        return torch.cat(parts, -1).view(*shape[:-1], -1).numpy()

    @torch.no_grad()
    def queries_keys(self, tokens, layer=None, position_ids=None, rope=None):
        """Queries and keys before they are turned, of one layer or all.

        Parameters
        ----------
        tokens : array_like of int, shape (sequence,)
        layer : int, optional
            From 0; all layers by default.
        position_ids, rope : optional
            Of the layers below, as in `logits`.

        Returns
        -------
        q : torch.Tensor, shape (heads, sequence, head_dim)
        k : torch.Tensor, shape (kv_heads, sequence, head_dim)
            Query head h meets key head ``h * kv_heads // heads``. For all
            layers, both have an axis of layers in front.

        Raises
        ------
        TypeError, ValueError
            As in `logits`, or if there is no such layer or more than one
            text.

        Examples
        --------
        >>> model = Llama.random()
        >>> q, k = model.queries_keys([3, 1, 4], layer=1)
        >>> tuple(q.shape), tuple(k.shape)
        ((4, 3, 4), (2, 3, 4))
        >>> model.queries_keys([3, 1, 4])[0].shape
        torch.Size([2, 4, 3, 4])
        """
        tokens, _ = _as_tokens(tokens, self.config.vocabulary, single=True)
        layers = self._as_layers(layer)
        states = self._states(tokens, position_ids, rope, Cache())
        parts = [
            self._project(x, i)[:2]
            for i, x in zip(range(layers[-1] + 1), states)
            if i in layers
        ]
        q, k = (torch.cat(part) for part in zip(*parts))
        return (q, k) if layer is None else (q[0], k[0])

    @torch.no_grad()
    def attention(self, tokens, layer=None, position_ids=None, rope=None):
        """How much each token attends to each one before it.

        Parameters
        ----------
        tokens, layer, position_ids, rope
            As in `queries_keys`.

        Returns
        -------
        torch.Tensor, shape (heads, sequence, sequence)
            Rows are queries and add up to 1. For all layers, with an axis
            of layers in front.

        Raises
        ------
        TypeError, ValueError
            As in `queries_keys`.

        Examples
        --------
        >>> weights = Llama.random().attention([3, 1, 4], layer=0)
        >>> weights[0, 0].tolist()
        [1.0, 0.0, 0.0]
        """
        q, k = self.queries_keys(tokens, layer, position_ids, rope)
        tokens, _ = _as_tokens(tokens, self.config.vocabulary)
        rope = self._as_rope(rope)
        cos, sin = rope.table(_ids_of(position_ids, tokens, 0)[0])
        q, k = (apply_rotary(x, cos, sin, rope.layout,
                             rotary_dim=2 * cos.shape[-1]) for x in (q, k))
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        hidden = ~_sees(*scores.shape[-2:])
        return scores.masked_fill(hidden, -torch.inf).softmax(-1)

    def write(self, tokens, count, rope=None):
        """Continue a text with the likeliest token each time.

        Parameters
        ----------
        tokens : array_like of int, shape (sequence,)
        count : int
            Tokens to write.
        rope : optional
            As in `logits`, with rates that do not depend on the length.

        Returns
        -------
        list of int
            The `count` new tokens.

        Raises
        ------
        TypeError, ValueError
            As in `logits`, or if `count` is not a positive integer.

        Examples
        --------
        >>> len(Llama.random().write([3, 1, 4], count=5))
        5
        """
        tokens, _ = _as_tokens(tokens, self.config.vocabulary, single=True)
        cache, written, new = Cache(), [], tokens[0]
        for _ in range(as_count("count", count)):
            best = self.logits(new, rope=rope, cache=cache)[-1].argmax()
            written.append(int(best))
            new = best[None]
        return written

    def _as_layers(self, layer):
        every = range(self.config.layers)
        if layer is None:
            return every
        if isinstance(layer, bool) or layer not in every:
            raise ValueError(
                f"layer must be 0 to {every[-1]} or None, got {layer!r}"
            )
        return [layer]

    def _as_rope(self, rope):
        if rope is None or isinstance(rope, Scaling):
            return self.rope(rope)
        turns = hasattr(rope, "table") and hasattr(rope, "layout")
        if not turns or isinstance(rope, RopeConfig):
            raise TypeError(
                "rope must be what Llama.rope gives, a method of"
                f" rope_edu.scaling or None, got {rope!r}"
            )
        return rope

    def _states(self, tokens, position_ids, rope, cache):
        """Yield the channels of the tokens before each layer, and after."""
        rope = self._as_rope(rope)
        tables = _tables(rope, _ids_of(position_ids, tokens, len(cache)))
        self._check_pairs(tables[0])
        turn = partial(_turned, tables=tables, layout=rope.layout)
        x = self.weights[EMBEDDING][tokens]
        yield x
        for layer in range(self.config.layers):
            x = x + self._attend(x, layer, turn, cache)
            x = x + self._feed_forward(x, layer)
            yield x

    def _read(self, tokens, position_ids, rope, cache):
        cache = Cache() if cache is None else cache
        self._check_cache(cache, len(tokens))
        for x in self._states(tokens, position_ids, rope, cache):
            pass
        return x

    def _check_cache(self, cache, texts):
        if not isinstance(cache, Cache):
            raise TypeError(f"cache must be a Cache, got {cache!r}")
        if not cache._layers:
            cache._model = self
        if cache._model is not self:
            raise ValueError("cache must be of this model, got another's")
        count = len(cache._layers[0][0]) if cache._layers else texts
        if count != texts:
            raise ValueError(
                f"tokens must be as many texts as in cache, {count}, got"
                f" {texts}"
            )

    def _check_pairs(self, cos):
        pairs = self.config.rope.rotary_dim // 2
        if cos.shape[-1] != pairs:
            raise ValueError(
                f"rope must turn {pairs} pairs, as the model does, got"
                f" {cos.shape[-1]}"
            )

    def _linear(self, x, layer, name):
        return linear(x, self.weights[f"blk.{layer}.{name}.weight"])

    def _norm(self, x, name):
        weight = self.weights[f"{name}.weight"]
        return rms_norm(x, weight.shape, weight, self.config.epsilon)

    def _project(self, x, layer):
        x = self._norm(x, f"blk.{layer}.attn_norm")
        parts = (self._linear(x, layer, f"attn_{name}") for name in "qkv")
        width = self.config.rope.head_dim
        # (batch, sequence, heads * width) to (batch, heads, sequence, width)
        return tuple(
            part.unflatten(-1, (-1, width)).transpose(1, 2) for part in parts
        )

    def _attend(self, x, layer, turn, cache):
        q, k, v = self._project(x, layer)
        k, v = cache.extended(layer, turn(k), v)
        mask = _sees(q.shape[-2], k.shape[-2])
        mixed = scaled_dot_product_attention(
            turn(q), k, v, attn_mask=mask, enable_gqa=True
        )
        mixed = mixed.transpose(1, 2).flatten(-2)
        return self._linear(mixed, layer, "attn_output")

    def _feed_forward(self, x, layer):
        x = self._norm(x, f"blk.{layer}.ffn_norm")
        gate = silu(self._linear(x, layer, "ffn_gate"))
        return self._linear(
            gate * self._linear(x, layer, "ffn_up"), layer, "ffn_down"
        )

    def _logits(self, x):
        # Many small models have one matrix for reading and for writing.
        weight = self.weights.get(OUTPUT, self.weights[EMBEDDING])
        return linear(self._norm(x, "output_norm"), weight)


def _as_pair(pair, pairs):
    if isinstance(pair, bool) or not isinstance(pair, numbers.Integral):
        raise TypeError(f"still must hold integers, got {pair!r}")
    if not 0 <= pair < pairs:
        raise ValueError(
            f"still must hold pairs, 0 to {pairs - 1}, got {pair!r}"
        )
    return pair


def _as_tokens(tokens, vocabulary, single=False):
    """Return tokens as (batch, sequence), and the shape they came in."""
    array = as_array("tokens", tokens)
    if array.dtype.kind not in "iu":
        raise TypeError(f"tokens must be integers, got dtype {array.dtype}")
    if array.ndim not in ((1,) if single else (1, 2)) or array.size == 0:
        axes = "(sequence,)" if single else "(sequence,) or (batch, sequence)"
        raise ValueError(f"tokens must have shape {axes}, got {array.shape}")
    odd = array[(array < 0) | (array >= vocabulary)]
    if odd.size:
        raise ValueError(
            f"tokens must be 0 to {vocabulary - 1}, got {odd.flat[0]}"
        )
    ids = torch.from_numpy(array.astype(np.int64))
    return ids.view(-1, array.shape[-1]), array.shape


def _ids_of(position_ids, tokens, past):
    """Return position ids as (1, sequence) or (batch, sequence)."""
    batch, length = tokens.shape
    if position_ids is None:
        return torch.arange(past, past + length)[None]
    ids = _as_ids(position_ids)
    ids = ids[None] if ids.ndim == 1 else ids
    if tuple(ids.shape) not in ((1, length), (batch, length)):
        raise ValueError(
            f"position_ids must have shape ({length},) or ({batch},"
            f" {length}), got {tuple(ids.shape)}"
        )
    return ids


def _tables(rope, ids):
    # The heads lie between the batch and the sequence.
    return tuple(table[:, None] for table in rope.table(ids))


def _turned(x, tables, layout):
    cos, sin = (table.expand(len(x), -1, -1, -1) for table in tables)
    return apply_rotary(x, cos, sin, layout, rotary_dim=2 * cos.shape[-1])


def _sees(queries, keys):
    # The queries are the last ones of the tokens that have keys.
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
