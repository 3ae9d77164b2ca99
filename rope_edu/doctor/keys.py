"""Whether the keys of a pair are turned as its queries are.

What the callable makes of a query was examined by itself; here the same
vectors and positions are asked for as a key, and compared. Where queries are
refused, or turned wrongly, keys may be so, too.
"""

from dataclasses import replace

import numpy as np

from rope_edu.doctor.adapters import Pair
from rope_edu.doctor.case import NotTested, packed
from rope_edu.doctor.model import HEADS, layout_of, measure, worst
from rope_edu.doctor.subject import CannotAsk, Trouble

# What is asked, with how many heads, and the positions of each row.
USES = (
    ("positions from 3 on", 2, [[3, 4, 5, 6, 7]]),
    ("resets", 2, [[0, 1, 2, 0, 1]]),
    ("any order", 2, [[3, 1, 7, 0, 2]]),
    ("one token at 0", 2, [[0]]),
    ("one token at 5", 2, [[5]]),
    ("rows of their own", 3, [[5, 6, 7], [2, 3, 4]]),
    ("equal rows", 2, [[6, 7], [6, 7], [6, 7]]),
    ("five heads", 5, [[0, 1, 2, 3, 4]]),
)


def key(case):
    """Compare the key of a pair with the query."""
    subject = _of_pair(case, "key")
    _keep_apart(case, subject)
    try:
        model, _ = measure(subject)
    except Trouble as trouble:
        told = f"{trouble.code}, {trouble.evidence}"
        raise Trouble("key-differs", told) from None
    _compare_key(case, model)
    _compare_heads(case, subject, "key")
    _compare_uses(case, subject, "key")
    return "turned as the query is"


def grouped_key(case):
    """The same, with half as many heads as the query."""
    subject = _of_pair(case, "grouped_key")
    try:
        subject(case.vectors(1, 1, 4), np.arange(4)[None])
    except Trouble as trouble:
        if trouble.code == "raises":
            raise NotTested(f"refused: {trouble.evidence}") from None
        told = f"grouped key: {trouble.evidence}"
        raise Trouble(trouble.code, told) from None
    x, ids, y = case.first
    if worst(_of_pair(case, "grouped_query")(x, ids), y) > case.tol:
        told = "a query is turned otherwise beside a grouped key"
        raise Trouble("key-differs", told)
    _compare_heads(case, subject, "grouped key")
    _compare_uses(case, subject, "grouped key")
    return "turned as the query is, with half as many heads"


def far_keys(case, marks):
    """Compare keys at positions that a query was turned rightly to."""
    pair = isinstance(case.subject.fn, Pair)
    if not pair or not marks or "key-differs" in case.noted:
        return
    x, subject = case.vectors(1, HEADS, len(marks)), _of_pair(case, "key")
    _compare(case, subject, f"a key of positions to {marks[-1]}", x, [marks])


def _of_pair(case, name):
    fn = case.subject.fn
    if not isinstance(fn, Pair):
        raise NotTested("one vector at a time; see adapters.from_pair")
    return replace(case.subject, fn=getattr(fn, name))


def _keep_apart(case, subject):
    """Give query and key other numbers: each has to come from its own."""
    x, ids, y = case.first
    if worst(_of_pair(case, "beside")(x, ids), y) > case.tol:
        told = "the query depends on the key beside it"
        raise Trouble("key-differs", told)
    if worst(subject(x, ids), case.subject(-x, ids)) <= case.tol:
        told = "for the key it is the query that comes back"
        raise Trouble("key-differs", told)


def _compare_key(case, model):
    query = case.model
    names = [layout_of(m)[0] for m in (query, model)]
    if names[0] != names[1] or len(query.first) != len(model.first):
        told = f"queries are {names[0]}, keys {names[1]}"
        raise Trouble("key-differs", told)
    if query.direction != model.direction:
        told = "keys turn the other way: scores depend on m + n"
        raise Trouble("key-differs", told)
    x, ids = case.vectors(1, HEADS, 8), np.arange(8)[None]
    gap = worst(query.rotate(x, ids), model.rotate(x, ids))
    if gap > case.tol:
        raise Trouble("key-differs", f"key and query are {gap:.3g} apart")


def _compare_heads(case, subject, name):
    for count in (1, 3):
        x, ids = case.vectors(1, count, 4), np.arange(4)[None]
        gap = worst(subject(x, ids), case.model.rotate(x, ids))
        if gap > case.tol:
            told = f"a {name} of {count} head(s) is off by {gap:.3g}"
            raise Trouble("key-differs", told)


def _compare_uses(case, subject, name):
    """Compare with queries in other texts, batches and lengths."""
    for words, heads, ids in USES:
        x = case.vectors(len(ids), heads, len(ids[0]))
        _compare(case, subject, f"a {name} with {words}", x, ids)
    size, long = case.long, case.longest
    x, ids = case.vectors(1, HEADS, long), np.arange(long)[None]
    _compare(case, subject, f"a {name} of {long} tokens", x, ids)
    x, ids = case.vectors(4, 9, size), packed(4, size)
    told = f"a {name} of 4 rows, 9 heads and {size} tokens"
    _compare(case, subject, told, x, ids)


def _compare(case, subject, words, x, ids):
    """Compare the key with the query, where a query can be asked."""
    try:
        query = case.subject(x, ids)
    except (CannotAsk, Trouble):
        return
    try:
        gap = np.abs(subject(x, ids) - query).max(axis=(1, 3))
    except Trouble as trouble:
        code = "key-differs" if trouble.code == "raises" else trouble.code
        raise Trouble(code, f"{words}: {trouble.evidence}") from None
    if gap.max() > case.tol:
        first = np.asarray(ids)[gap > case.tol][0]
        told = f"{words} is off by {gap.max():.3g}, first at {first}"
        raise Trouble("key-differs", told)
