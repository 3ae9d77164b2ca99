"""Make one PDF of the built pages.

It comes from one document: every page in the order of the contents, hints and
solutions moved to the end, formulas typeset by the book's own MathJax in the
system's Chromium.  `epub.py` starts from the same document.
"""

import html
import re
import shutil
import tomllib
from contextlib import contextmanager
from pathlib import Path

from bs4 import BeautifulSoup
from execute import ROOT
from playwright.sync_api import sync_playwright

HTML = ROOT / "_build" / "html"
OUT = HTML / "downloads"
STYLE = ROOT / "book" / "print.css"
TITLE = "Clock Dials: Rotary Position Embedding from First Principles"
AUTHOR = "The Clock Dials authors"
RIGHTS = "Text and figures: CC BY 4.0. Code: MIT."
# What only a page on a screen can use.
ON_SCREEN = "script, style, a.headerlink, court-filter, .on-screen"
# An id in a reference: of a link, of a clip path, of a glyph.
REFERENCE = re.compile(r"(?<=url\(#)[^)]+")
EMBEDDED = "data:", "http:", "https:", "mailto:"


def contents():
    """Return (part or None, path of a page) for each page, in order."""
    index = HTML / "book" / "index.html"
    page = BeautifulSoup(index.read_text("utf-8"), "html.parser")
    part, found = None, []
    for tag in page.select("nav.bd-links p.caption, nav.bd-links a"):
        if tag.name == "p":
            part = tag.get_text(strip=True)
        else:
            href = tag["href"].split("#")[0]
            found.append((part, (index.parent / href).resolve() if href else index))
    return found


def move(path, href):
    """Return where a link of a page leads in the one document."""
    if href.startswith(EMBEDDED):
        return href
    file, _, anchor = href.partition("#")
    stem = Path(file).stem if file else path.stem
    return f"#{stem}--{anchor}" if anchor else f"#{stem}"


def rename(tag, path):
    """Give an element's id and references the name of its page."""
    for name, value in tag.attrs.items():
        if name in ("id", "aria-labelledby", "aria-describedby", "for"):
            tag[name] = f"{path.stem}--{value}"
        elif name in ("href", "xlink:href"):
            tag[name] = move(path, value)
        elif isinstance(value, str) and "url(#" in value:
            tag[name] = REFERENCE.sub(lambda x: f"{path.stem}--{x[0]}", value)


def keep_first(section):
    """Remove ids that stand twice: no link can mean the second."""
    seen = set()
    for tag in section.find_all(id=True):
        if tag["id"] in seen:
            del tag["id"]
        else:
            seen.add(tag["id"])


def article(path):
    """Return a page's text as one section of the document."""
    section = BeautifulSoup(path.read_text("utf-8"), "html.parser").article
    for tag in section.select(ON_SCREEN):
        tag.decompose()
    for tag in section.find_all(True):
        rename(tag, path)
    for live in section.select("clock-dials"):
        live.name, live.attrs = "div", {"class": "figure"}
    for folded in section.select("details"):
        folded.name = "div"
    for summary in section.select("summary"):
        summary.decompose()
    keep_first(section)
    section.name, section["id"] = "section", path.stem
    return section


def put_off(section, hints, solutions):
    """Move a page's hints and solutions to the lists; links stay behind."""
    for exercise in section.select("div.exercise"):
        name = exercise.select_one(".admonition-title").get_text()
        label = f"hints-of-{exercise['id']}"
        found = [hint.extract() for hint in exercise.select(".hint")]
        hints.append(f'<h2 id="{label}">{html.escape(name)}</h2>')
        hints += [str(hint) for hint in found]
        answer = exercise["id"].replace("--ex-", "--solution-")
        links = f'<a href="#{label}">Hints</a> · <a href="#{answer}">Solution</a>'
        exercise.append(BeautifulSoup(f"<p>{links}</p>", "html.parser"))
    for solution in section.select("div.solution"):
        exercise = solution.select_one(".admonition-title a")["href"].lstrip("#")
        solution["id"] = exercise.replace("--ex-", "--solution-")
        solutions.append(str(solution.extract()))


