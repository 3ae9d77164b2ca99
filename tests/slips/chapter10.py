"""Chapter 10: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import sympy as sp
import torch

y0, y1, g0, g1 = sp.symbols("y_0 y_1 g_0 g_1", real=True)
SLOPE = g1 * y0 - g0 * y1


def turn(x, ids, rates, *, dtype=None, row=True, back=1, keep=True, write=False):
    """Rotate interleaved pairs; each option brings in one fault."""
    wide = dtype or torch.promote_types(x.dtype, torch.float32)
    ids = ids[:, None, :, None] if row else ids[..., None]
    angle = back * (ids.to(dtype or torch.float64) * rates.to(dtype or rates.dtype))
    cos, sin = angle.cos().to(wide), angle.sin().to(wide)
    a, b = x[..., 0::2], x[..., 1::2]
    y = torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
    if write:
        with torch.no_grad():
            x.copy_(y)
    return y.to(x.dtype) if keep else y


def fault(**options):
    """Return a rotation with a fault."""
    return lambda x, ids, rates: turn(x, ids, rates, **options)


def as_complex(x, ids, rates):
    """Right, by another form."""
    wide = torch.promote_types(x.dtype, torch.float32)
    angle = ids.double()[:, None, :, None] * rates
    z = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)))
    z = z * torch.polar(torch.ones_like(angle), angle).to(z.dtype)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)


def halves(x, ids, rates):
    """Half-split pairs where neighbors are wanted."""
    order = [*range(0, x.shape[-1], 2), *range(1, x.shape[-1], 2)]
    back = torch.tensor(order).argsort()
    return turn(x[..., back], ids, rates)[..., order]


def viewed(x, ids, rates):
    """Right if x is contiguous."""
    x.view(-1)
    return turn(x, ids, rates)


def zeroed(x, ids, rates):
    """Right, and then writes into what it was given."""
    y = turn(x, ids, rates)
    ids.zero_(), rates.zero_()
    return y


def not_in_half(x, ids, rates):
    """Too few digits in float16 alone."""
    few = torch.float16 if x.dtype == torch.float16 else None
    return turn(x, ids % 60000, rates, dtype=few) if few else turn(x, ids, rates)


def overwritten(x, ids, rates):
    """A copy of x, but slices of it are views of the copy."""
    y, angle = x.clone(), ids.double()[:, None, :, None] * rates
    a, b = y[..., 0::2], y[..., 1::2]
    y[..., 0::2] = a * angle.cos() - b * angle.sin()
    y[..., 1::2] = b * angle.cos() + a * angle.sin()
    return y


RIGHT = [
    *(("10.1", time) for time in (2684, 2684.35456, 2751.46, sp.Integer(2684),
                                  Fraction(268435456, 100000))),
    ("10.2", "GFDBA"), ("10.2", "a, b, d, f, g"),
    ("10.3", turn), ("10.3", as_complex),
    ("10.4", SLOPE),
    # Letters are asked for, whatever is assumed of them.
    ("10.4", SLOPE.subs({x: sp.Symbol(x.name) for x in SLOPE.free_symbols})),
    ("10.4", sp.Matrix([g0, g1]).dot(sp.Matrix([-y1, y0]))),
]

SLIPS = [
    ("10.1", 1342, "read and written"),
    ("10.1", 2147, "there are keys"),
    ("10.1", 4295, "8 heads, not 32"),
    ("10.1", 5369, "2 bytes"),
    ("10.1", 83.9, "one layer"),
    ("10.1", 20.97, "128 channels"),
    ("10.1", 2.684, "milliseconds"),
    ("10.1", 2.684e-3, "in seconds"),
    ("10.1", 3000, "count the bytes again"),
    ("10.2", "ABCDFG", "in C the 3"),
    ("10.2", "ABDEFG", "E has one id"),
    ("10.2", "ABD", "2 more"),
    ("10.2", "ABDG", "1 more"),
    ("10.2", "XYZ", "from A to G"),
    ("10.2", ["A", "B"], "letters are wanted"),
    ("10.3", fault(write=True), "written to"),
    ("10.3", fault(row=False), "have met the heads"),
    ("10.3", fault(keep=False), "bfloat16 comes back as torch.float32"),
    ("10.3", fault(dtype=torch.float32, keep=True), "too few digits"),
    ("10.3", viewed, "view"),
    ("10.3", zeroed, "has been written to"),
    ("10.3", not_in_half, "torch.float16 position"),
    ("10.3", fault(back=-1), "turns the other way"),
    ("10.3", fault(back=2), "a vector at position"),
    ("10.3", halves, "halves are paired"),
    ("10.3", overwritten, "after its turn"),
    ("10.3", lambda *given: turn(*given).detach(), "leads back"),
    ("10.3", lambda x, *rest: turn(x.detach(), *rest) + x - x.detach(),
     "not the turn back"),
    ("10.4", g0 * y1 - g1 * y0, "sign is the wrong way"),
    ("10.4", g0 * y0 + g1 * y1, "longer"),
    ("10.4", g1 * y0, "does not vanish"),
    ("10.4", g1 * y0 + g0 * y1, "does not vanish"),
    ("10.4", SLOPE / sp.sqrt(y0**2 + y1**2), "length of the way"),
    ("10.4", 2 * SLOPE, "another amount"),
    ("10.4", sp.Symbol("m") * SLOPE, "only the symbols"),
]
