"""The doctor is itself examined: with the sick, the healthy and the hostile."""

import functools
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from faulty import FAULTS, W, rope, torch_rope, turn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rope_edu import inverse_frequencies, rotate
from rope_edu.config import RopeConfig, presets
from rope_edu.doctor import (
    CODES,
    CannotAsk,
    Report,
    by_keyword,
    diagnose,
    from_offset,
    from_pair,
    from_tables,
)
from rope_edu.doctor.__main__ import main
from rope_edu.doctor.codes import PAGE, link
from rope_edu.doctor.diagnosis import TESTS
from rope_edu.doctor.naming import name_rates
from rope_edu.doctor.rounding import rounded
from rope_edu.layouts import interleaved_to_half
from rope_edu.scaling import (
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    NTKByParts,
    Proportional,
    YaRN,
)

ROOT = Path(__file__).resolve().parents[1]
HAS_TORCH = importlib.util.find_spec("torch") is not None
# What can never be tried for one NumPy function without a config.
TORCH_ONLY = {"layout", "config", "key", "grouped key"}
NUMPY_ONLY = {*TORCH_ONLY, "gradients", "row gradients", "bfloat16"}
NEEDS_TORCH = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
# Other people's packages warn of their own past.
OTHERS = pytest.mark.filterwarnings("ignore")


@functools.cache
def examined(name):
    """Examine a fault of the zoo, once."""
    fault = next(fault for fault in FAULTS if fault.name == name)
    if fault.torch and not HAS_TORCH:
        pytest.skip("torch is not installed")
    return fault, diagnose(fault.make(), fault.head_dim, **fault.options)


def words_of(report):
    return " ".join(f"{f.evidence} {f.cause}" for f in report.findings)


# The sick ------------------------------------------------------------------


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS])
def test_each_fault_is_named_and_no_other(name):
    fault, report = examined(name)
    assert set(report.codes) == fault.codes, report
    assert fault.words in words_of(report), report
    errors = {code for code in fault.codes if CODES[code].severity == "error"}
    assert report.ok == (not errors) or "dtype-changed" in errors


def test_the_zoo_is_large_enough():
    """At least 40 of the published reports have a fault here."""
    assert len({f.report for f in FAULTS} - {None}) >= 40
    assert len({f.name for f in FAULTS}) == len(FAULTS)


def test_every_code_has_its_fault():
    """A code that nothing can raise would be dead or untested."""
    assert set().union(*(fault.codes for fault in FAULTS)) == set(CODES)


@NEEDS_TORCH
def test_every_test_fails_for_some_fault():
    """A test that cannot fail would make every report look better."""
    failed = {
        check.name
        for fault in FAULTS
        for check in examined(fault.name)[1].checks if check.status == "failed"
    }
    assert failed == {name for name, *_ in TESTS}


@pytest.mark.parametrize("name", ["positions_in_bfloat16", "writes_over_x"])
def test_reports_do_not_depend_on_chance(name):
    fault, report = examined(name)
    again = diagnose(fault.make(), fault.head_dim, **fault.options)
    assert again.to_dict() == report.to_dict()


def test_evidence_has_the_numbers():
    """257 is the first whole number that bfloat16 does not hold."""
    _, report = examined("positions_in_bfloat16")
    assert "position 257: pair 0 is off by -1 rad" in report.findings[0].evidence
    _, report = examined("table_of_4096")
    assert "position 4096 is off by" in report.findings[0].evidence
    _, report = examined("slice_is_clamped")
    assert "turned as position 2999" in report.findings[0].evidence


@pytest.mark.parametrize("name", [
    "rates_cast_in_training", "rates_follow_half", "positions_in_bfloat16",
    "product_in_bfloat16", "all_in_bfloat16", "all_of_the_table_in_half",
])
def test_rounded_rates_still_have_their_base(name):
    _, report = examined(name)
    assert report.convention["base"] == 10000


def test_what_depends_on_a_failed_test_is_not_tested():
    _, report = examined("padding_ignored")
    assert report.not_tested["decode"] == "needs positions"
    assert "range" in report.not_tested
    tested = [c.name for c in report.checks if c.status == "passed"]
    assert "angles" in tested and "heads" in tested


def test_advice_fits_the_layout():
    """P in the report turns one layout into the other."""
    _, report = examined("half_for_interleaved")
    order = re.search(r"P = (\[.*?\])", report.findings[0].evidence)[1]
    assert json.loads(order) == np.ravel([(i, i + 8) for i in range(8)]).tolist()
    x = np.arange(16.0)
    report = diagnose(lambda x, ids: rope(x, ids, layout="interleaved"), 16)
    order = report.convention["order_to_half"]
    assert (x[order] == interleaved_to_half(x)).all()


