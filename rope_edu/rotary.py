"""RoPE in torch: any device, any float dtype, differentiable, compilable.

Angles are formed in float64, cosines and sines are kept in float32 and the
rotation is done in float32 (both in float64 for float64 input), whatever the
dtype of the input and whatever is done to the module: it owns no tensor that
a cast, a move or a checkpoint could change, and remembers no call. The result
has the dtype of the input.

Vectors lie on the last axis and the sequence on the second last, so that
``x`` has shape (..., sequence, head_dim), usually (batch, heads, sequence,
head_dim). Where the heads come last but one, `RotaryEmbedding` is called with
``seq_dim=-3``.

On a CPU the eager code is made for memory bandwidth. Interleaved pairs are
complex numbers in memory, which torch multiplies in one pass; half-split
pairs take three, over blocks that stay in the cache. Under ``torch.compile``
one expression becomes one loop.
"""

import inspect
import sys
from functools import partial

import torch

from rope_edu._checks import (
    as_count,
    as_flag,
    as_inv_freq,
    as_layout,
    as_positions,
    as_positive,
    as_rotary_dim,
    check_places,
)
from rope_edu.frequencies import angles, inverse_frequencies

# Before torch 2.7 an export looked like any other compilation: the plain code
# then serves both.
_is_exporting = getattr(
    torch.compiler, "is_exporting", torch.compiler.is_compiling)

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

# No position, at most 2**53, gives an infinite angle at a rate below.
_FASTEST = 2.0**970

# Numbers of one block, for each thread: 2 MiB of float32, which a cache shared
# by the cores holds. Smaller ones lose more to starting a step, in Python and
# on the other threads, than they gain.
_BLOCK = 2**19
# ATen gives a thread portions of at least 32768 numbers. It multiplies up to
# 8 complex ones at a time, and rounds what is left at the end of a portion
# differently.
_PORTION, _LANES = 2**15, 8


def _halves(x, layout):
    # The first and the second number of every pair, as views.
    if layout == "half":
        return x.chunk(2, -1)
    return x[..., 0::2], x[..., 1::2]


def _plain(x, cos, sin, layout):
    """Turn every pair: differentiable in every argument, on any device."""
    width = 2 * cos.shape[-1]
    a, b = (part.to(cos.dtype) for part in _halves(x[..., :width], layout))
    # Rounding before the parts are joined lets a compiler write all of them
    # from one loop.
    first = (a * cos - b * sin).to(x.dtype)
    second = (b * cos + a * sin).to(x.dtype)
    parts = [first, second]
    if layout == "interleaved":
        parts = [torch.stack(parts, -1).flatten(-2)]
    if width < x.shape[-1]:
        parts.append(x[..., width:])
    return torch.cat(parts, -1) if len(parts) > 1 else parts[0]


def _in_pairs(*tensors):
    # Whether two neighbors can be read as one number of twice the size.
    for x in tensors:
        *strides, last = x.stride()
        places = (*strides, x.storage_offset(), x.shape[-1])
        if last != 1 or any(place % 2 for place in places):
            return False
    return True