def chapters():
    """Return (part, id, title, HTML of a section) for the whole book."""
    hints, solutions, found = [], [], []
    for part, path in contents():
        section = article(path)
        put_off(section, hints, solutions)
        title = section.h1.get_text()
        found.append((part, path.stem, title, str(section)))
    for name, bodies in (("hints", hints), ("solutions", solutions)):
        text = f'<h1>{name.title()}</h1>{"".join(bodies)}'
        text = f'<section id="{name}">{text}</section>'
        found.append(("Exercises", name, name.title(), text))
    return found


def title_page():
    """Return the first page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    first, _, rest = TITLE.partition(": ")
    picture = (ROOT / "book" / "_static" / "dials.svg").read_text("utf-8")
    return (
        f'<section id="title"><h1>{first}</h1><p class="subtitle">{rest}</p>'
        f"<div>{picture}</div><p>{AUTHOR}<br/>Version"
        f" {project['project']['version']}</p><p>{RIGHTS}</p></section>"
    )


def entries(sections):
    """Return the contents: parts, and in them links to the sections."""
    text, last = "", None
    for part, name, title, _ in sections:
        if part and part != last:
            text += f"<li><strong>{part}</strong></li>"
        text += f'<li><a href="#{name}">{html.escape(title)}</a></li>'
        last = part
    return f'<section id="contents"><h1>Contents</h1><ul>{text}</ul></section>'


def document():
    """Return the whole book as one page of HTML."""
    index = (HTML / "book" / "index.html").read_text("utf-8")
    config = re.search(r"<script>(window\.MathJax = .*?)</script>", index, re.S)[1]
    sections = chapters()
    body = "".join(text for *_, text in sections)
    body = title_page() + entries(sections) + body
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><title>{TITLE}</title>
<link rel="stylesheet" href="html/_static/pygments.css"/>
<style>{STYLE.read_text("utf-8")}</style>
<script>{config}</script><script src="html/_static/mathjax/tex-chtml.js"></script>
</head><body>{body}</body></html>"""


@contextmanager
def typeset():
    """Yield the document in a browser, its formulas set."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("make pdf and make epub need chromium on the PATH")
    path = HTML.parent / "print.html"
    path.write_text(document(), "utf-8")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox"]
            )
            tab = browser.new_page()
            tab.set_default_timeout(600_000)
            tab.goto(path.as_uri())
            tab.evaluate("MathJax.startup.promise.then(() => 0)")
            yield tab
            browser.close()
    finally:
        path.unlink()


FOOTER = """<div style="font: 8pt sans-serif; width: 100%; text-align: center">
<span class="pageNumber"></span></div>"""


def pdf(tab):
    """Return the document, printed."""
    data = tab.pdf(
        format="A4",
        margin={"top": "20mm", "bottom": "22mm", "left": "22mm", "right": "22mm"},
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        outline=True,
        tagged=True,
        print_background=True,
    )
    # The same pages make the same bytes.
    return re.sub(rb"\(D:\d{14}", b"(D:19800101000000", data)


def offer(name, words):
    """Link a file of the folder from the list on the first page."""
    path = HTML / "book" / "index.html"
    page = path.read_text("utf-8")
    line = f'<li><a href="../{OUT.name}/{name}">{words}</a></li>'
    if line not in page:
        end = "</ul><!--downloads-->"
        path.write_text(page.replace(end, f"{line}\n{end}"), "utf-8")


def write(name, words, make):
    """Write one form of the document where the first page offers it."""
    with typeset() as tab:
        (OUT / name).write_bytes(make(tab))
    offer(name, words)
    print(f"Wrote {(OUT / name).relative_to(ROOT)}")


if __name__ == "__main__":
    write("clock-dials.pdf", "PDF, to print", pdf)
