"""A small Transformer into which every position encoding can be plugged.

Layers are pre-norm, attention-only or with a feed-forward part, causal or
bidirectional, with one key and value head for each query head or fewer. It
takes padded and packed batches, and decodes with a cache of keys and values.

What a token may attend to depends on its place in the sequence, on padding
and on its document; never on its position id. Position ids matter to the
encoding alone, so that a fault in them shows as what it is.
"""

from typing import NamedTuple

import torch
from torch import nn

from rope_edu._checks import as_choice, as_count, as_flag, as_width
from rope_edu.encodings import Encoding, Sizes, make
from rope_edu.rotary import _as_ids

PLACES = ("after", "before")
LAYERS = ("all", "first")


class Rows(NamedTuple):
    """Where the tokens of a call stand, and what they may attend to.

    Attributes
    ----------
    q_ids : torch.Tensor, shape (batch, queries)
        Position ids of the tokens of this call.
    k_ids : torch.Tensor, shape (batch, keys)
        Position ids of all tokens, the cached ones first.
    allowed : torch.Tensor of bool, shape (batch, 1, queries, keys)
        True where a query may attend to a key; the 1 stands for the heads.

    Examples
    --------
    >>> ids = torch.arange(3)[None]
    >>> Rows(ids, ids, torch.ones(1, 1, 3, 3, dtype=torch.bool)).q_ids
    tensor([[0, 1, 2]])
    """

    q_ids: torch.Tensor
    k_ids: torch.Tensor
    allowed: torch.Tensor


def positions(keep=None, segments=None):
    """Position ids under which padding and packing change nothing.

    Each token gets the number of kept tokens of its own document before it.

    Parameters
    ----------
    keep : torch.Tensor of bool, shape (batch, sequence), optional
        False for padding.
    segments : torch.Tensor of integers, shape (batch, sequence), optional
        The document of each token. One of the two must be given.

    Returns
    -------
    torch.Tensor of int64, shape (batch, sequence)

    Raises
    ------
    TypeError, ValueError
        If neither is given, one has another dtype or not two axes, or their
        shapes differ.

    Examples
    --------
    >>> positions(keep=torch.tensor([[False, False, True, True]])).tolist()
    [[0, 0, 0, 1]]
    >>> positions(segments=torch.tensor([[0, 0, 0, 1, 1]])).tolist()
    [[0, 1, 2, 0, 1]]
    """
    given = keep if keep is not None else segments
    if given is None:
        raise TypeError("keep or segments must be given, got neither")
    shape = tuple(getattr(given, "shape", ()))
    if isinstance(given, torch.Tensor) and len(shape) != 2:
        raise ValueError(
            "keep and segments must have shape (batch, sequence), got"
            f" {shape}"
        )
    keep, segments = (
        part.to(given.device)
        for part in (_as_keep(keep, shape), _as_segments(segments, shape))
    )
    same = segments[:, :, None] == segments[:, None, :]
    return (same & keep[:, None, :]).tril(-1).sum(-1)


