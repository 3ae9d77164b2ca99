"""The first text's fourteen equations: all there, in order, as proved."""

import re

import pytest
from book import HTML, NOTEBOOKS, equation_id, page

from rope_edu import ledger
from rope_edu.ledger import pages

# What the first text's text says each of its numbers is.
LABELS = {
    1: "sinusoidal",
    2: "wish",
    3: "initial-conditions",
    4: "wish-complex",
    5: "polar-form",
    6: "modulus-and-argument",
    7: "same-place-modulus",
    8: "same-place-argument",
    9: "arithmetic-step",
    10: "rope-2d",
    11: "matrix-form",
    12: "block-diagonal",
    13: "relative",
    14: "elementwise",
}
STEM = "appendix-lost-equations"
CARD = re.compile(
    r"^\*\*\((?P<number>\d+)\)\*\*, now \{eq\}`(?P<label>[^`]+)`"
    r".*?^\$\$\n(?P<latex>.+?)\n\$\$\n\n(?P<facts>(?:- [^\n]+\n)+)",
    re.M | re.S,
)


def shown():
    """Return the cards of the executed page, in order."""
    (notebook,) = [n for n in NOTEBOOKS if n.path.stem == STEM]
    outputs = [
        output.data.get("text/markdown", "")
        for cell in notebook.notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    ]
    return list(CARD.finditer("\n".join(outputs)))


def test_the_ledger_has_fourteen():
    """Each number once, with the equation that the seed calls so."""
    entries = [e for e in ledger.equations().values() if e.lost]
    assert len(entries) == 14
    assert {e.lost: e.label for e in entries} == LABELS


def test_the_page_shows_them_in_order():
    """From (1) to (14), each with the entry's LaTeX and its check."""
    cards = shown()
    assert [int(card["number"]) for card in cards] == list(range(1, 15))
    assert [card["label"] for card in cards] == list(LABELS.values())
    for card in cards:
        entry = ledger.get(card["label"])
        assert card["latex"] == entry.latex
        assert pages.status(entry) in card["facts"]


@pytest.mark.parametrize("number", LABELS)
def test_each_says_where_it_was_found(number):
    """A number in both sources, or a word for its lack, and the trace."""
    trace = pages.LOST[number]
    assert re.match(r"\(\d+\)|in the text|none", trace.su)
    assert re.match(r"\(\d+[ab]?\)", trace.roformer)
    assert trace.certainty in ("high", "medium")
    (card,) = [c for c in shown() if int(c["number"]) == number]
    for part in (trace.su, trace.roformer, trace.certainty, trace.reason):
        assert part in card["facts"]


def test_numbers_in_the_post_are_one_behind():
    """From (4) on the seed counts the initial conditions, the post does not."""
    found = {n: pages.LOST[n].su for n in LABELS if n >= 4}
    assert found == {n: f"({n - 1})" for n in range(4, 15)}


def test_the_built_page_links_each_to_its_place():
    """The number in bold is followed by a link to the equation's anchor."""
    article = page(HTML / "notebooks" / f"{STEM}.html").find("article")
    found = [
        (int(bold.text[1:-1]), bold.find_next("a")["href"].split("#")[1])
        for bold in article.find_all("strong")
        if re.fullmatch(r"\(\d+\)", bold.text)
    ]
    assert found == [(n, equation_id(label)) for n, label in LABELS.items()]


@pytest.mark.parametrize("first, last", [(0, 1), (14, 15), (5, 4)])
def test_numbers_that_were_not_lost_are_refused(first, last):
    """The error names the numbers there are."""
    with pytest.raises(ValueError, match="1 to 14"):
        pages.lost(first, last)
