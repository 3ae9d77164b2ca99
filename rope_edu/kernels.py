"""RoPE on a GPU: one Triton kernel for queries and keys, forward and back.

The kernel gives one program to each token. It loads the token's cosines and
sines once and turns all heads of the query and of the key with them, so that
hardly anything but the vectors is read and written. The gradient is the
rotation back: the same kernel, with the sign of the sine turned.

`rotate_pair` is a registered operator: autograd and ``torch.compile`` see it
as one node. On a CPU it falls back to `rope_edu.rotary.apply_rotary`, unless
Triton's interpreter is asked for with ``TRITON_INTERPRET=1``, which runs the
kernel itself, slowly. Triton is needed for tensors on a GPU and for nothing
else.
"""

# Triton reads the annotations as text; without it they name nothing.
from __future__ import annotations

import os

import torch

from rope_edu._checks import as_flag, as_layout
from rope_edu.rotary import _check_arguments, apply_rotary

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

# Read when the kernel is made, as Triton does.
_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"

# Numbers of one step of a program: 32 for each of at most 128 threads.
_TILE = 4096


def _turn_half(x, out, live, cos, sin, PAIRS: tl.constexpr):
    pair = tl.arange(0, cos.shape[1])[None, :]
    live = live & (pair < PAIRS)
    a = tl.load(x + pair, live).to(cos.dtype)
    b = tl.load(x + PAIRS + pair, live).to(cos.dtype)
    first, second = a * cos - b * sin, b * cos + a * sin
    tl.store(out + pair, first.to(out.dtype.element_ty), live)
    tl.store(out + PAIRS + pair, second.to(out.dtype.element_ty), live)


