"""What a claim is: a statement, a verdict, and what the verdict rests on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Each with what it means, in the order of the page.
VERDICTS = {
    "true": "holds as it stands",
    "conditional": "holds under conditions that the claim leaves out",
    "imprecise": "has a true core, and says more or something else",
    "false": "does not hold",
    "unknown": "neither shown nor refuted here or in the sources",
}
TOPICS = {
    "order": "Order and attention",
    "encodings": "Other encodings",
    "derivation": "The derivation",
    "dimensions": "Pairs, layouts and frequencies",
    "distance": "Distance and decay",
    "length": "Long context",
    "practice": "Code and models",
}
# The three texts, cut into statements, and a list of common mistakes: how
# an id begins, how often, and what a reader calls it.
SOURCES = {
    "A": (57, "statement", "the first text"),
    "B": (60, "statement", "the second text"),
    "C": (34, "statement", "the third text"),
    "mistake-": (27, "mistake", "the list"),
}
IDS = tuple(
    f"{source}{n}" for source, (last, *_) in SOURCES.items()
    for n in range(1, last + 1)
)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Claim:
    """A thing that people say about RoPE, and what came of testing it.

    Parameters
    ----------
    name : str
        Its anchor on the page: lower-case words joined by hyphens.
    statement : str
        The claim in one sentence, as it is made, in Markdown.
    ids : tuple of str
        Where it is made, of `IDS`: one or more places that say the same.
    topic : str
        Of `TOPICS`.
    verdict : str
        Of `VERDICTS`.
    reason : str
        Why, in one to three sentences of Markdown.
    run : callable, optional
        Evidence that runs: computes, asserts, and returns one line.
    equations : tuple of str
        Labels of the ledger that prove it.
    cites : tuple of str
        Keys of the bibliography, where it is empirical and not ours.

    Raises
    ------
    ValueError
        If a field is not of the kinds above, or there is no evidence.

    Examples
    --------
    >>> Claim("turns-add-up", "Two turns add up.", ("A54",), "derivation",
    ...       "true", "The addition theorem.", equations=("sum-2d",)).ids
    ('A54',)
    """

    name: str
    statement: str
    ids: tuple[str, ...]
    topic: str
    verdict: str
    reason: str
    run: Callable[[], str] | None = None
    equations: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()

    def __post_init__(self):
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"name must be lower-case words joined by hyphens, got"
                f" {self.name!r}")
        self._check_one("topic", TOPICS)
        self._check_one("verdict", VERDICTS)
        unknown = sorted(set(self.ids) - set(IDS))
        if unknown or not self.ids:
            raise ValueError(
                f"{self.name}: ids must be some of A1 to A57, B1 to B60, C1 to"
                f" C34, mistake-1 to mistake-27, got {unknown or self.ids}")
        if not (self.run or self.equations or self.cites):
            raise ValueError(
                f"{self.name} needs evidence: run, equations or cites")

    def _check_one(self, field, known):
        value = getattr(self, field)
        if value not in known:
            raise ValueError(
                f"{self.name}: {field} must be one of {', '.join(known)},"
                f" got {value!r}")


def merged(*rooms):
    """Claims of several modules by name, in their order.

    Parameters
    ----------
    *rooms : iterable of Claim

    Raises
    ------
    ValueError
        If two share a name, or an id is claimed twice or by none.
    """
    found, owner = {}, {}
    for claim in (claim for room in rooms for claim in room):
        if claim.name in found:
            raise ValueError(f"two claims are named {claim.name!r}")
        found[claim.name] = claim
        for number in claim.ids:
            if number in owner:
                raise ValueError(
                    f"{number} belongs to {owner[number]} and {claim.name}")
            owner[number] = claim.name
    missing = [number for number in IDS if number not in owner]
    if missing:
        raise ValueError(f"no claim has {', '.join(missing)}")
    return found


def spoken(ids):
    """Ids in words.

    Parameters
    ----------
    ids : iterable of str
        Of `IDS`.

    Returns
    -------
    str

    Examples
    --------
    >>> spoken(["C5", "B28", "C11", "mistake-5"])
    'statement 28 of the second text, statements 5 and 11 of the third text,
    mistake 5 of the list'
    """
    told = []
    for source, (_, kind, place) in SOURCES.items():
        numbers = [number.removeprefix(source) for number in ids
                   if number.startswith(source)]
        if numbers:
            plural = "s" if len(numbers) > 1 else ""
            told.append(f"{kind}{plural} {_listed(numbers)} of {place}")
    return ", ".join(told)


def _listed(words):
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def counts(claims):
    """How many claims, and how many ids, have each verdict.

    Parameters
    ----------
    claims : iterable of Claim

    Returns
    -------
    dict of str to (int, int)
    """
    found = dict.fromkeys(VERDICTS, (0, 0))
    for claim in claims:
        number, ids = found[claim.verdict]
        found[claim.verdict] = number + 1, ids + len(claim.ids)
    return found
