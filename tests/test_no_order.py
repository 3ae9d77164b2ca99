"""Chapter 1: its ledger's orders, its figures and its exercises."""

from itertools import permutations, product

import numpy as np
import pytest
import sympy as sp

from rope_edu import exercises
from rope_edu.figures import order
from rope_edu.ledger import attention

ORDERS = {tuple(p) for p in permutations(range(3))}


def as_order(matrix):
    """Return which old row stands in each new one."""
    matrix = np.array(matrix.tolist(), dtype=int)
    assert (matrix.sum(0) == 1).all() and (matrix.sum(1) == 1).all()
    return tuple(matrix.argmax(axis=1).tolist())


def test_one_symbol_stands_for_every_order():
    """A proof with it is a proof for all six."""
    matrix = attention.ORDER.symbol("P")
    switches = [sp.Symbol(f"P_{i}", integer=True) for i in range(3)]
    found = [as_order(matrix.subs(dict(zip(switches, on))))
             for on in product((0, 1), repeat=3)]
    assert set(found) == ORDERS


def test_two_orders_make_all_others():
    """What holds for both holds for all products of them."""
    makers = [attention.MAKERS.of(width).symbol("P") for width in (4, 6)]
    found = {sp.ImmutableMatrix(sp.eye(3))}
    for _ in range(4):
        found |= {sp.ImmutableMatrix(a * b) for a in makers for b in found}
    assert {as_order(matrix) for matrix in found} == ORDERS


def test_figures_see_what_differs():
    """The alt texts are computed, not promised."""
    words = ["a", "b", "a"]
    assert "no two" in order.strips("ab", [[1, 2], [2, 1]]).alt
    assert "0 of them" in order.swap(words, words).alt
    assert "2 of them" in order.swap(words, ["b", "a", "a"]).alt
    tables = [(["a", "b"], [[0.9, 0.1], [0.4, 0.6]]),
              (["b", "a"], [[0.5, 0.5], [0.1, 0.9]])]
    assert "same numbers: False" in order.shuffled(tables).alt


def attend(X, W_q, W_k, W_v, axis=1, root=0.5, bare=False):
    """Return the answer to exercise 1.1, or one with a slip."""
    scores = (X @ W_q.T) @ (X @ W_k.T).T / X.shape[1] ** root
    weights = np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True)
    return weights @ (X if bare else X @ W_v.T)


@pytest.mark.parametrize("answer, told", [
    (attend, None),
    (lambda *a: attend(*a, axis=0), "columns of the weights"),
    (lambda *a: attend(*a, root=0), "not divided by the root"),
    (lambda *a: attend(*a, root=1), "divided by d"),
    (lambda *a: attend(*a, bare=True), "not over the values"),
    (lambda X, q, k, v: attend(X, k, q, v), "exchanged"),
    (lambda X, q, k, v: attend(X, q.T, k.T, v.T), "transpose"),
    (lambda X, q, k, v: X @ v.T, "some row"),
    (lambda X, q, k, v: attend(X, q * np.sqrt(X.shape[1] / 8), k, v), "root of 8"),
])
def test_attention_by_hand(answer, told):
    """Exercise 1.1: each slip has its own words."""
    assert_told("1.1", answer, told)


@pytest.mark.parametrize("answer, told", [
    ("ABCDG", None), ("g, d, c, b, a", None), ("ABCDEG", "in E"),
    ("ABCDFG", "in F"), ("BCDG", "may look everywhere"),
    ("ACDG", '"chases"'), ("ABDG", "first token"), ("ABCD", "first token"),
    ("ABCG", "one causal layer"), ("AZ", "A to G"),
])
def test_which_vectors_are_the_same(answer, told):
    """Exercise 1.2."""
    assert_told("1.2", answer, told)


Z, V = sp.symbols("z_:3", real=True), sp.symbols("v_:3", real=True)
POWERS = [sp.exp(z) for z in Z]
SUMMED = sum(p * v for p, v in zip(POWERS, V))


@pytest.mark.parametrize("answer, told", [
    (SUMMED / sum(POWERS), None),
    (SUMMED, "mean of the three"),
    (SUMMED / 3, "divided by the sum"),
    (sum(V) / 3, "some weight"),
    ((SUMMED - POWERS[0] * (V[0] - V[1])) / sum(POWERS), "mean of the three"),
    (sum(V) / 3 + (Z[0] - Z[1]) * V[2], "change places"),
])
def test_the_last_token_sees_a_bag(answer, told):
    """Exercise 1.3."""
    assert_told("1.3", answer, told)


@pytest.mark.parametrize("answer, told", [
    ((1.0, 0.0, lambda y: 1 / y - 1), None),
    ((0, 2, lambda y: y / (2 - y)), None),
    ((1e-9, 0, lambda y: 1e-9 / y - 1), None),
    ((1, 1, lambda y: 0), "equal values"),
    ((1.0, 0.0, lambda y: 1 / y), "CLS stands at 0"),
    ((1.0, 0.0, lambda y: y), "place 0 is read as 1"),
    ((1.0, 0.0, lambda y: 1 - y), "place 1 is not read back"),
    ((1.0, 0.0), "a function"),
])
def test_a_head_that_counts(answer, told):
    """Exercise 1.4: any two different values will do."""
    assert_told("1.4", answer, told)


def assert_told(number, answer, told):
    """Pass if the verdict is this, or none where None is wanted."""
    found = exercises.verdict(number, answer)
    assert found is None if told is None else told in str(found), found
