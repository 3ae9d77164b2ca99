"""Chapter 10: torch."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..reference import rotate
from ..symbolic import is_zero
from ._wrong import Wrong, expression, number, require

# Of exercise 10.1: layers, tokens, query and key heads, channels, bytes.
LAYERS, TOKENS, Q_HEADS, K_HEADS, HEAD_DIM, SIZE = 32, 8192, 32, 8, 128, 2
BANDWIDTH = 2e12
GRID = (2, 3, 5)  # batch, heads, sequence
SHAPES = dict(zip("ABCDEFG", (
    (), (5,), (3, 5), (2, 5), (2, 1), (1, 5), (2, 3, 5))))
RATES = (1.0, 0.1, 0.01)


def _microseconds(heads=Q_HEADS + K_HEADS, size=SIZE, layers=LAYERS):
    numbers = layers * TOKENS * heads * HEAD_DIM
    return 1e6 * 2 * numbers * size / BANDWIDTH


def shortest_time(answer):
    """10.1: microseconds that reading and writing takes at least."""
    found, right = number(answer), _microseconds()
    slips = {
        "each number is read and written: that is two times its bytes":
            right / 2,
        "there are keys, too": _microseconds(Q_HEADS),
        "keys have 8 heads, not 32": _microseconds(2 * Q_HEADS),
        "a bfloat16 number has 2 bytes": _microseconds(size=4),
        "this is one layer of 32": _microseconds(layers=1),
        "a head has 128 channels": right / HEAD_DIM,
        "this is in milliseconds": right / 1e3,
        "this is in seconds": right / 1e6,
    }
    for reason, slip in slips.items():
        require(not np.isclose(found, slip, rtol=0.03), reason)
    # With the tables it is a fortieth more.
    require(np.isclose(found, right, rtol=0.03),
            "bytes, divided by bytes per second: count the bytes again")


def _accepts(shape):
    """Whether the module takes ids of this shape for a grid of vectors."""
    import torch

    from ..rotary import RotaryEmbedding

    x = torch.ones(*GRID, 2 * len(RATES))
    try:
        RotaryEmbedding(RATES)(x, torch.zeros(shape))
    except ValueError:
        return False
    return True


def accepted_shapes(answer):
    """10.2: letters of the shapes of ids that the module takes."""
    require(isinstance(answer, str), "letters are wanted, such as \"BCF\"")
    found = set(answer.upper()) - set(" ,")
    require(found and found <= set(SHAPES), "the letters run from A to G")
    right = {name for name, shape in SHAPES.items() if _accepts(shape)}
    for letter, reason in {
        "C": "in C the 3 could only be heads, and all heads of a token"
             " stand at one place",
        "E": "E has one id for a row, but a row has 5 places",
    }.items():
        require(letter not in found or letter in right, reason)
    missing = len(right - found)
    require(not missing, f"the module takes {missing} more of them")


def mended_rotation(answer):
    """10.3: a rotation without the three faults of the broken one."""
    import torch

    require(callable(answer), "a function is wanted")
    x = torch.tensor(np.random.default_rng(3).normal(size=(2, 2, 4, 6)))
    # As many heads as rows, so that their axes can be mixed up.
    ids = torch.tensor([[0, 1, 2, 3], [300, 1001, 7, 70001]])
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        given, before = x.to(dtype, copy=True), x.to(dtype, copy=True)
        y = _turned(answer, given, ids)
        require(torch.equal(given, before), "x itself has been written to")
        _check_turn(y.detach(), before, ids)
    # As a model has them: the heads are cut from one row of channels.
    cut = x.transpose(1, 2).contiguous().transpose(1, 2)
    _check_turn(_turned(answer, cut, ids).detach(), x, ids)
    free = x.clone().requires_grad_()
    _check_gradient(_turned(answer, free, ids), free, ids)


def _turned(answer, x, ids):
    import torch

    rates = torch.tensor(RATES, dtype=torch.float64)
    y = answer(x, places := ids.clone(), speeds := rates.clone())
    require(y is not None, "your function returns nothing yet")
    require(torch.equal(places, ids) and torch.equal(speeds, rates),
            "position_ids or inv_freq has been written to")
    require(isinstance(y, torch.Tensor), "a tensor is wanted")
    require(y.shape == x.shape,
            f"the shape is {tuple(y.shape)}, wanted is {tuple(x.shape)}")
    require(y.dtype == x.dtype, f"{x.dtype} comes back as {y.dtype}")
    return y


def _check_turn(y, x, ids):
    import torch

    y, exact, places = (t.double().numpy() for t in (y, x, ids))
    near = max(8 * torch.finfo(x.dtype).eps, 1e-9)
    for reason, slip in _turns_gone_wrong(exact, places).items():
        require(not np.allclose(y, slip, atol=near, rtol=0), reason)
    off = np.abs(y - rotate(exact, places[:, None], RATES)).max((1, 3))
    worst = int(places.ravel()[off.argmax()])
    require(off[0].max() < 0.1, "a vector at position"
            f" {int(places[0, off[0].argmax()])} is not right")
    require(off.max() < near, f"in {x.dtype} position {worst} is not right:"
            " which step has too few digits?")


def _turns_gone_wrong(x, places):
    """What faults of a rotation return, by their names."""
    angle = places[:, None, :, None] * RATES
    twice = rotate(x, places[:, None], RATES)
    twice[..., 1::2] = (
        x[..., 1::2] * np.cos(angle) + twice[..., 0::2] * np.sin(angle))
    return {
        "the rows of position_ids have met the heads: head 1 is turned by"
        " row 1": rotate(x, places[None], RATES),
        "this turns the other way: which product has the minus?":
            rotate(x, -places[:, None], RATES),
        "halves are paired here, and the broken code pairs neighbors":
            rotate(x, places[:, None], RATES, "half"),
        "the second number of a pair is made with the first one after its"
        " turn": twice,
    }


def _check_gradient(y, x, ids):
    require(y.requires_grad, "nothing leads back from the result to x")
    weights = x.detach().flip(-1)
    (y * weights).sum().backward()
    wanted = rotate(weights.numpy(), -ids.numpy()[:, None], RATES)
    if x.grad is None or not np.allclose(x.grad.numpy(), wanted):
        raise Wrong("the gradient of x is not the turn back")


def angle_gradient(answer):
    """10.4: derivative of a loss by the angle of one pair."""
    symbols = sp.symbols("y_0 y_1 g_0 g_1", real=True)
    y0, y1, g0, g1 = symbols
    found = expression(answer, symbols)
    wanted = g1 * y0 - g0 * y1
    require(not is_zero(found + wanted), "the sign is the wrong way: which"
            " way does a small turn move y?")
    require(not is_zero(found - (g0 * y0 + g1 * y1)), "this is how the loss"
            " grows if y gets longer; a turn moves it sideways")
    along = found.subs({g0: y0, g1: y1}, simultaneous=True)
    require(is_zero(along), "where g points along y a small turn changes"
            " nothing; your expression does not vanish there")
    require(not is_zero(found**2 * (y0**2 + y1**2) - wanted**2), "this is"
            " by the length of the way; by the angle, a longer y goes"
            " further")
    require(is_zero(found - wanted), "the loss changes by another amount")


CHECKS = {"10.1": shortest_time, "10.2": accepted_shapes,
          "10.3": mended_rotation, "10.4": angle_gradient}
