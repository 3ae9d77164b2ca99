"""Chapter 3: relative encodings."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..symbolic import is_zero
from ._wrong import Wrong, array, call, expression, require

UNEVEN = {
    "B": "in B the sine changes its sign with the offset",
    "C": "in C the offsets +4 and -4 have rows of their own",
    "D": "in D keys before and behind the query have buckets of their own",
}


def table_of_offsets(answer):
    """3.1: a function of b and S that lays the numbers along diagonals."""
    for size in (1, 3, 6):
        b = np.random.default_rng(size).normal(size=2 * size - 1)
        found = array(call(answer, b, size), (size, size))
        places = np.arange(size)
        wanted = b[places - places[:, None] + size - 1]
        name = f"for {size} tokens"
        require(size == 1 or not np.allclose(found, wanted.T),
                f"{name}: the table is mirrored; rows are queries, and the"
                " offset is n - m")
        sums = places + places[:, None]
        require(size == 1 or not np.allclose(found, b[sums]),
                f"{name}: the entry depends on n + m")
        require(np.allclose(found[0], wanted[0]),
                f"{name}: row 0 is not right; offset 0 stands in the middle"
                " of b")
        require(np.allclose(found[1:, 1:], found[:-1, :-1]),
                f"{name}: some diagonal is not constant")
        require(np.allclose(found, wanted),
                f"{name}: some diagonal below the middle is not right; there"
                " n - m is negative")


def even_scores(answer):
    """3.2: letters of the scores that are the same at +4 and at -4."""
    require(isinstance(answer, str), "letters are wanted, such as \"BC\"")
    found = set(answer.upper()) - set(" ,")
    require(found and found <= set("ABCDE"), "the letters run from A to E")
    for letter, reason in UNEVEN.items():
        require(letter not in found, reason)
    require(len(found) == 2, "one more of them knows the distance only")


def square_of_offset(answer):
    """3.3: u(m) and v(n), three channels each, with u · v = (n - m)**2."""
    m, n = sp.symbols("m n", real=True)
    u, v = _two_lists(answer)
    require(len(u) == len(v), "u and v need as many channels as each other")
    require(len(u) == 3, f"three channels are wanted, not {len(u)}")
    u = [_own(part, m, n, "u", "m") for part in u]
    v = [_own(part, n, m, "v", "n") for part in v]
    found = sum(a * b for a, b in zip(u, v))
    for slip, reason in _near_squares(m, n):
        require(not is_zero(found - slip), reason)
    require(is_zero(found - (n - m) ** 2),
            "the inner product of u and v is not the square of n - m")


def _near_squares(m, n):
    """What the inner product is by one slip each, and its name."""
    return (
        (-(n - m) ** 2, "the sign is the wrong way: wanted is the square, not"
         " what is added to the score"),
        ((n + m) ** 2, "this is the square of n + m"),
        (m**2 + n**2, "the mixed term of the square is missing"),
        (m**2 - m * n + n**2, "the mixed term of the square stands there"
         " only once"),
        *((offset, "this is the offset and not its square")
          for offset in (n - m, m - n)),
    )


def _two_lists(answer):
    try:
        u, v = (list(part) for part in answer)
    except (TypeError, ValueError) as error:
        raise Wrong("a pair of lists (u, v) is wanted") from error
    return u, v


def _own(part, letter, other, name, place):
    found = expression(part, (letter, other))
    require(other not in found.free_symbols,
            f"{name} belongs to one token and may know {place} only")
    return found


CHECKS = {"3.1": table_of_offsets, "3.2": even_scores,
          "3.3": square_of_offset}
