"""Chapter 8: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

from rope_edu import angles, inverse_frequencies

d, mu = sp.symbols("d mu")
VARIANCE = d + 2 * d * mu**2
POSITIVE = {x: sp.Symbol(x.name, positive=True) for x in (d, mu)}


def first(rates=inverse_frequencies, start=0, wave=np.cos, least=0.0):
    """Return a function that finds the first negative, with slips in it."""
    def found(rotary_dim, base):
        offsets = np.arange(start, 20_000)
        sums = wave(angles(offsets, rates(rotary_dim, base))).sum(axis=-1)
        return np.argmax(sums < least)
    return found


def lowest(rotary_dim, base):
    """Return where the sum is smallest, not where it is first negative."""
    rates = inverse_frequencies(rotary_dim, base)
    return np.cos(angles(np.arange(20_000), rates)).sum(axis=-1).argmin()


def one_by_one(rotary_dim, base):
    """Return the answer by a loop."""
    rates, offset = inverse_frequencies(rotary_dim, base), 1
    while np.cos(offset * rates).sum() >= 0:
        offset += 1
    return offset


RIGHT = [
    ("8.1", first()),
    ("8.1", one_by_one),
    ("8.1", lambda *head: float(first(start=1)(*head) + 1)),
    ("8.2", -3),
    ("8.2", np.int64(-3)),
    ("8.2", sp.Integer(-3)),
    ("8.3", VARIANCE),
    # Letters are asked for, whatever is assumed of them.
    ("8.3", VARIANCE.subs(POSITIVE)),
    ("8.3", sp.factor(VARIANCE).subs(POSITIVE)),
]

SLIPS = [
    ("8.1", first(start=1), "one short"),
    ("8.1", first(lambda d, b: b ** (-np.arange(d // 2) / d)), "-2 i / d, not"),
    ("8.1", first(lambda d, b: b ** (-2 * np.arange(d) / d)), "i counts pairs"),
    ("8.1", first(lambda d, b: inverse_frequencies(d)), "base that is given"),
    ("8.1", first(lambda d, b: inverse_frequencies(128, b)), "width that is given"),
    ("8.1", lowest, "is not the first"),
    ("8.1", first(least=1.0), "where the sum is not negative"),
    ("8.1", first(least=-np.inf), "no whole number from 1"),
    ("8.1", lambda *head: np.arange(3), "one number"),
    ("8.1", lambda *head: None, "returns nothing"),
    ("8.2", 0, "still turned away"),
    ("8.2", 3, "the other way"),
    ("8.2", 6, "further ahead"),
    ("8.2", -1, "does not bring the key back"),
    ("8.2", -6, "too far"),
    ("8.2", 500, "a whole number from -6 to 6"),
    ("8.2", -2.5, "a whole number from -6 to 6"),
    ("8.3", VARIANCE.subs(d, 128), "called dim"),
    ("8.3", sp.sqrt(VARIANCE), "the root"),
    ("8.3", d * (1 + mu**2), "one for q and one"),
    ("8.3", d * (1 + mu**2) ** 2, "has no variance"),
    ("8.3", d * (1 + 2 * mu), "how does a factor enter"),
    ("8.3", d + 2 * mu**2, "its norm is not 1"),
    ("8.3", d + 4 * d * mu**2, "compare with the width"),
    ("8.3", d, "the mean does change"),
    ("8.3", VARIANCE * sp.cos(sp.Symbol("r")), "the offset drops out"),
    ("8.3", VARIANCE * sp.Symbol("sigma"), "only the symbols d, mu"),
]