# The healthy ---------------------------------------------------------------


def reference(rates, layout, factor=1.0, sign=1):
    """The reference of the package, in the dtype of x."""

    def fn(x, ids):
        width = 2 * len(rates)
        y = rotate(x, sign * ids[:, None], rates, layout, width)
        y[..., :width] *= factor
        return y.astype(x.dtype)

    return fn


def config_rope(config, layout="half"):
    """A rotation that follows a config at every length."""

    def fn(x, ids):
        rates, factor = config.table(length=max(int(ids.max()) + 1, 1))
        return reference(rates, layout, factor)(x, ids)

    return fn


LLAMA3 = Llama3(8.0, 1.0, 4.0, 8192)
YARN = YaRN(4.0, 32768)
LONG = LongRoPE(np.linspace(1, 2, 8), np.linspace(1, 40, 8), 500, 4)
RIGHT = {
    "half": (reference(W, "half"), 16, None),
    "interleaved": (reference(W, "interleaved"), 16, None),
    "half, -theta": (reference(W, "half", sign=-1), 16, None),
    "interleaved, -theta": (reference(W, "interleaved", sign=-1), 16, None),
    "partial": (reference(inverse_frequencies(32), "half"), 80, None),
    "partial, interleaved": (reference(W, "interleaved"), 64, None),
    "proportional": (
        reference(Proportional(0.25).table(64, 1e6)[0], "half"), 64,
        RopeConfig(64, 64, 1e6, Proportional(0.25))),
    "linear": (reference(W / 8, "half"), 16, RopeConfig(16, 16, 1e4, Linear(8))),
    "YaRN": (
        reference(YARN.table(64, 1e6)[0], "half", YARN.table(64, 1e6)[1]), 64,
        RopeConfig(64, 64, 1e6, YARN)),
    "Llama 3": (
        reference(LLAMA3.table(64, 5e5)[0], "interleaved"), 64,
        RopeConfig(64, 64, 5e5, LLAMA3, "interleaved")),
    "dynamic": (
        config_rope(RopeConfig(16, 16, 1e4, DynamicNTK(4, 300))), 16,
        RopeConfig(16, 16, 1e4, DynamicNTK(4, 300))),
    "LongRoPE": (
        config_rope(RopeConfig(16, 16, 1e4, LONG)), 16,
        RopeConfig(16, 16, 1e4, LONG)),
    "dynamic, of long texts": (
        config_rope(RopeConfig(16, 16, 1e4, DynamicNTK(2, 10000))), 16,
        RopeConfig(16, 16, 1e4, DynamicNTK(2, 10000))),
    "partial YaRN": (
        reference(YARN.table(32, 1e6)[0], "half", YARN.table(32, 1e6)[1]), 64,
        RopeConfig(64, 32, 1e6, YARN)),
    "one pair": (reference(W[:1], "half"), 2, None),
    "odd head": (reference(W, "half"), 33, None),
}


INTERLEAVED = {
    "interleaved", "interleaved, -theta", "partial, interleaved", "Llama 3"}


@pytest.mark.parametrize("name", RIGHT)
def test_right_ones_are_clean(name):
    fn, head_dim, config = RIGHT[name]
    report = diagnose(fn, head_dim, config)
    assert (report.codes, report.findings) == ([], ()), report
    layout = "interleaved" if name in INTERLEAVED else "half"
    assert report.convention["layout"] == ("either" if head_dim == 2 else layout)
    asked = {"config"} if config else set()
    asked |= {"layout"} if config and config.layout else set()
    assert set(report.not_tested) == NUMPY_ONLY - asked
    if config:
        rates = config.table(length=1).inv_freq
        rates = rates[rates > 0]
        # Angles of a longest text of 2303 tokens are good to 1e-12.
        np.testing.assert_allclose(report.convention["inv_freq"], rates, 1e-11)


@pytest.mark.parametrize("name", list(presets())[::4])
def test_models_are_recognized_without_their_config(name):
    """Base and scaling come out of the numbers alone."""
    config = presets()[name]
    report = diagnose(config_rope(config), config.head_dim)
    assert report.codes == []
    assert report.convention["base"] == config.base
    assert report.convention["scaling"] == type(config.scaling).__name__


