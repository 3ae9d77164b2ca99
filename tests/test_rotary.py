"""RoPE in torch: the reference, gradients, compilers, errors, bug reports."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rope_edu import inverse_frequencies, rotate
from rope_edu.config import RopeConfig
from rope_edu.layouts import permutation
from rope_edu.scaling import DynamicNTK, Llama3, LongRoPE, Proportional, YaRN

torch = pytest.importorskip("torch")
from rope_edu import rotary  # noqa: E402
from rope_edu.rotary import RotaryEmbedding, apply_rotary  # noqa: E402

# Of what torch does itself while it compiles.
torch_warns = pytest.mark.filterwarnings("ignore::DeprecationWarning")
LAYOUTS = ("interleaved", "half")
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
# The reference rounds positions beyond this by less than float32 does.
FAR = 2**20


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def slack(expected, dtype):
    """Rounding allowed beside the reference, channel by channel.

    A cosine, a sine, two products and a sum are rounded, each by half a unit
    of the arithmetic (float32 but for float64), of numbers not larger than
    the pair. The result is rounded once to its dtype.
    """
    inner = torch.finfo(torch.promote_types(dtype, torch.float32)).eps / 2
    size = np.abs(expected).max(initial=0.0) * np.sqrt(2)
    outer = torch.finfo(dtype)
    return (
        4 * inner * size
        + outer.eps / 2 * np.abs(expected)
        + outer.smallest_normal * outer.eps
    )


def assert_matches(y, x, ids, rates, layout, rotary_dim):
    """Compare a result with the NumPy reference on the same numbers."""
    assert y.dtype == x.dtype and y.device == x.device
    expected = rotate(x.double().numpy(), ids, rates, layout, rotary_dim)
    assert y.shape == expected.shape
    apart = np.abs(y.double().numpy() - expected)
    assert (apart <= slack(expected, x.dtype)).all(), apart.max()


def rope_of(pairs, layout="interleaved", **options):
    return RotaryEmbedding.from_base(2 * pairs, layout=layout, **options)


# --- against the reference --------------------------------------------------


@st.composite
def cases(draw):
    """Shapes, dtypes, strides and positions of all kinds."""
    batch, heads, length = (draw(st.integers(1, n)) for n in (3, 3, 5))
    pairs = draw(st.sampled_from([1, 2, 3, 4, 5, 8, 13, 16]))
    head_dim = 2 * pairs + draw(st.sampled_from([0, 0, 1, 2, 7]))
    number = st.integers(-FAR, FAR) | st.floats(-FAR, FAR, width=32)
    shape = draw(st.sampled_from(["one", "row", "rows", "batch", "all"]))
    axes = {
        "one": (), "row": (length,), "rows": (1, length),
        "batch": (batch, length), "all": (batch, heads, length),
    }[shape]
    count = int(np.prod(axes, dtype=int))
    ids = draw(st.lists(number, min_size=count, max_size=count))
    ids = np.array(ids, np.float64).reshape(axes)
    size = (batch, heads, length, head_dim)
    order = draw(st.permutations(range(4)))
    step = draw(st.integers(1, 2))
    return size, order, step, ids, pairs


def strided(size, order, step, dtype):
    """Random numbers whose axes lie in memory in any order, with gaps."""
    wide = torch.randn([size[axis] * step for axis in order])
    narrow = wide[tuple(slice(None, None, step) for _ in order)]
    return narrow.to(dtype).permute(*np.argsort(order).tolist())


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from(LAYOUTS), st.sampled_from(DTYPES))
def test_module_matches_the_reference(case, layout, dtype):
    size, order, step, ids, pairs = case
    x, before = strided(size, order, step, dtype), None
    before = x.clone()
    rope = rope_of(pairs, layout, head_dim=size[-1])
    y = rope(x, torch.tensor(ids))
    placed = ids[:, None] if ids.ndim == 2 else ids
    assert_matches(y, x, placed, rope.inv_freq, layout, 2 * pairs)
    assert torch.equal(x, before) and x._version == 0
    assert torch.equal(y[..., 2 * pairs :], x[..., 2 * pairs :])
    if placed.ndim < 3 or placed.shape[1] == 1:  # the same for all heads
        swapped = rope(x.transpose(1, 2), torch.tensor(ids), seq_dim=-3)
        assert torch.equal(swapped.transpose(1, 2), y)


def test_heads_behind_as_many_as_places(layout):
    """Here a (batch, sequence, 1) and a (batch, heads, 1) look the same."""
    x, rope = torch.randn(2, 3, 3, 8), rope_of(4, layout)
    ids = torch.tensor([[0, 1, 2], [5, 3, 9]])
    expected = rotate(x.numpy(), ids.numpy()[:, :, None], rope.inv_freq, layout)
    for given_as in (ids, ids[:, None]):
        y = rope(x, given_as, seq_dim=-3)
        np.testing.assert_allclose(y.numpy(), expected, atol=1e-5)  # of float32
    with pytest.raises(ValueError, match="position_ids.*same for all heads"):
        rope(x, ids[:, :, None], seq_dim=-3)


@settings(max_examples=50, deadline=None)
@given(cases(), st.sampled_from(LAYOUTS))
def test_inverse_undoes_and_norms_stay(case, layout):
    size, order, step, ids, pairs = case
    x = strided(size, order, step, torch.float64)
    rope = rope_of(pairs, layout, head_dim=size[-1], attention_factor=1.25)
    y = rope(x, torch.tensor(ids))
    there_and_back = rope(y, torch.tensor(ids), inverse=True)
    assert (there_and_back - x).abs().max() <= 16 * 2.0**-53 * x.abs().max()
    part = y[..., : 2 * pairs].norm(dim=-1), x[..., : 2 * pairs].norm(dim=-1)
    torch.testing.assert_close(part[0], 1.25 * part[1], rtol=1e-14, atol=0)


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(-FAR, FAR), st.sampled_from(LAYOUTS))
def test_turns_add_up_and_are_linear(case, shift, layout):
    size, order, step, ids, pairs = case
    x, z = (strided(size, order, step, torch.float64) for _ in range(2))
    rope, ids = rope_of(pairs, layout, head_dim=size[-1]), torch.tensor(ids)
    largest = max(x.abs().max().item(), z.abs().max().item())
    # Angles of up to 2**21 are off by half a unit of 2**21 * 2**-52.
    near = {"rtol": 0, "atol": 4 * 2**21 * 2.0**-53 * largest}
    twice = rope(rope(x, ids), torch.tensor(shift))
    torch.testing.assert_close(twice, rope(x, ids + shift), **near)
    near["atol"] = 16 * 2.0**-53 * largest
    both = rope(2 * x + z, ids)
    torch.testing.assert_close(both, 2 * rope(x, ids) + rope(z, ids), **near)


@settings(max_examples=50, deadline=None)
@given(
    st.integers(-FAR, FAR), st.integers(-FAR, FAR), st.integers(-FAR, FAR),
    st.sampled_from(LAYOUTS),
)
def test_scores_depend_on_the_offset_alone(m, n, shift, layout):
    rope = rope_of(4, layout)
    q, k = torch.randn(2, 1, 8, dtype=torch.float64)
    here = rope(q, [m]) @ rope(k, [n]).T
    there = rope(q, [m + shift]) @ rope(k, [n + shift]).T
    # Angles of up to 2**21 are off by half a unit of 2**21 * 2**-52 each.
    assert abs(here - there) <= 4 * 2**21 * 2.0**-53 * q.norm() * k.norm()


def test_single_vector_is_placed_everywhere(layout):
    x, rope = torch.randn(8), rope_of(4, layout)
    ids = torch.arange(6).view(2, 3)
    y = rope(x, ids)
    assert y.shape == (2, 3, 8)
    assert_matches(y, x, ids.numpy(), rope.inv_freq, layout, None)


@pytest.mark.parametrize("shape", [(0, 2, 3, 8), (2, 0, 3, 8), (2, 2, 0, 8)])
def test_empty_tensors(shape, layout):
    assert rope_of(4, layout)(torch.ones(shape), torch.arange(shape[2])).shape == shape


def test_large_tensors_are_cut_without_a_seam(layout):
    """A head is larger than a block; a remainder; against the plain form."""
    x = torch.randn(1, 2, 4500, 144)
    assert x[0, 0, :, :128].numel() > rotary._BLOCK
    cos, sin = rope_of(64, layout).table(torch.arange(4500))
    for dtype in (torch.float32, torch.bfloat16):
        y = apply_rotary(x.to(dtype), cos, sin, layout, rotary_dim=128)
        expected = rotary._plain(x.to(dtype), cos, sin, layout)
        near = dict(rtol=torch.finfo(dtype).eps, atol=1e-6)
        torch.testing.assert_close(y, expected, **near)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("pairs", [3, 5, 8, 13, 64])
def test_decode_equals_the_full_pass_bit_for_bit(pairs, dtype, layout):
    x = torch.randn(2, 3, 9, 2 * pairs + 2).to(dtype)
    rope = rope_of(pairs, layout, head_dim=2 * pairs + 2)
    ids = torch.arange(9) + torch.tensor([[0], [70000]])
    whole = rope(x, ids)
    for place in range(9):
        one = rope(x[:, :, place : place + 1], ids[:, place : place + 1])
        assert torch.equal(one[:, :, 0], whole[:, :, place])


def test_decode_equals_a_pass_on_three_threads(threads):
    """8 divides a third neither of 160000 pairs nor of half as many."""
    threads(3)
    ids, rope = torch.arange(10000), rope_of(16)
    for x in torch.randn(4, 10000, 32):  # three numbers a seam, half of them equal
        parts = zip(x.split(100), ids.split(100))
        assert torch.equal(rope(x, ids), torch.cat([rope(*part) for part in parts]))


# --- gradients --------------------------------------------------------------


@pytest.mark.parametrize("pairs, head_dim", [(3, 7), (8, 16)])
def test_gradcheck(pairs, head_dim, layout):
    rope = rope_of(pairs, layout, head_dim=head_dim, attention_factor=1.5)
    x = torch.randn(2, 2, 3, head_dim, dtype=torch.float64, requires_grad=True)
    ids = torch.tensor([[0, 1, 2], [7, 3, -4]])
    for inverse in (False, True):
        def turn(x, inverse=inverse):
            return rope(x, ids, inverse=inverse)
        assert torch.autograd.gradcheck(turn, x)
        assert torch.autograd.gradgradcheck(turn, x)


def test_learned_frequencies_have_a_gradient(layout):
    x = torch.randn(3, 10, dtype=torch.float64, requires_grad=True)
    angle = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)

    def turn(x, angle):
        return apply_rotary(x, angle.cos(), angle.sin(), layout, rotary_dim=8)

    assert torch.autograd.gradcheck(turn, (x, angle))


def test_report_98_gradient_uses_the_positions_of_each_row(layout):
    rope, ids = rope_of(4, layout), torch.arange(5) + torch.tensor([[0], [7]])
    x = torch.randn(2, 3, 5, 8, requires_grad=True)
    grad = torch.randn(2, 3, 5, 8)
    rope(x, ids).backward(grad)
    assert torch.equal(x.grad, rope(grad, ids, inverse=True))


@pytest.mark.parametrize("kind", ["expanded", "transposed", "sliced"])
def test_reports_97_and_100_gradients_with_any_strides(kind, layout):
    grad = {
        "expanded": torch.randn(1, 1, 1, 1).expand(2, 3, 5, 16),
        "transposed": torch.randn(16, 5, 3, 2).permute(3, 2, 1, 0),
        "sliced": torch.randn(2, 3, 5, 33)[..., 1::2],
    }[kind]
    rope, ids = rope_of(8, layout), torch.arange(5)
    x = torch.randn(2, 3, 5, 16, requires_grad=True)
    rope(x, ids).backward(grad)
    expected = rope(grad.contiguous(), ids, inverse=True)
    torch.testing.assert_close(x.grad, expected, rtol=0, atol=1e-6)


def test_only_the_tables_are_kept_for_the_gradient():
    kept = []
    x = torch.randn(2, 3, 5, 16, requires_grad=True)
    cos, sin = rope_of(8).table(torch.arange(5))
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: kept.append(t.numel()) or t, lambda t: t
    ):
        apply_rotary(x, cos, sin)
    assert kept == [cos.numel(), sin.numel()]


# --- vmap, autocast, meta, copies -------------------------------------------


def test_vmap(layout):
    x, rope = torch.randn(4, 3, 5, 16), rope_of(8, layout)
    ids = torch.randint(-100, 100, (4, 5))
    cos, sin = rope.table(ids)
    expected = rope(x, ids)
    vmap = torch.func.vmap
    assert torch.equal(vmap(rope)(x, ids), expected)
    moved = vmap(rope, in_dims=(2, 0), out_dims=2)(x.permute(1, 2, 0, 3), ids)
    assert torch.equal(moved.permute(2, 0, 1, 3), expected)

    def turn(x, cos, sin):
        return apply_rotary(x, cos, sin, layout)

    assert torch.equal(vmap(turn)(x, cos, sin), expected)
    same = vmap(turn, in_dims=(None, 0, 0))(x[0], cos, sin)
    assert torch.equal(same, rope(x[:1].expand(4, 3, 5, 16), ids))


def test_vmap_of_a_gradient(layout):
    x, w, rope = *torch.randn(2, 4, 3, 5, 16), rope_of(8, layout)
    ids = torch.arange(5)

    def gradient(x, w):
        return torch.func.grad(lambda x: (rope(x, ids) * w).sum())(x)

    each = torch.func.vmap(gradient)(x, w)
    assert torch.equal(each, rope(w, ids, inverse=True))


def test_gradients_of_tables_inside_a_gradient(layout):
    """There the tables do not say that they require one."""
    x, w = torch.randn(2, 3, 5, 16, dtype=torch.float64)
    cos, sin = rope_of(6, layout).table(torch.arange(5), torch.float64)
    grad = torch.func.grad

    def total(x, cos, sin, turn):
        return (turn(x, cos, sin) * w).sum()

    def outer(cos, sin, turn):
        return (grad(total)(x, cos, sin, turn) ** 2 * w).sum()

    def ours(x, cos, sin):
        return apply_rotary(x, cos, sin, layout, rotary_dim=12)

    def plain(x, cos, sin):
        return rotary._plain(x, cos, sin, layout)

    for of in (0, 1):
        found, expected = (grad(outer, of)(cos, sin, turn) for turn in (ours, plain))
        assert expected.abs().max() > 1
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_autocast_changes_nothing(layout):
    rope, ids = rope_of(8, layout), torch.arange(5) + 10**6
    for dtype in DTYPES:
        x = torch.randn(2, 5, 16).to(dtype)
        with torch.autocast("cpu", torch.bfloat16):
            y = rope(x, ids)
        assert y.dtype == dtype and torch.equal(y, rope(x, ids))


def test_copies_of_all_kinds_are_the_same_module(layout):
    rope = rope_of(8, layout, attention_factor=1.1)
    x, ids = torch.randn(5, 16), torch.arange(5)
    replica = rope._replicate_for_data_parallel()
    for copied in (copy.deepcopy(rope), pickle.loads(pickle.dumps(rope)), replica):
        assert torch.equal(copied(x, ids), rope(x, ids))
    assert not rope.state_dict() and not list(rope.parameters())
    rope.load_state_dict({}, strict=True)
    assert "attention_factor=1.1" in repr(rope)


# --- compilers --------------------------------------------------------------


@pytest.fixture
def fresh():
    """Compile anew: cached code would outlive a change of the source."""
    torch.compiler.reset()
    graphs = torch._inductor.config.patch(fx_graph_cache=False)
    with graphs, torch._functorch.config.patch(enable_autograd_cache=False):
        yield
    torch.compiler.reset()


def odd_values(dtype):
    """Numbers whose bits are easily mishandled, and ties."""
    limit = torch.finfo(dtype).max
    odd = [0.0, -0.0, np.nan, np.inf, -np.inf, limit, -limit, 2.0**-126, 1.5]
    ties = [1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8]
    return torch.tensor(odd + ties, dtype=dtype)


@torch_warns
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_report_110_compiled_without_a_break(dtype, layout, fresh):
    """Forward and back, with a tail, heads behind, odd values."""
    rope = rope_of(8, layout, head_dim=20)
    x = torch.randn(2, 7, 3, 20).to(dtype)
    x[1, :, 0, :12] = odd_values(dtype)
    x.requires_grad_()
    ids = torch.arange(7) + torch.tensor([[0], [70000]])
    compiled = torch.compile(rope, fullgraph=True)
    grad = torch.randn(2, 7, 3, 20).to(dtype)
    results = []
    for turn in (rope, compiled):
        y = turn(x, ids, seq_dim=-3)
        results += [y, *torch.autograd.grad(y, x, grad)]
    near = {"rtol": torch.finfo(dtype).eps, "atol": 1e-6, "equal_nan": True}
    torch.testing.assert_close(results[2], results[0], **near)
    torch.testing.assert_close(results[3], results[1], **near)


def plain_and_traced(turn, *arguments):
    """Run as it is, and through Dynamo and AOTAutograd in one graph."""
    traced = torch.compile(turn, fullgraph=True, backend="aot_eager")
    return turn(*arguments), traced(*arguments)


@torch_warns
@pytest.mark.parametrize("dtype", DTYPES)
def test_traced_equals_eager(dtype, layout, fresh):
    """Also where a pair lies across the halves of an integer in memory."""
    cos, sin = rope_of(3, layout).table(torch.arange(5))
    flat = torch.randn(1 + 5 * 8).to(dtype)
    for x in (flat[1:].view(5, 8), flat[:40].view(8, 5).T, flat[:35].view(5, 7)):
        expected, y = plain_and_traced(
            lambda x: apply_rotary(x, cos, sin, layout, rotary_dim=6), x
        )
        near = {"rtol": torch.finfo(dtype).eps, "atol": 1e-6}
        torch.testing.assert_close(y, expected, **near)


@torch_warns
def test_traced_with_changing_lengths(layout, fresh):
    """One graph for all lengths: a second one would be refused."""
    rope = rope_of(4, layout)
    traced = torch.compile(rope, fullgraph=True, backend="aot_eager", dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for length in (4, 5, 9):
            x, ids = torch.randn(2, 3, length, 8), torch.arange(length)
            near = {"rtol": 0, "atol": 1e-6}
            torch.testing.assert_close(traced(x, ids), rope(x, ids), **near)


def test_bfloat16_bits_are_rounded_as_torch_does():
    """All ties, all exponents, NaN, infinities, subnormal numbers."""
    high = torch.arange(-(2**15), 2**15, dtype=torch.int32) << 16
    for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        x = (high | low).view(torch.float32)
        bits = (rotary._as_bfloat16_bits(x) >> 16).to(torch.int16)
        y, expected = bits.view(torch.bfloat16), x.to(torch.bfloat16)
        torch.testing.assert_close(y, expected, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(y.signbit()[~y.isnan()], expected.signbit()[~y.isnan()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_pairs_as_integers_equal_the_plain_form(dtype):
    x = torch.randn(3, 4, 5, 24).to(dtype)
    x[0, 0, 0, :12] = odd_values(dtype)
    cos, sin = (t[None, None] for t in rope_of(8).table(torch.arange(5)))
    y, expected = (
        turn(x, cos, sin, *rest)
        for turn, rest in ((rotary._interleaved, ()), (rotary._plain, LAYOUTS[:1]))
    )
    torch.testing.assert_close(y, expected, rtol=0, atol=0, equal_nan=True)


def test_export_with_free_sizes(layout):
    rope, free = rope_of(4, layout, head_dim=10), torch.export.Dim.DYNAMIC
    x, ids = torch.randn(2, 3, 5, 10), torch.arange(10).view(2, 5)
    program = torch.export.export(
        rope, (x, ids), dynamic_shapes=({0: free, 2: free}, {0: free, 1: free})
    )
    x, ids = torch.randn(4, 3, 7, 10), torch.randint(0, 10**6, (4, 7))
    torch.testing.assert_close(program.module()(x, ids), rope(x, ids))
    names = {str(node.target) for node in program.graph.nodes}
    assert not any("rope_edu" in name for name in names)


def test_onnx_operator_is_the_same_rotation(layout):
    """ONNX's RotaryEmbedding, opset 23, as onnxruntime runs it."""
    onnx, ort = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    x, rope = torch.randn(2, 3, 5, 16), rope_of(6, layout, head_dim=16)
    ids = torch.tensor([[0, 1, 2, 3, 4], [9, 3, 7, 7, 0]])
    cos, sin = rope.table(torch.arange(10))
    node = onnx.helper.make_node(
        "RotaryEmbedding", ["x", "cos", "sin", "ids"], ["y"],
        interleaved=int(layout == "interleaved"), rotary_embedding_dim=12,
    )
    feeds = {"x": x, "cos": cos, "sin": sin, "ids": ids}
    kinds = {"x": 1, "cos": 1, "sin": 1, "ids": 7, "y": 1}
    values = {
        name: onnx.helper.make_tensor_value_info(name, kind, None)
        for name, kind in kinds.items()
    }
    graph = onnx.helper.make_graph(
        [node], "g", [values[name] for name in feeds], [values["y"]]
    )
    opset = [onnx.helper.make_opsetid("", 23)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=10)
    session = ort.InferenceSession(model.SerializeToString())
    (y,) = session.run(None, {name: t.numpy() for name, t in feeds.items()})
    torch.testing.assert_close(torch.tensor(y), rope(x, ids), rtol=0, atol=2e-6)


