"""Timing under a clock of our own: no test here depends on the machine."""

import gc
import itertools
import math
import random
import subprocess
import sys

import pytest

from rope_edu import timing
from rope_edu.timing import Comparison, Verdict, compare, environment, interval


class Clock:
    """A clock that only the candidates move."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def read(self):
        return self.now

    def candidate(self, name, seconds):
        """A function that takes the next of `seconds`, or always the same."""
        steps = itertools.repeat(seconds) if isinstance(seconds, float) else seconds

        def run():
            self.log.append(name)
            self.now += next(steps)

        return run


def measure(clock, rounds=20, least=0.0, **seconds):
    """Compare candidates that take the given times."""
    candidates = {name: clock.candidate(name, s) for name, s in seconds.items()}
    return compare(candidates, rounds, warmup=2, least=least, clock=clock.read)


def drawn(seed, center, spread):
    """Times with a heavy tail, as a busy machine gives them."""
    draw = random.Random(seed)
    while True:
        yield center * math.exp(spread * abs(draw.gauss(0, 1)) ** 2)


def test_times_are_those_of_one_call():
    result = measure(Clock(), copy=1.0, ours=3.0)
    assert result.seconds == {"copy": (1.0,) * 20, "ours": (3.0,) * 20}
    assert result.control == (1.0,) * 20 and result.noise == 0
    assert str(result.verdict("ours", "copy")) == (
        "copy is 3.00 times as fast as ours (3.00 to 3.00; noise 0.0 %)"
    )


def test_rounds_are_taken_in_turn_in_changing_order():
    clock = Clock()
    measure(clock, copy=1.0, a=1.0, b=1.0)
    warm, rest = clock.log[:12], clock.log[12:]
    assert warm == ["copy"] * 3 + ["a"] * 3 + ["b"] * 3 + ["copy"] * 3
    rounds = [tuple(rest[i : i + 4]) for i in range(0, len(rest), 4)]
    assert len(rounds) == 20 and len(set(rounds)) > 8
    assert all(sorted(order) == ["a", "b", "copy", "copy"] for order in rounds)
    again = Clock()
    measure(again, copy=1.0, a=1.0, b=1.0)
    assert again.log == clock.log


def test_a_drift_of_the_machine_cancels():
    """All get slower and slower; the ratio of each round does not."""
    clock, speed = Clock(), itertools.count(1)

    def at(share):
        def run():
            clock.now += share * (1 + next(speed) / 100)
        return run

    result = compare(
        {"copy": at(1.0), "ours": at(2.0)}, 40, least=0, clock=clock.read
    )
    verdict = result.verdict("copy", "ours")
    assert verdict.faster == "copy" and abs(verdict.ratio - 2) < 0.05
    assert max(result.seconds["copy"]) > 1.5 * min(result.seconds["copy"])


def test_a_difference_inside_the_noise_is_none():
    """The second is 3 % faster, the first differs from itself by more."""
    clock = Clock()
    result = measure(
        clock, rounds=30, copy=drawn(1, 1.0, 0.2), ours=drawn(2, 0.97, 0.2)
    )
    verdict = result.verdict("ours", "copy")
    assert verdict.faster is None and result.noise > 0.03
    assert str(verdict).startswith("no difference between ours and copy beyond")


def test_the_control_holds_back_a_steady_but_smaller_difference():
    """Every round agrees, yet the first differs from itself by as much."""
    first, ours, again = (1.0,) * 20, (0.96,) * 20, (1.05,) * 20
    assert Comparison({"copy": first, "ours": ours}, first).verdict(
        "ours", "copy").faster == "ours"
    assert Comparison({"copy": first, "ours": ours}, again).verdict(
        "ours", "copy").faster is None


def test_equal_candidates_are_hardly_ever_told_apart():
    """Of 400 runs with equal candidates, 1 % and its spread may err."""
    wrong = sum(
        measure(
            Clock(), copy=drawn(seed, 1.0, 0.3), ours=drawn(-seed - 1, 1.0, 0.3)
        ).verdict("copy", "ours").faster is not None
        for seed in range(400)
    )
    assert wrong <= 4


@pytest.mark.parametrize("n", [8, 9, 20, 30, 101])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_interval_is_the_narrowest_that_holds_the_median(n, level):
    low, high = interval(list(range(1, n + 1))[::-1], level)
    assert low + high == n + 1
    fewer = [sum(math.comb(n, i) for i in range(k)) / 2**n for k in range(n + 1)]
    assert 2 * fewer[low] <= 1 - level < 2 * fewer[low + 1]


def test_interval_needs_enough_values():
    with pytest.raises(ValueError, match="level of 0.99, got 7"):
        interval([1.0] * 7)


@pytest.mark.parametrize("low, high, noise, faster", [
    (1.1, 1.3, 0.05, "a"), (1.04, 1.3, 0.05, None), (0.7, 0.9, 0.05, "b"),
    (0.7, 0.96, 0.05, None), (0.9, 1.1, 0.0, None), (1.0, 1.1, 0.0, None),
])
def test_verdicts(low, high, noise, faster):
    verdict = Verdict("a", "b", (low * high) ** 0.5, low, high, noise)
    assert verdict.faster == faster
    assert ("no difference" in str(verdict)) == (faster is None)


def test_fast_functions_are_called_several_times():
    clock = Clock()
    result = measure(clock, rounds=8, least=1.0, copy=0.3)
    assert len(clock.log) == 2 * (3 + 8 * 4)
    assert result.seconds["copy"] == pytest.approx((0.3,) * 8)


def test_synchronize_comes_before_each_look_at_the_clock():
    events = []
    compare(
        {"copy": lambda: events.append("call")}, 8, warmup=0, least=0,
        synchronize=lambda: events.append("wait"),
        clock=lambda: events.append("look") or len(events),
    )
    assert events[:5] == ["wait", "look", "call", "wait", "look"]
    looks = [i for i, event in enumerate(events) if event == "look"]
    assert all(events[i - 1] == "wait" for i in looks)


def test_garbage_is_not_collected_while_the_clock_runs():
    seen = []
    compare({"copy": lambda: seen.append(gc.isenabled())}, 8, warmup=0)
    assert gc.isenabled() and not any(seen)
    with pytest.raises(ZeroDivisionError):
        compare({"copy": lambda: 1 / 0}, 8, warmup=0)
    assert gc.isenabled()


def test_table():
    times = {"copy": (1e-3,) * 8, "slow": (2.0,) * 8, "ours": (5e-6,) * 8}
    result = Comparison(times, (1e-3,) * 8, moved=32 * 2**20)
    assert [row["name"] for row in result.rows()] == ["copy", "slow", "ours"]
    assert result.rows()[0]["bandwidth"] == 32 * 2**20 / 1e-3
    assert result.markdown().splitlines() == [
        "| | median | spread | times copy | GB/s |",
        "|---|--:|--:|--:|--:|",
        "| copy | 1.000 ms | 0 % | 1.00 (1.00 to 1.00) | 33.6 |",
        "| ours | 5.000 µs | 0 % | 0.01 (0.01 to 0.01) | 6710.9 |",
        "| slow | 2.000 s | 0 % | 2000.00 (2000.00 to 2000.00) | 0.0 |",
        "",
        "8 rounds in turn; noise 0.0 %.",
    ]


def test_spread_is_the_middle_half():
    times = tuple(float(t) for t in range(1, 12))
    (row,) = Comparison({"copy": times}, times).rows()
    assert row["median"] == 6 and row["spread"] == (9 - 3) / 6


def test_environment_names_machine_and_versions():
    stamp = environment()
    names = {"date", "processor", "processors", "system", "Python", "NumPy"}
    assert names <= set(stamp)
    assert measure(Clock(), copy=1.0).environment.keys() == stamp.keys()


def test_importing_it_does_not_import_torch():
    code = "import sys, rope_edu.timing as t; t.environment(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0 and "torch" not in run.stdout.split()


def test_environment_tells_threads_once_torch_is_there():
    torch = pytest.importorskip("torch")
    stamp = environment()
    assert stamp["PyTorch"] == torch.__version__
    assert stamp["threads"] == torch.get_num_threads()


@pytest.mark.parametrize("call, error, words", [
    (lambda: compare({}), ValueError, "candidates.*none"),
    (lambda: compare({"a": 1}), TypeError, r"candidates\['a'\] must be callable"),
    (lambda: compare({"a": int}, 7), ValueError, "rounds must be at least 8.*7"),
    (lambda: compare({"a": int}, 8.0), TypeError, "rounds must be an integer"),
    (lambda: compare({"a": int}, True), TypeError, "rounds must be an integer"),
    (lambda: compare({"a": int}, 8).verdict("a", "b"), ValueError, "are a, got 'b'"),
    (lambda: compare([int]), TypeError, "candidates must be a dict"),
    (lambda: compare({"a": int}, warmup=-1), ValueError, "warmup.*got -1"),
    (lambda: compare({"a": int}, least=float("nan")), ValueError, "least must.*nan"),
    (lambda: compare({"a": int}, least=-1), ValueError, "least must not be negative"),
    (lambda: compare({"a": int}, moved=0), ValueError, "moved must be positive"),
    (lambda: compare({"a": int}, 8, clock=lambda: 1.0), ValueError,
     "clock must move on"),
    (lambda: interval([1] * 9, -3), ValueError, "level must be between 0 and 1.*-3"),
    (lambda: interval([1] * 9, 1.5), ValueError, "level must be between 0 and 1"),
])
def test_malformed_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_rounds_suffice_for_the_level():
    interval([1.0] * timing.FEWEST_ROUNDS, timing.LEVEL)
    with pytest.raises(ValueError):
        interval([1.0] * (timing.FEWEST_ROUNDS - 1), timing.LEVEL)
