"""The stored times: complete, in the script's own form, and what figures show."""

import copy
import importlib.util
import json
import os
import re
import sys

import pytest
from book import ROOT
from rope_edu import sheets
from rope_edu.figures import speed
from rope_edu.timing import FEWEST_ROUNDS, Comparison, environment

torch = pytest.importorskip("torch")

RAW = json.loads((ROOT / "rope_edu/data/bench-cpu.json").read_text("utf-8"))
SECTIONS = {section["title"]: section for section in RAW}
LIBRARIES = {
    "transformers", "rotary-embedding-torch", "x-transformers", "torchtune",
}
TABLES = sheets.cpu()
FIRST = "16 MiB of float32, 1 thread"
GROWTH = "Growth, 1 thread: H = {}, S = {}, D = 128"
each_section = pytest.mark.parametrize("section", RAW, ids=SECTIONS.keys())


def raw(title, name):
    """What the file says of one candidate."""
    return next(r for r in SECTIONS[title]["rows"] if r["name"] == name)


# The sheet


@each_section
def test_times_are_times_and_bounds_are_bounds(section):
    """A row that was edited by hand would most likely break one of these."""
    assert section["rounds"] >= FEWEST_ROUNDS and section["noise"] >= 0
    first, *rest = section["rows"]
    assert first["name"].startswith("copy") and rest
    assert (first["ratio"], first["low"], first["high"]) == (1, 1, 1)
    moved = first["bandwidth"] * first["median"]
    for row in section["rows"]:
        assert row["median"] > 0 and row["spread"] >= 0
        assert row["low"] <= row["ratio"] <= row["high"]
        assert row["bandwidth"] * row["median"] == pytest.approx(moved)


@each_section
def test_times_have_a_stamp(section):
    """A time without its machine and versions says nothing."""
    stamp = section["environment"]
    for key in ("date", "processor", "processors", "system", "Python", "NumPy",
                "PyTorch", "threads", "load", *LIBRARIES):
        assert stamp[key] not in ("", None), key
    threads = re.search(r"(\d+) thread", section["title"])
    assert stamp["threads"] == int(threads[1] if threads else 1)
    assert len({s["environment"]["processor"] for s in RAW}) == 1


def test_libraries_are_those_that_were_measured():
    """Each one that is named took part, and was the one of the extra."""
    names = {row["name"].split(",")[0] for row in SECTIONS[FIRST]["rows"]}
    assert names >= LIBRARIES


def test_no_title_stands_twice():
    """The later one would hide the earlier."""
    assert len(SECTIONS) == len(RAW)


def test_tables_hold_what_the_file_holds():
    """Medians, ratios, noise and rounds, of all sections in their order."""
    assert list(TABLES) == [section["title"] for section in RAW]
    for title, table in TABLES.items():
        assert table.noise == SECTIONS[title]["noise"]
        assert table.rounds == SECTIONS[title]["rounds"]
        for name in table.rows:
            row = raw(title, name)
            assert table.seconds(name) == row["median"]
            assert table.ratio(name) == (row["ratio"], row["low"], row["high"])


def test_stamp_names_machine_versions_and_load():
    """What the page prints of the sheet."""
    told = sheets.stamp(TABLES).replace("\n", " ")
    loads = [section["environment"]["load"] for section in RAW]
    stamp = RAW[0]["environment"]
    wanted = [stamp["date"], stamp["processor"], f"load {min(loads)} to {max(loads)}"]
    wanted += [f"{name} {stamp[name]}" for name in ("PyTorch", "torchtune")]
    for part in wanted:
        assert part in told
    assert max(map(len, sheets.stamp(TABLES).splitlines())) <= 66
    with pytest.raises(ValueError, match="got none"):
        sheets.stamp({})


def test_unknown_candidate_is_refused():
    """With the names that there are."""
    with pytest.raises(ValueError, match="one of copy, .*, got 'ours'"):
        TABLES[FIRST].seconds("ours")


