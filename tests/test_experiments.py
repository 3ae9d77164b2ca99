"""Tasks by their definitions, training bit by bit, results as they are stored.

Two machines round the same training in other ways, and training lets such a
difference grow. So what is stored is compared loosely with what a slice of it
gives here; on one machine, runs are compared bit by bit.
"""

import hashlib
import inspect
import json
import math
from collections import Counter
from importlib.resources import files

import pytest

torch = pytest.importorskip("torch")
from rope_edu.encodings import make  # noqa: E402
from rope_edu.experiments import (  # noqa: E402
    RUNS,
    Batch,
    CopyBack,
    Needle,
    Order,
    Recall,
    Result,
    Text,
    as_text,
    as_tokens,
    build,
    by_place,
    held_out,
    load,
    load_text,
    loss_curve,
    moved,
    permuted,
    reproducible,
    rescaled,
    run,
    run_slice,
    save,
    score,
    train,
    unseen,
    windowed,
    with_rope,
)
from rope_edu.experiments import __main__ as command  # noqa: E402
from rope_edu.experiments import models, runs  # noqa: E402
from rope_edu.experiments.text import KEPT, split  # noqa: E402
from rope_edu.experiments.training import _rate  # noqa: E402
from rope_edu.scaling import DynamicNTK, Linear, NTKByParts, YaRN  # noqa: E402

IGNORE = -100


def drawn(task, rows=20, seed=0):
    return task.draw(torch.Generator().manual_seed(seed), rows)


def pairs(batch):
    return zip(batch.tokens.tolist(), batch.targets.tolist())


# --- tasks ------------------------------------------------------------------


@pytest.mark.parametrize("cls, readout", [("first", "cls"), ("last", "cls"),
                                          ("first", "verb"), ("last", "verb")])
def test_order(cls, readout):
    task = Order(cls, readout, names=3, verbs=2)
    every = list(pairs(task.every()))
    assert len({tuple(tokens) for tokens, _ in every}) == len(every) == 3 * 2 * 2
    for tokens, targets in [*every, *pairs(drawn(task))]:
        a, verb, b = tokens[1:] if cls == "first" else tokens[:3]
        assert tokens[0 if cls == "first" else 3] == 0
        assert {a, b} < {1, 2, 3} and a != b and verb in (4, 5)
        asked = tokens.index(0 if readout == "cls" else verb)
        assert targets == [a if i == asked else IGNORE for i in range(4)]
        mirror = task.mirrored(torch.tensor([tokens]))[0].tolist()
        assert sorted(mirror) == sorted(tokens) and mirror[asked] == tokens[asked]
        assert mirror[tokens.index(a)] == b


def test_order_draws_every_sentence():
    task = Order(names=3, verbs=2)
    count = Counter(map(tuple, drawn(task, 1200).tokens.tolist()))
    # Of 1200, 100 each; six standard deviations are 57.
    assert len(count) == 12 and min(count.values()) > 43


def test_copy_back():
    for tokens, targets in pairs(drawn(CopyBack(back=2, symbols=5, length=9))):
        assert set(tokens) <= set(range(5))
        assert targets == [IGNORE, IGNORE, *tokens[:-2]]


def test_recall():
    for tokens, targets in pairs(drawn(Recall(keys=4, values=3, length=20))):
        known = {}
        for place in range(0, 20, 2):
            key, value = tokens[place : place + 2]
            assert key in range(4) and value in range(4, 7)
            assert targets[place] == known.get(key, IGNORE)
            assert known.setdefault(key, value) == value
            assert targets[place + 1] == IGNORE


def test_needle():
    wheres = set()
    for tokens, targets in pairs(drawn(Needle(3, 4, length=10, within=6), 99)):
        where = next(i for i, token in enumerate(tokens) if token < 3)
        rest = tokens[:where] + tokens[where + 1 :]
        assert set(rest) <= {3, 4, 5, 6}
        assert targets == [IGNORE] * (where + 1) + [tokens[where]] * (9 - where)
        wheres.add(where)
    assert wheres == set(range(6))


@pytest.mark.parametrize("part", ["train", "held out"])
def test_text(part):
    task, whole = Text(part, length=30), split()[part]
    for tokens, targets in pairs(drawn(task)):
        assert as_text([*tokens, targets[-1]]) in whole
        assert targets[:-1] == tokens[1:]
    rows = [as_text(row) for row in task.every().tokens]
    assert whole.startswith("".join(rows)) and len(whole) - 30 * len(rows) <= 31
    assert task.vocab_size == 35


