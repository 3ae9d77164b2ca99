"""The runs of chapter 16: what they compute, and what is stored of them.

What they compute is tried on toys, which need no file, and on stand-ins that
know the answer. The stored results are compared with a few short runs.
"""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from book import ROOT

torch = pytest.importorskip("torch")
from rope_edu import rotate  # noqa: E402
from rope_edu.experiments import smollm as runs  # noqa: E402
from rope_edu.pretrained import Llama, sample  # noqa: E402
from rope_edu.rotary import RotaryEmbedding  # noqa: E402
from rope_edu.scaling import Linear, YaRN  # noqa: E402

WORDS = runs.WORDS
# Between ways to sum in float32; the numbers are rounded to four digits.
CLOSE = 2e-3


@pytest.fixture(scope="module")
def toy():
    return Llama.random(runs._toy())


# ------------------------------------------------------------ what they compute


def test_words_are_read_twice_and_differ_by_seed():
    lists = runs.word_lists(3, seed=5)
    assert lists.shape == (3, 2 * WORDS)
    assert np.array_equal(lists[:, :WORDS], lists[:, WORDS:])
    assert set(lists.flat) <= set(sample())
    assert len(np.unique(lists, axis=0)) == 3
    assert not np.array_equal(lists, runs.word_lists(3, seed=6))


class Copier:
    """Knows the list after one reading, or always says the same word."""

    def __init__(self, knows=True):
        self.knows, self.asked = knows, None

    def logits(self, tokens, position_ids, rope):
        self.asked = list(position_ids)
        tokens = torch.tensor(tokens)
        aims = tokens.roll(WORDS - 1, 1) if self.knows else tokens * 0
        return 20.0 * torch.nn.functional.one_hot(aims, 49152).float()


def test_copying_counts_what_is_known_from_the_first_reading():
    lists = runs.word_lists(2)
    knowing, stubborn = Copier(), Copier(knows=False)
    result = runs.copying(knowing, lists, start=5000)
    assert result["accuracy"] == [1.0, 1.0] and result["loss"] < 1e-3
    assert knowing.asked == [*range(WORDS), *range(5000, 5000 + WORDS)]
    lists[1, WORDS + 3] = 0  # word 4 of the second list is now always right
    result = runs.copying(stubborn, lists)
    assert result["accuracy"] == [0.0, round(1 / 63, 4)] and result["loss"] > 19


def test_gaps_are_copied_with_each_method_for_its_length(toy):
    result = runs.copy_gap(toy, (64, 9000), (2,), lists=2)
    names = ["plain", "PI x2", "NTK x2", "YaRN x2", "dynamic NTK"]
    assert list(result) == ["starts", *names]
    lists, rope = runs.word_lists(2), YaRN(2, 8192)
    assert result["YaRN x2"][1] == runs.copying(toy, lists, 9000, rope)["accuracy"]


def test_dynamic_rates_follow_the_last_position(toy, monkeypatch):
    seen = {}

    def copying(model, lists, start, rope):
        seen[start] = rope.inv_freq[1]
        return {"accuracy": []}

    monkeypatch.setattr(runs, "copying", copying)
    runs.copy_gap(toy, (64, 8192 - 64, 2 * 8192 - 64), ())
    # Twice the context: the slowest pair is two times as slow.
    slowest = toy.rope().inv_freq[1]
    expected = {64: slowest, 8128: slowest, 16320: slowest / 2}
    assert seen == pytest.approx(expected)


def test_layout_trap_averages_over_the_beginnings(toy):
    result = runs.layout_trap(toy, (4, 8), windows=2)
    text = sample(16).reshape(2, 8)
    for name, rope in {
        "right": toy.rope(),
        "wrong": toy.rope(layout="half"),
        "none": toy.rope(still=[0, 1]),
    }.items():
        losses = np.stack([toy.losses(row, rope=rope) for row in text])
        expected = [losses[:, :3].mean(), losses.mean()]
        assert result[name] == pytest.approx(expected, abs=CLOSE)
    assert result["right"] != result["wrong"] != result["none"]


@pytest.mark.parametrize(
    "angles, rates, expected",
    [
        ("float64", "float64", 1001 * 0.1),
        ("float32", "float64", np.float32(1001) * np.float32(0.1)),
        # bfloat16 has 8 bits: 1001 becomes 1000, 0.1 becomes 205/2048, their
        # product 100.09765625 becomes 100.
        ("bfloat16", "float64", 100.0),
        ("float64", "bfloat16", 1001 * 205 / 2048),
    ],
)
def test_angles_are_rounded_where_it_is_said(angles, rates, expected):
    kinds = getattr(torch, angles), getattr(torch, rates)
    rope = runs.Rounded(RotaryEmbedding([0.1], layout="half"), *kinds)
    cos, sin = rope.table(torch.tensor([1001]))
    assert (cos.item(), sin.item()) == pytest.approx(
        (np.cos(expected), np.sin(expected)), abs=1e-6
    )
    assert rope.layout == "half"


