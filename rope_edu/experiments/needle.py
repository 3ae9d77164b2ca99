"""Chapter 15: the base of the dials, on a needle among noise."""

from functools import partial
from itertools import product

from rope_edu.experiments.models import METHODS, build, by_place, rescaled
from rope_edu.experiments.models import PLACES, TRAINED
from rope_edu.experiments.order import SEEDS
from rope_edu.experiments.tasks import Needle, unseen
from rope_edu.experiments.training import train
from rope_edu.scaling import Proportional

# Past the places where the needle may still come.
ASKED = ((32, 64), *PLACES[1:])
BASES = (3, 30, 100, 500, 1_000, 10_000, 1_000_000)
DIALS = {f"base {base}": {"base": float(base)} for base in BASES}
for _share in (0.5, 0.75):
    DIALS[f"base 100, {_share:.0%} turn"] = {
        "base": 100.0,
        "scaling": Proportional(_share),
    }


def _needle_model(seed, steps, progress, **dials):
    task = Needle(length=TRAINED)
    model = build("rope", task, seed, width=32, layers=1, heads=1, **dials)
    train(model, task, steps, seed=seed, progress=progress)
    return model


def base(seeds=SEEDS, dials=tuple(DIALS), steps=150, progress=None):
    """Find the needle, with dials from one base and another: 1 s each.

    One attention-only layer, 32 wide, one head, 64 tokens, 150 steps with a
    rate of 3e-3.

    Parameters
    ----------
    seeds : tuple of int
    dials : tuple of str
        Keys of `DIALS`. "50% turn" leaves the slower half of the pairs
        still.
    steps : int
    progress : callable, optional

    Yields
    ------
    dict
        dials, seed, first, end, accuracy.

    Examples
    --------
    >>> rows = list(base(seeds=(0,), dials=("base 10000",), steps=1))
    >>> [row["first"] for row in rows]
    [32, 64, 128, 256]
    """
    batch = unseen(Needle(length=512), rows=32)
    for name, seed in product(dials, seeds):
        model = _needle_model(seed, steps, progress, **DIALS[name])
        for found in by_place(
            lambda end: model, batch, "accuracy", ASKED
        ):
            yield {"dials": name, "seed": seed, **found}


def needle_rescaling(
    seeds=SEEDS, methods=tuple(METHODS), factor=8.0, steps=150, progress=None
):
    """Find the needle at eight times the length, with slowed dials: base 500.

    Parameters
    ----------
    seeds : tuple of int
    methods : tuple of str
        Keys of `METHODS`.
    factor : float
    steps : int
    progress : callable, optional

    Yields
    ------
    dict
        method, seed, first, end, accuracy.

    Examples
    --------
    >>> rows = list(needle_rescaling((0,), ("PI",), steps=1))
    >>> [row["end"] for row in rows]
    [64, 128, 256, 512]
    """
    batch = unseen(Needle(length=512), rows=32)
    for seed in seeds:
        model = _needle_model(seed, steps, progress, base=500.0)
        for name in methods:
            turned = partial(rescaled, model, name, factor)
            for found in by_place(turned, batch, "accuracy", ASKED):
                yield {"method": name, "seed": seed, **found}