def test_held_out_text_is_not_trained_on():
    parts = split()
    assert parts["train"] + parts["held out"] == load_text()
    assert 0.15 < len(parts["held out"]) / len(load_text()) < 0.25


def test_the_text_is_frozen():
    """Another text would change every number."""
    raw = files("rope_edu").joinpath("data", "alice.txt").read_bytes()
    assert len(raw) < 70_000 and hashlib.sha256(raw).hexdigest() == ALICE
    assert set(load_text()) == set(KEPT) and "  " not in load_text()
    assert as_text(as_tokens(load_text())) == load_text()


ALICE = "ead7b571ca18e65b8c8a4f8660b34f0d7cb28b2b52a88342fb2b8a69cf42aec9"


@pytest.mark.parametrize("task", [CopyBack(), Recall(), Needle(), Text(), Order()])
def test_rows_depend_on_the_seed_alone(task):
    one, two, other = (drawn(task, 50, seed) for seed in (1, 1, 2))
    assert torch.equal(one.tokens, two.tokens)
    assert not torch.equal(one.tokens, other.tokens)
    assert torch.equal(unseen(task, 50).tokens, unseen(task, 50).tokens)
    assert not torch.equal(unseen(task, 50).tokens, one.tokens)
    assert int(one.tokens.max()) < task.vocab_size


# --- training and asking ----------------------------------------------------


def small(seed=0, label="rope"):
    return build(label, CopyBack(), seed, width=16, layers=1)


def test_training_is_repeatable_bit_by_bit():
    states = []
    for threads in (1, 2):
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        torch.manual_seed(threads)  # must not matter
        model = small()
        train(model, CopyBack(), steps=5, seed=3)
        assert torch.get_num_threads() == threads
        torch.set_num_threads(before)
        states.append(model.state_dict())
    for key, weight in states[0].items():
        assert torch.equal(weight, states[1][key]), key


def test_another_seed_trains_on_other_rows():
    models_ = [small(), small()]
    for seed, model in enumerate(models_):
        train(model, CopyBack(), steps=1, seed=seed)
    a, b = (model.embedding.weight for model in models_)
    assert not torch.equal(a, b)


def test_training_is_adam_on_drawn_rows():
    trained, ours = small(), small()
    train(trained, CopyBack(), steps=3, rows=8, lr=0.01, schedule="cosine", seed=4)
    optimizer = torch.optim.Adam(ours.parameters())
    generator = torch.Generator().manual_seed(4)
    with reproducible():
        for lr in (0.01, 0.0075, 0.0025):  # 1 + cos of 0, 60, 120 degrees
            batch = CopyBack().draw(generator, 8)
            optimizer.param_groups[0]["lr"] = lr
            optimizer.zero_grad()
            logits = ours(batch.tokens)[:, 3:].flatten(0, 1)
            targets = batch.targets[:, 3:].flatten()
            torch.nn.functional.cross_entropy(logits, targets).backward()
            optimizer.step()
    for a, b in zip(trained.parameters(), ours.parameters()):
        # The rate 0.0075 is rounded in another way here.
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


def test_rate():
    assert [_rate(step, 4, 0.1, "constant") for step in (0, 3)] == [0.1, 0.1]
    assert _rate(0, 4, 0.1, "cosine") == 0.1
    assert math.isclose(_rate(2, 4, 0.1, "cosine"), 0.05)


def test_questions_and_progress():
    lines, model = [], small()
    before = model.embedding.weight.detach().clone()
    asked = train(model, CopyBack(), 25, every=10, progress=lines.append,
                  ask=lambda m: m.embedding.weight.detach().clone())
    assert [step for step, _ in asked] == [0, 10, 20]
    assert torch.equal(asked[0][1], before)
    assert not torch.equal(asked[1][1], asked[2][1])
    assert [line.split(",")[0] for line in lines[:2]] == [
        "step 2 of 25", "step 4 of 25"]
    assert len(lines) == 12 and "loss 2." in lines[0]


def test_nothing_is_printed(capsys):
    run("placement", seeds=(0,), places=("q",), steps=10)
    assert capsys.readouterr() == ("", "")


def test_surroundings_are_put_back():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), reproducible():
        assert torch.are_deterministic_algorithms_enabled()
        raise KeyError
    assert torch.get_num_threads() == before
    assert not torch.are_deterministic_algorithms_enabled()