def test_precision_compares_with_exact_angles_at_the_start(toy):
    offsets, ids, text = (0, 257, 10**6), np.arange(16), sample(16)
    kinds = ("float64", "bfloat16", "bfloat16 rates")
    result = runs.precision(toy, offsets, kinds, count=16)
    assert result["float64"]["worst"] == pytest.approx([0, 0, 0], abs=CLOSE)
    start = toy.losses(text)
    for kind, rope in {
        "bfloat16": runs.Rounded(toy.rope(), torch.bfloat16),
        "bfloat16 rates": runs.Rounded(toy.rope(), rates=torch.bfloat16),
    }.items():
        rows = [toy.losses(text, offset + ids, rope) for offset in offsets]
        means = [row.mean() for row in rows]
        worst = [abs(row - start).max() for row in rows]
        assert result[kind]["loss"] == pytest.approx(means, abs=CLOSE)
        assert result[kind]["worst"] == pytest.approx(worst, abs=CLOSE)
        assert worst[-1] > 0.03  # with this seed a fall, for the rates


def test_positions_are_reread_as_named(toy):
    result, text, ids = runs.positions(toy, 16), sample(16), np.arange(16)
    expected = {
        "as trained": toy.losses(text),
        "stride 2": toy.losses(text, ids * 2),
        "stride 4": toy.losses(text, ids * 4),
        "positions reversed": toy.losses(text, 100 - ids),
        "wrong sign": toy.losses(text, -ids),
        "none": toy.losses(text, ids * 0),
        "moved by 5000": toy.losses(text),
        "base 10,000": toy.losses(text, rope=RotaryEmbedding([1.0, 0.01])),
    }
    for name, losses in expected.items():
        assert result[name] == pytest.approx(losses.mean(), abs=CLOSE), name


def test_freezing_begins_at_either_end(toy):
    result = runs.freezing(toy, (1, 2), count=16, lists=2)
    assert result["counts"] == [0, 1, 2]
    for end, pair in (("fastest", 0), ("slowest", 1)):
        still = [toy.rope(), toy.rope(still=[pair]), toy.rope(still=[0, 1])]
        text = [toy.losses(sample(16), rope=rope).mean() for rope in still]
        assert result[end]["text"] == pytest.approx(text, abs=CLOSE)
        one = runs.copying(toy, runs.word_lists(2), rope=still[1])
        assert result[end]["copy"][1] == pytest.approx(one["loss"], abs=CLOSE)


def test_heads_that_look_back_by_one_are_found():
    weights = torch.zeros(2, 3, 50, 50)
    weights[1, 2].diagonal(-1).fill_(0.75)
    weights[0, 1].diagonal(-2).fill_(1.0)
    weights[0, 0].diagonal(-1)[:31].fill_(1.0)  # only where a text begins
    model = SimpleNamespace(attention=lambda tokens: weights)
    best = runs.previous_token_heads(model, count=50, best=2)
    assert best[0] == [1, 2, 0.75] and best[1][2] == 0.0


@pytest.mark.parametrize("method", [None, Linear(2), YaRN(4, 64)])
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_parts_of_a_score_add_up(method, layout):
    """Against scores of vectors turned one by one, with a shared key head."""
    model = Llama.random(runs._toy())
    model = model if layout == "interleaved" else model.half_split()
    rope, count, far = model.rope(method), 20, 7
    parts = runs.contributions(runs.products(model, 1, 3, count, far), rope)
    q, k = model.queries_keys(sample(count), 1)
    q, k = (
        rotate(x.double().numpy(), range(count), rope.inv_freq, layout)
        for x in (q[3], k[1])
    )
    scores = rope.attention_factor**2 * q @ k.T / 2
    means = [np.diagonal(scores, -d)[far - 1 - d :].mean() for d in range(far)]
    assert parts.sum(0) == pytest.approx(means, abs=1e-6)
    assert parts.shape == (2, far)


def test_products_need_a_query_that_sees_all(toy):
    with pytest.raises(ValueError, match="count must be at least distances = 9"):
        runs.products(toy, 0, 0, count=8, distances=9)


def test_gap_of_a_head(toy):
    result = runs.head_by_pair(toy, 1, 2, count=80)
    parts = runs.contributions(runs.products(toy, 1, 2, 80), toy.rope())
    gap = parts[:, 1] - parts[:, range(2, 33)].mean(1)
    assert result["gap"] == pytest.approx(gap, abs=1e-4)
    assert result["total"] == pytest.approx(gap.sum(), abs=1e-4)
    scores = result["scores"]
    assert scores["plain"] == pytest.approx(parts.sum(0), abs=1e-4)
    assert result["peaks"] == {name: np.argmax(x) for name, x in scores.items()}
    assert result["wavelengths"] == pytest.approx([2 * np.pi, 20 * np.pi], abs=0.01)
    several = runs.heads_by_pair(toy, count=80, best=8)
    row = [head[:2] for head in several["heads"]].index([1, 2])
    short = runs.contributions(runs.products(toy, 1, 2, 80, 33), toy.rope())
    expected = short[:, 1] - short[:, 2:].mean(1)
    assert several["gaps"][row] == pytest.approx(expected, abs=1e-4)


