"""Chapter 11: right answers, and slips with a word of what is said to them."""

import statistics

import numpy as np
import sympy as sp

from rope_edu.timing import compare

BYTES = 2 * 2 * 2 * 4096 * 32 * 128
MS = BYTES / 50e9 * 1e3
H, s = sp.symbols("H s", positive=True)


def timed(job, clock):
    """Return the seconds of one call."""
    start = clock()
    job()
    return clock() - start


def in_turn(first, second, clock, take):
    """Warm, in turn; `take` makes one number of the ratios."""
    first(), second()
    return take(1 / timed(first, clock) * timed(second, clock) for _ in range(40))


def by_hand(first, second, clock):
    """Right, without the package."""
    return in_turn(first, second, clock, statistics.median)


def smallest(first, second, clock):
    """Right, too: both at their best, in turn."""
    first(), second()
    pairs = [(timed(first, clock), timed(second, clock)) for _ in range(40)]
    return min(b for _, b in pairs) / min(a for a, _ in pairs)


def packaged(first, second, clock, order="ab"):
    """Right in this order: the ratio that `compare` finds."""
    jobs = {"a": first, "b": second}
    return compare(jobs, 31, least=0, clock=clock).verdict(*order).ratio


def one_after_the_other(first, second, clock):
    """Both warm, the smallest of each, but not in turn."""
    first(), second()
    best = [min(timed(job, clock) for _ in range(20)) for job in (first, second)]
    return best[1] / best[0]


def smallest_of_two(first, second, clock):
    """Both warm, the smaller time of two, but not in turn."""
    first(), second()
    best = [min(timed(job, clock) for _ in range(2)) for job in (first, second)]
    return best[1] / best[0]


def once(first, second, clock):
    """Both warm, and one call each."""
    first(), second()
    return 1 / timed(first, clock) * timed(second, clock)


def never_warm(first, second, clock):
    """Right: of many ratios the median leaves out the first."""
    return statistics.median(
        1 / timed(first, clock) * timed(second, clock) for _ in range(40))


def means(first, second, clock):
    """Warm and in turn, but the mean of the ratios."""
    return in_turn(first, second, clock, statistics.mean)


def cold(first, second, clock):
    """In turn, the sums of both."""
    pairs = [(timed(first, clock), timed(second, clock)) for _ in range(40)]
    return sum(b for _, b in pairs) / sum(a for a, _ in pairs)


RIGHT = [
    ("11.1", (BYTES, MS)), ("11.1", (BYTES, 2.7)), ("11.1", (1.34e8, 2.68)),
    ("11.1", np.array([BYTES, MS])), ("11.1", [sp.Integer(BYTES), sp.Rational(67, 25)]),
    ("11.2", 4.5), ("11.2", 4.53), ("11.2", sp.Rational(9, 2)),
    ("11.3", 3 / (2 * s + 4 / H)), ("11.3", 3 * H / (2 * s * H + 4)),
    ("11.3", (3 / (2 * s + 4 / H)).subs({H: sp.Symbol("H"), s: sp.Symbol("s")})),
    ("11.4", by_hand), ("11.4", smallest), ("11.4", packaged),
    ("11.4", never_warm),
]

SLIPS = [
    ("11.1", (BYTES / 2, MS / 2), "written, too"),
    ("11.1", (BYTES / 4, MS / 4), "queries and keys, read and written"),
    ("11.1", (BYTES / 8, MS / 8), "has 2 bytes"),
    ("11.1", (2 * BYTES, 2 * MS), "16 bits"),
    ("11.1", (8 * BYTES, MS), "not bits"),
    ("11.1", (1.01 * BYTES, MS), "bytes are not right"),
    ("11.1", (BYTES + 4 * 128 * 4096, MS), "tables are to be left out"),
    ("11.1", (BYTES / 2**20, MS), "not MiB"),
    ("11.1", (134.2, MS), "not MB"),
    ("11.1", (BYTES, 0.0027), "milliseconds"),
    ("11.1", (BYTES, MS * 1000), "milliseconds"),
    ("11.1", (BYTES, BYTES / (50 * 2**30) * 1e3), "not 50 GiB"),
    ("11.1", (BYTES, 2.8), "does not follow"),
    ("11.2", 9, "in copies"),
    ("11.2", 8, "half as wide"),
    ("11.2", 5, "half of the numbers"),
    ("11.2", 1, "one pass"),
    ("11.2", 2, "these are the products"),
    ("11.2", 3.5, "joining"),
    ("11.2", 4, "both"),
    ("11.2", 7, "so many operators"),
    ("11.2", 6, "one by one"),
    ("11.3", 3 / (2 * s), "tables are not"),
    ("11.3", 3 * H / (2 * H * s + 2), "a cosine and a sine"),
    ("11.3", 3 * H / (2 * H * s + 8), "for each pair"),
    ("11.3", 3 / (2 * s + 4), "same cosines"),
    ("11.3", 3 * H / (H * s + 4), "read and written"),
    ("11.3", (2 * H * s + 4) / (3 * H), "other way round"),
    ("11.3", 6 * H / (2 * H * s + 4), "three for a number"),
    ("11.3", 3 / s, "H must matter"),
    ("11.3", 3 * H / (2 * H * s + 5), "one token"),
    ("11.3", 3 * H * sp.Symbol("d") / (2 * H * s + 4), "only the symbols"),
    ("11.4", one_after_the_other, "in the middle"),
    ("11.4", smallest_of_two, "in the middle"),
    ("11.4", once, "in the middle"),
    ("11.4", means, "one call in ten"),
    ("11.4", cold, "first call"),
    ("11.4", lambda *given: packaged(*given, order="ba"),
     "first over that of the second"),
    ("11.4", lambda *given: by_hand(*given) - 1, "without faults"),
    ("11.4", lambda *jobs: 0.8, "never calls"),
    ("11.4", 3, "a function"),
]
