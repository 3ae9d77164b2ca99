"""Short looks at SmolLM2, for chapter 16 while it runs.

Each is a function of a model and takes some seconds. Where there is no model
(None), it returns what it gave once; `open_model` says which of the two it
is. All of them are stored by

    python -m rope_edu.experiments.looks

in a few minutes. Longer runs are those of `rope_edu.experiments.smollm`,
which also says what text is read. All without any training.
"""

import json
import re
from functools import wraps
from importlib.resources import files

import numpy as np
import torch

from rope_edu.experiments import smollm
from rope_edu.layouts import pair_indices
from rope_edu.pretrained import (
    Llama,
    decode,
    load,
    prompts,
    sample,
    vocabulary,
)
from rope_edu.rotary import RotaryEmbedding

LOOKS = {}
FILE = files("rope_edu").joinpath("data", "smollm_looks.json")
# Two gaps, within and near the end of the trained length.
NEAR, FAR = 64, 8128


def open_model():
    """Read the model of chapter 16, if it is installed.

    Returns
    -------
    model : Llama or None
    note : str
        Which of the two, and what that means for the page.

    Examples
    --------
    >>> model, note = open_model()
    >>> note.endswith("." if model else "instead.")
    True
    """
    try:
        model = load()
    except (FileNotFoundError, ModuleNotFoundError) as error:
        return None, f"{error}. Stored numbers are shown instead."
    return model, "The model is installed: short looks are computed here."


def stored(name):
    """Result of a look that was taken once.

    Parameters
    ----------
    name : str
        A key of `LOOKS`.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If there is no such look.

    Examples
    --------
    >>> stored("settings")["context"]
    8192
    """
    if name not in LOOKS:
        names = ", ".join(LOOKS)
        raise ValueError(f"name must be one of {names}, got {name!r}")
    return json.loads(FILE.read_text("utf-8"))["result"][name]


def _look(run):
    """Let a function answer from the store where there is no model."""
    LOOKS[run.__name__] = run

    @wraps(run)
    def look(model, **sizes):
        if model is None:
            return stored(run.__name__)
        return run(model, **sizes)

    return look


@_look
def settings(model):
    """What a file says about the size and the rotation of its model.

    Parameters
    ----------
    model : Llama or None

    Returns
    -------
    dict

    Examples
    --------
    >>> settings(Llama.random())["pairs"]
    2
    """
    config, rope = model.config, model.config.rope
    return {
        "layers": config.layers,
        "heads": config.heads,
        "kv_heads": config.kv_heads,
        "pairs": rope.rotary_dim // 2,
        "base": rope.base,
        "context": config.context,
        "layout": rope.layout,
    }


@_look
def greeting(model, prompt="The capital of France is", count=2):
    """First tokens that the model writes, with each reading of the pairs.

    Parameters
    ----------
    model : Llama or None
    prompt : str
        One of `rope_edu.pretrained.prompts`.
    count : int
        Tokens.

    Returns
    -------
    dict of str to str
        By reading: ``right``, ``wrong``, ``none``.

    Examples
    --------
    >>> greeting(None)["right"]
    ' Paris.'
    """
    names, tokens = vocabulary(), prompts()[prompt]
    return {
        name: decode(model.write(tokens, count, rope), names)
        for name, rope in smollm._readings(model).items()
    }


@_look
def written(model):
    """Spell out what is stored of ``smollm.continuations``.

    Parameters
    ----------
    model : Llama or None
        Not asked anything; where it is installed, so is its vocabulary.

    Returns
    -------
    dict of str to dict of str to str
        By prompt, then by reading.

    Examples
    --------
    >>> written(None)["The cat chases the mouse"]["right"][:17]
    '. The cat is chas'
    """
    names = vocabulary()
    return {
        prompt: {name: decode(text, names) for name, text in texts.items()}
        for prompt, texts in smollm.stored("continuations").items()
    }


@_look
def layout(model, lengths=(16, 128), windows=3):
    """Loss in either layout, as ``smollm.layout_trap`` of a smaller size.

    Parameters
    ----------
    model : Llama or None
    lengths : sequence of int
    windows : int

    Returns
    -------
    dict

    Examples
    --------
    >>> list(layout(None))
    ['lengths', 'right', 'wrong', 'none']
    """
    return smollm.layout_trap(model, lengths, windows)


@_look
def permuted(model, count=64):
    """Logits before and after the rows are carried over to half-split.

    Parameters
    ----------
    model : Llama or None
    count : int
        Tokens of text.

    Returns
    -------
    dict
        ``difference``, the largest of a logit, and ``largest``, the largest
        logit itself.

    Examples
    --------
    >>> both = permuted(Llama.random(smollm._toy()), count=4)
    >>> both["difference"] < 1e-4 * both["largest"]
    True
    """
    text = sample(count)
    before, after = (m.logits(text) for m in (model, model.half_split()))
    return {
        "difference": (before - after).abs().max().item(),
        "largest": round(before.abs().max().item(), 2),
    }


