"""The operator on a CPU; the Triton kernel in its interpreter and compiler."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rope_edu import rotate

torch = pytest.importorskip("torch")
from rope_edu import kernels  # noqa: E402
from rope_edu.rotary import RotaryEmbedding, apply_rotary  # noqa: E402

LAYOUTS = ("interleaved", "half")

# batch, heads of q and k, sequence, head_dim, pairs: primes, widths that no
# power of two divides, tails, more heads than a step of the kernel takes.
SHAPES = {
    "one of all": (1, 1, 1, 1, 2, 1),
    "primes": (3, 5, 2, 7, 10, 5),
    "tail": (2, 3, 1, 5, 33, 12),
    "short tail": (2, 1, 2, 3, 16, 7),
    "many heads": (1, 70, 3, 2, 128, 64),
    "wide": (1, 2, 1, 3, 256, 128),
    "no queries": (2, 0, 3, 4, 8, 4),
    "no tokens": (0, 2, 1, 3, 8, 4),
}


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def example(shape, dtype=torch.float32, far=10**6):
    """q, k with the heads behind the sequence in memory, their places, tables."""
    batch, q_heads, k_heads, length, head_dim, pairs = shape
    q = torch.randn(batch, q_heads, length, head_dim).to(dtype)
    k = torch.randn(batch, length, k_heads, head_dim).to(dtype).transpose(1, 2)
    ids = torch.randint(-far, far, (batch, length))
    rope = RotaryEmbedding.from_base(2 * pairs, head_dim=head_dim)
    tables = rope.table(ids[:, None], torch.promote_types(dtype, torch.float32))
    return q, k, ids, rope.inv_freq, tables


def assert_matches(turned, x, ids, rates, layout, ulps):
    """Compare with the reference: `ulps` roundings of the result's dtype."""
    assert turned.dtype == x.dtype and turned.shape == x.shape
    assert turned.stride() == x.stride()
    width, ids = 2 * len(rates), ids.numpy()[:, None]
    expected = rotate(x.double().numpy(), ids, rates, layout, width)
    apart = np.abs(turned.double().numpy() - expected)
    # Beside it four roundings of float32, of numbers below 6.
    arithmetic = torch.finfo(torch.promote_types(x.dtype, torch.float32)).eps
    slack = ulps * torch.finfo(x.dtype).eps * np.abs(expected) + 12 * arithmetic
    assert (apart <= slack).all(), (apart - slack).max()
    assert torch.equal(turned[..., width:], x[..., width:])


# --- the operator -----------------------------------------------------------


def test_on_a_cpu_it_is_apply_rotary(layout):
    for shape in SHAPES.values():
        q, k, _, _, tables = example(shape)
        for rest in ((layout, False, 2 * shape[-1]), (layout, True, 2 * shape[-1])):
            turned = kernels.rotate_pair(q, k, *tables, *rest)
            for y, x in zip(turned, (q, k)):
                assert torch.equal(y, apply_rotary(x, *tables, *rest))


def test_gradient_of_both_and_of_one(layout):
    q, k, _, _, (cos, sin) = example((2, 2, 1, 2, 6, 2), torch.float64)
    q.requires_grad_(), k.requires_grad_()

    def turn(q, k):
        return kernels.rotate_pair(q, k, cos, sin, layout, True, rotary_dim=4)

    assert torch.autograd.gradcheck(turn, (q, k))
    assert torch.autograd.gradgradcheck(turn, (q, k))
    assert torch.autograd.gradcheck(lambda q: turn(q, k.detach())[0], q)
    turn(q, k)[1].sum().backward()
    assert (q.grad == 0).all() and (k.grad != 0).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_operator_keeps_the_rules_of_torch():
    """Schema, fake tensors, autograd, AOT dispatch with changing shapes."""
    q, k, _, _, (cos, sin) = example((2, 3, 1, 5, 10, 5))
    for half in (False, True):
        q, k = q.detach().requires_grad_(), k.detach().requires_grad_()
        torch.library.opcheck(kernels._rotate_pair, (q, k, cos, sin, half))
    odd = torch.randn(10, 5, 3, 2).permute(3, 2, 1, 0)  # last axis far apart
    torch.library.opcheck(kernels._rotate_pair, (odd, odd, cos, sin, True))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiler_sees_one_node(layout):
    graphs = []

    def backend(graph, inputs):
        graphs.append([str(node.target) for node in graph.graph.nodes])
        return graph

    q, k, _, _, tables = example((2, 3, 1, 5, 10, 5))
    turn = torch.compile(kernels.rotate_pair, fullgraph=True, backend=backend)
    for y, x in zip(turn(q, k, *tables, layout), (q, k)):
        assert torch.equal(y, apply_rotary(x, *tables, layout))
    (names,) = graphs
    assert sum("rotate_pair" in name for name in names) == 1


