"""The page of the court as Markdown with MyST roles; a notebook shows it.

Each claim is a block of its own with an anchor, so that it can be linked;
``rope_edu.figures.court`` hides those that a reader filters out.
"""

from __future__ import annotations

from .. import pages
from .core import IDS, SOURCES, TOPICS, VERDICTS, counts, spoken

# Words of a claim's name that are not written in small letters.
_SPELLED = {
    "abel": "Abel", "alibi": "ALiBi", "bert": "BERT", "cls": "CLS",
    "cnn": "CNN", "gpt": "GPT", "l": "L", "llama": "LLaMA", "rnn": "RNN",
    "roformer": "RoFormer", "rope": "RoPE", "su": "Su", "yarn": "YaRN",
    "yarns": "YaRN's",
}


def card(claim, places):
    """One claim as Markdown.

    Parameters
    ----------
    claim : Claim
    places : dict of str to list of Place
        As `rope_edu.ledger.places.places` gives it.

    Returns
    -------
    str
    """
    lines = [
        f"::::{{container}} claim {claim.verdict} {claim.topic}",
        f":name: claim-{claim.name}",
        "",
        f"[**{claim.verdict}**](#claim-{claim.name}){{.verdict}}"
        f" {claim.statement}",
        "",
        claim.reason,
        "",
        *_evidence(claim),
        f"- {_origin(claim)}{_where(claim, places)}",
        "::::",
    ]
    return "\n".join(lines)


def _evidence(claim):
    if claim.run:
        yield f"- ✓ {pages.plain(claim.run())}"
    if claim.equations:
        links = ", ".join(f"{{eq}}`{label}`" for label in claim.equations)
        # A proof of an equation is none of a claim that it contradicts.
        holds = claim.verdict in ("true", "conditional")
        yield f"- {'✓ proved in the ledger:' if holds else 'see'} {links}"
    if claim.cites:
        yield f"- source: {{cite:t}}`{','.join(claim.cites)}`"


def _origin(claim):
    return f"said in {spoken(claim.ids)}"


def _where(claim, places):
    chapters = {}
    for number in claim.ids:
        for place in places.get(number, ()):
            link = f"[{place.heading}]({place.stem}.ipynb#{place.anchor})"
            chapters.setdefault(place.chapter, {})[link] = None
    told = ", ".join(f"{chapter} ({', '.join(chapters[chapter])})"
                     for chapter in sorted(chapters, key=_order))
    return f"; more in {told}" if told else ""


def _order(chapter):
    number = chapter.removeprefix("chapter ")
    return (int(number), "") if number.isdigit() else (99, chapter)


def topic(name, claims, places):
    """The claims of one topic, in their order.

    Parameters
    ----------
    name : str
        Of `TOPICS`.
    claims : dict of str to Claim
    places : dict of str to list of Place

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such topic.
    """
    if name not in TOPICS:
        raise ValueError(
            f"name must be one of {', '.join(TOPICS)}, got {name!r}")
    return "\n\n".join(card(claim, places) for claim in claims.values()
                       if claim.topic == name)


def verdicts(claims):
    """How many claims have each verdict, as a table.

    Parameters
    ----------
    claims : dict of str to Claim

    Returns
    -------
    str
    """
    rows = [
        (f"**{verdict}**", VERDICTS[verdict], number, ids)
        for verdict, (number, ids) in counts(claims.values()).items()
    ]
    totals = ("**all**", "", len(claims), len(IDS))
    table = [("verdict", "meaning", "claims", "said"),
             ("---", "---", "--:", "--:"), *rows, totals]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in table)


def index(source, claims):
    """Where each statement of one source was judged, as a table.

    Parameters
    ----------
    source : str
        Of `rope_edu.ledger.claims.core.SOURCES`.
    claims : dict of str to Claim

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such source.
    """
    if source not in SOURCES:
        raise ValueError(
            f"source must be one of {', '.join(SOURCES)}, got {source!r}")
    judged = {number: claim for claim in claims.values()
              for number in claim.ids}
    rows = [f"| {number.removeprefix(source)} | {judged[number].verdict} |"
            f" {_link(judged[number])} |"
            for number in IDS if number.startswith(source)]
    head = f"| {SOURCES[source][1]} | verdict | claim |"
    table = [head, "|--:|---|---|", *rows]
    return "\n".join(["::::{container} statements", *table, "::::"])


def _link(claim):
    words = (_SPELLED.get(word, word) for word in claim.name.split("-"))
    return f"[{' '.join(words)}](#claim-{claim.name})"
