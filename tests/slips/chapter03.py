"""Chapter 3: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp


def by_entries(index):
    """Return an answer to 3.1 that looks up `index(m, n, S)`."""
    return lambda b, S: np.array(
        [[b[index(m, n, S)] for n in range(S)] for m in range(S)])


m, n = sp.symbols("m n")
U, V = [m**2, -2 * m, 1], [1, n, n**2]

RIGHT = [
    ("3.1", by_entries(lambda m, n, S: n - m + S - 1)),
    ("3.1", lambda b, S: [b[S - 1 - m:2 * S - 1 - m].tolist() for m in range(S)]),
    ("3.2", "AE"),
    ("3.2", "A, e"),
    ("3.3", (U, V)),
    ("3.3", ([1, m, m**2], [n**2, -2 * n, 1])),
    ("3.3", [sp.Matrix(U), np.array(V)]),
    ("3.3", sp.Matrix([U, V]).subs(m, sp.Symbol("m", integer=True)).tolist()),
]

SLIPS = [
    ("3.1", by_entries(lambda m, n, S: m - n + S - 1), "mirrored"),
    ("3.1", by_entries(lambda m, n, S: n + m), "n + m"),
    ("3.1", by_entries(lambda m, n, S: n - m), "in the middle of b"),
    ("3.1", by_entries(lambda m, n, S: abs(n - m) + S - 2), "row 0"),
    ("3.1", by_entries(lambda m, n, S: abs(n - m) + S - 1), "n - m is negative"),
    ("3.1", by_entries(lambda m, n, S: n - m + S - 1 - (m > n)), "below the middle"),
    ("3.1", by_entries(lambda m, n, S: n + S - 1), "diagonal is not constant"),
    ("3.2", "A", "one more"),
    ("3.2", "ABE", "in B"),
    ("3.2", "CE", "in C"),
    ("3.2", "DE", "in D"),
    ("3.2", "AF", "from A to E"),
    ("3.2", ["A", "E"], "letters are wanted"),
    ("3.3", ([-x for x in U], V), "sign"),
    ("3.3", ([m**2, 2 * m, 1], V), "square of n + m"),
    ("3.3", ([m**2, 0, 1], V), "mixed term of the square is missing"),
    ("3.3", ([m**2, -m, 1], V), "only once"),
    ("3.3", ([-m, 1, 0], [1, n, 0]), "offset and not its square"),
    ("3.3", ([m, -1, 0], [1, n, 0]), "offset and not its square"),
    ("3.3", ([(n - m) ** 2, 0, 0], [1, 0, 0]), "m only"),
    ("3.3", ([m**2, -2 * m], [1, n]), "three"),
    ("3.3", ([m, 1], [n]), "as many"),
    ("3.3", ([m, 1, 1], [n, 1, 1]), "not the square"),
]
