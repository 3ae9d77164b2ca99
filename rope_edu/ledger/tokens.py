"""LaTeX of a display, cut into tokens and into statements."""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"\\(?:begin|end)\{(?:pmatrix|aligned)\}"
    r"|\\(?:operatorname|mathrm|mathbf)\{[A-Za-z]+\}"
    r"|\\\\|\\[A-Za-z]+|\\[,;!|{} ]|\d+(?:\.\d+)?|[A-Za-z]|\S"
)
INVISIBLE = {r"\;", r"\!", r"\ ", r"\left", r"\right", r"\displaystyle",
             *(rf"\{size}{side}" for size in ("big", "Big", "bigg")
               for side in "lr")}
# A thin space ends the argument of a function: cos a \, b is b cos a.
THIN = r"\,"
QUADS = {r"\quad", r"\qquad"}
OPENERS = {"(": ")", "[": "]", r"\{": r"\}"}
NESTING = OPENERS | {"{": "}", r"\langle": r"\rangle",
                     r"\begin{pmatrix}": r"\end{pmatrix}"}
BEGIN, END = r"\begin{aligned}", r"\end{aligned}"
RELATIONS = {"=", r"\equiv"}
SUMMANDS = {"+", "-"}


def tokenize(latex):
    """Split LaTeX into tokens, in one spelling, without invisible ones.

    Examples
    --------
    >>> tokenize(r"R_m^{\\top} \\;R_n")
    ['R', '_', 'm', '^', '\\\\top', 'R', '_', 'n']
    """
    latex = re.sub(r"\^\s*\{\s*\\top\s*\}", r"^\\top ", latex)
    latex = re.sub(r"\^\s*\*", "^{*}", latex)
    latex = re.sub(r"(?<![\^_])\{\}", "", latex)
    return [t for t in TOKEN.findall(latex) if t not in INVISIBLE]


def statements(tokens):
    """Split the tokens of a display into those of its statements.

    Statements are separated by commas or by the lines of ``aligned``. A
    line that begins with a relation continues the one before, and so does
    a line that begins with a sign and holds no relation.

    Raises
    ------
    SyntaxError
        For a wide space that separates nothing.

    Examples
    --------
    >>> statements(tokenize(r"a = b, \\quad c = d"))
    [['a', '=', 'b'], ['c', '=', 'd']]
    """
    found, lines = [], _lines(tokens)
    for separator, line in lines:
        joins = separator == r"\\" and found and _continues(line)
        if joins:
            found[-1] += line
        else:
            found.append(line)
    return [line for line in found if line]


def _continues(line):
    first = line[:1]
    if first and first[0] in SUMMANDS:
        return not RELATIONS & {t for t, depth in _depths(line) if not depth}
    return bool(first) and first[0] in RELATIONS


def _depths(tokens):
    depth = 0
    for token in tokens:
        depth -= token in NESTING.values()
        yield token, depth
        depth += token in NESTING


def _lines(tokens):
    """Pairs of the separator before a line and the line."""
    lines = [("", [])]
    aligned = BEGIN in tokens
    for token, depth in _depths(tokens):
        if depth == 0 and token in (",", r"\\"):
            lines.append((token, []))
        elif not _is_dropped(token, depth, aligned, lines[-1][1]):
            lines[-1][1].append(token)
    return lines


def _is_dropped(token, depth, aligned, line):
    if token in QUADS:
        if line:
            raise SyntaxError("a wide space stands after a comma or at the"
                              f" start of a line, not after {line[-1]!r}")
        return True
    return token in (BEGIN, END) or (aligned and depth == 0 and token == "&")