def test_sheet_of_a_gpu_is_read_where_there_is_one(monkeypatch, tmp_path):
    """And is no error where there is none."""
    monkeypatch.setattr(sheets, "files", lambda package: tmp_path)
    assert sheets.gpu() == {}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bench-gpu.json").write_text(json.dumps(RAW[:1]), "utf-8")
    assert list(sheets.gpu()) == [FIRST]


# The scripts


def fake(candidates, rounds=8, clock=None, moved=None, **options):
    """Call every candidate once and give each the same made-up times."""
    for function in candidates.values():
        function()
    seconds = {name: (1.0,) * 8 for name in candidates}
    return Comparison(seconds, (1.0,) * 8, moved, environment())


def script(name, monkeypatch):
    """Load a benchmark that compiles nothing and looks at no clock."""
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)
    spec = importlib.util.spec_from_file_location(
        f"bench_{name}", ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "compare", fake)
    return module


@pytest.fixture
def threads():
    """Give torch its threads back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def written(module, path, *options):
    """What a script writes when it is run with these options."""
    sys.argv = ["script", *options]
    module.main()
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("name, options, told", [
    ("cpu", ["--rounds", "7"], "--rounds must be at least 8"),
    ("cpu", ["--json", "nowhere/sheet.json"], "--json must be in a folder"),
    ("gpu", ["--rounds", "7"], "--rounds must be at least 8"),
    ("gpu", ["--tokens", "16", "0"], "--tokens must be positive"),
    ("gpu", ["--head-dims", "63"], "--head-dims must be even"),
    ("gpu", ["--out", __file__], "--out must be a folder"),
])
def test_scripts_refuse_before_they_measure(name, options, told, monkeypatch, capsys):
    module = script(name, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["script", *options])
    with pytest.raises(SystemExit):
        module.arguments()
    assert told in capsys.readouterr().err


def form(sections):
    """Keys of sections and of their rows."""
    return {(frozenset(s), frozenset(row)) for s in sections for row in s["rows"]}


def test_cpu_script_writes_such_a_sheet(monkeypatch, tmp_path, threads):
    """Same tables, same rows (but for libraries), same keys: no drift."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    module, path = script("cpu", monkeypatch), tmp_path / "cpu.json"
    monkeypatch.setattr(module, "keep_memory", lambda: None)
    monkeypatch.setattr(module, "versions", lambda: dict.fromkeys(LIBRARIES, "1"))
    monkeypatch.setattr(module, "LENGTHS", dict.fromkeys(module.LENGTHS, 4))
    found = written(module, path, "--json", str(path), "--rounds", "8")
    assert form(found) == form(RAW)
    assert [section["title"] for section in found] == list(SECTIONS)
    for section in found:
        names = [row["name"] for row in section["rows"]]
        stored = [row["name"] for row in SECTIONS[section["title"]]["rows"]]
        known = [n for n in stored if n.split(",")[0] not in LIBRARIES]
        assert [n for n in names if n.split(",")[0] not in LIBRARIES] == known
        # A GPU would be named, too.
        assert set(section["environment"]) >= set(RAW[0]["environment"])


def test_cpu_script_notes_versions(monkeypatch):
    """Of the libraries that are there, and of no others."""
    module = script("cpu", monkeypatch)
    monkeypatch.setattr(module, "LIBRARIES", {"numpy, half": 1, "no-such-one, x": 2})
    assert list(module.versions()) == ["numpy"]


def test_gpu_script_writes_such_a_sheet(monkeypatch, tmp_path):
    """Tried on a CPU, where its kernel falls back to torch."""
    pytest.importorskip("torch", minversion="2.8")  # what Triton 3.4 comes with
    monkeypatch.setattr(sys, "argv", sys.argv)
    module = script("gpu", monkeypatch)
    found = written(
        module, tmp_path / "gpu.json", "--device", "cpu", "--tokens", "3",
        "--head-dims", "64", "--out", str(tmp_path))
    assert form(found) == form(RAW)
    assert len(found) == 4 and "kernel" in str(found[0]["rows"])


# The figures


