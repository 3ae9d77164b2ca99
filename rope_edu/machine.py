"""A machine whose faults are known, to try a way of timing on.

On a real machine nobody knows the true time, so that a wrong way of timing
and a right one cannot be told apart. Here every job has a true time, and
what disturbs it is chosen: a first call that costs more, another program
that starts in the middle, calls that are interrupted. Nothing runs; only the
machine's own clock moves.
"""

import random

from rope_edu._checks import as_number, as_positive


class Machine:
    """A clock that jobs move forward, with faults of one's choice.

    Parameters
    ----------
    first : float
        Seconds more that the first call of a job takes.
    busy_from : float
        Seconds after which another program takes half of the processor.
    interrupted : float
        Share of the calls, 0 to below 1, that take ten times as long.
    seed : int
        Which calls are interrupted.

    Raises
    ------
    TypeError, ValueError
        If one of the three is not a number, `first` is negative, `busy_from`
        not positive or `interrupted` not a share.

    Examples
    --------
    >>> machine = Machine(first=3.0)
    >>> work = machine.job(2.0)
    >>> work(), work(), machine.clock()
    (None, None, 7.0)
    """

    def __init__(
        self, first=0.0, busy_from=float("inf"), interrupted=0.0, seed=0
    ):
        if as_number("first", first) < 0:
            raise ValueError(f"first must not be negative, got {first}")
        never = busy_from == float("inf")
        if not never and as_number("busy_from", busy_from) <= 0:
            raise ValueError(f"busy_from must be positive, got {busy_from}")
        if not 0 <= as_number("interrupted", interrupted) < 1:
            raise ValueError(
                f"interrupted must be a share below 1, got {interrupted}"
            )
        self._first, self._busy_from = first, busy_from
        self._interrupted, self._draw = interrupted, random.Random(seed)
        self._now = 0.0

    def clock(self):
        """Seconds since the machine was made.

        Examples
        --------
        >>> Machine().clock()
        0.0
        """
        return self._now

    def job(self, seconds):
        """A function without arguments that takes this long, but for faults.

        Parameters
        ----------
        seconds : float
            True time of a call.

        Returns
        -------
        callable

        Examples
        --------
        >>> machine = Machine(busy_from=1.5)
        >>> work = machine.job(1.0)
        >>> work(), work(), work(), machine.clock()
        (None, None, None, 4.0)
        """
        seconds, calls = as_positive("seconds", seconds), []

        def run():
            extra = 0.0 if calls else self._first
            self._now += (seconds + extra) * self._pace()
            calls.append(None)

        return run

    def _pace(self):
        pace = 2 if self._now >= self._busy_from else 1
        return pace * (10 if self._draw.random() < self._interrupted else 1)
