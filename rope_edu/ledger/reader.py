"""Read the book's LaTeX as mathematics.

The ledger does not keep a formula twice, once to show and once to run: the
LaTeX that the page shows is parsed here into a small tree, and the tree is
evaluated in an algebra (exact SymPy or floating NumPy, see `algebra`).

The language is the part of LaTeX that the book uses for formulas: sums,
juxtaposed products, ``\\frac``, powers, subscripts, ``\\cos m\\theta``,
``\\operatorname{..}``, ``pmatrix``, ``\\sum``, ``\\bigoplus``, ``\\langle``,
``\\lVert``, ``^\\top``, ``^{*}``, and ``=`` or ``\\equiv``.  Anything else is
an error, never a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"\\(?:begin|end)\{(?:pmatrix|aligned)\}"
    r"|\\(?:operatorname|mathrm|mathbf)\{[A-Za-z]+\}"
    r"|\\\\|\\[A-Za-z]+|\\[,;!|{} ]|\d+(?:\.\d+)?|[A-Za-z]|\S"
)
SPACING = {r"\,", r"\;", r"\!", r"\ ", r"\quad", r"\qquad",
           r"\left", r"\right", r"\displaystyle", r"\bigl", r"\bigr"}
FUNCTIONS = {r"\cos": "cos", r"\sin": "sin", r"\ln": "log",
             r"\arg": "arg", r"\operatorname{Re}": "re",
             r"\operatorname{Im}": "im", r"\det": "det",
             r"\operatorname{tr}": "trace",
             r"\operatorname{diag}": "diag"}
LOOPS = {r"\sum": "sum", r"\bigoplus": "direct_sum"}
ACCENTS = {r"\tilde", r"\hat", r"\bar"}
OPENERS = {"(": ")", "[": "]", r"\{": r"\}"}
CLOSERS = {")", "]", "}", r"\}", r"\rangle", r"\rVert", "&", r"\\", ",",
           r"\end{pmatrix}", "=", r"\equiv", r"\pmod", "|"}
SUMMANDS = {"+", "-"}
ALIGNED = {r"\begin{aligned}", r"\end{aligned}"}
NESTING = OPENERS | {"{": "}", r"\langle": r"\rangle",
                     r"\begin{pmatrix}": r"\end{pmatrix}"}


@dataclass(frozen=True)
class Node:
    """One operation, its operands and, for leaves, its text."""

    op: str
    args: tuple = ()
    text: str = ""


def tokenize(latex):
    """Split LaTeX into tokens, dropping spacing commands.

    Examples
    --------
    >>> tokenize(r"R_m^\\top R_n")
    ['R', '_', 'm', '^', '\\\\top', 'R', '_', 'n']
    """
    return [t for t in TOKEN.findall(latex.replace("{}", ""))
            if t not in SPACING]


def parse(tokens):
    """Parse a display into statements, each ``(sides, relations)``.

    A display may hold several statements: separated by commas, or the lines
    of ``aligned`` (a line that begins with ``=`` continues the one before).

    Examples
    --------
    >>> (sides, relations), = parse(tokenize("a = b = c"))
    >>> len(sides), relations
    (3, ['=', '='])
    >>> len(parse(tokenize("f(q,0) = q, f(k,0) = k")))
    2
    """
    return [_Parser(s).relation() for s in statements(tokens)]


def statements(tokens):
    """Split the tokens of a display into those of its statements."""
    found, depth = [[]], 0
    aligned = r"\begin{aligned}" in tokens
    for at, token in enumerate(tokens):
        depth += (token in NESTING) - (token in NESTING.values())
        if token in ALIGNED or (aligned and depth == 0 and token == "&"):
            continue
        if depth == 0 and token in (",", r"\\"):
            if not _continues(tokens, at):
                found.append([])
            continue
        found[-1].append(token)
    return [s for s in found if s]


def _continues(tokens, at):
    rest = [t for t in tokens[at + 1: at + 3] if t != "&"]
    return bool(rest) and rest[0] in {"=", r"\equiv"} | SUMMANDS


class _Parser:
    """Recursive descent, one method for each rule of the grammar."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or expected not in (None, token):
            where = " ".join(self.tokens[: self.at][-8:])
            raise SyntaxError(
                f"expected {expected or 'more'} after {where!r}, "
                f"found {token or 'the end'!r}")
        self.at += 1
        return token

    def relation(self):
        sides, relations = [self.sum()], []
        while self.peek() in ("=", r"\equiv"):
            relations.append(self.take())
            sides.append(self.sum())
        self.skip_modulus()
        if self.peek():
            raise SyntaxError(f"cannot read {self.peek()!r}")
        return sides, relations

    def skip_modulus(self):
        """``\\pmod{2\\pi}`` goes with ``\\equiv``; only 2 pi is meant."""
        if self.peek() == r"\pmod":
            self.take()
            for token in ("{", "2", r"\pi", "}"):
                self.take(token)

    def sum(self):
        node = self.signed()
        while self.peek() in SUMMANDS:
            op = "add" if self.take() == "+" else "sub"
            node = Node(op, (node, self.product()))
        return node

    def signed(self):
        if self.peek() not in SUMMANDS:
            return self.product()
        minus = self.take() == "-"
        return Node("neg", (self.product(),)) if minus else self.product()

    def product(self):
        node = self.power()
        while self.peek() and self.peek() not in CLOSERS | SUMMANDS:
            op = "mul"
            if self.peek() in (r"\odot", r"\cdot", "/"):
                op = {r"\odot": "hadamard", "/": "div"}.get(
                    self.take(), "mul")
            node = Node(op, (node, self.power()))
        return node

    def power(self):
        node = self.primary()
        while self.peek() == "^":
            self.take()
            node = self.script(node)
        return node

    def script(self, node):
        group = self.group_tokens()
        if group == [r"\top"]:
            return Node("transpose", (node,))
        if group == ["-", r"\top"]:
            return Node("transpose", (Node("inverse", (node,)),))
        if group in (["*"], [r"\ast"]):
            return Node("conjugate", (node,))
        return Node("power", (node, _Parser(group).whole()))

    def group_tokens(self):
        """The tokens of ``{...}``, or the single next token."""
        if self.peek() != "{":
            return [self.take()]
        start, depth = self.at, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start + 1: self.at - 1]

    def whole(self):
        node = self.sum()
        if self.peek():
            raise SyntaxError(f"cannot read {self.peek()!r}")
        return node

    def primary(self):
        token = self.take()
        if token in FUNCTIONS:
            return self.function(FUNCTIONS[token])
        if token in LOOPS:
            return self.loop(LOOPS[token])
        if token in OPENERS:
            return self.closed(self.sum(), OPENERS[token])
        special = {r"\frac": self.fraction, r"\tfrac": self.fraction,
                   r"\sqrt": self.root, r"\lVert": self.norm, "|": self.bar,
                   r"\langle": self.inner, r"\begin{pmatrix}": self.matrix}
        if token in special:
            return special[token]()
        if token[0].isdigit():
            return Node("number", text=token)
        return self.name(token)

    def closed(self, node, closer):
        self.take(closer)
        return node

    def fraction(self):
        over, under = self.group_tokens(), self.group_tokens()
        return Node("div", (_Parser(over).whole(), _Parser(under).whole()))

    def root(self):
        return Node("sqrt", (_Parser(self.group_tokens()).whole(),))

    def norm(self):
        return self.closed(Node("norm", (self.sum(),)), r"\rVert")

    def bar(self):
        return self.closed(Node("modulus", (self.sum(),)), "|")

    def inner(self):
        left = self.sum()
        self.take(",")
        return self.closed(Node("inner", (left, self.sum())), r"\rangle")

    def matrix(self):
        rows = [[self.sum()]]
        while self.peek() in ("&", r"\\"):
            new_row = self.take() == r"\\"
            if new_row:
                rows.append([])
            rows[-1].append(self.sum())
        return self.closed(
            Node("matrix", tuple(map(tuple, rows))), r"\end{pmatrix}")

    def function(self, op):
        exponent = None
        if self.peek() == "^":
            self.take()
            exponent = _Parser(self.group_tokens()).whole()
        node = Node(op, (self.argument(),))
        return Node("power", (node, exponent)) if exponent else node

    def argument(self):
        """``\\cos(x)`` takes the bracket, ``\\cos m\\theta`` the product."""
        if self.peek() in OPENERS:
            return self.primary()
        stop = CLOSERS | SUMMANDS | set(FUNCTIONS) | {r"\odot", r"\cdot"}
        node = self.power()
        while self.peek() and self.peek() not in stop | {"("}:
            node = Node("mul", (node, self.power()))
        return node

    def loop(self, op):
        self.take("_")
        index, start = _split(self.group_tokens(), "=")
        self.take("^")
        stop = _Parser(self.group_tokens()).whole()
        body = self.product()
        return Node(op, (_Parser(start).whole(), stop, body), index[0])

    def name(self, token):
        if not (token.isalpha() or re.fullmatch(r"\\[A-Za-z]+(\{\w+\})?",
                                                token)):
            raise SyntaxError(f"cannot read {token!r}")
        if token in ACCENTS:
            token += "".join(self.group_tokens())
        subs = self.subscripts()
        text = token + (f"_{subs[1]}" if subs else "")
        return Node("name", (subs[0] if subs else (), self.call()), text)

    def subscripts(self):
        if self.peek() != "_":
            return None
        self.take()
        tokens = self.group_tokens()
        parts = tuple(_Parser(p).whole() for p in _commas(tokens))
        return parts, "".join(tokens)

    def call(self):
        """Arguments, if the name is followed by ``(``; else None.

        Whether ``f(q)`` is a call or a product is settled by what `f`
        means, at evaluation.
        """
        if self.peek() != "(":
            return None
        self.take("(")
        args = [self.sum()]
        while self.peek() == ",":
            self.take()
            args.append(self.sum())
        return self.closed(tuple(args), ")")


def _split(tokens, mark):
    at = tokens.index(mark)
    return tokens[:at], tokens[at + 1:]


def _commas(tokens):
    """Split at commas outside brackets: ``f(q,m),n`` has two parts."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