def numbers(picture):
    """The numbers in the alt text, as they are written there."""
    return re.findall(r"\d+(?:\.\d+)?", picture.alt)


def test_first_figure_is_the_sheet():
    """The fastest and the slowest row, of both tables."""
    tables = [TABLES[FIRST], TABLES["16 MiB of float32, 2 threads"]]
    told = numbers(speed.beside_copy(*tables))
    rows = [r for r in SECTIONS[FIRST]["rows"] if r["name"] != "copy"]
    rows.sort(key=lambda row: row["median"])
    assert f"{rows[0]['ratio']:.1f}" in told and f"{rows[-1]['ratio']:.0f}" in told
    for name in (rows[0]["name"], rows[-1]["name"]):
        assert name in speed.beside_copy(*tables).alt


def test_roof_is_the_sheet():
    """Bandwidth from the copy, arithmetic from the feed-forward part."""
    bandwidth = raw(FIRST, "copy")["bandwidth"]
    part = raw("One layer, 1 thread: 1024 of 1024 tokens", "feed-forward")
    work = 2 * 1024 * 3 * 576 * 1536 / part["median"]
    assert speed.rates(TABLES) == pytest.approx((bandwidth, work))
    told = numbers(speed.roofline(TABLES))
    for number in (f"{bandwidth / 1e9:.0f}", f"{work / bandwidth:.1f}",
                   f"{work / 1e9:.0f}"):
        assert number in told


def test_roof_of_the_sheet_is_above_every_rotation():
    """What the figure and the chapter say of it."""
    bandwidth, work = speed.rates(TABLES)
    for title, size in ((FIRST, 4), (FIRST.replace("float32", "bfloat16"), 2)):
        assert 3 / (2 * size) < work / bandwidth
        for row in SECTIONS[title]["rows"][1:]:
            assert row["low"] > 1, row["name"]


def test_growth_is_the_sheet():
    """Four times, in microseconds."""
    wanted = [
        raw(GROWTH.format(32, 1), "rotation"), raw(GROWTH.format(32, 1024), "rotation"),
        raw(GROWTH.format(1, 1024), "cos and sin"),
        raw(GROWTH.format(32, 1024), "cos and sin"),
    ]
    told = numbers(speed.growth(TABLES))
    for row in wanted:
        assert f"{1e6 * row['median']:.0f}" in told


def test_shares_of_a_layer_are_the_sheet():
    """Of the four parts; the copy is none."""
    for tokens in (1024, 1):
        rows = SECTIONS[f"One layer, 1 thread: {tokens} of 1024 tokens"]["rows"]
        parts = {row["name"]: row["median"] for row in rows[1:]}
        share = parts["rotation"] / sum(parts.values())
        assert speed.share_of_layer(TABLES, tokens)["rotation"] == pytest.approx(share)
        assert f"{100 * share:.1f}" in numbers(speed.layer_shares(TABLES))


def test_dense_against_pairs_is_the_sheet():
    """The count by the formulas, the time by the rows."""
    told = numbers(speed.dense_or_pairs(TABLES))
    for d in (8, 32, 128):
        title = f"NumPy reference, 256 places: d = {d}"
        timed = raw(title, "dense matrix")["median"] / raw(title, "pairs")["median"]
        assert f"{timed:.1f}" in told and f"{d * (2 * d - 1) / (3 * d):.1f}" in told


def test_figures_follow_the_sheet():
    """Nothing in them is typed: another sheet gives other figures."""
    other = copy.deepcopy(TABLES)
    for table in other.values():
        for name, row in table.rows.items():
            slower = 3 if name in ("rotation", "dense matrix", "copy") else 1.7
            row["median"] *= slower
            row["bandwidth"] /= slower
            row["ratio"] *= 1.3
    for draw in (speed.roofline, speed.growth, speed.layer_shares,
                 speed.dense_or_pairs):
        assert draw(other).alt != draw(TABLES).alt
    assert speed.beside_copy(other[FIRST]).alt != speed.beside_copy(TABLES[FIRST]).alt
