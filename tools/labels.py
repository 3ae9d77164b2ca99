"""What a label, a link or a citation is called on the built pages."""

import re
from functools import cached_property

from bs4 import BeautifulSoup
from execute import ROOT
from pybtex.database import parse_file
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

LINK = re.compile(r"\]\(([\w-]+\.ipynb)?#([\w-]+)\)")


class Book:
    """What the built pages and the bibliography say of a label.

    Parameters
    ----------
    html : Path
        The folder of the built pages.
    """

    def __init__(self, html):
        self.html = html

    @cached_property
    def places(self):
        """Each label with the stem of its page and what it is called there."""
        found = {}
        for path in sorted((self.html / "notebooks").glob("*.html")):
            page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
            for tag in page.article.find_all(id=True):
                name = tag.select_one(".eqno, .caption-number")
                shown = name.get_text().strip(" #\n") if name else None
                found[tag["id"].removeprefix("equation-")] = path.stem, shown
        return found

    @cached_property
    def linked(self):
        """The names of the headings that some notebook links to."""
        paths = (ROOT / "notebooks").glob("*.ipynb")
        text = "\n".join(path.read_text("utf-8") for path in paths)
        return {name for _, name in LINK.findall(text)}

    @cached_property
    def works(self):
        """The bibliography."""
        return parse_file(str(ROOT / "book" / "references.bib"))

    def name(self, label):
        """Return what a labeled thing is called: (5.1), Fig. 5.1."""
        return self.places[label.lower()][1]

    def link(self, label, stem, words=None):
        """Return its name, as a link where it lies in another notebook."""
        there, shown = self.places[label.lower()]
        words = words or shown
        return words if there == stem else f"[{words}]({there}.ipynb)"

    def authors(self, key):
        """Return who wrote a work, in short."""
        persons = self.works.entries[key].persons["author"]
        names = [" ".join(p.prelast_names + p.last_names) for p in persons]
        names = [str(Text.from_latex(name)) for name in names]
        return f"{names[0]} et al." if names[2:] else " and ".join(names)

    def cite(self, keys, textual):
        """Return authors and years, as running text or in brackets."""
        pairs = [
            (self.authors(key), self.works.entries[key].fields["year"])
            for key in re.split(r", *", keys)
        ]
        if textual:
            return ", ".join(f"{who} ({year})" for who, year in pairs)
        return "(" + "; ".join(f"{who}, {year}" for who, year in pairs) + ")"

    def references(self, keys):
        """Return the works as a list in Markdown."""
        style = find_plugin("pybtex.style.formatting", "plain")()
        backend = find_plugin("pybtex.backends", "markdown")()
        entries = style.format_bibliography(self.works, keys)
        return "\n".join(f"- {x.text.render(backend)}" for x in entries)
