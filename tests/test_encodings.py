"""The other encodings: each beside its formula, worked out in another way.

What is compared is written out here with loops over positions, from the
papers, in NumPy or with Python's numbers, and never taken from the room that
is tested. Everything is float64 unless a test is about another dtype.
"""

import cmath
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rope_edu import rotate
from rope_edu.scaling import DynamicNTK, Linear, YaRN

torch = pytest.importorskip("torch")
from rope_edu.encodings import (  # noqa: E402
    ENCODINGS,
    Encoding,
    Learned,
    Sizes,
    alibi_slopes,
    make,
    relative_buckets,
    sinusoids,
)
from rope_edu.encodings.floater import runge_kutta  # noqa: E402

BATCH, HEADS, KV_HEADS, WIDTH, HEAD_DIM, LENGTH = 2, 4, 2, 12, 6, 7
SIZES = {
    "width": WIDTH, "heads": HEADS, "kv_heads": KV_HEADS, "head_dim": HEAD_DIM,
    "max_positions": 40,
}
# Rows that start anywhere, with gaps, and not in order.
IDS = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [9, 3, 20, 21, 22, 39, 8]])
ABSOLUTE = ("learned", "sinusoidal", "recurrent", "floater")
RELATIVE = tuple(name for name in ENCODINGS if name not in ABSOLUTE)
# Their scores come from differences of whole numbers, which do not round.
EXACT = ("none", "shaw", "transformer-xl", "t5", "alibi")
EPS = 2.0**-52


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def built(name, **options):
    """Build with parameters of size 1, so that an error in any would show."""
    encoding = make(name, **{**SIZES, **options}).double()
    for parameter in encoding.parameters():
        torch.nn.init.normal_(parameter)
    return encoding


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def queries_and_keys(keys=LENGTH):
    q = random(BATCH, HEADS, LENGTH, HEAD_DIM)
    return q, random(BATCH, KV_HEADS, keys, HEAD_DIM)


def scores(encoding, q, k, q_ids, k_ids):
    """What a Transformer does with the hooks, before the mask."""
    q, k = encoding.queries(q, q_ids), encoding.keys(k, k_ids)
    each = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    scaled = q @ each.mT / math.sqrt(q.shape[-1])
    return scaled + encoding.bias(q, k, q_ids, k_ids)