def test_score_by_loops():
    model, batch = small(), drawn(CopyBack(), 5)
    places, offset = (4, 9), 7
    losses, right = [], 0
    with torch.no_grad():
        logits = model(batch.tokens, torch.arange(32) + offset)
    for row in range(5):
        for place in range(*places):
            target = int(batch.targets[row, place])
            losses.append(-logits[row, place].log_softmax(-1)[target].item())
            right += int(logits[row, place].argmax()) == target
    found = score(model, batch, offset, places, at_once=64)
    assert math.isclose(found.accuracy, right / 25)
    assert math.isclose(found.loss, sum(losses) / 25, rel_tol=1e-5)
    # Half of the places have no target: they do not count.
    assert score(model, batch, places=(0, 6)) == score(model, batch, places=(3, 6))


def test_moved():
    batch = drawn(CopyBack(), 3)
    absolute = small(label="learned")
    with torch.no_grad():
        there = absolute(batch.tokens, torch.arange(32) + 5)
        apart = (there - absolute(batch.tokens)).abs().max().item()
    assert math.isclose(moved(absolute, batch, 5), apart, rel_tol=1e-4)
    assert moved(small(), batch, 5) < 1e-4 < apart


def test_loss_curve_is_the_loss_of_its_places():
    model, batch = small(), drawn(CopyBack(), 3)
    curve = loss_curve(model, batch, 8)
    for i, found in enumerate(curve):
        expected = score(model, batch, places=(8 * i, 8 * i + 8)).loss
        assert math.isclose(found, expected, rel_tol=1e-5)
    nothing = Batch(batch.tokens, torch.full_like(batch.targets, IGNORE))
    assert all(math.isnan(found) for found in loss_curve(model, nothing, 16))


def test_window_is_all_that_is_read():
    task = Text("held out", 20)
    model = build("rope", task, 0, width=16)
    batch = Batch(*(part[:2] for part in task.every()))
    losses = []
    for row in range(2):
        for last in range(9, 15):
            seen = batch.tokens[row : row + 1, last - 4 : last + 1]
            with torch.no_grad():
                logits = model(seen)[0, -1].log_softmax(-1)
            losses.append(-logits[batch.targets[row, last]].item())
    found = windowed(model, batch, 9, 15, window=5)
    assert math.isclose(found, sum(losses) / 12, rel_tol=1e-5)


def test_by_place_asks_a_model_for_each_length():
    lengths, batch, model = [], drawn(CopyBack(length=128), 2), small()
    rows = list(by_place(lambda n: lengths.append(n) or model, batch, "loss",
                         ((0, 64), (64, 128))))
    assert lengths == [64, 128] and [row["first"] for row in rows] == [0, 64]
    expected = score(model, batch, places=(64, 128)).loss
    assert math.isclose(rows[1]["loss"], expected, rel_tol=1e-5)


# --- models -----------------------------------------------------------------


@pytest.mark.parametrize("label", models.ENCODINGS)
def test_every_label_makes_a_model(label):
    model = build(label, CopyBack(), 0, layers=1)
    assert model.encoding.name == label.split(",")[0]
    assert model.sizes.width == 64 and len(model.blocks) == 1
    assert model.sizes.heads == (8 if "alibi" in label else 2)


def test_learned_tables_are_as_large_as_embeddings_or_small():
    large, little = (small(label=n) for n in ("learned", "learned, small"))
    for model, size in ((large, 1.0), (little, 0.02)):
        # Of 16384 numbers the deviation is known to 0.6 %.
        assert math.isclose(model.encoding.table.std().item(), size, rel_tol=0.05)
    assert math.isclose(large.embedding.weight.std().item(), 1, rel_tol=0.3)


def test_half_of_the_pairs_turn():
    assert small(label="rope, half").encoding.dials.rotary_dim == 4
    assert small().encoding.dials.rotary_dim == 8


def test_other_dials_same_weights():
    model = build("rope", CopyBack(), 0, base=100.0)
    slow = with_rope(model, base=100.0, scaling=Linear(2))
    for (key, a), b in zip(model.state_dict().items(), slow.state_dict().values()):
        assert torch.equal(a, b) and a.data_ptr() != b.data_ptr(), key
    half = [rate / 2 for rate in model.encoding.dials.inv_freq]
    assert list(slow.encoding.dials.inv_freq) == half
    ids = torch.arange(32)
    tokens = drawn(CopyBack(), 2).tokens
    torch.testing.assert_close(slow(tokens, 2 * ids), model(tokens, ids))