@settings(max_examples=25, deadline=None)
@given(
    pairs=st.integers(3, 24),
    extra=st.integers(0, 7),
    layout=st.sampled_from(("half", "interleaved")),
    sign=st.sampled_from((1, -1)),
    power=st.floats(3.5, 7.0),
    divisor=st.sampled_from((1.0, 2.0, 7.5, 32.0)),
)
# For five pairs the base 4,160,000 is NTK-aware by 16 from a known base.
@example(pairs=5, extra=0, layout="half", sign=1, power=6.619140625, divisor=1.0)
def test_the_convention_is_recovered(pairs, extra, layout, sign, power, divisor):
    """Whatever the width, layout, direction, base and divisor."""
    base = float(f"{10**power:.3g}")
    rates = inverse_frequencies(2 * pairs, base) / divisor
    report = diagnose(reference(rates, layout, sign=sign), 2 * pairs + extra)
    found = report.convention
    assert report.codes == []
    assert (found["layout"], found["rotary_dim"]) == (layout, 2 * pairs)
    assert found["direction"] == ("+" if sign > 0 else "-")
    np.testing.assert_allclose(found["inv_freq"], rates, 1e-11)
    assert found["base"] == pytest.approx(base, rel=1e-6)
    scaling = "no scaling" if divisor == 1 else f"Linear(factor={divisor})"
    assert found["rates"].endswith(scaling)


def test_other_pairings_are_printed():
    """Channel i with d - 1 - i; and a rotation of the last channels."""
    order = np.r_[0:8, 15:7:-1]

    def mirrored(x, ids):
        y = x.copy()
        y[..., order] = rope(x[..., order], ids)
        return y

    report = diagnose(mirrored, 16)
    assert report.codes == [] and report.convention["layout"] == "other"
    assert report.convention["pairs"][1].tolist() == [1, 14]
    assert "(0, 15)" in str(report)

    def last(x, ids):
        return np.concatenate([x[..., :16], rope(x[..., 16:], ids)], axis=-1)

    report = diagnose(last, 32)
    assert report.codes == [] and report.convention["first_channel"] == 16
    order = report.convention["order_to_interleaved"]
    assert sorted(order) == list(range(32))
    assert order[16:20].tolist() == [16, 24, 17, 25]


def test_reading_neighbors_and_writing_halves_is_no_fault():
    """DeepSeek's code does so for query and key alike."""

    def fn(x, ids):
        return interleaved_to_half(rope(x, ids, layout="interleaved"))

    report = diagnose(fn, 16, layout="interleaved")
    assert report.codes == []
    assert "nothing is turned, but channels change their place" in str(report)
    assert "position 0 does not leave x" in report.not_tested["group law"]
    stored = report.convention["stored_at"]
    assert stored.tolist() == [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]


def test_axes_and_positions_are_found_out():
    """The sequence before the heads; positions with an axis for the heads."""

    def heads_last(x, ids):
        assert x.shape[1] == ids.shape[1]
        return rope(x.swapaxes(1, 2), ids).swapaxes(1, 2)

    report = diagnose(heads_last, 16)
    assert report.codes == []
    assert report.convention["axes"] == "sequence-first"
    report = diagnose(lambda x, ids: turn(x, ids[..., None] * W), 16)
    assert report.convention["position_ids"] == "batch"  # fits for one row
    assert report.codes == ["call-refused"]
    strict = diagnose(lambda x, ids: rotate(x, ids, W, "half"), 16)
    assert strict.convention["position_ids"] == "grid" and strict.codes == []

    def flat(x, ids):
        assert ids.ndim == 1
        return rope(x, ids[None])

    report = diagnose(flat, 16)
    assert report.codes == [] and report.convention["position_ids"] == "flat"
    assert report.not_tested["rows"] == "takes position_ids of shape (sequence,)"


def test_numpy_promotes_without_reproach():
    """The reference returns float64: a note, as NumPy's own rules do it."""
    report = diagnose(lambda x, ids: rotate(x, ids[:, None], W), 16)
    assert report.ok and report.codes == []
    assert [f.severity for f in report.findings] == ["note"]


def test_a_refused_position_is_no_fault():
    """A table may end, if it says so; the report tells where."""
    table = np.arange(1000)[:, None] * W

    def fn(x, ids):
        if ids.min() < 0:
            raise IndexError("negative")
        return turn(x, table[ids][:, None]).astype(x.dtype)

    report = diagnose(fn, 16)
    assert report.codes == []
    assert report.convention["refuses_position"] == 1000
    assert report.convention["refuses_text_of"].startswith("2304: IndexError")


def test_shared_positions_may_be_refused():
    def fn(x, ids):
        if len(ids) != len(x):
            raise ValueError("one row of positions for each row of x")
        return rope(x, ids)

    report = diagnose(fn, 16)
    assert report.codes == []
    assert report.not_tested["shared ids"].startswith("refused: ValueError")

    def cut(x, ids):
        return rope(x[: len(ids)], ids)

    assert diagnose(cut, 16).codes == ["wrong-shape"]


