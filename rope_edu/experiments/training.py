"""Train a small model, and ask what it has learned: bit by bit the same.

Everything runs on one thread of the CPU: with two, such small products take
more time than with one, and sums are taken in another order.
"""

import math
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from rope_edu._checks import as_choice, as_count

SCHEDULES = ("constant", "cosine")


@contextmanager
def reproducible():
    """One thread and deterministic algorithms, as long as the block lasts.

    On one machine, and with one version of torch, results are then the same
    bit by bit. Between machines losses agree to about 2e-6 at first, and
    training lets the differences grow.

    Examples
    --------
    >>> with reproducible():
    ...     torch.get_num_threads()
    1
    """
    threads = torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)


def _rate(step, steps, lr, schedule):
    if schedule == "constant":
        return lr
    return lr * (1 + math.cos(math.pi * step / steps)) / 2


def train(
    model,
    task,
    steps,
    rows=32,
    lr=3e-3,
    schedule="constant",
    seed=0,
    every=0,
    ask=None,
    progress=None,
):
    """Train with Adam, on batches drawn anew.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
        It is changed.
    task : object
        With ``draw(generator, rows)``, as in `rope_edu.experiments.tasks`.
    steps, rows : int
        Batches, and rows of each.
    lr : float
        Learning rate.
    schedule : {"constant", "cosine"}
        Whether the rate stays or falls to 0.
    seed : int
        Of the batches.
    every : int
        After each so many steps, and at the start, `ask` is called; never
        with 0.
    ask : callable, optional
        Of the model; its results are returned.
    progress : callable, optional
        Called with one line of text after each tenth of the steps.

    Returns
    -------
    list of (int, object)
        Steps done and what `ask` returned.

    Raises
    ------
    TypeError, ValueError
        If a count is not a positive integer, or `schedule` is unknown.

    Examples
    --------
    >>> from rope_edu.experiments import CopyBack, score
    >>> from rope_edu.transformer import Transformer
    >>> model, task = Transformer(8, 32, layers=1, heads=2), CopyBack()
    >>> train(model, task, 60, every=60, ask=lambda model: round(score(
    ...     model, task.draw(torch.Generator(), 64)).accuracy, 1))
    [(0, 0.1), (60, 1.0)]
    """
    as_choice("schedule", schedule, SCHEDULES)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    found = [(0, ask(model))] if every else []
    with reproducible():
        for step in range(as_count("steps", steps)):
            optimizer.param_groups[0]["lr"] = _rate(step, steps, lr, schedule)
            loss = _loss(model, task.draw(generator, rows))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            _tell(progress, step + 1, steps, loss)
            if every and (step + 1) % every == 0:
                found.append((step + 1, ask(model)))
    return found


def _tell(progress, step, steps, loss):
    if progress is not None and step % max(1, steps // 10) == 0:
        progress(f"step {step} of {steps}, loss {loss.item():.2f}")


def _loss(model, batch):
    """Nats, of every token with a target."""
    asked = batch.asked()
    logits = model(batch.tokens)[asked]
    return cross_entropy(logits, batch.targets[asked])


class Score(NamedTuple):
    """What a model made of a batch.

    Attributes
    ----------
    loss : float
        Nats per token with a target.
    accuracy : float
        Share of them whose largest logit was right.

    Examples
    --------
    >>> Score(loss=0.5, accuracy=0.75).accuracy
    0.75
    """

    loss: float
    accuracy: float


def score(model, batch, offset=0, places=None, at_once=2**14):
    """Ask a model, without training it.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
    batch : Batch
    offset : int
        Added to all position ids.
    places : (int, int), optional
        First place that counts, and the one after the last.
    at_once : int
        Tokens of one call, about: whole rows are read.

    Returns
    -------
    Score

    Raises
    ------
    ValueError
        If nothing is asked at these places.

    Examples
    --------
    >>> from rope_edu.experiments import CopyBack
    >>> from rope_edu.transformer import Transformer
    >>> batch = CopyBack().draw(torch.Generator(), 4)
    >>> score(Transformer(8, 16, layers=1, heads=1), batch).accuracy < 0.5
    True
    """
    first, end = places or (0, batch.tokens.shape[1])
    inside = torch.zeros_like(batch.asked())
    inside[:, first:end] = True
    asked = inside & batch.asked()
    if not asked.any():
        raise ValueError(f"places must hold a target, got {places}")
    logits = _logits(model, batch.tokens, offset, at_once)[asked]
    targets = batch.targets[asked]
    right = (logits.argmax(-1) == targets).double().mean()
    return Score(cross_entropy(logits, targets).item(), right.item())


def loss_curve(model, batch, width=32):
    """Loss at the start of the rows, and farther and farther on.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
    batch : Batch
        Of rows as long as a multiple of `width`.
    width : int
        Places that one number is the mean of.

    Returns
    -------
    list of float
        Nats per token with a target; NaN where there is none.

    Examples
    --------
    >>> from rope_edu.experiments import CopyBack
    >>> from rope_edu.transformer import Transformer
    >>> batch = CopyBack().draw(torch.Generator(), 4)
    >>> len(loss_curve(Transformer(8, 16, layers=1, heads=1), batch, 8))
    4
    """
    logits = _logits(model, batch.tokens, 0, 2**14).transpose(1, 2)
    loss = cross_entropy(logits, batch.targets, reduction="none")
    loss = loss.where(batch.asked(), math.nan).unflatten(1, (-1, width))
    return loss.nanmean((0, 2)).tolist()


def _logits(model, tokens, offset, at_once):
    length = tokens.shape[1]
    ids = torch.arange(length) + offset
    with reproducible(), torch.no_grad():
        parts = tokens.split(max(1, at_once // length))
        return torch.cat([model(part, ids) for part in parts])


def moved(model, batch, offset):
    """Return the largest change of a logit if all positions are shifted.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
    batch : Batch
    offset : int

    Returns
    -------
    float

    Examples
    --------
    >>> from rope_edu.experiments import CopyBack
    >>> from rope_edu.transformer import Transformer
    >>> batch = CopyBack().draw(torch.Generator(), 4)
    >>> moved(Transformer(8, 16, layers=1, heads=1), batch, 500) < 1e-4
    True
    """
    here, there = (_logits(model, batch.tokens, k, 2**14) for k in (0, offset))
    return (there - here).abs().max().item()
