"""Timing that says how far it can be trusted.

`compare` runs the candidates in turn, in an order that is drawn anew for each
round, so that whatever else the machine does falls on all of them alike. Of
each it keeps the median and the spread. Two candidates are compared round by
round, and a difference is called one only where it lies outside an interval
that holds the true ratio with 99 %, and is larger than the difference that
the same run finds between the first candidate and itself.

The first candidate is best a copy of the data: nothing that reads and writes
as many bytes is faster for long, so that its time is the limit of what the
machine can do.

>>> clock = iter(range(1000))
>>> result = compare(
...     {"copy": lambda: None, "ours": lambda: next(clock)},
...     rounds=8, least=0, clock=lambda: next(clock),
... )
>>> print(result.verdict("copy", "ours"))
copy is 2.00 times as fast as ours (2.00 to 2.00; noise 0.0 %)
"""

import datetime
import gc
import math
import os
import platform
import random
import statistics
import sys
import time
from dataclasses import dataclass, field

import numpy as np

from rope_edu._checks import as_count, as_number

# Confidence of all intervals; eight rounds are the fewest that allow it.
LEVEL, FEWEST_ROUNDS = 0.99, 8
_CONTROL = object()


def environment():
    """What a time depends on: machine, system and versions.

    Returns
    -------
    dict
        Texts and numbers, in a fixed order. PyTorch appears if it has been
        imported. `load` is the number of processes that wanted a processor
        over the last minute, where the system tells.

    Examples
    --------
    >>> environment()["NumPy"] == np.__version__
    True
    """
    stamp = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }
    if hasattr(os, "getloadavg"):
        stamp["load"] = round(os.getloadavg()[0], 2)
    return stamp | _torch_stamp()


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = (x.split(":")[1] for x in lines if "model name" in x)
            return next(names).strip()
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def _torch_stamp():
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    stamp = {"PyTorch": torch.__version__, "threads": torch.get_num_threads()}
    if torch.cuda.is_available():
        stamp["GPU"] = torch.cuda.get_device_name()
        stamp["CUDA"] = torch.version.cuda
    return stamp


def interval(values, level=LEVEL):
    """Bounds of the median that hold whatever the distribution is.

    Parameters
    ----------
    values : sequence of float
        At least 8 for a level of 0.99.
    level : float
        Between 0 and 1: the probability, at least, that the median of the
        distribution lies within the bounds.

    Returns
    -------
    low, high : float
        Two of the values.

    Raises
    ------
    TypeError, ValueError
        If `level` is not a number between 0 and 1, or there are too few
        values for it.

    Notes
    -----
    Each value is below the median with probability 1/2. So the median lies
    below the k-th smallest of n values with the probability that fewer than
    k heads come up in n tosses of a coin.

    Examples
    --------
    >>> interval([3, 1, 2, 5, 4, 8, 6, 7])
    (1, 8)
    """
    if not 0 < as_number("level", level) < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    ordered, n = sorted(values), len(values)
    tail, k = 2.0 ** -len(ordered), 0
    while 2 * tail <= 1 - level and 2 * k < n:
        k += 1
        tail += math.comb(n, k) / 2**n
    if k == 0:
        raise ValueError(
            f"values must be more for a level of {level}, got {n}"
        )
    return ordered[k - 1], ordered[n - k]


@dataclass(frozen=True)
class Verdict:
    """How many times as fast one candidate is as another.

    Attributes
    ----------
    first, second : str
        Names of the candidates.
    ratio : float
        Median over the rounds of the time of `second` over that of `first`.
    low, high : float
        Bounds of the median ratio, see `interval`.
    noise : float
        Largest difference that the same bounds allow between a candidate and
        itself: 0.05 means that a ratio of 0.95 or 1.05 says nothing.

    Examples
    --------
    >>> print(Verdict("a", "b", ratio=1.02, low=0.99, high=1.04, noise=0.05))
    no difference between a and b beyond the noise (0.99 to 1.04; noise 5.0 %)
    """

    first: str
    second: str
    ratio: float
    low: float
    high: float
    noise: float

    @property
    def faster(self):
        """Name of the faster one, or None where the noise decides.

        Examples
        --------
        >>> Verdict("a", "b", 0.5, 0.4, 0.6, noise=0.1).faster
        'b'
        """
        if self.low > 1 + self.noise:
            return self.first
        if self.high < 1 / (1 + self.noise):
            return self.second
        return None

    def __str__(self):
        low, high, ratio = self.low, self.high, self.ratio
        slower = self.second
        if self.faster == self.second:
            low, high, ratio = 1 / high, 1 / low, 1 / ratio
            slower = self.first
        text = f"{self.faster} is {ratio:.2f} times as fast as {slower}"
        if self.faster is None:
            text = f"no difference between {self.first} and {self.second}"
            text += " beyond the noise"
        bounds = f"{low:.2f} to {high:.2f}; noise {100 * self.noise:.1f} %"
        return f"{text} ({bounds})"


