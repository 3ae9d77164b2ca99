"""The court in a real browser: its filter, its links, its table of models."""

import pytest
from book import HTML, require_html
from browser import launch

from rope_edu.ledger.claims import CLAIMS
from rope_edu.survey import models

PAGE = HTML / "notebooks" / "18-the-court.html"
ALL = len(CLAIMS)
SHOWN = ".claim:not([hidden])"


@pytest.fixture(scope="module")
def browser():
    """Start one headless browser for all tests of this file."""
    require_html()
    with launch() as started:
        yield started


@pytest.fixture
def tab(browser):
    """Open the page anew; no test may leave an error on its console."""
    opened = visit(browser)
    yield opened
    opened.close()
    assert opened.errors == []


def visit(browser, hash="", **options):
    """Open the page, perhaps at a claim."""
    tab = browser.new_page(viewport={"width": 1000, "height": 700}, **options)
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on(
        "console",
        lambda message: message.type == "error" and tab.errors.append(message.text),
    )
    tab.goto(PAGE.as_uri() + hash)
    if options.get("java_script_enabled", True):
        tab.evaluate("window.MathJax && MathJax.startup.promise.then(() => 0)")
    return tab


def shown(tab):
    """Return the names of the claims that are not hidden."""
    ids = tab.locator(SHOWN).evaluate_all("claims => claims.map(c => c.id)")
    return [name.removeprefix("claim-") for name in ids]


def choose(tab, number, text):
    """Choose in one of the selects as a keyboard does."""
    tab.locator("court-filter select").nth(number).focus()
    tab.keyboard.type(text)


def told(tab):
    """Return what the filter says to those who cannot see the claims."""
    output = tab.locator("court-filter output")
    assert output.get_attribute("aria-live") == "polite"
    return output.inner_text()


def test_everything_is_shown_at_first(tab):
    """The filter asks for nothing yet."""
    assert shown(tab) == list(CLAIMS)
    assert told(tab) == f"{ALL} of {ALL} claims"


def test_filter_works_with_the_keyboard(tab):
    """A verdict, then a topic besides, then words besides."""
    choose(tab, 0, "false")
    wanted = [name for name, c in CLAIMS.items() if c.verdict == "false"]
    assert shown(tab) == wanted
    assert told(tab) == f"{len(wanted)} of {ALL} claims"
    tab.keyboard.press("Tab")
    tab.keyboard.type("Distance")
    wanted = [name for name in wanted if CLAIMS[name].topic == "distance"]
    assert shown(tab) == wanted
    tab.keyboard.press("Tab")
    tab.keyboard.type("LOWER  rope")
    assert "far-tokens-score-lower" in shown(tab)
    assert set(shown(tab)) < set(wanted)


def test_words_that_no_claim_has(tab):
    """Nothing is left, and the filter says so."""
    tab.get_by_label("Words").fill("xyzzy")
    assert shown(tab) == []
    assert told(tab) == f"0 of {ALL} claims"
    tab.get_by_label("Words").fill("")
    assert len(shown(tab)) == ALL


def in_view(tab, name):
    """Return whether a claim begins below the page's bar and in the window."""
    tab.wait_for_timeout(300)  # until a smooth scroll has come to rest
    box = tab.locator(f"#claim-{name}").bounding_box()
    return box and 40 <= box["y"] < 600


def marked(tab, name):
    """Return whether a claim has the mark of the one linked to."""
    edge = "claim => getComputedStyle(claim).borderLeftWidth"
    return tab.locator(f"#claim-{name}").evaluate(edge) == "3px"


@pytest.mark.parametrize("name", [list(CLAIMS)[0], list(CLAIMS)[-1]])
def test_link_from_outside_leads_to_its_claim(browser, name):
    """It is in view and marked when the formulas have been set."""
    tab = visit(browser, f"#claim-{name}")
    assert in_view(tab, name) and marked(tab, name)
    other = next(known for known in CLAIMS if known != name)
    assert not marked(tab, other)
    tab.close()


def test_link_to_a_hidden_claim_shows_it(tab):
    """The filter gives way, also if the address was that of the claim."""
    name = "far-tokens-score-lower"
    link = tab.locator(f'.statements a[href="#claim-{name}"]').first
    for follow in (
        lambda: tab.evaluate(f"location.hash = 'claim-{name}'"),
        lambda: link.press("Enter"),
    ):
        choose(tab, 0, "true")
        assert name not in shown(tab)
        follow()
        assert in_view(tab, name) and marked(tab, name)
        assert len(shown(tab)) == ALL


def column(tab, number):
    """Return the texts of one column of the table of models."""
    cells = tab.locator(f".sortable tbody tr > :nth-child({number + 1})")
    return cells.all_inner_texts()


def heads(tab):
    """Return how each column is sorted."""
    return tab.locator(".sortable thead th").evaluate_all(
        "heads => heads.map(head => head.getAttribute('aria-sort'))"
    )


def test_table_sorts_both_ways(tab):
    """By number where there is one; gaps are last each time."""
    lengths = [m.trained_length for m in models().values()]
    known = sorted(f for f in lengths if f is not None)
    gaps = ["–"] * lengths.count(None)
    assert gaps
    button = tab.locator(".sortable thead button").nth(5)
    for order, wanted in [("ascending", known), ("descending", known[::-1])]:
        button.press("Enter")
        assert column(tab, 5) == [f"{n:,}" for n in wanted] + gaps
        assert heads(tab) == [None] * 5 + [order] + [None] * 4


def test_another_column_takes_over(tab):
    """By name; only one column says that it is sorted."""
    buttons = tab.locator(".sortable thead button")
    buttons.nth(3).press("Enter")
    buttons.nth(0).press("Enter")
    assert heads(tab) == ["ascending"] + [None] * 9
    names = column(tab, 0)
    assert names == sorted(models(), key=str.lower)
    buttons.nth(0).press("Enter")
    assert column(tab, 0) == names[::-1]


def test_rows_stay_whole(tab):
    """A model keeps its numbers and its source when rows move."""
    tab.locator(".sortable thead button").nth(8).press("Enter")
    sources = dict(zip(column(tab, 0), column(tab, 9), strict=True))
    assert sources == {name: m.source for name, m in models().items()}


def test_wide_table_scrolls_in_itself(tab):
    """On a phone, by the keyboard, too, and the names stay in sight."""
    tab.set_viewport_size({"width": 360, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    table = tab.locator(".sortable")
    assert table.get_attribute("tabindex") == "0"  # Safari asks for it
    table.focus()
    for _ in range(8):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_timeout(300)
    assert table.evaluate("table => table.scrollLeft") > 100
    edge = "cell => cell.getBoundingClientRect().left"
    assert tab.locator(".sortable tbody th").first.evaluate(edge) >= 0


def test_page_without_scripts(browser):
    """All claims and all models are there, and no dead control."""
    tab = visit(browser, java_script_enabled=False)
    assert tab.locator(".claim").count() == ALL
    assert tab.locator(".claim").last.is_visible()
    assert not tab.locator("court-filter").is_visible()
    assert tab.locator(".sortable tbody tr").count() == len(models())
    assert tab.locator(".sortable button").count() == 0
    tab.close()
