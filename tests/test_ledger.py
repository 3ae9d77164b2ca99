"""The ledger: entries hold, pages show them, and the examiner can fail."""

import contextlib
import dataclasses
import re

import numpy as np
import pytest
import sympy as sp
from book import SOURCES, Chapter, directives, equations

from rope_edu import ledger
from rope_edu.ledger import core, mutation
from rope_edu.ledger.algebra import (
    Exact, Family, Floating, Powers, evaluate)
from rope_edu.ledger.reader import parse
from rope_edu.ledger.tokens import tokenize
from rope_edu.ledger.variables import POSITION, REAL, constant, vector

ENTRIES = ledger.equations()
each_entry = pytest.mark.parametrize(
    "entry", ENTRIES.values(), ids=ENTRIES.keys()
)


def squeezed(latex):
    """Return LaTeX without white space and empty groups."""
    return re.sub(r"\s+|\{\}", "", latex)


def shown():
    """Return (label, LaTeX) of every labeled equation of the pages."""
    return [
        equation
        for path in SOURCES
        for equation in equations(Chapter(path).prose)
    ]


# Entries and pages


@each_entry
def test_entry_holds(entry):
    """Proved, tried at 1000 points, every mutant caught."""
    result = ledger.examine(entry)
    assert result.passed, str(result)
    assert result.points == 1000


@each_entry
def test_excused_mutants_say_the_same(entry):
    """A mutant may be let off only if it is provably the same equation."""
    found = dict(mutation.mutants(entry.latex, entry.extra))
    for name, reason in entry.same.items():
        assert reason
        for kinds in entry.cases:
            residuals = core.residuals(
                entry, core.symbols(kinds), parse(found[name])
            )
            assert all(map(core.is_zero, residuals)), name


@each_entry
def test_entry_is_shown_once(entry):
    """An entry that no page shows is dead; one shown twice is ambiguous."""
    assert [label for label, _ in shown()].count(entry.label) == 1
    assert entry.source


@pytest.mark.parametrize("label, latex", shown())
def test_page_shows_the_entry(label, latex):
    """What is read is what was proved."""
    assert label in ENTRIES, f"{label} is not in the ledger"
    assert squeezed(latex) == squeezed(ENTRIES[label].latex)


def test_no_equation_takes_another_door():
    """Only `$$ .. $$ (label)` is compared, so nothing else may be shown."""
    for path in SOURCES:
        names = [name for name, _ in directives(Chapter(path).prose)]
        assert "math" not in names
        assert r"\begin{equation" not in Chapter(path).prose


def test_fourteen_equations_were_lost():
    """All displays of the first text are back, each once."""
    numbers = sorted(e.lost for e in ENTRIES.values() if e.lost)
    assert numbers == list(range(1, 15))


# The examiner


def changed(label, **fields):
    """Return the result for an entry with some fields changed."""
    return core.examine(dataclasses.replace(ENTRIES[label], **fields), 20)


def test_wrong_formula_fails_proof_and_trial():
    """A flipped sign must not get through anywhere."""
    result = changed("relative-2d", latex=r"R_m^\top R_n = R_{m-n}")
    assert not result.proved
    assert result.worst > core.TOLERANCE
    assert not result.passed
    assert "NOT PROVED" in str(result) and "DISAGREE" in str(result)


def test_wrong_witness_fails_the_trial():
    """The numbers come from another route, and it counts."""
    result = changed("norm-2d", witness=lambda v: 1.0)
    assert result.proved
    assert not result.passed


def test_formula_that_cannot_be_wrong_is_refused():
    """Where g is constant, no sign in its argument can be noticed."""
    entry = core.Equation(
        "hollow", r"g(m - n) = 1", {"m": POSITION, "n": POSITION},
        lambda v: 1.0, "this test",
        meaning=lambda algebra, v: {"g": lambda offset: algebra.number(1)},
    )
    result = core.examine(entry, 20)
    assert result.proved and result.worst == 0
    assert "- to + (1)" in result.survivors
    assert not result.passed


def test_nan_is_no_agreement():
    """NaN compares with nothing, and must not pass for small."""
    result = changed("norm-2d", witness=lambda v: np.nan)
    assert not result.passed
    late = iter([1.0] * 5)
    entry = core.Equation(
        "late", r"1 = 1", {}, lambda v: next(late, np.nan), "this test")
    assert not core.trial(entry, 20) <= core.TOLERANCE


def test_shapes_must_agree():
    """A number is not compared with every entry of a matrix."""
    assert not changed("orthogonal-2d", witness=lambda v: (1.0, 1.0)).passed


def test_unknown_name_in_a_mutant_is_a_mistake():
    """A typing error is not an attack."""
    with pytest.raises(NameError):
        changed("norm-2d", extra=(r"\lVert y \rVert = 1",))