@dataclass(frozen=True)
class Comparison:
    """Times of candidates that were run in turn.

    Attributes
    ----------
    seconds : dict of str to tuple of float
        For each candidate the time of one call in each round.
    control : tuple of float
        The same for a second run of the first candidate.
    moved : int or None
        Bytes that a call of the first candidate reads and writes.
    environment : dict
        See `environment`.

    Examples
    --------
    >>> Comparison({"a": (1.0,) * 8, "b": (2.0,) * 8}, (1.0,) * 8).noise
    0.0
    """

    seconds: dict
    control: tuple
    moved: int | None = None
    environment: dict = field(default_factory=dict)

    @property
    def noise(self):
        """Largest difference from itself that the first one may show.

        Examples
        --------
        >>> copy, again = (1.0,) * 8, (1.25,) * 8
        >>> Comparison({"copy": copy}, again).noise
        0.25
        """
        first = next(iter(self.seconds.values()))
        low, high = interval([a / b for a, b in zip(first, self.control)])
        return max(high, 1 / low) - 1

    def verdict(self, first, second):
        """Compare two candidates round by round.

        Parameters
        ----------
        first, second : str
            Names of candidates.

        Returns
        -------
        Verdict

        Raises
        ------
        ValueError
            If there is no such candidate.

        Examples
        --------
        >>> times = {"a": (1.0,) * 8, "b": (3.0,) * 8}
        >>> Comparison(times, (1.0,) * 8).verdict("a", "b").ratio
        3.0
        """
        for name in (first, second):
            if name not in self.seconds:
                raise ValueError(
                    f"candidates are {', '.join(self.seconds)}, got {name!r}"
                )
        pairs = zip(self.seconds[first], self.seconds[second])
        ratios = [b / a for a, b in pairs]
        middle, bounds = statistics.median(ratios), interval(ratios)
        return Verdict(first, second, middle, *bounds, self.noise)

    def rows(self):
        """The table as data, one row for each candidate.

        Returns
        -------
        list of dict
            `name`; `median` in seconds; `spread`, the middle half of the
            times over their median; `ratio`, `low` and `high`, how many
            times the first candidate's time it takes; and, if `moved` is
            known, `bandwidth`, what it would reach in bytes per second if it
            moved as many bytes.

        Examples
        --------
        >>> times = {"copy": (1.0,) * 8, "ours": (2.0,) * 8}
        >>> Comparison(times, (1.0,) * 8, moved=10).rows()[1]["bandwidth"]
        5.0
        """
        limit = next(iter(self.seconds))
        return [self._row(name, limit) for name in self.seconds]

    def _row(self, name, limit):
        lower, middle, upper = statistics.quantiles(self.seconds[name], n=4)
        against = self.verdict(limit, name)
        row = {
            "name": name,
            "median": middle,
            "spread": (upper - lower) / middle,
            "ratio": against.ratio,
            "low": against.low,
            "high": against.high,
        }
        if self.moved is not None:
            row["bandwidth"] = self.moved / middle
        return row

    def markdown(self):
        """The table as Markdown, slowest last, with the noise below it.

        Examples
        --------
        >>> times = {"copy": (1e-3,) * 8, "ours": (2e-3,) * 8}
        >>> print(Comparison(times, (1e-3,) * 8).markdown())
        | | median | spread | times copy |
        |---|--:|--:|--:|
        | copy | 1.000 ms | 0 % | 1.00 (1.00 to 1.00) |
        | ours | 2.000 ms | 0 % | 2.00 (2.00 to 2.00) |
        <BLANKLINE>
        8 rounds in turn; noise 0.0 %.
        """
        return markdown(self.rows(), len(self.control), self.noise)


