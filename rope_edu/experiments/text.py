"""The text that the character models read.

Chapters I to V of Lewis Carroll, Alice's Adventures in Wonderland (1865), in
the public domain. The file is as in the Millennium Fulcrum Edition 2.9, one
of the files of the Canterbury Corpus, with fewer blank lines. It is stored
with the package, so that its characters never change.

>>> load_text()[:51]
'chapter i down the rabbit-hole alice was beginning '
"""

import re
from functools import cache
from importlib.resources import files

KEPT = "abcdefghijklmnopqrstuvwxyz .,;:!?'-"


@cache
def load_text():
    """Return the text in lower case, with 35 different characters.

    Quotation marks are all apostrophes, and what else is no letter and no
    common mark is a space; several spaces or lines are one space.

    Returns
    -------
    str

    Examples
    --------
    >>> len(load_text()), len(set(load_text()))
    (56730, 35)
    """
    path = files("rope_edu").joinpath("data", "alice.txt")
    text = re.sub("[`\"]", "'", path.read_text("utf-8").lower())
    return re.sub(" +", " ", re.sub(f"[^{KEPT}]", " ", text)).strip()


def split():
    """Return the first four chapters to train on, and the fifth held out.

    Returns
    -------
    dict of str
        With the keys "train" and "held out".

    Examples
    --------
    >>> {part: len(text) for part, text in split().items()}
    {'train': 45034, 'held out': 11696}
    """
    text = load_text()
    start = text.index("chapter v advice")
    return {"train": text[:start], "held out": text[start:]}


def as_tokens(text):
    """Return the number of each character.

    Parameters
    ----------
    text : str
        Of the characters in `KEPT`.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If there is another character.

    Examples
    --------
    >>> as_tokens("abba c")
    [0, 1, 1, 0, 26, 2]
    """
    odd = set(text) - set(KEPT)
    if odd:
        raise ValueError(f"text must be made of {KEPT!r}, got {min(odd)!r}")
    return [KEPT.index(letter) for letter in text]


def as_text(tokens):
    """Return the text of these numbers.

    Parameters
    ----------
    tokens : iterable of int

    Returns
    -------
    str

    Examples
    --------
    >>> as_text([0, 1, 1, 0, 26, 2])
    'abba c'
    """
    return "".join(KEPT[int(token)] for token in tokens)
