"""What SmolLM2 does when its dials are changed: the runs of chapter 16.

Each function takes a model that `rope_edu.pretrained.load` gives and returns
plain numbers and lists. The sizes by default are those of the stored results,

    python -m rope_edu.experiments.smollm NAME

runs one of `RUNS` anew and stores it; `stored` reads it. Smaller sizes are
for a live look: a pass over 512 tokens takes some 2 seconds on one core.

Losses are nats per token on the beginning of Mansfield Park. Lists of words
are drawn from the tokens of that text; a list that is read twice shows
whether the model finds its way back. All without any training.
"""

import argparse
import json
import re
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from rope_edu.layouts import pair_indices
from rope_edu.pretrained import Cache, Llama, load, prompts, sample
from rope_edu.rotary import RotaryEmbedding
from rope_edu.scaling import Default, DynamicNTK, Linear, NTKAware, YaRN

WORDS = 64  # in a list that is copied
NEAR = 33  # distances over which a head is looked at: 0 to 32


def scalings(context, factors=(2,)):
    """Methods that are compared, by the name they have in the results.

    Parameters
    ----------
    context : int
        Length that the model was trained on.
    factors : sequence of float

    Returns
    -------
    dict of str to rope_edu.scaling.Scaling

    Examples
    --------
    >>> list(scalings(8192))
    ['plain', 'PI x2', 'NTK x2', 'YaRN x2']
    """
    methods = {"plain": Default()}
    for factor in factors:
        methods[f"PI x{factor}"] = Linear(factor)
        methods[f"NTK x{factor}"] = NTKAware(factor)
        methods[f"YaRN x{factor}"] = YaRN(factor, context)
    return methods


def word_lists(count=8, seed=0):
    """Lists of words in no order, each read twice in a row.

    Parameters
    ----------
    count : int
    seed : int

    Returns
    -------
    numpy.ndarray of int, shape (count, 2 * WORDS)

    Examples
    --------
    >>> lists = word_lists(count=2)
    >>> lists.shape, bool((lists[:, :64] == lists[:, 64:]).all())
    ((2, 128), True)
    """
    kinds = np.unique(sample())
    lists = np.random.default_rng(seed).choice(kinds, (count, WORDS))
    return np.concatenate([lists, lists], axis=1)


def _mean(numbers):
    return round(float(np.average(numbers)), 4)


def _readings(model):
    pairs = model.config.rope.rotary_dim // 2
    other = {"half": "interleaved", "interleaved": "half"}
    return {
        "right": model.rope(),
        "wrong": model.rope(layout=other[model.config.rope.layout]),
        "none": model.rope(still=range(pairs)),
    }


def layout_trap(
    model, lengths=(8, 16, 32, 64, 128, 256, 512), windows=8
):
    """Loss by length of the prompt, in either layout and without rotation.

    Parameters
    ----------
    model : Llama
    lengths : sequence of int
        Tokens from the beginning of a window over which losses are averaged.
    windows : int
        Pieces of text, of as many tokens as the largest length.

    Returns
    -------
    dict
        ``lengths``, and a list of losses for ``right``, ``wrong`` and
        ``none``.

    Examples
    --------
    >>> toy = Llama.random(_toy())
    >>> list(layout_trap(toy, lengths=(4, 8), windows=1))
    ['lengths', 'right', 'wrong', 'none']
    """
    text = sample(windows * max(lengths)).reshape(windows, -1)
    result = {"lengths": list(lengths)}
    for name, rope in _readings(model).items():
        losses = np.stack([model.losses(window, rope=rope) for window in text])
        result[name] = [_mean(losses[:, : n - 1]) for n in lengths]
    return result


def continuations(model, count=24):
    """What the model writes after short prompts, in either layout.

    Parameters
    ----------
    model : Llama
    count : int
        Tokens to write, the likeliest each time.

    Returns
    -------
    dict of str to dict of str to list of int
        By prompt, then by reading: ``right``, ``wrong``, ``none``.

    Examples
    --------
    >>> written = continuations(Llama.random(_toy()), count=2)
    >>> len(written["The capital of France is"]["wrong"])
    2
    """
    readings = _readings(model)
    return {
        prompt: {
            name: model.write(tokens, count, rope)
            for name, rope in readings.items()
        }
        for prompt, tokens in prompts().items()
    }


