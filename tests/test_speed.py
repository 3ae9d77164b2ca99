"""Counted bytes, and a machine with known faults."""

import numpy as np
import pytest
import sympy as sp
from rope_edu.machine import Machine
from rope_edu.timing import interval

torch = pytest.importorskip("torch")
from rope_edu.traffic import traffic  # noqa: E402

N = 24  # float32 numbers of a vector below: 96 bytes


@pytest.fixture
def x():
    return torch.arange(float(N)).reshape(4, 6)


# Traffic, each expected number written as reads and writes of N numbers.


@pytest.mark.parametrize(
    "code, read, written",
    [
        (lambda x: x.clone(), 1, 1),
        (lambda x: x + x, 2, 1),
        (lambda x: x.neg_(), 1, 1),
        (lambda x: x.mul_(2).add_(x), 3, 2),
        (lambda x: x.double(), 1, 2),
        (lambda x: x.sum(), 1, 1 / N),
        (lambda x: x * x[0], 1 + 1 / 4, 1),
        (lambda x: x * x[:1].expand(4, 6), 1 + 1 / 4, 1),
        (lambda x: x[:, :3] * x[:, 3:], 1, 1 / 2),
        (lambda x: torch.cat([x, x]), 2, 2),
        (lambda x: torch.mul(x, x, out=torch.empty(4, 6)), 2, 1),
        (lambda x: torch.empty_like(x).copy_(x), 1, 1),
        (lambda x: x.view(6, 4).T[1:].unflatten(1, (2, 3)), 0, 0),
        (lambda x: torch.empty(1000), 0, 0),
        (lambda x: x.reshape(24), 0, 0),
        (lambda x: x.T.reshape(24), 1, 1),
        (lambda x: None, 0, 0),
    ],
)
def test_operators_read_and_write(x, code, read, written):
    """What goes in and out of memory, and no more."""
    assert traffic(lambda: code(x)) == {
        "read": round(96 * read), "written": round(96 * written)}


def test_complex_numbers_are_two(x):
    """A product in one pass moves as much as a copy, and its table."""
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    assert traffic(lambda: z * z[0]) == {"read": 96 + 24, "written": 96}


def test_counting_ends_with_the_function(x):
    """And with an error in it."""
    with pytest.raises(ZeroDivisionError):
        traffic(lambda: 1 / 0)
    before = traffic(lambda: x + x)
    x + x
    assert traffic(lambda: x + x) == before


def test_only_functions_are_counted():
    with pytest.raises(TypeError, match="function must be callable, got 3"):
        traffic(3)


# The machine


def test_first_call_costs_more():
    """Once for each job, not for the machine."""
    machine = Machine(first=5.0)
    one, two = machine.job(1.0), machine.job(2.0)
    marks = []
    for job in (one, one, two, two):
        job()
        marks.append(machine.clock())
    assert marks == [6, 7, 14, 16]


def test_another_program_takes_half():
    """From the moment on that is given; a call that has begun is not hit."""
    machine = Machine(busy_from=2.5)
    job, marks = machine.job(1.0), []
    for _ in range(5):
        job()
        marks.append(machine.clock())
    assert marks == [1, 2, 3, 5, 7]


def test_share_of_interrupted_calls():
    """Ten times as long, in one call of ten, by chance and reproducibly."""
    def times(seed):
        machine = Machine(interrupted=0.1, seed=seed)
        job, marks = machine.job(1.0), [0.0]
        for _ in range(2000):
            job()
            marks.append(machine.clock())
        return np.diff(marks).round(9)

    found = times(0)
    assert set(found) == {1.0, 10.0}
    # Four standard deviations of a share of 0.1 in 2000 draws.
    assert abs((found == 10).mean() - 0.1) < 4 * (0.09 / 2000) ** 0.5
    assert (found == times(0)).all() and (found != times(1)).any()


@pytest.mark.parametrize(
    "fault, told",
    [
        ({"first": -1.0}, "first must not be negative, got -1.0"),
        ({"first": float("nan")}, "first must be finite, got nan"),
        ({"first": float("inf")}, "first must be finite, got inf"),
        ({"busy_from": 0.0}, "busy_from must be positive, got 0.0"),
        ({"interrupted": 1.0}, "interrupted must be a share below 1, got 1.0"),
    ],
)
def test_faults_are_checked(fault, told):
    with pytest.raises(ValueError, match=told):
        Machine(**fault)


@pytest.mark.parametrize("name", ["first", "busy_from", "interrupted"])
def test_faults_are_numbers(name):
    with pytest.raises(TypeError, match=f"{name} must be a number, got 'a'"):
        Machine(**{name: "a"})


def test_a_job_takes_time():
    with pytest.raises(ValueError, match="seconds must be above 0, got 0"):
        Machine().job(0)


def test_bounds_of_the_theorem():
    """`interval` returns the places whose chance the theorem gives."""
    for n in (8, 20, 41):
        low, high = interval(range(1, n + 1))
        assert low + high == n + 1
        tails = [2 * float(sum(sp.binomial(n, j) for j in range(k))) / 2**n
                 for k in (low, low + 1)]
        assert tails[0] <= 0.01 < tails[1]
