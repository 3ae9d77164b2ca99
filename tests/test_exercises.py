"""Exercises: every stub fails its own check, every solution passes."""

import re
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch
from book import SOURCES, Chapter, gated

from rope_edu import exercises
from rope_edu.exercises._wrong import (
    Wrong,
    array,
    call,
    expression,
    number,
    same,
    truth,
)

CALL = re.compile(r'exercises\.check\("([\d.]+)"')


def exercise_cells():
    """Return (number, part, output) of each exercise cell of the book."""
    found = []
    for path in SOURCES:
        for cell, part in gated(Chapter(path).notebook.cells):
            printed = "".join(o.get("text", "") for o in cell.outputs)
            found += [(n, part, printed) for n in CALL.findall(cell.source)]
    return found


CELLS = exercise_cells()


def test_every_exercise_has_stub_and_solution():
    """Each number is asked once and answered once, in its chapter."""
    for part in ("exercise", "solution"):
        assert [n for n, p, _ in CELLS if p == part] == exercises.numbers()
    assert all(part for _, part, _ in CELLS)


@pytest.mark.parametrize("asked, part, printed", CELLS)
def test_stub_fails_and_solution_passes(asked, part, printed):
    """nbval runs the cells; here is what they must have printed."""
    mark = "✗" if part == "exercise" else "✓"
    assert re.search(rf"^{mark} {re.escape(asked)}\b", printed, re.M), printed


class Unspeakable(Exception):
    """An error that cannot say what it is."""

    def __str__(self):
        """Raise another."""
        raise RuntimeError


def throw(error):
    """Raise it, where a statement may not stand."""
    raise error


@pytest.mark.parametrize("asked", exercises.numbers())
@pytest.mark.parametrize(
    "answer",
    [..., None, "text", float("nan"), [[]], object(), True, 10**5000,
     [[1, 2], [3]], lambda *a: None, lambda *a: 1 / 0, lambda *a: sys.exit(0),
     lambda *a: throw(Unspeakable()), lambda *a: [[1, 2], [3]]],
    ids=["ellipsis", "none", "text", "nan", "empty", "object", "true", "huge",
         "ragged", "nothing", "raises", "exits", "mute", "ragged function"],
)
def test_nonsense_is_refused_in_words(asked, answer):
    """No answer, however odd, passes or escapes as an exception."""
    said = exercises.verdict(asked, answer)
    assert said and len(said) < 200
    # What holds no function has raised nothing.
    assert callable(answer) or "your answer raises" not in said


def test_unknown_number_names_the_known_ones():
    """A wrong number is the caller's mistake and says so."""
    with pytest.raises(ValueError, match="5.1"):
        exercises.check("99.9", 1)


@pytest.mark.parametrize("asked", [5.1, ["5.1"], None])
def test_number_of_an_exercise_is_a_string(asked):
    """A float would be the same for 5.1 and 5.10."""
    with pytest.raises(TypeError, match='string, such as "5.1", got'):
        exercises.check(asked, 1)


def test_number_and_array_name_what_is_wrong():
    """The shared first lines of the checks."""
    assert number("2.5") == number([2.5]) == number(sp.Matrix([2.5])) == 2.5
    for bad in ([1, 2], "x", float("inf")):
        with pytest.raises(Wrong):
            number(bad)
    for bad in (True, np.True_, np.array(True), sp.true, torch.tensor(True)):
        with pytest.raises(Wrong, match="not True or False"):
            number(bad)
    with pytest.raises(Wrong, match="so large a number"):
        number(10**5000)
    with pytest.raises(Wrong, match=r"'xx+ \.\.\. is not a number"):
        number("x" * 1000)
    with pytest.raises(Wrong, match=r"\(2,\).*\(3,\)"):
        array([1, 2], (3,))


@pytest.mark.parametrize(
    "answer",
    [np.float32(2.5), np.float64(2.5), Fraction(5, 2), sp.Rational(5, 2),
     sp.Float(2.5), np.array(2.5), np.complex128(2.5)],
    ids=lambda answer: type(answer).__name__,
)
def test_every_real_number_is_one(answer):
    """Readers compute with NumPy, fractions and SymPy alike."""
    assert number(answer) == 2.5
    assert array([[answer, 1], [2, 3]], (2, 2)).tolist() == [[2.5, 1], [2, 3]]


@pytest.mark.parametrize(
    "answer", [np.complex128(5 + 3j), 5 + 3j, sp.Integer(5) + 3 * sp.I,
               np.ma.masked, 10**400, "five"],
    ids=["NumPy", "Python", "SymPy", "masked", "huge", "text"],
)
def test_nothing_is_dropped_to_make_a_number(answer):
    """No imaginary part and no mask."""
    with pytest.raises(Wrong):
        number(answer)
    with pytest.raises(Wrong):
        array([answer], (1,))


def test_arrays_lose_no_mask_and_are_copies():
    """A buffer that an answer uses again must not change what was found."""
    masked = np.ma.masked_array(np.ones(2), mask=True)
    for answer in (masked, [masked]):
        with pytest.raises(Wrong, match="masked"):
            array(answer, np.shape(answer))
    with pytest.raises(Wrong, match="an array of numbers"):
        array([[1, 2], [3]], (2, 2))
    buffer = np.ones(2)
    assert not np.shares_memory(array(buffer, (2,)), buffer)


def test_answers_are_called_with_copies():
    """An answer may write into what it is given, and nothing else."""
    def answer(x, rows):
        x[:], rows[0][:] = 7, 7
        return x

    x, rows = np.arange(3.0), [np.zeros(2)]
    x.flags.writeable = False
    assert call(answer, x, rows).tolist() == [7, 7, 7]
    assert x.tolist() == [0, 1, 2] and rows[0].tolist() == [0, 0]
    with pytest.raises(Wrong, match="a function"):
        call(3, x)


def test_symbols_are_known_by_their_names():
    """Whatever was assumed of them, and no others."""
    own = sp.symbols("a b", real=True)
    other = sp.symbols("a b") + sp.symbols("a b", positive=True)
    assert expression(sum(other), own) == 2 * own[0] + 2 * own[1]
    assert expression(2, own) == 2
    assert expression(sp.Matrix([sum(own)]), own) == sum(own)
    with pytest.raises(Wrong, match="only the symbols a, b are needed"):
        expression(sp.Symbol("c"), own)
    for bad in ("a + b", [own[0]], sp.Eq(*own)):
        with pytest.raises(Wrong, match="a SymPy expression"):
            expression(bad, own)


@pytest.mark.parametrize("found", [np.True_, np.array(True), torch.tensor(True)])
def test_every_true_is_one(found):
    """An array without axes is as good; a number or a text is not."""
    assert truth(found, "") is True and truth(found != found, "") is False
    for bad in (1, "True", [True], None, ...):
        with pytest.raises(Wrong, match="a bool"):
            truth(bad, "a bool")


def test_equal_numbers_stand_for_equal_expressions():
    """Where SymPy does not reduce one form to the other, nor to a number."""
    a, b = sp.symbols("a b", real=True)
    wave = sp.Abs(a + sp.I * b) * sp.cos(sp.arg(a + sp.I * b))
    assert same(wave, a) and same(1.0 * a / 3, a / 3)
    assert not same(sp.Abs(a), a) and not same(a + 1e-9, a)
    assert not same(sp.nan * a, a) and not same(sp.Function("f")(a), a)
