"""Chapters 14, 15 and 17: texts longer than those of the training."""

from functools import partial
from itertools import product

from rope_edu.experiments.models import METHODS, build, by_place, rescaled
from rope_edu.experiments.models import PLACES, TRAINED
from rope_edu.experiments.order import SEEDS
from rope_edu.experiments.tasks import Batch, Text
from rope_edu.experiments.training import loss_curve, score, train

LABELS = (
    "none",
    "learned",
    "learned, small",
    "sinusoidal",
    "shaw",
    "t5",
    "alibi",
    "rope",
    "rope, half",
    "rope+alibi",
    "xpos",
)


def text_model(label="rope", seed=0, steps=400, progress=None):
    """Train on the characters of a text: 10 s.

    Two layers, 64 wide, two heads (eight for ALiBi), 128 channels in the
    feed-forward part, 16 rows of 64 characters, a rate that falls from 6e-3.

    Parameters
    ----------
    label : str
        A key of `rope_edu.experiments.models.ENCODINGS`.
    seed, steps : int
    progress : callable, optional

    Returns
    -------
    rope_edu.transformer.Transformer

    Examples
    --------
    >>> model = text_model(steps=1)
    >>> model.vocab_size
    35
    """
    task = Text(length=TRAINED)
    model = build(label, task, seed, feed_forward=128)
    train(
        model,
        task,
        steps,
        rows=16,
        lr=6e-3,
        schedule="cosine",
        seed=seed,
        progress=progress,
    )
    return model


def held_out(length=512, rows=None):
    """Return the held-out chapter, cut into rows.

    Parameters
    ----------
    length : int
        Characters of a row.
    rows : int, optional
        How many; by default all there are.

    Returns
    -------
    Batch

    Examples
    --------
    >>> held_out().tokens.shape
    torch.Size([22, 512])
    """
    batch = Text("held out", length).every()
    return Batch(*(part[:rows] for part in batch))


def windowed(model, batch, first, end, window=TRAINED):
    """Loss if only the last tokens are read, as many as in the training.

    Each token is predicted from its own window, whose positions begin at 0.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
    batch : Batch
    first, end : int
        The places that count, ``window - 1`` or later.
    window : int

    Returns
    -------
    float
        Nats per token.

    Raises
    ------
    ValueError
        If a window would begin before the row.

    Examples
    --------
    >>> model, batch = text_model(steps=1), held_out(128, rows=1)
    >>> near = windowed(model, batch, 63, 64)
    >>> round(near - score(model, batch, places=(63, 64)).loss, 4)
    0.0
    """
    if first < window - 1:
        raise ValueError(f"first must be at least {window - 1}, got {first}")
    cut = slice(first - window + 1, end - window + 1)
    sides = (side.unfold(1, window, 1)[:, cut].flatten(0, 1) for side in batch)
    return score(model, Batch(*sides), places=(window - 1, window)).loss


def extrapolation(
    seeds=SEEDS, encodings=LABELS, steps=400, rows=None, progress=None
):
    """Train on 64 characters, read 512: one model for each encoding.

    Parameters
    ----------
    seeds : tuple of int
    encodings : tuple of str
    steps : int
    rows : int, optional
        Of the held-out text; all by default.
    progress : callable, optional

    Yields
    ------
    dict
        encoding, seed, first, end, and loss, in nats per character for the
        places from first to before end. After each model encoding, seed and
        curve, the loss of each 32 places.

    Examples
    --------
    >>> some = extrapolation((0,), ("rope",), steps=1, rows=1)
    >>> [row.get("end") for row in some]
    [64, 128, 256, 512, None]
    """
    batch = held_out(rows=rows)
    for label, seed in product(encodings, seeds):
        model = text_model(label, seed, steps, progress)
        for found in by_place(lambda length: model, batch, "loss"):
            yield {"encoding": label, "seed": seed, **found}
        curve = loss_curve(model, batch)
        yield {"encoding": label, "seed": seed, "curve": curve}


def rescaling(
    seeds=SEEDS,
    methods=tuple(METHODS),
    factor=8.0,
    steps=400,
    rows=None,
    progress=None,
):
    """Slow down the dials of a trained RoPE model, without more training.

    The pairs of numbers in the names are turns within the 64 characters: at
    most the first, a pair is slowed by the whole factor; at least the second,
    it is left alone. "window" is the unchanged model that reads the last 64
    characters only.

    Parameters
    ----------
    seeds : tuple of int
    methods : tuple of str
        Keys of `METHODS`.
    factor : float
    steps : int
    rows : int, optional
        Of the held-out text; all by default.
    progress : callable, optional

    Yields
    ------
    dict
        method, seed, first, end, loss. After each method, except where the
        rates depend on the length, also method, seed and curve.

    Examples
    --------
    >>> rows = list(rescaling((0,), ("PI",), steps=1, rows=1))
    >>> len(rows), rows[-1]["method"]
    (8, 'window')
    """
    batch = held_out(rows=rows)
    for seed in seeds:
        model = text_model("rope", seed, steps, progress)
        for name in methods:
            turned = partial(rescaled, model, name, factor)
            for found in by_place(turned, batch, "loss"):
                yield {"method": name, "seed": seed, **found}
            if name != "dynamic NTK":
                curve = loss_curve(turned(512), batch)
                yield {"method": name, "seed": seed, "curve": curve}
        for first, end in PLACES[1:]:
            found = windowed(model, batch, first, end)
            row = {"method": "window", "seed": seed, "first": first}
            yield row | {"end": end, "loss": found}
