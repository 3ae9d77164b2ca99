"""Make one EPUB 3 of the built pages, its formulas in MathML."""

import html
import re
import uuid

from packed import packed
from printed import AUTHOR, HTML, RIGHTS, STYLE, TITLE, write

# Replaces each formula as set by what a screen reader gets of it.
TO_XHTML = """() => {
  for (const item of MathJax.startup.document.math) {
    const math = item.typesetRoot.querySelector("mjx-assistive-mml math");
    math.setAttribute("alttext", item.math.trim());
    item.typesetRoot.replaceWith(math);
  }
  for (const space of document.querySelectorAll("path:not([d])"))
    space.setAttribute("d", "M0 0");
  const text = new XMLSerializer();
  return [...document.querySelectorAll("body > section")].map((section) => [
    section.id, section.querySelector("h1").textContent,
    text.serializeToString(section)]);
}"""
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"\
 lang="en" xml:lang="en"><head><title>{title}</title>
<link rel="stylesheet" type="text/css" href="book.css"/></head>
<body>{body}</body></html>
"""
CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf"\
 media-type="application/oebps-package+xml"/></rootfiles></container>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"\
 xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{id}</dc:identifier><dc:title>{title}</dc:title>
<dc:language>en</dc:language><dc:creator>{author}</dc:creator>
<dc:rights>{rights}</dc:rights>
<meta property="dcterms:modified">1980-01-01T00:00:00Z</meta>
</metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml"\
 properties="nav"/>
<item id="css" href="book.css" media-type="text/css"/>
{manifest}</manifest>
<spine>{spine}</spine>
</package>
"""


def linked(sections):
    """Return the sections with links that lead from file to file."""
    home = {
        name: stem
        for stem, _, text in sections
        for name in re.findall(r'\bid="([^"]+)"', text)
    }

    def link(found):
        return f'href="{home[found[1]]}.xhtml#{found[1]}"'

    # Not those inside a figure, which name its own parts.
    pattern = re.compile(r'(?<!xlink:)href="#([^"]+)"')
    return [(stem, title, pattern.sub(link, text)) for stem, title, text in sections]


def properties(text):
    """Return what a file of the EPUB must announce."""
    names = [name for name in ("math", "svg") if f"<{name}" in text]
    words = " ".join("mathml" if name == "math" else name for name in names)
    return f' properties="{words}"' if words else ""


def manifest(sections):
    """Return an entry for each section's file."""
    return "\n".join(
        f'<item id="s-{name}" href="{name}.xhtml"'
        f' media-type="application/xhtml+xml"{properties(text)}/>'
        for name, _, text in sections
    )


def package(sections):
    """Return the file that says what belongs to the book, in which order."""
    return PACKAGE.format(
        id=uuid.uuid5(uuid.NAMESPACE_URL, TITLE),
        title=TITLE,
        author=AUTHOR,
        rights=RIGHTS,
        manifest=manifest(sections),
        spine="".join(f'<itemref idref="s-{name}"/>' for name, _, _ in sections),
    )


def navigation(sections):
    """Return the table of contents that a reader shows beside the text."""
    entries = "".join(
        f'<li><a href="{name}.xhtml">{html.escape(title)}</a></li>'
        for name, title, _ in sections
        if name != "contents"
    )
    body = f'<nav epub:type="toc"><h1>Contents</h1><ol>{entries}</ol></nav>'
    return PAGE.format(title="Contents", body=body)


def epub(tab):
    """Return the document in an EPUB 3 file, its formulas in MathML."""
    sections = linked(tab.evaluate(TO_XHTML))
    colors = (HTML / "_static" / "pygments.css").read_text("utf-8")
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "book.opf": package(sections),
        "nav.xhtml": navigation(sections),
        "book.css": colors + STYLE.read_text("utf-8"),
    }
    for name, title, text in sections:
        files[f"{name}.xhtml"] = PAGE.format(title=html.escape(title), body=text)
    return packed(files, stored={"mimetype"})


if __name__ == "__main__":
    write("clock-dials.epub", "EPUB, for e-readers", epub)
