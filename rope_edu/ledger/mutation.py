"""Wrong versions of a formula, made from its own LaTeX.

A check that would also pass for a wrong formula is worthless.  Each mutant
is the kind of slip that papers really contain: a flipped sign, cos for sin,
a dropped transpose or conjugate, two letters exchanged, a number off by one.
"""

from __future__ import annotations

from .tokens import NESTING, tokenize

FLIPS = {"+": "-", "-": "+", r"\cos": r"\sin", r"\sin": r"\cos"}
PAIRS = (("m", "n"), ("q", "k"))


def mutants(latex, extra=()):
    """Pairs ``(name, tokens)`` of changed formulas, without repeats.

    `extra` holds wrong formulas of one's own, in LaTeX.

    Examples
    --------
    >>> [name for name, _ in mutants(r"R_m^\\top R_n = R_{n-m}")]
    ['drop ^⊤ (1)', 'swap m, n in side 1', '- to + (1)', 'swap m, n in side 2']
    """
    tokens = tokenize(latex)
    found, seen = [], {tuple(tokens)}
    more = [(wrong, tokenize(wrong)) for wrong in extra]
    for name, mutant in [*_ordered(tokens), *more]:
        if tuple(mutant) not in seen:
            seen.add(tuple(mutant))
            found.append((name, mutant))
    return found


def _ordered(tokens):
    for start, stop, place in _sides(tokens):
        yield from _single(tokens, start, stop)
        yield from _swaps(tokens, start, stop, place)


def _sides(tokens):
    """Start, stop and number of each stretch between relations."""
    depth, edges = 0, [-1]
    for at, token in enumerate(tokens):
        depth += (token in NESTING) - (token in NESTING.values())
        if depth == 0 and token in ("=", r"\equiv", ",", r"\\"):
            edges.append(at)
    edges.append(len(tokens))
    wide = [(a + 1, b) for a, b in zip(edges, edges[1:]) if b - a > 2]
    for j, (a, b) in enumerate(wide, start=1):
        yield a, b, f"side {j}"


def _single(tokens, start, stop):
    for at in range(start, stop):
        for what, replacement, width in _changes(tokens, at):
            nth = tokens[:at + 1].count(tokens[at])
            mutant = tokens[:at] + replacement + tokens[at + width:]
            yield f"{what} ({nth})", mutant


def _changes(tokens, at):
    token = tokens[at]
    if token in FLIPS:
        yield f"{token} to {FLIPS[token]}", [FLIPS[token]], 1
    if token == "^" and tokens[at + 1] == r"\top":
        yield "drop ^⊤", [], 2
    if token == "^" and tokens[at + 1: at + 4] == ["{", "*", "}"]:
        yield "drop ^*", [], 4
    if token.isdigit() and not _inside_pmod(tokens, at):
        yield f"{token} to {int(token) + 1}", [str(int(token) + 1)], 1


def _inside_pmod(tokens, at):
    return r"\pmod" in tokens[max(0, at - 2): at]


def _swaps(tokens, start, stop, place):
    for a, b in PAIRS:
        side = tokens[start:stop]
        if a in side and b in side:
            other = {a: b, b: a}
            swapped = [other.get(t, t) for t in side]
            yield (f"swap {a}, {b} in {place}",
                   tokens[:start] + swapped + tokens[stop:])
