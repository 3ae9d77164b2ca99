"""Chapter 15: some training at the new length, after the dials are slowed."""

from itertools import product

from rope_edu.experiments.learning import TASKS
from rope_edu.experiments.lengths import held_out, text_model
from rope_edu.experiments.models import TRAINED, build, rescaled
from rope_edu.experiments.order import SEEDS
from rope_edu.experiments.tasks import Recall, Text, unseen
from rope_edu.experiments.training import score, train

LONG = 256
TUNED = ("as trained", "PI", "NTK", "by parts (0.5, 2)", "YaRN (1, 32)")


def _recall(seed, share, progress):
    task, _, steps, lr, _ = TASKS["recall"]
    model, steps = build("rope", task, seed), max(1, int(share * steps))
    train(model, task, steps, lr=lr, seed=seed, progress=progress)
    long = Recall(length=LONG)
    return model, task.length, long, unseen(long, rows=32)


def _text(seed, share, progress):
    steps = max(1, int(share * 400))
    model = text_model("rope", seed, steps, progress)
    return model, TRAINED, Text(length=LONG), held_out(LONG)


SOURCES = {"recall": (_recall, "accuracy"), "text": (_text, "loss")}


def finetuning(
    seeds=SEEDS,
    tasks=tuple(SOURCES),
    methods=TUNED,
    steps=50,
    every=5,
    share=1.0,
    progress=None,
):
    """Slow the dials of a trained model, then train on at the new length.

    Recall goes from 32 to 256 tokens, text from 64 to 256. The last half of
    the rows counts. Batches of 16 rows, a rate of 1e-3.

    Parameters
    ----------
    seeds : tuple of int
    tasks : tuple of str
        Keys of `SOURCES`.
    methods : tuple of str
        Keys of `rope_edu.experiments.models.METHODS`.
    steps, every : int
        Of the second training, and steps between two questions.
    share : float
        Of the steps of the first training.
    progress : callable, optional

    Yields
    ------
    dict
        task, method, seed, steps, and accuracy (recall) or loss in nats per
        character (text).

    Examples
    --------
    >>> short = {"share": 0.01, "steps": 1, "every": 1, "methods": ("PI",)}
    >>> [row["steps"] for row in finetuning((0,), ("recall",), **short)]
    [0, 1]
    """
    for name, seed in product(tasks, seeds):
        make, what = SOURCES[name]
        model, trained, task, batch = make(seed, share, progress)
        for method in methods:
            turned = rescaled(model, method, LONG / trained, LONG, trained)
            for done, found in train(
                turned,
                task,
                steps,
                rows=16,
                lr=1e-3,
                seed=seed + 1000,  # other rows than in the first training
                every=every,
                ask=lambda m: score(m, batch, places=(LONG // 2, LONG)),
                progress=progress,
            ):
                row = {"task": name, "method": method, "seed": seed}
                yield row | {"steps": done, what: getattr(found, what)}
