"""A zoo of faulty rotations, most of them bugs that people have reported.

Each fault is a function that makes a callable ``fn(x, position_ids)``; its
decorator names the codes the doctor has to find, no more and no fewer. The
numbers are those of the project's list of public bug reports. A rotation
that is right, and one that is wrong, differ by one line here.
"""

import functools
from dataclasses import dataclass, field

import numpy as np
from rope_edu import inverse_frequencies
from rope_edu.doctor import from_offset, from_pair
from rope_edu.doctor.rounding import rounded
from rope_edu.layouts import pair_indices
from rope_edu.scaling import (
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    Proportional,
    YaRN,
    yarn_mscale,
)

D = 16
W = inverse_frequencies(D)


@dataclass(frozen=True)
class Fault:
    """A faulty callable, how to ask about it, and what is to be found."""

    name: str
    make: object
    codes: frozenset
    report: int | None
    head_dim: int
    torch: bool
    words: str
    options: dict = field(default_factory=dict)


FAULTS = []


def fault(*codes, report=None, head_dim=D, torch=False, words="", **options):
    """Enter a maker of callables into the zoo."""

    def enter(make):
        FAULTS.append(Fault(
            make.__name__, make, frozenset(codes), report, head_dim, torch,
            words, options,
        ))
        return make

    return enter


def turn(x, angle, layout="half", cos=np.cos, sin=np.sin):
    """Rotate x, (batch, heads, sequence, d), by angles that broadcast."""
    width = 2 * angle.shape[-1]
    first, second = pair_indices(width, layout)
    y = np.array(x, dtype=x.dtype)
    c, s = cos(angle), sin(angle)
    y[..., first] = x[..., first] * c - x[..., second] * s
    y[..., second] = x[..., second] * c + x[..., first] * s
    return y


def rope(x, ids, rates=W, layout="half", factor=1.0):
    """The right rotation, in the dtype of x."""
    angle = ids[:, None, :, None] * rates
    return turn(
        x, angle, layout, lambda a: factor * np.cos(a), lambda a: factor * np.sin(a)
    ).astype(x.dtype)


def counted(x):
    """Positions 0, 1, 2, ... for every row: what ignores position_ids."""
    return np.tile(np.arange(x.shape[2]), (x.shape[0], 1))


def bf16(x):
    return rounded(x, "bfloat16")


def fp16(x):
    return rounded(x, "float16")


# A. Low precision ----------------------------------------------------------


@fault("precision-positions", "precision-frequencies", "precision-angles", report=1)
def all_of_the_table_in_half():
    def fn(x, ids):
        return turn(x, fp16(fp16(ids)[:, None, :, None] * fp16(W)))

    return fn


