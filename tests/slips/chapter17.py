"""Chapter 17: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

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


RIGHT = [
    ("17.1", cache_bytes),
    ("17.1", lambda *case: np.float64(cache_bytes(*case))),
    ("17.2", [3, 5]),
    ("17.2", (3, 5)),
    ("17.2", np.array([3, 5])),
    ("17.3", sp.exp(-s * D)),
    ("17.3", sp.E ** (-sp.Symbol("s") * sp.Symbol("D"))),
    ("17.3", sp.cosh(s * D) - sp.sinh(s * D)),
    ("17.4", 22),
    ("17.5", lambda scores: bool(np.allclose(gaps(scores), 0))),
    ("17.5", lambda scores: np.abs(np.diff(np.diff(scores), axis=0)).max() < 1e-9),
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
    ("17.1", lambda *case: 3, "bytes are others"),
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
    ("17.4", 20, "longer side"),
    ("17.5", lambda scores: True, "one bright patch"),
    ("17.5", lambda scores: False, "refused"),
    ("17.5", lambda scores: np.linalg.matrix_rank(scores) == 1, "refused"),
    ("17.5", lambda scores: np.linalg.matrix_rank(scores) <= 2, "product, not a sum"),
    ("17.5", lambda scores: not gaps(scores).any(), "tolerance"),
    ("17.5", lambda scores: abs(gaps(scores)[-1, -1]) < 1e-9, "one bright patch"),
    ("17.5", square, "need not be square"),
    ("17.5", lambda scores: scores.min() > -30 and scores.max() < 1e9, "constant"),
    ("17.5", lambda scores: 1, "True or False"),
]