@pytest.mark.parametrize("label, wrong", [
    ("inverse-frequency", r"\theta_i = b^{-i/(d-4)}"),
    ("longest-wavelength", r"\lambda_{d/2-1} = 2\pi\, b^{(d+4)/(2 d)}"),
    ("trace", r"\operatorname{tr}(R_r R_r^\top) = d^2 / 6"),
    ("block-diagonal", r"R_m = \bigoplus_{i=0}^{d-3} \begin{pmatrix}"
     r" \cos m\theta_i & -\sin m\theta_i \\"
     r" \sin m\theta_i & \cos m\theta_i \end{pmatrix}"),
])
def test_one_width_is_not_every_width(label, wrong):
    """Formulas that are right by chance at d = 4, 6 or 8."""
    with contextlib.suppress(*core.MEANINGLESS):
        assert not changed(label, latex=wrong).passed


@pytest.mark.parametrize("call, error", [
    (lambda: ledger.check(), ValueError),
    (lambda: ledger.get(["wish"]), TypeError),
    (lambda: ledger.examine("wish"), TypeError),
    (lambda: ledger.examine(ENTRIES["wish"], 0), ValueError),
    (lambda: changed("wish", latex=""), ValueError),
    (lambda: dataclasses.replace(ENTRIES["wish"], label=None), ValueError),
])
def test_misuse_is_answered_kindly(call, error):
    """The argument is named."""
    with pytest.raises(error, match="label|equation|points|latex"):
        call()


def test_survivors_are_named():
    """A symmetric formula is not caught when m and n are exchanged."""
    result = changed("sum-2d", same={})
    assert not result.passed
    assert "survived: swap m, n in side 1" in str(result)


def test_formula_without_mutants_is_refused():
    """No attack, no mark."""
    entry = core.Equation(
        "bare", r"x = x", {"x": REAL}, lambda v: v["x"], "this test"
    )
    assert not core.examine(entry, 20).passed


def test_mutant_of_another_length_is_refused():
    """It would be caught for the wrong reason."""
    with pytest.raises(ValueError, match="as many statements"):
        changed("group-law", extra=(r"R_m R_n = R_{m-n}",))


def test_check_raises_on_failure(monkeypatch):
    """The notebook must stop at a false equation."""
    entry = dataclasses.replace(
        ENTRIES["transpose-2d"], latex=r"R_m^\top = R_m"
    )
    monkeypatch.setattr(ledger, "get", lambda label: entry)
    with pytest.raises(AssertionError, match="NOT PROVED"):
        ledger.check("transpose-2d")


def test_unknown_label_names_neighbors():
    """A misspelt label is answered with the right one."""
    with pytest.raises(ValueError, match="relative-2d"):
        ledger.get("relativ-2d")


def test_points_are_large_and_of_both_signs():
    """The random positions reach what the book claims they reach."""
    rng = np.random.default_rng(0)
    drawn = np.array([POSITION.draw(rng) for _ in range(1000)])
    assert drawn.min() < -(2**19) and drawn.max() > 2**19
    assert (np.abs(drawn) <= 16).sum() > 200


# The reader

VALUES = {
    "x": 1.5, "y": -0.5, "m": 3, "n": 7, "z": 2 + 1j,
    "w": np.array([[1.0], [2.0], [4.0]]), "A": np.eye(2),
    r"\theta": Family(lambda i: 10.0 ** (-i)),
    "f": lambda a, b=0: a - 2 * b,
    "O": Powers(lambda power: 2.0**power),
}


@pytest.mark.parametrize(
    "latex, expected",
    [
        (r"x + y - 2", -1.0),
        (r"-x + y", -2.0),
        (r"2 x y", -1.5),
        (r"x(y + 1)", 0.75),
        (r"\frac{x}{y}", -3.0),
        (r"x / y", -3.0),
        (r"x^2 y^{3}", -0.28125),
        (r"\sqrt{x + x + 1}", 2.0),
        (r"\cos m\theta_1 + 1", np.cos(0.3) + 1),
        (r"x \cos m\theta_1 \sin x", 1.5 * np.cos(0.3) * np.sin(1.5)),
        (r"\cos^2 x", np.cos(1.5) ** 2),
        (r"f(x, y)", 2.5),
        (r"f(m - n, 1)", -6),
        (r"m(n - 1)^2", 108),
        (r"f(n)^2", 49),
        (r"x(y + 1)^2 y", -0.1875),
        (r"z(z)^{*}", 5),
        (r"(z z)^*", 3 - 4j),
        (r"-x^2", -2.25),
        (r"2 x n^2", 147),
        (r"2n/m", 14 / 3),
        (r"\cos x\, y", -0.5 * np.cos(1.5)),
        (r"\cos(x)\, y", -0.5 * np.cos(1.5)),
        (r"\cos \frac{1}{2} m\theta_0", np.cos(1.5)),
        (r"w_{m-1}", 4),
        (r"\sum_{i=1}^{0} \theta_i", 0),
        (r"O^{n-m}", 16.0),
        (r"\sum_{i=0}^{2} \theta_i", 1.11),
        (r"\lVert x - 2 \rVert", 0.5),
        (r"|y|", 0.5),
        (r"\operatorname{Re}[e^{\mathrm{i}\pi} x]", -1.5),
        (r"\det \begin{pmatrix} x & 1 \\ 2 & y \end{pmatrix}", -2.75),
        (r"\begin{pmatrix} 1 & 2 \end{pmatrix}"
         r" \begin{pmatrix} x \\ y \end{pmatrix}", 0.5),
        (r"\langle x, y \rangle", -0.75),
    ],
)
def test_reader_computes(latex, expected):
    """LaTeX means what a reader takes it to mean."""
    [([side], _)] = parse(tokenize(latex))
    assert np.isclose(evaluate(side, Floating, VALUES), expected)


