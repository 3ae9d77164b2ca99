"""Chapter 15: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import sympy as sp

from rope_edu.scaling import YaRN

b, s, d, i = sp.symbols("b s d i", positive=True)
SMALLEST = b * s ** (d / (2 * i))


def rates(width, base):
    """Return the rates, pair by pair."""
    return np.array([base ** (-2 * pair / width) for pair in range(width // 2)])


def in_parts(width, base, length, factor, low=1, high=32, turn=2 * np.pi, clip=np.clip):
    """Return what exercise 15.2 asks for, or a slip of it."""
    plain = rates(width, base)
    keep = clip((length * plain / turn - low) / (high - low), 0, 1)
    return (1 - keep) * plain / factor + keep * plain


def blended_waves(width, base, length, factor):
    """Return rates from wavelengths blended with the right shares."""
    plain = rates(width, base)
    keep = np.clip((length * plain / (2 * np.pi) - 1) / 31, 0, 1)
    return 1 / ((1 - keep) * factor / plain + keep / plain)


def new_base(width, base, length, factor):
    """Count the turns with the base that NTK-aware scaling would take."""
    plain = rates(width, base)
    slow = rates(width, base * factor ** (width / (width - 2)))
    keep = np.clip((length * slow / (2 * np.pi) - 1) / 31, 0, 1)
    return (1 - keep) * plain / factor + keep * plain


RIGHT = [
    *(("15.1", x) for x in (24.25, 24.3, 24.254, "24.25", Fraction(485, 20),
                            sp.Integer(30) ** sp.Rational(30, 32))),
    ("15.2", in_parts),
    ("15.2", lambda *x: in_parts(*x).tolist()),
    ("15.3", 13),
    ("15.3", np.int64(13)),
    ("15.4", SMALLEST),
    ("15.4", b * sp.exp(d * sp.log(s) / (2 * i))),
    ("15.4", sp.Symbol("b") * sp.Symbol("s") ** (sp.Symbol("d") / 2 / i)),
    ("15.4", b * s ** (0.5 * d / i)),
]

SLIPS = [
    ("15.1", 30, "quotient of the bases"),
    ("15.1", 37.63, "on its head"),
    ("15.1", 28.45, "a head of 128"),
    ("15.1", 19.61, "d counts the pairs"),
    ("15.1", 1 / 24.254, "how fast"),
    ("15.1", 24.1, "three digits"),
    ("15.1", 93.06, "three digits"),
    ("15.2", lambda *x: in_parts(*x, turn=1), "count radians"),
    ("15.2", lambda *x: in_parts(*x, low=32, high=1), "fast dials must stay"),
    ("15.2", lambda *x: in_parts(*x, clip=lambda share, *ends: share),
     "outside the ramp"),
    ("15.2", lambda w, base, n, f: in_parts(w, base, n * f, f), "turns in training"),
    ("15.2", lambda w, base, n, f: YaRN(f, n).table(w, base).inv_freq,
     "numbers of the dials"),
    ("15.2", lambda w, base, n, f: YaRN(f, n, truncate=False).table(w, base).inv_freq,
     "numbers of the dials"),
    ("15.2", lambda *x: in_parts(*x, high=4), "Llama 3.1"),
    ("15.2", new_base, "the old base"),
    ("15.2", lambda *x: 2 * np.pi / in_parts(*x), "these are wavelengths"),
    ("15.2", lambda *x: rates(*x[:2]) / in_parts(*x), "these are divisors"),
    ("15.2", blended_waves, "not the wavelengths"),
    ("15.2", lambda w, base, n, f: in_parts(w, base, n, 1 / f), "not faster"),
    ("15.2", lambda w, base, n, f: rates(w, base) / f, "that is PI"),
    ("15.2", lambda w, base, n, f: rates(w, base), "dial 21, which makes 31.75"),
    ("15.2", lambda *x: in_parts(*x)[:-1], "shape is (63,), wanted is (64,)"),
    ("15.3", 18, "slowed down by 32"),
    ("15.3", 0, "slow end"),
    ("15.3", 1, "32 times as long"),
    ("15.3", 5, "run past"),
    ("15.3", 12, "d - 2"),
    ("15.3", 14, "a little past"),
    ("15.3", 9, "as the text is longer"),
    ("15.3", 19, "from 0 to 18"),
    ("15.3", 1.5, "whole number"),
    ("15.4", b * s, "after the last"),
    ("15.4", b * s ** (d / (d - 2)), "the last dial"),
    ("15.4", b * s ** (2 * i / d), "on its head"),
    ("15.4", s ** (d / (2 * i)), "multiplied"),
    ("15.4", b * s ** (d / i), "counts pairs by two"),
    ("15.4", b / s ** (d / (2 * i)), "a smaller base"),
    ("15.4", b * s**i, "not for all"),
    ("15.4", b + s, "try b = 100"),
    ("15.4", b * sp.Symbol("L"), "only the symbols"),
]
