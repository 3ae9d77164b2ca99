"""The book as one document: the PDF and the EPUB made from it."""

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest
from book import HTML, require_html, toc_pages
from browser import require_chromium
from bs4 import BeautifulSoup
from epub import epub
from printed import OUT, document, offer, pdf, typeset

from rope_edu import exercises

XHTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
OPF = "{http://www.idpf.org/2007/opf}"


@pytest.fixture(scope="module")
def text():
    """Return the document, parsed."""
    require_html()
    return BeautifulSoup(document(), "html.parser")


@pytest.fixture(scope="module")
def files():
    """Return the document as a PDF and as the parts of an EPUB."""
    require_html()
    require_chromium()
    with typeset() as tab:
        return pdf(tab), zipfile.ZipFile(io.BytesIO(epub(tab)))


def sections(archive):
    """Return the parsed files of the EPUB's text, by name."""
    names = [name for name in archive.namelist() if name.endswith(".xhtml")]
    return {name: ElementTree.fromstring(archive.read(name)) for name in names}


def test_every_page_is_in_the_document(text):
    """In the order of the contents, which stand in front."""
    found = [tag["id"] for tag in text.body.find_all("section", recursive=False)]
    pages = [path.stem for path in toc_pages()]
    assert found == ["title", "contents", *pages, "hints", "solutions"]
    listed = [link["href"][1:] for link in text.select("#contents a")]
    assert listed == found[2:]


def test_links_lead_somewhere(text):
    """No page of the site is left to jump to."""
    names = [tag["id"] for tag in text.find_all(id=True)]
    assert len(names) == len(set(names))
    links = [tag["href"] for tag in text.body.find_all("a", href=True)]
    inside = [link[1:] for link in links if not re.match("https?:", link)]
    assert len(inside) > 500 and set(inside) <= set(names)


def test_hints_and_solutions_stand_at_the_end(text):
    """Whoever reads on paper has nothing to click on."""
    count = len(exercises.numbers())
    assert len(text.select("div.exercise")) == count
    assert len(text.select("#solutions div.solution")) == count
    assert len(text.select("div.solution")) == count
    assert len(text.select("#hints .hint")) == len(text.select(".hint")) == 2 * count


def test_nothing_is_left_that_needs_a_screen(text):
    """No button, no script but the one that sets formulas."""
    assert not text.body.select("script, button, input, select, details, .on-screen")
    assert len(text.select("script")) == 2


def test_pdf_has_the_pages(files):
    """With an outline to find them by, and what a screen reader needs."""
    printed, _ = files
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", printed)) > 200
    assert b"/Outlines" in printed and b"/StructTreeRoot" in printed
    dates = set(re.findall(rb"Date \(D:(\d+)", printed))
    assert dates == {b"19800101000000"}


def test_epub_begins_as_readers_want_it(files):
    """Its kind comes first, uncompressed."""
    first = files[1].infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert files[1].read("mimetype") == b"application/epub+zip"


def test_epub_lists_all_its_files(files):
    """What is not in the manifest is not shown."""
    package = ElementTree.fromstring(files[1].read("book.opf"))
    listed = {item.get("href") for item in package.iter(f"{OPF}item")}
    held = set(files[1].namelist()) - {"mimetype", "book.opf"}
    assert listed == held - {"META-INF/container.xml"}
    ids = {item.get("id") for item in package.iter(f"{OPF}item")}
    assert {item.get("idref") for item in package.iter(f"{OPF}itemref")} < ids


def test_epub_links_lead_somewhere(files):
    """From file to file."""
    pages = sections(files[1])
    names = {
        f"{name}#{tag.get('id')}"
        for name, root in pages.items()
        for tag in root.iter()
        if tag.get("id")
    }
    tags = [tag for page in pages.values() for tag in page.iter(f"{XHTML}a")]
    links = [tag.get("href", "https:") for tag in tags]
    inside = [link for link in links if not re.match("https?:", link)]
    assert len(inside) > 500
    assert {link for link in inside if "#" in link} <= names
    assert {link for link in inside if "#" not in link} <= set(pages)


def test_epub_holds_formulas_and_figures(files):
    """Formulas in MathML, with their TeX for those that cannot show it."""
    pages, require = sections(files[1]), ("notebooks", "05-rotation-matrices.html")
    page = pages["05-rotation-matrices.xhtml"]
    shown = BeautifulSoup(HTML.joinpath(*require).read_text("utf-8"), "html.parser")
    for solution in shown.select(".solution, .hint"):
        solution.decompose()
    formulas = list(page.iter(f"{MATHML}math"))
    assert len(formulas) == len(shown.article.select(".math"))
    assert all(formula.get("alttext") for formula in formulas)
    figures = list(page.iter("{http://www.w3.org/2000/svg}svg"))
    assert len(figures) == len(shown.article.select("svg"))
    leftover = [tag.tag for root in pages.values() for tag in root.iter()]
    assert not {x for x in leftover if "mjx" in x or x == f"{XHTML}script"}


def test_first_page_offers_what_was_made(tmp_path, monkeypatch):
    """Once, however often it is made."""
    import printed

    folder = tmp_path / "book"
    folder.mkdir()
    original = (HTML / "book" / "index.html").read_text("utf-8")
    (folder / "index.html").write_text(original, "utf-8")
    monkeypatch.setattr(printed, "HTML", tmp_path)
    for _ in range(2):
        offer("new.pdf", "A new form")
    page = BeautifulSoup((folder / "index.html").read_text("utf-8"), "html.parser")
    links = [a.get_text() for a in page.select(f"ul a[href='../{OUT.name}/new.pdf']")]
    assert links == ["A new form"]
