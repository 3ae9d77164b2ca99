"""Fifteen codes, one rotation: each against its own source or itself.

`WRITTEN` holds each convention once more, written from its source in the
style of that source, with no call into the package. Where the library is
installed, it is run, too.
"""

import importlib.util
import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rope_edu import inverse_frequencies, rotate, rosetta, score
from rope_edu.layouts import permute_weight
from rope_edu.rosetta import CONVENTIONS, convert, convert_weight

# Products and sums of two numbers of order 1, on equal angles.
CLOSE = {"rtol": 0, "atol": 1e-12}
# The same in float32, at positions below 10.
SINGLE = {"rtol": 0, "atol": 2e-5}


def tables(m, rates, join):
    """Cosines and sines for every channel."""
    angle = m * np.asarray(rates)
    return join(np.cos(angle)), join(np.sin(angle))


def twice(table):
    return np.concatenate([table, table])


def with_neighbors(x, m, rates):
    """RoFormer and GPT-J: x cos + (-x1, x0, -x3, x2, ..) sin."""
    cos, sin = tables(m, rates, lambda t: np.repeat(t, 2))
    other = np.empty_like(x)
    other[0::2], other[1::2] = -x[1::2], x[0::2]
    return x * cos + other * sin


def as_complex(x, m, rates):
    """Meta: neighbors are one complex number."""
    return (x.view(complex) * np.exp(1j * m * np.asarray(rates))).view(float)


def stacked(x, m, rates):
    """torchtune: rows of pairs, and a table of (cos, sin) rows."""
    pairs = x.reshape(-1, 2)
    table = np.array([(np.cos(m * r), np.sin(m * r)) for r in rates])
    return np.array([
        (a * c - b * s, b * c + a * s) for (a, b), (c, s) in zip(pairs, table)
    ]).ravel()


def with_halves(x, m, rates):
    """transformers and GPT-NeoX: x cos + (-right, left) sin."""
    cos, sin = tables(m, rates, twice)
    half = len(x) // 2
    return x * cos + np.concatenate([-x[half:], x[:half]]) * sin


def ggml(step, apart):
    """A walk over the pairs of channels ``(at, at + apart)``."""

    def walk(x, m, rates):
        out, distance = x.copy(), apart(len(x))
        for pair, rate in enumerate(rates):
            at = pair * step
            c, s = np.cos(m * rate), np.sin(m * rate)
            out[at] = x[at] * c - x[at + distance] * s
            out[at + distance] = x[at] * s + x[at + distance] * c
        return out

    return walk


def mlx(traditional):
    """Two slices; the frequencies come in as tokens per radian."""

    def rope(x, m, rates):
        freqs = 1 / np.asarray(rates)
        theta = m * (1 / freqs)
        one, two = (x[::2], x[1::2]) if traditional else np.split(x, 2)
        outs = [one * np.cos(theta) - two * np.sin(theta),
                one * np.sin(theta) + two * np.cos(theta)]
        return np.stack(outs, -1).ravel() if traditional else np.hstack(outs)

    return rope


def onnx(interleaved):
    """Tables of half the width, one row for each position from 0."""

    def embed(x, m, rates):
        angle = np.arange(m + 1)[:, None] * rates
        cos, sin = np.cos(angle)[m], np.sin(angle)[m]
        one, two = (x[::2], x[1::2]) if interleaved else np.split(x, 2)
        real, imag = cos * one - sin * two, sin * one + cos * two
        if not interleaved:
            return np.concatenate([real, imag])
        return np.concatenate([real[:, None], imag[:, None]], 1).reshape(-1)

    return embed


def nanochat(x, m, rates):
    """The transposed matrix: the plus and the minus change places."""
    cos, sin = tables(m, rates, np.asarray)
    one, two = np.split(x, 2)
    return np.concatenate([one * cos + two * sin, one * -sin + two * cos])