def test_where_a_head_looks(toy):
    result = runs.head_attention(toy, 1, 2, count=40, distances=3)
    weights = toy.attention(sample(40), 1, rope=Linear(4))[2].numpy()
    means = [np.mean([weights[m, m - d] for m in range(32, 40)]) for d in range(3)]
    assert result["PI x4"] == pytest.approx(means, abs=1e-4)


def test_norms_by_pair(toy):
    result, both = runs.norms(toy, 8), toy.queries_keys(sample(8))
    for name, x in zip(("queries", "keys"), both):
        squares = (x.double().numpy() ** 2).mean((1, 2))  # over heads and tokens
        sums = np.stack([squares[:, 0] + squares[:, 1], squares[:, 2] + squares[:, 3]])
        assert result[name] == pytest.approx(np.sqrt(sums.T), abs=1e-4)


def test_long_text_is_one_text(toy):
    """In chunks, with a list before it that comes again after each."""
    result = runs.long_text(toy, Linear(2), count=384, chunk=128, starts=[128, 384])
    words = runs.word_lists(1)[0, :WORDS]
    text = np.concatenate([words, sample(320)])
    whole = toy.losses(text, rope=Linear(2))
    expected = [whole[63:127], whole[128:255], whole[256:383]]
    assert result["losses"] == pytest.approx([x.mean() for x in expected], abs=CLOSE)
    again = toy.logits(np.concatenate([text, words]), rope=Linear(2))[384:-1]
    right = (again.argmax(-1).numpy() == words[1:]).mean()
    assert result["starts"] == [128, 384]
    assert result["accuracy"][1] == pytest.approx(right, abs=1e-4)


def test_long_text_remembers_the_list_and_not_its_copies():
    """A stand-in that answers with what followed the token the first time."""

    class Memory:
        def rope(self, scaling):
            return None

        def logits(self, tokens, rope, cache):
            known = [*cache.text, *tokens]
            cache.text = known
            after = [known[known.index(t) + 1 : known.index(t) + 2] for t in tokens]
            best = torch.tensor([(x or [0])[0] for x in after])
            return torch.nn.functional.one_hot(best, 49152).float()

    class Text:
        def __init__(self, text=()):
            self.text = list(text)

        def copy(self):
            return Text(self.text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "Cache", Text)
        result = runs.long_text(Memory(), count=256, chunk=128, starts=[128, 256])
    assert result["accuracy"][0] == result["accuracy"][1] > 0.9


# ---------------------------------------------------------- what is stored


@pytest.mark.parametrize("name", sorted(runs.RUNS))
def test_each_run_is_stored(name):
    folder = ROOT / "rope_edu" / "data" / "experiments"
    text = (folder / f"smollm-{name}.json").read_text("utf-8")
    content = json.loads(text)
    assert content["run"].endswith(f"rope_edu.experiments.smollm {name}")
    assert runs.stored(name) == content["result"]
    assert "NaN" not in text and "Infinity" not in text


def test_nothing_else_is_stored():
    folder = ROOT / "rope_edu" / "data" / "experiments"
    names = {path.stem for path in folder.glob("smollm-*.json")}
    assert names == {f"smollm-{name}" for name in runs.RUNS}


def test_running_stores_what_the_run_returns(toy, tmp_path, monkeypatch):
    path = tmp_path / "smollm-norms.json"
    monkeypatch.setattr(runs, "_file", lambda name: path)
    monkeypatch.setitem(runs.RUNS, "norms", lambda model: runs.norms(model, 4))
    threads = torch.get_num_threads()
    runs.run("norms", toy)
    torch.set_num_threads(threads)
    assert runs.stored("norms") == runs.norms(toy, 4)


def test_real_positions_are_those_stored(installed):
    losses = installed.losses(sample(384)).mean()
    assert runs.stored("positions")["as trained"] == pytest.approx(losses, abs=CLOSE)
    assert runs.stored("precision")["float64"]["loss"][0] == pytest.approx(
        losses, abs=CLOSE
    )


def test_real_head_is_the_one_stored(installed):
    stored, here = runs.stored("head"), runs.head_by_pair(installed)
    assert here["gap"] == pytest.approx(stored["gap"], abs=CLOSE)
    assert here["peaks"] == stored["peaks"]
    assert here["scores"]["YaRN x4"] == pytest.approx(
        stored["scores"]["YaRN x4"], abs=CLOSE
    )


def test_real_copying_is_as_stored(installed):
    """One word more or less may tip over on another machine."""
    stored, lists = runs.stored("copy-gap"), runs.word_lists(8)[:1]
    place = stored["starts"].index(8128)
    for name, method in (("plain", None), ("YaRN x2", YaRN(2, 8192))):
        here = runs.copying(installed, lists, 8128, method)["accuracy"][0]
        assert stored[name][place][0] == pytest.approx(here, abs=1.5 / 63)