# --- public bug reports -----------------------------------------------------


CASTS = {
    "half": lambda m: m.half(),
    "bfloat16": lambda m: m.to(torch.bfloat16),
    "double": lambda m: m.double(),
    "buffers": lambda m: [b.data.copy_(b.data.bfloat16()) for b in m.buffers()],
    "attributes": lambda m: [
        setattr(m, name, value.bfloat16())
        for name, value in vars(m).items() if isinstance(value, torch.Tensor)
    ],
    "apply": lambda m: m._apply(lambda t: t.bfloat16()),
    "to_empty": lambda m: m.to_empty(device="cpu"),
}


@pytest.mark.parametrize("cast", CASTS)
def test_reports_1_2_5_8_casts_change_no_table(cast):
    rope = rope_of(16)
    before, rates = rope.table(torch.arange(8192)), rope.inv_freq
    CASTS[cast](rope)
    after = rope.table(torch.arange(8192))
    assert rope.inv_freq == rates == tuple(inverse_frequencies(32))
    for old, new in zip(before, after):
        assert new.dtype == torch.float32 and torch.equal(old, new)
    assert abs(rope.table([1857])[0][0, 1] - 0.30669281) < 1e-7


def test_report_4_dtype_is_kept(layout):
    rope = rope_of(8, layout)
    for dtype in DTYPES:
        assert rope(torch.ones(3, 16, dtype=dtype), [0, 1, 2]).dtype == dtype