def deepseek(x, m, rates):
    """Reads neighbors, returns halves."""
    cos, sin = tables(m, rates, np.asarray)
    one, two = x[0::2], x[1::2]
    return np.concatenate([one * cos - two * sin, two * cos + one * sin])


WRITTEN = {
    "roformer": with_neighbors,
    "meta": as_complex,
    "torchtune": stacked,
    "lucidrains": with_neighbors,
    "ggml-normal": ggml(2, lambda width: 1),
    "mlx-traditional": mlx(True),
    "onnx-interleaved": onnx(1),
    "transformers": with_halves,
    "ggml-neox": ggml(1, lambda width: width // 2),
    "mlx": mlx(False),
    "onnx": onnx(0),
    "nanochat": nanochat,
    "deepseek": deepseek,
    "gptj": with_neighbors,
    "neox": with_halves,
}
SHAPES = [(8, 8), (6, 6), (8, 6), (80, 32), (7, 4)]
KEYS = pytest.mark.parametrize("key", CONVENTIONS)
WIDTHS = pytest.mark.parametrize("head_dim, width", SHAPES)
PLACES = [0, 1, 3, 4095]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def written(key, x, m, rates):
    """The transcription on the first channels, the rest passed through."""
    part = x[: 2 * len(rates)].copy()
    return np.concatenate([WRITTEN[key](part, m, rates), x[len(part):]])


def test_every_convention_is_written_out():
    assert list(WRITTEN) == list(CONVENTIONS)
    assert len({code.name for code in CONVENTIONS.values()}) == 15
    # Too short for the order to be its own inverse.
    assert all(width >= 6 for _, width in SHAPES[:4])


@KEYS
@WIDTHS
def test_each_code_does_what_its_source_says(key, head_dim, width, rng):
    x, rates = rng.normal(size=head_dim), inverse_frequencies(width)
    for m in PLACES:
        found = CONVENTIONS[key].turn(x, m, rates, width)
        np.testing.assert_allclose(found, written(key, x, m, rates), **CLOSE)


@KEYS
@WIDTHS
def test_the_book_is_carried_into_each_code(key, head_dim, width, rng):
    """The permutation and the sign are exact, there and back."""
    code, rates = CONVENTIONS[key], inverse_frequencies(width)
    x = rng.normal(size=head_dim)
    for m in PLACES:
        given = code.carry(x, width)
        back = code.fetch(written(key, given, m, rates), width)
        right = rotate(x, m, rates, rotary_dim=width)
        np.testing.assert_allclose(back, right, **CLOSE)


@KEYS
def test_scores_survive_where_vectors_differ(key, rng):
    q, k = rng.normal(size=(2, 8))
    rates, code = inverse_frequencies(8), CONVENTIONS[key]
    right = score(q, k, 10, 7, rates)
    turned = [WRITTEN[key](code.carry(x), m, rates) for x, m in ((q, 10), (k, 7))]
    np.testing.assert_allclose(turned[0] @ turned[1], right, **CLOSE)
    raw = WRITTEN[key](q.copy(), 10, rates) @ WRITTEN[key](k.copy(), 7, rates)
    same = (code.reads, code.direction) == ("interleaved", 1)
    assert np.isclose(raw, right, **CLOSE) == same


def test_groups_give_different_answers(rng):
    """What is grouped agrees, and nothing else does."""
    x, rates = rng.normal(size=8), inverse_frequencies(8)
    # A partial code, asked for all channels, is the code without the word.
    full = {code.kind[:3] for code in CONVENTIONS.values()}
    answers = {
        (code.reads, code.returns, code.direction):
        tuple(code.turn(x, 3, rates).round(9)) for code in CONVENTIONS.values()
    }
    assert len(full) == len(set(answers.values())) == 4
    assert sum(map(len, rosetta.groups())) == len(CONVENTIONS)


def test_signed_order_is_what_carry_does():
    x = np.arange(1.0, 9.0)
    for code, width in product(CONVENTIONS.values(), (None, 6)):
        order, signs = code.signed_order(8, width)
        assert sorted(order) == list(range(8))
        np.testing.assert_array_equal(code.carry(x, width), x[order] * signs)
    order, signs = CONVENTIONS["nanochat"].signed_order(8)
    assert order.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert signs.tolist() == [1, 1, 1, 1, -1, -1, -1, -1]


@pytest.mark.parametrize("rotary_dim", [None, 6])
def test_vectors_go_from_any_code_to_any_other(rotary_dim, rng):
    x = rng.normal(size=(2, 5, 8)).astype(np.float32)
    before = x.copy()
    for source, target in product(CONVENTIONS, repeat=2):
        there = convert(x, source, target, rotary_dim)
        assert there.dtype == np.float32
        np.testing.assert_array_equal(
            convert(there, target, source, rotary_dim), x)
        if source == target:
            assert there is not x
            np.testing.assert_array_equal(there, x)
    np.testing.assert_array_equal(x, before)


def heads_of(weight, count, text):
    """(tokens, features) to (heads, tokens, head_dim)."""
    return (text @ weight.T).reshape(len(text), count, -1).swapaxes(0, 1)


def scores(key, weights, counts, text, rates, width):
    """Grouped-query scores as the code computes them."""
    q, k = (
        np.array([[written(key, x, m, rates) for m, x in enumerate(head)]
                  for head in heads_of(weight, count, text)])
        for weight, count in zip(weights, counts)
    )
    return q @ np.repeat(k, counts[0] // counts[1], axis=0).swapaxes(1, 2)


@pytest.mark.parametrize("width", [8, 6])
def test_weights_go_from_any_code_to_any_other(width, rng):
    """Four query heads, two key heads: every score is kept."""
    counts, text = (4, 2), rng.normal(size=(3, 5))
    rates = inverse_frequencies(width)
    weights = [rng.normal(size=(n * 8, 5)) for n in counts]
    right = scores("meta", weights, counts, text, rates, width)
    for target in CONVENTIONS:
        moved = [convert_weight(w, n, "meta", target, width, head_dim=8)
                 for w, n in zip(weights, counts)]
        found = scores(target, moved, counts, text, rates, width)
        # Sums of 5 and of 8 products of order 1.
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-11)
        for weight, there, n in zip(weights, moved, counts):
            back = convert_weight(there, n, target, "meta", width)
            np.testing.assert_array_equal(back, weight)


def test_without_a_sign_it_is_permute_weight(rng):
    for shape in ((24, 5), (24,)):
        weight = rng.normal(size=shape).astype(np.float32)
        moved = convert_weight(weight, 3, "meta", "transformers", 6)
        np.testing.assert_array_equal(
            moved, permute_weight(weight, 3, "half", 6))
        assert moved.dtype == np.float32


@pytest.mark.parametrize("call, words", [
    (lambda: rosetta.get("llama"), "key must be 'roformer'.*'llama'"),
    (lambda: convert(np.ones(8), "meta", "hf"), "key must be"),
    (lambda: convert(np.ones(7), "meta", "mlx"), "even.*7"),
    (lambda: CONVENTIONS["meta"].carry(np.ones(8), 10), "at most.*8, got 10"),
    (lambda: convert_weight(np.ones((16, 3)), 4, "meta", "mlx", head_dim=8),
     r"4 \* 8, got 16"),
    (lambda: convert_weight(np.ones((16, 3)), 3, "meta", "mlx"), "multiple"),
    (lambda: convert_weight(np.ones((2, 4, 3)), 1, "meta", "mlx"), "1-D or 2-D"),
])
def test_malformed_calls_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_tables_list_every_code_once():
    lines = rosetta.table().splitlines()[2:]
    assert [line.count("|") for line in lines] == [4] * len(CONVENTIONS)
    for text in (rosetta.table(), rosetta.sources()):
        assert all(text.count(code.name) >= 1 for code in CONVENTIONS.values())
    assert rosetta.table().count("−θ") == 1
    assert rosetta.sources().count("read, not run") == 2


# The libraries themselves, where they are installed.


def two(x):
    """One query and one key of each head, as (batch, heads, sequence, d)."""
    torch = pytest.importorskip("torch")
    return torch.tensor(x)[:, None]


def torch_tables(ids, rates, join):
    """Float64 tables of shape (1, sequence, width)."""
    torch = pytest.importorskip("torch")
    angle = torch.tensor(ids[:, None] * rates)
    return join(angle).cos()[None], join(angle).sin()[None]


def in_transformers(name):
    return pytest.importorskip(f"transformers.models.{name}.modeling_{name}")


IDS = np.array([0.0, 1, 3, 9])


def text(rng, head_dim=8):
    return rng.normal(size=(1, len(IDS), head_dim))


def expect(key, x, y, rotary_dim=None, **tolerance):
    rates = inverse_frequencies(rotary_dim or x.shape[-1])
    right = CONVENTIONS[key].turn(x, IDS, rates, rotary_dim)
    np.testing.assert_allclose(
        np.asarray(y, dtype=float).reshape(x.shape), right, **tolerance or CLOSE)


def doubled(angle):
    return pytest.importorskip("torch").cat([angle, angle], dim=-1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key, name, function, width", [
    ("transformers", "llama", "apply_rotary_pos_emb", 8),
    ("neox", "gpt_neox", "apply_rotary_pos_emb", 6),
    ("deepseek", "deepseek_v3", "apply_rotary_pos_emb_interleave", 8),
])
def test_in_transformers(key, name, function, width, rng):
    run, x = getattr(in_transformers(name), function), text(rng)
    tables = torch_tables(IDS, inverse_frequencies(width), doubled)
    for y in run(two(x), two(x), *tables):
        expect(key, x, y, width)