Q, K = torch.ones(2, 4, 5, 8), torch.ones(2, 1, 5, 8)
COS, SIN = RotaryEmbedding.from_base(8).table(torch.arange(5))
ROWS = tuple(table.expand(2, 1, 5, 4) for table in (COS, SIN))
EACH = tuple(table.expand(2, 4, 5, 4) for table in (COS, SIN))
V, T = ValueError, TypeError


@pytest.mark.parametrize("arguments, error, words", [
    ((Q[0], K[0], COS, SIN), V, r"four axes.*\(4, 5, 8\) and \(1, 5, 8\)"),
    ((Q, K[:, :, :3], COS[:3], SIN[:3]), V, "fit q|same shape but for the heads"),
    ((Q, K[:1], COS, SIN), V, r"same shape but for the heads.*\(1, 1, 5, 8\)"),
    ((Q, K.double(), COS, SIN), V, "one dtype.*float32 and torch.float64"),
    ((Q, K[..., :6], COS, SIN), V, "head_dim|one number for each pair"),
    ((Q, K.numpy(), COS, SIN), T, "k must be a torch tensor"),
    ((Q.int(), K, COS, SIN), T, "q must hold floats"),
    ((Q, Q, *EACH), V, r"same for all heads.*\(2, 4, 5, 4\)"),
    ((Q, K, COS[:2], SIN[:2]), V, "do not fit q"),
    ((Q, K, COS, SIN, "neox"), V, "layout"),
    ((Q, K, COS, SIN, "half", 1), T, "inverse"),
    ((Q, K, COS, SIN, "half", False, 4), V, "2 for 4 rotated channels, got 4"),
    ((Q, K, COS.clone().requires_grad_(), SIN), V, "must not require a gradient"),
], ids=lambda value: "")
def test_malformed_calls(arguments, error, words):
    with pytest.raises(error, match=words):
        kernels.rotate_pair(*arguments)


def test_rows_of_tables_and_single_places():
    once = kernels.rotate_pair(Q, K, COS, SIN)
    for tables in (ROWS, (COS[None, None], SIN[None, None])):
        for a, b in zip(kernels.rotate_pair(Q, K, *tables), once):
            assert torch.equal(a, b)
    (q, _), place = kernels.rotate_pair(Q, K, COS[3], SIN[3]), once[0][:, :, 3:4]
    assert torch.equal(q, place.expand_as(q))


