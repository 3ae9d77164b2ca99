"""The Transformer: by definition, and by what must not change its logits.

Two ways to the same logits take their sums in another order, so in float64
they agree to some units of 1e-16 in each of a few dozen steps; a mistake in
a mask or a position moves logits by 0.01 or more. CLOSE lies in between.
"""

import copy
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from rope_edu import inverse_frequencies, rotate  # noqa: E402
from rope_edu.encodings import ENCODINGS, Encoding, Sizes, make  # noqa: E402
from rope_edu.transformer import (  # noqa: E402
    Attention,
    Cache,
    Rows,
    Transformer,
    attention_weights,
    positions,
)

CLOSE = {"rtol": 0, "atol": 1e-12}
VOCAB, LENGTH = 11, 9


def assert_close(a, b):
    torch.testing.assert_close(a, b, **CLOSE)


def model_of(encoding="rope", **options):
    shape = {"width": 32, "layers": 2, "heads": 4, "kv_heads": 2, "feed_forward": 16}
    shape.update(options)
    if isinstance(encoding, str):
        shape.setdefault("max_positions", 64)
    model = Transformer(VOCAB, encoding=encoding, **shape).double()
    return livened(model)


def livened(model):
    """Make what starts at or near 0 large enough to be seen in the logits."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for part in model.encoding.parameters():
            part.add_(torch.randn(part.shape, generator=generator).double() / 2)
    return model


def tokens_of(batch=2, length=LENGTH, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCAB, (batch, length), generator=generator)


def in_pieces(model, tokens, pieces, **rows):
    """Read tokens with a cache, some at a time."""
    cache, logits, start = model.new_cache(), [], 0
    for count in pieces:
        part = slice(start, start + count)
        given = {name: value[:, part] for name, value in rows.items()}
        logits.append(model(tokens[:, part], cache=cache, **given))
        start += count
    assert start == len(cache) == tokens.shape[1]
    return torch.cat(logits, 1)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(params=ENCODINGS)
def name(request):
    return request.param


# xPos has no meaning for later keys, and says so.
BOTH_WAYS = [(n, c) for n in ENCODINGS for c in (True, False) if c or n != "xpos"]
both_ways = pytest.mark.parametrize("name, causal", BOTH_WAYS)


# --- by definition ----------------------------------------------------------


def by_loops(layer, x, ids, base=10000.0):
    """Causal attention with RoPE, head by head and token by token."""
    w = {n: getattr(layer, n).weight.detach().numpy() for n in PARTS}
    sizes, rates = layer.sizes, inverse_frequencies(layer.sizes.head_dim, base)
    d, shared = sizes.head_dim, sizes.heads // sizes.kv_heads
    out = np.zeros_like(x)
    for m in range(len(x)):
        heads = []
        for h in range(sizes.heads):
            own, kv = slice(h * d, h * d + d), h // shared
            theirs = slice(kv * d, kv * d + d)
            q = rotate(w["query"][own] @ x[m], ids[m], rates)
            scores = [
                q @ rotate(w["key"][theirs] @ x[n], ids[n], rates) / math.sqrt(d)
                for n in range(m + 1)
            ]
            share = np.exp(scores) / np.exp(scores).sum()
            values = [w["value"][theirs] @ x[n] for n in range(m + 1)]
            heads.append(share @ np.array(values))
        out[m] = w["output"] @ np.concatenate(heads)
    return out


PARTS = ("query", "key", "value", "output")


def rows_of(ids, causal=True):
    length = ids.shape[-1]
    allowed = torch.ones(1, 1, length, length, dtype=torch.bool)
    return Rows(ids, ids, allowed.tril() if causal else allowed)


@pytest.mark.parametrize("kv_heads, head_dim", [(4, 8), (2, 8), (1, 6)])
def test_a_layer_by_its_definition(kv_heads, head_dim):
    sizes = Sizes(width=32, heads=4, kv_heads=kv_heads, head_dim=head_dim)
    layer, rope = Attention(sizes).double(), make("rope", **vars(sizes))
    x = torch.randn(2, 5, 32, dtype=torch.float64)
    ids = torch.tensor([[0, 1, 2, 3, 4], [7, 3, 3, 20, 1]])
    y, _, _ = layer(x, rows_of(ids), rope)
    for row in range(2):
        expected = by_loops(layer, x[row].numpy(), ids[row].numpy())
        np.testing.assert_allclose(y[row].detach().numpy(), expected, **CLOSE)


@pytest.mark.parametrize("causal", [True, False])
def test_a_layer_as_torch_attends(causal):
    sizes = Sizes(width=32, heads=4, kv_heads=2, causal=causal)
    layer, rope = Attention(sizes).double(), make("rope", **vars(sizes))
    x, ids = torch.randn(3, 7, 32, dtype=torch.float64), torch.arange(7)[None]
    y, weights, (k, v) = layer(x, rows_of(ids, causal), rope)
    q = rope.queries(layer.query(x).unflatten(-1, (4, 8)).transpose(1, 2), ids)
    attend = torch.nn.functional.scaled_dot_product_attention
    expected = attend(q, k, v, is_causal=causal, enable_gqa=True)
    assert_close(y, layer.output(expected.transpose(1, 2).flatten(-2)))
    assert_close(weights.sum(-1), torch.ones(3, 4, 7, dtype=torch.float64))
    assert not causal or not weights.triu(1).any()


def test_bias_is_added_to_scaled_scores():
    q, k = torch.randn(2, 1, 1, 3, 4, dtype=torch.float64)
    bias = torch.randn(3, 3, dtype=torch.float64)
    allowed = torch.ones(3, 3, dtype=torch.bool)
    expected = (q @ k.mT / 2 + bias).softmax(-1)
    assert_close(attention_weights(q, k, allowed, bias), expected)


class Fixed(Encoding):
    """Adds fixed numbers, and notes what it was asked."""

    def embed(self, x, position_ids):
        return x + position_ids[..., None] / 8

    def bias(self, q, k, q_ids, k_ids):
        self.seen = q.shape, k.shape, q_ids, k_ids
        return (q_ids[:, :, None] * k_ids[:, None, :] / 4.0)[:, None]

    def outputs(self, weights, q_ids, k_ids):
        return weights[..., :1] + q_ids[:, None, :, None]


def test_a_layer_adds_what_its_encoding_gives():
    sizes = Sizes(width=32, heads=4, kv_heads=2)
    layer, fixed = Attention(sizes).double(), Fixed(sizes)
    x, ids = torch.randn(2, 5, 32, dtype=torch.float64), torch.arange(5)[None]
    y, weights, (k, v) = layer(x, rows_of(ids), fixed)
    q = layer.query(x).unflatten(-1, (4, 8)).transpose(1, 2)
    assert fixed.seen[:2] == (q.shape, k.shape) and fixed.seen[2] is ids
    scores = q @ k.repeat_interleave(2, 1).mT / 8**0.5 + ids[0, :, None] * ids / 4
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    assert_close(weights, scores.masked_fill(~causal, -torch.inf).softmax(-1))
    heads = weights @ v.repeat_interleave(2, 1) + weights[..., :1] + ids[0, :, None]
    assert_close(y, layer.output(heads.transpose(1, 2).flatten(-2)))


def test_layers_add_to_what_they_read():
    sizes = Sizes(width=32, heads=4, kv_heads=2)
    model, tokens = model_of(Fixed(sizes)), tokens_of()
    ids = torch.arange(LENGTH)[None].expand(2, -1)
    x = model.embedding(tokens) + ids[..., None] / 8
    for block in model.blocks:
        x = x + block.attention(block.norm(x), rows_of(ids), model.encoding)[0]
        norm, up, gelu, down = block.feed
        x = x + down(gelu(up(norm(x))))
    assert_close(model(tokens), model.unembedding(model.norm(x)))


# --- what must not change the logits ----------------------------------------


@pytest.mark.parametrize("pieces", [(9,), (4, 5), (3, 3, 1, 1, 1), (1,) * 9])
def test_decoding_is_the_whole_pass(name, pieces):
    model, tokens = model_of(name), tokens_of()
    assert_close(in_pieces(model, tokens, pieces), model(tokens))


@pytest.mark.parametrize("pieces", [(4, 5), (5, 1, 1, 1, 1)])
def test_decoding_a_padded_and_packed_batch(name, pieces):
    model, tokens = model_of(name), tokens_of(3)
    keep = torch.ones(3, LENGTH, dtype=torch.bool)
    keep[0, :3] = keep[1, 6:] = False
    segments = torch.tensor([[0] * 9, [0] * 9, [0] * 6 + [1] * 3])
    rows = {"keep": keep, "segments": segments}
    rows["position_ids"] = positions(keep, segments)
    whole = model(tokens, **rows)
    assert_close(in_pieces(model, tokens, pieces, **rows), whole)


@both_ways
@pytest.mark.parametrize("left, right", [(3, 0), (0, 3), (2, 1)])
def test_padding_is_not_there(name, causal, left, right):
    model, tokens = model_of(name, causal=causal), tokens_of()
    keep = torch.zeros(2, left + LENGTH + right, dtype=torch.bool)
    keep[:, left : left + LENGTH] = True
    padded = torch.full(keep.shape, 5)
    padded[keep] = tokens.flatten()
    logits = model(padded, positions(keep), keep)
    assert logits.isfinite().all()
    assert_close(logits[:, left : left + LENGTH], model(tokens))


@both_ways
def test_packed_documents_are_apart(name, causal):
    model = model_of(name, causal=causal)
    one, two = tokens_of(2, 4), tokens_of(2, 5, seed=1)
    segments = torch.tensor([[8] * 4 + [3] * 5] * 2)
    both = model(torch.cat([one, two], 1), positions(segments=segments), None, segments)
    assert_close(both, torch.cat([model(one), model(two)], 1))


def test_each_row_has_its_own_positions(name):
    model, tokens = model_of(name), tokens_of()
    ids = torch.arange(LENGTH) + torch.tensor([[0], [17]])
    together = model(tokens, ids)
    for row in range(2):
        alone = model(tokens[row : row + 1], ids[row])
        assert_close(together[row : row + 1], alone)


@both_ways
def test_relative_encodings_do_not_see_a_shift(name, causal):
    model, tokens = model_of(name, causal=causal), tokens_of()
    moved = model(tokens, torch.arange(LENGTH) + 40) - model(tokens)
    # xPos and RoPE round angles of 49 rad, not of 9.
    assert (moved.abs().max() < 1e-12) == model.encoding.relative


def test_later_tokens_change_nothing(name):
    """Bit by bit: a masked key has weight 0, and rows do not mix."""
    model, tokens = model_of(name), tokens_of()
    other = tokens.clone()
    other[:, 5:] = (other[:, 5:] + 1) % VOCAB
    a, b = model(tokens), model(other)
    assert torch.equal(a[:, :5], b[:, :5])
    assert not torch.isclose(a[:, 5:], b[:, 5:]).all(-1).any()


def test_earlier_tokens_do_change_something(name):
    model, tokens = model_of(name), tokens_of()
    other = tokens.clone()
    other[:, 0] = (other[:, 0] + 1) % VOCAB
    assert ((model(tokens) - model(other)).abs().amax(-1) > 1e-6).all()


def test_masks_go_by_place_not_by_position():
    """Reversed ids turn the dials backwards, and show no later token."""
    model, tokens = model_of(), tokens_of()
    ids = torch.arange(LENGTH).flip(0)
    other = tokens.clone()
    other[:, -1] = (other[:, -1] + 1) % VOCAB
    assert torch.equal(model(tokens, ids)[:, :-1], model(other, ids)[:, :-1])
    assert not torch.allclose(model(tokens, ids), model(tokens))


def test_bidirectional_without_positions_is_equivariant():
    model, tokens = model_of("none", causal=False), tokens_of()
    order = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(2))
    assert_close(model(tokens[:, order]), model(tokens)[:, order])
    rope = model_of("rope", causal=False)
    assert not torch.allclose(rope(tokens[:, order]), rope(tokens)[:, order])


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_shared_keys_are_repeated_keys(name, kv_heads):
    few, many = model_of(name, kv_heads=kv_heads), model_of(name, kv_heads=4)
    state = copy.deepcopy(few.state_dict())
    for key, weight in state.items():
        if "attention.key" in key or "attention.value" in key:
            heads = weight.unflatten(0, (kv_heads, 8))
            state[key] = heads.repeat_interleave(4 // kv_heads, 0).flatten(0, 1)
    encoding = many.encoding.state_dict()
    for key, weight in encoding.items():
        key = f"encoding.{key}"
        if state[key].shape != weight.shape:  # one for each key head
            rest = weight.shape[1:]
            parts = state[key].reshape(kv_heads, -1, *rest)
            parts = parts.repeat_interleave(4 // kv_heads, 0)
            state[key] = parts.reshape(weight.shape)
    many.load_state_dict(state)
    assert_close(few(tokens_of()), many(tokens_of()))


def test_as_many_key_heads_as_heads_is_the_default():
    a, b = (model_of(kv_heads=count) for count in (None, 4))
    assert torch.equal(a(tokens_of()), b(tokens_of()))


# --- nothing to attend to ---------------------------------------------------


@both_ways
def test_rows_of_padding_are_finite(name, causal):
    model, tokens = model_of(name, causal=causal), tokens_of()
    keep = torch.ones(2, LENGTH, dtype=torch.bool)
    keep[0] = keep[1, :2] = False
    logits, weights = model(tokens, positions(keep), keep, return_weights=True)
    assert logits.isfinite().all()
    assert not any(w[0].any() for w in weights)
    logits.sum().backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    assert all(grad.isfinite().all() for grad in grads)


def test_other_rows_do_not_see_a_row_of_padding():
    model, tokens = model_of(), tokens_of()
    keep = torch.tensor([[False] * LENGTH, [True] * LENGTH])
    assert_close(model(tokens, keep=keep)[1:], model(tokens[1:]))


def test_low_precision(name):
    model = model_of(name).bfloat16()
    logits = model(tokens_of())
    assert logits.dtype == torch.bfloat16 and logits.isfinite().all()


# --- the cache --------------------------------------------------------------


def test_cache_goes_on_from_what_it_holds():
    model, tokens = model_of(), tokens_of(1)
    segments = torch.tensor([[0, 0, 0, 7, 7, 7, 7, 7, 7]])
    ids = positions(segments=segments)
    whole = model(tokens, ids, segments=segments)
    cache, first = model.new_cache(), slice(0, 5)
    model(tokens[:, first], ids[:, first], segments=segments[:, first], cache=cache)
    assert_close(model(tokens[:, 5:], cache=cache), whole[:, 5:])
    assert cache.position_ids.tolist() == ids.tolist()
    assert cache.segments.tolist() == segments.tolist()


def test_cache_keeps_as_few_heads_as_the_model_has():
    model, cache = model_of(kv_heads=1), model_of().new_cache()
    cache = model.new_cache()
    model(tokens_of(), cache=cache)
    assert [k.shape for pair in cache.layers for k in pair] == [(2, 1, 9, 8)] * 4


def test_a_failed_call_leaves_the_cache_alone():
    model, tokens = model_of("learned", max_positions=10), tokens_of()
    cache = model.new_cache()
    model(tokens[:, :5], cache=cache)
    with pytest.raises((ValueError, IndexError)):
        model(tokens, cache=cache)
    assert len(cache) == 5
    assert_close(model(tokens[:, 5:], cache=cache), model(tokens)[:, 5:])


# --- where the rotation acts ------------------------------------------------


def turned(rope, x, ids):
    return rope.keys(x.unflatten(-1, (4, 8)).transpose(1, 2), ids)


def test_before_the_projection():
    model = model_of(layers=1, kv_heads=4, place="before")
    layer, rope = model.blocks[0].attention, model.encoding
    x, ids = torch.randn(2, 5, 32, dtype=torch.float64), torch.arange(5)[None]
    _, weights, (k, v) = layer(x, rows_of(ids), rope)
    rotated = turned(rope, x, ids).transpose(1, 2).flatten(-2)
    q, expected = (
        part(rotated).unflatten(-1, (4, 8)).transpose(1, 2)
        for part in (layer.query, layer.key)
    )
    assert_close(k, expected)
    assert_close(v, layer.value(x).unflatten(-1, (4, 8)).transpose(1, 2))
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    assert_close(weights, attention_weights(q, k, causal))


SHIFTS = {  # whether logits stay when all positions are shifted
    "qk": True, "q": False, "k": False, "v": False, "qkv": False,
    "v-undo": True, "qkv-undo": True,
}


@pytest.mark.parametrize("name", ["rope", "xpos"])
@pytest.mark.parametrize("rotated", SHIFTS)
def test_what_is_turned(rotated, name):
    model, tokens = model_of(name, rotated=rotated, kv_heads=4), tokens_of()
    layer, rope = model.blocks[0].attention, model.encoding
    x, ids = torch.randn(2, 5, 32, dtype=torch.float64), torch.arange(5)[None]
    _, _, pair = layer(x, rows_of(ids), rope)
    for letter, linear, kept in zip("kv", (layer.key, layer.value), pair):
        plain = linear(x).unflatten(-1, (4, 8)).transpose(1, 2)
        expected = rope.keys(plain, ids) if letter in rotated else plain
        assert_close(kept, expected)
    moved = model(tokens, torch.arange(LENGTH) + 16) - model(tokens)
    assert (moved.abs().max() < 1e-12) == SHIFTS[rotated]


@pytest.mark.parametrize("rotated", ["q", "qkv-undo"])
def test_the_cache_holds_turned_values(rotated):
    for place in ("after", "before"):
        model = model_of(rotated=rotated, place=place)
        whole = model(tokens_of())
        assert_close(in_pieces(model, tokens_of(), (4, 1, 4)), whole)


def test_in_the_first_layer_alone():
    model, tokens = model_of(rope_layers="first"), tokens_of()
    rows = rows_of(torch.arange(LENGTH)[None].expand(2, -1))
    x, _, _ = model.blocks[0](model.embedding(tokens), rows, model.encoding, None)
    x, _, _ = model.blocks[1](x, rows, Encoding(model.sizes), None)
    assert_close(model(tokens), model.unembedding(model.norm(x)))
    everywhere = model_of()
    assert not torch.allclose(everywhere(tokens), model(tokens))


# --- seeds and pieces -------------------------------------------------------


def test_a_seed_decides_every_weight(name):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    sizes = {"width": 16, "layers": 1, "heads": 2, "max_positions": 9}
    a, b, c = (Transformer(VOCAB, encoding=name, seed=s, **sizes) for s in (3, 3, 4))
    assert torch.equal(before, torch.get_rng_state())
    for (key, left), right in zip(a.state_dict().items(), b.state_dict().values()):
        assert torch.equal(left, right), key
    assert not torch.equal(a.embedding.weight, c.embedding.weight)


def test_attention_only_layers_have_no_feed_forward():
    names = dict(model_of(feed_forward=0).named_parameters())
    assert not any("feed" in key for key in names)
    assert names["blocks.0.attention.key.weight"].shape == (16, 32)


def test_one_row_of_positions_is_for_all_rows():
    model, tokens, ids = model_of(), tokens_of(), torch.arange(LENGTH) * 2
    logits = [model(tokens, given) for given in (ids, ids[None], ids.tolist())]
    assert torch.equal(logits[0], logits[1]) and torch.equal(logits[0], logits[2])
    assert_close(model(tokens, ids / 2), model(tokens))


@pytest.mark.parametrize("last", [
    torch.tensor([255], dtype=torch.uint8), torch.tensor([127], dtype=torch.int8),
    torch.tensor([2.0**24]),
])
def test_counting_on_neither_wraps_around_nor_stands_still(last):
    model, tokens = model_of(), tokens_of(length=3)
    cache = model.new_cache()
    model(tokens[:, :1], last, cache=cache)
    model(tokens[:, 1:], cache=cache)
    first = int(last)
    assert cache.position_ids.tolist() == [[first, first + 1, first + 2]] * 2


def test_a_cache_keeps_large_positions_beside_fractions():
    model, tokens = model_of(), tokens_of(length=2)
    cache = model.new_cache()
    model(tokens[:, :1], torch.tensor([2**24 + 1]), cache=cache)
    model(tokens[:, 1:], torch.tensor([0.5]), cache=cache)
    assert cache.position_ids[0].tolist() == [2**24 + 1, 0.5]


@pytest.mark.parametrize("name, dtype", [("keep", torch.bool), ("segments", torch.int)])
def test_positions_lie_where_their_argument_does(name, dtype):
    """The meta device stands for a GPU."""
    given = torch.ones(2, 3, dtype=dtype, device="meta")
    assert positions(**{name: given}).device == given.device


# --- malformed calls --------------------------------------------------------

V, T = ValueError, TypeError
MODEL, TOKENS = model_of(), tokens_of()
OTHER = Sizes(width=32, heads=4)


def made(**options):
    shape = {"width": 32, "layers": 1, "heads": 4, **options}
    return lambda: Transformer(VOCAB, **shape)


def called(*args, model=MODEL, **options):
    return lambda: model(*args, **options)


def used_cache(model=MODEL, batch=2):
    cache = model.new_cache()
    model(tokens_of(batch), cache=cache)
    return cache


KEEP = torch.ones(2, LENGTH, dtype=torch.bool)
Q = torch.ones(1, 1, 2, LENGTH)
CALLS = [
    ("heads", made(heads=5), V, "width must be a multiple of heads = 5.*= 32"),
    ("kv heads", made(kv_heads=3), V, "kv_heads must divide heads = 4, got 3"),
    ("float heads", made(heads=4.0), T, "heads must be an integer, got 4.0"),
    ("odd head", made(head_dim=7), V, "even.*7"),
    ("no layers", made(layers=0), V, "layers must be positive, got 0"),
    ("float layers", made(layers=1.0), T, "layers must be an integer"),
    ("feed forward", made(feed_forward=-1), V, "feed_forward must be positive"),
    ("float feed", made(feed_forward=1.5), T, "feed_forward must be an integer"),
    ("causal", made(causal=1), T, "causal must be True or False, got 1"),
    ("place", made(place="inside"), V, "place must be 'after' or 'before'"),
    ("place, width", made(place="before", head_dim=6), V, "divide width = 32.*got 6"),
    ("rotated", made(rotated="kq"), V, "rotated must be some of 'qkv'.*got 'kq'"),
    ("nothing rotated", made(rotated=""), V, "rotated.*got ''"),
    ("undo", made(rotated="qkv-redo"), V, "rotated.*got 'qkv-redo'"),
    ("undo no v", made(rotated="qk-undo"), V, "must turn 'v'.*'qk-undo'"),
    ("layers", made(rope_layers="last"), V, "rope_layers must be 'all' or 'first'"),
    ("no such encoding", made(encoding="ropes"), V, "ropes"),
    ("class", made(encoding=Encoding), T, "encoding must be a name or"),
    ("ready, options", made(encoding=Encoding(OTHER), base=3.0), T,
     r"options \['base'\] go with the name"),
    ("ready, heads", made(encoding=Encoding(OTHER), heads=2), V,
     "encoding must be made with heads = 2, got 4"),
    ("ready, causal", made(encoding=Encoding(OTHER), causal=False), V,
     "made with causal = False, got True"),
    ("float tokens", called(TOKENS.double()), T, "integers, got torch.float64"),
    ("bool tokens", called(KEEP), T, "tokens.*torch.bool"),
    ("list", called(TOKENS.tolist()), T, "tokens must be a tensor.*got list"),
    ("array", called(TOKENS.numpy()), T, "tokens must be a tensor.*got ndarray"),
    ("one text", called(TOKENS[0]), V, r"\(9,\); for one text write tokens\[None\]"),
    ("no tokens", called(TOKENS[:, :0]), V, r"at least one of each, got \(2, 0\)"),
    ("high", called(TOKENS + 5), V, r"0 to vocab_size - 1 = 10, got 1\d"),
    ("low", called(TOKENS - 11), V, "got -"),
    ("short keep", called(TOKENS, keep=KEEP[:, 1:]), V,
     r"keep must have the shape of tokens, \(2, 9\), got \(2, 8\)"),
    ("integer keep", called(TOKENS, keep=KEEP.int()), T, "keep must be a tensor"),
    ("segments", called(TOKENS, segments=KEEP[:1].int()), V, r"segments.*\(1, 9\)"),
    ("float segments", called(TOKENS, segments=KEEP.float()), T, "segments.*float32"),
    ("short ids", called(TOKENS, torch.arange(8)), V,
     r"position_ids must have shape \(2, 9\), that of tokens, or \(9,\), got \(8,\)"),
    ("one id", called(TOKENS, 3), V, r"position_ids.*got \(\)"),
    ("rows of ids", called(TOKENS, torch.zeros(3, 9)), V, r"position_ids.*\(3, 9\)"),
    ("half ids", called(TOKENS, torch.zeros(9).half()), T, "position_ids.*float16"),
    ("bool ids", called(TOKENS, KEEP), T, "position_ids.*bool"),
    ("weights", called(TOKENS, return_weights=1), T, "return_weights must be True"),
    ("cache, type", called(TOKENS, cache=[]), T, r"cache must be from new_cache\(\)"),
    ("cache, model", called(TOKENS, cache=Cache(model_of())), V, "of this model"),
    ("cache, batch", called(TOKENS, cache=used_cache(batch=3)), V,
     "as many rows as cache, 3, got 2"),
    ("cache, two ways", model_of(causal=False).new_cache, V, "causal must be True"),
    ("mask of integers", lambda: attention_weights(Q, Q, KEEP.int()), T,
     "allowed must be a tensor of bool, got torch.int32"),
    ("positions of nothing", positions, T, "keep or segments must be given"),
    ("positions of a list", lambda: positions([[True]]), T, "keep.*tensor of bool"),
    ("positions of a row", lambda: positions(KEEP[0]), V, r"\(batch, seq.*got \(9,\)"),
    ("positions, shapes", lambda: positions(KEEP, KEEP[:, 1:].int()), V, "segments"),
]


@pytest.mark.parametrize("call, error, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])
def test_malformed_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
