"""Whole pages in a real browser, opened as files, without a server."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from book import HTML, require_html, toc_pages
from browser import launch

PHONE = {"width": 360, "height": 740}
# Docutils marks the entries below it as doc-biblioentry, which are list items
# in DPUB-ARIA 1.0; axe goes by 1.1, which has dropped that role.
EXCUSED = (
    "aria-required-children",
    '<div role="list" class="citation-list">',
)
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def browser():
    """Start one headless browser for all tests of this file."""
    require_html()
    with launch() as started:
        yield started


def visit(browser, url):
    """Open an address in a new tab that notes its requests and errors."""
    tab = browser.new_page(viewport=LAPTOP)
    tab.requests, tab.errors = [], []
    tab.on("request", lambda request: tab.requests.append(request.url))
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on(
        "console",
        lambda message: message.type == "error" and tab.errors.append(message.text),
    )
    tab.goto(url)
    tab.evaluate("window.MathJax && MathJax.startup.promise.then(() => 0)")
    return tab


@pytest.fixture(scope="module", params=toc_pages(), ids=lambda path: path.stem)
def tab(browser, request):
    """Open a page of the book once for all tests that look at it."""
    opened = visit(browser, request.param.as_uri())
    yield opened
    opened.close()


def test_page_is_whole_without_a_network(tab):
    """Everything loads from the book's own files; nothing complains."""
    own = (HTML.as_uri(), "data:", "blob:")
    assert [url for url in tab.requests if not url.startswith(own)] == []
    assert tab.errors == []


def test_mathematics_is_typeset(tab):
    """Every formula becomes type; none is shown as its TeX source."""
    formulas = tab.locator("article .math")
    typeset = tab.locator("article .math:has(mjx-container)")
    assert typeset.count() == formulas.count()
    assert tab.locator("mjx-merror").count() == 0


def test_formulas_are_read_aloud(tab):
    """Each carries MathML, which screen readers speak."""
    formulas = tab.locator("article mjx-container")
    spoken = tab.locator("article mjx-container > mjx-assistive-mml > math:has(*)")
    hidden = tab.locator("article mjx-container > mjx-math[aria-hidden=true]")
    assert spoken.count() == hidden.count() == formulas.count()


def test_page_fits_a_phone(tab):
    """Wide formulas, tables and code scroll in themselves."""
    tab.set_viewport_size(PHONE)
    width = tab.evaluate("document.documentElement.scrollWidth")
    tab.set_viewport_size(LAPTOP)
    assert width <= PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_reader(tab, scheme):
    """Text and ground change with the reader's light or dark setting."""
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_function(f"document.documentElement.dataset.theme == '{scheme}'")
    style = "getComputedStyle(document.querySelector('{}')).{}"
    ground = tab.evaluate(style.format("body", "backgroundColor"))
    text = tab.evaluate(style.format("article h1", "color"))
    assert (brightness(ground) < brightness(text)) == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible(tab, scheme):
    """The axe rules find no serious or critical fault; one is excused."""
    # Without motion, or a button would be caught on its way to another color.
    tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    tab.wait_for_function(f"document.documentElement.dataset.theme == '{scheme}'")
    found = Axe().run(tab, options={"resultTypes": ["violations"]}).response
    faults = [
        (fault["id"], node["html"])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
    assert [fault for fault in faults if fault != EXCUSED] == []


def brightness(color):
    """Return the sum of a CSS color's red, green and blue, 0 to 765."""
    return sum(int(part) for part in re.findall(r"\d+", color)[:3])


def test_search_finds_pages(browser):
    """The search page works from files, too."""
    tab = visit(browser, (HTML / "search.html").as_uri() + "?q=rotation")
    tab.wait_for_selector("#search-results li a")
    assert tab.errors == []
    assert "notebooks/" in tab.locator("#search-results").inner_html()
