"""A text and some prompts, as tokens of SmolLM2.

The text is the beginning of Jane Austen's Mansfield Park (1814), in the
public domain. Tokens are stored, so that no tokenizer is needed;
``tools/smollm_data.py`` made them.
"""

import json
from base64 import b64decode
from functools import lru_cache
from importlib.resources import files

import numpy as np

from rope_edu._checks import as_array, as_count


@lru_cache(maxsize=1)
def _stored():
    file = files("rope_edu").joinpath("data", "smollm_text.json")
    return json.loads(file.read_text("utf-8"))


def sample(count=None):
    """First tokens of Mansfield Park.

    Parameters
    ----------
    count : int, optional
        How many, all by default: 16,384.

    Returns
    -------
    numpy.ndarray of int, shape (count,)

    Raises
    ------
    TypeError, ValueError
        If `count` is not a positive integer or more than there are.

    Examples
    --------
    >>> len(sample(512)), len(sample())
    (512, 16384)
    """
    raw = np.frombuffer(b64decode(_stored()["tokens"]), dtype="<u2")
    count = raw.size if count is None else as_count("count", count)
    if count > raw.size:
        raise ValueError(f"count must be at most {raw.size}, got {count}")
    return raw[:count].astype(np.int64)


def prompts():
    """Short texts, with their tokens.

    Returns
    -------
    dict of str to list of int

    Examples
    --------
    >>> prompts()["The cat chases the mouse"]
    [504, 2644, 410, 1049, 260, 9444]
    """
    return {text: list(ids) for text, ids in _stored()["prompts"].items()}


@lru_cache(maxsize=1)
def _letters():
    """Return the byte behind each letter of a byte-level vocabulary.

    Bytes that print stand for themselves; the others, in their order, for
    the characters from 256 on. GPT-2 began with it.
    """
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in set(plain)]
    table = {chr(byte): byte for byte in plain}
    return table | {chr(256 + i): byte for i, byte in enumerate(others)}


def decode(tokens, vocabulary):
    """Text of some tokens.

    Parameters
    ----------
    tokens : array_like of int, shape (sequence,)
    vocabulary : list of str
        What `rope_edu.pretrained.vocabulary` gives, in byte-level spelling.

    Returns
    -------
    str
        Bytes that are no UTF-8, as at the end of half a character, become
        the sign U+FFFD.

    Raises
    ------
    TypeError, ValueError
        If `tokens` are not integers on one axis, there is no such token, or
        its spelling is not byte-level.

    Examples
    --------
    >>> decode([1, 0], ["Ġworld", "Hello"])
    'Hello world'
    """
    ids, table = _as_ids(tokens, len(vocabulary)), _letters()
    spelled = "".join(vocabulary[i] for i in ids)
    odd = set(spelled) - set(table)
    if odd:
        raise ValueError(
            f"vocabulary must be in byte-level spelling, got {min(odd)!r}"
        )
    return bytes(table[x] for x in spelled).decode("utf-8", "replace")


def _as_ids(tokens, size):
    ids = as_array("tokens", tokens)
    if ids.ndim != 1:
        raise ValueError(f"tokens must have one axis, got shape {ids.shape}")
    if ids.size and ids.dtype.kind not in "iu":
        raise TypeError(f"tokens must be integers, got dtype {ids.dtype}")
    odd = ids[(ids < 0) | (ids >= size)]
    if odd.size:
        raise ValueError(f"tokens must be 0 to {size - 1}, got {odd[0]}")
    return ids
