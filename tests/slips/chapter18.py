"""Chapter 18: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

P = sp.symbols("p", positive=True)

RIGHT = [
    ("18.1", 377),
    ("18.1", np.int64(377)),
    ("18.1", 377.0),
    ("18.2", "AEF"),
    ("18.2", "f, e, a"),
    ("18.3", P / 2),
    ("18.3", 0.5 * P),
    ("18.3", sp.symbols("p") / 2),
]

SLIPS = [
    ("18.1", 0, "one position"),
    ("18.1", 44, "dial 1 is 1.88 rad"),
    ("18.1", 63, "dial 0 is 0.17 rad"),
    ("18.1", 754, "there is a smaller one"),
    ("18.1", 377.5, "whole numbers"),
    ("18.1", -377, "from 1 to 999"),
    ("18.2", 3, "letters are wanted"),
    ("18.2", "AX", "X is not one of"),
    ("18.2", "BCDG", "the others"),
    ("18.2", "EF", "a base of 10,000"),
    ("18.2", "AE", "fast dials"),
    ("18.2", "AF", "a base of a million"),
    ("18.2", "ADEF", "a base of a million"),
    ("18.2", "ABCDE", "a base of 500,000"),
    ("18.2", "AEFG", "divided by 8"),
    ("18.3", P, "squared cosine"),
    ("18.3", P**2 / 2, "two equal factors"),
    ("18.3", P**2 / 4, "different dials"),
    ("18.3", P**2, "at r = 0"),
    ("18.3", 0, "not negative"),
    ("18.3", sp.Rational(1, 2), "one dial alone"),
    ("18.3", P / 4, "counts dials"),
    ("18.3", P / 3, "multiply the sum out"),
    ("18.3", sp.symbols("q"), "only the symbols p"),
]