def markdown(rows, rounds, noise):
    """Rows as a Markdown table, the first one first and the slowest last.

    Parameters
    ----------
    rows : list of dict
        As `Comparison.rows` gives them.
    rounds : int
    noise : float
        See `Comparison.noise`.

    Returns
    -------
    str

    Examples
    --------
    >>> times = {"copy": (1e-3,) * 8, "ours": (2e-3,) * 8}
    >>> rows = Comparison(times, (1e-3,) * 8).rows()
    >>> print(markdown(rows, 8, noise=0.05).splitlines()[-1])
    8 rounds in turn; noise 5.0 %.
    """
    first, *rest = rows
    names = ["", "median", "spread", f"times {first['name']}"]
    names += ["GB/s"] if "bandwidth" in first else []
    lines = ["| " + " | ".join(names).lstrip() + " |"]
    lines += ["|---|" + "--:|" * (len(names) - 1)]
    ordered = [first, *sorted(rest, key=lambda row: row["median"])]
    lines += [_line(row) for row in ordered]
    told = f"{rounds} rounds in turn; noise {100 * noise:.1f} %."
    return "\n".join([*lines, "", told])


def _line(row):
    ratio = f"{row['ratio']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
    cells = [row["name"], _readable(row["median"])]
    cells += [f"{100 * row['spread']:.0f} %", ratio]
    if "bandwidth" in row:
        cells.append(f"{row['bandwidth'] / 1e9:.1f}")
    return "| " + " | ".join(cells) + " |"


def _readable(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3f} {unit}"


def compare(
    candidates,
    rounds=30,
    warmup=3,
    least=2e-4,
    moved=None,
    synchronize=None,
    clock=time.perf_counter,
):
    """Time functions against each other.

    Parameters
    ----------
    candidates : dict of str to callable
        Functions without arguments. The first is what the others are
        compared with: best a copy of the data.
    rounds : int
        At least 8. In each round every candidate is timed once.
    warmup : int
        Untimed calls of each candidate before the first round.
    least : float
        Seconds that one timing should take. Faster functions are called
        several times in a row, and then find their data in the cache.
    moved : int, optional
        Bytes that a call of the first candidate reads and writes.
    synchronize : callable, optional
        Called before the clock is read, ``torch.cuda.synchronize`` say.
    clock : callable
        Gives the time in seconds.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If `candidates` is not a dict of callables, or a number is none.
    ValueError
        If there is no candidate, `rounds` is below 8, `warmup` or `least`
        negative, `moved` not positive, or the clock stands still.

    Examples
    --------
    >>> x = np.zeros(1000)
    >>> result = compare({"copy": x.copy, "sort": lambda: np.sort(x)}, 8)
    >>> list(result.seconds)
    ['copy', 'sort']
    """
    _check(candidates, rounds)
    _check_numbers(warmup, least, moved)
    stamp = environment()
    read = _reader(clock, synchronize)
    timed = {**candidates, _CONTROL: next(iter(candidates.values()))}
    calls = {
        name: _calls(function, warmup, least, read)
        for name, function in timed.items()
    }
    seconds = {name: [] for name in timed}
    for order in _orders(list(timed), rounds):
        for name in order:
            seconds[name].append(_time(timed[name], calls[name], read))
    _check_times(seconds.values())
    control = tuple(seconds.pop(_CONTROL))
    seconds = {name: tuple(times) for name, times in seconds.items()}
    return Comparison(seconds, control, moved, stamp)


def _check_numbers(warmup, least, moved):
    if warmup != 0:
        as_count("warmup", warmup)
    if as_number("least", least) < 0:
        raise ValueError(f"least must not be negative, got {least}")
    if moved is not None:
        as_count("moved", moved)


def _check_times(times):
    if min(map(min, times)) <= 0:
        raise ValueError(
            "clock must move on while a candidate runs: give a finer one, or"
            " a larger least"
        )


def _check(candidates, rounds):
    if not isinstance(candidates, dict):
        raise TypeError(f"candidates must be a dict, got {candidates!r}")
    if not candidates:
        raise ValueError("candidates must hold a function or more, got none")
    for name, function in candidates.items():
        if not callable(function):
            raise TypeError(f"candidates[{name!r}] must be callable")
    if as_count("rounds", rounds) < FEWEST_ROUNDS:
        raise ValueError(
            f"rounds must be at least {FEWEST_ROUNDS} (bounds of {LEVEL:.0%}"
            f" need as many), got {rounds}"
        )


def _reader(clock, synchronize):
    def read():
        if synchronize is not None:
            synchronize()
        return clock()

    return read


def _orders(names, rounds):
    # Drawn, so that no candidate always finds the cache that another left.
    draw = random.Random(0)
    return [draw.sample(names, len(names)) for _ in range(rounds)]


def _calls(function, warmup, least, read):
    for _ in range(warmup):
        function()
    once = _time(function, 1, read)
    return max(1, math.ceil(least / max(once, 1e-7)))


def _time(function, calls, read):
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = read()
        for _ in range(calls):
            function()
        return (read() - start) / calls
    finally:
        if collecting:
            gc.enable()
