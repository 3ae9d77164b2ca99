"""The notebooks: source and output agree; chapters keep their contract."""

import re

import pytest
from book import (
    CHAPTERS,
    NOTEBOOKS,
    checked,
    directives,
    each_chapter,
    each_notebook,
    labels,
    seen,
    tags,
    toc_files,
)

MAX_LINES, MAX_COLUMNS = 8, 79


def essence(notebook):
    """Return what an edit of the source changes in the notebook."""
    return [
        (cell.cell_type, cell.source, sorted(tags(cell)))
        for cell in notebook.cells
    ]


def code_cells(notebook):
    """Return the notebook's code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_contents_list_every_notebook():
    """What is not listed is not built; chapters stand in their order."""
    listed = [name for name in toc_files() if name.startswith("notebooks/")]
    stems = [name.removeprefix("notebooks/") for name in listed]
    chapters = [chapter.path.stem for chapter in CHAPTERS]
    assert [stem for stem in stems if stem[0].isdigit()] == chapters
    assert set(stems) == {notebook.path.stem for notebook in NOTEBOOKS}


@each_notebook
def test_notebook_comes_from_its_source(notebook):
    """Outputs that belong to other code would be shown as its own."""
    assert essence(notebook.notebook) == essence(notebook.source), (
        "the source has changed since it was run: make execute"
    )


@each_notebook
def test_executed_from_top_to_bottom(notebook):
    """A notebook without outputs would pass every comparison."""
    counts = [cell.execution_count for cell in code_cells(notebook.notebook)]
    assert counts == list(range(1, len(counts) + 1))


@each_notebook
def test_errors_only_where_announced(notebook):
    """An error is an example only where the author says so."""
    for cell in code_cells(notebook.notebook):
        kinds = {output.output_type for output in cell.outputs}
        expected = "raises-exception" in tags(cell)
        assert ("error" in kinds) == expected, cell.source


@each_notebook
def test_visible_code_is_short(notebook):
    """Longer code belongs in the package, with a name and a test."""
    for cell in code_cells(notebook.source):
        lines = cell.source.splitlines()
        assert len(lines) <= MAX_LINES or not seen(cell), cell.source
        for line in lines:
            assert len(line) <= MAX_COLUMNS, line


@each_notebook
def test_labeled_equations_are_checked_where_they_stand(notebook):
    """Prose may go on only when every equation above it has its check."""
    pending = set()
    for cell in notebook.source.cells:
        if cell.cell_type == "code":
            pending -= set(checked(cell.source))
        else:
            new = labels(cell.source)
            assert new or not pending, f"no check follows {pending}"
            pending |= set(new)
    assert not pending, f"no check follows {pending}"


@each_chapter
def test_exercises_have_hidden_solutions(chapter):
    """At least three exercises, each with one solution behind a click."""
    found = directives(chapter.prose)
    kinds = ("exercise", "exercise-start")
    exercises = sum(name in kinds for name, _ in found)
    solved = [
        argument
        for name, argument in found
        if name in ("solution", "solution-start")
    ]
    named = re.findall(r"\{exercise(?:-start)?\}[^\n]*\n:label: *(\S+)",
                       chapter.prose)
    hidden = re.findall(r"\{solution(?:-start)?\}[^\n]*\n:class: *dropdown",
                        chapter.prose)
    assert exercises >= 3
    assert exercises == len(named) == len(hidden)
    assert sorted(named) == sorted(solved)


HINT = re.compile(
    r"^```\{admonition\} (First|Second) hint\n:class: hint dropdown\n(.+?)^```$",
    re.M | re.S,
)


@each_chapter
def test_exercises_have_two_hints(chapter):
    """Whoever is stuck gets a nudge first, and more only on a second click."""
    asked = re.findall(r"\{exercise-start\}(.+?)\{exercise-end\}",
                       chapter.prose, re.S)
    for exercise in asked:
        hints = HINT.findall(exercise)
        assert [step for step, _ in hints] == ["First", "Second"], exercise
        assert all(len(words.split()) >= 6 for _, words in hints), exercise


@each_chapter
@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(r"\A# \S", id="title"),
        pytest.param(r"\?", id="question"),
        pytest.param(r"(?i)\byou (can|will be able to)\b", id="ability"),
        pytest.param(r"(?i)\b(needs?|prerequisites?)\b", id="needs"),
        pytest.param(r"(?i)\d+ min(ute)?s?\b", id="minutes"),
        pytest.param(r"(?i)\d+ (s|seconds?)\b", id="seconds"),
    ],
)
def test_opening_states(chapter, promise):
    """The first cell says what the chapter asks, gives, needs and costs."""
    assert re.search(promise, chapter.source.cells[0].source)


@each_chapter
def test_ends_with_summary(chapter):
    """The last section but for pointers and sources is the summary."""
    after = ("sources", "next", "further reading", "references")
    headings = re.findall(r"^## +(.+)$", chapter.prose, re.M)
    while headings and headings[-1].strip().lower() in after:
        headings.pop()
    assert headings[-1].strip().lower() == "summary"


@each_chapter
def test_summary_is_short(chapter):
    """Three to five sentences, after which nothing new stands."""
    text = re.search(r"^## Summary\n(.+?)^## ", chapter.prose, re.M | re.S)[1]
    text = re.sub(r"\$[^$]+\$", "x", text)
    assert 3 <= len(re.findall(r"[.?!](?=\s|$)", text)) <= 5