def reloaded(monkeypatch, **environment):
    """Make the module anew, in other surroundings."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return importlib.reload(kernels)


@pytest.fixture
def restore():
    yield
    importlib.reload(kernels)


def test_without_triton(monkeypatch, restore):
    """A CPU needs none, a tensor on a GPU says what to install."""
    monkeypatch.setitem(sys.modules, "triton", None)
    module = reloaded(monkeypatch, TRITON_INTERPRET="1")
    assert module.triton is None
    assert torch.equal(module.rotate_pair(Q, K, COS, SIN)[0], apply_rotary(Q, COS, SIN))
    on_gpu = SimpleNamespace(
        ndim=4, shape=(1, 2, 3, 4), dtype=torch.float32, is_cuda=True
    )
    with pytest.raises(ImportError, match=r"rope-edu\[gpu\]"):
        module._check_pair(on_gpu, on_gpu)


# --- the kernel -------------------------------------------------------------


@pytest.fixture
def interpreted(monkeypatch, restore):
    pytest.importorskip("triton")
    yield reloaded(monkeypatch, TRITON_INTERPRET="1")
    monkeypatch.delenv("TRITON_INTERPRET")


@pytest.mark.parametrize("name", SHAPES)
def test_kernel_matches_the_reference(name, layout, interpreted):
    q, k, ids, rates, tables = example(SHAPES[name])
    width = 2 * len(rates)
    turned = interpreted.rotate_pair(q, k, *tables, layout, rotary_dim=width)
    for y, x in zip(turned, (q, k)):
        assert_matches(y, x, ids, rates, layout, ulps=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_kernel_in_other_dtypes(dtype, layout, interpreted):
    """The interpreter cuts bfloat16 off instead of rounding: one whole ulp."""
    q, k, ids, rates, tables = example((2, 3, 2, 5, 33, 12), dtype)
    turned = interpreted.rotate_pair(q, k, *tables, layout, rotary_dim=24)
    for y, x in zip(turned, (q, k)):
        assert_matches(y, x, ids, rates, layout, ulps=1)


def test_kernel_turns_back_for_the_gradient(layout, interpreted):
    q, k, ids, rates, tables = example((2, 5, 1, 3, 14, 6))
    q.requires_grad_(), k.requires_grad_()
    turned = interpreted.rotate_pair(q, k, *tables, layout, rotary_dim=12)
    grads = [torch.randn(y.shape).transpose(1, 2).contiguous().transpose(1, 2)
             for y in turned]
    found = torch.autograd.grad(turned, (q, k), grads)
    for x_grad, y_grad in zip(found, grads):
        assert_matches(x_grad, y_grad, -ids, rates, layout, ulps=0)


def test_kernel_with_any_strides(layout, interpreted):
    wide = torch.randn(2, 5, 9, 16)  # batch, sequence, heads of q, k and v
    q, k = wide[:, :, :6].transpose(1, 2), wide[:, :, 6:8].transpose(1, 2)
    far = torch.randn(8, 5, 6, 2).permute(3, 2, 1, 0)
    cos, sin = RotaryEmbedding.from_base(8).table(torch.arange(5))
    before = wide.clone()
    for x, y in ((q, k), (far, far[:, :1]), (far[:1, :1].expand(2, 3, 5, 8), far)):
        x, y = x[..., :8], y[..., :8]
        turned = interpreted.rotate_pair(x, y, cos, sin, layout)
        for result, given in zip(turned, (x, y)):
            expected = apply_rotary(given, cos, sin, layout)
            torch.testing.assert_close(result, expected, rtol=0, atol=2e-6)
    assert torch.equal(wide, before)


def test_nothing_is_launched_for_no_tokens(interpreted, monkeypatch):
    """CUDA refuses an empty grid."""
    monkeypatch.setattr(interpreted, "_turn_token", None)
    q, k, _, _, tables = example(SHAPES["no tokens"])
    q, k = interpreted.rotate_pair(q, k, *tables)
    assert q.shape == (0, 2, 3, 8) and k.shape == (0, 1, 3, 8)


def test_report_95_guards_around_the_vectors(layout, interpreted):
    guarded = torch.full((2, 3, 7, 24), 9.0)
    x = guarded[:, 1:2, 1:-1, 4:-4]
    x.copy_(torch.randn(2, 1, 5, 16))
    before = guarded.clone()
    cos, sin = RotaryEmbedding.from_base(12).table(torch.arange(5))
    interpreted.rotate_pair(x, x, cos, sin, layout, rotary_dim=12)
    assert torch.equal(guarded, before)


CUDA_SIGNATURE = {"*": ("q", "k", "q_out", "k_out"), "*fp32": ("cos", "sin")}


@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
def test_kernel_compiles_for_a_gpu_that_is_not_here(dtype, half):
    """All loads and stores of vectors move 16 bytes for each thread."""
    triton = pytest.importorskip("triton", minversion="3.4")
    from triton.backends.compiler import GPUTarget

    settings = kernels._settings(pairs=64, head_dim=128, heads=32) | {"HALF": half}
    options = {"num_warps": settings.pop("num_warps")}
    names, signature = kernels._turn_token.arg_names, {}
    for name in names:
        kind = "constexpr" if name in settings else "i32"
        kind = f"*{dtype}" if name in CUDA_SIGNATURE["*"] else kind
        signature[name] = "*fp32" if name in CUDA_SIGNATURE["*fp32"] else kind
    even = [n for n in names if n not in ("q_heads", "k_heads", "length")]
    source = triton.compiler.ASTSource(
        kernels._turn_token, signature, constexprs=settings,
        attrs={(names.index(n),): [["tt.divisibility", 16]] for n in even
               if n not in settings},
    )
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    lines = compiled.asm["ptx"].splitlines()
    stores = [line for line in lines if "st.global" in line]
    assert stores and all("v4.b32" in line for line in stores)
    assert not any("st.shared" in line for line in lines)


@pytest.mark.filterwarnings("ignore:.torch.jit.script")  # by torch itself
def test_transforms_of_functions_go_another_way(layout):
    """The operator has no rules for them: its forward gradient would be 0."""
    q, k, _, _, tables = example((2, 3, 1, 5, 12, 6))
    w = torch.randn_like(q)

    def turn(q):
        return kernels.rotate_pair(q, k, *tables, layout)[0]

    gradient = torch.func.grad(lambda q: (turn(q) * w).sum())(q)
    expected = apply_rotary(w, *tables, layout, inverse=True)
    torch.testing.assert_close(gradient, expected, rtol=0, atol=1e-6)
    assert torch.equal(torch.func.vmap(turn)(torch.stack([q, w]))[1], turn(w))
    with pytest.raises(NotImplementedError, match="forward mode"):
        torch.func.jvp(turn, (q,), (w,))


def test_benchmark_without_a_gpu_says_so_and_measures_nothing(tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    script = Path(__file__).parents[1] / "benchmarks" / "gpu.py"
    command = [sys.executable, script, "--out", tmp_path / "sheet"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.startswith("No GPU here")
    assert not (tmp_path / "sheet").exists()
