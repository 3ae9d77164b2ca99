"""What the tests of the notebooks and of the built pages share."""

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jupytext
import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils.nodes import make_id

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"
NUMBERED = sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.md"))
QUESTIONS = ROOT / "notebooks" / "questions.md"
APPENDICES = sorted((ROOT / "notebooks").glob("appendix-*.md"))
SOURCES = [*NUMBERED, QUESTIONS, *APPENDICES]
# Tags with which a code cell's source is folded away or left out.
UNSEEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}

FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\} *(.*)$", re.M)
GATE = re.compile(r"\{(exercise|solution)-(start|end)\}")
DISPLAY = re.compile(r"\$\$(.+?)\$\$(?: *\(([^()\s]+)\))?", re.S)


def tags(cell):
    """Return a cell's tags as a set."""
    return set(cell.metadata.get("tags", []))


def seen(cell):
    """Return whether a reader of the page sees the cell's source."""
    return not tags(cell) & UNSEEN


def gated(cells):
    """Yield each code cell with the gate it stands in.

    That is "exercise", "solution" or None.
    """
    part = None
    for cell in cells:
        if cell.cell_type == "code":
            yield cell, part
            continue
        for name, end in GATE.findall(cell.source):
            part = name if end == "start" else None


@dataclass(frozen=True)
class Chapter:
    """A chapter's source and the notebook executed from it."""

    path: Path

    @property
    def notebook_path(self):
        """Return where the executed notebook lies."""
        return self.path.with_suffix(".ipynb")

    @property
    def source(self):
        """Return the source as a notebook without outputs."""
        return jupytext.read(self.path, fmt="md:myst")

    @property
    def notebook(self):
        """Return the executed notebook."""
        return nbformat.read(self.notebook_path, as_version=4)

    @property
    def text(self):
        """Return the source's prose and code as they stand in the file."""
        return self.path.read_text("utf-8")

    @property
    def prose(self):
        """Return the text of all prose cells."""
        return "\n\n".join(
            cell.source
            for cell in self.source.cells
            if cell.cell_type == "markdown"
        )


CHAPTERS = [Chapter(path) for path in NUMBERED]
NOTEBOOKS = [Chapter(path) for path in SOURCES]
each_chapter = pytest.mark.parametrize(
    "chapter", CHAPTERS, ids=lambda chapter: chapter.path.stem
)
each_notebook = pytest.mark.parametrize(
    "notebook", NOTEBOOKS, ids=lambda notebook: notebook.path.stem
)


def equations(text):
    """Return (label, LaTeX) of the labeled displays in some prose."""
    return [(label, latex) for latex, label in DISPLAY.findall(text) if label]


def labels(text):
    """Return the labels of the displayed equations in some prose."""
    return [label for label, _ in equations(text)]


def checked(code):
    """Return the labels that a cell passes to ``ledger.check``."""
    if "ledger.check" not in code:  # such a cell need not be plain Python
        return []
    calls = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "ledger.check"
    ]
    return [argument.value for call in calls for argument in call.args]


def directives(text):
    """Return the (name, argument) pairs of the directives in some prose."""
    return [(match[2], match[3].strip()) for match in FENCE.finditer(text)]


def toc_files():
    """Return the paths that the table of contents lists, in order."""
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text("utf-8"))
    parts = [part["chapters"] for part in toc["parts"]]
    return [toc["root"], *(entry["file"] for entry in chain.from_iterable(parts))]


def require_html():
    """Fail unless the pages have been built."""
    if not (HTML / "index.html").exists():
        pytest.fail("no pages in _build/html: run make book")


@lru_cache(maxsize=None)
def page(path):
    """Return a built page, parsed."""
    require_html()
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def toc_pages():
    """Return the built pages of the table of contents."""
    return [HTML / f"{name}.html" for name in toc_files()]


each_page = pytest.mark.parametrize(
    "path", toc_pages(), ids=lambda path: path.stem
)


@lru_cache(maxsize=None)
def anchors(path):
    """Return the ids on a built page that a link can point at."""
    found = page(path).find_all(id=True) + page(path).find_all("a")
    return {tag.get("id") or tag.get("name") for tag in found}


def target(path, href):
    """Return the file and the anchor that a link on a page points at."""
    parts = urlsplit(href)
    file = (path.parent / unquote(parts.path)).resolve()
    return (file if parts.path else path), unquote(parts.fragment)


def equation_id(label):
    """Return the anchor that Sphinx gives to a labeled equation."""
    return make_id(f"equation-{label}")
