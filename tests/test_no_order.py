"""Chapter 1: its ledger's orders and its figures."""

from itertools import permutations, product

import numpy as np
import sympy as sp

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
