"""The court: every claim once, with evidence that runs and a place to read."""

import json
import re

import pytest
from book import HTML, ROOT, anchors, target
from book import page as built

from rope_edu import ledger
from rope_edu.ledger.claims import CLAIMS, core, page
from rope_edu.ledger.places import Place, anchor, places

PLACES = places(ROOT / "notebooks")
KEYS = set(
    re.findall(
        r"^@\w+\{([^,\s]+),", (ROOT / "book" / "references.bib").read_text("utf-8"),
        re.M,
    )
)
COURT = HTML / "notebooks" / "18-the-court.html"
RUNS = {name: claim.run for name, claim in CLAIMS.items() if claim.run}
each_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
# What a valid claim can be made of; each test spoils one of them.
VALID = {
    "name": "turns-add-up",
    "statement": "Two turns add up.",
    "ids": ("A54",),
    "topic": "derivation",
    "verdict": "true",
    "reason": "The addition theorem.",
    "equations": ("sum-2d",),
}


def valid(**changes):
    """Return a claim with some fields changed."""
    return core.Claim(**VALID | changes)


def test_every_statement_is_judged_once():
    """None is forgotten, and none gets two verdicts."""
    judged = [number for claim in CLAIMS.values() for number in claim.ids]
    assert sorted(judged) == sorted(core.IDS)
    assert len(core.IDS) == 57 + 60 + 34 + 27


def test_claims_of_a_topic_stand_together():
    """The page shows them in their order, topic by topic."""
    topics = [claim.topic for claim in CLAIMS.values()]
    assert list(dict.fromkeys(topics)) == list(core.TOPICS)
    assert topics == sorted(topics, key=list(core.TOPICS).index)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_evidence_runs(run):
    """It passes, fills one line, and says the same again."""
    said = run()
    assert said.strip() == said and "\n" not in said
    assert 10 < len(said) < 200
    assert run() == said


@each_claim
def test_evidence_exists(claim):
    """Equations are in the ledger, sources in the bibliography."""
    assert set(claim.equations) <= set(ledger.equations())
    assert set(claim.cites) <= KEYS


@each_claim
def test_refusal_is_shown(claim):
    """To contradict takes a run, an equation or a source, not only words."""
    if claim.verdict in ("false", "imprecise"):
        assert claim.run or claim.cites


@each_claim
def test_text_is_a_sentence(claim):
    """A statement is one sentence; a reason is one to three."""
    assert claim.statement.endswith((".", "$"))
    assert claim.statement[0].isupper() or claim.statement[0] == "$"
    # Dots within numbers, names and formulas end no sentence.
    plain = re.sub(r"\$[^$]*\$", "x", claim.reason)
    ends = re.findall(r"[.?!](?= [A-Z]|$)", plain)
    assert plain.endswith(".") and 1 <= len(ends) <= 3


@each_claim
def test_math_is_closed(claim):
    """An odd dollar would swallow the rest of the page."""
    for text in (claim.statement, claim.reason):
        assert text.count("$") % 2 == 0
        assert text.count("{") == text.count("}")


@pytest.mark.parametrize("number", core.IDS)
def test_statement_has_its_place(number):
    """A reader finds where in the book it is settled."""
    assert PLACES.get(number)


def test_tags_name_statements():
    """A slip in a tag would point nowhere."""
    assert set(PLACES) <= set(core.IDS)


def test_places_are_headings():
    """A link's anchor is that of a heading of the page."""
    for place in {place for found in PLACES.values() for place in found}:
        text = (ROOT / "notebooks" / f"{place.stem}.md").read_text("utf-8")
        assert re.search(rf"^#+ {re.escape(place.heading)}$", text, re.M)