def test_a_longer_table_is_used_up_to_its_end():
    """The rates are measured on what there is."""
    table = np.arange(5000)[:, None] * W
    report = diagnose(lambda x, ids: turn(x, table[ids][:, None]).astype(x.dtype), 16)
    assert report.codes == ["range-negative"]
    assert "turned as position 4999" in report.findings[0].evidence
    assert report.convention["refuses_position"] == 5000


def test_what_a_config_promises_beyond_the_question_is_said():
    config = {"head_dim": 16, "rope_theta": 1e4, "max_position_embeddings": 10**6}
    report = diagnose(rope, 16, config)
    assert report.codes == []
    assert "131072 are right; 1000000 are promised" in str(report)
    report = diagnose(rope, 16, {**config, "max_position_embeddings": 4096})
    assert "promised" not in str(report)


# torch ---------------------------------------------------------------------


def float32_rope(layout="half", rates=W):
    """What models run: everything in float32, in the dtype of x again."""
    import torch

    rates = torch.tensor(rates, dtype=torch.float32)

    def fn(x, ids):
        angle = ids[:, None, :, None].float() * rates
        cos, sin = angle.cos(), angle.sin()
        if layout == "half":
            a, b = x.float().chunk(2, dim=-1)
        else:
            a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        turned = (a * cos - b * sin, b * cos + a * sin)
        if layout == "half":
            return torch.cat(turned, dim=-1).to(x.dtype)
        return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)

    return fn


@NEEDS_TORCH
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_float32_torch_is_clean(layout):
    report = diagnose(float32_rope(layout), 16, layout=layout)
    assert (report.codes, report.findings) == ([], ()), report
    assert set(report.not_tested) == TORCH_ONLY - {"layout"}
    assert report.convention["precision"] == "angles as in float32"
    assert report.convention["base"] == 10000
    # Rates are rounded to float32, half a unit in the last place, and their
    # measured angles once more.
    np.testing.assert_allclose(report.convention["inv_freq"], W, 3e-7)


@NEEDS_TORCH
def test_slow_rates_are_measured_with_a_long_lever():
    """Positions to 65,536 give the slowest of 1e-6 rad seven digits."""
    rates = inverse_frequencies(64, 1e6)
    report = diagnose(float32_rope(rates=rates), 64)
    np.testing.assert_allclose(report.convention["inv_freq"], rates, 1e-6)


@NEEDS_TORCH
def test_a_kernel_may_lack_float64():
    def fn(x, ids):
        if x.element_size() == 8:
            raise RuntimeError("expected float32")
        return torch_rope(x, ids)

    report = diagnose(fn, 16)
    assert report.codes == [] and report.convention["dtype"] == "float32"
    assert report.not_tested["float64"] == "refused: RuntimeError: expected float32"


@NEEDS_TORCH
def test_double_torch_is_clean():
    report = diagnose(torch_rope, 16)
    assert report.codes == [] and set(report.not_tested) == TORCH_ONLY


@NEEDS_TORCH
def test_a_module_is_a_callable():
    import torch

    class Rope(torch.nn.Module):
        def forward(self, x, ids):
            return torch_rope(x, ids)

    report = diagnose(Rope(), 16)
    assert report.codes == [] and report.convention["backend"] == "torch"


@NEEDS_TORCH
def test_rounding_is_that_of_torch():
    """Also ties, subnormals and what overflows."""
    import torch

    sizes = 10.0 ** np.arange(-20, 20).repeat(25)
    x = np.random.default_rng(0).normal(size=1000) * sizes
    edges = [2049, 65519, 65520, 1e-7, 0, 3e38, -65520]
    x = np.concatenate([x, np.arange(250, 270), edges])
    for dtype in ("bfloat16", "float16"):
        theirs = torch.tensor(x, dtype=torch.float32).to(getattr(torch, dtype))
        ours = rounded(x.astype(np.float32), dtype)
        np.testing.assert_array_equal(ours, theirs.double().numpy())


@NEEDS_TORCH
def test_the_dtypes_can_be_chosen():
    report = diagnose(torch_rope, 16, dtypes=["float32"])
    assert report.not_tested["bfloat16"] == "not among the dtypes asked for"
    assert report.convention["precision"]


