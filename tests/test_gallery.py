"""The gallery of bugs: each is what it says, and is named rightly."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rope_edu import gallery, inverse_frequencies
from rope_edu.doctor import CODES, diagnose
from rope_edu.doctor.rounding import rounded
from rope_edu.figures import precision
from rope_edu.gallery import BUGS

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "notebooks" / "13-when-it-goes-wrong.md"
TRAPS = json.loads((HERE / "data" / "low_precision_traps.json").read_text("utf-8"))

# What each stands for, written down apart from the code.
NAMED = {
    "other-layout": "layout-differs",
    "mixed-tables": "tables-mixed",
    "other-way-keys": "key-differs",
    "query-heads-for-keys": "key-differs",
    "one-key-head": "key-differs",
    "over-heads": "turns-over-heads",
    "bf16-positions": "precision-positions",
    "half-frequencies": "precision-frequencies",
    "ids-ignored": "positions-ignored",
    "resets-ignored": "positions-counted",
    "shared-row": "rows-share-positions",
    "decode-at-zero": "decode-differs",
    "step-minus-one": "range-negative",
    "table-ends": "range-silent",
    "rows-of-zeros": "batch-rows-differ",
    "tail-overwritten": "tail-changed",
    "other-layer": "other-layer",
    "factor-upside-down": "scaling-inverted",
    "factor-not-due": "attention-factor-differs",
    "never-reset": "history-length",
    "in-place": "input-changed",
}
UNSEEN = {"ids-ignored", "resets-ignored", "shared-row", "decode-at-zero",
          "step-minus-one", "rows-of-zeros", "never-reset", "in-place"}
AT_ZERO = {"query-heads-for-keys", "tail-overwritten", "factor-not-due"}
LATE = {"bf16-positions": 257, "table-ends": 4096}
NORMS = {"mixed-tables", "tail-overwritten", "factor-not-due"}
NOT_RELATIVE = {"mixed-tables", "other-way-keys", "one-key-head", "bf16-positions",
                "table-ends", "never-reset"}


@pytest.mark.parametrize("name", BUGS)
def test_the_doctor_names_each_bug_and_no_other(name):
    assert BUGS[name].diagnose().codes == [NAMED[name]]


@pytest.mark.parametrize("name", BUGS)
def test_what_was_wanted_is_in_order(name):
    """The finding is due to the line that was changed, not to the question."""
    bug = BUGS[name]
    assert diagnose(bug.wanted, 8, **bug.options).codes == []


@pytest.mark.parametrize("name", BUGS)
def test_symptoms(name):
    told = gallery.symptoms(BUGS[name])
    first = LATE.get(name, None if name in UNSEEN else int(name not in AT_ZERO))
    assert gallery.first_wrong(BUGS[name]) == first
    assert told == {
        "norm": name not in NORMS, "relative": name not in NOT_RELATIVE,
        "at 0": first != 0, "to 16": first is None or first > 16,
        "to 5000": first is None,
    }


def test_reports_are_public_threads():
    threads = {bug.report for bug in BUGS.values()} - {""}
    assert len(threads) >= 20
    for bug in BUGS.values():
        assert re.fullmatch(
            r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", bug.url
        ) or not bug.report
    assert [bug.name for bug in BUGS.values() if not bug.url] == ["other-way-keys"]


@pytest.mark.parametrize("name", BUGS)
def test_mutations_are_short_and_shown_whole(name):
    source = BUGS[name].source
    assert source.startswith(f"def {name.replace('-', '_')}(")
    assert len(source.splitlines()) <= 11 and "@bug" not in source


def test_keys_are_cut_as_with_too_many_heads():
    """Four channels go where eight should: 0, 2, 1, 3 and so on."""
    k = np.arange(16.0).reshape(1, 1, 2, 8).swapaxes(1, 2)
    found = gallery.cut_wrongly(k, twice=2)
    assert found.shape == (1, 2, 1, 8)
    assert found[0, 0, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert found[0, 1, 0].tolist() == [8, 10, 9, 11, 12, 14, 13, 15]


def test_a_maker_forgets():
    """Two of its rotations share no memory."""
    x, ids = np.ones((1, 1, 2, 8)), np.array([[0, 1]])
    fn = BUGS["never-reset"].make()
    before = fn(x, ids)
    fn(x, ids + 3000)
    assert not np.allclose(fn(x, ids), before)
    np.testing.assert_array_equal(BUGS["never-reset"].make()(x, ids), before)


def test_unknown_bugs_are_refused():
    with pytest.raises(ValueError, match="names must be.*'no-such-bug'"):
        gallery.table(["no-such-bug"])


def test_every_finding_is_on_the_page():
    shown = re.findall(r'gallery\.findings\("([\w-]+)", "([\w-]+)"\)',
                       PAGE.read_text("utf-8"))
    text = "\n".join(gallery.findings(*ends) for ends in shown)
    assert re.findall(r"^\| `([\w-]+)` \(", text, re.M) == list(CODES)


# Rounding ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_known_roundings(dtype):
    """What torch 2 was seen to give."""
    told = TRAPS[f"torch.{dtype}"]
    first = told["first_wrong_integer"]
    n = np.arange(1, 3000)
    assert n[rounded(n, dtype) != n][0] == first
    for key, value in told.items():
        if key.startswith("value_of_"):
            (found,) = rounded([float(key.removeprefix("value_of_"))], dtype)
            assert found == value, key


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_known_errors_of_cosines(dtype):
    """Rounded rates, d = 128, at five positions, against torch."""
    (key,) = (k for k in TRAPS[f"torch.{dtype}"] if k.startswith("max_cos"))
    rates, ids = inverse_frequencies(128), np.array([10, 100, 1000, 2047, 4095])
    exact, off = (np.cos(ids[:, None] * r) for r in (rates, rounded(rates, dtype)))
    # torch makes its rates and angles in float32.
    np.testing.assert_allclose(
        np.abs(exact - off).max(axis=1), TRAPS[f"torch.{dtype}"][key], atol=1e-3)


@pytest.mark.parametrize("dtype, digits", [("bfloat16", 8), ("float16", 11)])
def test_rounding_by_another_route(dtype, digits):
    """A significand of so many digits, rounded to even by NumPy's rint."""
    x = np.random.default_rng(0).normal(size=4000) * 2.0 ** np.arange(-10, 10).repeat(
        200)
    x = np.concatenate([x, np.arange(-3000, 3000)]).astype(np.float32)
    x = x[np.abs(x) > 2.0**-14].astype(np.float64)
    part, power = np.frexp(x)
    wanted = np.ldexp(np.rint(np.ldexp(part, digits)), power - digits)
    np.testing.assert_array_equal(rounded(x, dtype), wanted)


def test_largest_errors_stay_within_their_bound():
    """Each of three roundings adds at most its share of the angle."""
    for dtype, digits in (("bfloat16", 8), ("float16", 11), ("float32", 24)):
        ends, errors = precision.largest_errors(dtype, last=15)
        assert (errors <= ends * ((1 + 2.0**-digits) ** 3 - 1)).all()
        assert errors[-1] > ends[-1] * 2.0**-digits / 2
    assert np.isinf(precision.largest_errors("float16")[1][-1])


def test_tips_are_never_further_than_a_diameter():
    for step in ("positions", "rates", "angles", "tables"):
        _, errors = precision.tip_errors(step, last=12)
        assert (errors <= 2 + 1e-12).all() and (np.diff(errors) >= 0).all()
        assert (errors[:8] == 0).all() == (step == "positions")
    # Two tables, each off by half a unit of the numbers from 1/2 to 1.
    assert errors[-1] <= np.hypot(2.0**-9, 2.0**-9)