def test_place_of_a_cell(tmp_path):
    """The last heading above the cell, not one that stands in a fence."""
    cells = [
        {"cell_type": "markdown", "source": ["# One\n", "## Two *words*\n"]},
        {"cell_type": "markdown", "source": "```\n# not a heading\n```\n"},
        {
            "cell_type": "code",
            "source": "",
            "metadata": {"tags": ["claim-A1", "mistake-3", "hide-input"]},
        },
    ]
    text = json.dumps({"cells": cells})
    (tmp_path / "03-name.ipynb").write_text(text, "utf-8")
    place = Place("03-name", "two-words", "Two *words*")
    assert places(tmp_path) == {"A1": [place], "mistake-3": [place]}
    assert place.chapter == "chapter 3"
    (tmp_path / "04-name.ipynb").write_text(json.dumps({"cells": cells[-1:]}), "utf-8")
    with pytest.raises(ValueError, match="04-name.ipynb: no heading above claim-A1"):
        places(tmp_path)
    with pytest.raises(ValueError, match="folder must hold notebooks.*nowhere"):
        places(tmp_path / "nowhere")
    assert Place("appendix-ledger", "", "").chapter == "appendix ledger"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Turns add up"},
        {"name": "turns--add"},
        {"topic": "turns"},
        {"verdict": "OK"},
        {"ids": ()},
        {"ids": ("A58",)},
        {"ids": ("mistake-0",)},
        {"equations": ()},
    ],
    ids=str,
)
def test_bad_claim_is_refused(changes):
    """A slip shows where it is made, with the claim's name."""
    assert valid().name == VALID["name"]
    with pytest.raises(ValueError, match=changes.get("name", VALID["name"])):
        valid(**changes)


def test_merging_refuses_what_does_not_fit():
    """Two of a name, two of a number, and a number left out."""
    whole = valid(ids=core.IDS)
    assert core.merged([whole]) == {whole.name: whole}
    with pytest.raises(ValueError, match="two claims are named"):
        core.merged([whole], [whole])
    with pytest.raises(ValueError, match="A54 belongs to"):
        core.merged([whole, valid(name="again")])
    with pytest.raises(ValueError, match="no claim has A1,"):
        core.merged([valid()])


def test_counts_add_up():
    """The table counts claims and statements, verdict by verdict."""
    counted = core.counts(CLAIMS.values())
    claims, statements = map(sum, zip(*counted.values()))
    assert (claims, statements) == (len(CLAIMS), len(core.IDS))
    table = page.verdicts(CLAIMS)
    for verdict, (number, ids) in counted.items():
        row = f"| **{verdict}** | {core.VERDICTS[verdict]} | {number} | {ids} |"
        assert row in table
    assert f"| **all** |  | {claims} | {statements} |" in table


def test_cards_show_all_of_a_claim():
    """Anchor, verdict, statement, reason, evidence, numbers and places."""
    shown = "\n\n".join(page.topic(name, CLAIMS, PLACES) for name in core.TOPICS)
    assert shown.count("::::{container}") == len(CLAIMS)
    for claim in CLAIMS.values():
        assert f":name: claim-{claim.name}\n" in shown
        assert f"{claim.statement}\n\n{claim.reason}\n" in shown
        for label in claim.equations:
            assert f"{{eq}}`{label}`" in shown
        for number in claim.ids:
            for place in PLACES.get(number, ()):
                assert f"]({place.stem}.ipynb#{place.anchor})" in shown


def test_card_of_one_claim():
    """A claim without places has no word about them."""
    claim = valid(run=lambda: "2 * 3 = 6", cites=("a2020b", "c2021d"))
    lines = page.card(claim, {}).splitlines()
    assert lines[0] == "::::{container} claim true derivation"
    assert "- ✓ 2 \\* 3 = 6" in lines
    assert "- source: {cite:t}`a2020b,c2021d`" in lines
    assert "- said in statement 54 of the first text" in lines
    assert lines[-1] == "::::"
    with pytest.raises(ValueError, match="name must be one of order"):
        page.topic("turns", CLAIMS, {})


