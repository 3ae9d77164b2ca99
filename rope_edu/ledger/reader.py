"""Read the book's LaTeX as mathematics.

The ledger does not keep a formula twice, once to show and once to run: the
LaTeX that the page shows is parsed here into a small tree, and the tree is
evaluated in an algebra (exact SymPy or floating NumPy, see `algebra`).

The language is the part of LaTeX that the book uses for formulas: sums,
juxtaposed products, ``\\frac``, powers, subscripts, ``\\cos m\\theta``,
``\\operatorname{..}``, ``pmatrix``, ``\\sum``, ``\\bigoplus``, ``\\langle``,
``\\lVert``, ``^\\top``, ``^{*}``, and ``=`` or ``\\equiv``.  Anything else,
and anything that a reader could take in two ways, is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tokens import OPENERS, SUMMANDS, THIN, statements

FUNCTIONS = {r"\cos": "cos", r"\sin": "sin", r"\ln": "log",
             r"\arg": "arg", r"\operatorname{Re}": "re",
             r"\operatorname{Im}": "im", r"\det": "det",
             r"\operatorname{tr}": "trace",
             r"\operatorname{diag}": "diag"}
LOOPS = {r"\sum": "sum", r"\bigoplus": "direct_sum"}
ACCENTS = {r"\tilde", r"\hat", r"\bar", r"\dot"}
PRODUCTS = {r"\odot": "hadamard", r"\cdot": "mul"}
CLOSERS = {")", "]", "}", r"\}", r"\rangle", r"\rVert", "&", r"\\", ",",
           r"\end{pmatrix}", "=", r"\equiv", r"\pmod", "|"}
NAME = re.compile(r"[A-Za-z]|\\[A-Za-z]+(\{\w+\})?")
# Commands and letters that are no factor of a function's argument.
NO_ARGUMENT = {"e", r"\sqrt", r"\lVert", r"\langle", r"\begin{pmatrix}",
               *FUNCTIONS, *LOOPS, *PRODUCTS, *CLOSERS}
FRACTIONS = {r"\frac", r"\tfrac"}


@dataclass(frozen=True)
class Node:
    """One operation, its operands and, for leaves, its text."""

    op: str
    args: tuple = ()
    text: str = ""


def parse(tokens):
    """Parse a display into statements, each ``(sides, relations)``.

    Raises
    ------
    SyntaxError
        If the tokens are not of the language, or may be read in two ways.

    Examples
    --------
    >>> from rope_edu.ledger.tokens import tokenize
    >>> (sides, relations), = parse(tokenize("a = b = c"))
    >>> len(sides), relations
    (3, ['=', '='])
    >>> len(parse(tokenize("f(q,0) = q, f(k,0) = k")))
    2
    """
    return [_Parser(s).relation() for s in statements(tokens)]


class _Parser:
    """Recursive descent, one method for each rule of the grammar."""

    def __init__(self, tokens):
        self.tokens, self.at = list(tokens), 0

    def thin(self):
        return self.tokens[self.at: self.at + 1] == [THIN]

    def peek(self):
        rest = (t for t in self.tokens[self.at:] if t != THIN)
        return next(rest, "")

    def take(self, expected=None):
        token = self.peek()
        if not token or expected not in (None, token):
            self.refuse(f"expected {expected or 'more'},"
                        f" found {token or 'the end'!r}")
        self.at = self.tokens.index(token, self.at) + 1
        return token

    def refuse(self, why):
        where = " ".join(self.tokens[: self.at][-8:])
        raise SyntaxError(f"{why}, after {where!r}")

    def relation(self):
        sides, relations = [self.sum()], []
        while self.peek() in ("=", r"\equiv"):
            relations.append(self.take())
            sides.append(self.sum())
        if self.modulus() != (r"\equiv" in relations):
            self.refuse(r"\equiv and \pmod{2\pi} go together")
        if self.peek():
            self.refuse(f"cannot read {self.peek()!r}")
        return sides, relations

    def modulus(self):
        """Whether ``\\pmod{2\\pi}`` follows; no other modulus is read."""
        if self.peek() != r"\pmod":
            return False
        for token in (r"\pmod", "{", "2", r"\pi", "}"):
            self.take(token)
        return True

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
            if self.peek() == "/":
                return self.slashed(node)
            op = PRODUCTS.get(self.peek())
            if op:
                self.take()
            node = Node(op or "mul", (node, self.power()))
        return node

    def slashed(self, over):
        """``2i/d``: the slash comes last and takes one plain factor."""
        self.take("/")
        under = self.power()
        if under.op == "either" or self.starts_factor():
            self.refuse("what does the slash divide by? use \\frac")
        return Node("div", (over, under))

    def power(self):
        node = self.primary()
        if node.op == "name" and self.peek() == "(":
            return self.called(node)
        return self.scripted(node, self.script())

    def called(self, name):
        """``f(x)`` or the product ``a(x)``: the meaning of the name tells.

        A script belongs to the value of the function, but in a product to
        the bracket alone.
        """
        arguments, script = self.arguments(), self.script()
        call = self.scripted(Node("call", (name, *arguments)), script)
        if len(arguments) > 1:
            return call
        factor = self.scripted(arguments[0], script)
        return Node("either", (name, call, Node("mul", (name, factor))))

    def arguments(self):
        self.take("(")
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        self.take(")")
        return found

    def script(self):
        """The tokens of one exponent, or None."""
        if self.peek() != "^":
            return None
        self.take()
        group = self.group_tokens()
        if self.peek() == "^":
            self.refuse("one exponent on another: use brackets")
        return group

    def scripted(self, node, group):
        if group is None:
            return node
        if group == [r"\top"]:
            return Node("transpose", (node,))
        if group == ["-", r"\top"]:
            return Node("transpose", (Node("inverse", (node,)),))
        if group == ["*"]:
            return Node("conjugate", (node,))
        return Node("power", (node, _Parser(group).whole()))

    def group_tokens(self):
        """The tokens of ``{...}``, or the single next token."""
        if self.peek() != "{":
            token = self.take()
            if len(token) > 1 and token[0].isdigit():
                self.refuse(f"TeX takes one digit of {token}: use braces")
            return [token]
        start, depth = self.tokens.index("{", self.at), 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if depth == 0:
                return self.tokens[start + 1: self.at - 1]

    def whole(self):
        node = self.sum()
        if self.peek():
            self.refuse(f"cannot read {self.peek()!r}")
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
        return self.number(token) if token[0].isdigit() else self.name(token)

    def number(self, token):
        if self.peek()[:1].isdigit():
            self.refuse("two numbers side by side")
        return Node("number", text=token)

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
            if self.take() == r"\\":
                rows.append([])
            if self.peek() == "[":
                self.refuse("no space after a row")
            rows[-1].append(self.sum())
        return self.closed(
            Node("matrix", tuple(map(tuple, rows))), r"\end{pmatrix}")

    def function(self, op):
        exponent = self.script()
        if exponent and not "".join(exponent).isdigit():
            self.refuse("a function is raised to a whole number only")
        node = Node(op, (self.argument(),))
        return self.scripted(node, exponent)

    def argument(self):
        """``\\cos(x)`` takes the bracket, ``\\cos m\\theta`` the factors."""
        if self.peek() in OPENERS or self.peek() == r"\begin{pmatrix}":
            node = self.primary()
            if not self.thin() and self.starts_factor():
                self.refuse("put the whole argument into the bracket")
            return node
        node = self.power()
        while (not self.thin() and self.starts_factor()
               and self.peek() not in OPENERS):
            node = Node("mul", (node, self.power()))
        if self.thin():
            return node
        if node.op == "either" or self.peek() in {"/", *OPENERS}:
            self.refuse("put the whole argument into a bracket")
        return node

    def starts_factor(self):
        token = self.peek()
        plain = token[:1].isdigit() or token in FRACTIONS | set(OPENERS)
        named = bool(NAME.fullmatch(token)) and token not in NO_ARGUMENT
        return plain or named

    def loop(self, op):
        self.take("_")
        index, equals, *start = self.group_tokens()
        if equals != "=" or not re.fullmatch("[a-z]", index):
            self.refuse("a sum runs over one letter, from i=..")
        stop = self.script() or self.refuse("a sum needs an end")
        body = self.product()
        return Node(op, (_Parser(start).whole(), _Parser(stop).whole(), body),
                    index)

    def name(self, token):
        if not NAME.fullmatch(token):
            self.refuse(f"cannot read {token!r}")
        if token in ACCENTS:
            token += "".join(self.group_tokens())
        subs = self.subscripts()
        text = token + (f"_{subs[1]}" if subs else "")
        return Node("name", subs[0] if subs else (), text)

    def subscripts(self):
        if self.peek() != "_":
            return None
        self.take()
        tokens = self.group_tokens()
        parts = tuple(_Parser(p).whole() for p in _commas(tokens))
        return parts, "".join(tokens)


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