@dataclass(frozen=True)
class Rounded:
    """A rotation whose positions and angles are rounded on the way.

    Parameters
    ----------
    rope : RotaryEmbedding
    angles : torch.dtype
        Positions, rates and their product are rounded to it.
    rates : torch.dtype
        Rates are rounded to it before.

    Examples
    --------
    >>> rope, ids = RotaryEmbedding([1.0]), torch.tensor([1000, 1001])
    >>> for dtype in (torch.float64, torch.bfloat16):
    ...     cos, _ = Rounded(rope, dtype).table(ids)
    ...     print(cos.flatten().numpy().round(4).tolist())
    [0.5624, -0.3919]
    [0.5624, 0.5624]
    """

    rope: RotaryEmbedding
    angles: torch.dtype = torch.float64
    rates: torch.dtype = torch.float64

    @property
    def layout(self):
        """That of `rope`."""
        return self.rope.layout

    def table(self, position_ids):
        """Cosine and sine of the rounded angles, in float32.

        Parameters
        ----------
        position_ids : torch.Tensor

        Returns
        -------
        cos, sin : torch.Tensor, shape position_ids.shape + (pairs,)

        Examples
        --------
        >>> cos, sin = Rounded(RotaryEmbedding([1.0])).table(torch.tensor([0]))
        >>> cos.tolist(), sin.tolist()
        ([[1.0]], [[0.0]])
        """
        rates = torch.tensor(self.rope.inv_freq, dtype=torch.float64)
        rates = rates.to(self.rates).to(self.angles)
        angle = (position_ids.to(self.angles)[..., None] * rates).double()
        return angle.cos().float(), angle.sin().float()


def _roundings(rope):
    return {
        "float64": Rounded(rope),
        "float32": Rounded(rope, torch.float32),
        "bfloat16": Rounded(rope, torch.bfloat16),
        "bfloat16 rates": Rounded(rope, rates=torch.bfloat16),
    }


def precision(
    model,
    offsets=(0, 256, 1024, 4096, 16384, 10**5, 10**6, 10**7),
    kinds=("float64", "float32", "bfloat16", "bfloat16 rates"),
    count=384,
):
    """Loss of one text at several offsets, with rounded angles.

    Parameters
    ----------
    model : Llama
    offsets : sequence of int
        Position of the first token.
    kinds : sequence of str
        ``"float64"``; ``"float32"`` and ``"bfloat16"``, to which positions,
        rates and angles are rounded; ``"bfloat16 rates"``, where the rates
        alone are.
    count : int
        Tokens.

    Returns
    -------
    dict
        ``offsets``, and for each kind ``loss`` and ``worst``, the largest
        change of the loss of one token, against float64 at offset 0.

    Examples
    --------
    >>> toy = Llama.random(_toy())
    >>> precision(toy, [0], ["float64"], count=4)["float64"]["worst"]
    [0.0]
    """
    text, roundings = sample(count), _roundings(model.rope())
    start, result = model.losses(text), {"offsets": list(offsets)}
    for kind in kinds:
        rows = [
            model.losses(text, offset + np.arange(count), roundings[kind])
            for offset in offsets
        ]
        result[kind] = {
            "loss": [_mean(row) for row in rows],
            "worst": [round(float(abs(r - start).max()), 4) for r in rows],
        }
    return result


def _with_rates(model, inv_freq):
    rope = model.config.rope
    return RotaryEmbedding(inv_freq, rope.layout, rope.head_dim)


def _rereadings(model, count):
    """Return position ids and rates, by name."""
    rates = np.array(model.rope().inv_freq)
    width, order = model.config.rope.rotary_dim, np.arange(count)
    shuffled = np.random.default_rng(0).permutation(count)
    bases = {
        f"base {base:,}": (
            order, RotaryEmbedding.from_base(width, base).inv_freq,
        )
        for base in (10**4, 5 * 10**5)
    }
    return {
        "as trained": (order, rates),
        "moved by 5000": (order + 5000, rates),
        **bases,
        "stride 2": (2 * order, rates),
        "stride 4": (4 * order, rates),
        "positions reversed": (order[::-1], rates),
        "wrong sign": (order, -rates),
        "shuffled": (shuffled, rates),
        "none": (0 * order, rates),
    }


