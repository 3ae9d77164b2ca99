"""The one style of the book's figures, and how a figure reaches the page.

A figure becomes one SVG whose text and axes take the color of the page
(`currentColor`), so that the same file is right in light and in dark mode,
and whose title (its alt text) is computed like the rest.  A PNG on white
travels with it for readers without HTML: print, e-books, code hosts.
"""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import re
import zlib
from xml.sax.saxutils import escape

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from .._checks import as_count

COLORS = {
    "q": "#0072B2", "k": "#D55E00",
    "dial 0": "#B5528B", "dial 1": "#00876C",
    "dial 2": "#8F6B00", "dial 3": "#6F6FCE",
}
DIALS = tuple(COLORS[f"dial {i}"] for i in range(4))
# Not by color alone: each dial and each curve also has its own dashes.
DASHES = ((), (5, 1.5), (1.5, 1.5), (6, 1.5, 1.5, 1.5))
INK = "#010203"
FONTS = "'DejaVu Sans', Verdana, sans-serif"
WIDTH, HEIGHT = 4.8, 2.9

STYLE = {
    "figure.figsize": (WIDTH, HEIGHT), "figure.constrained_layout.use": True,
    "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.facecolor": "none", "svg.fonttype": "none",
    "svg.hashsalt": "clock dials", "font.size": 9.5,
    "font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans",
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.linewidth": 0.8, "lines.linewidth": 1.6,
    "axes.titlesize": "medium", "axes.titlelocation": "left",
    "legend.fontsize": "small", "grid.linewidth": 0.5, "grid.alpha": 0.25,
    "grid.color": INK, "axes.unicode_minus": True,
}


@contextlib.contextmanager
def canvas(rows=1, columns=1, height=HEIGHT, **options):
    """Figure and axes in the style of the book.

    Parameters
    ----------
    rows, columns : int
        Grid of axes.
    height : float
        Inches; the width is fixed, so that text keeps its size.
    **options
        Passed to `matplotlib.figure.Figure.subplots`.

    Raises
    ------
    TypeError, ValueError
        If `rows` or `columns` is not a positive integer.

    Examples
    --------
    >>> with canvas() as (figure, axes):
    ...     _ = axes.plot([0, 1], color=COLORS["q"])
    ...     picture = Picture(figure, "A line from 0 to 1.")
    >>> picture
    A line from 0 to 1.
    """
    rows, columns = as_count("rows", rows), as_count("columns", columns)
    with mpl.rc_context(STYLE):
        figure = plt.figure(figsize=(WIDTH, height))
        try:
            yield figure, figure.subplots(rows, columns, **options)
        finally:
            plt.close(figure)


class Picture:
    """A drawn figure: adaptive SVG, PNG for print, and its alt text.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn inside `canvas`.
    alt : str
        One or two sentences that hold what the figure shows, with its main
        number.

    Raises
    ------
    TypeError, ValueError
        If `figure` is no figure, or the alt text no string or shorter than a
        sentence.
    """

    def __init__(self, figure, alt):
        for name, value, kind in (("figure", figure, Figure),
                                  ("alt", alt, str)):
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be a {kind.__name__},"
                                f" got {value!r}")
        if len(alt.split()) < 4:
            raise ValueError(
                f"alt must be a sentence that says what is seen, got {alt!r}")
        self.alt = " ".join(alt.split())
        self.svg = _adaptive(_render(figure, "svg").decode(), self.alt)
        self.png = _render(figure, "png", dpi=120, facecolor="white")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/html": f'<div class="figure">{self.svg}</div>',
            "image/png": base64.b64encode(self.png).decode(),
            "text/plain": self.alt,
        }

    def __repr__(self):
        return self.alt


def _render(figure, kind, **options):
    metadata = {"Date": None, "Creator": None}
    if kind == "png":
        metadata = {"Software": None}
        options["pil_kwargs"] = {"optimize": True}
    with io.BytesIO() as file:
        figure.savefig(file, format=kind, metadata=metadata, **options)
        return file.getvalue()


def _adaptive(svg, alt):
    """Inline SVG: page color, short numbers, ids of its own, alt text."""
    svg = svg[svg.index("<svg"):].strip()
    # Matplotlib's own <style> would style the whole page.
    svg = re.sub(r"<(metadata|style).*?</\1>", "", svg, flags=re.S)
    svg = svg.replace("'DejaVu Sans'", FONTS)
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r"<[^>]*>", lambda tag: _shorten(tag[0]), svg)
    svg = _short_ids(svg, alt)
    size = re.search(r'viewBox="[^"]*"', svg)[0]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}'
    head += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    head += ' stroke-linejoin="round"'
    head += f'><title>{escape(alt)}</title>'
    return re.sub(r"\n\s*", "\n", re.sub(r"<svg[^>]*>", head, svg, count=1))


def _shorten(tag):
    """A tag with two decimals for its coordinates; texts stay whole."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: (
        f"{float(number[0]):.2f}".rstrip("0").rstrip(".")), tag)


def _short_ids(svg, alt):
    """Ids that no other figure of the page has, and none unused."""
    prefix = f"f{zlib.crc32((alt + svg).encode()):x}-"
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg))
    names = {old: f"{prefix}{i}" for i, old in zip(
        itertools.count(), sorted(used, key=svg.index))}
    svg = re.sub(r' id="([^"]+)"', lambda m: (
        f' id="{names[m[1]]}"' if m[1] in names else ""), svg)
    return re.sub(r'(url\(#|href="#)([^)"]+)',
                  lambda m: m[1] + names[m[2]], svg)