@pytest.mark.filterwarnings("ignore")
def test_gptj_in_transformers(rng):
    run, x = in_transformers("gptj").apply_rotary_pos_emb, text(rng)
    cos, sin = torch_tables(IDS, inverse_frequencies(6), lambda angle: angle)
    part = two(x).transpose(1, 2)[..., :6]  # batch, sequence, heads, channels
    y = np.concatenate([run(part, sin, cos).numpy().reshape(1, -1, 6),
                        x[..., 6:]], axis=-1)
    expect("gptj", x, y, 6)


@pytest.mark.filterwarnings("ignore")
def test_roformer_in_transformers(rng):
    code, x = in_transformers("roformer").RoFormerSelfAttention, text(rng)
    cos, sin = torch_tables(IDS, inverse_frequencies(8), lambda angle: angle)
    both = pytest.importorskip("torch").cat([sin, cos], dim=-1)[:, None]
    for y in code.apply_rotary_position_embeddings(both, two(x), two(x)):
        expect("roformer", x, y)


@pytest.mark.filterwarnings("ignore")
def test_rotary_embedding_torch(rng):
    code = pytest.importorskip("rotary_embedding_torch")
    torch, x = pytest.importorskip("torch"), text(rng)
    angle = torch.tensor(IDS[:, None] * inverse_frequencies(6))
    y = code.apply_rotary_emb(angle.repeat_interleave(2, dim=-1), two(x))
    expect("lucidrains", x, y, 6)