def positions(model, count=384):
    """Loss of one text with other positions, or other rates.

    Parameters
    ----------
    model : Llama
    count : int
        Tokens.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> result = positions(Llama.random(_toy()), count=8)
    >>> result["as trained"] == result["moved by 5000"]
    True
    """
    text = sample(count)
    return {
        name: _mean(model.losses(text, ids.copy(), _with_rates(model, rates)))
        for name, (ids, rates) in _rereadings(model, count).items()
    }


def copying(model, lists, start=WORDS, rope=None):
    """How well the second reading of a list follows the first.

    Parameters
    ----------
    model : Llama
    lists : array_like, shape (count, 2 * WORDS)
        As `word_lists` gives them.
    start : int
        Position at which the second reading begins: each word then is
        `start` tokens after its first mention. Nothing lies between; the
        positions are left out.
    rope : optional
        As in `Llama.logits`.

    Returns
    -------
    dict
        ``accuracy``, one number for each list: of words 2 to 64, the share
        that is the likeliest token; ``loss``, their mean loss.

    Examples
    --------
    >>> toy = Llama.random(_toy())
    >>> len(copying(toy, word_lists(2))["accuracy"])
    2
    """
    order = np.arange(WORDS)
    ids = np.concatenate([order, start + order])
    logits = model.logits(lists, ids, rope)[:, WORDS:-1].transpose(1, 2)
    aims = torch.tensor(np.asarray(lists)[:, WORDS + 1 :])
    right = (logits.argmax(1) == aims).double().mean(-1)
    loss = cross_entropy(logits, aims)
    accuracy = [round(x, 4) for x in right.tolist()]
    return {"accuracy": accuracy, "loss": round(loss.item(), 4)}