@pytest.mark.parametrize("verdict", core.VERDICTS)
def test_proof_is_claimed_for_what_it_proves(verdict):
    """An equation does not prove the claim that it contradicts."""
    shown = page.card(valid(verdict=verdict), {})
    assert ("proved" in shown) == (verdict in ("true", "conditional"))
    assert ("- see {eq}`sum-2d`" in shown) != ("proved" in shown)


def test_places_stand_by_chapter():
    """In the order of the book, each section once."""
    claim = valid(ids=("A54", "B28"))
    found = {
        "B28": [Place("03-third", "x", "X"), Place("12-twelfth", "y", "Y")],
        "A54": [
            Place("appendix-ledger", "z", "Z"),
            Place("12-twelfth", "y", "Y"),
            Place("12-twelfth", "w", "W"),
        ],
    }
    assert page.card(claim, found).splitlines()[-2].split("; more in ")[1] == (
        "chapter 3 ([X](03-third.ipynb#x)), chapter 12 ([Y](12-twelfth.ipynb#y),"
        " [W](12-twelfth.ipynb#w)), appendix ledger ([Z](appendix-ledger.ipynb#z))"
    )


@pytest.mark.parametrize("source", core.SOURCES)
def test_index_links_every_statement(source):
    """A number of a source leads to its verdict."""
    rows = page.index(source, CLAIMS).splitlines()[3:-1]
    last, *_ = core.SOURCES[source]
    assert len(rows) == last
    for number, row in enumerate(rows, start=1):
        (claim,) = [c for c in CLAIMS.values() if f"{source}{number}" in c.ids]
        assert row.startswith(f"| {number} | {claim.verdict} | [")
        assert row.endswith(f"](#claim-{claim.name}) |")


def test_index_of_no_source():
    """The error names the sources."""
    with pytest.raises(ValueError, match="source must be one of A, B, C, mistake-"):
        page.index("D", CLAIMS)


def outputs():
    """Return all that the cells of the court's page show as text."""
    notebook = ROOT / "notebooks" / "18-the-court.ipynb"
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            yield "".join(data.get("text/markdown") or data.get("text/plain", ""))


def test_page_counts_what_there_is():
    """The table and the figure are those of the claims as they are now."""
    found = list(outputs())
    assert page.verdicts(CLAIMS) in found
    told = ", ".join(f"{n} {v}" for v, (n, _) in core.counts(CLAIMS.values()).items())
    assert f"{len(CLAIMS)} claims: {told}." in found


@pytest.mark.parametrize("name", core.TOPICS)
def test_page_shows_every_claim_as_it_is_now(name):
    """Also its places, which change when other chapters do."""
    assert page.topic(name, CLAIMS, PLACES) in outputs(), (
        "run tools/execute.py 18 once more, after the other chapters"
    )


@pytest.mark.parametrize("number", core.IDS)
def test_statement_leads_to_its_place(number):
    """On the built page: from the index to the claim, on to the sections."""
    if not COURT.exists():
        pytest.skip("the page of the court has not been built")
    (claim,) = [c for c in CLAIMS.values() if number in c.ids]
    name = f"claim-{claim.name}"
    assert built(COURT).select(f'.statements a[href="#{name}"]')
    card = built(COURT).find(id=name)
    assert card.find(class_="verdict").get_text() == claim.verdict
    links = [(target(COURT, x["href"]), x.get_text()) for x in card.find_all("a")]
    for place in PLACES[number]:
        page_of_place = HTML / "notebooks" / f"{place.stem}.html"
        assert any(
            file == page_of_place
            and anchor in anchors(file)
            and re.sub("[“”]", '"', text).replace("’", "'") == place.heading
            for (file, anchor), text in links
        ), place


def test_anchor_is_that_of_the_page():
    """Letters, digits, hyphens and underscores stay; the rest goes."""
    assert anchor("Is it i/d, 2i/d or 2(i − 1)/d?") == "is-it-id-2id-or-2i--1d"