def llama_of_transformers(**config):
    """The rotation of transformers' Llama, query and key."""
    pytest.importorskip("transformers")
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama as llama

    made = llama.LlamaRotaryEmbedding(LlamaConfig(
        head_dim=64, hidden_size=256, num_attention_heads=4, **config))

    def fn(q, k, ids):
        return llama.apply_rotary_pos_emb(q, k, *made(q, ids))

    return from_pair(fn)


LLAMAS = {
    "default": {"rope_type": "default", "rope_theta": 1e4},
    "llama3": {
        "rope_type": "llama3", "rope_theta": 5e5, "factor": 32.0,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192},
    "yarn": {
        "rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0,
        "original_max_position_embeddings": 32768},
}


@OTHERS
@pytest.mark.parametrize("name", LLAMAS)
def test_transformers_is_clean(name):
    rule = LLAMAS[name]
    fn = llama_of_transformers(max_position_embeddings=131072, rope_parameters=rule)
    config = {"head_dim": 64, "rope_parameters": rule}
    report = diagnose(fn, 64, config, layout="half")
    assert (report.codes, report.not_tested) == ([], {}), report


@OTHERS
def test_transformers_dynamic_keeps_the_longest_base():
    """Report 22, in transformers 5.24: found in the wild, and named."""
    rule = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    own = {"max_position_embeddings": 2048, "rope_parameters": rule}
    report = diagnose(llama_of_transformers(**own), 64, {"head_dim": 64, **own})
    assert report.codes == ["history-length"]
    assert "2049 tokens gets the rates for 4096" in report.findings[0].evidence


@OTHERS
def test_rotary_embedding_torch_is_clean_in_float32():
    """In fewer bits it counts positions in them, and keeps them: report 29."""
    package = pytest.importorskip("rotary_embedding_torch")

    def asked(**how):
        made = package.RotaryEmbedding(64)
        return diagnose(from_offset(
            lambda x, offset: made.rotate_queries_or_keys(x, offset=offset)
        ), 64, **how)

    report = asked(dtypes=["float64", "float32"], layout="interleaved")
    assert report.codes == []
    assert report.not_tested["order"] == "takes one offset, and counts up from it"
    assert asked().codes == ["precision-positions", "history-dtype"]