def test_report_10_default_dtype():
    expected = rope_of(32).table(torch.arange(4096))
    torch.set_default_dtype(torch.bfloat16)
    try:
        found = rope_of(32).table(torch.arange(4096))
    finally:
        torch.set_default_dtype(torch.float32)
    assert all(torch.equal(a, b) for a, b in zip(found, expected))


@pytest.mark.parametrize("first", [256, 2048, 65536, 131071])
def test_reports_11_and_13_neighbors_are_apart(first, layout):
    x, rope = torch.randn(1, 16).bfloat16(), rope_of(8, layout)
    near, far = (rope(x, torch.tensor([m])) for m in (first, first + 1))
    assert not torch.equal(near, far)
    assert_matches(far, x, [first + 1], rope.inv_freq, layout, None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_reports_11_and_13_positions_in_16_bits_are_refused(dtype):
    with pytest.raises(TypeError, match="position_ids.*lost digits"):
        rope_of(8).table(torch.arange(300).to(dtype))
    with pytest.raises(TypeError, match="inv_freq.*lost digits"):
        RotaryEmbedding(torch.ones(4, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_reports_14_and_16_half_precision_is_one_rounding_of_float32(dtype, layout):
    x, rope = torch.randn(9, 64).to(dtype), rope_of(32, layout)
    ids = torch.arange(9) * 14563
    wide = rope(x.float(), ids)
    error = (rope(x, ids).float() - wide).abs()
    assert (error <= torch.finfo(dtype).eps / 2 * wide.abs() + 1e-7).all()


def test_reports_17_and_29_history_leaves_no_trace(layout):
    x, rope = torch.randn(2, 1024, 16), rope_of(8, layout)
    ids = torch.arange(1024)
    fresh_one = rope_of(8, layout)(x, ids)
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        rope(x.to(dtype), ids + 5)
    assert torch.equal(rope(x, ids), fresh_one)
    assert torch.equal(rope(x[:, :8], ids[:8]), fresh_one[:, :8])


def test_reports_19_and_20_tables_in_any_dtype(layout):
    x, (cos, sin) = torch.randn(5, 16), rope_of(8, layout).table(torch.arange(5))
    expected = apply_rotary(x, cos, sin, layout)
    for dtype in DTYPES:
        near = 2 * torch.finfo(dtype).eps + 1e-6
        y = apply_rotary(x, cos.to(dtype), sin.to(dtype), layout)
        assert y.dtype == x.dtype
        assert (y - expected).abs().max() <= near * x.abs().max()
        y = apply_rotary(x.bfloat16(), cos.to(dtype), sin.to(dtype), layout)
        assert y.dtype == torch.bfloat16


def test_reports_22_23_25_26_dynamic_rates_of_one_length_only():
    config = RopeConfig(16, 16, 10000.0, DynamicNTK(2.0, original_length=2048))
    at = {n: RotaryEmbedding.from_config(config, "half", n) for n in (1, 2500, 8000)}
    short, again = at[2500], RotaryEmbedding.from_config(config, "half", 2500)
    assert short.inv_freq == again.inv_freq != at[8000].inv_freq
    assert at[1].inv_freq == tuple(inverse_frequencies(16))
    with pytest.raises(ValueError, match="length"):
        RotaryEmbedding.from_config(config, "half")


def test_report_31_tables_have_the_length_asked_for():
    for table in rope_of(4).table(torch.arange(7)):
        assert table.shape == (7, 4)


@pytest.mark.parametrize("place", [4095, 4096, 4097, 10**7, -1, 0.5, -7.25])
def test_reports_32_34_35_47_49_113_there_is_no_end_of_a_table(place, layout):
    """Past any length, before the start, between two tokens."""
    x, rope = torch.randn(1, 8, dtype=torch.float64), rope_of(4, layout)
    y = rope(x, torch.tensor([place]))
    assert_matches(y, x, [place], rope.inv_freq, layout, None)


def test_report_37_left_padding():
    x, rope = torch.randn(1, 2, 4, 8), rope_of(4)
    padded = rope(x, torch.tensor([[1, 1, 0, 1]]))
    assert torch.equal(padded[:, :, 2:], rope(x[:, :, 2:], torch.arange(2)))


def test_report_38_each_row_has_its_own_position(layout):
    x, rope = torch.randn(2, 3, 1, 8), rope_of(4, layout)
    rows = rope(x, torch.tensor([[5], [9]]))
    for row, place in zip(range(2), (5, 9)):
        assert torch.equal(rows[row], rope(x[row], torch.tensor([place])))


def test_reports_40_and_43_packed_texts_start_again(layout):
    x, rope = torch.randn(2, 3, 3, 8), rope_of(4, layout)
    packed = torch.cat([x, x[:, :, :2]], dim=2)
    y = rope(packed, torch.tensor([0, 1, 2, 0, 1]))
    assert torch.equal(y[:, :, 3:], y[:, :, :2])


def test_report_41_positions_in_any_order(layout):
    x, rope = torch.randn(3, 8), rope_of(4, layout)
    y = rope(x, torch.tensor([3, 1, 7]))
    for i, place in enumerate((3, 1, 7)):
        assert torch.equal(y[i : i + 1], rope(x[i : i + 1], torch.tensor([place])))


def test_report_50_rows_of_a_batch_with_one_token(layout):
    x, rope = torch.randn(1, 1, 1, 64).expand(3, 2, 1, 64), rope_of(32, layout)
    y = rope(x, torch.tensor([11]))
    assert (y != 0).all() and torch.equal(y, y[:1, :1].expand(3, 2, 1, 64))
    two = rope(x.expand(3, 2, 2, 64), torch.tensor([11, 12]))
    assert torch.equal(two[:, :, :1], y)


def test_report_52_rotations_add_up(layout):
    x, rope = torch.randn(4, 8, dtype=torch.float64), rope_of(4, layout)
    twice = rope(rope(x, [5] * 4), [1000] * 4)
    assert (twice - rope(x, [1005] * 4)).abs().max() < 1e-12


def test_report_53_ids_are_no_length():
    config = RopeConfig(8, 8, 10000.0)
    with pytest.raises(TypeError, match="length must be an integer"):
        RotaryEmbedding.from_config(config, "half", torch.arange(8))


def test_report_55_layouts_are_one_rotation_reordered():
    x, order = torch.randn(5, 8), torch.tensor(permutation(8))
    half, inter = rope_of(4, "half"), rope_of(4, "interleaved")
    ids = torch.arange(5)
    assert_close = torch.testing.assert_close
    assert_close(half(x[:, order], ids), inter(x, ids)[:, order], rtol=0, atol=1e-6)


@pytest.mark.parametrize("batch, length, heads", [(2, 5, 3), (2, 3, 3)])
def test_reports_61_and_62_heads_of_a_token_turn_alike(batch, length, heads, layout):
    x = torch.randn(1, 1, 1, 8).expand(batch, length, heads, 8)
    y = rope_of(4, layout)(x, torch.arange(length), seq_dim=-3)
    assert torch.equal(y, y[:, :, :1].expand_as(y))
    assert not torch.equal(y[:, 0], y[:, 1])


def test_report_64_layout_decides_the_order_not_the_scores():
    ids, order = torch.arange(6), torch.tensor(permutation(8))
    q, k = torch.randn(2, 6, 8, dtype=torch.float64)
    inter, half = rope_of(4, "interleaved"), rope_of(4, "half")
    scores = inter(q, ids) @ inter(k, ids).T
    reordered = half(q[:, order], ids) @ half(k[:, order], ids).T
    torch.testing.assert_close(reordered, scores, rtol=0, atol=1e-14)
    assert not torch.allclose(half(q, ids) @ half(k, ids).T, scores, atol=0.1)


def test_report_65_proportional_is_not_partial():
    config = RopeConfig(512, 512, 1e6, Proportional(0.25), "half")
    x, rope = torch.randn(1, 512), RotaryEmbedding.from_config(config)
    y = rope(x, [5])
    assert torch.equal(y[:, 64:256], x[:, 64:256])
    assert torch.equal(y[:, 320:], x[:, 320:])
    assert (y[:, :64] != x[:, :64]).all() and (y[:, 256:320] != x[:, 256:320]).all()


@pytest.mark.parametrize("head_dim, pairs", [(80, 16), (16, 3), (33, 16)])
def test_reports_67_and_68_tail_is_left_alone(head_dim, pairs, layout):
    x = torch.full((2, 3, 4, head_dim), 7.0)
    y = rope_of(pairs, layout, head_dim=head_dim)(x, torch.arange(1, 5))
    assert (y[..., 2 * pairs :] == 7).all() and (y[..., : 2 * pairs] != 7).all()


def test_report_70_one_head_is_turned(layout):
    x, rope = torch.randn(1, 1, 2, 8), rope_of(4, layout)
    ids = torch.tensor([3, 4])
    assert (rope(x, ids) != x).all()
    assert_matches(rope(x, ids), x, [3, 4], rope.inv_freq, layout, None)


def test_report_73_norm_of_the_table_is_the_attention_factor():
    config = RopeConfig(16, 16, 10000.0, YaRN(4.0, original_length=1024))
    rope = RotaryEmbedding.from_config(config, "half")
    cos, sin = rope.table([0, 1, 4095], dtype=torch.float64)
    factor = config.table().attention_factor
    assert factor > 1.1
    norms = (cos**2 + sin**2).numpy()
    np.testing.assert_allclose(norms, factor**2, rtol=1e-14)


def test_report_82_scaled_rates_are_used():
    method = Llama3(32.0, 1.0, 4.0, original_length=8192)
    rope = RotaryEmbedding.from_config(RopeConfig(64, 64, 5e5, method, "half"))
    share = np.array(rope.inv_freq) / inverse_frequencies(64, 5e5)
    assert (share[:15] == 1).all()
    np.testing.assert_allclose(share[18:], 1 / 32, rtol=1e-14)


def test_report_88_a_module_has_the_rates_of_one_length():
    method = LongRoPE((1.0,) * 4, (2.0,) * 4, original_length=16, factor=2.0)
    config = RopeConfig(8, 8, 10000.0, method)
    short, long = (
        RotaryEmbedding.from_config(config, "half", length) for length in (16, 17)
    )
    assert short.inv_freq == tuple(inverse_frequencies(8))
    assert long.inv_freq == tuple(inverse_frequencies(8) / 2)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3)])
