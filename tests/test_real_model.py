"""Chapter 16: its short looks, and its page where the model is missing.

The looks are tried on toys by other routes, and the stored ones compared with
the model where it is installed.
"""

import json
from math import pi

import numpy as np
import pytest
from book import NOTEBOOKS, ROOT, tags

torch = pytest.importorskip("torch")
from rope_edu import rotate  # noqa: E402
from rope_edu.experiments import looks, smollm  # noqa: E402
from rope_edu.pretrained import Llama, gguf_file, sample  # noqa: E402

# Between ways to sum in float32; stored numbers have four digits.
CLOSE = 2e-3


@pytest.fixture(scope="module")
def toy():
    return Llama.random(smollm._toy())


@pytest.fixture
def hidden(monkeypatch):
    """Let the model be not installed."""
    monkeypatch.setattr(gguf_file, "PACKAGE", "no_such_package")


def test_without_the_model_it_is_said_how_to_get_it(hidden):
    model, note = looks.open_model()
    assert model is None
    assert "requirements-model.txt" in note and "Stored numbers" in note


def test_every_look_is_stored_and_found():
    content = json.loads(looks.FILE.read_text("utf-8"))
    assert list(content["result"]) == list(looks.LOOKS)
    assert content["run"].endswith("rope_edu.experiments.looks")
    for name in looks.LOOKS:
        assert getattr(looks, name)(None) == content["result"][name]
    with pytest.raises(ValueError, match="name must be one of settings, .*'x'"):
        looks.stored("x")


