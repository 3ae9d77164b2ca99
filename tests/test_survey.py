"""The table of real models: what follows from the published settings."""

import json
import math
import re

import numpy as np
import pytest
from book import ROOT

from rope_edu.figures import court
from rope_edu.survey import METHODS, models

FLEET = models()
ROWS = json.loads((ROOT / "rope_edu" / "data" / "presets.json").read_text("utf-8"))
each_model = pytest.mark.parametrize("model", FLEET.values(), ids=FLEET)


def test_every_setting_is_there():
    """In the order of the file, without the example that is no model."""
    assert ["running example", *FLEET] == [row["name"] for row in ROWS]
    for row in ROWS[1:]:
        assert FLEET[row["name"]].source == row["source"]


def test_windows_have_no_trained_length():
    """Within a window no key is as far away as the text is long."""
    for row in ROWS[1:]:
        windowed = row.get("layer_type") == "sliding_attention"
        wanted = None if windowed else row["trained_length"]
        assert FLEET[row["name"]].trained_length == wanted


@each_model
def test_longest_wavelength_and_turns(model):
    """Counted dial by dial, from the rates alone."""
    tokens = [2 * math.pi / rate for rate in model.rates.tolist() if rate]
    assert math.isclose(model.longest_wavelength, max(tokens))
    if model.trained_length is None:
        assert model.finished is None
    else:
        last = model.trained_length - 1
        assert model.finished == sum(turn <= last for turn in tokens)


@pytest.mark.parametrize(
    ("name", "tokens", "finished"),
    [
        ("Llama 2 7B", 2 * math.pi * 1e4 ** (126 / 128), 46),
        ("Llama 3 8B", 2 * math.pi * 5e5 ** (126 / 128), 35),
        ("Llama 2 7B 32K (Together)", 16 * math.pi * 1e4 ** (126 / 128), 46),
        ("Gemma 4, global layers", 2 * math.pi * 1e6 ** (126 / 512), None),
    ],
)
def test_against_the_formula(name, tokens, finished):
    """Plain rates, rates divided by 8, and dials of which some stand still."""
    assert math.isclose(FLEET[name].longest_wavelength, tokens, rel_tol=1e-12)
    assert FLEET[name].finished == finished


@pytest.mark.parametrize("name", ["Llama 2 7B", "Falcon 7B", "StableLM 3B 4E1T"])
def test_first_negative(name):
    """It is negative, and none before it is; the limit itself is tried."""
    model = FLEET[name]
    first = model.first_negative(10_000)

    def total(offset):
        return math.fsum(math.cos(offset * rate) for rate in model.rates.tolist())

    assert total(first) < 0 <= min(map(total, range(first)))
    assert model.first_negative(first) == first
    assert model.first_negative(first - 1) is None


@pytest.mark.parametrize("limit, error", [(0, ValueError), (2.5, TypeError)])
def test_limit_is_named_as_it_was_given(limit, error):
    with pytest.raises(error, match=f"limit must be .*, got {limit}"):
        FLEET["Llama 2 7B"].first_negative(limit)
    with pytest.raises(error, match=f"limit must be .*, got {limit}"):
        court.model_table(limit)


@each_model
def test_method_is_named(model):
    """The number behind the comma is that of the published settings."""
    word, _, number = model.method.partition(", ")
    rule = next(r for r in ROWS if r["name"] == model.name).get("rope_parameters")
    assert word in {word for word, _ in METHODS.values()}
    assert (word == "none") == (rule is None)
    if rule:
        field = "partial_rotary_factor" if word == "p-RoPE" else "factor"
        assert math.isclose(float(number), rule[field])


@pytest.mark.parametrize("number, key", [
    (np.float64(3.5), "3.5"), (np.int64(3), "3"), (float("inf"), "Infinity"), (3, "3"),
])
def test_numbers_are_sorted_as_numbers(number, key):
    """JavaScript makes NaN of ``np.float64(3.5)`` and of ``inf``."""
    html = court.sortable_table(["a", "b"], [("x", number)], "c").html
    assert f'data-key="{key}"' in html


def test_table_shows_what_was_computed():
    """A row for each model; what was not found is said to be past the limit."""
    html = court.model_table(limit=2000).html
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    assert len(rows) == len(FLEET)
    named = {re.search(r'row">(.*?)<', row)[1]: row for row in rows}
    assert list(named) == sorted(named, key=str.lower)
    cells = re.findall(r"<td.*?>(.*?)</td>", named["Llama 2 7B"])
    assert cells[:8] == [
        "128", "128", "10,000", "none", "4,096", "54,410", "46 of 64", "1,707",
    ]
    late = named["Llama 3 8B"]
    assert '<td class="number" data-key="2001">&gt; 2,000</td>' in late
    assert '<td class="number">–</td>' in named["Gemma 3 4B, local layers"]