def test_report_101_axes_keep_their_order_in_memory(order, layout):
    x = strided((2, 3, 5, 16), order, 1, torch.float32)
    y = rope_of(8, layout)(x, torch.arange(5))
    assert y.shape == x.shape and y.stride() == x.stride()


def test_reports_103_and_104_arguments_are_not_written_to(layout):
    x, (cos, sin) = torch.randn(2, 5, 16), rope_of(8, layout).table(torch.arange(5))
    before = [t.clone() for t in (x, cos, sin)]
    y = apply_rotary(x, cos, sin, layout, inverse=True)
    assert y.data_ptr() != x.data_ptr()
    for now, then in zip((x, cos, sin), before):
        assert now._version == 0 and torch.equal(now, then)
    ids = np.arange(5)
    ids.flags.writeable = False
    rope_of(8, layout)(x, ids)


def test_reports_106_107_109_made_on_meta(layout):
    with torch.device("meta"):
        rope = rope_of(32, layout)
        assert rope(torch.ones(3, 64), torch.arange(3)).device.type == "meta"
    rope.to_empty(device="cpu")
    assert rope.inv_freq[0] == 1.0
    for made, fresh_one in zip(rope.table([1, 2]), rope_of(32).table([1, 2])):
        assert torch.equal(made, fresh_one) and made.dtype == fresh_one.dtype