def _turn_interleaved(x, out, live, cos, sin, PAIRS: tl.constexpr):
    # Whole rows are read and written, and taken apart in registers: every
    # second number alone would cost as much memory traffic as all of them.
    heads: tl.constexpr = live.shape[0]
    width: tl.constexpr = 2 * cos.shape[1]
    channel = tl.arange(0, width)[None, :]
    live = live & (channel < 2 * PAIRS)
    row = tl.load(x + channel, live).to(cos.dtype)
    a, b = tl.split(tl.reshape(row, (heads, width // 2, 2)))
    turned = tl.join(a * cos - b * sin, b * cos + a * sin)
    turned = tl.reshape(turned, (heads, width)).to(out.dtype.element_ty)
    tl.store(out + channel, turned, live)


def _turn_heads(
    x, out, heads, x_step, out_step, cos, sin,
    HALF: tl.constexpr, PAIRS: tl.constexpr, HEAD_DIM: tl.constexpr,
    BLOCK_HEADS: tl.constexpr, BLOCK_TAIL: tl.constexpr,
):
    # `x` and `out` point to the first head of one token.
    for start in range(0, heads, BLOCK_HEADS):
        head = start + tl.arange(0, BLOCK_HEADS)[:, None].to(tl.int64)
        source, target = x + head * x_step, out + head * out_step
        if HALF:
            _turn_half(source, target, head < heads, cos, sin, PAIRS)
        else:
            _turn_interleaved(source, target, head < heads, cos, sin, PAIRS)
        if HEAD_DIM > 2 * PAIRS:
            channel = 2 * PAIRS + tl.arange(0, BLOCK_TAIL)[None, :]
            live = (head < heads) & (channel < HEAD_DIM)
            tl.store(target + channel, tl.load(source + channel, live), live)


def _turn_token(
    q, k, q_out, k_out, cos, sin, q_heads, k_heads, length,
    q_batch, q_head, q_place, k_batch, k_head, k_place,
    q_out_batch, q_out_head, q_out_place,
    k_out_batch, k_out_head, k_out_place, table_batch, table_place,
    HALF: tl.constexpr, PAIRS: tl.constexpr, HEAD_DIM: tl.constexpr,
    BLOCK_PAIRS: tl.constexpr, BLOCK_HEADS: tl.constexpr,
    BLOCK_TAIL: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    batch, place = token // length, token % length
    pair = tl.arange(0, BLOCK_PAIRS)[None, :]
    at = batch * table_batch + place * table_place + pair
    c = tl.load(cos + at, pair < PAIRS)
    s = tl.load(sin + at, pair < PAIRS)
    _turn_heads(
        q + batch * q_batch + place * q_place,
        q_out + batch * q_out_batch + place * q_out_place,
        q_heads, q_head, q_out_head, c, s,
        HALF, PAIRS, HEAD_DIM, BLOCK_HEADS, BLOCK_TAIL,
    )
    _turn_heads(
        k + batch * k_batch + place * k_place,
        k_out + batch * k_out_batch + place * k_out_place,
        k_heads, k_head, k_out_head, c, s,
        HALF, PAIRS, HEAD_DIM, BLOCK_HEADS, BLOCK_TAIL,
    )


if triton is not None:
    _turn_half = triton.jit(_turn_half)
    _turn_interleaved = triton.jit(_turn_interleaved)
    _turn_heads = triton.jit(_turn_heads)
    _turn_token = triton.jit(_turn_token)


def _settings(pairs, head_dim, heads):
    power = triton.next_power_of_2
    block_pairs = power(pairs)
    block_heads = min(max(1, _TILE // (2 * block_pairs)), power(heads))
    tile = 2 * block_pairs * block_heads
    return {
        "PAIRS": pairs,
        "HEAD_DIM": head_dim,
        "BLOCK_PAIRS": block_pairs,
        "BLOCK_HEADS": block_heads,
        "BLOCK_TAIL": power(max(1, head_dim - 2 * pairs)),
        "num_warps": max(1, min(4, tile // 1024)),
    }


def _launch(q, k, cos, sin, half):
    turned = torch.empty_like(q), torch.empty_like(k)
    (batch, heads, length, head_dim), pairs = q.shape, cos.shape[-1]
    cos, sin = (
        table.contiguous().expand(batch, 1, length, pairs)
        for table in (cos, sin)
    )
    steps = (x.stride()[:3] for x in (q, k, *turned))
    if batch * length:
        _turn_token[(batch * length,)](
            q, k, *turned, cos, sin, heads, k.shape[1], length,
            *(step for of_one in steps for step in of_one),
            cos.stride(0), cos.stride(2),
            HALF=half,
            **_settings(pairs, head_dim, max(heads, k.shape[1], 1)),
        )
    return turned


def _dense(x):
    # The kernel wants the channels of a head side by side.
    return x if x.stride(-1) == 1 else x.contiguous()


@torch.library.custom_op("rope_edu::rotate_pair", mutates_args=())
def _rotate_pair(
    q: torch.Tensor,
    k: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    half: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    q, k = _dense(q), _dense(k)
    if q.is_cuda or (_INTERPRETED and triton is not None):
        return _launch(q, k, cos, sin, half)
    layout, width = "half" if half else "interleaved", 2 * cos.shape[-1]
    return tuple(
        apply_rotary(x, cos, sin, layout, rotary_dim=width) for x in (q, k)
    )


@_rotate_pair.register_fake
def _(q, k, cos, sin, half):
    return tuple(torch.empty_like(_dense(x)) for x in (q, k))


def _setup_context(ctx, inputs, output):
    _, _, cos, sin, ctx.half = inputs
    ctx.save_for_backward(cos, sin)


def _backward(ctx, q_grad, k_grad):
    cos, sin = ctx.saved_tensors
    grads = _rotate_pair(q_grad, k_grad, cos, -sin, ctx.half)
    return (*grads, None, None, None)


_rotate_pair.register_autograd(_backward, setup_context=_setup_context)


def _check_pair(q, k):
    shapes = f"got {tuple(q.shape)} and {tuple(k.shape)}"
    if not q.ndim == k.ndim == 4:
        raise ValueError(
            "q and k must have four axes (batch, heads, sequence, head_dim),"
            f" {shapes}"
        )
    if q.shape[0] != k.shape[0] or q.shape[2:] != k.shape[2:]:
        raise ValueError(
            f"q and k must have the same shape but for the heads, {shapes}"
        )
    if q.dtype != k.dtype:
        raise ValueError(
            f"q and k must have one dtype, got {q.dtype} and {k.dtype}"
        )
    if q.is_cuda and triton is None:
        raise ImportError(
            "rotate_pair needs Triton for tensors on a GPU: install"
            " rope-edu[gpu], or use rope_edu.rotary.apply_rotary"
        )


def _as_table(name, table, q):
    # float32, of shape (batch or 1, 1, sequence or 1, pairs)
    table = table[(None,) * (4 - table.ndim)]
    if table.shape[1] != 1:
        raise ValueError(
            f"{name} must be the same for all heads, of shape (batch, 1,"
            f" sequence, pairs), got {tuple(table.shape)}"
        )
    return table.to(torch.promote_types(q.dtype, torch.float32))


def rotate_pair(
    q, k, cos, sin, layout="interleaved", inverse=False, rotary_dim=None
):
    """Rotate queries and keys at the same places, in one pass on a GPU.

    Parameters
    ----------
    q, k : torch.Tensor, shape (batch, heads, sequence, head_dim)
        The numbers of heads may differ. For (batch, sequence, heads,
        head_dim) give ``q.transpose(1, 2)``, which copies nothing.
    cos, sin : torch.Tensor
        Of shape (sequence, pairs), (batch, 1, sequence, pairs) or (1, 1,
        sequence, pairs), as `rope_edu.rotary.RotaryEmbedding.table` gives
        them. They have no gradient here.
    layout, inverse, rotary_dim
        As in `rope_edu.rotary.apply_rotary`.

    Returns
    -------
    q, k : torch.Tensor, shape, dtype and device of the arguments
        New tensors.

    Raises
    ------
    ImportError
        If `q` is on a GPU and Triton is not installed.
    TypeError, ValueError
        As in `rope_edu.rotary.apply_rotary`; if `q` and `k` do not have four
        axes, differ in more than the heads, or `cos` or `sin` differs from
        head to head or requires a gradient.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (34).

    Examples
    --------
    >>> from rope_edu.rotary import RotaryEmbedding
    >>> cos, sin = RotaryEmbedding([1.0]).table([0, 3])
    >>> q, k = torch.ones(1, 4, 2, 2), torch.ones(1, 1, 2, 2)
    >>> q, k = rotate_pair(q, k, cos, sin)
    >>> k[0, 0].numpy().round(4).tolist()
    [[1.0, 1.0], [-1.1311, -0.8489]]
    """
    layout, _ = as_layout(layout), as_flag("inverse", inverse)
    _check_arguments(q, cos, sin, rotary_dim, "q")
    _check_arguments(k, cos, sin, rotary_dim, "k")
    _check_pair(q, k)
    if cos.requires_grad or sin.requires_grad:
        raise ValueError(
            "cos and sin must not require a gradient here; apply_rotary"
            " gives them one"
        )
    if torch._C._are_functorch_transforms_active():
        # There the operator has no gradient, and a forward one of 0.
        return tuple(
            apply_rotary(x, cos, sin, layout, inverse, rotary_dim)
            for x in (q, k)
        )
    cos, sin = _as_table("cos", cos, q), _as_table("sin", sin, q)
    sin = -sin if inverse else sin
    return _rotate_pair(q, k, cos, sin, layout == "half")