SCALINGS = {
    "PI": Linear(4),
    "dynamic NTK": DynamicNTK(1, 32),
    "by parts (0.5, 2)": NTKByParts(4, 32, 0.5, 2),
    "YaRN (1, 32)": YaRN(4, 32, beta_fast=32, beta_slow=1),
    "YaRN (0.5, 2)": YaRN(4, 32, beta_fast=2, beta_slow=0.5),
}


@pytest.mark.parametrize("method", SCALINGS)
def test_rescaled(method):
    model = build("rope", CopyBack(), 0, base=500.0)
    dials = rescaled(model, method, 4, 128, trained=32).encoding.dials
    rates, factor = SCALINGS[method].table(32, 500.0, 128)
    assert list(dials.inv_freq) == rates.tolist()
    assert dials.attention_factor == factor


def test_permuted_rows_are_the_other_layout():
    model = build("rope", CopyBack(), 0, kv_heads=1)
    tokens = drawn(CopyBack(), 2).tokens
    for model in (model, with_rope(model, layout="half")):
        to = "half" if model.encoding.config.layout == "interleaved" else "interleaved"
        # Sums over a head in another order: some units of 1e-7 of a logit.
        other = permuted(model, to)
        torch.testing.assert_close(other(tokens), model(tokens), rtol=0, atol=1e-5)
        read = with_rope(model, layout=to)
        assert (read(tokens) - model(tokens)).abs().max() > 0.05


# --- results ----------------------------------------------------------------

ROWS = [
    {"place": "q", "seed": 0, "right": 0.25, "steps": 1},
    {"place": "q", "seed": 1, "right": 0.75, "steps": 1},
    {"place": "k", "seed": 0, "right": 1.0, "steps": 2},
    {"place": "k", "seed": 0, "curve": [1, 2]},
]
RESULT = Result("example", {}, ROWS)


def test_values_and_tables():
    assert RESULT.values("right", "place") == {"q": [0.25, 0.75], "k": [1.0]}
    assert RESULT.values("right", "place", "steps", seed=0) == {
        ("q", 1): [0.25], ("k", 2): [1.0]}
    assert RESULT.values("curve", "place") == {"k": [[1, 2]]}
    table = RESULT.table("right", "place")
    assert table["q"][:] == (0.5, 0.125**0.5, 0.25, 0.75, 2)
    assert str(table["q"]) == "0.50 ± 0.35" and table["k"].deviation == 0


def test_saved_is_loaded(tmp_path):
    rows = [{"a": 1 / 3, "b": [[1, 2 / 3]]}, {"c": None}]
    whole = Result("base", {"seeds": (0, 1)}, rows)
    path = save(whole, RESULT, tmp_path)
    assert path == tmp_path / "base.json" and len(path.read_text().splitlines()) > 5
    again = load("base", folder=tmp_path)
    assert again.settings == {"seeds": [0, 1]}
    assert again.rows == [{"a": 0.333333, "b": [[1, 0.666667]]}, {"c": None}]
    assert load("base", "slice", tmp_path).rows == ROWS


def as_stored(settings):
    return json.loads(json.dumps(settings))


@pytest.mark.parametrize("name", RUNS)
def test_stored_results_are_of_this_code(name):
    """All of it, with the settings of today."""
    stored, parameters = load(name), inspect.signature(RUNS[name][0]).parameters
    today = {k: p.default for k, p in parameters.items() if k != "progress"}
    assert stored.settings == as_stored(today)
    seeds = Counter(row["seed"] for row in stored.rows)
    assert len(seeds) >= 3 and len(set(seeds.values())) == 1
    for key, options in today.items():
        column = {"encodings": "encoding", "cases": "case", "tasks": "task",
                  "places": "place", "methods": "method", "dials": "dials"}.get(key)
        if column:
            assert {row[column] for row in stored.rows} - {"window"} == set(options)


def close(here, stored, key):
    """Whether two machines may differ so.

    In a few steps, losses differ by 1e-5 and in 150 by 0.01; one more of 128
    answers is 0.008. Of a curve, a point on the steep part may be a step
    further; so may the step at which a goal is reached.
    """
    if isinstance(here, (list, tuple)):
        return len(here) == len(stored) and all(
            close(a, b, key) for a, b in zip(here, stored))
    if not isinstance(here, float):
        return here == stored or (key == "reached" and abs(here - stored) <= 25)
    slack = 0.2 if key == "curve" else 0.03
    return abs(here - stored) <= slack + slack * abs(stored)