def test_report_109_devices_that_differ():
    cos, sin = rope_of(4).table(torch.arange(3))
    with pytest.raises(ValueError, match="x, cos and sin.*meta, cpu and cpu"):
        apply_rotary(torch.ones(3, 8, device="meta"), cos, sin)
    y = rope_of(4)(torch.ones(3, 8, device="meta"), torch.arange(3))
    assert y.device.type == "meta"


def test_report_115_one_row_of_positions_for_a_batch(layout):
    x, rope = torch.randn(3, 2, 5, 8), rope_of(4, layout)
    ids = torch.arange(5) * 3
    assert torch.equal(rope(x, ids[None]), rope(x, ids))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_report_112_complex_and_real_arithmetic_agree(dtype):
    """Where complex numbers do not reach, the plain form does the same."""
    x, rope = torch.randn(3, 5, 16).to(dtype), rope_of(8)
    cos, sin = (t[None] for t in rope.table(torch.arange(5), dtype))
    apart = rope(x, torch.arange(5)) - rotary._plain(x, cos, sin, "interleaved")
    pair = x.unflatten(-1, (-1, 2)).norm(dim=-1).repeat_interleave(2, -1)
    assert (apart.abs() <= torch.finfo(dtype).eps * pair).all()
    with pytest.raises(RuntimeError):
        torch.view_as_complex(torch.ones(2, dtype=torch.bfloat16))


