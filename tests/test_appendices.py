"""The generated ledger page and the glossary: complete and in order."""

import re

import pytest
from book import NOTEBOOKS, ROOT, labels

from rope_edu import ledger
from rope_edu.ledger import mutation, pages

CARD = re.compile(
    r"^\*\*(?P<label>[\w-]+)\*\* \{eq\}`(?P=label)`"
    r"\n\n\$\$\n(?P<latex>.+?)\n\$\$\n\n(?P<facts>(?:- [^\n]+\n)+)",
    re.M | re.S,
)
ENTRIES = ledger.equations()
HAN = r"\u4e00-\u9fff"


def outputs(stem):
    """Return the Markdown outputs of an executed appendix, joined."""
    (notebook,) = [n for n in NOTEBOOKS if n.path.stem == stem]
    return "\n\n".join(
        output.data.get("text/markdown", "")
        for cell in notebook.notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    )


LEDGER = outputs("appendix-ledger")
CARDS = {card["label"]: card for card in CARD.finditer(LEDGER)}


@pytest.mark.parametrize("entry", pages.PAGES, ids=lambda page: page.stem)
def test_entries_stand_on_their_pages(entry):
    """The ledger page links to where the equation really is."""
    text = (ROOT / "notebooks" / f"{entry.stem}.md").read_text("utf-8")
    assert {e.label for e in entry.entries} == set(labels(text))


def test_every_entry_has_its_card_in_order():
    """None is missing, none is shown twice."""
    found = [card["label"] for card in CARD.finditer(LEDGER)]
    assert found == list(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
def test_card_says_what_the_entry_says(entry):
    """Equation, outcome, source, and each mutant that says the same."""
    card = CARDS[entry.label]
    assert card["latex"] == entry.latex
    assert pages.status(entry) in card["facts"]
    assert f"source: {pages.plain(entry.source)}" in card["facts"]
    for name, reason in entry.same.items():
        (line,) = [
            line
            for line in card["facts"].splitlines()
            if f"`{name}`" in line and pages.plain(reason) in line
        ]
        assert line.startswith("- says the same: ")


def test_totals_are_counted_right():
    """The last row agrees with a count that does not use the pages."""
    made = sum(
        len(mutation.mutants(entry.latex, entry.extra))
        for entry in ENTRIES.values()
    )
    same = sum(len(entry.same) for entry in ENTRIES.values())
    total = f"| **all** | {len(ENTRIES)} | {made - same} | {same} |"
    assert total in LEDGER


def test_plain_text_shows_no_markup():
    """A source with an underscore or a star must not turn italic."""
    assert pages.plain("h_{d/2} *x* `y`") == r"h\_{d/2} \*x\* \`y\`"


def glossary():
    """Return term -> (simplified, traditional, meaning) of the glossary."""
    text = (ROOT / "book" / "glossary.md").read_text("utf-8")
    body = text.split("```{glossary}")[1].split("```")[0]
    found = {}
    for block in re.split(r"\n\n+", body.strip())[1:]:
        term, names, *meaning = [line.strip() for line in block.splitlines()]
        simplified, traditional = names.removesuffix(".").split(" / ")
        found[term] = simplified, traditional, " ".join(meaning)
    return found


GLOSSARY = glossary()


@pytest.mark.parametrize("term", GLOSSARY)
def test_term_has_both_scripts_and_one_sentence(term):
    """A name in each script, and a meaning that ends like a sentence."""
    simplified, traditional, meaning = GLOSSARY[term]
    assert re.search(f"[{HAN}]", simplified)
    assert len(simplified) == len(traditional) or term in UNLIKE
    assert re.fullmatch(r"[A-Z].{15,}\.", meaning)


# Where Taiwan uses another word, not only other characters.
UNLIKE = {"variance", "causal mask", "cache", "thread"}


def test_glossary_is_sorted():
    """The source is in the order of the page."""
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)


def used():
    """Return the Chinese names that the notebooks give in brackets."""
    text = "\n".join(notebook.prose for notebook in NOTEBOOKS)
    return sorted(set(re.findall(rf"[(,]\s?([{HAN}][{HAN}·-]*)[,)]", text)))


@pytest.mark.parametrize("name", used())
def test_glossary_explains_what_the_book_uses(name):
    """Every Chinese term of the chapters can be looked up."""
    text = (ROOT / "book" / "glossary.md").read_text("utf-8")
    assert re.search(rf"(?<![{HAN}]){name}(?![{HAN}])", text)