def torchtune_rope():
    """Its one file, without what the package imports beside it."""
    spec = importlib.util.find_spec("torchtune")
    if spec is None:
        pytest.skip("torchtune is not installed")
    path = Path(spec.submodule_search_locations[0]) / "modules/position_embeddings.py"
    spec = importlib.util.spec_from_file_location("torchtune_rope", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RotaryPositionalEmbeddings


@OTHERS
def test_torchtune_is_clean_but_for_minus_one():
    """Report 47: an index of -1 reads the end of its table."""
    report = diagnose(by_keyword(torchtune_rope()(64), "input_pos"), 64)
    assert report.ok and report.codes == ["range-negative"]
    assert "turned as position 4095" in report.findings[0].evidence
    assert report.convention["refuses_position"] == 4096
    assert report.convention["layout"] == "interleaved"


# Adapters ------------------------------------------------------------------


def test_tables_are_adapted():
    def tables(x, ids):
        angle = np.tile(ids[:, None, :, None] * W, 2)
        return np.cos(angle), np.sin(angle)

    def apply(x, cos, sin):
        a, b = np.split(x, 2, axis=-1)
        return (x * cos + np.concatenate([-b, a], -1) * sin).astype(x.dtype)

    assert diagnose(from_tables(apply, tables), 16).codes == []


def test_pairs_are_adapted():
    report = diagnose(from_pair(lambda q, k, ids: (rope(q, ids), rope(k, ids))), 16)
    assert report.codes == [] and "key" not in report.not_tested

    def heads_equal(q, k, ids):
        assert q.shape == k.shape
        return rope(q, ids), rope(k, ids)

    report = diagnose(from_pair(heads_equal), 16)
    assert report.codes == [] and "refused" in report.not_tested["grouped key"]


def test_offsets_are_adapted():
    def fn(x, offset):
        return rope(x, offset + np.arange(x.shape[2])[None])

    report = diagnose(from_offset(fn), 16)
    assert report.codes == []
    assert {"order", "rows", "row gradients"} <= set(report.not_tested)


def test_an_adapter_may_decline():
    def fn(x, ids):
        if len(x) > 1:
            raise CannotAsk("one row at a time")
        return rope(x, ids)

    report = diagnose(fn, 16)
    assert report.codes == []
    assert report.not_tested["batch"] == "one row at a time"


# The hostile ---------------------------------------------------------------


def leave(*_):
    sys.exit(3)


def fail(*_):
    raise RecursionError("deep\n" * 1000)


def change_ids(y, x, ids):
    ids[...] = 0
    return y


HOSTILE = {
    "raises": (fail, {"raises", "call-refused"}),
    "exits": (leave, {"raises", "call-refused"}),
    "None": (lambda *_: None, {"no-array"}),
    "a list": (lambda y, *_: y.tolist(), {"no-array"}),
    "a number": (lambda *_: np.float64(3), {"no-array", "wrong-shape"}),
    "one channel": (lambda y, *_: y[..., :1], {"wrong-shape"}),
    "no rows": (lambda y, *_: y[:0], {"wrong-shape"}),
    "NaN": (lambda y, *_: y * np.nan, {"nan-output"}),
    "infinity": (lambda y, *_: y * 1e308 * 10, {"nan-output"}),
    "complex": (lambda y, *_: y + 0j, {"complex-output"}),
    "text": (lambda y, *_: y.astype(str), {"no-array"}),
    "objects": (lambda y, *_: y.astype(object), {"no-array"}),
    "whole numbers": (lambda y, *_: y.astype(int), {"no-array"}),
    "bools": (lambda y, *_: y > 0, {"no-array"}),
    "zeros": (lambda y, *_: 0 * y, None),
    "noise": (lambda y, *_: np.random.normal(size=y.shape), None),
    "ids changed": (change_ids, {"input-changed"}),
}
WHEN = {
    "always": lambda x, ids: True,
    "texts of 8": lambda x, ids: x.shape[2] == 8,
    "single tokens": lambda x, ids: x.shape[2] == 1,
    "long texts": lambda x, ids: x.shape[2] > 60,
    "batches": lambda x, ids: x.shape[0] > 1,
    "few bits": lambda x, ids: x.dtype == np.float16,
}


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_callables_get_a_report(how, when):
    """A finding each time, never a crash, and JSON that can be read."""
    spoil, codes = HOSTILE[how]

    def fn(x, ids):
        y = rope(x, ids)
        return spoil(y, x, ids) if WHEN[when](x, ids) else y

    config = {"head_dim": 16, "rope_theta": 1e4}
    report = diagnose(fn, 16, config, backend="numpy")
    assert report.codes
    if codes and when != "few bits":
        assert set(report.codes) & codes, report
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert str(report)


def test_masked_arrays_are_arrays():
    assert diagnose(lambda x, ids: np.ma.array(rope(x, ids)), 16).codes == []


def test_warnings_of_the_callable_are_its_own():
    """They do not reach the caller, nor become errors there."""
    import warnings

    def fn(x, ids):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return rope(x, ids) + 0 * np.log(np.zeros(1) + 1)

    assert diagnose(fn, 16).codes == []


def test_nothing_is_fine_that_was_not_tried():
    """Each test is passed, failed, or not tested with a reason."""
    for fn in (lambda x, ids: None, lambda x, ids: x, rope):
        report = diagnose(fn, 16, backend="numpy")
        assert [c.name for c in report.checks] == [name for name, *_ in TESTS]
        for check in report.checks:
            assert check.status in ("passed", "failed", "not tested")
            assert check.detail
            assert (check.name in str(report)) and check.detail in str(report)


# Bad questions -------------------------------------------------------------

V, T = ValueError, TypeError
BAD = [
    (lambda: diagnose(None, 8), T, "fn must be callable.*None"),
    (lambda: diagnose(rope, 8.0), T, "head_dim must be an integer, got 8.0"),
    (lambda: diagnose(rope, True), T, "head_dim must be an integer"),
    (lambda: diagnose(rope, 1), V, "head_dim must be at least 2, got 1"),
    (lambda: diagnose(rope, 0), V, "head_dim must be positive, got 0"),
    (lambda: diagnose(rope, 8, axes="bhsd"), V, "axes must be 'heads-first'"),
    (lambda: diagnose(rope, 8, backend="jax"), V, "backend must be 'numpy'"),
    (lambda: diagnose(rope, 8, layout="neox"), V, "layout must be 'interleaved'"),
    (lambda: diagnose(rope, 8, dtypes="float32"), T, "dtypes must be a list"),
    (lambda: diagnose(rope, 8, dtypes=["int8"]), V, "dtypes must be 'float64'"),
    (lambda: diagnose(rope, 8, max_position=10), V, "max_position.*64.*10"),
    (lambda: diagnose(rope, 8, max_position="10"), T, "max_position.*integer"),
    (lambda: diagnose(rope, 8, "config.json"), T, "config must be a RopeConfig"),
    (lambda: diagnose(rope, 8, {"head_dim": 16, "rope_theta": 1e4}), V,
     "head_dim must be that of the config, 16, got 8"),
    (lambda: diagnose(rope, 8, {"head_dim": 8}), V, "rope_theta is missing"),
    (lambda: diagnose(rope, 8, {"head_dim": 8, "rope_theta": 1e4},
                      layer_type="full"), V, "layer_type must be"),
]


@pytest.mark.parametrize("call, error, message", BAD)
def test_bad_questions_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


# The command line ----------------------------------------------------------


def test_exit_status_is_that_of_the_report(capsys):
    assert main(["faulty:counted", "--head-dim", "16"]) == 1
    assert "ERROR raises" in capsys.readouterr().out  # it takes x alone
    target = ["test_doctor:RIGHT_ONE", "--head-dim", "16"]
    assert main(target) == 0
    assert "base 10000, no scaling" in capsys.readouterr().out
    assert main([*target, "--strict"]) == 1  # not everything could be tried
    capsys.readouterr()


RIGHT_ONE = RIGHT["half"][0]


def NOISY(x, ids):
    print("a line of its own")
    return RIGHT_ONE(x, ids)


def PAIR(q, k, ids):
    return rope(q, ids), k


def SEQUENCE_FIRST_PAIR(q, k, ids):
    assert q.shape[2] == 2 * k.shape[2] or q.shape == k.shape
    return tuple(rope(x.swapaxes(1, 2), ids).swapaxes(1, 2) for x in (q, k))


def test_json_has_a_stable_form(capsys):
    assert main(["test_doctor:NOISY", "--head-dim", "16", "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert "a line of its own" in err
    assert set(told) == {
        "schema", "name", "head_dim", "ok", "convention", "findings", "checks"}
    assert told["schema"] == 1 and told["name"] == "test_doctor:NOISY"
    assert {
        "backend", "dtype", "axes", "position_ids", "layout", "rotary_dim",
        "paired_over", "first_channel", "precision", "direction", "inv_freq",
        "attention_factor", "rates", "base", "scaling",
    } <= set(told["convention"])
    assert set(told["checks"][0]) == {"name", "status", "detail"}
    np.testing.assert_allclose(told["convention"]["inv_freq"], W, 1e-12)


def test_json_of_findings(capsys):
    arguments = ["test_doctor:PAIR", "--head-dim", "16", "--signature", "pair"]
    assert main([*arguments, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [f["code"] for f in told["findings"]] == ["key-differs"]
    assert set(told["findings"][0]) == {
        "code", "severity", "title", "evidence", "cause", "remedy", "link"}


def test_pairs_may_have_the_sequence_first(capsys):
    target = ["test_doctor:SEQUENCE_FIRST_PAIR", "--head-dim", "16"]
    more = ["--signature", "pair", "--axes", "sequence-first", "--json"]
    assert main([*target, *more]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert {"name": "grouped key", "status": "passed", "detail":
            "turned as the query is, with half as many heads"} in checks


def test_offsets_on_the_command_line(capsys):
    more = ["--signature", "offset", "--dtypes", "float64,float32"]
    assert main(["test_doctor:OFFSET", "--head-dim", "16", *more]) == 0
    assert "takes one offset" in capsys.readouterr().out


def OFFSET(x, offset):
    return rope(x, offset + np.arange(x.shape[2])[None])


def test_torch_may_be_missing(monkeypatch):
    monkeypatch.setattr("rope_edu.doctor.diagnosis.has_torch", lambda: False)
    with pytest.raises(ValueError, match="'torch', which is not installed"):
        diagnose(rope, 16, backend="torch")


def test_config_is_read_from_a_file(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"head_dim": 16, "rope_theta": 5e5}), "utf-8")
    asked = ["test_doctor:RIGHT_ONE", "--head-dim", "16", "--config", str(path)]
    assert main(asked) == 1
    assert "ERROR base-differs" in capsys.readouterr().out
    path.write_text("{", "utf-8")
    assert main(asked) == 2
    assert "config" in capsys.readouterr().err


@pytest.mark.parametrize("target", [
    "faulty", "faulty:", ":rope", "faulty:nothing", "no_such_module:f",
    "faulty:W",
])
def test_bad_targets_are_refused(target, capsys):
    assert main([target, "--head-dim", "16"]) == 2
    out, err = capsys.readouterr()
    assert not out and err.startswith("python -m rope_edu.doctor: ")


def test_numpy_alone_is_enough():
    """A NumPy callable is examined without torch being imported."""
    code = (
        "import sys; from rope_edu.doctor.__main__ import main;"
        "status = main(['faulty:rope', '--head-dim', '16']);"
        "assert 'torch' not in sys.modules; sys.exit(status)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True,
        text=True, check=False,
    )
    assert run.returncode == 0, run.stderr


# Names and places ----------------------------------------------------------


@pytest.mark.parametrize("scaling", [
    Linear(4.0), NTKAware(8.0), LLAMA3, YARN, YaRN(32.0, 4096, truncate=False),
    NTKByParts(16.0, 4096), Llama3(16.0, 1.0, 1.0, 8192), Proportional(0.5),
])
def test_scalings_are_named(scaling):
    rates, _ = scaling.table(128, 5e5)
    rates = rates[rates > 0]
    name = name_rates(rates, 128, 128, np.full(len(rates), 2e-6))
    assert name.base == 5e5 and name.scaling == scaling


def test_a_config_may_ask_for_what_looks_wrong():
    """A base of 100 is a slip, unless a config says so."""
    fn = reference(inverse_frequencies(16, 100), "half")
    assert diagnose(fn, 16).codes == ["exponent-wrong"]
    report = diagnose(fn, 16, {"head_dim": 16, "rope_theta": 100.0})
    assert report.codes == [] and report.convention["base"] == 100


def test_a_slip_is_named_once():
    """Not also as another base, where there is a config."""
    rates = 10000.0 ** (-2 * (np.arange(8) - 1) / 16)
    config = {"head_dim": 16, "rope_theta": 1e4}
    report = diagnose(reference(rates, "half"), 16, config)
    assert report.codes == ["exponent-shifted"]


def test_few_pairs_prove_no_formula():
    """One rate fits any base, two fit any base and divisor."""
    for rates, base in (([0.5], None), ([0.3, 0.01], None), ([1.0, 0.01], 1e4)):
        report = diagnose(reference(np.array(rates), "half"), 4)
        assert report.codes == [] and report.convention["base"] == base


def test_a_first_pair_at_rest_is_not_proportional():
    """There the last pairs stand still."""
    rates = np.array([0, 0.1, 0.01, 0.001])
    for layout in ("half", "interleaved"):
        report = diagnose(reference(rates, layout), 8)
        assert report.codes == [] and report.convention["base"] == 1e4
        assert report.convention["scaling"] is None
        assert report.convention["rates"] == (
            "base 10000, no scaling, but the first 1 of 4 pairs stands still")


def test_round_rates_are_not_rounded_ones():
    """1 and 0.75 are exact in bfloat16, and in fewer bits as well."""
    for rates in ([1, 1], [1, 0.75]):
        assert diagnose(reference(np.array(rates), "half"), 4).codes == []


def test_unknown_rates_get_no_name():
    """Divisors that fit no formula: LongRoPE's lists look like this."""
    rates = W / np.linspace(1, 9, 8) ** 1.3
    assert name_rates(rates, 16, 16, np.full(8, 2e-6)) is None
    report = diagnose(reference(rates, "half"), 16)
    assert report.codes == [] and report.convention["base"] is None


def test_every_code_has_a_place_in_the_book():
    """Checked once the chapter is there."""
    source = ROOT / PAGE.replace(".html", ".md")
    if not source.exists():
        pytest.skip(f"{source.name} is not written yet")
    text = source.read_text("utf-8")
    for code in CODES:
        assert f"({link(code).split('#')[1]})=" in text, code


def test_report_is_for_people():
    _, report = examined("betas_exchanged")
    text = str(report)
    for word in ("Convention", "seen", "cause", "remedy", "read", "Not tested"):
        assert word in text
    assert isinstance(report, Report) and not report.ok


def test_report_counts():
    """The numbers in the text are those of the report."""
    for name, found in (
        ("writes_over_x", "1 error"), ("all_in_bfloat16", "4 errors"),
        ("minus_one_is_the_end", "1 warning"), ("narrowed", "1 warning"),
    ):
        _, report = examined(name)
        tested = len(report.checks) - len(report.not_tested)
        line = f"Found: {found} in {tested} of {len(report.checks)} tests"
        assert line in str(report)
        for status in ("passed", "failed", "not tested"):
            count = sum(c.status == status for c in report.checks)
            assert f"\n{status.capitalize()} ({count})\n" in str(report)


def test_long_lists_are_cut_in_the_text_alone():
    report = diagnose(reference(inverse_frequencies(32), "half"), 32)
    assert "[1, 0.562341, 0.316228, 0.177828, 0.1, ..., 0.000" in str(report)
    assert len(report.to_dict()["convention"]["inv_freq"]) == 16
    report = diagnose(reference(W, "half"), 16)
    assert "..., " not in str(report).split("inv_freq")[1].split("\n")[0]