@_look
def moved(model, count=128, offset=5000):
    """What a shift of all positions does, with each reading of the pairs.

    Parameters
    ----------
    model : Llama or None
    count, offset : int
        Tokens of text, and position of the first one after the shift.

    Returns
    -------
    dict of str to float
        Largest change of the loss of one token, by reading.

    Examples
    --------
    >>> list(moved(Llama.random(smollm._toy()), count=4))
    ['right', 'wrong', 'none']
    """
    text, ids = sample(count), offset + np.arange(count)
    return {
        name: float(abs(
            model.losses(text, rope=rope) - model.losses(text, ids, rope)
        ).max())
        for name, rope in smollm._readings(model).items()
    }


def erase(model, pairs):
    """Take pairs out of all scores: their queries become 0.

    Parameters
    ----------
    model : Llama
    pairs : sequence of int
        Pair 0 is the fastest.

    Returns
    -------
    Llama
        All other weights are shared.

    Examples
    --------
    >>> q, _ = erase(Llama.random(), [1]).queries_keys([3, 1], layer=0)
    >>> (q[0, 0] == 0).tolist()
    [False, False, True, True]
    """
    config, weights = model.config, dict(model.weights)
    sides = pair_indices(config.rope.rotary_dim, config.rope.layout)
    channels = np.concatenate([side[list(pairs)] for side in sides])
    for layer in range(config.layers):
        name = f"blk.{layer}.attn_q.weight"
        rows = weights[name].unflatten(0, (config.heads, -1)).clone()
        rows[:, channels] = 0
        weights[name] = rows.flatten(0, 1)
    return Llama(config, weights)


@_look
def slow_pairs(model, slowest=16, count=384):
    """Loss with the slow half of the pairs stopped, and with it erased.

    Parameters
    ----------
    model : Llama or None
    slowest : int
        How many pairs.
    count : int
        Tokens of text.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> list(slow_pairs(Llama.random(smollm._toy()), slowest=1, count=4))
    ['as trained', 'stopped', 'erased']
    """
    pairs, text = model.config.rope.rotary_dim // 2, sample(count)
    slow = range(pairs - slowest, pairs)
    stopped = model.rope(still=slow)
    return {
        "as trained": smollm._mean(model.losses(text)),
        "stopped": smollm._mean(model.losses(text, rope=stopped)),
        "erased": smollm._mean(erase(model, slow).losses(text)),
    }