@pytest.mark.parametrize("name", RUNS)
def test_stored_slices_come_out_again(name):
    here, stored = run_slice(name), load(name, "slice")
    assert as_stored(here.settings) == stored.settings
    assert len(here.rows) == len(stored.rows) > 0
    for row, before in zip(here.rows, stored.rows):
        assert list(row) == list(before)
        for key, value in row.items():
            assert close(value, before[key], key), (key, value, before[key])


def test_a_slice_is_the_same_twice():
    assert run_slice("base").rows == run_slice("base").rows


# --- what the chapters say --------------------------------------------------


def means(name, value, *by, **where):
    table = load(name).table(value, *by, **where)
    return {key: spread.mean for key, spread in table.items()}


def test_order_needs_positions_or_a_mask():
    stored = load("order")
    for case in ("both ways", "both ways, from the verb", "causal, 1 layer"):
        accuracy = stored.table("accuracy", "encoding", case=case)
        assert accuracy["none"].low == accuracy["none"].high == 0.5
        assert stored.table("swap", "encoding", case=case)["none"].high < 1e-4
    both = stored.table("accuracy", "encoding", case="both ways")
    assert all(found.low == 1 for key, found in both.items() if key != "none")
    verb = stored.table("accuracy", "encoding", case="both ways, from the verb")
    assert verb["alibi"].high == 0.5 and verb["rope"].low == 1
    two = stored.table("accuracy", "encoding", case="causal, 2 layers")
    assert two["none"].low == 1


def test_a_shift_moves_nothing_in_relative_encodings():
    stored = load("learning")
    for label, found in stored.table("moved_500", "encoding").items():
        relative = make(label.split(",")[0], width=64, heads=2,
                        max_positions=9).relative
        assert found.high < 1e-2 if relative else found.low > 0.1, label
    for task in ("copy", "recall"):
        accuracy = stored.table("accuracy_500", "encoding", task=task)
        assert accuracy["rope"].low > 0.99 > 0.9 > accuracy["learned"].high


def test_placement():
    right = means("placement", "accuracy_0", "place")
    far = means("placement", "accuracy_500", "place")
    for place in ("q and k", "q and k, first layer", "q, k and v, undone"):
        assert right[place] > 0.98 and far[place] > 0.98, place
    assert right["q, k and v"] > 0.98 and far["q, k and v"] < 0.5
    for place in ("q", "v", "before the projection"):
        assert far[place] < 0.6, place
    assert right["v, undone"] == far["v, undone"] > right["none"] + 0.05


def test_lengths():
    loss = means("extrapolation", "loss", "encoding", "end")
    near, far = ({k: v for (k, e), v in loss.items() if e == end} for end in (64, 512))
    assert far["rope"] > near["rope"] + 0.5
    for label in ("alibi", "rope+alibi", "xpos", "shaw"):
        assert far[label] < near[label] + 0.1 and far[label] < far["rope"] - 0.5
    changed = means("rescaling", "loss", "method", "end")
    assert changed["as trained", 512] > changed["by parts (0.5, 2)", 512] + 0.3
    assert changed["PI", 64] > changed["as trained", 64] + 0.5
    assert changed["dynamic NTK", 64] == changed["as trained", 64]
    assert changed["window", 512] < min(
        v for (k, e), v in changed.items() if e == 512 and k != "window")


def test_bases():
    right = means("base", "accuracy", "dials", "end")
    assert right["base 100", 512] < 0.3 < 0.9 < right["base 10000", 512]
    assert right["base 3", 64] < 0.8 and right["base 100, 50% turn", 512] > 0.95
    slow = means("needle_rescaling", "accuracy", "method", "end")
    assert slow["as trained", 512] < 0.4 and slow["PI", 512] > 0.95


def test_finetuning_repairs():
    loss = means("finetuning", "loss", "method", "steps", task="text")
    assert loss["as trained", 50] < loss["as trained", 0] - 0.3
    assert loss["PI", 50] > max(loss[m, 50] for m in ("as trained", "NTK")) + 0.05
    right = means("finetuning", "accuracy", "method", "steps", task="recall")
    others = [m for m, steps in right if steps == 50 and m != "PI"]
    assert all(right[m, 10] > 0.95 for m in others) and right["PI", 10] < 0.9