def freezing(model, counts=(1, 2, 4, 8, 16, 24, 32), count=384, lists=4):
    """Loss and copying with the fastest or the slowest pairs stopped.

    Parameters
    ----------
    model : Llama
    counts : sequence of int
        Of pairs whose rate becomes 0.
    count : int
        Tokens of text.
    lists : int
        Lists of words.

    Returns
    -------
    dict
        ``counts``, and for ``fastest`` and ``slowest`` three lists: ``text``
        (loss), ``copy`` (loss) and ``accuracy`` (mean over the lists). Each
        begins with a count of 0.

    Examples
    --------
    >>> result = freezing(Llama.random(_toy()), [1], count=8, lists=1)
    >>> result["counts"], len(result["slowest"]["text"])
    ([0, 1], 2)
    """
    pairs = np.arange(model.config.rope.rotary_dim // 2)
    counts, words, text = [0, *counts], word_lists(lists), sample(count)
    result = {"counts": counts}
    for end, order in (("fastest", pairs), ("slowest", pairs[::-1])):
        ropes = [model.rope(still=order[:k].tolist()) for k in counts]
        copies = [copying(model, words, rope=rope) for rope in ropes]
        result[end] = {
            "text": [_mean(model.losses(text, rope=rope)) for rope in ropes],
            "copy": [row["loss"] for row in copies],
            "accuracy": [_mean(row["accuracy"]) for row in copies],
        }
    return result


def previous_token_heads(model, count=256, best=12):
    """Heads that attend most to the token before.

    Parameters
    ----------
    model : Llama
    count : int
        Tokens of text.
    best : int
        Heads to return.

    Returns
    -------
    list of [int, int, float]
        Layer, head, and its mean attention at distance 1, over the tokens
        from the 33rd on. The strongest comes first.

    Examples
    --------
    >>> len(previous_token_heads(Llama.random(_toy()), count=40, best=3))
    3
    """
    weights = model.attention(sample(count))
    before = weights.diagonal(-1, -2, -1)[..., NEAR - 2 :].mean(-1)
    order = before.flatten().argsort(descending=True, stable=True)[:best]
    places = [divmod(int(i), before.shape[1]) for i in order]
    return [[a, b, round(before[a, b].item(), 4)] for a, b in places]


def products(model, layer, head, count=256, distances=65):
    """Mean product of query and key, pair by pair, before any rotation.

    A pair is read as a complex number, and the product is ``q * conj(k)`` at
    the same distance, averaged over the queries that see all distances. With
    it, `contributions` gives the mean score for any rates.

    Parameters
    ----------
    model : Llama
    layer, head : int
    count : int
        Tokens of text.
    distances : int
        From 0 on.

    Returns
    -------
    numpy.ndarray of complex, shape (pairs, distances)

    Raises
    ------
    ValueError
        If no query sees all distances.

    Examples
    --------
    >>> products(Llama.random(_toy()), 1, 3, count=9, distances=8).shape
    (2, 8)
    """
    if count < distances:
        raise ValueError(
            f"count must be at least distances = {distances}, got {count}"
        )
    q, k = model.queries_keys(sample(count), layer)
    shared = len(q) // len(k)
    q, k = (_complex(model, x) for x in (q[head], k[head // shared]))
    first = distances - 1
    keys = [k[first - far : count - far] for far in range(distances)]
    return np.stack(
        [(q[first:] * key.conj()).mean(0) for key in keys], axis=-1
    )


def _complex(model, x):
    rope = model.config.rope
    first, second = pair_indices(rope.rotary_dim, rope.layout)
    x = x.double().numpy()
    return x[..., first] + 1j * x[..., second]


def contributions(products, rope, head_dim=None):
    """Share of each pair in the mean score, by distance.

    Parameters
    ----------
    products : array_like of complex, shape (pairs, distances)
    rope : RotaryEmbedding
        Its rates and its attention factor are used.
    head_dim : int, optional
        Scores are divided by its square root; ``rope.head_dim`` by default.

    Returns
    -------
    numpy.ndarray, shape (pairs, distances)
        Their sum over the pairs is the mean score.

    Examples
    --------
    >>> rope = RotaryEmbedding([1.0, 0.1])
    >>> contributions([[1, 1], [1, 1]], rope).round(4).tolist()
    [[0.5, 0.2702], [0.5, 0.4975]]
    """
    products = np.asarray(products)
    far = np.arange(products.shape[-1])
    turn = np.exp(1j * np.outer(rope.inv_freq, far))
    scale = rope.attention_factor**2 / (head_dim or rope.head_dim) ** 0.5
    return (products * turn).real * scale


def _gap(parts):
    """Return by how much distance 1 is above distances 2 to 32, by pair."""
    return parts[:, 1] - parts[:, 2:NEAR].mean(-1)


def head_by_pair(model, layer=16, head=0, count=256):
    """Which pairs make a head look at the token before.

    Parameters
    ----------
    model : Llama
    layer, head : int
    count : int
        Tokens of text.

    Returns
    -------
    dict
        ``gap``, of the mean score at distance 1 over that at distances 2 to
        32, one number for each pair; ``total``, their sum; ``wavelengths``
        in tokens; ``scores``, the mean score at distances 0 to 64 with the
        same queries and keys and the rates of each method, factors 2 and 4;
        ``peaks``, the distance where it is largest.

    Examples
    --------
    >>> result = head_by_pair(Llama.random(_toy()), 1, 0, count=70)
    >>> len(result["gap"]), list(result["peaks"])[:3]
    (2, ['plain', 'PI x2', 'NTK x2'])
    """
    mean, rope = products(model, layer, head, count), model.rope()
    gap = _gap(contributions(mean, rope))
    scores = {
        name: contributions(mean, model.rope(scaling)).sum(0)
        for name, scaling in scalings(model.config.context, (2, 4)).items()
    }
    wavelengths = 2 * np.pi / np.array(rope.inv_freq)
    return {
        "gap": gap.round(4).tolist(),
        "total": round(float(gap.sum()), 4),
        "wavelengths": wavelengths.round(2).tolist(),
        "scores": {name: x.round(4).tolist() for name, x in scores.items()},
        "peaks": {name: int(x.argmax()) for name, x in scores.items()},
    }


def head_attention(model, layer=16, head=0, count=256, distances=9):
    """Where a head looks when a method changes the rates of all layers.

    Parameters
    ----------
    model : Llama
    layer, head : int
    count : int
        Tokens of text.
    distances : int
        From 0 on.

    Returns
    -------
    dict of str to list of float
        By method, with factors 2 and 4: mean attention at each distance,
        over the tokens from the 33rd on.

    Examples
    --------
    >>> result = head_attention(Llama.random(_toy()), 1, 0, 40, distances=3)
    >>> len(result["YaRN x4"])
    3
    """
    text, result = sample(count), {}
    for name, scaling in scalings(model.config.context, (2, 4)).items():
        weights = model.attention(text, layer, rope=scaling)[head]
        rows = [
            weights.diagonal(-far)[NEAR - 1 - far :].mean().item()
            for far in range(distances)
        ]
        result[name] = np.round(rows, 4).tolist()
    return result


def heads_by_pair(model, count=256, best=12):
    """The gap of `head_by_pair`, for the strongest previous-token heads.

    Parameters
    ----------
    model : Llama
    count, best : int
        As in `previous_token_heads`.

    Returns
    -------
    dict
        ``heads``, as there; ``gaps``, one number for each head and pair.

    Examples
    --------
    >>> result = heads_by_pair(Llama.random(_toy()), count=70, best=2)
    >>> np.shape(result["gaps"])
    (2, 2)
    """
    heads, rope = previous_token_heads(model, count, best), model.rope()
    gaps = [
        _gap(contributions(products(model, a, b, count, NEAR), rope))
        for a, b, _ in heads
    ]
    return {"heads": heads, "gaps": np.round(gaps, 4).tolist()}


def copy_gap(
    model,
    starts=(64, 2048, 4096, 6144, 7168, 8128, 9216, 10240, 12288, 14336,
            16320),
    factors=(2, 4),
    lists=8,
):
    """Copying a list of words across a gap in the positions, by method.

    Parameters
    ----------
    model : Llama
    starts : sequence of int
        Positions at which the list is read again, as in `copying`.
    factors : sequence of float
        Of position interpolation, NTK and YaRN. Dynamic NTK has none: its
        factor follows from the last position.
    lists : int
        Lists of words.

    Returns
    -------
    dict
        ``starts``, and for each method one list of accuracies, one for each
        list of words, at each start.

    Examples
    --------
    >>> result = copy_gap(Llama.random(_toy()), [64], (), lists=1)
    >>> list(result)
    ['starts', 'plain', 'dynamic NTK']
    """
    words, context = word_lists(lists), model.config.context
    methods = scalings(context, factors)
    methods["dynamic NTK"] = DynamicNTK(1, context)
    return {"starts": list(starts)} | {
        name: [
            copying(
                model, words, start, model.rope(scaling, start + WORDS)
            )["accuracy"]
            for start in starts
        ]
        for name, scaling in methods.items()
    }


def norms(model, count=256):
    """Mean length of the pairs of queries and keys, by layer.

    Parameters
    ----------
    model : Llama
    count : int
        Tokens of text.

    Returns
    -------
    dict
        ``queries`` and ``keys``, of shape (layers, pairs): the root of the
        mean square over tokens and heads.

    Examples
    --------
    >>> np.shape(norms(Llama.random(_toy()), count=8)["keys"])
    (2, 2)
    """
    both = model.queries_keys(sample(count))
    squares = [abs(_complex(model, x)) ** 2 for x in both]
    roots = [np.sqrt(x.mean((1, 2))).round(4).tolist() for x in squares]
    return dict(zip(("queries", "keys"), roots))


def short_cost(model, factors=(1.25, 2, 4), count=2048):
    """Loss on a text that would not need any method.

    Parameters
    ----------
    model : Llama
    factors : sequence of float
    count : int
        Tokens.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> list(short_cost(Llama.random(_toy()), (2,), count=8))
    ['plain', 'PI x2', 'NTK x2', 'YaRN x2']
    """
    text, methods = sample(count), scalings(model.config.context, factors)
    return {
        name: _mean(model.losses(text, rope=scaling))
        for name, scaling in methods.items()
    }


def long_text(
    model, scaling=Default(), starts=None, count=16384, chunk=512
):
    """Loss along a long text, and copying across all of it.

    The text begins with a list of words. At each start the list is read a
    second time, in a copy of the cache, with real text between.

    Parameters
    ----------
    model : Llama
    scaling : Scaling
        A method whose rates do not depend on the length.
    starts : sequence of int, optional
        Multiples of `chunk`; every second multiple by default.
    count : int
        Tokens, the list included.
    chunk : int
        Tokens read at a time.

    Returns
    -------
    dict
        ``losses``, their mean over each ``chunk``, the first without the
        list; ``starts``; ``accuracy``.

    Examples
    --------
    >>> result = long_text(Llama.random(_toy()), count=256, chunk=128)
    >>> len(result["losses"]), result["starts"]
    (2, [256])
    """
    words, rope, cache = word_lists(1)[0, :WORDS], model.rope(scaling), Cache()
    text = np.concatenate([words, sample(count - WORDS)])
    if starts is None:
        starts = range(2 * chunk, count + 1, 2 * chunk)
    losses, accuracy = [], []
    for start in range(0, count, chunk):
        part = text[start : start + chunk]
        loss = _chunk_losses(model, part, rope, cache)
        losses.append(_mean(loss[0 if start else WORDS - 1 :]))
        if start + chunk in starts:
            accuracy.append(_again(model, words, rope, cache))
    result = {"chunk": chunk, "losses": losses}
    return result | {"starts": list(starts), "accuracy": accuracy}


def _chunk_losses(model, part, rope, cache):
    # Of all tokens of a chunk but its first, whose logits came before.
    logits = model.logits(part, rope=rope, cache=cache)[:-1]
    aims = torch.tensor(part[1:])
    return cross_entropy(logits, aims, reduction="none").tolist()


def _again(model, words, rope, cache):
    logits = model.logits(words, rope=rope, cache=cache.copy())
    return _mean(logits[:-1].argmax(-1).numpy() == words[1:])


def _toy():
    """Sizes of a model that reads these texts and knows nothing."""
    from dataclasses import replace

    small = Llama.random().config
    return replace(small, vocabulary=49152, context=8192)


def _long(name):
    def run(model):
        return long_text(model, scalings(model.config.context)[name])

    return run


# By the names of their files.
RUNS = {
    "layout": layout_trap,
    "continuations": continuations,
    "precision": precision,
    "positions": positions,
    "freezing": freezing,
    "head": head_by_pair,
    "head-attention": head_attention,
    "heads": heads_by_pair,
    "copy-gap": copy_gap,
    "norms": norms,
    "short-cost": short_cost,
    "long-plain": _long("plain"),
    "long-yarn2": _long("YaRN x2"),
    "long-ntk2": _long("NTK x2"),
}


def _file(name):
    if name not in RUNS:
        names = ", ".join(RUNS)
        raise ValueError(f"name must be one of {names}, got {name!r}")
    folder = files("rope_edu").joinpath("data", "experiments")
    return folder.joinpath(f"smollm-{name}.json")


def stored(name):
    """Result of a run that was made once.

    Parameters
    ----------
    name : str
        A key of `RUNS`.

    Returns
    -------
    dict
        What the function returned, with its default sizes.

    Raises
    ------
    ValueError
        If there is no such run.

    Examples
    --------
    >>> stored("layout")["lengths"]
    [8, 16, 32, 64, 128, 256, 512]
    """
    return json.loads(_file(name).read_text("utf-8"))["result"]


def run(name, model=None):
    """Make a run, with one thread, and store its result.

    Parameters
    ----------
    name : str
        A key of `RUNS`.
    model : Llama, optional
        The installed one by default.

    Raises
    ------
    FileNotFoundError
        If the model is not installed.
    ValueError
        If there is no such run.

    Examples
    --------
    >>> run("no-such-run")
    Traceback (most recent call last):
    ValueError: name must be one of layout, ...
    """
    path = _file(name)
    torch.set_num_threads(1)
    model = load() if model is None else model
    content = {
        "run": f"python -m rope_edu.experiments.smollm {name}",
        "model": "SmolLM2-135M-Instruct, Q4_1, float32 on one CPU thread",
        "torch": torch.__version__.split("+")[0],
        "result": RUNS[name](model),
    }
    text = json.dumps(content, indent=1)
    text = re.sub(r"\[[^][{}]*\]", lambda m: " ".join(m[0].split()), text)
    path.write_text(text + "\n", "utf-8")


def main():
    """Read the command line and make the runs it names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=list(RUNS))
    for name in parser.parse_args().names:
        run(name)


if __name__ == "__main__":
    main()