@_look
def erasing(model, counts=(1, 2, 4, 8, 16, 24), count=384):
    """Loss with the fastest or the slowest pairs erased.

    Parameters
    ----------
    model : Llama or None
    counts : sequence of int
        How many of them.
    count : int
        Tokens of text.

    Returns
    -------
    dict
        ``counts``, and a list of losses from either end; each begins with a
        count of 0.

    Examples
    --------
    >>> erasing(Llama.random(smollm._toy()), counts=[1], count=4)["counts"]
    [0, 1]
    """
    pairs, text = range(model.config.rope.rotary_dim // 2), sample(count)
    counts = [0, *counts]
    return {"counts": counts} | {
        end: [smollm._mean(erase(model, order[:k]).losses(text))
              for k in counts]
        for end, order in (("fastest", pairs), ("slowest", pairs[::-1]))
    }


@_look
def amplitudes(model, layer=16, head=0, count=256):
    """Amplitude of each pair in a head, as a mean over distances 1 to 32.

    Parameters
    ----------
    model : Llama or None
    layer, head : int
    count : int
        Tokens of text.

    Returns
    -------
    dict
        For each pair, ``sizes`` in logits and ``phases`` in rad of the
        amplitude, and ``spread``, how far it strays from the mean at some
        distance, in logits.

    Examples
    --------
    >>> found = amplitudes(Llama.random(smollm._toy()), layer=1, count=40)
    >>> len(found["sizes"]), len(found["phases"])
    (2, 2)
    """
    products = smollm.products(model, layer, head, count, smollm.NEAR)
    # The star moves from the key to the query: the amplitudes of chapter 8.
    found = products[:, 1:].conj() / model.config.rope.head_dim**0.5
    mean = found.mean(1)
    columns = {
        "sizes": abs(mean),
        "phases": np.angle(mean),
        "spread": abs(found - mean[:, None]).max(1),
    }
    return {name: x.round(4).tolist() for name, x in columns.items()}


def _parts(model, layer, head, count):
    """Each pair's part of each score, in shape (queries, keys, pairs)."""
    q, k = model.queries_keys(sample(count), layer)
    shared = len(q) // len(k)
    rates = np.array(model.rope().inv_freq)
    turn = np.exp(1j * np.outer(np.arange(count), rates))
    q, k = (
        smollm._complex(model, x) * turn for x in (q[head], k[head // shared])
    )
    return (q[:, None] * k.conj()).real / model.config.rope.head_dim**0.5


@_look
def one_by_one(model, layer=16, head=0, count=256, slow=1000):
    """A head's scores query by query, and what the first token gets.

    Parameters
    ----------
    model : Llama or None
    layer, head : int
    count : int
        Tokens of text, more than 33. The queries are those from number 33
        on, and each looks at distances 0 to 32, where the first token of the
        text is not.
    slow : float
        Wavelength in tokens above which a pair is called slow.

    Returns
    -------
    dict of str to float
        ``nearest``, share of queries whose largest score is at distance 1;
        ``least lead`` and ``largest lead`` of distance 1 over the mean of 2
        to 32; ``near``, ``far`` and ``first``, mean part of the slow pairs in
        the scores of these keys, in those of the first half of the text with
        the last quarter, and in that of the first token, which is in neither;
        ``attention`` that it gets. In logits, where not a share.

    Examples
    --------
    >>> found = one_by_one(Llama.random(smollm._toy()), layer=1, count=40)
    >>> 0 <= found["nearest"] <= 1
    True
    """
    parts = _parts(model, layer, head, count)
    waves = 2 * np.pi / np.array(model.rope().inv_freq)
    slow_part = parts[..., waves > slow].sum(-1)
    queries = np.arange(smollm.NEAR, count)
    near = queries[:, None], queries[:, None] - np.arange(smollm.NEAR)
    scores = parts.sum(-1)[near]
    leads = scores[:, 1] - scores[:, 2:].mean(1)
    weights = model.attention(sample(count), layer)[head, queries, 0]
    found = {
        "nearest": (scores.argmax(1) == 1).mean(),
        "least lead": leads.min(),
        "largest lead": leads.max(),
        "near": slow_part[near].mean(),
        "far": slow_part[3 * count // 4 :, 1 : count // 2].mean(),
        "first": slow_part[queries, 0].mean(),
        "attention": weights.mean(),
    }
    return {name: round(float(x), 4) for name, x in found.items()}


@_look
def copies(model, lists=1, near=NEAR, far=FAR):
    """Copying of lists across two gaps, by method and for two mistakes.

    Parameters
    ----------
    model : Llama or None
    lists : int
        Lists of words, the first ones of ``smollm.word_lists``.
    near, far : int
        Tokens from a word to its second mention.

    Returns
    -------
    dict of str to list of float
        Share of words that are right across either gap.

    Examples
    --------
    >>> list(copies(Llama.random(smollm._toy()), far=65))[:3]
    ['plain', 'PI x2', 'NTK x2']
    """
    words, width = smollm.word_lists(lists), model.config.rope.rotary_dim
    other = RotaryEmbedding.from_base(width, 10**4).inv_freq
    ways = smollm.scalings(model.config.context) | {
        "base 10,000": smollm._with_rates(model, other),
        "wrong layout": smollm._readings(model)["wrong"],
    }
    return {
        name: [
            smollm._mean(
                smollm.copying(model, words, gap, rope)["accuracy"]
            )
            for gap in (near, far)
        ]
        for name, rope in ways.items()
    }


def patients():
    """Tell of three models what exercise 16.4 asks about.

    Returns
    -------
    list of str

    Examples
    --------
    >>> print(patients()[0])
    1: 384 tokens cost 3.89 nats at position 0, 4.68 at 1,024, 5.05 at 4,096
    """
    rounded = smollm.stored("precision")["bfloat16"]["loss"]
    cost, gaps = smollm.stored("short-cost"), smollm.stored("copy-gap")
    near, far = (np.mean(gaps[name][at]) for name, at in
                 (("PI x2", 0), ("plain", 4)))
    late = smollm.stored("long-plain")["losses"]
    return [
        f"1: 384 tokens cost {rounded[0]:.2f} nats at position 0,"
        f" {rounded[2]:.2f} at 1,024, {rounded[3]:.2f} at 4,096",
        f"2: 2048 tokens cost {cost['PI x2']:.2f} nats at any position"
        f" ({cost['plain']:.2f} is usual);\n   of a list 64 tokens back,"
        f" {near:.0%} is copied",
        f"3: {late[0]:.2f} nats at the beginning of a text, {late[-1]:.2f}"
        f" at token 16,000;\n   of a list 7168 tokens back, {far:.0%} is"
        " copied",
    ]


def store():
    """Take every look, with one thread, and store what it gives.

    Raises
    ------
    FileNotFoundError
        If the model is not installed.
    """
    torch.set_num_threads(1)
    model = load()
    content = {
        "run": "python -m rope_edu.experiments.looks",
        "model": "SmolLM2-135M-Instruct, Q4_1, float32 on one CPU thread",
        "torch": torch.__version__.split("+")[0],
        "result": {name: run(model) for name, run in LOOKS.items()},
    }
    text = json.dumps(content, indent=1)
    text = re.sub(r"\[[^][{}]*\]", lambda m: " ".join(m[0].split()), text)
    FILE.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    store()