@fault("precision-frequencies", report=2, torch=True, words="off by up to 0.0037")
def buffer_cast_with_the_module():
    import torch

    class Rope(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("inv_freq", torch.tensor(W, dtype=torch.float32))

        def forward(self, x, ids):
            angle = ids[:, None, :, None].float() * self.inv_freq.float()
            a, b = x.float().chunk(2, dim=-1)
            cos, sin = angle.cos(), angle.sin()
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

    return Rope().to(torch.bfloat16)


@fault("dtype-changed", report=4, torch=True)
def float32_tables_promote():
    return lambda x, ids: torch_rope(x, ids, out=None)


@fault("precision-frequencies", report=5)
def rates_follow_half():
    return lambda x, ids: rope(x, ids, fp16(W))


@fault("precision-frequencies", report=7)
def rates_cast_in_training():
    return lambda x, ids: rope(x, ids, bf16(W))


@fault("precision-frequencies", report=8, head_dim=64)
def rates_cast_wide_head():
    return lambda x, ids: rope(x, ids, bf16(inverse_frequencies(64)))


@fault("precision-frequencies", report=10, head_dim=64)
def default_dtype_was_bfloat16():
    exponents = bf16(bf16(np.arange(0, 64, 2)) / 64)
    rates = bf16(1 / bf16(10000.0**exponents))
    return lambda x, ids: rope(x, ids, rates)


@fault("precision-positions", report=11)
def positions_in_bfloat16():
    return lambda x, ids: rope(x, bf16(ids))


@fault("precision-positions")
def positions_in_half():
    return lambda x, ids: rope(x, fp16(ids))


@fault("precision-positions", "precision-frequencies", report=13)
def arange_type_as_inv_freq():
    return lambda x, ids: rope(x, bf16(ids), bf16(W))


@fault(
    "precision-positions", "precision-frequencies", "precision-angles",
    "precision-arithmetic", report=14,
)
def all_in_bfloat16():
    def fn(x, ids):
        angle = bf16(bf16(ids)[:, None, :, None] * bf16(W))
        x = bf16(x)
        return bf16(turn(x, angle, cos=lambda a: bf16(np.cos(a)),
                         sin=lambda a: bf16(np.sin(a))))

    return fn


@fault("dtype-path-differs", report=16)
def half_kernel_is_another():
    def fn(x, ids):
        return rope(x, ids, layout="interleaved" if x.dtype == np.float16 else "half")

    return fn


@fault("dtype-path-differs", words="x in float32")
def float_kernel_is_another():
    return lambda x, ids: rope(x, ids + 3 * (x.dtype == np.float32) * (ids > 2000))


@fault("history-dtype", report=17, torch=True)
def cache_downcast_in_place():
    cache = {}

    def fn(x, ids):
        import torch

        angle = ids[:, None, :, None] * torch.tensor(W)
        if x.dtype == torch.bfloat16:
            cache["dtype"] = torch.bfloat16
        dtype = cache.get("dtype", torch.float64)
        return torch_turn(x, angle.cos().to(dtype), angle.sin().to(dtype)).to(x.dtype)

    return fn


@fault("dtype-refused", report=19, torch=True)
def cache_must_be_float32():
    def fn(x, ids):
        if x.element_size() < 4:
            raise TypeError("cos_sin_cache must have the dtype of query")
        return torch_rope(x, ids)

    return fn


@fault("precision-tables", report=20)
def cache_of_another_precision():
    def fn(x, ids):
        return turn(x, ids[:, None, :, None] * W, cos=lambda a: bf16(np.cos(a)),
                    sin=lambda a: bf16(np.sin(a))).astype(x.dtype)

    return fn


@fault("precision-angles")
def product_in_bfloat16():
    return lambda x, ids: turn(x, bf16(ids[:, None, :, None] * W))


@fault("precision-positions", torch=True)
def arange_in_the_dtype_of_x():
    return lambda x, ids: torch_rope(x, ids.to(x.dtype).double())


@fault("precision-arithmetic")
def product_in_half():
    return lambda x, ids: rope(x.astype(np.float16), ids).astype(x.dtype)


# B. Memory -----------------------------------------------------------------

DYNAMIC = {
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 300,
    "rope_scaling": {"type": "dynamic", "factor": 4.0},
}
METHOD = DynamicNTK(4.0, 300)


def dynamic(length):
    return METHOD.table(D, 1e4, int(length)).inv_freq


@fault("history-length", report=22, config=DYNAMIC)
def base_only_grows():
    longest = [1]

    def fn(x, ids):
        longest[0] = max(longest[0], ids.max() + 1)
        return rope(x, ids, dynamic(longest[0]))

    return fn


@fault("history-length", report=23, config=DYNAMIC)
def reset_never_runs():
    state = {"rates": dynamic(1)}

    def fn(x, ids):
        if ids.max() >= 300:
            state["rates"] = dynamic(ids.max() + 1)
        return rope(x, ids, state["rates"])

    return fn


@fault("scaling-static", report=25, config=DYNAMIC)
def dynamic_as_one_base():
    rates = NTKAware(4.0).table(D, 1e4).inv_freq
    return lambda x, ids: rope(x, ids, rates)


UNCLAMPED = {
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 10,
    "rope_scaling": {"type": "dynamic", "factor": 1.1}}


@fault("scaling-unclamped", report=26, config=UNCLAMPED)
def dynamic_factor_below_one():
    def fn(x, ids):
        grown = 1.1 * (ids.max() + 1) / 10 - 0.1
        return rope(x, ids, inverse_frequencies(D, 1e4 * grown ** (D / (D - 2))))

    return fn


@fault("nan-output", report=26, config=DYNAMIC)
def dynamic_factor_below_zero():
    def fn(x, ids):
        grown = 4.0 * (ids.max() + 1) / 300 - 3
        base = 1e4 * np.float64(grown) ** (D / (D - 2))
        return rope(x, ids, base ** (-np.arange(0, D, 2) / D))

    return fn


@fault("precision-positions", "history-dtype", report=29, torch=True)
def cache_made_in_the_dtype_of_x():
    cache = []

    def fn(x, ids):
        import torch

        if len(cache) < int(ids.max()) + 1:
            seq = torch.arange(int(ids.max()) + 1, dtype=x.dtype)
            cache[:] = list(seq.double()[:, None] * torch.tensor(W))
        angle = torch.stack(cache)[ids][:, None]
        return torch_turn(x, angle.cos(), angle.sin()).to(x.dtype)

    return fn


@fault("wrong-shape", report=31)
def whole_table_always():
    angle = np.arange(50)[:, None] * W
    return lambda x, ids: np.broadcast_to(x[..., :1, :], (1, 2, 50, D)) * np.tile(
        np.cos(angle), 2)


@fault("range-silent", report=32)
def table_of_eight():
    return lambda x, ids: rope(x, np.minimum(ids, 7))


@fault("range-silent", report=34, words="4096")
def table_of_4096():
    memory = np.random.default_rng(1).normal(size=(2**18, D // 2))
    memory[:4096] = np.arange(4096)[:, None] * W

    return lambda x, ids: turn(x, memory[ids][:, None]).astype(x.dtype)


YARN = {
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 4096,
    "rope_scaling": {
        "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024},
}
YARN_TABLE = YaRN(4.0, 1024).table(D, 1e4)


@fault("range-short", report=35, config=YARN)
def table_of_the_original_length():
    rates, factor = YARN_TABLE

    def fn(x, ids):
        if ids.max() >= 1024:
            raise IndexError("index out of range")
        return rope(x, ids, rates, factor=factor)

    return fn


# C. Positions --------------------------------------------------------------


@fault("positions-ignored", report=37)
def padding_ignored():
    return lambda x, ids: rope(x, counted(x))


@fault("rows-share-positions", report=38, words="positions of row 0")
def one_cache_position():
    return lambda x, ids: rope(x, np.broadcast_to(ids[:1], ids.shape))


@fault("positions-counted", report=40)
def reset_ignored():
    return lambda x, ids: rope(x, ids[:, :1] + counted(x))


@fault("positions-ignored", report=41)
def table_sliced():
    angle = np.arange(4096)[:, None] * W
    return lambda x, ids: turn(x, angle[: x.shape[2]]).astype(x.dtype)


@fault("positions-ignored", report=43)
def packed_documents():
    return lambda x, ids: rope(x, counted(x), layout="interleaved")


@fault("decode-differs", report=46)
def query_at_zero():
    return lambda x, ids: rope(x, ids * (x.shape[2] > 1))


@fault("range-silent", words="turned as position 3999")
def offset_past_the_table():
    def fn(x, offset):
        return rope(x, np.minimum(offset + np.arange(x.shape[2]), 3999)[None])

    return from_offset(fn)


@fault("length-dependent", words="63")
def far_position_changes_the_rest():
    return lambda x, ids: rope(x, ids, W / (1 + 7 * (ids.max() > 5000)))


@fault("length-dependent", words="63")
def far_neighbor_changes_the_rest():
    return lambda x, ids: rope(
        x, ids, W / (1 + 7 * (ids.max() > 5000 and ids.shape[1] > 1)))


@fault("positions-misread", words="one by one")
def far_positions_are_rolled():
    def fn(x, ids):
        return rope(x, np.roll(ids, ids.shape[1] > 2 and ids.max() > 5000, axis=-1))

    return fn


@fault("positions-counted", words="130 tokens")
def resets_ignored_in_long_texts():
    return lambda x, ids: rope(
        x, ids if x.shape[2] <= 8 else ids[:, :1] + counted(x))


@fault("positions-misread", words="130 tokens")
def ids_sorted_in_long_texts():
    return lambda x, ids: rope(
        x, ids if x.shape[2] <= 8 else np.sort(ids, -1))


@fault("rows-share-positions", words="row 0")
def rows_share_in_long_texts():
    return lambda x, ids: rope(
        x, ids if x.shape[2] <= 8 else ids[:1] + 0 * ids)


@fault("rows-mixed", words="4 rows")
def resets_ignored_in_batches():
    return lambda x, ids: rope(x, ids if x.shape[2] <= 8 or len(ids) == 1 else
                               ids[:, :1] + counted(x))


def zeros_at(where):
    """The right rotation but for zeros in a part of the result."""

    def fn(x, ids):
        y = rope(x, ids)
        y[where(x)] = 0
        return y

    return fn


@fault("batch-rows-differ", words="130 token(s)")
def other_rows_zero_in_long_texts():
    return zeros_at(lambda x: np.s_[1 if x.shape[2] > 8 else 9:])


@fault("batch-rows-differ")
def fourth_row_zero():
    return zeros_at(lambda x: np.s_[3:])


@fault("heads-differ", words="33")
def sixth_head_zero():
    return zeros_at(lambda x: np.s_[:, 5:])


@fault("range-negative", report=47, words="-1")
def minus_one_is_the_end():
    return lambda x, ids: rope(x, np.where(ids < 0, ids + 5000, ids))


@fault("range-silent", report=49)
def slice_is_clamped():
    return lambda x, ids: rope(x, np.minimum(ids, 2999))


@fault("range-silent")
def table_wraps_around():
    return lambda x, ids: rope(x, ids % 1000)


@fault("batch-rows-differ", report=50)
def single_token_kernel():
    def fn(x, ids):
        y = rope(x, ids)
        if x.shape[2] == 1:
            y[1:] = 0
        return y

    return fn


@fault("positions-ignored", report=53)
def ids_taken_for_a_length():
    def fn(x, ids):
        angle = np.arange(int(ids.max()) + 100)[:, None] * W
        return turn(x, angle[: x.shape[2]]).astype(x.dtype)

    return fn


@fault("positions-misread")
def ids_are_sorted():
    return lambda x, ids: rope(x, np.sort(ids, axis=-1))


@fault("positions-misread", words="3 to 7")
def one_too_far_after_an_offset():
    return lambda x, ids: rope(x, ids + (ids.min() > 0))


@fault("rows-mixed", words="two rows")
def rows_exchanged():
    return lambda x, ids: rope(x, ids[::-1])


@fault("rows-mixed")
def rows_reach_the_heads():
    def fn(x, ids):
        if len(ids) == 1 or x.shape[1] != len(ids):
            return rope(x, ids)
        return turn(x, ids[..., None] * W)

    return fn


@fault("call-refused")
def one_row_only():
    def fn(x, ids):
        assert len(x) == 1, "batch"
        return rope(x, ids)

    return fn


# D. Layout, heads, widths --------------------------------------------------


@fault("layout-differs", report=55, layout="interleaved", words="[0, 8, 1, 9")
def half_for_interleaved():
    return rope


@fault("key-differs", report=56, words="queries are half, keys interleaved")
def key_in_the_other_layout():
    return from_pair(lambda q, k, ids: (
        rope(q, ids), rope(k, ids, layout="interleaved")))


@fault("layout-differs", report=58, layout="half", words="[0, 2, 4")
def interleaved_for_half():
    return lambda x, ids: rope(x, ids, layout="interleaved")


@fault("layout-differs", report=59, layout="half", head_dim=6)
def not_unpermuted():
    return lambda x, ids: rope(x, ids, inverse_frequencies(6), "interleaved")


@fault("turns-over-heads", report=61, axes="sequence-first")
def heads_for_sequence():
    return lambda x, ids: turn(x, np.arange(x.shape[2])[:, None] * W)


@fault("tables-mixed", report=62)
def interleaved_table_half_rotation():
    def fn(x, ids):
        angle = np.repeat(ids[:, None, :, None] * W, 2, axis=-1)
        a, b = np.split(x, 2, axis=-1)
        return x * np.cos(angle) + np.concatenate([-b, a], -1) * np.sin(angle)

    return fn


@fault("tables-mixed")
def half_table_interleaved_rotation():
    def fn(x, ids):
        angle = np.tile(ids[:, None, :, None] * W, 2)
        partner = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
        return x * np.cos(angle) + partner * np.sin(angle)

    return fn


@fault("layout-differs", report=64, head_dim=64, config={
    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "rope_theta": 1e4,
    "rope_interleave": True})
def interleave_lost_on_export():
    return lambda x, ids: rope(x, ids, inverse_frequencies(64))


@fault("partial-for-proportional", report=65, head_dim=64, words="pair 7", config={
    "head_dim": 64, "rope_parameters": {
        "rope_type": "proportional", "rope_theta": 1e6,
        "partial_rotary_factor": 0.25}})
def partial_for_proportional():
    return lambda x, ids: rope(x, ids, inverse_frequencies(16, 1e6))


@fault("pairing-differs", report=65, words="i + 32", head_dim=64, config={
    "head_dim": 64, "rope_parameters": {
        "rope_type": "proportional", "rope_theta": 1e6,
        "partial_rotary_factor": 0.25}})
def proportional_paired_like_partial():
    return lambda x, ids: rope(x, ids, inverse_frequencies(64, 1e6)[:8])


@fault("width-differs", report=67, head_dim=80, config={
    "head_dim": 80, "rope_theta": 1e4, "partial_rotary_factor": 0.4})
def whole_head_for_phi():
    return lambda x, ids: rope(x, ids, inverse_frequencies(80))


@fault("tail-changed", report=68)
def tail_overwritten():
    def fn(x, ids):
        y = rope(x, ids, inverse_frequencies(6))
        y[..., 6:8] = 0
        return y

    return fn


@fault("tail-changed")
def tail_scaled():
    return lambda x, ids: 1.2 * rope(x, ids, inverse_frequencies(8))


@fault("key-differs", report=70, words="a key of 1 head(s)")
def one_key_head_not_turned():
    return from_pair(lambda q, k, ids: (
        rope(q, ids), k if k.shape[1] == 1 else rope(k, ids)))


@fault("key-differs", words="grouped key of 1 head(s)")
def fewer_key_heads_not_turned():
    return from_pair(lambda q, k, ids: (
        rope(q, ids), rope(k, ids) if q.shape == k.shape else k))


@fault("key-differs", words="it is the query that comes back")
def query_twice():
    return from_pair(lambda q, k, ids: (rope(q, ids), rope(q, ids)))


@fault("key-differs", words="the query depends on the key")
def key_twice():
    return from_pair(lambda q, k, ids: (rope(k, ids), rope(k, ids)))


@fault("key-differs", words="the query depends on the key")
def query_and_key_exchanged():
    return from_pair(lambda q, k, ids: (rope(k, ids), rope(q, ids)))


def other_ids(change):
    """A pair whose keys are turned by other positions than the queries."""
    return from_pair(lambda q, k, ids: (rope(q, ids), rope(k, change(k, ids))))


@fault("key-differs", words="positions from 3 on")
def key_ids_ignored():
    return other_ids(lambda k, ids: counted(k))


@fault("key-differs", words="tokens")
def key_ids_wrap():
    return other_ids(lambda k, ids: ids % 64)


@fault("key-differs", words="tokens")
def key_ids_in_half():
    return other_ids(lambda k, ids: fp16(ids))


@fault("key-differs", words="one token")
def key_decodes_at_zero():
    return other_ids(lambda k, ids: ids * (k.shape[2] > 1))


@fault("key-differs", words="resets")
def key_ids_sorted():
    return other_ids(lambda k, ids: np.sort(ids, -1))


@fault("key-differs", words="rows")
def key_rows_share():
    return other_ids(lambda k, ids: ids[:1] + 0 * ids)


@fault("key-differs", words="4096")
def key_table_ends():
    return other_ids(lambda k, ids: np.minimum(ids, 4095))


@fault("nan-output", words="key")
def key_of_nan_in_long_texts():
    return from_pair(lambda q, k, ids: (
        rope(q, ids), rope(k, ids) * (np.nan if k.shape[2] > 8 else 1)))


@fault("wrong-shape", words="grouped key")
def grouped_key_repeated():
    return from_pair(lambda q, k, ids: (rope(q, ids), np.repeat(
        rope(k, ids), q.shape[1] // k.shape[1], axis=1)))


@fault("key-differs", words="beside a grouped key")
def query_beside_fewer_keys_not_turned():
    return from_pair(lambda q, k, ids: (
        rope(q, ids) if q.shape == k.shape else q.copy(), rope(k, ids)))


@fault("key-differs", words="grouped key", axes="heads-first")
def grouped_key_ids_ignored():
    return from_pair(lambda q, k, ids: (rope(q, ids), rope(
        k, ids if q.shape == k.shape else counted(k))))


@fault("single-head-differs")
def one_head_not_turned():
    return lambda x, ids: x.copy() if x.shape[1] == 1 else rope(x, ids)


@fault("key-differs", words="apart")
def keys_with_another_base():
    return from_pair(lambda q, k, ids: (
        rope(q, ids), rope(k, ids, inverse_frequencies(D, 5e5))))


@fault("key-differs", words="m + n")
def keys_the_other_way():
    return from_pair(lambda q, k, ids: (rope(q, ids), rope(k, -ids)))


@fault("heads-differ")
def tables_broadcast_over_heads():
    def fn(x, ids):
        y = rope(x, ids)
        y[:, 2:] = rope(x, counted(x) * 0)[:, 2:]
        return y

    return fn


@fault("heads-differ", words="heads 0 and 1")
def second_head_slower():
    def fn(x, ids):
        y = rope(x, ids)
        y[:, 1::2] = rope(x, ids, W / 2)[:, 1::2]
        return y

    return fn


# E. Scaling ----------------------------------------------------------------

DEEPSEEK = {
    "head_dim": 64, "rope_theta": 1e4, "rope_scaling": {
        "type": "yarn", "factor": 40, "original_max_position_embeddings": 4096,
        "mscale": 0.707, "mscale_all_dim": 0.707}}
MISTRAL = {
    "head_dim": 64, "rope_theta": 1e6, "rope_scaling": {
        "type": "yarn", "factor": 16, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0}}
LLAMA2_64K = {
    "head_dim": 128, "rope_theta": 1e4, "rope_scaling": {
        "type": "yarn", "factor": 16, "original_max_position_embeddings": 4096}}
LLAMA31 = {
    "head_dim": 64, "rope_theta": 5e5, "rope_scaling": {
        "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
LINEAR = {
    "head_dim": D, "rope_theta": 1e4,
    "rope_scaling": {"type": "linear", "factor": 8.0}}
GEMMA3 = {
    "head_dim": D, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "rope_scaling": {"rope_type": "linear", "factor": 8.0}}


def fixed(width, base, scaling, factor=1.0):
    rates = scaling.table(width, base).inv_freq
    return lambda x, ids: rope(x, ids, rates, factor=factor)


@fault("attention-factor-differs", report=73, head_dim=64, config=DEEPSEEK,
       words="mscale")
def factor_of_mscale_all_dim_alone():
    return fixed(64, 1e4, YaRN(40, 4096), yarn_mscale(40, 0.707))


@fault("attention-factor-differs", report=76, head_dim=64, config=MISTRAL,
       words="whatever the config")
def mscale_keys_ignored():
    return fixed(64, 1e6, YaRN(16, 4096), yarn_mscale(16))


@fault("attention-factor-differs", report=77, head_dim=128, config=LLAMA2_64K,
       words="quared")
def factor_twice():
    return fixed(128, 1e4, YaRN(16, 4096), yarn_mscale(16) ** 2)


@fault("betas-swapped", report=79, head_dim=128, config=LLAMA2_64K)
def betas_exchanged():
    plain = inverse_frequencies(128)
    low = np.floor(128 * np.log(4096 / (2 * np.pi)) / (2 * np.log(1e4)))
    high = np.ceil(128 * np.log(4096 / (64 * np.pi)) / (2 * np.log(1e4)))
    ramp = np.clip((np.arange(64) - low) / (high - low), 0, 1)
    rates = plain * (1 - ramp) + plain / 16 * ramp
    return lambda x, ids: rope(x, ids, rates, factor=yarn_mscale(16))


SHORT_YARN = {
    "head_dim": 32, "rope_theta": 1e4, "rope_scaling": {
        "type": "yarn", "factor": 8, "original_max_position_embeddings": 100000}}


@fault("ramp-differs", report=80, head_dim=32, config=SHORT_YARN, words="15")
def ramp_cut_at_half_the_width():
    plain = inverse_frequencies(32)
    low = np.floor(32 * np.log(1e5 / (64 * np.pi)) / (2 * np.log(1e4)))
    ramp = np.clip((np.arange(16) - low) / (15 - low), 0, 1)
    rates = plain * (1 - ramp) + plain / 8 * ramp
    return lambda x, ids: rope(x, ids, rates, factor=yarn_mscale(8))


@fault("scaling-ignored", report=82, head_dim=64, config=LLAMA31,
       words="pair 31 turns by 3.01386e-06 rad per token, the config asks for")
def llama3_block_unused():
    return lambda x, ids: rope(x, ids, inverse_frequencies(64, 5e5))


@fault("scaling-ignored", config={
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 2**20,
    "rope_scaling": {"type": "dynamic", "factor": 4.0}}, words="2097152 tokens")
def dynamic_unused():
    return rope


@fault("scaling-ignored", config={
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 4096,
    "rope_scaling": {"type": "dynamic", "factor": 2.0}})
def dynamic_unused_past_4096():
    return rope


@fault("scaling-inverted", report=83, config=LINEAR)
def factor_upside_down():
    return lambda x, ids: rope(x, ids, W * 8)


@fault("scaling-ignored", report=85, config=GEMMA3, layer_type="full_attention")
def gemma_factor_on_no_layer():
    return lambda x, ids: rope(x, ids, inverse_frequencies(D, 1e6))


@fault("scaling-other", report=85, config=GEMMA3, layer_type="sliding_attention")
def gemma_factor_on_all_layers():
    return lambda x, ids: rope(x, ids, W / 8)


@fault("other-layer", report=86, config=GEMMA3, layer_type="sliding_attention")
def one_table_for_all_layers():
    return fixed(D, 1e6, Linear(8))


PHI = {
    "head_dim": D, "rope_theta": 1e4, "max_position_embeddings": 1600,
    "original_max_position_embeddings": 400, "rope_scaling": {
        "type": "longrope", "short_factor": [1.0 + 0.05 * i for i in range(8)],
        "long_factor": [1.0 + 2.0 * i for i in range(8)]}}
LONG = LongRoPE(
    PHI["rope_scaling"]["short_factor"], PHI["rope_scaling"]["long_factor"], 400, 4)


def longrope(length):
    rates, factor = LONG.table(D, 1e4, length=length)
    return lambda x, ids: rope(x, ids, rates, factor=factor)


@fault("switch-off-by-one", report=89, config=PHI, words="400 tokens")
def long_table_at_the_original_length():
    return lambda x, ids: longrope(400 + int(ids.max() + 1 >= 400))(x, ids)


@fault("scaling-static", report=91, config=PHI, words="long list")
def long_list_only():
    return longrope(401)


@fault("scaling-static", report=91, config=PHI)
def short_list_only():
    return longrope(400)


@fault("base-differs", config={"head_dim": D, "rope_theta": 1e6})
def default_base():
    return rope


@fault("rates-differ", config=LINEAR)
def rates_of_nobody():
    return lambda x, ids: rope(x, ids, W ** 1.1 / (1 + 0.1 * np.sin(np.arange(8))))


@fault("direction-differs", config={"head_dim": D, "rope_theta": 1e4})
def clockwise_for_a_config():
    return lambda x, ids: rope(x, -ids)


@fault("length-dependent")
def dynamic_without_a_config():
    return lambda x, ids: rope(x, ids, dynamic(ids.max() + 1))


# F. Gradients, memory of the caller, strides -------------------------------


@fault("gradient-wrong", report=97, torch=True, words="not back")
def backward_turns_on():
    return own_backward(lambda dy, ids: torch_rope(dy, ids))


@fault("gradient-wrong", report=98, torch=True, words="from 0")
def backward_forgets_the_start():
    return own_backward(lambda dy, ids: torch_rope(dy, ids[:, :1] - ids))


@fault("gradient-missing", torch=True, words="does not require grad")
def detached():
    return lambda x, ids: torch_rope(x.detach(), ids)


@fault("gradient-missing", torch=True, words="x.grad is None")
def detached_beside_a_parameter():
    def fn(x, ids):
        import torch

        learned = torch.zeros((), requires_grad=True)
        return torch_rope(x.detach(), ids) + learned.to(x.dtype)

    return fn


@fault("gradient-wrong", torch=True, words="not turned at all")
def backward_passes_through():
    return own_backward(lambda dy, ids: dy)


@fault("gradient-wrong", torch=True, words="a text: off")
def backward_of_contiguous_memory():
    return own_backward(lambda dy, ids: torch_rope(
        dy, -ids - int(dy.is_contiguous())))


@fault("gradient-wrong", torch=True, words="an expanded gradient")
def backward_of_expanded_memory():
    return own_backward(lambda dy, ids: torch_rope(dy, -ids - int(0 in dy.stride())))


@fault("gradient-wrong", report=100, torch=True, words="transposed")
def backward_reads_memory():
    def backward(dy, ids):
        import torch

        whole = torch.as_strided(dy, dy.shape, dy.contiguous().stride()) if (
            dy.untyped_storage().nbytes() >= dy.numel() * dy.element_size()
        ) else torch.zeros_like(dy)
        return torch_rope(whole, -ids)

    return own_backward(backward)


@fault("strides-matter", report=100)
def kernel_reads_memory():
    def fn(x, ids):
        flat = np.lib.stride_tricks.as_strided(
            x, x.shape, np.empty(x.shape, x.dtype).strides)
        return rope(np.array(flat), ids)

    return fn


@fault("wrong-shape", report=101, words="came back (1, 3, 2, 16)")
def axes_not_put_back():
    return lambda x, ids: rope(x, ids).swapaxes(1, 2)


@fault("input-changed", report=103)
def writes_over_x():
    def fn(x, ids):
        x[...] = rope(x, ids)
        return x

    return fn


@fault("input-changed", report=104, torch=True)
def in_place_by_default():
    return lambda x, ids: x.copy_(torch_rope(x, ids))


@fault("input-changed", words="kept")
def one_buffer_for_all_results():
    memory = np.empty(2**22)

    def fn(x, ids):
        y = memory[: x.size].reshape(x.shape)
        y[...] = rope(x, ids)
        return y if x.dtype == y.dtype else y.astype(x.dtype)

    return fn


@fault("overwritten")
def first_half_too_early():
    def fn(x, ids):
        angle, y = ids[:, None, :, None] * W, x.copy()
        a, b = y[..., :8], y[..., 8:]
        a[...] = a * np.cos(angle) - b * np.sin(angle)
        b[...] = b * np.cos(angle) + a * np.sin(angle)
        return y

    return fn


# G. Meta device, complex ---------------------------------------------------


@fault("no-rotation", report=106)
def never_filled():
    return lambda x, ids: rope(x, ids, np.zeros(8))


@fault("rates-garbage", report=106)
def filled_with_garbage():
    rates = [0.3, 1e-30, 0.7, 0.001, 0.9, 1e-5, 0.02, 0.4]
    return lambda x, ids: rope(x, ids, np.array(rates))


@fault("nan-output", report=107)
def bytes_of_another_dtype():
    rates = np.where(np.arange(8) % 2, np.nan, W)
    return lambda x, ids: rope(x, ids, rates)


@fault("nan-output", words="6% is not finite")
def one_channel_is_masked():
    return lambda x, ids: np.ma.array(
        rope(x, ids), mask=np.broadcast_to(np.arange(D) == 3, x.shape))


@fault("complex-output", report=112)
def complex_not_turned_back():
    def fn(x, ids):
        z = (x[..., :8] + 1j * x[..., 8:]) * np.exp(1j * ids[:, None, :, None] * W)
        return np.concatenate([z, z], -1)

    return fn


@fault("dtype-changed", words="float64 comes back as float32")
def narrowed():
    return lambda x, ids: rope(x, ids).astype(np.float32)


@fault("dtype-refused", report=112, torch=True, words="bfloat16")
def complex_has_no_bfloat16():
    def fn(x, ids):
        import torch

        wide = x.float() if x.dtype == torch.float16 else x
        z = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous())
        angle = (ids[:, None, :, None] * torch.tensor(W)).to(wide.dtype)
        turned = z * torch.polar(torch.ones_like(angle), angle)
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)

    return fn


@fault("range-silent", report=113, words="2304")
def ids_read_past_the_table():
    memory = np.random.default_rng(2).normal(size=(2**18, 8))
    memory[:2304] = np.arange(2304)[:, None] * W

    def fn(x, ids):
        if x.shape[2] > 2304:
            raise ValueError("sequence too long")
        return turn(x, memory[ids][:, None]).astype(x.dtype)

    return fn


@fault("ids-shared-wrong", report=115)
def one_row_for_the_first_only():
    def fn(x, ids):
        if len(ids) < len(x):
            ids = np.concatenate([ids, 0 * ids, 0 * ids])
        return rope(x, ids)

    return fn


@fault("decode-differs", report=116, head_dim=6)
def vector_read_too_far():
    def fn(x, ids):
        y = rope(x, ids, inverse_frequencies(6))
        if x.shape[2] == 1:
            y[..., -1] = 9.0
        return y

    return fn


@fault("wrong-shape", report=118, head_dim=33, words="34")
def odd_width_rounded_up():
    def fn(x, ids):
        x = np.concatenate([x, np.zeros_like(x[..., :1])], -1)
        return rope(x, ids, inverse_frequencies(34))

    return fn


@fault("raises", report=119, words="broadcast")
def made_for_another_width():
    def fn(x, ids):
        return x * np.cos(np.tile(ids[:, None, :, None] * inverse_frequencies(8), 2))

    return fn


# Slips of tutorials --------------------------------------------------------


@fault("minus-lost")
def minus_forgotten():
    def fn(x, ids):
        angle = np.tile(ids[:, None, :, None] * W, 2)
        return x * np.cos(angle) + np.roll(x, 8, -1) * np.sin(angle)

    return fn


@fault("not-in-pairs")
def rolled_by_one():
    def fn(x, ids):
        angle = np.repeat(ids[:, None, :, None] * W, 2, axis=-1)
        return x * np.cos(angle) + np.roll(x, 1, -1) * np.sin(angle)

    return fn


@fault("norm-changes")
def sine_doubled():
    return lambda x, ids: turn(
        x, ids[:, None, :, None] * W, sin=lambda a: 2 * np.sin(a))


@fault("not-in-pairs", words="position 1 keeps [0.54")
def cosine_alone():
    return lambda x, ids: x * np.cos(np.tile(ids[:, None, :, None] * W, 2))


@fault("not-in-pairs", words="channel 3 receives from channel 0")
def one_channel_leaks():
    def fn(x, ids):
        y = rope(x, ids)
        y[..., 3] += 0.1 * x[..., 0]
        return y

    return fn


@fault("not-a-turn")
def one_sine_halved():
    def fn(x, ids):
        angle, y = ids[:, None, :, None] * W, rope(x, ids)
        y[..., 8:] -= x[..., :8] * np.sin(angle) / 2
        return y

    return fn


@fault("cos-sin-swapped")
def tables_exchanged():
    return lambda x, ids: turn(x, ids[:, None, :, None] * W, cos=np.sin, sin=np.cos)


@fault("position-shifted")
def positions_from_one():
    return lambda x, ids: rope(x, ids + 1)


@fault("not-still-at-zero")
def a_phase():
    return lambda x, ids: turn(x, ids[:, None, :, None] * W + 0.3)


@fault("direction-mixed", words="pairs [2] turn")
def some_signs_lost():
    return lambda x, ids: rope(x, ids, W * np.array([1, 1, -1, 1, 1, 1, 1, 1]))


@fault("norm-changes")
def decay_as_in_xpos():
    def fn(x, ids):
        scale = ((np.arange(8) * 2 + 0.4 * D) / (1.4 * D)) ** (ids[..., None] / 512)
        return rope(x, ids) * np.tile(scale, 2)[:, None]

    return fn


@fault("norm-scaled")
def factor_without_scaling():
    return lambda x, ids: rope(x, ids, factor=1.2)


@fault("not-linear")
def normed():
    return lambda x, ids: rope(x, ids) / np.sqrt((x**2).mean(-1, keepdims=True) * D)


@fault("not-repeatable")
def counts_its_calls():
    calls = [0]

    def fn(x, ids):
        calls[0] += 1
        return rope(x, ids + calls[0])

    return fn


@fault("angle-not-linear", words="pair 0 is off by -0.99 rad, as if at 100")
def positions_by_logarithm():
    return lambda x, ids: rope(x, np.where(ids < 100, ids, 100 + np.log(
        np.maximum(ids, 100) / 100)))


@fault("not-relative", "group-broken")
def a_hole_in_the_table():
    def fn(x, ids):
        odd = (ids > 520) & (ids < 900) & (x.shape[2] == 1)
        return rope(x, np.where(odd, ids + 1, ids))

    return fn


@fault("no-array")
def returns_a_tuple():
    return lambda x, ids: (rope(x, ids), rope(x, ids))


@fault("exponent-shifted", words="2(i - 1)")
def exponent_from_one():
    return lambda x, ids: rope(x, ids, 10000.0 ** (-2 * (np.arange(8) - 1) / D))


@fault("exponent-wrong", words="i/d")
def exponent_halved():
    return lambda x, ids: rope(x, ids, 10000.0 ** (-np.arange(8) / D))


@fault("exponent-wrong", words="8 times")
def exponent_of_the_model():
    return lambda x, ids: rope(x, ids, 10000.0 ** (-2 * np.arange(8) / (8 * D)))


@fault("rates-reciprocal")
def periods_for_rates():
    return lambda x, ids: rope(x, ids, 1 / W)


@fault("rates-in-turns")
def two_pi_too_much():
    return lambda x, ids: rope(x, ids, 2 * np.pi * W)


@fault("rates-in-degrees")
def degrees():
    return lambda x, ids: rope(x, np.deg2rad(ids))


# torch helpers -------------------------------------------------------------


def torch_turn(x, cos, sin):
    import torch

    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def torch_rope(x, ids, out="same", rates=W):
    """The right rotation in torch, computed in float32 or more."""
    import torch

    wide = torch.promote_types(x.dtype, torch.float32)
    angle = ids[:, None, :, None].double() * torch.tensor(rates)
    y = torch_turn(x.to(wide), angle.cos().to(wide), angle.sin().to(wide))
    return y.to(x.dtype) if out == "same" else y


@functools.cache
def _own_backward():
    import torch

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, ids, backward):
            ctx.ids, ctx.backward = ids, backward
            return torch_rope(x, ids)

        @staticmethod
        def backward(ctx, dy):
            return ctx.backward(dy, ctx.ids), None, None

    return Own


def own_backward(backward):
    return lambda x, ids: _own_backward().apply(x, ids, backward)


__all__ = ["FAULTS", "Fault", "Llama3", "Proportional", "rope", "torch_rope"]