def test_layouts():
    loss = means("layouts", "loss", "read", task="text")
    assert loss["other layout"] > loss["own layout"] + 0.5
    apart = loss["other layout, rows permuted"] - loss["own layout"]
    assert abs(apart) < 1e-4


# --- the command ------------------------------------------------------------


def tiny(seeds=(0, 1), steps=3, progress=None):
    """Count."""
    for seed in seeds:
        progress and progress("now")
        yield {"seed": seed, "steps": steps}


def test_command_lists_what_there_is(capsys):
    command.main([])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(RUNS)
    assert all(len(line) < 88 and line.endswith(".") or ":" in line for line in lines)


def test_command_runs_and_stores(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(runs.RUNS, "base", (tiny, {"steps": 2}))
    command.main(["base", "--folder", str(tmp_path)])
    shown = capsys.readouterr()
    assert str(tmp_path / "base.json") in shown.out and "base: now" in shown.err
    assert load("base", folder=tmp_path).rows == list(tiny())
    small_ = load("base", "slice", tmp_path)
    assert small_.settings == {"seeds": [0], "steps": 2}


def test_command_knows_its_names(capsys):
    with pytest.raises(SystemExit):
        command.main(["rope"])
    assert "a name must be all or order, learning," in capsys.readouterr().err


def test_command_asks_for_the_folder_before_it_runs(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "run", None)
    with pytest.raises(SystemExit):
        command.main(["order", "--folder", str(tmp_path / "nowhere")])
    assert "--folder must be there, got" in capsys.readouterr().err


# --- malformed calls --------------------------------------------------------

V, T = ValueError, TypeError
CALLS = [
    ("back", lambda: CopyBack(back=32), V, "back must be below length = 32, got 32"),
    ("symbols", lambda: CopyBack(symbols=0), V, "symbols must be positive, got 0"),
    ("odd recall", lambda: Recall(length=7), V, "length must be even, got 7"),
    ("float keys", lambda: Recall(keys=2.0), T, "keys must be an integer, got 2.0"),
    ("within", lambda: Needle(length=32), V, "within must be below length = 32"),
    ("one name", lambda: Order(names=1), V, "names must be at least 2, got 1"),
    ("cls", lambda: Order(cls="middle"), V, "cls must be 'first' or 'last'"),
    ("readout", lambda: Order(readout="last"), V, "readout must be 'cls' or 'verb'"),
    ("part", lambda: Text("test"), V, "part must be 'train' or 'held out'"),
    ("long", lambda: Text("held out", 10**6), V, "length must be at most 11695"),
    ("accent", lambda: as_tokens("café"), V, "text must be made of .*got 'é'"),
    ("label", lambda: build("rope2", CopyBack(), 0), V, "label must be 'none' or"),
    ("option", lambda: build("rope", CopyBack(), 0, bases=1), T, "bases"),
    ("method", lambda: rescaled(small(), "yarn", 2), V, "method must be 'as trained'"),
    ("schedule", lambda: train(small(), CopyBack(), 1, schedule="linear"), V,
     "schedule must be 'constant' or 'cosine', got 'linear'"),
    ("steps", lambda: train(small(), CopyBack(), 0), V, "steps must be positive"),
    ("places", lambda: score(small(), drawn(CopyBack()), places=(0, 3)), V,
     r"places must hold a target, got \(0, 3\)"),
    ("window", lambda: windowed(small(), held_out(64, 1), 5, 9), V,
     "first must be at least 63, got 5"),
    ("run", lambda: run("orders"), V, "name must be 'order' or .*got 'orders'"),
    ("setting", lambda: run("order", seed=0), T, "seed"),
    ("slice", lambda: run_slice("orders"), V, "got 'orders'"),
    ("load", lambda: load("orders"), V, "got 'orders'"),
    ("half", lambda: load("order", "half"), V, "part must be 'whole' or 'slice'"),
    ("column", lambda: RESULT.values("wrong"), V, "'wrong'.*columns are curve, place"),
    ("where", lambda: RESULT.values("right", seed=7), V, "no row of 'example'"),
]


@pytest.mark.parametrize("call, error, words", [c[1:] for c in CALLS],
                         ids=[c[0] for c in CALLS])
def test_malformed_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()