def _as_bfloat16_bits(x):
    # Round to nearest, ties to even. NaN must not be carried into infinity;
    # isnan would become a loop over single numbers.
    bits = x.view(torch.int32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return torch.where(x != x, 0x7FC00000, rounded)


def _turn_bits(pair, cos, sin):
    # A pair of bfloat16 as int32, or of float32 as int64.
    if pair.dtype == torch.int32:
        a, b = pair << 16, pair & -0x10000
    else:
        a, b = pair.to(torch.int32), (pair >> 32).to(torch.int32)
    a, b = a.view(torch.float32), b.view(torch.float32)
    first, second = a * cos - b * sin, b * cos + a * sin
    if pair.dtype == torch.int32:
        low = (_as_bfloat16_bits(first) >> 16) & 0xFFFF
        return low | (_as_bfloat16_bits(second) & -0x10000)
    first, second = first.view(torch.int32), second.view(torch.int32)
    return (first.to(torch.int64) & 0xFFFFFFFF) | second.to(torch.int64) << 32


_PAIRS = {torch.bfloat16: torch.int32, torch.float32: torch.int64}


def _interleaved(x, cos, sin):
    """Turn interleaved pairs, each read and written as one integer.

    Taking every second number would keep a compiler from using the vector
    registers, and so would axes in another order than in memory.
    """
    if sys.byteorder == "big" or x.dtype not in _PAIRS or not _in_pairs(x):
        return _plain(x, cos, sin, "interleaved")
    axes = sorted(range(x.ndim - 1), key=x.stride, reverse=True)
    axes = (*axes, x.ndim - 1)
    x, cos, sin = (part.permute(axes) for part in (x, cos, sin))
    pairs, count = x.view(_PAIRS[x.dtype]), cos.shape[-1]
    turned = _turn_bits(pairs[..., :count], cos, sin)
    if count < pairs.shape[-1]:
        turned = torch.cat([turned, pairs[..., count:]], -1)
    back = sorted(range(x.ndim), key=axes.__getitem__)
    return turned.view(x.dtype).permute(back)


# Operators that Dynamo does not look into. The first is taken apart below
# it, where the place of a tensor in memory is known; compiled code is cached
# by its name, so that a change of the function asks for another one. The
# second stays whole, or the angles would be formed anew for every head.
_LIBRARY = torch.library.Library("rope_edu", "FRAGMENT")
_LIBRARY.define("interleaved(Tensor x, Tensor cos, Tensor sin) -> Tensor")
_LIBRARY.impl("interleaved", _interleaved, "CompositeImplicitAutograd")


def _cos_sin(ids, inv_freq):
    rates = torch.tensor(inv_freq, dtype=torch.float64, device=ids.device)
    angle = ids.to(torch.float64)[..., None] * rates
    return angle.cos(), angle.sin()


# It copies the rates to the device, which no CUDA graph may record; before
# torch 2.9 nothing could tell it so.
_UNSAFE = getattr(torch.Tag, "cudagraph_unsafe", None)
_LIBRARY.define(
    "cos_sin(Tensor ids, float[] rates) -> (Tensor, Tensor)",
    tags=() if _UNSAFE is None else (_UNSAFE,),
)
_LIBRARY.impl("cos_sin", _cos_sin, "CompositeExplicitAutograd")


def _traced(x, cos, sin, layout):
    on_cpu = x.device.type == "cpu" and not _is_exporting()
    if layout == "interleaved" and on_cpu:
        return torch.ops.rope_edu.interleaved(x, cos, sin)
    return _plain(x, cos, sin, layout)


def _blocks(parts, limit):
    """Cut tensors of one shape, but for the last axis, into blocks.

    `limit` gives the numbers that a block may have for those that there are.
    """
    first = parts[0]
    numel, most = first.numel(), limit(first.numel())
    axes = [i for i, n in enumerate(first.shape[:-1]) if n > 1]
    if numel <= most or not axes:
        yield parts
        return
    axis = max(axes, key=first.stride)
    step = first.shape[axis] * most // numel
    blocks = zip(*(part.split(max(1, step), axis) for part in parts))
    if step and limit is _cached:  # small enough, without another look
        yield from blocks
        return
    for block in blocks:
        yield from _blocks(block, limit)


def _cached(numel):
    return _BLOCK * torch.get_num_threads()


def _even(numel):
    # All, where every portion begins at a multiple of the lanes.
    pairs = numel // 2
    portions = min(torch.get_num_threads(), -(-pairs // _PORTION))
    even = portions < 2 or -(-pairs // portions) % _LANES == 0
    return numel if even else pairs


def _even_and_cached(numel):
    return min(_even(numel), _cached(numel))


def _turn_half(x, out, both, sin):
    a, b = x.chunk(2, -1)
    first, second = out.chunk(2, -1)
    torch.mul(x, both, out=out)
    first.addcmul_(b, sin, value=-1)
    second.addcmul_(a, sin)


def _turn_complex(x, out, turn):
    x, out = (part.unflatten(-1, (-1, 2)) for part in (x, out))
    z, turned = torch.view_as_complex(x), torch.view_as_complex(out)
    torch.mul(z, turn, out=turned)


def _turn_wide(x, out, *tables, turn, scratch):
    wide, turned = (part[: x.numel()].view(x.shape) for part in scratch)
    wide.copy_(x)
    turn(wide, turned, *tables)
    out.copy_(turned)


def _turn(x, out, cos, sin, layout):
    """Turn every pair of a CPU tensor into `out`, without a gradient."""
    wide = x.dtype != cos.dtype
    if layout == "half":
        turn, tables = _turn_half, (torch.cat([cos, cos], -1), sin)
        limit = _cached
    elif cos.shape[-1] % _LANES == 0 and (wide or _in_pairs(x, out)):
        turn, tables = _turn_complex, (torch.complex(cos, sin),)
        limit = _even_and_cached if wide else _even
    else:
        out.copy_(_plain(x, cos, sin, layout))
        return
    if wide:
        most = max(min(x.numel(), _cached(0)), x.shape[-1])
        scratch = torch.empty((2, most), dtype=cos.dtype)
        turn = partial(_turn_wide, turn=turn, scratch=scratch)
    tables = (table.expand(*x.shape[:-1], -1) for table in tables)
    for block in _blocks((x, out, *tables), limit):
        turn(*block)


def _eager(x, cos, sin, layout):
    out, width = torch.empty_like(x), 2 * cos.shape[-1]
    _turn(x[..., :width], out[..., :width], cos, sin, layout)
    out[..., width:] = x[..., width:]
    return out


def _of_tables(x, grad, cos, layout):
    # Gradients of cos and sin.
    width = 2 * cos.shape[-1]
    a, b, first, second = (
        part.to(cos.dtype)
        for whole in (x, grad)
        for part in _halves(whole[..., :width], layout)
    )
    parts = a * first + b * second, a * second - b * first
    return tuple(part.sum_to_size(cos.shape) for part in parts)


class _Rotation(torch.autograd.Function):
    # The gradient of a rotation is the rotation back. Nothing of x is kept.
    # Dynamo refuses a class with a jvp, so there is no forward mode.

    @staticmethod
    def forward(x, cos, sin, layout):
        if x.device.type == "cpu" and not torch.compiler.is_compiling():
            return _eager(x, cos, sin, layout)
        return _traced(x, cos, sin, layout)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, cos, sin, ctx.layout = inputs
        # Inside another torch.func.grad the tables may have a gradient and
        # not say so; then x is needed as well.
        told = any(ctx.needs_input_grad[1:3])
        ctx.save_for_backward(cos, sin, *[x] * told)

    @staticmethod
    def backward(ctx, grad):
        cos, sin, *x = ctx.saved_tensors
        back = _Rotation.apply(grad, cos, -sin, ctx.layout)
        tables = _of_tables(*x, grad, cos, ctx.layout) if x else (None, None)
        return back, *tables, None

    @staticmethod
    def vmap(info, in_dims, x, cos, sin, layout):
        tensors = (
            part[None] if axis is None else part.movedim(axis, 0)
            for part, axis in zip((x, cos, sin), in_dims)
        )
        x, cos, sin = tensors
        x = x.expand(info.batch_size, *x.shape[1:])
        return _Rotation.apply(x, cos, sin, layout), 0


# torch would make it anew at each call, a quarter of the time of a token.
_Rotation.forward.__signature__ = inspect.signature(_Rotation.forward)


def _check_dense(name, value):
    # Others do not tell their strides, and some not even their shape.
    if value.is_nested or value.layout != torch.strided:
        kind = "nested" if value.is_nested else value.layout
        raise TypeError(
            f"{name} must be a dense tensor, got a {kind} one: pad it, or"
            " write to_dense()"
        )


def _check_tensor(name, value):
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"{name} must be a torch tensor, got {type(value).__name__};"
            " rope_edu.rotate takes arrays"
        )
    _check_dense(name, value)
    if value.dtype not in FLOATS:
        raise TypeError(f"{name} must hold floats, got dtype {value.dtype}")
    if value.ndim == 0:
        raise ValueError(f"{name} must be a vector or more, got a number")


def _fit(places, shape):
    # The rule of the NumPy rooms, for tensors.
    try:
        check_places(places, shape)
    except ValueError:
        return False
    return True


def _check_tables(x, cos, sin, name):
    if cos.shape != sin.shape:
        raise ValueError(
            "cos and sin must have the same shape, got"
            f" {tuple(cos.shape)} and {tuple(sin.shape)}"
        )
    if not x.device == cos.device == sin.device:
        raise ValueError(
            f"{name}, cos and sin must be on one device, got"
            f" {x.device}, {cos.device} and {sin.device}"
        )
    if not _fit(cos[..., 0], x.shape):
        grid = tuple(x.shape[:-1])
        raise ValueError(
            f"cos and sin of shape {tuple(cos.shape)} do not fit {name} of"
            f" shape {tuple(x.shape)}: without their last axis they must be"
            f" one place, {grid[-1]} places (for the second last axis of"
            f" {name}), or have {len(grid)} axes that broadcast to {grid};"
            " for (batch, sequence, pairs) write cos[:, None]"
        )


def _check_arguments(x, cos, sin, rotary_dim, name="x"):
    for label, value in ((name, x), ("cos", cos), ("sin", sin)):
        _check_tensor(label, value)
    _check_width(x.shape[-1], cos.shape[-1], rotary_dim)
    _check_tables(x, cos, sin, name)


def _check_width(head_dim, pairs, rotary_dim):
    width = as_rotary_dim(rotary_dim, head_dim)
    if width == 2 * pairs:
        return
    hint = ""
    if width == pairs:
        hint = f": of each two keep one, [..., ::2] or [..., :{pairs // 2}]"
    elif rotary_dim is None and width > 2 * pairs:
        hint = f"; if partial, rotary_dim={2 * pairs}"
    raise ValueError(
        "cos and sin must have one number for each pair on their last axis,"
        f" {width // 2} for {width} rotated channels, got {pairs}{hint}"
    )


def apply_rotary(
    x, cos, sin, layout="interleaved", inverse=False, rotary_dim=None
):
    """Rotate every pair of ``x`` by the angles with these cosines and sines.

    Parameters
    ----------
    x : torch.Tensor, shape (..., sequence, head_dim) or (head_dim,)
        float16, bfloat16, float32 or float64, with any strides. It is not
        changed. A single vector is placed at every one of the positions.
    cos, sin : torch.Tensor, shape (..., pairs)
        Of each angle, one number for each pair, as `RotaryEmbedding.table`
        gives them. Without the last axis their shape is that of positions in
        `rope_edu.rotate`: (), (sequence,), or as many axes as
        ``x.shape[:-1]``, each of the same length or 1. So tables of shape
        (batch, sequence, pairs) are written ``cos[:, None]`` for an `x` of
        shape (batch, heads, sequence, head_dim), and ``cos[:, :, None]`` for
        one of shape (batch, sequence, heads, head_dim). The rotation is no
        more exact than their dtype.
    layout : {"interleaved", "half"}
        Which channels form a pair.
    inverse : bool
        Turn the other way. A factor in `cos` and `sin` is applied once more,
        not undone.
    rotary_dim : int, optional
        To be given for a partial rotation, where ``head_dim > 2 * pairs``,
        and then equal to ``2 * pairs``: the channels after it are returned
        unchanged.

    Returns
    -------
    torch.Tensor, shape, dtype and device of `x`
        A new tensor; for a single vector, of shape cos.shape[:-1] +
        (head_dim,). Eager code keeps the order of the axes in memory, as
        torch does elsewhere, where `x` has no gaps.

    Raises
    ------
    TypeError
        If `x`, `cos` or `sin` is not a tensor of floats, `inverse` not a
        bool, or `rotary_dim` not an integer.
    ValueError
        If `layout` is unknown, or shapes, widths or devices do not fit
        together.

    Notes
    -----
    Differentiable any number of times, in backward mode. The gradient with
    respect to `x` is the rotation back, for which only `cos` and `sin` are
    kept. They have a gradient too where they require one, by a slower path.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, eq. (34).

    Examples
    --------
    >>> x = torch.tensor([1.0, 0.0, 0.0, 1.0])
    >>> angle = torch.tensor([1.0, 0.1])
    >>> apply_rotary(x, angle.cos(), angle.sin()).numpy().round(4).tolist()
    [0.5403, 0.8415, -0.0998, 0.995]
    """
    layout, _ = as_layout(layout), as_flag("inverse", inverse)
    _check_arguments(x, cos, sin, rotary_dim)
    if x.ndim == 1:
        x = x.expand(*cos.shape[:-1], -1)
    dtype = torch.promote_types(x.dtype, torch.float32)
    lead = (None,) * (x.ndim - cos.ndim)
    cos, sin = cos[lead].to(dtype), sin[lead].to(dtype)
    sin = -sin if inverse else sin
    if cos.requires_grad or sin.requires_grad:
        return _plain(x, cos, sin, layout)
    return _Rotation.apply(x, cos, sin, layout)


def _check_precise(name, dtype):
    if dtype == torch.bool or dtype.is_complex:
        raise TypeError(f"{name} must hold integers or floats, got {dtype}")
    if dtype.is_floating_point and dtype not in (torch.float32, torch.float64):
        raise TypeError(
            f"{name} must hold integers, float32 or float64: {dtype} has lost"
            " digits that no later cast brings back"
        )


def _as_ids(position_ids, name="position_ids"):
    if isinstance(position_ids, torch.Tensor):
        _check_dense(name, position_ids)
        _check_precise(name, position_ids.dtype)
        return position_ids
    return torch.tensor(as_positions(position_ids, name), device="cpu")


def _as_attention(value):
    factor = as_positive("attention_factor", value)
    if not 2.0**-60 <= factor <= 2.0**60:  # to undo it, its square is needed
        raise ValueError(
            "attention_factor must be from 2**-60 to 2**60 (float32 holds"
            f" its square and the inverse), got {value}"
        )
    return factor


class RotaryEmbedding(torch.nn.Module):
    """Rotate queries or keys by their positions.

    The module has no parameters and no buffers, so that no cast, move or
    checkpoint can change its rates, and it remembers no call.

    Parameters
    ----------
    inv_freq : array_like, shape (pairs,)
        Radians per token, kept in float64.
    layout : {"interleaved", "half"}
        Which channels form a pair.
    head_dim : int, optional
        Channels of one head, ``2 * pairs`` by default. The channels after
        the rotated ones are returned unchanged.
    attention_factor : float
        Cosine and sine are multiplied by it.

    Attributes
    ----------
    inv_freq : tuple of float
    layout, head_dim, rotary_dim, attention_factor

    Raises
    ------
    TypeError, ValueError
        If `inv_freq` is wrong as in `rope_edu.angles`, `layout` is unknown,
        `head_dim` is not an integer or below ``2 * pairs``, or
        `attention_factor` is not a number from 2**-60 to 2**60.

    References
    ----------
    Su et al., RoFormer, arXiv:2104.09864, section 3.2.2 and eq. (34).

    Examples
    --------
    >>> rope = RotaryEmbedding.from_base(rotary_dim=4, base=100)
    >>> q = torch.tensor([[1.0, 0.0, 0.0, 1.0]])
    >>> rope(q, position_ids=[1]).numpy().round(4).tolist()
    [[0.5403, 0.8415, -0.0998, 0.995]]
    """

    def __init__(
        self,
        inv_freq,
        layout="interleaved",
        head_dim=None,
        attention_factor=1.0,
    ):
        super().__init__()
        if isinstance(inv_freq, torch.Tensor):
            _check_precise("inv_freq", inv_freq.dtype)
            inv_freq = inv_freq.tolist()
        self.inv_freq = tuple(as_inv_freq(inv_freq).tolist())
        self.layout = as_layout(layout)
        self.rotary_dim = 2 * len(self.inv_freq)
        width = self.rotary_dim if head_dim is None else head_dim
        as_rotary_dim(self.rotary_dim, width)
        self.head_dim = as_count("head_dim", width)
        self.attention_factor = _as_attention(attention_factor)

    @classmethod
    def from_base(cls, rotary_dim, base=10000.0, **options):
        """Rates ``base ** (-2 * i / rotary_dim)``, as in the paper.

        Parameters
        ----------
        rotary_dim : int
            Even number of rotated channels of one head.
        base : float
            Finite number above 1.
        **options
            `layout`, `head_dim` and `attention_factor` of the class.

        Returns
        -------
        RotaryEmbedding

        Raises
        ------
        TypeError, ValueError
            As in `rope_edu.inverse_frequencies` and the class.

        Examples
        --------
        >>> RotaryEmbedding.from_base(4, base=100, head_dim=6, layout="half")
        RotaryEmbedding(pairs=2, layout='half', head_dim=6)
        """
        return cls(inverse_frequencies(rotary_dim, base), **options)

    @classmethod
    def from_config(cls, config, layout=None, length=None):
        """Rates and factor of a configuration, for one length.

        Parameters
        ----------
        config : rope_edu.config.RopeConfig
            Or any object with ``head_dim``, ``layout`` (or None) and
            ``table(length)`` that gives ``(inv_freq, attention_factor)``.
        layout : {"interleaved", "half"}, optional
            To be given where ``config.layout`` is None.
        length : int, optional
            Tokens of the whole text, if the rates depend on it. For another
            length make another module, and rotate the cached keys anew: they
            must not have been turned by other rates than the queries.

        Returns
        -------
        RotaryEmbedding

        Raises
        ------
        TypeError, ValueError
            If `config` has no table, the layout is missing or contradicts
            that of `config`, or as in ``config.table``.

        Examples
        --------
        >>> from rope_edu.config import RopeConfig
        >>> config = RopeConfig(head_dim=6, rotary_dim=4, base=100.0)
        >>> RotaryEmbedding.from_config(config, layout="half")
        RotaryEmbedding(pairs=2, layout='half', head_dim=6)
        """
        if not callable(getattr(config, "table", None)):
            raise TypeError(
                "config must be a RopeConfig (a dict is read by"
                " RopeConfig.from_pretrained_config), got"
                f" {type(config).__name__}"
            )
        if layout is None and config.layout is None:
            raise ValueError(
                "layout must be given, 'interleaved' or 'half', where config"
                " has none"
            )
        if None not in (layout, config.layout) and layout != config.layout:
            raise ValueError(
                f"layout must be that of config, {config.layout!r}, or left"
                f" out, got {layout!r}"
            )
        inv_freq, factor = config.table(length)
        return cls(inv_freq, layout or config.layout, config.head_dim, factor)

    def extra_repr(self):
        text = f"pairs={len(self.inv_freq)}, layout={self.layout!r}"
        text += f", head_dim={self.head_dim}"
        if self.attention_factor != 1:
            text += f", attention_factor={self.attention_factor}"
        return text

    def table(self, position_ids, dtype=torch.float32, device=None):
        """Cosine and sine of every pair at every position.

        Make it once for all layers, and rotate with `apply_rotary`.

        Parameters
        ----------
        position_ids : array_like or torch.Tensor, any shape
            Positions in tokens: integers or fractions, negative ones too.
        dtype : torch.dtype
            float32 or float64. The angles are float64 in any case.
        device : torch.device, optional
            Where the result is to be; by default that of `position_ids`, or
            the CPU for an array.

        Returns
        -------
        cos, sin : torch.Tensor, shape position_ids.shape + (pairs,)
            Multiplied by `attention_factor`.

        Raises
        ------
        TypeError
            If `position_ids` is not made of integers, float32 or float64
            (float16 has no 2049, bfloat16 no 257).
        ValueError
            If `dtype` is another, or `position_ids` is an array or a list
            and wrong as in `rope_edu.angles`. The values of a tensor are not
            looked at: that would stop a GPU, and a compiler.

        Examples
        --------
        >>> cos, sin = RotaryEmbedding([1.0, 0.1]).table([0, 3])
        >>> cos.numpy().round(4).tolist()
        [[1.0, 1.0], [-0.99, 0.9553]]
        """
        if dtype not in (torch.float32, torch.float64):
            raise ValueError(
                f"dtype must be torch.float32 or torch.float64, got {dtype}"
            )
        ids = self._ids(position_ids)
        device = ids.device if device is None else torch.device(device)
        # Apple's GPUs have no float64.
        home = "cpu" if device.type == "mps" else device
        whole = torch.compiler.is_compiling()
        whole = whole and not _is_exporting()
        turn = torch.ops.rope_edu.cos_sin if whole else _cos_sin
        cos, sin = turn(ids.to(home), self.inv_freq)
        if self.attention_factor != 1:
            cos, sin = cos * self.attention_factor, sin * self.attention_factor
        return cos.to(device, dtype), sin.to(device, dtype)

    def forward(self, x, position_ids, seq_dim=-2, inverse=False):
        """Rotate ``x``.

        Parameters
        ----------
        x : torch.Tensor, shape (..., sequence, head_dim)
            As in `apply_rotary`; with ``seq_dim=-3``, of shape (...,
            sequence, heads, head_dim).
        position_ids : array_like or torch.Tensor
            Positions in tokens, one of: a number; (sequence,); (batch,
            sequence) or (1, sequence) for an `x` of four axes; as many axes
            as ``x.shape[:-1]``, each of the same length or 1, the sequence
            last and, with ``seq_dim=-3``, 1 for the heads before it. They may
            differ from row to row, start anywhere, repeat, be fractions or
            negative.
        seq_dim : {-2, -3}
            Axis of the sequence. The heads, if any, are on the other one.
        inverse : bool
            Undo the rotation, `attention_factor` included.

        Returns
        -------
        torch.Tensor, shape, dtype and device of `x`
            As in `apply_rotary`.

        Raises
        ------
        TypeError, ValueError
            As in `apply_rotary` and `table`, if the last axis of `x` is not
            `head_dim` long, `seq_dim` is another, or the axes of
            `position_ids` do not fit.

        Examples
        --------
        >>> rope = RotaryEmbedding.from_base(rotary_dim=4)
        >>> x = torch.ones(2, 5, 3, 4)  # batch, sequence, heads, head_dim
        >>> ids = torch.arange(5) + torch.tensor([[0], [7]])
        >>> rope(x, ids, seq_dim=-3).shape
        torch.Size([2, 5, 3, 4])
        """
        _check_tensor("x", x)
        as_flag("inverse", inverse)
        if seq_dim == -3 and x.ndim > 2:
            ids = _one_for_all_heads(self._ids(position_ids), x.shape)
            turned = self(x.transpose(-2, -3), ids, -2, inverse)
            return turned.transpose(-2, -3)
        self._check(x, seq_dim)
        ids = _placed(self._ids(position_ids), x.shape)
        dtype = torch.promote_types(x.dtype, torch.float32)
        cos, sin = self.table(ids, dtype, x.device)
        if inverse:
            undo = self.attention_factor**-2
            cos, sin = cos * undo, sin * undo
        return apply_rotary(
            x, cos, sin, self.layout, inverse, self.rotary_dim
        )

    def _ids(self, position_ids):
        ids = _as_ids(position_ids)
        known = ids is not position_ids  # a tensor's values are not looked at
        if known and max(map(abs, self.inv_freq)) > _FASTEST:
            angles(position_ids, self.inv_freq)  # refuses infinite ones
        return ids

    def _check(self, x, seq_dim):
        if seq_dim != -2:
            raise ValueError(
                "seq_dim must be -2, or -3 for an x of three axes or more,"
                f" got {seq_dim!r} and x of shape {tuple(x.shape)}"
            )
        if x.shape[-1] != self.head_dim:
            raise ValueError(
                f"x.shape[-1] must be head_dim = {self.head_dim},"
                f" got {x.shape[-1]}"
            )


def _one_for_all_heads(ids, shape):
    # Of (batch, sequence, heads, head_dim): with as many heads as places,
    # ids of the heads could not be told from ids[:, :, None].
    if ids.ndim == len(shape) - 1 and ids.shape[-2] != 1:
        raise ValueError(
            f"position_ids of shape {tuple(ids.shape)} must be the same for"
            f" all heads with seq_dim=-3 (x has shape {tuple(shape)}): give"
            f" {shape[-3]} numbers, (batch, sequence), or 1 on the second"
            " last axis; for ids of single heads transpose x, seq_dim=-2"
        )
    return ids


def _placed(ids, shape):
    # Ids of two axes belong to (batch, sequence), not to (heads, sequence).
    if ids.ndim == 2 and len(shape) == 4:
        batch, _, length, _ = shape
        if ids.shape[1] == length and ids.shape[0] in (1, batch):
            return ids[:, None]
    if _fit(ids, shape):
        return ids
    grid = tuple(shape[:-1])
    rows = f", shape {(grid[0], grid[-1])}" if len(grid) == 3 else ""
    raise ValueError(
        f"position_ids of shape {tuple(ids.shape)} do not fit x of shape"
        f" {tuple(shape)}: give one number, {grid[-1]} numbers (for the"
        f" sequence){rows}, or {len(grid)} axes that broadcast to {grid}"
    )
