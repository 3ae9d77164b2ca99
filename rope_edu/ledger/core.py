"""The ledger: equations that are proved, tried and attacked.

An `Equation` holds the LaTeX that the page shows.  `examine` does three
things with it: it evaluates every side with SymPy and asks that the
difference simplify to zero (the proof); it evaluates every side with NumPy
at random points and compares with a `witness` computed by another route
(the trial); and it changes the LaTeX in every way that `mutants` knows and
asks that each change be noticed by both (the attack).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import sympy as sp

from ..symbolic import is_zero
from .algebra import Exact, Floating, evaluate
from .mutation import mutants
from .reader import parse
from .tokens import tokenize
from .variables import WIDTHS, PerWidth

POINTS = 1000
# Angles reach 2**20 rad; rounding them costs a few 2**20 * 2**-53 = 1e-10.
TOLERANCE = 1e-8
MUTANT_POINTS = 12
MEANINGLESS = (IndexError, ValueError, ArithmeticError, sp.ShapeError)


@dataclass(frozen=True, eq=False)
class Equation:
    """One labeled equation of the book.

    Parameters
    ----------
    label : str
        Label on the page.
    latex : str
        What the page shows.
    variables : dict
        Letter -> `variables.Kind`, or `variables.PerWidth` where the formula
        holds for every width d.
    witness : callable
        ``witness(values)`` computes the common value of the sides with
        NumPy, by a route that does not use the formula, in the shape of
        the sides; a tuple where the display holds several statements.
    source : str
        Where the equation comes from.
    meaning : callable, optional
        ``meaning(algebra, values) -> dict`` of derived names (``R``, ``f``).
    same : dict, optional
        Mutants that say the same thing -> why.
    extra : tuple of str, optional
        Wrong formulas of one's own, where the usual slips find no hold.
    lost : int, optional
        Number of this equation in the first text, whose displays were lost.
    """

    label: str
    latex: str
    variables: dict
    witness: Callable
    source: str
    meaning: Callable = lambda algebra, values: {}
    same: dict = field(default_factory=dict)
    extra: tuple = ()
    lost: int | None = None

    def __post_init__(self):
        for name in ("label", "latex", "source"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{name} must be a text, got {text!r}")

    @functools.cached_property
    def parsed(self):
        """The statements of the LaTeX: sides and relations of each."""
        return parse(tokenize(self.latex))

    @functools.cached_property
    def cases(self):
        """Letters and their kinds, once for each width if one matters."""
        if not any(isinstance(k, PerWidth) for k in self.variables.values()):
            return (self.variables,)
        return tuple(
            {name: kind.of(width) if isinstance(kind, PerWidth) else kind
             for name, kind in self.variables.items()} for width in WIDTHS)

    def values(self, algebra, values, parsed=None):
        """For each statement, the value of its sides and its relations."""
        names = values | self.meaning(algebra, values)
        return [([evaluate(n, algebra, names) for n in nodes], relations)
                for nodes, relations in parsed or self.parsed]


@dataclass(frozen=True)
class Result:
    """What `examine` found."""

    label: str
    proved: bool
    points: int
    worst: float
    caught: int
    mutants: int
    survivors: tuple = ()

    @property
    def passed(self):
        """Whether nothing was left open."""
        return (self.proved and self.worst <= TOLERANCE
                and 0 < self.caught == self.mutants)

    def __str__(self):
        mark = "✓" if self.passed else "✗"
        proof = "proved (SymPy)" if self.proved else "NOT PROVED"
        trial = (f"{self.points} random points"
                 if self.worst <= TOLERANCE else "NUMBERS DISAGREE")
        line = (f"{mark} {self.label}: {proof}, {trial}, "
                f"{self.caught} of {self.mutants} mutants caught")
        return line + "".join(f"\n  survived: {s}" for s in self.survivors)


def draw(kinds, rng, what="draw"):
    """Values for every letter: floats, or exact numbers."""
    return {name: getattr(kind, what)(rng) for name, kind in kinds.items()}


def residuals(equation, values, parsed=None):
    """Exact difference of neighboring sides, one for each relation."""
    return [_difference(a, b, relation)
            for sides, relations in equation.values(Exact, values, parsed)
            for a, b, relation in zip(sides, sides[1:], relations)]


def _difference(left, right, relation):
    if relation == r"\equiv":
        return sp.exp(sp.I * (left - right)) - 1
    return left - right


def proved(equation):
    """Whether every residual is exactly zero, at each width."""
    return all(
        is_zero(residual) for kinds in equation.cases
        for residual in residuals(equation, symbols(kinds)))


def symbols(kinds):
    """A SymPy symbol, or column of symbols, for every letter."""
    return {name: kind.symbol(name) for name, kind in kinds.items()}


def deviation(equation, values, parsed=None):
    """Largest relative distance of a side from its witness."""
    found = equation.values(Floating, values, parsed)
    targets = equation.witness(values)
    targets = targets if isinstance(targets, tuple) else (targets,)
    return _worst(_distance(side, target, relations)
                  for (sides, relations), target in zip(
                      found, targets, strict=True) for side in sides)


def _worst(distances):
    """The largest distance; NaN if one of them is NaN."""
    return float(np.max(list(distances)))


def _distance(side, target, relations):
    side, target = np.asarray(side), np.asarray(target)
    if side.shape != target.shape:
        return np.inf
    if r"\equiv" in relations:
        return _worst(np.abs(np.exp(1j * (side - target)) - 1).ravel())
    scale = max(1.0, float(np.max(np.abs(target))))
    return _worst(np.abs(side - target).ravel()) / scale


def _rng(equation):
    seed = [ord(c) for c in equation.label]
    return np.random.default_rng(seed)


def trial(equation, points=POINTS):
    """Worst deviation from the witness over random points."""
    rng, cases = _rng(equation), equation.cases
    return _worst(
        deviation(equation, draw(cases[i % len(cases)], rng))
        for i in range(points))


def caught(equation, tokens):
    """Whether proof and trial both notice a changed formula.

    A formula that has lost its meaning (an index out of range, a product
    of the wrong shapes) counts as noticed, an unknown name does not.
    """
    parsed = parse(tokens)
    if len(parsed) != len(equation.parsed):
        raise ValueError(
            f"{equation.label}: a mutant must have as many statements as the"
            f" formula, {len(equation.parsed)}, not {len(parsed)}")
    rng = _rng(equation)
    return (any(_exactly_wrong(equation, kinds, rng, parsed)
                for kinds in equation.cases)
            and any(_numerically_wrong(equation, kinds, rng, parsed)
                    for kinds in equation.cases))


def _exactly_wrong(equation, kinds, rng, parsed):
    for _ in range(3):
        values = draw(kinds, rng, "exact")
        try:
            found = residuals(equation, values, parsed)
        except MEANINGLESS:
            return True
        if any(map(_is_far_from_zero, found)):
            return True
    return False


def _is_far_from_zero(residual):
    """Decided by 30 digits, at a point of exact numbers."""
    return any(abs(complex(sp.N(entry, 30))) > 1e-12
               for entry in sp.Matrix([residual]))


def _numerically_wrong(equation, kinds, rng, parsed):
    try:
        return any(
            not deviation(equation, draw(kinds, rng), parsed)
            <= 100 * TOLERANCE for _ in range(MUTANT_POINTS))
    except MEANINGLESS:
        return True


@functools.cache
def examine(equation, points=POINTS):
    """Prove, try and attack one equation.

    Parameters
    ----------
    equation : Equation
    points : int
        Number of random points.

    Returns
    -------
    Result
    """
    if not isinstance(equation, Equation):
        raise TypeError(f"equation must be an Equation, got {equation!r}")
    if points < 1:
        raise ValueError(f"points must be positive, got {points}")
    attacks = {name: tokens for name, tokens in mutants(
        equation.latex, equation.extra) if name not in equation.same}
    survivors = tuple(name for name, tokens in attacks.items()
                      if not caught(equation, tokens))
    return Result(equation.label, proved(equation), points,
                  trial(equation, points), len(attacks) - len(survivors),
                  len(attacks), survivors)

