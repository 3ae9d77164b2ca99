"""Exercises: every stub fails its own check, every solution passes."""

import re

import pytest
from book import SOURCES, Chapter

from rope_edu import exercises
from rope_edu.exercises._wrong import Wrong, array, number

CALL = re.compile(r'exercises\.check\("([\d.]+)"')


def gated():
    """Return (number, part, output) of each exercise cell of the book.

    The part is "exercise" or "solution", by the gate the cell stands in.
    """
    found = []
    for path in SOURCES:
        part = None
        for cell in Chapter(path).notebook.cells:
            if cell.cell_type == "markdown":
                for gate in re.findall(r"\{(\w+)-(start|end)\}", cell.source):
                    part = gate[0] if gate[1] == "start" else None
                continue
            printed = "".join(o.get("text", "") for o in cell.outputs)
            found += [(n, part, printed) for n in CALL.findall(cell.source)]
    return found


CELLS = gated()


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


@pytest.mark.parametrize("asked", exercises.numbers())
@pytest.mark.parametrize(
    "answer",
    [..., None, "text", float("nan"), [[]], object(), lambda *a: None,
     lambda *a: 1 / 0],
    ids=["ellipsis", "none", "text", "nan", "empty", "object", "nothing",
         "raises"],
)
def test_nonsense_is_refused_in_words(asked, answer):
    """No answer, however odd, passes or escapes as an exception."""
    assert exercises.verdict(asked, answer)


def test_unknown_number_names_the_known_ones():
    """A wrong number is the caller's mistake and says so."""
    with pytest.raises(ValueError, match="5.1"):
        exercises.check("99.9", 1)


def test_number_and_array_name_what_is_wrong():
    """The shared first lines of the checks."""
    assert number("2.5") == 2.5
    for bad in ([1, 2], "x", float("inf")):
        with pytest.raises(Wrong):
            number(bad)
    with pytest.raises(Wrong, match=r"\(2,\).*\(3,\)"):
        array([1, 2], (3,))
