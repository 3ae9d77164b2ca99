"""Chapter 9 on a trained model: weights read in the other layout."""

import copy
from itertools import product

import torch

from rope_edu.experiments.learning import TASKS
from rope_edu.experiments.lengths import TRAINED, held_out, text_model
from rope_edu.experiments.models import build, with_rope
from rope_edu.experiments.order import SEEDS
from rope_edu.experiments.tasks import unseen
from rope_edu.experiments.training import score, train
from rope_edu.layouts import permute_weight


def permuted(model, to="half"):
    """Return a copy with the rows of its query and key weights reordered.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
        With RoPE in the other layout.
    to : {"half", "interleaved"}

    Returns
    -------
    rope_edu.transformer.Transformer
        With RoPE in this layout; its logits are those of `model`.

    Examples
    --------
    >>> model = build("rope", TASKS["copy"][0], seed=0)
    >>> tokens = torch.arange(8)[None]
    >>> torch.allclose(permuted(model)(tokens), model(tokens), atol=1e-5)
    True
    """
    other = copy.deepcopy(model)
    heads = {"query": model.sizes.heads, "key": model.sizes.kv_heads}
    for block, (part, count) in product(other.blocks, heads.items()):
        weight = getattr(block.attention, part).weight.data
        weight.copy_(torch.from_numpy(permute_weight(weight, count, to)))
    return with_rope(other, layout=to)


def _recall(seed, share, progress):
    task, shape, steps, lr, _ = TASKS["recall"]
    model = build("rope", task, seed, **shape)
    steps = max(1, int(share * steps))
    train(model, task, steps, lr=lr, seed=seed, progress=progress)
    return model, unseen(task)


def _text(seed, share, progress):
    steps = max(1, int(share * 400))
    return text_model("rope", seed, steps, progress), held_out(TRAINED)


SOURCES = {"recall": _recall, "text": _text}


def layouts(seeds=SEEDS, tasks=tuple(SOURCES), share=1.0, progress=None):
    """Read trained weights in their layout, in the other, and permuted.

    Parameters
    ----------
    seeds : tuple of int
    tasks : tuple of str
        Keys of `SOURCES`.
    share : float
        Of the steps of the training.
    progress : callable, optional

    Yields
    ------
    dict
        task, read ("own layout", "other layout", or "other layout, rows
        permuted"), seed, loss, accuracy.

    Examples
    --------
    >>> rows = list(layouts(seeds=(0,), tasks=("recall",), share=0.01))
    >>> round(rows[0]["loss"] - rows[2]["loss"], 4)
    0.0
    """
    for name, seed in product(tasks, seeds):
        model, batch = SOURCES[name](seed, share, progress)
        readers = {
            "own layout": model,
            "other layout": with_rope(model, layout="half"),
            "other layout, rows permuted": permuted(model),
        }
        for read, reader in readers.items():
            found = score(reader, batch)._asdict()
            yield {"task": name, "read": read, "seed": seed, **found}