@pytest.mark.filterwarnings("ignore")
def test_torchtune(rng):
    """Its one file alone: the package asks for more than is needed here."""
    found = importlib.util.find_spec("torchtune")
    if found is None:
        pytest.skip("torchtune is not installed")
    path = Path(found.origin).parent / "modules" / "position_embeddings.py"
    torch, x = pytest.importorskip("torch"), text(rng)
    module = runpy.run_path(path)["RotaryPositionalEmbeddings"](dim=8)
    ids = torch.tensor(IDS[None].astype(int))
    y = module(two(x).transpose(1, 2), input_pos=ids)
    expect("torchtune", x, y, **SINGLE)


def onnx_inputs(rng, width):
    rates = inverse_frequencies(width)
    angle = np.arange(10)[:, None] * rates
    x = text(rng)
    return x, [x[:, None], np.cos(angle), np.sin(angle),
               IDS[None].astype(np.int64)]


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("width", [8, 6])
def test_onnx_reference(interleaved, width, rng):
    code = pytest.importorskip("onnx.reference.ops.op_rotary_embedding")
    x, inputs = onnx_inputs(rng, width)
    y = code.rotary_embedding(
        *inputs, interleaved=interleaved, rotary_embedding_dim=width)
    expect("onnx-interleaved" if interleaved else "onnx", x, y, width)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_onnxruntime(interleaved, rng):
    helper = pytest.importorskip("onnx.helper")
    runtime = pytest.importorskip("onnxruntime")
    x, inputs = onnx_inputs(rng, 8)
    inputs = [v.astype(np.float32) if v.dtype == float else v for v in inputs]
    names = ["x", "cos", "sin", "ids"]
    node = helper.make_node(
        "RotaryEmbedding", names, ["y"], interleaved=interleaved)
    made = [helper.make_tensor_value_info(
        n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for n, v in zip(names, inputs)]
    out = helper.make_tensor_value_info("y", 1, inputs[0].shape)
    model = helper.make_model(
        helper.make_graph([node], "one", made, [out]), ir_version=10,
        opset_imports=[helper.make_opsetid("", 23)])
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    y = session.run(None, dict(zip(names, inputs)))[0]
    expect("onnx-interleaved" if interleaved else "onnx", x, y, **SINGLE)


@pytest.mark.parametrize("traditional", [True, False])
@pytest.mark.parametrize("by", ["base", "freqs"])
def test_mlx(traditional, by, rng):
    """Its `freqs` are tokens per radian: the reciprocals."""
    mx = pytest.importorskip("mlx.core")
    x, key = text(rng), "mlx-traditional" if traditional else "mlx"
    freqs = mx.array(1 / inverse_frequencies(6))
    how = {"base": 10000.0} if by == "base" else {"base": None, "freqs": freqs}
    turned = [mx.fast.rope(mx.array(row[None, None]), 6, traditional=traditional,
                           scale=1.0, offset=int(m), **how)
              for m, row in zip(IDS, x[0].astype(np.float32))]
    expect(key, x, np.stack([np.array(y) for y in turned]), 6, **SINGLE)


def ggml_rope(ggml, x, m, width, mode):
    to_numpy = pytest.importorskip("ggml.utils").to_numpy
    memory = ggml.ggml_init(ggml.ggml_init_params(mem_size=2**24))
    given = ggml.ggml_new_tensor_1d(memory, ggml.GGML_TYPE_F32, len(x))
    place = ggml.ggml_new_tensor_1d(memory, ggml.GGML_TYPE_I32, 1)
    to_numpy(given)[:], to_numpy(place)[:] = x, m
    y = ggml.ggml_rope_ext(
        memory, given, place, None, width, mode, 0, 1e4, 1.0, 0.0, 1.0, 32.0, 1.0)
    graph = ggml.ggml_new_graph(memory)
    ggml.ggml_build_forward_expand(graph, y)
    ggml.ggml_graph_compute_with_ctx(memory, graph, 1)
    result = to_numpy(y).astype(float)
    ggml.ggml_free(memory)
    return result


@pytest.mark.parametrize("key", ["ggml-normal", "ggml-neox"])
def test_ggml(key, rng):
    ggml = pytest.importorskip("ggml")
    if not hasattr(ggml, "ggml_rope_ext"):
        pytest.skip("another package of that name")
    mode = getattr(ggml, "GGML_ROPE_TYPE_" + key[5:].upper())
    x = text(rng)
    y = [ggml_rope(ggml, row, m, 6, mode) for m, row in zip(IDS, x[0])]
    expect(key, x, np.array(y), 6, **SINGLE)
