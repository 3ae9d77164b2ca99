"""Chapter 17: right answers, and slips with a word of what is said to them."""

from itertools import product

import numpy as np
import sympy as sp
import torch

s, D = sp.symbols("s D", positive=True)
r = sp.Symbol("r", integer=True, nonnegative=True)
FAR = sp.Sum(sp.exp(-s * r), (r, D, sp.oo))


def cache_bytes(layers, windowed, heads, width, window, length):
    """Return what exercise 17.1 asks for."""
    tokens = (layers - windowed) * length + windowed * min(window, length)
    return 4 * heads * width * tokens


def gaps(scores):
    """Return what is left of each patch without its row and its column."""
    return scores - scores[:, :1] - scores[:1] + scores[0, 0]


def square(scores):
    """Look at as many columns as there are rows."""
    return bool(np.allclose(gaps(scores[:, :len(scores)]), 0))


def pairs_of(size):
    """Return all pairs of rows, or of columns."""
    return [(a, b) for b in range(size) for a in range(b)]


def never_ranked(scores):
    """Look at the order of the corners of each rectangle, not at their sums."""
    for (x, u), (y, v) in product(*map(pairs_of, scores.shape)):
        one, other = (scores[x, y], scores[u, v]), (scores[x, v], scores[u, y])
        if min(one) > max(other) or min(other) > max(one):
            return False
    return True


def some_rectangles(scores):
    """Try twenty rectangles drawn by chance."""
    rng, (rows, columns) = np.random.default_rng(0), scores.shape
    for _ in range(20):
        x, u = rng.choice(rows, 2, replace=False)
        y, v = rng.choice(columns, 2, replace=False)
        if abs(scores[x, y] + scores[u, v] - scores[x, v] - scores[u, y]) > 1e-9:
            return False
    return True


def apart(scores):
    """Look at blocks of two by two that do not overlap."""
    return all(abs(gaps(scores[x:x + 2, y:y + 2])).max() < 1e-9
               for x in range(0, 4, 2) for y in range(0, 6, 2))


def neighbors(scores):
    """Look at every block of two by two: enough, if it is done to the end."""
    rows, columns = scores.shape
    return all(abs(gaps(scores[x:x + 2, y:y + 2])).max() < 1e-9
               for x in range(rows - 1) for y in range(columns - 1))


def swapped(n, w, h, d, W, T):
    """Exchange the layers with a window and those without."""
    return cache_bytes(n, n - w, h, d, W, T)


def counted_twice(n, w, h, d, W, T):
    """Count the layers with a window among those without, too."""
    return cache_bytes(n + w, w, h, d, W, T)


RIGHT = [
    ("17.1", cache_bytes),
    ("17.1", lambda *case: np.float64(cache_bytes(*case))),
    ("17.2", [3, 5]),
    ("17.2", (3, 5)),
    ("17.2", np.array([3, 5])),
    ("17.3", sp.exp(-s * D)),
    ("17.3", sp.E ** (-sp.Symbol("s") * sp.Symbol("D"))),
    # SymPy's own sum is a case distinction.
    ("17.3", 1 - sp.summation(sp.exp(-s * r), (r, 0, D - 1)) * (1 - sp.exp(-s))),
    ("17.3", sp.cosh(s * D) - sp.sinh(s * D)),
    ("17.4", 22),
    ("17.5", lambda scores: bool(np.allclose(gaps(scores), 0))),
    ("17.5", lambda scores: np.abs(np.diff(np.diff(scores), axis=0)).max() < 1e-9),
    ("17.5", neighbors),
    ("17.5", lambda scores: torch.tensor(np.allclose(gaps(scores), 0))),
    ("17.5", lambda scores: np.allclose(
        scores, scores.mean(0) + scores.mean(1)[:, None] - scores.mean())),
]

SLIPS = [
    ("17.1", lambda *case: cache_bytes(*case) // 2, "keys and values"),
    ("17.1", lambda *case: cache_bytes(*case) * 8, "bits"),
    ("17.1", lambda n, w, h, d, W, T: cache_bytes(n, 0, h, d, W, T), "no more"),
    ("17.1", lambda n, w, h, d, W, T: cache_bytes(n - w, 0, h, d, W, T), "something"),
    ("17.1", lambda n, w, h, d, W, T: cache_bytes(n, n, h, d, W, T), "own window"),
    ("17.1", lambda n, w, h, d, W, T: 4 * h * d * ((n - w) * T + w * W), "longer"),
    ("17.1", swapped, "changed places"),
    ("17.1", counted_twice, "counted twice"),
    ("17.1", lambda n, w, h, d, W, T: cache_bytes(n, w, h, d, W - 1, T), "one token"),
    ("17.1", lambda *case: 3, "it is another number"),
    ("17.2", (2, 6), "in between"),
    ("17.2", (5, 5), "from place 4 on"),
    ("17.2", (3, 6), "place 0"),
    ("17.2", (3, 3), "seen by every later"),
    ("17.3", 1 - sp.exp(-s * D), "nearer"),
    ("17.3", sp.exp(-s * (D + 1)), "distance D itself"),
    ("17.3", (1 - sp.exp(-s)) * sp.exp(-s * D), "the one key"),
    ("17.3", sp.exp(-s * D) / (1 - sp.exp(-s)), "divide by"),
    ("17.3", sp.exp(s * D), "between 0 and 1"),
    ("17.3", sp.exp(-D / s), "s D alone"),
    ("17.3", sp.exp(-s), "s D alone"),
    ("17.3", 2 ** (-s * D), "test it"),
    ("17.3", FAR * (1 - sp.exp(-s)), "a sum is left"),
    ("17.4", 42, "number of tokens"),
    ("17.4", 18, "more rows"),
    ("17.4", 27, "side by side"),
    ("17.4", 21, "taken"),
    ("17.4", 23, "is 0, not 1"),
    ("17.4", 20, "look again at the figure"),
    ("17.5", lambda scores: True, "one bright patch"),
    ("17.5", lambda scores: False, "refused"),
    ("17.5", lambda scores: np.linalg.matrix_rank(scores) == 1, "refused"),
    ("17.5", lambda scores: np.linalg.matrix_rank(scores) <= 2, "product, not a sum"),
    ("17.5", lambda scores: not gaps(scores).any(), "tolerance"),
    ("17.5", lambda scores: abs(gaps(scores)).max() < 1e-15, "more coarsely"),
    ("17.5", lambda scores: abs(gaps(scores)).max() < 0.1, "off by 0.003"),
    ("17.5", never_ranked, "not the order of the corners"),
    ("17.5", apart, "within small blocks"),
    ("17.5", some_rectangles, "not some"),
    ("17.5", lambda scores: neighbors(scores[1:-1, 1:-1]), "edges belong"),
    ("17.5", lambda scores: neighbors(scores[:-1, :-1]), "edges belong"),
    ("17.5", lambda scores: abs(gaps(scores)[-1, -1]) < 1e-9, "one bright patch"),
    ("17.5", square, "need not be square"),
    ("17.5", lambda scores: scores.min() > -30 and scores.max() < 1e9, "constant"),
    ("17.5", lambda scores: 1, "True or False"),
]
