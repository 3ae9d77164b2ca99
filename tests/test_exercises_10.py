"""Chapter 10: each fault of a rotation in torch hears its own name."""

import pytest
import sympy as sp

from rope_edu import exercises

torch = pytest.importorskip("torch")

y0, y1, g0, g1 = sp.symbols("y_0 y_1 g_0 g_1", real=True)


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


@pytest.mark.parametrize("asked, answer", [
    ("10.1", 2684), ("10.1", 2684.35456), ("10.1", 2751.46),
    ("10.2", "GFDBA"), ("10.2", "a, b, d, f, g"),
    ("10.3", turn), ("10.4", g1 * y0 - g0 * y1),
])
def test_right_answers_pass(asked, answer):
    """With the table or without it, in any order."""
    assert exercises.verdict(asked, answer) is None


@pytest.mark.parametrize("asked, answer, told", [
    ("10.1", 1342, "read and written"),
    ("10.1", 2147, "there are keys"),
    ("10.1", 4295, "8 heads, not 32"),
    ("10.1", 5369, "2 bytes"),
    ("10.1", 83.9, "one layer"),
    ("10.1", 2.684, "milliseconds"),
    ("10.1", 3000, "count the bytes again"),
    ("10.2", "ABCDFG", "in C the 3"),
    ("10.2", "ABDEFG", "E has one id"),
    ("10.2", "ABD", "2 more"),
    ("10.2", "XYZ", "from A to G"),
    ("10.3", fault(write=True), "written to"),
    ("10.3", fault(row=False), "have met the heads"),
    ("10.3", fault(keep=False), "bfloat16 comes back as torch.float32"),
    ("10.3", fault(dtype=torch.float32, keep=True), "too few digits"),
    ("10.3", fault(back=-1), "is not right"),
    ("10.3", lambda *given: turn(*given).detach(), "leads back"),
    ("10.3", lambda x, *rest: turn(x.detach(), *rest) + x - x.detach(),
     "not the turn back"),
    ("10.4", g0 * y1 - g1 * y0, "sign"),
    ("10.4", g0 * y0 + g1 * y1, "longer"),
    ("10.4", g1 * y0, "another amount"),
])
def test_each_slip_is_named(asked, answer, told):
    """The message says what is wrong and not what is right."""
    assert told in exercises.verdict(asked, answer)
