"""Run an experiment, keep what it found, and read it again.

>>> result = run("order", seeds=(0,), encodings=("none",), steps=20,
...              cases=("both ways",))
>>> result.table("accuracy", "encoding")["none"].mean
0.5
"""

import inspect
import json
import statistics
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from rope_edu._checks import as_choice
from rope_edu.experiments.layout import layouts
from rope_edu.experiments.learning import learning, placement
from rope_edu.experiments.lengths import extrapolation, rescaling
from rope_edu.experiments.needle import base, needle_rescaling
from rope_edu.experiments.order import order
from rope_edu.experiments.tuning import finetuning

# Each with a small slice of itself, which is stored beside the whole and run
# again by the tests.
ONE = {"seeds": (0,)}
RUNS = {
    "order": (order, {"encodings": ("rope",), "cases": ("both ways",)}),
    "learning": (learning, {"encodings": ("rope",), "tasks": ("copy",)}),
    "placement": (placement, {"places": ("q and k",), "steps": 20}),
    "extrapolation": (extrapolation, {"encodings": ("rope",), "steps": 20}),
    "rescaling": (rescaling, {"methods": ("NTK",), "steps": 20, "rows": 2}),
    "base": (base, {"dials": ("base 100",), "steps": 40}),
    "needle_rescaling": (needle_rescaling, {"steps": 40}),
    "finetuning": (
        finetuning,
        {"tasks": ("recall",), "methods": ("NTK",), "share": 0.1, "steps": 5},
    ),
    "layouts": (layouts, {"tasks": ("recall",), "share": 0.1}),
}
FOLDER = files("rope_edu").joinpath("data", "experiments")


class Spread(NamedTuple):
    """Mean of some seeds, and how far they lie apart.

    Attributes
    ----------
    mean, deviation, low, high : float
        Mean, sample standard deviation (0 for one seed), least and largest.
    count : int
        Of the seeds.

    Examples
    --------
    >>> print(Spread(mean=0.5, deviation=0.25, low=0.25, high=0.75, count=3))
    0.50 ± 0.25
    """

    mean: float
    deviation: float
    low: float
    high: float
    count: int

    def __str__(self):
        return f"{self.mean:.2f} ± {self.deviation:.2f}"


def _spread(values):
    several = len(values) > 1
    deviation = statistics.stdev(values) if several else 0.0
    low, high = min(values), max(values)
    return Spread(statistics.fmean(values), deviation, low, high, len(values))


@dataclass(frozen=True)
class Result:
    """What an experiment found.

    Parameters
    ----------
    name : str
    settings : dict
        Arguments of the experiment.
    rows : list of dict
        One for each seed and each thing that was varied.

    Examples
    --------
    >>> rows = [{"seed": 0, "loss": 1.0}, {"seed": 1, "loss": 2.0}]
    >>> result = Result("example", {"seeds": [0, 1]}, rows)
    >>> result.values("loss", "seed")
    {0: [1.0], 1: [2.0]}
    """

    name: str
    settings: dict
    rows: list

    def values(self, value, *by, **where):
        """Collect a column, in groups.

        Parameters
        ----------
        value : str
            The column.
        *by : str
            Columns to group by.
        **where
            Columns and what they must be.

        Returns
        -------
        dict of list
            For each group, in the order of the rows. Its key is what the
            column holds or, for several, a tuple.

        Raises
        ------
        ValueError
            If no row is left, or rows have no such column.

        Examples
        --------
        >>> rows = [{"seed": 0, "task": "copy", "right": 1.0}]
        >>> Result("example", {}, rows).values("right", "task", seed=0)
        {'copy': [1.0]}
        """
        wanted = {value, *by, *where}
        rows = [row for row in self.rows if wanted <= set(row)]
        rows = [r for r in rows if all(r[k] == v for k, v in where.items())]
        if not rows:
            known = sorted({key for row in self.rows for key in row})
            raise ValueError(
                f"no row of {self.name!r} has {value!r} by {by} where {where};"
                f" its columns are {', '.join(known)}"
            )
        groups = {}
        for row in rows:
            key = tuple(row[name] for name in by)
            key = key[0] if len(by) == 1 else key
            groups.setdefault(key, []).append(row[value])
        return groups

    def table(self, value, *by, **where):
        """Return mean and spread of a column of numbers, in groups.

        Parameters, keys of the result and errors are those of `values`.

        Returns
        -------
        dict of Spread

        Examples
        --------
        >>> rows = [{"seed": s, "task": "copy", "right": s} for s in (0, 1)]
        >>> print(Result("example", {}, rows).table("right", "task")["copy"])
        0.50 ± 0.71
        """
        groups = self.values(value, *by, **where)
        return {key: _spread(found) for key, found in groups.items()}