@pytest.mark.parametrize("pairs", range(2, 8))
def test_report_116_guards_around_small_tensors(pairs, layout):
    for dtype in DTYPES:
        guarded = torch.full((3, 2 * pairs + 2), 9.0, dtype=dtype)
        x = guarded[1:2, 1:-1]
        x.copy_(torch.randn(1, 2 * pairs))
        y = rope_of(pairs, layout)(x, [3])
        assert_matches(y, x, [3], inverse_frequencies(2 * pairs), layout, None)
        guarded[1, 1:-1] = 9
        assert (guarded == 9).all()


# --- malformed calls --------------------------------------------------------

X, IDS = torch.ones(2, 3, 5, 8), torch.arange(5)
ROPE = RotaryEmbedding.from_base(8)
COS, SIN = ROPE.table(IDS)
SQUARE = torch.ones(2, 5, 5, 8)  # as many heads as places
CONFIG = RopeConfig(8, 8, 10000.0)
TEXTS = [torch.ones(3, 8), torch.ones(5, 8)]
with warnings.catch_warnings(action="ignore"):  # of what may change in torch
    NESTED = torch.nested.nested_tensor(TEXTS)
JAGGED = torch.nested.nested_tensor(TEXTS, layout=torch.jagged)
V, T = ValueError, TypeError

