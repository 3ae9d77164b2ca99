"""Chapter 1: who chases whom?"""

from itertools import product

import torch

from rope_edu.experiments.models import build
from rope_edu.experiments.tasks import Order
from rope_edu.experiments.training import reproducible, score, train

SEEDS = (0, 1, 2)

# Task, options of the model.
CASES = {
    "both ways": (Order(), {"causal": False}),
    "both ways, from the verb": (Order(readout="verb"), {"causal": False}),
    "causal, 1 layer": (Order(cls="last"), {}),
    "causal, 2 layers": (Order(cls="last"), {"layers": 2}),
}
LABELS = (
    "none",
    "learned",
    "sinusoidal",
    "recurrent",
    "floater",
    "shaw",
    "transformer-xl",
    "t5",
    "alibi",
    "rope",
    "rope+alibi",
    "xpos",
)


def _swap(model, task):
    """Largest change of a logit of the answer if A and B are exchanged."""
    tokens, targets = task.every()
    asked = targets >= 0
    with reproducible(), torch.no_grad():
        here, there = model(tokens), model(task.mirrored(tokens))
    return (here - there)[asked].abs().max().item()


def order(
    seeds=SEEDS, encodings=LABELS, cases=tuple(CASES), steps=150, progress=None
):
    """Learn ``CLS A verb B -> A`` with each encoding.

    One layer (two in the last case), 32 wide, 150 steps with a rate of 5e-3,
    1.3 s each. All 224 sentences are asked, each beside its mirror image: a
    model that cannot tell the two is right for exactly half of them.

    Parameters
    ----------
    seeds : tuple of int
    encodings : tuple of str
        Keys of `rope_edu.experiments.models.ENCODINGS`. xPos is causal only.
    cases : tuple of str
        Keys of `CASES`.
    steps : int
    progress : callable, optional
        As in `rope_edu.experiments.train`.

    Yields
    ------
    dict
        case, encoding, seed, accuracy, and swap, the largest change of a
        logit where the answer is asked if the two names are exchanged.

    Examples
    --------
    >>> row = next(order(cases=("both ways",), encodings=("none",), steps=20))
    >>> row["accuracy"], row["swap"] < 1e-4
    (0.5, True)
    """
    for case, label, seed in product(cases, encodings, seeds):
        task, options = CASES[case]
        if label == "xpos" and "causal" in options:
            continue
        shape = {"width": 32, "layers": 1} | options
        model = build(label, task, seed, **shape)
        train(model, task, steps, lr=5e-3, seed=seed, progress=progress)
        yield {
            "case": case,
            "encoding": label,
            "seed": seed,
            "accuracy": score(model, task.every()).accuracy,
            "swap": _swap(model, task),
        }