def run(name, progress=None, **settings):
    """Run an experiment, or some of it.

    Parameters
    ----------
    name : str
        A key of `RUNS`.
    progress : callable, optional
        Called with one line of text now and then; nothing is printed without
        it.
    **settings
        Arguments of the experiment, such as ``seeds=(0,)``; by default all
        of it.

    Returns
    -------
    Result

    Raises
    ------
    TypeError, ValueError
        If `name` or a setting is unknown, or as in the experiment.

    Examples
    --------
    >>> run("placement", seeds=(0,), places=("none",), steps=1).settings
    {'seeds': (0,), 'places': ('none',), 'steps': 1, 'offsets': (16, 500)}
    """
    experiment, _ = RUNS[as_choice("name", name, tuple(RUNS))]
    bound = inspect.signature(experiment).bind(**settings)
    bound.apply_defaults()
    full = {k: v for k, v in bound.arguments.items() if k != "progress"}
    rows = list(experiment(**full, progress=progress))
    return Result(name, full, rows)


def run_slice(name, progress=None):
    """Run the slice of an experiment that is stored beside the whole.

    Parameters
    ----------
    name : str
        A key of `RUNS`.
    progress : callable, optional

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If `name` is unknown.

    Examples
    --------
    >>> len(run_slice("base").rows)
    4
    """
    _, small = RUNS[as_choice("name", name, tuple(RUNS))]
    return run(name, progress, **ONE, **small)


def _path(name, folder):
    as_choice("name", name, tuple(RUNS))
    return (FOLDER if folder is None else Path(folder)) / f"{name}.json"


def load(name, part="whole", folder=None):
    """Read the stored result of an experiment.

    Parameters
    ----------
    name : str
        A key of `RUNS`.
    part : {"whole", "slice"}
    folder : path, optional
        By default that of the package.

    Returns
    -------
    Result
        Numbers have six digits.

    Raises
    ------
    ValueError
        If `name` or `part` is unknown.

    Examples
    --------
    >>> load("order").table("accuracy", "encoding", case="both ways")["none"]
    Spread(mean=0.5, deviation=0.0, low=0.5, high=0.5, count=3)
    """
    as_choice("part", part, ("whole", "slice"))
    stored = json.loads(_path(name, folder).read_text("utf-8"))[part]
    return Result(name, stored["settings"], stored["rows"])


def save(whole, small, folder=None):
    """Store a result and its slice, for `load`.

    Parameters
    ----------
    whole, small : Result
        From `run` and `run_slice`.
    folder : path, optional
        By default that of the package.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> result = Result("base", {}, [{"seed": 0, "accuracy": 2 / 3}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save(result, result, folder)
    ...     load("base", folder=folder).rows
    [{'seed': 0, 'accuracy': 0.666667}]
    """
    parts = {"whole": whole, "slice": small}
    texts = [f'"{part}": {_as_json(result)}' for part, result in parts.items()]
    path = Path(str(_path(whole.name, folder)))
    path.write_text("{" + ",\n".join(texts) + "}\n", "utf-8")
    return path


def _as_json(result):
    # A row on a line, so that a change shows as what it is.
    rows = ",\n".join(json.dumps(_rounded(row)) for row in result.rows)
    settings = json.dumps(result.settings)
    return f'{{"settings": {settings}, "rows": [\n{rows}\n]}}'


def _rounded(value):
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