CALLS = [
    # the vectors
    ("array", lambda: ROPE(np.ones((5, 8)), IDS), T, "torch tensor.*rope_edu.rotate"),
    ("list", lambda: apply_rotary([1.0] * 8, COS, SIN), T, "x must be a torch"),
    ("integers", lambda: ROPE(X.long(), IDS), T, "x must hold floats.*int64"),
    ("complex", lambda: ROPE(X + 0j, IDS), T, "x must hold floats.*complex64"),
    ("number", lambda: ROPE(torch.tensor(1.0), 0), V, "x must be a vector"),
    ("sparse", lambda: ROPE(X[0, 0].to_sparse(), IDS), T, "x must be a dense.*sparse"),
    ("nested", lambda: apply_rotary(NESTED, COS, SIN), T, "x must be a dense.*nested"),
    ("jagged", lambda: ROPE(JAGGED, 3), T, "x must be a dense tensor, got a nested"),
    ("report 119", lambda: RotaryEmbedding.from_base(16)(X, IDS), V, "= 16, got 8"),
    ("heads not split", lambda: ROPE(torch.ones(5, 24), IDS), V, "= 8, got 24"),
    # the tables
    ("table array", lambda: apply_rotary(X, COS.numpy(), SIN), T, "cos must be a"),
    ("integer table", lambda: apply_rotary(X, COS, SIN.int()), T, "sin must hold"),
    ("number as table", lambda: apply_rotary(X, COS[0, 0], SIN), V, "cos must be"),
    ("two shapes", lambda: apply_rotary(X, COS, SIN[:1]), V, r"\(5, 4\).*\(1, 4\)"),
    ("full width", lambda: apply_rotary(X, torch.cat([COS, COS], -1),
     torch.cat([SIN, SIN], -1)), V, r"4 for 8.*got 8: of each two.*\[..., :4\]"),
    ("narrow table", lambda: apply_rotary(X, COS[:, :2], SIN[:, :2]),
     V, "4 for 8 .*got 2; if partial, rotary_dim=4"),
    ("partial, other", lambda: apply_rotary(X, COS, SIN, rotary_dim=4), V, "2 for 4"),
    ("partial, odd", lambda: apply_rotary(X, COS, SIN, rotary_dim=7), V, "even.*7"),
    ("report 118: too wide", lambda: apply_rotary(X, COS, SIN, rotary_dim=10),
     V, "at most head_dim = 8, got 10"),
    ("partial, float", lambda: apply_rotary(X, COS, SIN, rotary_dim=8.0), T, "integer"),
    ("batch of tables", lambda: apply_rotary(X, *ROPE.table(torch.ones(2, 5))),
     V, r"\(2, 5, 4\) do not fit x.*\(2, 3, 5, 8\).*cos\[:, None\]"),
    ("short table", lambda: apply_rotary(X, COS[:3], SIN[:3]), V, "5 places"),
    ("one row", lambda: apply_rotary(X, COS[:1], SIN[:1]), V, "5 places"),
    ("layout", lambda: apply_rotary(X, COS, SIN, "neox"), V, "'half', got 'neox'"),
    ("inverse", lambda: apply_rotary(X, COS, SIN, "half", "no"), T, "inverse.*'no'"),
    # positions
    ("few ids", lambda: ROPE(X, [0, 1, 2]), V, r"position_ids.*\(3,\).*5 numbers"),
    ("one id in a list", lambda: ROPE(X, [3]), V, "one number, 5 numbers"),
    ("wrong batch", lambda: ROPE(X, torch.ones(3, 5)), V, r"\(3, 5\).*do not fit"),
    ("one id a row", lambda: ROPE(X, torch.ones(2, 1)), V, r"\(2, 1\).*do not fit"),
    ("ids of the heads", lambda: ROPE(X, torch.ones(2, 3, 1, 1)), V, "do not fit"),
    ("report 94", lambda: ROPE(X, torch.ones(4, 2, 5)), V, r"\(4, 2, 5\)"),
    ("bool ids", lambda: ROPE(X, IDS > 0), T, "position_ids.*bool"),
    ("complex ids", lambda: ROPE(X, IDS + 0j), T, "position_ids.*complex"),
    ("sparse ids", lambda: ROPE(X, IDS.to_sparse()), T, "position_ids must be a dense"),
    ("float16 array", lambda: ROPE(X, IDS.half().numpy()), T, "position_ids.*float16"),
    ("a float16 id", lambda: ROPE(X, [np.float16(2049)] * 5),
     T, "position_ids.*float16"),
    ("float16 rates", lambda: RotaryEmbedding(np.ones(4, np.float16)), T,
     "inv_freq.*float16"),
    ("float8 ids", lambda: ROPE(X, IDS.to(torch.float8_e5m2)), T, "lost digits"),
    ("text ids", lambda: ROPE(X, ["0"] * 5), T, "position_ids"),
    ("no ids", lambda: ROPE(X, None), T, "position_ids"),
    ("NaN id", lambda: ROPE(X, [0, 1, 2, 3, np.nan]), V, "position_ids.*finite"),
    ("far id", lambda: ROPE(X, 2**53 + 1), V, "9007199254740993"),
    ("sequence axis", lambda: ROPE(X, IDS, seq_dim=1), V, "seq_dim must be -2.*got 1"),
    ("no such axis", lambda: ROPE(X[0, 0], IDS, seq_dim=-3), V, "three axes"),
    ("ids[:, :, None]", lambda: ROPE(SQUARE, IDS[None, :, None], seq_dim=-3),
     V, "position_ids.*same for all heads.*seq_dim=-3"),
    ("ids of all heads", lambda: ROPE(SQUARE, torch.ones(2, 5, 5), seq_dim=-3),
     V, "position_ids.*same for all heads"),
    ("ids[:, None], no batch", lambda: ROPE(SQUARE[0], IDS[:, None], seq_dim=-3),
     V, "position_ids.*same for all heads"),
    ("angle past float64", lambda: RotaryEmbedding([1e300])(X[..., :2], 10**15),
     V, r"inv_freq\[0\] = 1e\+300 must be an angle"),
    ("table past float64", lambda: RotaryEmbedding([1e300]).table([0, -(10**15)]),
     V, r"inv_freq\[0\] = 1e\+300 must be an angle"),
    ("undo", lambda: ROPE(X, IDS, inverse=1), T, "inverse must be True or False"),
    ("table dtype", lambda: ROPE.table(IDS, torch.bfloat16), V, "dtype.*bfloat16"),
    # the module
    ("no rates", lambda: RotaryEmbedding([]), V, "inv_freq"),
    ("rates as a table", lambda: RotaryEmbedding(torch.ones(2, 4)), V, "1-D"),
    ("NaN rate", lambda: RotaryEmbedding([1.0, np.nan]), V, "inv_freq.*nan"),
    ("width for rates", lambda: RotaryEmbedding(64), V, "inv_freq must be 1-D"),
    ("integer rates", lambda: RotaryEmbedding(IDS > 0), T, "inv_freq.*bool"),
    ("module layout", lambda: RotaryEmbedding([1.0], "HALF"), V, "layout"),
    ("report 118: head", lambda: RotaryEmbedding(np.ones(17), head_dim=33), V,
     "rotary_dim must be at most head_dim = 33, got 34"),
    ("float head", lambda: RotaryEmbedding([1.0], head_dim=2.0), T, "head_dim"),
    ("factor", lambda: RotaryEmbedding([1.0], attention_factor=0), V, "above 0, got 0"),
    ("text factor", lambda: RotaryEmbedding([1.0], attention_factor="1"), T, "factor"),
    ("tiny factor", lambda: RotaryEmbedding([1.0], attention_factor=1e-200),
     V, r"attention_factor must be from 2\*\*-60.*got 1e-200"),
    ("no config", lambda: RotaryEmbedding.from_config(None), T, "config.*NoneType"),
    ("config as a dict", lambda: RotaryEmbedding.from_config({}), T,
     "config must be a RopeConfig.*from_pretrained_config.*got dict"),
    ("odd width", lambda: RotaryEmbedding.from_base(7), V, "rotary_dim must be even"),
    ("base", lambda: RotaryEmbedding.from_base(8, 1), V, "base"),
    ("no layout", lambda: RotaryEmbedding.from_config(CONFIG), V, "must be given"),
    ("two layouts", lambda: RotaryEmbedding.from_config(
        RopeConfig(8, 8, 10000.0, layout="half"), "interleaved"), V, "that of config"),
]


@pytest.mark.parametrize("call, error, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])
def test_malformed_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