UNREADABLE = [
    r"\frac{x}", r"(x", r"x)", r"\langle x", r"x + ",
    r"\begin{pmatrix} x", r"\sum_{i=0} x", "x ? y", r"\sqrt[3]{x}", "x'",
]
AMBIGUOUS = [
    r"\frac12", r"\frac{1}23", r"x^23", r"\sqrt12", r"w_12", "2 3", r"x^{}y",
    r"x^2^3", r"\cos(x) y", r"\cos 2(x + y)", r"\cos\frac{1}{2}(x + y)",
    r"\cos^{-1} x", r"\cos x / 2", "x/2 y", "x/m(n + 1)", r"x \qquad y",
    r"\begin{pmatrix} x \\[1em] y \end{pmatrix}", r"\sum_{i,m=0}^{1} x",
    r"\sum_{2i=0}^{4} x", r"m \equiv n", r"m = n \pmod{2\pi}",
    r"m \equiv n \pmod{\pi}",
]
MISUSED = [
    r"x \le y", r"x + \dots",
    r"w_{-1}", r"w_{3}", r"w_{m/2}", r"w_{0,1}", r"\sum_{i=0}^{m/2} x",
    r"A^{m/2}", r"A^{*}", r"f^2(x)", r"f_x", r"\theta^2", r"\theta", r"O_m",
    "O", "f", "unknown", r"x_m",
]


@pytest.mark.parametrize("latex", UNREADABLE + AMBIGUOUS + MISUSED)
def test_reader_refuses_what_it_cannot_read(latex):
    """No guess: half-read LaTeX would be a half-checked formula."""
    with pytest.raises((SyntaxError, NameError, IndexError, ValueError,
                        TypeError)):
        for sides, _ in parse(tokenize(latex)):
            for side in sides:
                evaluate(side, Floating, VALUES)


@pytest.mark.parametrize("latex", UNREADABLE + AMBIGUOUS)
def test_what_has_two_readings_is_refused_by_the_parser(latex):
    """Before any meaning is known."""
    with pytest.raises(SyntaxError):
        parse(tokenize(latex))


@pytest.mark.parametrize("display, count", [
    (r"m - n = m, -n = m - n", 2),
    (r"\begin{aligned} x &= y + m \\ -y &= m \end{aligned}", 2),
    (r"\begin{aligned} x &= y \\ &\quad + m \end{aligned}", 1),
    (r"\begin{aligned} x &= y \\ &= m \end{aligned}", 1),
])
def test_a_minus_may_begin_a_statement(display, count):
    """A line that begins with a sign continues unless it relates."""
    assert len(parse(tokenize(display))) == count


def test_statements_of_a_display():
    """Lines of `aligned` that begin with = continue the line before."""
    display = (r"\begin{aligned} a &= b \\ &= c \\ d &= e \end{aligned},"
               r" \qquad x = y")
    found = parse(tokenize(display))
    assert [len(sides) for sides, _ in found] == [3, 2, 2]


@pytest.mark.parametrize("latex", [
    r"q^\top k", r"\lVert q \rVert", r"q \odot k", r"q^\top (k - 2 q)",
    r"\frac{q^\top k}{3}", r"\sum_{j=0}^{d-1} q_j k_j",
])
def test_both_algebras_agree(latex):
    """The exact and the floating reading are the same function."""
    rng = np.random.default_rng(1)
    kinds = {"q": vector(4), "k": vector(4), "d": constant(4)}
    exact = {name: kind.exact(rng) for name, kind in kinds.items()}
    floats = {
        name: np.array(value, dtype=float) if name != "d" else 4.0
        for name, value in exact.items()
    }
    [([side], _)] = parse(tokenize(latex))
    found = evaluate(side, Exact, exact)
    found = np.array(sp.Matrix([found]).evalf(), dtype=float)
    wanted = np.atleast_1d(evaluate(side, Floating, floats))
    assert np.allclose(found.ravel(), wanted.ravel(), rtol=1e-12)


def test_every_kind_of_slip_is_made():
    """Mutation makes sign, function, transpose, swap and number slips."""
    latex = r"R_m^\top R_n^{*} q = \cos(m - n) + \sin 2 k q"
    names = {name.split(" (")[0] for name, _ in mutation.mutants(latex)}
    assert {"- to +", "+ to -", r"\cos to \sin", r"\sin to \cos",
            "drop ^⊤", "drop ^*", "2 to 3", "swap m, n in side 1",
            "swap m, n in side 2", "swap q, k in side 2"} <= names
