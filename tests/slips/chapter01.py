"""Chapter 1: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp
import torch


def rows(E):
    """Divide each row by its sum."""
    return E / E.sum(axis=1, keepdims=True)


def attend(X, W_q, W_k, W_v, share=rows, root=0.5, bare=False):
    """Return the answer to exercise 1.1, or one with a slip."""
    scores = (X @ W_q.T) @ (X @ W_k.T).T / X.shape[1] ** root
    return share(np.exp(scores)) @ (X if bare else X @ W_v.T)


def attend_in_torch(*tables):
    """Return the answer to exercise 1.1, with the means of the chapter."""
    X, *W = (torch.tensor(table) for table in tables)
    q, k, v = ((X @ matrix.T)[None] for matrix in W)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)[0]


def slip(**options):
    """Return an answer to exercise 1.1 with this slip."""
    return lambda *tables: attend(*tables, **options)


Z, V = sp.symbols("z_:3", real=True), sp.symbols("v_:3", real=True)
POWERS = [sp.exp(z) for z in Z]
LETTERS = [sp.Symbol(x.name) for x in (*Z, *V)]


def weigh(weights):
    """Return the sum of the weighted values."""
    return sum(w * v for w, v in zip(weights, V))


SUMMED = weigh(POWERS)
LAST = SUMMED / sum(POWERS)

RIGHT = [
    ("1.1", attend),
    ("1.1", lambda *tables: attend(*tables).tolist()),
    ("1.1", slip(share=lambda E: rows(E / E.max(axis=1, keepdims=True)))),
    ("1.1", attend_in_torch),
    ("1.2", "ABCDG"),
    ("1.2", "g, d, c, b, a"),
    ("1.3", LAST),
    ("1.3", LAST.subs(dict(zip((*Z, *V), LETTERS)))),
    # The best score taken off, as programs do.
    ("1.3", weigh(p / POWERS[0] for p in POWERS)
     / sum(p / POWERS[0] for p in POWERS)),
    ("1.4", (1.0, 0.0, lambda y: 1 / y - 1)),
    ("1.4", (0, 2, lambda y: y / (2 - y))),
    ("1.4", (1e-9, 0, lambda y: 1e-9 / y - 1)),
    ("1.4", [sp.Integer(1), np.float32(0), lambda y: round(1 / y) - 1]),
]

SLIPS = [
    ("1.1", slip(share=lambda E: E / E.sum(axis=0)), "columns of the weights"),
    ("1.1", slip(share=lambda E: E / E.sum(axis=1)), "keep the sums as a column"),
    ("1.1", slip(share=lambda E: E / E.sum()), "all weights together"),
    ("1.1", slip(share=lambda E: E), "exponentials are not divided"),
    ("1.1", slip(share=np.log), "no softmax"),
    ("1.1", slip(root=0), "not divided by the root"),
    ("1.1", slip(root=1), "divided by d"),
    ("1.1", slip(bare=True), "not over the values"),
    ("1.1", lambda X, q, k, v: attend(X, k, q, v), "exchanged"),
    ("1.1", lambda X, q, k, v: attend(X, q.T, k.T, v.T), "transpose"),
    ("1.1", lambda X, q, k, v: X @ v.T, "some row"),
    ("1.1", lambda X, q, k, v: attend(X, q * np.sqrt(X.shape[1] / 8), k, v),
     "root of 8"),
    ("1.1", lambda X, q, k, v: attend(X, q * np.sqrt(X.shape[1] / len(X)), k, v),
     "number of tokens"),
    ("1.2", "ABCDEG", "in E"),
    ("1.2", "ABCDFG", "in F"),
    ("1.2", "BCDG", "may look everywhere"),
    ("1.2", "ACDG", '"chases"'),
    ("1.2", "ABDG", "first token"),
    ("1.2", "ABCD", "with any encoding"),
    ("1.2", "ABCG", "one causal layer"),
    ("1.2", "AZ", "A to G"),
    ("1.2", ["A", "B"], "letters are wanted"),
    ("1.3", SUMMED, "divided by the sum"),
    ("1.3", SUMMED / 3, "divided by the sum"),
    ("1.3", sum(V) / 3, "the scores do not occur"),
    ("1.3", POWERS[2] / sum(POWERS), "the values do not occur"),
    ("1.3", weigh(POWERS[:2]) / sum(POWERS[:2]), "sees itself too"),
    ("1.3", weigh(Z) / sum(Z), "a negative weight"),
    ("1.3", weigh(1 / p for p in POWERS) / sum(1 / p for p in POWERS),
     "a smaller weight"),
    ("1.3", weigh(2**z for z in Z) / sum(2**z for z in Z), "softmax"),
    ("1.3", (SUMMED - POWERS[0] * (V[0] - V[1])) / sum(POWERS), "mean of the three"),
    ("1.3", sum(V) / 3 + (Z[0] - Z[1]) * V[2], "divided by the sum"),
    ("1.3", sum(p * V[i] for p, i in zip(POWERS, (0, 2, 1))) / sum(POWERS),
     "change places"),
    ("1.4", (1, 1, lambda y: 0), "equal values"),
    ("1.4", (1.0, 0.0, lambda y: 1 / y), "CLS stands at 0"),
    ("1.4", (1.0, 0.0, lambda y: 1 / y - 2), "place 0 is read as -1"),
    ("1.4", (1.0, 0.0, lambda y: 0), "place 1 is not read back"),
    ("1.4", (1.0, 0.0, lambda y: y), "place 0 is read as 1"),
    ("1.4", (0.0, 1.0, lambda y: 1 / y - 1), "divides by 0"),
    ("1.4", (0.0, 1.0, lambda y: y), "divided by the number of tokens"),
    ("1.4", (1.0, 0.0, lambda y: 1 - y), "place 1 is not read back"),
    ("1.4", (1.0, 0.0), "a function"),
]