def attention_weights(q, k, allowed, bias=0.0):
    """Softmax of ``q @ k^T / sqrt(head_dim) + bias`` over the allowed keys.

    Parameters
    ----------
    q : torch.Tensor, shape (batch, heads, queries, head_dim)
    k : torch.Tensor, shape (batch, heads, keys, head_dim)
    allowed : torch.Tensor of bool, broadcastable to the result
    bias : torch.Tensor or number, broadcastable to the result
        Added to the scaled scores.

    Returns
    -------
    torch.Tensor, shape (batch, heads, queries, keys)
        Rows sum to 1; a row that may attend to nothing is all 0, so that
        padding never makes a NaN.

    Raises
    ------
    TypeError
        If `allowed` is not a tensor of bool.

    References
    ----------
    Vaswani et al., arXiv:1706.03762, eq. (1).

    Examples
    --------
    >>> q = torch.zeros(1, 1, 2, 4)
    >>> causal = torch.ones(2, 2, dtype=torch.bool).tril()
    >>> attention_weights(q, q, causal)[0, 0].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    _check_kind("allowed", allowed, (torch.bool,), "bool")
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + bias
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, lowest).softmax(-1)
    return weights.masked_fill(~allowed, 0.0)


def _merge(x):
    # (batch, heads, sequence, head_dim) to (batch, sequence, channels)
    return x.transpose(1, 2).flatten(-2)


def _unchanged(x, position_ids):
    return x


class Attention(nn.Module):
    """One attention layer, without biases in its four projections.

    Parameters
    ----------
    sizes : rope_edu.encodings.Sizes
        Width of input and output, heads, and channels of one head. With fewer
        `kv_heads`, each is shared by ``heads // kv_heads`` query heads in
        turn.
    place : {"after", "before"}
        Whether the encoding turns queries and keys after the projection, or
        the input, cut into heads, before it. The second is a mistake that
        people make, here to be measured.
    rotated : str
        Which of ``"q"``, ``"k"`` and ``"v"`` are turned. With ``"-undo"`` at
        the end, as in ``"qkv-undo"``, the output of each head is turned back
        by the position of its query.

    Attributes
    ----------
    query, key, value, output : torch.nn.Linear

    Raises
    ------
    ValueError
        If `place` or `rotated` is unknown, or ``"before"`` is asked for where
        `head_dim` does not divide `width`.

    References
    ----------
    Vaswani et al., arXiv:1706.03762, section 3.2; fewer heads of keys:
    Ainslie et al., arXiv:2305.13245.

    Examples
    --------
    >>> layer = Attention(Sizes(width=32, heads=4, kv_heads=2))
    >>> layer.query.weight.shape, layer.key.weight.shape
    (torch.Size([32, 32]), torch.Size([16, 32]))
    """

    def __init__(self, sizes, place="after", rotated="qk"):
        super().__init__()
        self.sizes, self.place = sizes, _as_place(place, sizes)
        self.rotated, self.undone = _as_rotated(rotated)
        width, inner = sizes.width, sizes.heads * sizes.head_dim
        kv = sizes.kv_heads * sizes.head_dim
        self.query = nn.Linear(width, inner, bias=False)
        self.key = nn.Linear(width, kv, bias=False)
        self.value = nn.Linear(width, kv, bias=False)
        self.output = nn.Linear(inner, width, bias=False)

    def forward(self, x, rows, encoding, past=None):
        """Attend, and turn what is to be turned.

        Parameters
        ----------
        x : torch.Tensor, shape (batch, queries, width)
        rows : Rows
        encoding : rope_edu.encodings.Encoding
        past : pair of torch.Tensor, optional
            Keys and values of the cached tokens, shape (batch, kv_heads,
            cached, head_dim) each.

        Returns
        -------
        y : torch.Tensor, shape of `x`
        weights : torch.Tensor, shape (batch, heads, queries, keys)
        pair : tuple of torch.Tensor
            Keys and values of all tokens, as `past`.
        """
        q, k, v = self._project(x, encoding, rows.q_ids)
        if past is not None:
            k, v = (torch.cat(parts, 2) for parts in zip(past, (k, v)))
        shared = self.sizes.heads // self.sizes.kv_heads
        keys, values = (t.repeat_interleave(shared, 1) for t in (k, v))
        bias = encoding.bias(q, k, *rows[:2])
        weights = attention_weights(q, keys, rows.allowed, bias)
        y = weights @ values + encoding.outputs(weights, *rows[:2])
        if self.undone:
            y = encoding.undo(y, rows.q_ids)
        return self.output(_merge(y)), weights, (k, v)

    def _project(self, x, encoding, ids):
        turns = {
            "q": (self.query, encoding.queries),
            "k": (self.key, encoding.keys),
            "v": (self.value, encoding.keys),
        }
        for name, (linear, turn) in turns.items():
            turn = turn if name in self.rotated else _unchanged
            if self.place == "before":
                yield self._split(linear(_merge(turn(self._split(x), ids))))
            else:
                yield turn(self._split(linear(x)), ids)

    def _split(self, x):
        return x.unflatten(-1, (-1, self.sizes.head_dim)).transpose(1, 2)


class _Block(nn.Module):
    def __init__(self, attention, width, feed_forward):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(width), attention
        if feed_forward:
            self.feed = nn.Sequential(
                nn.LayerNorm(width),
                nn.Linear(width, feed_forward),
                nn.GELU(),
                nn.Linear(feed_forward, width),
            )
        else:
            self.feed = None

    def forward(self, x, rows, encoding, past):
        y, weights, pair = self.attention(self.norm(x), rows, encoding, past)
        x = x + y
        if self.feed is not None:
            x = x + self.feed(x)
        return x, weights, pair


class Cache:
    """Keys and values of the tokens that a model has read.

    Made by `Transformer.new_cache`, and filled by the calls it is passed to.
    Keys are kept as the encoding turned them: after a change of its rates
    start with a new one.

    Attributes
    ----------
    model : Transformer
    layers : list
        For each layer None or a pair of tensors, keys and values, of shape
        (batch, kv_heads, tokens, head_dim).
    position_ids, keep, segments : torch.Tensor, shape (batch, tokens)
        Of the tokens read so far; None before the first.

    Examples
    --------
    >>> model = Transformer(vocab_size=5, width=8, layers=1, heads=2)
    >>> cache = model.new_cache()
    >>> logits = model(torch.tensor([[0, 1, 2]]), cache=cache)
    >>> len(cache), cache.layers[0][0].shape
    (3, torch.Size([1, 2, 3, 4]))
    """

    def __init__(self, model):
        self.model = model
        self.layers = [None] * len(model.blocks)
        self.position_ids = self.keep = self.segments = None

    def __len__(self):
        return 0 if self.keep is None else self.keep.shape[1]


class Transformer(nn.Module):
    """A small Transformer with an exchangeable position encoding.

    Parameters
    ----------
    vocab_size : int
        Tokens are 0 to ``vocab_size - 1``.
    width : int
        Channels between the layers.
    layers, heads : int
    kv_heads, head_dim : int, optional
        As in `rope_edu.encodings.Sizes`.
    feed_forward : int
        Inner channels of the feed-forward part; with 0 layers have none.
    encoding : str or rope_edu.encodings.Encoding
        A name is made by `rope_edu.encodings.make`. What the encoding has to
        learn is shared by all layers. A ready one must have the same `Sizes`.
    causal : bool
        Whether a token may attend to itself and those before it only.
    place, rotated : str
        As in `Attention`.
    rope_layers : {"all", "first"}
        Whether the encoding acts in every attention layer or in the first
        one alone.
    seed : int
        Of every weight, a named encoding's included. The state of torch's
        own generator is not changed.
    **options
        Of a named encoding, such as ``base=100.0`` or ``max_positions=512``.

    Attributes
    ----------
    encoding : rope_edu.encodings.Encoding
        May be replaced, such as by one with other rates.
    blocks : torch.nn.ModuleList
        ``blocks[i].attention`` is an `Attention`.

    Raises
    ------
    TypeError, ValueError
        If a count is no positive integer, widths and heads do not fit, a
        choice is unknown, or as in `rope_edu.encodings.make`.

    References
    ----------
    Vaswani et al., arXiv:1706.03762; norm before each part: Xiong et al.,
    arXiv:2002.04745.

    Examples
    --------
    >>> model = Transformer(vocab_size=5, width=8, layers=2, heads=2)
    >>> model(torch.tensor([[3, 1, 4]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(
        self,
        vocab_size,
        width,
        layers,
        heads,
        kv_heads=None,
        head_dim=None,
        feed_forward=0,
        encoding="rope",
        causal=True,
        place="after",
        rotated="qk",
        rope_layers="all",
        seed=0,
        **options,
    ):
        super().__init__()
        self.sizes = Sizes(width, heads, kv_heads, head_dim, None, causal)
        self.vocab_size = as_count("vocab_size", vocab_size)
        self.rope_layers = as_choice("rope_layers", rope_layers, LAYERS)
        layers = as_count("layers", layers)
        inner = feed_forward and as_width("feed_forward", feed_forward)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._build(layers, inner, place, rotated)
            self.encoding = _as_encoding(encoding, self.sizes, options)
        self._plain = Encoding(self.sizes)

    def _build(self, layers, feed_forward, place, rotated):
        width = self.sizes.width
        self.embedding = nn.Embedding(self.vocab_size, width)
        self.blocks = nn.ModuleList(
            _Block(Attention(self.sizes, place, rotated), width, feed_forward)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.unembedding = nn.Linear(width, self.vocab_size, bias=False)

    def new_cache(self):
        """Return an empty `Cache` for this model.

        Raises
        ------
        ValueError
            If the model is bidirectional: earlier tokens would have to be
            read again with every later one.

        Examples
        --------
        >>> len(Transformer(5, width=8, layers=1, heads=1).new_cache())
        0
        """
        if not self.sizes.causal:
            raise ValueError(
                "causal must be True for a cache: in a bidirectional model"
                " each new token changes all earlier ones"
            )
        return Cache(self)

    def forward(
        self,
        tokens,
        position_ids=None,
        keep=None,
        segments=None,
        cache=None,
        return_weights=False,
    ):
        """Return logits, one row for each token.

        Parameters
        ----------
        tokens : torch.Tensor of integers, shape (batch, sequence)
        position_ids : array_like or torch.Tensor, optional
            Of shape (sequence,), (1, sequence) or (batch, sequence). By
            default 0, 1, 2, ..., padding included, or onward from the last
            position in the cache; `positions` makes those that leave padding
            out.
        keep : torch.Tensor of bool, shape (batch, sequence), optional
            False for padding, which is not attended to. Its own logits mean
            nothing, but are finite, also where there is nothing to attend to.
        segments : torch.Tensor of integers, shape (batch, sequence), optional
            Documents packed into a row: a token attends to those of the same
            number only. By default all tokens belong to one, in a cache to
            the last one there.
        cache : Cache, optional
            Tokens read before; those of this call are added to it.
        return_weights : bool
            Whether to return attention weights as well.

        Returns
        -------
        logits : torch.Tensor, shape (batch, sequence, vocab_size)
        weights : list of torch.Tensor
            With `return_weights`, for each layer one of shape (batch, heads,
            sequence, keys).

        Raises
        ------
        TypeError
            If an argument has another type or dtype.
        ValueError
            If a token is out of range, shapes do not fit, or `cache` belongs
            to another model or holds another number of rows.

        Examples
        --------
        >>> model = Transformer(vocab_size=5, width=8, layers=1, heads=2)
        >>> cache, tokens = model.new_cache(), torch.tensor([[3, 1, 4]])
        >>> whole, part = model(tokens), model(tokens[:, :2], cache=cache)
        >>> next_one = model(tokens[:, 2:], cache=cache)
        >>> torch.allclose(next_one, whole[:, 2:], atol=1e-5)
        True
        """
        shape = _check_tokens(tokens, self.vocab_size)
        as_flag("return_weights", return_weights)
        self._check_cache(cache, shape)
        state = _state(shape, position_ids, keep, segments, cache)
        state = [part.to(tokens.device) for part in state]
        logits, weights, pairs = self._run(tokens, state, cache)
        # Only now: a call that failed must not leave half of its tokens.
        if cache is not None:
            cache.position_ids, cache.keep, cache.segments = state
            cache.layers = pairs
        return (logits, weights) if return_weights else logits

    def _run(self, tokens, state, cache):
        rows = _rows(tokens.shape[1], *state, self.sizes.causal)
        x = self.encoding.embed(self.embedding(tokens), rows.q_ids)
        seen, pairs = [], []
        for i, block in enumerate(self.blocks):
            encoded = i == 0 or self.rope_layers == "all"
            encoding = self.encoding if encoded else self._plain
            past = None if cache is None else cache.layers[i]
            x, weights, pair = block(x, rows, encoding, past)
            seen.append(weights)
            pairs.append(pair)
        return self.unembedding(self.norm(x)), seen, pairs

    def _check_cache(self, cache, shape):
        if cache is None:
            return
        if not isinstance(cache, Cache):
            raise TypeError(f"cache must be from new_cache(), got {cache!r}")
        if cache.model is not self:
            raise ValueError(
                "cache must be of this model, got one of another: make it"
                " with new_cache()"
            )
        if cache.keep is not None and len(cache.keep) != shape[0]:
            raise ValueError(
                f"tokens must have as many rows as cache, {len(cache.keep)},"
                f" got {shape[0]}"
            )


def _rows(length, ids, keep, segments, causal):
    allowed = segments[:, -length:, None] == segments[:, None, :]
    allowed = allowed & keep[:, None, :]
    if causal:
        place = torch.arange(keep.shape[1], device=keep.device)
        allowed = allowed & (place <= place[-length:, None])
    return Rows(ids[:, -length:], ids, allowed[:, None])


def _state(shape, position_ids, keep, segments, cache):
    """Position ids, keep and segments of all tokens, cached ones first."""
    if cache is None or cache.keep is None:
        ids = _as_rows_of_ids(position_ids, shape, 0)
        return ids, _as_keep(keep, shape), _as_segments(segments, shape)
    past = (cache.position_ids, cache.keep, cache.segments)
    ids, _, last = (part[:, -1:].cpu() for part in past)
    fresh = (
        _as_rows_of_ids(position_ids, shape, ids + 1),
        _as_keep(keep, shape),
        _as_segments(segments, shape, last),
    )
    return [torch.cat([a, b.to(a.device)], 1) for a, b in zip(past, fresh)]


def _as_rows_of_ids(position_ids, shape, start):
    if position_ids is None:
        return (torch.arange(shape[1]) + start).expand(shape)
    ids = _as_ids(position_ids)
    if ids.shape not in (shape, shape[1:], (1, shape[1])):
        raise ValueError(
            f"position_ids must have shape {tuple(shape)}, that of tokens, or"
            f" {(shape[1],)}, got {tuple(ids.shape)}"
        )
    # Wide, so that counting on neither wraps around nor stands still.
    ids = ids.double() if ids.is_floating_point() else ids.long()
    return ids.expand(shape)


def _as_keep(keep, shape):
    if keep is None:
        return torch.ones(shape, dtype=torch.bool)
    return _check_rows("keep", keep, shape, (torch.bool,), "bool")


INTEGERS = (
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
)


def _as_segments(segments, shape, last=0):
    if segments is None:
        return torch.zeros(shape, dtype=torch.int64) + last
    return _check_rows("segments", segments, shape, INTEGERS, "integers")


def _check_rows(name, value, shape, dtypes, kind):
    _check_kind(name, value, dtypes, kind)
    if value.shape != torch.Size(shape):
        raise ValueError(
            f"{name} must have the shape of tokens, {tuple(shape)}, got"
            f" {tuple(value.shape)}"
        )
    return value


def _check_kind(name, value, dtypes, kind):
    tensor = isinstance(value, torch.Tensor)
    if not tensor or value.dtype not in dtypes:
        got = value.dtype if tensor else type(value).__name__
        raise TypeError(f"{name} must be a tensor of {kind}, got {got}")


def _check_tokens(tokens, vocab_size):
    _check_kind("tokens", tokens, INTEGERS, "integers")
    if tokens.ndim != 2 or not tokens.numel():
        raise ValueError(
            "tokens must have shape (batch, sequence), at least one of each,"
            f" got {tuple(tokens.shape)}; for one text write tokens[None]"
        )
    low, high = (int(end) for end in tokens.aminmax())
    if low < 0 or high >= vocab_size:
        raise ValueError(
            f"tokens must be 0 to vocab_size - 1 = {vocab_size - 1}, got"
            f" {low if low < 0 else high}"
        )
    return tokens.shape


def _as_encoding(encoding, sizes, options):
    wanted = {k: v for k, v in vars(sizes).items() if k != "max_positions"}
    if isinstance(encoding, str):
        return make(encoding, **wanted, **options)
    if not isinstance(encoding, Encoding):
        raise TypeError(
            "encoding must be a name or a rope_edu.encodings.Encoding, got"
            f" {encoding!r}"
        )
    if options:
        raise TypeError(
            f"options {sorted(options)} go with the name of an encoding, not"
            " with a ready one"
        )
    _check_sizes(encoding.sizes, wanted)
    return encoding


def _check_sizes(sizes, wanted):
    for name, value in wanted.items():
        made = getattr(sizes, name)
        if made != value:
            raise ValueError(
                f"encoding must be made with {name} = {value}, got {made}"
            )


def _as_place(place, sizes):
    as_choice("place", place, PLACES)
    if place == "before" and sizes.width % sizes.head_dim:
        raise ValueError(
            f"head_dim must divide width = {sizes.width} with"
            f" place='before', got {sizes.head_dim}"
        )
    return place


def _as_rotated(rotated):
    letters, dash, undo = str(rotated).partition("-")
    known = letters and letters in ("q", "k", "v", "qk", "qv", "kv", "qkv")
    if not known or dash + undo not in ("", "-undo"):
        raise ValueError(
            "rotated must be some of 'qkv' in this order, such as 'qk', or"
            f" with '-undo' such as 'qkv-undo', got {rotated!r}"
        )
    if undo and "v" not in letters:
        raise ValueError(
            f"rotated must turn 'v' where it is undone, got {rotated!r}"
        )
    return letters, bool(undo)
