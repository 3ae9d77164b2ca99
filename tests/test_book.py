"""The built pages: complete, self-contained, linked and readable."""

import re
from collections import Counter

import pytest
from book import (
    CHAPTERS,
    HTML,
    ROOT,
    anchors,
    each_chapter,
    each_page,
    equation_id,
    labels,
    page,
    require_html,
    target,
    toc_files,
    toc_pages,
)
from labels import Book

from rope_edu import exercises

MAX_BYTES = 1_500_000
# Elements whose address the browser loads without being asked.
LOADING = [
    ("script", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("iframe", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("use", "href"),
    ("link", "href"),
]
ELSEWHERE = re.compile(r"^\s*(https?:)?//", re.I)
CSS_ELSEWHERE = re.compile(
    r"""(url\(\s*["']?|@import\s+["'])(https?:)?//""", re.I
)
RAW_MARKUP = re.compile(
    r"\{(eq|ref|numref|doc|cite|cite:\w+|prf:\w+|term)\}|\$\$|:::|```|\]\("
)


def prose(path):
    """Return a page's text without code, mathematics and scripts."""
    article = page(path).find("article")
    skipped = {
        id(text)
        for part in article.select("pre, code, .math, script, style, svg")
        for text in part.find_all(string=True)
    }
    texts = article.find_all(string=True)
    return "".join(text for text in texts if id(text) not in skipped)


def named(image):
    """Return whether a picture says in words what it shows."""
    words = [image.get("alt"), image.get("aria-label")]
    title = image.find("title")
    words.append(title.get_text() if title else "")
    return any(word and word.strip() for word in words)


def written_labels(name):
    """Return the labels of the equations in one file of the contents."""
    return labels((ROOT / f"{name}.md").read_text("utf-8"))


@each_page
def test_page_is_built_and_light(path):
    """1.5 MB is what a phone on a slow line still opens in a minute."""
    require_html()
    assert path.exists()
    assert path.stat().st_size <= MAX_BYTES


@each_page
def test_page_loads_nothing_from_elsewhere(path):
    """A book that reads offline today also reads in ten years."""
    for name, attribute in LOADING:
        for tag in page(path).find_all(name):
            assert not ELSEWHERE.match(tag.get(attribute, "")), tag
    assert not CSS_ELSEWHERE.search(str(page(path)))


def test_style_sheets_load_nothing_from_elsewhere():
    """Style sheets can fetch fonts and pictures of their own accord."""
    require_html()
    sheets = list((HTML / "_static").rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text("utf-8")
        assert not CSS_ELSEWHERE.search(text), sheet.name


@each_page
def test_pictures_are_described(path):
    """A reader who does not see the figure gets it in words."""
    for image in page(path).select("img, svg[role=img]"):
        assert named(image), image.prettify()[:300]


@each_page
def test_links_inside_the_book_resolve(path):
    """Each link to a page of the book finds its page and its anchor."""
    for link in page(path).find_all("a", href=True):
        if re.match(r"[a-z]+:|#?$", link["href"]):
            continue
        file, anchor = target(path, link["href"])
        assert file.exists(), link
        if anchor and file.suffix == ".html":
            assert anchor in anchors(file), link


@pytest.mark.parametrize("name", toc_files())
def test_labeled_equations_can_be_linked(name):
    """Readers and other pages point at an equation by its label."""
    missing = {
        label
        for label in written_labels(name)
        if equation_id(label) not in anchors(HTML / f"{name}.html")
    }
    assert not missing


def test_some_equation_is_labeled():
    """Were none found, the test above would say nothing."""
    assert any(labels(chapter.text) for chapter in CHAPTERS)


@each_chapter
def test_page_counts_as_its_file_does(chapter):
    """Heading and exercises bear the numbers that links and checks use."""
    article = page(HTML / "notebooks" / f"{chapter.path.stem}.html").article
    number = str(int(chapter.path.stem[:2]))
    assert article.h1.get_text().startswith(f"{number}. ")
    shown = [tag.get_text() for tag in article.select(".exercise .caption-number")]
    known = [x for x in exercises.numbers() if x.split(".")[0] == number]
    assert [text.split()[1] for text in shown] == known


def test_a_citation_names_one_work():
    """Works of the same authors and year bear a letter, as in (Su, 2021b)."""
    book = Book(HTML)
    works = book.works.entries
    names = Counter(book.cite(key, textual=True) for key in works)
    assert len(works) > 50 and max(names.values()) == 1, names.most_common(3)


@each_page
def test_no_markup_leaks_into_the_text(path):
    """Markup that shows on the page was not understood."""
    assert not RAW_MARKUP.search(prose(path))


def test_nothing_but_the_contents_is_built():
    """A stray page is one that no reader is led to."""
    require_html()
    made_by_sphinx = {"index", "genindex", "search", "prf-prf"}
    built = set(HTML.rglob("*.html")) - set(HTML.glob("_*/**/*"))
    stray = built - set(toc_pages())
    assert {path.stem for path in stray} <= made_by_sphinx