def by_definition(score, q, k, q_ids, k_ids):
    """Fill in ``score(head, q, k, m, n)`` for every query and key."""
    q, k, q_ids, k_ids = (part.detach().numpy() for part in (q, k, q_ids, k_ids))
    result = np.zeros((*q.shape[:3], k.shape[2]))
    for b, h, i, j in np.ndindex(result.shape):
        key = k[b, h * KV_HEADS // HEADS, j]
        m, n = q_ids[b, i].item(), k_ids[b, j].item()
        result[b, h, i, j] = score(h, q[b, h, i], key, m, n)
    return torch.from_numpy(result)


def vaswani(position, width=WIDTH, base=10000.0):
    """Vaswani et al., section 3.5, one channel at a time."""
    wave = [position / base ** (2 * i / width) for i in range(width // 2)]
    return np.array([f(angle) for angle in wave for f in (math.sin, math.cos)])


def near(actual, expected, tolerance=1e-12):
    """Compare; sums of some ten numbers of size 10 round by less than 1e-13."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance)


# --- the interface ----------------------------------------------------------


def test_names():
    for name, encoding in ENCODINGS.items():
        assert built(name).name == name == encoding.name
        assert built(name).relative == (name in RELATIVE)
        assert isinstance(built(name), Encoding)


def test_none_does_nothing():
    none, (q, k) = built("none"), queries_and_keys()
    x = random(BATCH, LENGTH, WIDTH)
    for hook in (none.embed, none.queries, none.keys, none.undo):
        assert hook(x, IDS) is x
    assert none.bias(q, k, IDS, IDS) == none.outputs(q, IDS, IDS) == 0


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_dtype_and_shape_stay(name, dtype):
    encoding = make(name, **SIZES)
    q, k = (part.to(dtype) for part in queries_and_keys())
    x = torch.randn(BATCH, LENGTH, WIDTH).to(dtype)
    for hook, part in [
        (encoding.embed, x), (encoding.queries, q),
        (encoding.keys, k), (encoding.undo, q),
    ]:
        result = hook(part, IDS)
        assert result.dtype == dtype and result.shape == part.shape
    result = scores(encoding, q, k, IDS, IDS)
    assert result.dtype == dtype and result.isfinite().all()
    assert result.shape == (BATCH, HEADS, LENGTH, LENGTH)
    added = encoding.outputs(result.softmax(-1), IDS, IDS)
    if not isinstance(added, int):
        assert added.dtype == dtype and added.shape == q.shape


@pytest.mark.parametrize("name", ENCODINGS)
def test_one_row_of_ids_serves_the_batch(name):
    encoding, (q, k) = built(name), queries_and_keys()
    x, row = random(BATCH, LENGTH, WIDTH), IDS[1]
    rows = row.expand(BATCH, -1)
    assert torch.equal(encoding.embed(x, row), encoding.embed(x, rows))
    assert torch.equal(encoding.embed(x, row), encoding.embed(x, row[None]))
    here = scores(encoding, q, k, row, row)
    assert torch.equal(here, scores(encoding, q, k, rows, rows))
    weights = here.softmax(-1)
    one, each = (encoding.outputs(weights, ids, ids) for ids in (row, rows))
    assert torch.equal(torch.as_tensor(one), torch.as_tensor(each))


@pytest.mark.parametrize("name", ENCODINGS)
def test_one_token_at_a_time_equals_the_whole(name):
    """With a cache, a query meets keys that earlier calls have made."""
    encoding, (q, k) = built(name), queries_and_keys()
    whole, x = scores(encoding, q, k, IDS, IDS), random(BATCH, LENGTH, WIDTH)
    embedded = encoding.embed(x, IDS)
    outputs = encoding.outputs(whole, IDS, IDS)
    for i in range(LENGTH):
        now = slice(i, i + 1)
        one = scores(encoding, q[:, :, now], k, IDS[:, now], IDS)
        near(one, whole[:, :, now])
        near(encoding.embed(x[:, now], IDS[:, now]), embedded[:, now])
        if name == "shaw":
            added = encoding.outputs(whole[:, :, now], IDS[:, now], IDS)
            near(added, outputs[:, :, now])


@pytest.mark.parametrize("name", ENCODINGS)
def test_undo_inverts_keys(name):
    encoding, (_, k) = built(name), queries_and_keys()
    near(encoding.undo(encoding.keys(k, IDS), IDS), k)


@pytest.mark.parametrize("name", ENCODINGS)
def test_gradients_reach_every_parameter(name):
    """And are right: through all the steps of a path, too."""
    encoding, (q, k) = built(name), queries_and_keys()
    x, ids = random(BATCH, LENGTH, WIDTH), IDS % 9
    weights = random(BATCH, HEADS, LENGTH, LENGTH)

    def hooks(*parameters):
        table = scores(encoding, q, k, ids, ids)
        y = encoding.embed(x, ids)
        added = encoding.outputs(weights, ids, ids) + 0 * q
        return torch.cat([part.flatten() for part in (y, table, added)])

    learned = dict(encoding.named_parameters())
    if learned:
        assert torch.autograd.gradcheck(hooks, (*learned.values(),), fast_mode=True)
        (hooks() ** 2).sum().backward()
    for label, parameter in learned.items():
        assert parameter.grad.abs().max() > 1e-3, label


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_seed_decides_the_start(name):
    learns = bool(list(make(name, **SIZES).parameters()))
    if not learns:
        with pytest.raises(TypeError, match="got 'scale'"):
            make(name, scale=1.0, **SIZES)
        return

    def start(**options):
        return [*make(name, **SIZES, **options).state_dict().values()]

    def seeded(**options):
        return start(generator=torch.Generator().manual_seed(7), **options)

    def alike(one, two):
        return all(torch.equal(a, b) for a, b in zip(one, two, strict=True))

    before = torch.random.get_rng_state()
    assert alike(seeded(), seeded())
    assert torch.equal(torch.random.get_rng_state(), before)
    assert not alike(start(), start())
    torch.manual_seed(7)
    assert alike(start(), seeded())
    assert not alike(seeded(scale=2.0), seeded())


@pytest.mark.parametrize("name, tables", [
    ("learned", ["table"]), ("shaw", ["key_table", "value_table"]),
    ("t5", ["table"]), ("transformer-xl", ["projection", "u", "v"]),
])
@pytest.mark.parametrize("scale", [None, 0.5, 0.0])
def test_scale_is_the_deviation_of_the_start(name, tables, scale):
    sizes = {"width": 512, "heads": 64, "max_positions": 64}
    options = {} if scale is None else {"scale": scale}
    encoding = make(name, **sizes, **options)
    wanted = 0.02 if scale is None else scale
    for table in tables:
        start = getattr(encoding, table)
        # The deviation of a sample is off by 1/sqrt(2n); five times that.
        spread = 5 * wanted / math.sqrt(2 * start.numel())
        assert abs(start.std().item() - wanted) <= spread
        assert abs(start.mean().item()) <= 5 * wanted / math.sqrt(start.numel())


# --- shifts -----------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(-1000, 1000), st.sampled_from(RELATIVE))
def test_scores_of_relative_encodings_ignore_a_shift(shift, name):
    encoding, (q, k) = built(name), queries_and_keys()
    here = scores(encoding, q, k, IDS, IDS)
    there = scores(encoding, q, k, IDS + shift, IDS + shift)
    if name in EXACT:
        assert torch.equal(here, there)
    # Angles of up to 1039 are off by half a unit of 1024 * 2**-52, those of
    # query and key, times the lengths of both, over sqrt(6); a scale of xPos
    # by a few units of itself.
    size = q.norm(dim=-1).max() * k.norm(dim=-1).max() / math.sqrt(HEAD_DIM)
    near(there, here, 4 * 1024 * EPS * size.item())


@pytest.mark.parametrize("name", ["transformer-xl", "alibi", "rope", "rope+alibi",
                                  "xpos"])
def test_fractions_and_negative_positions(name):
    """A step of a quarter is a number that does not round."""
    encoding, (q, k) = built(name), queries_and_keys()
    ids = IDS / 4 - 3.5
    here = scores(encoding, q, k, ids, ids)
    near(scores(encoding, q, k, ids + 100.25, ids + 100.25), here, 1e-11)
    apart = scores(encoding, q, k, ids + 0.25, ids) - here
    assert apart.abs().max() > 1e-3


@pytest.mark.parametrize("name", ABSOLUTE)
def test_scores_of_absolute_encodings_do_not_ignore_a_shift(name):
    """Projected by matrices, as always; the same tokens 10 places on."""
    encoding, x = built(name), random(1, LENGTH, WIDTH)
    project = random(2, WIDTH, WIDTH)
    ids = torch.arange(LENGTH)
    q, k = encoding.embed(x, ids) @ project
    moved_q, moved_k = encoding.embed(x, ids + 10) @ project
    assert (q @ k.mT - moved_q @ moved_k.mT).abs().max() > 1


@pytest.mark.parametrize("name", RELATIVE)
def test_relative_encodings_tell_offsets_apart(name):
    """All but none; without a direction, ALiBi still knows the distance."""
    encoding, (q, k) = built(name), queries_and_keys()
    apart = scores(encoding, q, k, IDS + 1, IDS) - scores(encoding, q, k, IDS, IDS)
    assert (apart.abs().max() > 1e-3) == (name != "none")


# --- absolute encodings -----------------------------------------------------


def test_learned_adds_its_rows():
    learned, x = built("learned"), random(BATCH, LENGTH, WIDTH)
    embedded = learned.embed(x, IDS)
    for b, i in np.ndindex(BATCH, LENGTH):
        expected = x[b, i] + learned.table[IDS[b, i].item()]
        assert torch.equal(embedded[b, i], expected)
    whole = IDS.double()
    assert torch.equal(learned.embed(x, whole), embedded)


@pytest.mark.parametrize("place, got", [(40, "40"), (-1, "-1")])
def test_learned_ends(place, got):
    learned = built("learned")
    words = rf"position_ids must be in 0\.\.39, got {got}: the learned table has 40"
    with pytest.raises(ValueError, match=words + ".*larger max_positions.*'rope'"):
        learned.embed(random(1, 2, WIDTH), torch.tensor([0, place]))


@pytest.mark.parametrize("place", [0, 1, 2, 511, 70000, -3, 2.5])
def test_sinusoids_are_the_formula(place):
    """70000 rad is off by half a unit of 2**17 * 2**-53, three times."""
    for width, base in [(8, 10000.0), (12, 500.0), (2, 10.0)]:
        actual = sinusoids([place], width, base, dtype=torch.float64)
        near(actual[0], torch.from_numpy(vaswani(place, width, base)), 3e-11)


def test_sinusoids_of_the_table_with_four_dials():
    """The angles of the book's d = 8 at position 3: 3, 0.3, 0.03, 0.003."""
    expected = [0.1411, -0.9900, 0.2955, 0.9553, 0.0300, 0.9996, 0.0030, 1.0]
    assert sinusoids(3, 8).numpy().round(4).tolist() == pytest.approx(expected)


def test_sinusoidal_adds_with_its_amplitude():
    x = random(BATCH, LENGTH, WIDTH)
    for options, amplitude in [({}, 1), ({"amplitude": 0.5, "base": 50.0}, 0.5)]:
        base = options.get("base", 10000.0)
        embedded = built("sinusoidal", **options).embed(x, IDS)
        for b, i in np.ndindex(BATCH, LENGTH):
            p = amplitude * vaswani(IDS[b, i].item(), base=base)
            near(embedded[b, i] - x[b, i], torch.from_numpy(p))


def test_recurrent_rotation_is_sinusoidal():
    """300 steps round by some units of 2**-53 each: below 1e-13."""
    recurrent = built("recurrent", step="rotation")
    assert not list(recurrent.parameters())
    table = recurrent.table(300, torch.float64)
    expected = np.array([vaswani(m) for m in range(300)])
    near(table, torch.from_numpy(expected))
    near(recurrent.embed(torch.zeros_like(table)[None], torch.arange(300))[0], table)


def test_recurrent_steps_as_defined():
    """A dense R, and the hidden layer written out."""
    recurrent = built("recurrent", hidden=5, base=100.0)
    c = {key: part.numpy() for key, part in recurrent.correction.state_dict().items()}
    rates = 100.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
    r = np.zeros((WIDTH, WIDTH))
    for i, rate in enumerate(rates):
        cos, sin = math.cos(rate), math.sin(rate)
        r[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    p, path = np.array([0.0, 1.0] * (WIDTH // 2)), []
    for _ in range(8):
        path.append(p)
        p = r @ p + c["outer"] @ np.tanh(c["inner"] @ p + c["shift"])
    near(recurrent.table(8, torch.float64), torch.from_numpy(np.array(path)))
    x = random(1, 3, WIDTH)
    embedded = recurrent.embed(x, torch.tensor([7, 0, 4]))
    near((embedded - x)[0], torch.from_numpy(np.array(path)[[7, 0, 4]]))


@pytest.mark.parametrize("name, error", [("recurrent", 1e-5), ("floater", 0.015)])
def test_learned_paths_start_near_the_sinusoids(name, error):
    """With scale 0 as near as float32, or a solver that lags by 5e-4 a token."""
    ids, x = torch.arange(20), torch.zeros(1, 20, WIDTH)
    straight = make("sinusoidal", **SIZES).embed(x, ids)
    none, some = (make(name, scale=s, **SIZES).embed(x, ids) for s in (0.0, 0.02))
    near(none, straight, error)
    assert 0.02 < (some - none).abs().max() < 1


def test_floater_rotation_is_sinusoidal():
    ids = torch.tensor([0, 1, 2, 17, 255, 1000, -1, -250, 0.25, 31.75])
    floater = built("floater", field="rotation")
    expected = np.array([vaswani(m) for m in ids.tolist()])
    near(floater.path(ids, torch.float64), torch.from_numpy(expected))
    assert not list(floater.parameters())


def test_solver_has_order_four():
    """With the skew field alone the end is known: the sines and cosines."""
    exact = torch.from_numpy(vaswani(3))
    errors = []
    for steps in (8, 16):
        floater = built("floater", steps=steps)
        torch.nn.init.zeros_(floater.correction.outer)
        p = floater.path(torch.tensor([3]), torch.float64)[0]
        errors.append((p - exact).abs().max().item())
    # Half the step, a 16th of the error; the next order is a step smaller.
    assert errors[0] / errors[1] == pytest.approx(16, rel=1 / 8)
    # The phase of RK4 lags by h**5 / 120 a step.
    assert errors[0] == pytest.approx(3 * 8 * (1 / 8) ** 5 / 120, rel=1 / 8)


def test_solver_uses_the_time():
    """dp/dt = t**3 + p has the solution 6 e**t - t**3 - 3t**2 - 6t - 6."""
    start = torch.zeros(2, dtype=torch.float64)
    t = torch.tensor([0.0, 2.0])
    solution = [6 * math.exp(s) - s**3 - 3 * s**2 - 6 * s - 6 for s in (1, 2, 3)]
    p = runge_kutta(lambda p, t: t**3 + p, start, 0, 1.0, 64)
    near(p, torch.full_like(p, solution[0]), 1e-8)
    start[1] = solution[1]
    p = runge_kutta(lambda p, t: t**3 + p, start, t, 1.0, 64)
    near(p, torch.tensor([solution[0], solution[2]], dtype=torch.float64), 1e-7)


def midpoint(h, p, end, steps):
    """A slower method: its error is that of a second order."""
    dt = end / steps
    for i in range(steps):
        half = p + dt / 2 * h(p, i * dt)
        p = p + dt * h(half, (i + 0.5) * dt)
    return p


@pytest.mark.parametrize("end", [1, 3, 1.25])
def test_floater_follows_its_field(end):
    floater = built("floater", hidden=5, steps=64)
    c = {key: part.numpy() for key, part in floater.correction.state_dict().items()}
    rates = 10000.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
    skew = np.kron(np.diag(rates), [[0, 1], [-1, 0]])

    def h(p, t):
        hidden = np.tanh(c["inner"] @ p + c["rate"] * t + c["shift"])
        return skew @ p + c["outer"] @ hidden

    start = np.array([0.0, 1.0] * (WIDTH // 2))
    coarse, fine = (midpoint(h, start, end, steps) for steps in (2000, 4000))
    # The error falls to a quarter, so that a third of the change is left.
    expected = fine + (fine - coarse) / 3
    actual = floater.path(torch.tensor([0, end, 2]), torch.float64)
    near(actual[1], torch.from_numpy(expected), 1e-5)
    embedded = floater.embed(torch.zeros(1, 1, WIDTH).double(), torch.tensor([end]))
    assert torch.equal(embedded[0, 0], actual[1])


# --- relative encodings -----------------------------------------------------


@pytest.mark.parametrize("clip", [1, 3, 60])
def test_shaw_by_definition(clip):
    """Shaw et al., eq. (4), and eq. (3) for the outputs."""
    shaw, (q, k) = built("shaw", clip=clip), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] - 2
    a, b = (t.detach().numpy() for t in (shaw.key_table, shaw.value_table))

    def row(m, n):
        return max(-clip, min(clip, n - m)) + clip

    def score(h, q, k, m, n):
        return q @ (k + a[row(m, n)]) / math.sqrt(HEAD_DIM)

    near(scores(shaw, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))
    weights = random(BATCH, HEADS, LENGTH, 5).softmax(-1)
    expected = np.zeros((BATCH, HEADS, LENGTH, HEAD_DIM))
    for i, h, m, n in np.ndindex(weights.shape):
        value = b[row(IDS[i, m].item(), k_ids[i, n].item())]
        expected[i, h, m] += weights[i, h, m, n].item() * value
    near(shaw.outputs(weights, IDS, k_ids), torch.from_numpy(expected))


def test_transformer_xl_by_definition():
    """Dai et al., section 3.3, with one W_r for all heads, rows in turn."""
    xl, (q, k) = built("transformer-xl", base=50.0), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] - 2
    u, v, w = (t.detach().numpy() for t in (xl.u, xl.v, xl.projection))
    w_r = np.concatenate([w[h].T for h in range(HEADS)])

    def score(h, q, k, m, n):
        r = w_r[HEAD_DIM * h : HEAD_DIM * (h + 1)] @ vaswani(m - n, base=50.0)
        terms = q @ k, q @ r, u[h, 0] @ k, v[h, 0] @ r
        return sum(terms) / math.sqrt(HEAD_DIM)

    near(scores(xl, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))


# The first distance of each bucket for 32 buckets up to 128. Causal: 16 of
# one distance, then 16 * 2 ** (3 * j / 16) rounded up. Both directions: 8,
# then 8 * 2 ** (j / 2) rounded up.
CAUSAL = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
BOTH = [*range(9), 12, 16, 23, 32, 46, 64, 91]


def test_t5_buckets_are_the_table():
    assert len(CAUSAL) == 32 and len(BOTH) == 16
    for distance in range(300):
        causal = max(i for i, first in enumerate(CAUSAL) if first <= distance)
        both = max(i for i, first in enumerate(BOTH) if first <= distance)
        assert relative_buckets([-distance, distance], False).tolist() == [
            causal, 0,
        ]
        later = both + 16 if distance else both
        assert relative_buckets([-distance, distance], True).tolist() == [both, later]


def test_t5_buckets_of_far_offsets():
    far = torch.tensor([2**40, -(2**40)])
    assert relative_buckets(far, False).tolist() == [0, 31]
    assert relative_buckets(far, True).tolist() == [31, 15]


def test_t5_buckets_do_not_round():
    """40 = 20 * 2, 80 and 320 begin buckets; a logarithm says otherwise."""
    buckets = relative_buckets([-39, -40, -79, -80, -319, -320], False, 40, 640)
    assert buckets.tolist() == [23, 24, 27, 28, 35, 36]
    cut = 20 + int(math.log(40 / 20) / math.log(640 / 20) * 20)
    assert cut == 23  # the reason for whole numbers


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 12), st.integers(1, 200), st.integers(0, 500), st.booleans())
def test_t5_buckets_by_definition(near_count, more, distance, both):
    """From Raffel et al. and the published code, in fractions."""
    farthest = near_count + more
    total = near_count * (4 if both else 2)
    ratio = Fraction(distance, near_count) ** near_count
    bucket = distance
    if distance >= near_count:
        powers = (Fraction(farthest, near_count) ** j for j in range(1, near_count))
        bucket = near_count + sum(ratio >= power for power in powers)
    actual = relative_buckets([-distance], both, total, farthest)
    assert actual.tolist() == [bucket]


# 4 of one distance, then 4 * 4 ** (j / 4) rounded up.
SHORT = [0, 1, 2, 3, 4, 6, 8, 12]


@pytest.mark.parametrize("causal, firsts, options", [
    (True, CAUSAL, {}), (False, BOTH, {}),
    (True, SHORT, {"num_buckets": 8, "max_distance": 16}),
    (False, SHORT, {"num_buckets": 16, "max_distance": 16}),
])
def test_t5_by_definition(causal, firsts, options):
    t5, (q, k) = built("t5", causal=causal, **options), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] + 5
    table = t5.table.detach().numpy()

    def score(h, q, k, m, n):
        distance = max(m - n, 0) if causal else abs(m - n)
        bucket = max(i for i, first in enumerate(firsts) if first <= distance)
        bucket += len(firsts) * (n > m and not causal)
        return q @ k / math.sqrt(HEAD_DIM) + table[h, bucket]

    near(scores(t5, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))


def test_alibi_slopes_of_the_paper():
    eight = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    sixteen = [2 ** (-h / 2) for h in range(1, 17)]
    assert alibi_slopes(8) == tuple(eight)
    assert alibi_slopes(16) == tuple(sixteen)
    between = [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]
    assert alibi_slopes(12) == tuple(eight + between)
    assert alibi_slopes(1) == (1 / 256,)
    assert alibi_slopes(6) == (1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8)
    for heads in range(1, 70):
        assert len(set(alibi_slopes(heads))) == heads


@pytest.mark.parametrize("causal", [True, False])
def test_alibi_by_definition(causal):
    """Slopes for 4 heads: 1/4, 1/16, 1/64, 1/256."""
    alibi, (q, k) = built("alibi", causal=causal), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] - 2

    def score(h, q, k, m, n):
        return q @ k / math.sqrt(HEAD_DIM) - 4.0 ** -(h + 1) * abs(m - n)

    near(scores(alibi, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))


def test_alibi_in_bfloat16_is_rounded_once():
    """It has neither 257 nor the slope 2 ** -0.5: rounded first, 182 is 181."""
    alibi = make("alibi", width=16, heads=16)
    q, k = torch.ones(2, 1, 16, 64, 1, dtype=torch.bfloat16)
    bias = alibi.bias(q[:, :, :1], k, torch.tensor([257]), torch.arange(64))
    exact = torch.tensor([-257 * 2 ** (-h / 2) for h in range(1, 17)])
    assert torch.equal(bias[0, :, 0, 0], exact.to(torch.bfloat16))


ROPE_OPTIONS = [
    {}, {"layout": "half"}, {"base": 50.0, "rotary_dim": 4},
    {"scaling": Linear(4), "layout": "half"},
    {"scaling": YaRN(4, 64)}, {"scaling": DynamicNTK(2, 64), "length": 200},
]


@pytest.mark.parametrize("name", ["rope", "rope+alibi"])
@pytest.mark.parametrize("options", ROPE_OPTIONS)
def test_rope_by_the_reference(name, options):
    """Of the NumPy room; with scaling, its rates and its factor."""
    rope, (q, k) = built(name, **options), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] - 2
    width, base = options.get("rotary_dim", HEAD_DIM), options.get("base", 10000.0)
    rates = base ** (-np.arange(0, width, 2) / width)
    factor = 1.0
    if "scaling" in options:
        rates, factor = options["scaling"].table(width, base, options.get("length"))
    layout = options.get("layout", "interleaved")

    def turned(x, place):
        y = rotate(x, place, rates, layout, width)
        y[:width] *= factor
        return y

    def score(h, q, k, m, n):
        slope = 4.0 ** -(h + 1) if name == "rope+alibi" else 0
        dot = turned(q, m) @ turned(k, n)
        return dot / math.sqrt(HEAD_DIM) - slope * abs(m - n)

    near(scores(rope, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))


@pytest.mark.parametrize("options", [
    {}, {"layout": "half", "center": 0.0}, {"scale_base": 16.0, "center": -7.5},
    {"rotary_dim": 4, "base": 50.0},
])
def test_xpos_by_definition(options):
    """Sun et al.: each pair as a complex number, times zeta to the offset."""
    xpos, (q, k) = built("xpos", **options), queries_and_keys(keys=5)
    k_ids = IDS[:, 1:6] - 2
    width, base = options.get("rotary_dim", HEAD_DIM), options.get("base", 10000.0)
    pairs, scale_base = width // 2, options.get("scale_base", 512.0)

    def pair(x, i):
        where = (i, i + pairs) if "layout" in options else (2 * i, 2 * i + 1)
        return complex(*x[list(where)])

    def score(h, q, k, m, n):
        total = q[width:] @ k[width:]
        for i in range(pairs):
            turn = cmath.exp(1j * (m - n) * base ** (-2 * i / width))
            zeta = (2 * i / width + 0.4) / 1.4
            scale = zeta ** ((m - n) / scale_base)
            total += scale * (pair(q, i) * pair(k, i).conjugate() * turn).real
        return total / math.sqrt(HEAD_DIM)

    near(scores(xpos, q, k, IDS, k_ids), by_definition(score, q, k, IDS, k_ids))


def test_xpos_scales_queries_and_keys_apart():
    """From 1 at the center, queries shrink and keys grow."""
    for options, center in [({}, 19.5), ({"center": 3.0}, 3.0),
                            ({"max_positions": None}, 0.0)]:
        xpos = built("xpos", **options)
        x = torch.ones(1, 1, 1, HEAD_DIM, dtype=torch.float64)
        for place in (center, center + 512):
            sizes = [math.sqrt(2) * ((2 * i / HEAD_DIM + 0.4) / 1.4) for i in range(3)]
            sizes = [math.sqrt(2)] * 3 if place == center else sizes
            ids = torch.tensor([place])
            pairs = xpos.queries(x, ids).view(3, 2).norm(dim=-1)
            near(pairs, torch.tensor(sizes, dtype=torch.float64))
            pairs = xpos.keys(x, ids).view(3, 2).norm(dim=-1)
            near(pairs, 2 / torch.tensor(sizes, dtype=torch.float64))


def test_unsigned_positions_have_negative_offsets():
    ids = torch.arange(LENGTH, dtype=torch.uint8)
    for name in ("shaw", "t5", "alibi", "transformer-xl"):
        encoding, (q, k) = built(name), queries_and_keys()
        expected = encoding.bias(q, k, ids.long(), ids.long())
        assert torch.equal(encoding.bias(q, k, ids, ids), expected)


def test_integers_of_numpy_are_integers():
    """Powers of 128 do not fit into 64 bits, nor 16 * 16 into 8."""
    relative_buckets.__globals__["_first_distances"].cache_clear()
    offsets = torch.arange(-600, 600)
    of_numpy = relative_buckets(offsets, False, np.int64(32), np.int64(128))
    assert torch.equal(of_numpy, relative_buckets(offsets, False, 32, 128))
    assert of_numpy.unique().tolist() == list(range(32))
    sizes = Sizes(np.uint8(64), np.uint8(16), head_dim=np.uint8(16))
    assert sizes.heads * sizes.head_dim == 256


# --- malformed calls --------------------------------------------------------

V, T = ValueError, TypeError
X, Q = torch.ones(BATCH, LENGTH, WIDTH), torch.ones(BATCH, HEADS, LENGTH, HEAD_DIM)
K = torch.ones(BATCH, KV_HEADS, LENGTH, HEAD_DIM)


def refused(name, **options):
    return lambda: make(name, **{**SIZES, **options})


def called(name, hook, *arguments):
    return lambda: getattr(make(name, **SIZES), hook)(*arguments)


CALLS = [
    # sizes
    ("name", refused("rotary"), V, "name must be 'none' or .*'rope'.*got 'rotary'"),
    ("width", refused("none", width=0), V, "width must be positive, got 0"),
    ("heads", refused("none", heads=2.0), T, "heads must be an integer, got 2.0"),
    ("kv heads", refused("none", kv_heads=3), V, "must divide heads = 4, got 3"),
    ("heads divide", refused("none", head_dim=None, heads=5, kv_heads=5), V,
     "width must be a multiple of heads = 5.*got width = 12"),
    ("head_dim", refused("none", head_dim=-1), V, "head_dim must be positive"),
    ("positions", refused("none", max_positions=0), V, "max_positions must be"),
    ("causal", refused("none", causal=1), T, "causal must be True or False, got 1"),
    ("not sizes", lambda: Learned(12), T, "sizes must be a Sizes, got 12"),
    # options
    ("option", refused("rope", bse=1), T, "'rope' takes base, layout.*got 'bse'"),
    ("inherited", refused("xpos", bse=1), T, "'xpos' takes base, center.*got 'bse'"),
    ("no option", refused("alibi", base=2), T, "'alibi' takes no options, got 'base'"),
    ("no end", refused("learned", max_positions=None), V, "positions must be given"),
    ("scale", refused("learned", scale=-1), V, "scale must not be negative, got -1"),
    ("text scale", refused("shaw", scale="1"), T, "scale must be a number, got '1'"),
    ("generator", refused("t5", generator=0), T, "generator must be.*got 0"),
    ("odd width", refused("sinusoidal", width=13), V, "^width must be even.*13"),
    ("odd width, steps", refused("recurrent", width=13), V, "^width must be even"),
    ("odd width, path", refused("floater", width=13), V, "^width must be even"),
    ("odd head", refused("rope", head_dim=5), V, "^head_dim must be even.*5"),
    ("base", refused("sinusoidal", base=1.0), V, "base must be"),
    ("amplitude", refused("sinusoidal", amplitude=np.inf), V, "amplitude.*inf"),
    ("step", refused("recurrent", step="rnn"), V, "step must be 'learned' or"),
    ("hidden", refused("recurrent", hidden=0), V, "hidden must be positive"),
    ("field", refused("floater", field="skew"), V, "field must be.*'skew'"),
    ("steps", refused("floater", steps=0), V, "steps must be positive"),
    ("clip", refused("shaw", clip=0), V, "clip must be positive, got 0"),
    ("xl base", refused("transformer-xl", base=0.5), V, "base must be"),
    ("buckets", refused("t5", num_buckets=31), V, "multiple of 2 .*got 31"),
    ("both buckets", refused("t5", num_buckets=30, causal=False), V,
     "multiple of 4 .near and far, before and after.*got 30"),
    ("distance", refused("t5", max_distance=16), V, "max_distance must be above 16"),
    ("direction", lambda: relative_buckets([1], 0), T, "bidirectional.*got 0"),
    ("layout", refused("rope", layout="neox"), V, "layout.*'neox'"),
    ("rotary_dim", refused("rope", rotary_dim=8), V, "at most head_dim = 6, got 8"),
    ("length", refused("rope", scaling=DynamicNTK(2, 64)), V, "length"),
    ("xpos later", refused("xpos", causal=False), V, "causal must be True for xPos"),
    ("xpos base", refused("xpos", scale_base=0), V, "scale_base must be above 0"),
    ("xpos center", refused("xpos", center="middle"), T, "center"),
    # tensors and positions
    ("x", called("learned", "embed", X[0], IDS), V, r"x must have.*, got \(7, 12\)"),
    ("narrow x", called("floater", "embed", X[..., :4], IDS), V, r", got \(2, 7, 4"),
    ("q", called("alibi", "bias", Q[:, :2], K, IDS, IDS), V, r"q must.*\(batch, 4, Q"),
    ("k", called("shaw", "bias", Q, Q, IDS, IDS), V, r"k must.*\(2, 2, K, 6\), got"),
    ("rope q", called("rope", "queries", Q[..., :4], IDS), V, "q must.*6"),
    ("xpos k", called("xpos", "keys", K[..., :4], IDS), V, "k must.*6"),
    ("array", called("rope", "queries", Q.numpy(), IDS), T, "tensor, got ndarray"),
    ("few ids", called("sinusoidal", "embed", X, IDS[:, :3]), V,
     r"position_ids must have shape \(7,\) or \(2, 7\).*got \(2, 3\)"),
    ("one id", called("rope", "keys", K, torch.tensor(3)), V, r"got \(\)"),
    ("rows", called("t5", "bias", Q, K, IDS, IDS[[0, 0, 0]]), V, r"k_ids.*\(3, 7\)"),
    ("queries' ids", called("shaw", "outputs", torch.ones(2, 4, 7, 5), IDS[:, :5],
     IDS[:, :5]), V, r"q_ids must have shape \(7,\)"),
    ("bool ids", called("alibi", "bias", Q, K, IDS > 0, IDS), T, "q_ids.*bool"),
    ("infinite path", called("floater", "embed", X, IDS / 0.0), V, "finite, got"),
    ("NaN path", called("floater", "embed", X, IDS * np.nan), V, "finite, got nan"),
    ("infinite row", called("learned", "embed", X, (IDS + 1) / 0.0), V, "whole.*inf"),
    ("infinite offset", lambda: relative_buckets(torch.tensor([np.inf]), False), V,
     "offsets must be whole numbers, got inf"),
    ("bool offset", lambda: relative_buckets([True], False), T, "offsets must hold"),
    ("bfloat16 ids", called("rope", "keys", K, IDS.bfloat16()), T, "lost digits"),
    ("half a row", called("learned", "embed", X, IDS + 0.5), V, "whole.*, got 0.5"),
    ("half a step", called("recurrent", "embed", X, IDS + 0.5), V, "whole numbers"),
    ("half an offset", called("shaw", "bias", Q, K, IDS + 0.5, IDS), V, "whole.*-0.5"),
    ("half a bucket", lambda: relative_buckets([0.5], True), V, "whole.*, got 0.5"),
    ("before 0", called("recurrent", "embed", X, IDS - 1), V, "starts at 0.*got -1"),
    ("before the path", called("floater", "embed", X, IDS - 0.5), V, "negative.*-0.5"),
    ("far from center", called("xpos", "keys", K, IDS + 10**6), V, "from center"),
]


@pytest.mark.parametrize("call, error, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])
def test_malformed_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_sizes_fill_in_what_follows():
    assert Sizes(64, 8) == Sizes(64, 8, kv_heads=8, head_dim=8)
