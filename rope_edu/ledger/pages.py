"""The generated parts of two appendices: the ledger and the lost equations.

Both are Markdown with MyST roles; a notebook shows them through
``IPython.display.Markdown``.  Everything in them comes from the entries and
from `examine`, but for the table `LOST`, which says where each equation
that the first text lost stands in the sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import (
    appendix, attention, code, complex_plane, decay, dials, dimensions,
    encodings, gradients, inside, past, real_model, rescaling, roads,
    rotations, speed)
from .core import examine

HIGH, MEDIUM = "high", "medium"


@dataclass(frozen=True)
class Page:
    """A page of the book and the entries that it shows.

    Parameters
    ----------
    stem : str
        Its notebook is ``notebooks/<stem>.ipynb``.
    name : str
        What running text calls it.
    entries : tuple of Equation
    """

    stem: str
    name: str
    entries: tuple

    @property
    def link(self):
        """Markdown link to the page from its neighbors."""
        return f"[{self.name}]({self.stem}.ipynb)"


PAGES = (
    Page("01-no-order", "chapter 1", attention.EQUATIONS),
    Page("02-absolute", "chapter 2", encodings.ABSOLUTE),
    Page("03-relative", "chapter 3", encodings.RELATIVE),
    Page("04-complex-plane", "chapter 4", complex_plane.EQUATIONS),
    Page("05-rotation-matrices", "chapter 5", rotations.EQUATIONS),
    Page("06-two-to-d", "chapter 6", dimensions.EQUATIONS),
    Page("07-clock-dials", "chapter 7", dials.EQUATIONS),
    Page("08-decay", "chapter 8", decay.EQUATIONS),
    Page("09-numpy-reference", "chapter 9", code.EQUATIONS),
    Page("10-torch", "chapter 10", gradients.EQUATIONS),
    Page("11-how-fast", "chapter 11", speed.EQUATIONS),
    Page("12-inside-attention", "chapter 12", inside.EQUATIONS),
    Page("14-past-the-length", "chapter 14", past.EQUATIONS),
    Page("15-rescaling", "chapter 15", rescaling.EQUATIONS),
    Page("16-a-real-model", "chapter 16", real_model.EQUATIONS),
    Page("17-other-roads", "chapter 17", roads.EQUATIONS),
    Page("appendix-complex-numbers", "complex numbers",
         appendix.COMPLEX_NUMBERS),
    Page("appendix-orthogonal-matrices", "orthogonal matrices",
         appendix.ORTHOGONAL),
    Page("appendix-trigonometry", "trigonometry", appendix.TRIGONOMETRY),
)


@dataclass(frozen=True)
class Trace:
    """Where one lost equation was found again.

    Parameters
    ----------
    su, roformer : str
        Its number in Su's post 8265 and in RoFormer v5.
    certainty : {"high", "medium"}
        How far the text itself fixes the content.
    reason : str
        What in that text leads to it.
    """

    su: str
    roformer: str
    certainty: str
    reason: str


LOST = {
    1: Trace(
        "none", "(4)", MEDIUM,
        "the text announces a typical absolute encoding; that the sinusoidal"
        " one is meant is a guess, and only the counting gives it the number"),
    2: Trace(
        "(2)", "(11)", HIGH,
        "the text before it asks that the inner product carry the relative"
        " position, and the text after it sets out to solve for f"),
    3: Trace(
        "in the text", "(22)", HIGH,
        "the text asks for plain initial conditions and later repeats both"
        " of them to justify the last step of (7)"),
    4: Trace(
        "(3)", "(12), third line", HIGH,
        "the inner product has just been written as a real part, and the"
        " next sentence explains the star; named: (6) comes from putting (5)"
        " into (4)"),
    5: Trace(
        "(4)", "(23)", HIGH,
        "the note below it says that R is the modulus and Θ the argument of"
        " f(q, m)"),
    6: Trace(
        "(5)", "(24), with the opposite sign", HIGH,
        "an inline derivation of it is left; named: m = n is put into its"
        " second equation"),
    7: Trace(
        "(6)", "(26a)", HIGH,
        "m = n is put into the first equation of (6), and the last equality"
        " is said to come from (3)"),
    8: Trace(
        "(7)", "(26b)", HIGH,
        "m = n is put into the second equation of (6), and the next sentence"
        " moves its terms to the other side"),
    9: Trace(
        "(8)", "(29)", HIGH,
        "n = m − 1 is put in, and the right side is said not to depend on"
        " m"),
    10: Trace(
        "(9)", "(33)", HIGH,
        "it is announced as the complex form for two dimensions, and the"
        " polar form of q follows it"),
    11: Trace(
        "(10)", "(13)", HIGH,
        "it is announced as the matrix form of (10)"),
    12: Trace(
        "(11)", "(15)", HIGH,
        "it is announced as two-dimensional pieces put together; named: (13)"
        " is proved by expanding (12)"),
    13: Trace(
        "(12)", "(16)", HIGH,
        "it is announced as the identity that makes attention relative"),
    14: Trace(
        "(13)", "(34)", HIGH,
        "it is announced as the cheap way to multiply by a sparse matrix,"
        " elementwise; named: a later section says where (14) comes from"),
}


def plain(text):
    r"""Text in which Markdown sees no markup.

    Examples
    --------
    >>> print(plain("h_{d/2} = 0 * x"))
    h\_{d/2} = 0 \* x
    """
    return re.sub(r"([\\`*_<$\[\]|])", r"\\\1", text)


def status(entry):
    """What came of proof, trial and attack, without the label.

    Examples
    --------
    >>> from rope_edu import ledger
    >>> print(status(ledger.get("relative-2d")))
    ✓ proved (SymPy), 1000 random points, 4 of 4 mutants caught
    """
    return str(examine(entry)).replace(f" {entry.label}:", "", 1)


def excused(entry):
    """Mutants that say the same as the entry, grouped by the reason.

    Examples
    --------
    >>> from rope_edu import ledger
    >>> print(*excused(ledger.get("sum-2d")), sep="\\n")
    says the same: `swap m, n in side 1`, as turns of one plane commute
    says the same: `swap m, n in side 2`, as m + n = n + m
    """
    reasons = dict.fromkeys(entry.same.values())
    groups = [(", ".join(f"`{name}`" for name, why in entry.same.items()
                         if why == reason), reason) for reason in reasons]
    return [f"says the same: {names}, as {plain(reason)}"
            for names, reason in groups]


def card(entry, title, facts):
    """One entry as Markdown: title, equation, list of facts."""
    lines = [title, f"$$\n{entry.latex}\n$$",
             "\n".join(f"- {fact}" for fact in facts)]
    return "\n\n".join(lines) + "\n"


def entries(stem):
    """All entries of one page, as Markdown.

    Parameters
    ----------
    stem : str
        Such as ``"05-rotation-matrices"``.

    Examples
    --------
    >>> print(entries("appendix-trigonometry").splitlines()[0])
    **cos-sum** {eq}`cos-sum`
    """
    (page,) = [page for page in PAGES if page.stem == stem]
    return "\n".join(
        card(entry, f"**{entry.label}** {{eq}}`{entry.label}`",
             [status(entry), *excused(entry),
              f"source: {plain(entry.source)}"])
        for entry in page.entries)


def summary():
    """Numbers of equations and mutants, page by page, as a table.

    The columns are: equations, mutants caught, mutants that say the same.

    Examples
    --------
    >>> print(summary().splitlines()[0])
    | page | eqs. | caught | same |
    """
    rows = [_counts(page) for page in PAGES]
    totals = ["**all**", *(sum(column) for column in
                           list(zip(*rows, strict=True))[1:])]
    head = ["page", "eqs.", "caught", "same"]
    table = [head, ["---", "--:", "--:", "--:"], *rows, totals]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in table)


def _counts(page):
    caught = sum(examine(entry).caught for entry in page.entries)
    same = sum(len(entry.same) for entry in page.entries)
    return page.link, len(page.entries), caught, same


def lost(first, last):
    """Lost equations `first` to `last`, as Markdown.

    Parameters
    ----------
    first, last : int
        Numbers in the first text, 1 to 14.

    Raises
    ------
    ValueError
        If there is no equation with such a number.

    Examples
    --------
    >>> print(lost(13, 13).splitlines()[0])
    **(13)**, now {eq}`relative` in [chapter 6](06-two-to-d.ipynb)
    """
    if not 1 <= first <= last <= len(LOST):
        raise ValueError(f"first and last must be in order and from 1 to"
                         f" {len(LOST)}, got {first} and {last}")
    return "\n".join(map(_lost_card, range(first, last + 1)))


def _lost_card(number):
    ((page, entry),) = [(page, entry) for page in PAGES
                        for entry in page.entries if entry.lost == number]
    trace = LOST[number]
    return card(
        entry, f"**({number})**, now {{eq}}`{entry.label}` in {page.link}",
        [f"Su's post: {trace.su}; RoFormer: {trace.roformer}",
         f"certainty {trace.certainty}: {trace.reason}", status(entry)])
