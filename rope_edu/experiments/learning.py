"""Chapter 12: how fast it is learned, what a shift does, where to rotate."""

from itertools import product

from rope_edu.experiments.models import build
from rope_edu.experiments.order import SEEDS
from rope_edu.experiments.tasks import CopyBack, Recall, unseen
from rope_edu.experiments.training import moved, score, train

# Task, options of the model, steps, learning rate, steps between questions.
TASKS = {
    "copy": (CopyBack(), {"layers": 1}, 160, 3e-3, 20),
    "recall": (Recall(), {}, 300, 2e-3, 25),
}
GOAL = {"copy": 0.99, "recall": 0.95}
LABELS = (
    "none",
    "learned",
    "learned, small",
    "sinusoidal",
    "shaw",
    "transformer-xl",
    "t5",
    "alibi",
    "rope",
    "xpos",
)
PLACEMENTS = {
    "q and k": {},
    "q and k, first layer": {"rope_layers": "first"},
    "q, k and v": {"rotated": "qkv"},
    "q, k and v, undone": {"rotated": "qkv-undo"},
    "v": {"rotated": "v"},
    "v, undone": {"rotated": "v-undo"},
    "q": {"rotated": "q"},
    "before the projection": {"place": "before"},
    "none": {},
}


def _at_offsets(model, batch, offsets):
    found = {"accuracy_0": score(model, batch).accuracy}
    for offset in offsets:
        found[f"accuracy_{offset}"] = score(model, batch, offset).accuracy
        found[f"moved_{offset}"] = moved(model, batch, offset)
    return found


def _learned(name, label, seed, progress):
    task, shape, steps, lr, every = TASKS[name]
    model, batch = build(label, task, seed, **shape), unseen(task)
    curve = train(
        model,
        task,
        steps,
        lr=lr,
        seed=seed,
        every=every,
        ask=lambda model: score(model, batch).accuracy,
        progress=progress,
    )
    return model, curve


def learning(
    seeds=SEEDS,
    encodings=LABELS,
    tasks=tuple(TASKS),
    offsets=(16, 500),
    progress=None,
):
    """Train each encoding for as long, then shift all positions.

    Copy: the symbol three back, one layer, 160 steps with a rate of 3e-3,
    1 s each. Recall: the value of a key, two layers, 300 steps with a rate
    of 2e-3, 3 s each. Both are attention-only, 64 wide, with two heads (eight
    for ALiBi), 32 rows of 32 tokens, and know positions 0 to 31.

    Parameters
    ----------
    seeds : tuple of int
    encodings : tuple of str
        Keys of `rope_edu.experiments.models.ENCODINGS`.
    tasks : tuple of str
        Keys of `TASKS`.
    offsets : tuple of int
        Added to all positions, after the training.
    progress : callable, optional

    Yields
    ------
    dict
        task, encoding, seed; curve, pairs of steps and accuracy; reached,
        the first of these steps with an accuracy of 0.99 (copy) or 0.95
        (recall), or None; accuracy_0; and for each offset accuracy_N and
        moved_N, the largest change of a logit.

    Examples
    --------
    >>> row = next(learning(seeds=(0,), encodings=("rope",), tasks=("copy",)))
    >>> row["accuracy_500"] > 0.99, row["moved_500"] < 1e-3
    (True, True)
    """
    for name, label, seed in product(tasks, encodings, seeds):
        model, curve = _learned(name, label, seed, progress)
        reached = [step for step, right in curve if right >= GOAL[name]]
        yield {
            "task": name,
            "encoding": label,
            "seed": seed,
            "curve": curve,
            "reached": reached[0] if reached else None,
            **_at_offsets(model, unseen(TASKS[name][0]), offsets),
        }


def placement(
    seeds=SEEDS,
    places=tuple(PLACEMENTS),
    steps=300,
    offsets=(16, 500),
    progress=None,
):
    """Rotate this and that, at this place and that, and learn recall.

    Two layers, 64 wide, two heads, 300 steps with a rate of 1e-3: 3 s each.

    Parameters
    ----------
    seeds : tuple of int
    places : tuple of str
        Keys of `PLACEMENTS`.
    steps : int
    offsets : tuple of int
        Added to all positions, after the training.
    progress : callable, optional

    Yields
    ------
    dict
        place, seed, accuracy_0, and for each offset accuracy_N and moved_N.

    Examples
    --------
    >>> row = next(placement(seeds=(0,), places=("none",), steps=10))
    >>> row["accuracy_0"] == row["accuracy_500"]
    True
    """
    task = Recall()
    for place, seed in product(places, seeds):
        label = "none" if place == "none" else "rope"
        model = build(label, task, seed, **PLACEMENTS[place])
        train(model, task, steps, lr=1e-3, seed=seed, progress=progress)
        yield {
            "place": place,
            "seed": seed,
            **_at_offsets(model, unseen(task), offsets),
        }
