"""The page of questions: short answers that run, linked in both directions."""

import ast
import re
from functools import lru_cache

import pytest
from book import CHAPTERS, QUESTIONS, Chapter

from rope_edu.ledger.places import anchor

PAGE = Chapter(QUESTIONS)
NUMBERS = range(1, 15)
# No chapter leads to these yet: one that does takes its number from here.
NOT_YET = set()
NO_THREAD = {14}  # asked under most tutorials, in no one place
BEGIN = re.compile(r"^\(question-(\d+)\)=\n## (.+)$", re.M)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
BACK = re.compile(r"\{ref\}`[^<`]*<question-(\d+)>`")
each_question = pytest.mark.parametrize("number", NUMBERS)


def text_of(cell):
    """Return a code cell as a fence, prose as it is."""
    if cell.cell_type == "code":
        return f"```{{code-cell}}\n{cell.source}\n```"
    return cell.source


def questions():
    """Return {number: (heading, what stands below it)}."""
    text = "\n\n".join(map(text_of, PAGE.source.cells))
    parts = BEGIN.split(re.split(r"^\(slips-in-print\)=$", text, flags=re.M)[0])
    rows = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return {int(number): (heading, below) for number, heading, below in rows}


FOUND = questions()


def answer(number):
    """Return the prose between a heading and its cell."""
    return FOUND[number][1].split("```")[0].strip()


def cells(number):
    """Return the code below a question, cell by cell."""
    fence = r"^```\{code-cell\}\n(.*?)\n```$"
    return re.findall(fence, FOUND[number][1], re.M | re.S)


def links(number):
    """Return the (text, address) pairs below a question's cell."""
    return LINK.findall(FOUND[number][1].rsplit("```")[-1])


def sentences(text):
    """Count the sentences; dots in numbers, names and formulas end none."""
    plain = re.sub(r"\$[^$]*\$|`[^`]*`", "x", " ".join(text.split()))
    assert plain.endswith((".", "?"))
    return len(re.findall(r"[.?!](?= [A-Z]|$)", plain))


@lru_cache(maxsize=None)
def anchors(stem):
    """Return the names of a chapter's headings in links."""
    (chapter,) = [c for c in CHAPTERS if c.path.stem == stem]
    return {anchor(h) for h in re.findall(r"^#{1,3} +(.+)$", chapter.prose, re.M)}


def leading():
    """Return {number: names of the chapters that link to the question}."""
    found = {number: set() for number in NUMBERS}
    for chapter in CHAPTERS:
        for number in BACK.findall(chapter.prose):
            found[int(number)].add(chapter.path.stem)
    return found


LEADING = leading()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is 7.20. It is.", 2),
        ("By $x. Y$ and `a. B`, one.", 1),
        ("Who? We do, at 1, 2, … and on. It\nends.", 3),
    ],
)
def test_sentences_are_counted(text, count):
    """What counts the answers' sentences can count."""
    assert sentences(text) == count


def test_all_are_asked():
    """Numbers and anchors agree, and stay what others link to."""
    assert list(FOUND) == list(NUMBERS)
    for number, (heading, _) in FOUND.items():
        assert heading.startswith(f"{number}. ") and heading.endswith("?")


@each_question
def test_answer_has_three_sentences(number):
    """Who wants more follows the links."""
    assert sentences(answer(number)) == 3


@each_question
def test_answer_is_checked(number):
    """One cell, and at least one assertion about something computed."""
    (cell,) = cells(number)
    tests = [x.test for x in ast.walk(ast.parse(cell)) if isinstance(x, ast.Assert)]
    assert tests
    for test in tests:
        assert any(isinstance(x, ast.Name) for x in ast.walk(test))


@each_question
def test_number_is_shown(number):
    """The cell prints what the answer says; see the executed page."""
    (cell,) = [
        c for c in PAGE.notebook.cells
        if c.cell_type == "code" and c.source == cells(number)[0]
    ]
    assert any(o.output_type == "stream" and o.text.strip() for o in cell.outputs)


@each_question
def test_more_stands_in_a_chapter(number):
    """Each link into a chapter names a section that is there."""
    found = [address for _, address in links(number) if ".ipynb" in address]
    sections = [address.split(".ipynb#") for address in found if "#" in address]
    assert sections
    for stem, name in sections:
        assert name in anchors(stem)


@each_question
def test_threads_are_what_they_are_called(number):
    """A thread's name is its address: owner/repo#number, or #number after it."""
    found, repo = 0, None
    for text, address in links(number):
        at = re.fullmatch(
            r"https://github\.com/([\w-]+/[\w.-]+)/(?:issues|pull)/(\d+)", address
        )
        if at:
            assert text == f"{at[1]}#{at[2]}" or (text, repo) == (f"#{at[2]}", at[1])
            found, repo = found + 1, at[1]
        else:
            assert ".ipynb" in address
    assert bool(found) != (number in NO_THREAD)


@each_question
def test_a_chapter_leads_to_it(number):
    """A reader of the long answer learns that there is a short one."""
    assert bool(LEADING[number]) != (number in NOT_YET)


@each_question
def test_links_go_both_ways(number):
    """A chapter that sends readers here is one that the answer names."""
    named = {address.split(".ipynb")[0] for _, address in links(number)}
    assert LEADING[number] <= named