def test_storing_takes_every_look(toy, tmp_path, monkeypatch):
    path = tmp_path / "looks.json"
    monkeypatch.setattr(looks, "FILE", path)
    monkeypatch.setattr(looks, "load", lambda: toy)
    monkeypatch.setattr(looks, "LOOKS", {"settings": looks.LOOKS["settings"]})
    threads = torch.get_num_threads()
    looks.store()
    torch.set_num_threads(threads)
    assert looks.stored("settings") == looks.settings(toy)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_an_erased_pair_is_in_no_score(toy, layout):
    """Against scores of the other pair alone, turned one by one."""
    model = toy if layout == "interleaved" else toy.half_split()
    q, k = model.queries_keys(sample(9), 0)
    keep = [0, 1] if layout == "interleaved" else [0, 2]
    rate = [model.rope().inv_freq[0]]
    q, k = (rotate(x[0].double().numpy()[:, keep], range(9), rate) for x in (q, k))
    scores = np.where(np.tri(9), q @ k.T / 2, -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    found = looks.erase(model, [1]).attention(sample(9), 0)[0]
    assert found.numpy() == pytest.approx(weights, abs=1e-6)
    # And the model that was given has lost nothing.
    assert torch.equal(toy.queries_keys(sample(9), 0)[0], Llama.random(
        smollm._toy()).queries_keys(sample(9), 0)[0])


def test_pairs_are_erased_from_either_end(toy):
    found = looks.erasing(toy, counts=(1, 2), count=16)
    text = sample(16)
    one = [looks.erase(toy, [pair]).losses(text).mean() for pair in (0, 1)]
    none = looks.erase(toy, [0, 1]).losses(text).mean()
    plain = toy.losses(text).mean()
    assert found["counts"] == [0, 1, 2]
    assert found["fastest"] == pytest.approx([plain, one[0], none], abs=CLOSE)
    assert found["slowest"] == pytest.approx([plain, one[1], none], abs=CLOSE)
    slow = looks.slow_pairs(toy, slowest=1, count=16)
    stopped = toy.losses(text, rope=toy.rope(still=[1])).mean()
    assert list(slow.values()) == pytest.approx([plain, stopped, one[1]], abs=CLOSE)


def test_amplitudes_make_the_score_of_a_head(toy):
    """With the signs of chapter 8: a key r back gets |h| cos(r theta - phi)."""
    found = looks.amplitudes(toy, layer=1, head=3, count=40)
    products = smollm.products(toy, 1, 3, 40, smollm.NEAR)
    fixed = np.repeat(products[:, 1:].mean(1)[:, None], 5, axis=1)
    expected = smollm.contributions(fixed, toy.rope())
    r, rates = np.arange(5), np.array(toy.rope().inv_freq)[:, None]
    sizes, phases = (np.array(found[name])[:, None] for name in ("sizes", "phases"))
    assert sizes * np.cos(r * rates - phases) == pytest.approx(expected, abs=1e-3)
    scaled = abs(products[:, 1:] - fixed[:, :1]).max(1) / 2
    assert found["spread"] == pytest.approx(scaled, abs=1e-4)


def test_one_by_one_against_attention(toy):
    """Scores are logarithms of attention, up to a number for each query."""
    count, slow = 48, 2 * pi + 1  # above the wavelength of pair 0
    found = looks.one_by_one(toy, layer=1, head=2, count=count, slow=slow)
    weights = toy.attention(sample(count), 1)[2].double().numpy()
    rows = [np.log(weights[m, m - np.arange(33)]) for m in range(33, count)]
    leads = [row[1] - row[2:].mean() for row in rows]
    assert found["nearest"] == pytest.approx(
        np.mean([row.argmax() == 1 for row in rows]), abs=1e-4
    )
    assert [found["least lead"], found["largest lead"]] == pytest.approx(
        [min(leads), max(leads)], abs=CLOSE
    )
    assert found["attention"] == pytest.approx(weights[33:, 0].mean(), abs=1e-4)
    q, k = toy.queries_keys(sample(count), 1)
    rate = [toy.rope().inv_freq[1]]
    q, k = (rotate(x.double().numpy()[:, 2:], range(count), rate) for x in (q[2], k[1]))
    part = q @ k.T / 2
    assert found["first"] == pytest.approx(part[33:, 0].mean(), abs=1e-3)
    assert found["far"] == pytest.approx(part[36:, 1:24].mean(), abs=1e-3)
    near = [part[m, m - 32 : m + 1].mean() for m in range(33, count)]
    assert found["near"] == pytest.approx(np.mean(near), abs=1e-3)


def test_a_shift_and_a_permutation_change_nothing_in_a_toy(toy):
    assert max(looks.moved(toy, count=8).values()) < 1e-4
    assert looks.moved(toy, count=8)["none"] == 0
    found = looks.permuted(toy, count=8)
    assert found["difference"] < 1e-4 * found["largest"]


def test_copies_are_those_of_the_runs(toy):
    found = looks.copies(toy, lists=2, near=64, far=70)
    lists, rope = smollm.word_lists(2), toy.rope(layout="half")
    expected = [
        np.mean(smollm.copying(toy, lists, gap, rope)["accuracy"]) for gap in (64, 70)
    ]
    assert found["wrong layout"] == pytest.approx(expected, abs=1e-4)
    assert list(found)[:4] == list(smollm.scalings(8192))


def test_stored_looks_are_those_of_the_model(installed):
    """The quick ones; the page takes the others and shows what it gets."""
    assert looks.settings(installed) == looks.stored("settings")
    for name in ("amplitudes", "one_by_one"):
        here, stored = getattr(looks, name)(installed), looks.stored(name)
        assert list(here) == list(stored)
        for key, value in here.items():
            if key != "phases":  # of small amplitudes they are noise
                assert value == pytest.approx(stored[key], abs=5e-3), (name, key)


def test_page_prints_the_same_without_the_model(hidden, capsys):
    """Where a cell asks the model, the stored look takes its place."""
    (page,) = [n for n in NOTEBOOKS if n.path.stem == "16-a-real-model"]
    names, asked = {}, 0
    for cell in page.notebook.cells:
        if cell.cell_type != "code":
            continue
        exec(cell.source, names)
        printed = capsys.readouterr().out
        told = "".join(o.text for o in cell.outputs if o.output_type == "stream")
        if "nbval-ignore-output" in tags(cell):
            assert "not installed" in printed
            asked += 1
        else:
            assert printed == told, cell.source
    assert asked == 1 and names["model"] is None


def test_no_run_is_stored_for_nothing():
    """What is not shown need not be computed; the texts are in the looks."""
    text = (ROOT / "notebooks" / "16-a-real-model.md").read_text("utf-8")
    for name in set(smollm.RUNS) - {"continuations"}:
        assert f'stored("{name}")' in text, name
