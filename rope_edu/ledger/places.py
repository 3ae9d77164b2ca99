"""Where in the book a claim is settled, read from the notebooks' tags.

A code cell with the tag ``claim-A4`` or ``mistake-9`` belongs to the heading
above it; the page has an anchor there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^(#{1,4}) +(.+?) *$", re.M)
_FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1 *$", re.M | re.S)
_TAG = re.compile(r"(?:claim-([ABC]\d+)|(mistake-\d+))")


@dataclass(frozen=True)
class Place:
    """A section of a chapter.

    Parameters
    ----------
    stem : str
        The notebook is ``<stem>.ipynb``, the page ``<stem>.html``.
    anchor : str
        What follows the ``#`` in a MyST link.
    heading : str
        As Markdown.
    """

    stem: str
    anchor: str
    heading: str

    @property
    def chapter(self):
        """What running text calls the page."""
        number = self.stem.split("-")[0]
        if number.isdigit():
            return f"chapter {int(number)}"
        return self.stem.replace("-", " ")


def anchor(heading):
    """The name by which MyST links to a heading.

    Examples
    --------
    >>> anchor("Who's next: $R_m R_n$ or `turn`?")
    'whos-next-r_m-r_n-or-turn'
    """
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def _sections(cells):
    # Every code cell with the last heading before it.
    heading = None
    for cell in cells:
        if cell["cell_type"] == "markdown":
            text = _FENCED.sub("", "".join(cell["source"]))
            for _, heading in _HEADING.findall(text):
                pass
        elif cell["cell_type"] == "code":
            yield cell, heading


def _tagged(path):
    notebook = json.loads(path.read_text("utf-8"))
    for cell, heading in _sections(notebook["cells"]):
        for tag in cell["metadata"].get("tags", ()):
            if found := _TAG.fullmatch(tag):
                if heading is None:
                    raise ValueError(f"{path.name}: no heading above {tag}")
                place = Place(path.stem, anchor(heading), heading)
                yield found[1] or found[2], place


def places(folder="."):
    """Sections that settle each claim, in the order of the chapters.

    Parameters
    ----------
    folder : path
        Where the executed notebooks lie.

    Returns
    -------
    dict of str to list of Place

    Raises
    ------
    ValueError
        If `folder` holds no notebook, or a cell has a tag and no heading
        stands above it.
    """
    found, paths = {}, sorted(Path(folder).glob("*.ipynb"))
    if not paths:
        raise ValueError(f"folder must hold notebooks, got {str(folder)!r}")
    for path in paths:
        for number, place in _tagged(path):
            known = found.setdefault(number, [])
            if place not in known:
                known.append(place)
    return found
