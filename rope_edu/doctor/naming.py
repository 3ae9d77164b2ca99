"""Names for measured rates: a base, a scaling, or a well-known slip.

Rates come ordered by pair and positive, good to a relative error. They are
compared with formulas; the first that gives every rate is taken. What comes
out is a name, not a proof: several formulas may give the same rates.
"""

import math
from dataclasses import dataclass, fields

import numpy as np

from rope_edu.doctor.model import wrap
from rope_edu.frequencies import inverse_frequencies
from rope_edu.scaling import (
    Default,
    Linear,
    Llama3,
    NTKAware,
    NTKByParts,
    Proportional,
    Scaling,
    YaRN,
    ntk_base,
)

# Bases of models in data/presets.json and of their later versions.
BASES = (
    1e4, 5e4, 1e5, 1.3e5, 1.5e5, 1.6e5, 2.5e5, 5e5, 1e6, 1.5e6, 2e6, 4e6,
    5e6, 8e6, 1e7, 7.5e7, 1000042.0,
)
FACTORS = (2.0, 3.0, 4.0, 8.0, 10.0, 16.0, 32.0, 40.0, 64.0)
LENGTHS = tuple(2**power for power in range(9, 20))


@dataclass(frozen=True)
class Name:
    """A formula that gives the measured rates."""

    text: str
    base: float | None
    scaling: Scaling | None
    rates: np.ndarray
    slip: str | None = None


def name_rates(rates, width, head_dim, rtol, skip=0):
    """Return the `Name` of positive rates, or None.

    Parameters
    ----------
    rates : numpy.ndarray, shape (pairs,)
        The pairs that turn; signed ones are compared up to whole turns.
    width : int
        Rotated width that the layout tells.
    head_dim : int
    rtol : numpy.ndarray, shape (pairs,)
        Largest relative difference.
    skip : int
        Pairs before the first that turns: whole turns cannot be seen.
    """
    count = len(rates)
    if count == 1 and not skip:
        fits = abs(rates[0] - 1) <= rtol[0]
        text = "one pair, 1 rad per token: any base"
        return Name(text, None, Default(), rates) if fits else None
    widths = dict.fromkeys((width, 2 * count, head_dim))
    fits = [w for w in widths if w and w % 2 == 0 and w >= 2 * count]
    if skip:
        late = late_start(rates, fits, rtol, skip)
        if late is not None:
            return late
        fits = [w for w in fits if w == 2 * count]
    for find in (known, slip, spaced, in_parts):
        for wide in fits:
            found = find(rates, wide, rtol)
            if found is not None:
                return found
    found = (slip(rates, w, rtol, skip) for w in (width, head_dim) if skip)
    return next((name for name in found if name is not None), None)


def same(rates, guess, rtol):
    """Say whether two sets of rates agree, up to whole turns."""
    guess = np.asarray(guess)[: len(rates)]
    if len(guess) != len(rates):
        return False
    # A rate above pi is seen up to whole turns, its error is not.
    size = np.minimum(np.abs(guess), np.pi)
    return bool((np.abs(wrap(rates - guess)) <= rtol * size).all())


def words_for(scaling):
    """Return the call that makes a scaling, without its defaults.

    Examples
    --------
    >>> words_for(YaRN(4.0, 32768))
    'YaRN(factor=4.0, original_length=32768)'
    """
    if isinstance(scaling, Default):
        return "no scaling"
    parts = (
        f"{item.name}={getattr(scaling, item.name)!r}"
        for item in fields(scaling)
        if getattr(scaling, item.name) != item.default
    )
    return f"{type(scaling).__name__}({', '.join(parts)})"


def named(scaling, base, table):
    """Return the `Name` of a scaling and a base."""
    text = f"base {base:.10g}, {words_for(scaling)}"
    return Name(text, base, scaling, table[table != 0])


def of_width(scaling, base, width, count):
    """Return the `Name` of a scaling; fewer pairs than fit are p-RoPE."""
    if 2 * count < width:
        factor = getattr(scaling, "factor", 1.0)
        scaling = Proportional(2 * count / width, factor)
    return named(scaling, base, scaling.table(width, base).inv_freq)


def known(rates, width, rtol):
    """Compare with the bases that models have, unscaled or divided."""
    count = len(rates)
    for base in BASES:
        plain = inverse_frequencies(width, base)
        if same(rates, plain, rtol):
            return of_width(Default(), base, width, count)
        for factor in FACTORS:
            if same(rates, plain / factor, rtol):
                return of_width(Linear(factor), base, width, count)
    return None


def late_start(rates, widths, rtol, skip):
    """Compare with unscaled rates whose first pairs stand still."""
    for width in widths:
        for base in BASES:
            table = inverse_frequencies(width, base)[skip:]
            if len(table) == len(rates) and same(rates, table, rtol):
                verb = "stands" if skip == 1 else "stand"
                text = (
                    f"base {base:.10g}, no scaling, but the first {skip} of"
                    f" {width // 2} pairs {verb} still"
                )
                return Name(text, base, None, table)
    return None


def slips(width, base):
    """Yield code, words and rates of the slips people make."""
    i = np.arange(width // 2)
    yield (
        "exponent-shifted", "the exponent is 2(i - 1)/d with i from 0",
        base ** (-2 * (i - 1) / width),
    )
    yield (
        "exponent-shifted", "the exponent is 2(i + 1)/d with i from 0",
        base ** (-2 * (i + 1) / width),
    )
    yield "rates-reciprocal", "1 / inv_freq", base ** (2 * i / width)
    yield "exponent-wrong", "the exponent is i/d", base ** (-i / width)
    yield "exponent-wrong", "the exponent is 4i/d", base ** (-4 * i / width)
    for heads in (4, 8, 12, 16, 32, 64):
        yield (
            "exponent-wrong",
            f"d is {heads} times the width of a head: that of the model",
            base ** (-2 * i / (heads * width)),
        )
    plain = base ** (-2 * i / width)
    yield "rates-in-turns", "2 pi / the wavelength, twice", 2 * np.pi * plain
    yield "rates-in-turns", "an extra pi", np.pi * plain
    yield "rates-in-degrees", "degrees for radians", plain * np.pi / 180


def slip(rates, width, rtol, skip=0):
    """Compare with the known slips, for the usual bases."""
    for base in BASES:
        for code, text, guess in slips(width - width % 2, base):
            guess = guess[skip:]
            if same(rates, guess, rtol):
                text = f"base {base:.10g}, but {text}"
                return Name(text, base, None, guess[: len(rates)], code)
    return None


def spaced(rates, width, rtol):
    """Fit a base of any size to evenly spaced rates, and a divisor."""
    count = len(rates)
    if count < 2 or (rates <= 0).any() or rates[-1] >= rates[0]:
        return None
    ratio = (rates[-1] / rates[0]) ** (1 / (count - 1))
    base = simplest(ratio ** (-width / 2), rates / rates[0], width, rtol)
    first = 1.0 if abs(rates[0] - 1) <= 2 * rtol[0] else 1 / rates[0]
    # Two pairs fit any base and divisor.
    if base is None or first < 1 or (count == 2 and first > 1):
        return None
    if first != 1:
        first = float(f"{first:.6g}")
    scaling = Default() if first == 1 else Linear(first)
    if not same(rates, inverse_frequencies(width, base) / first, 3 * rtol):
        return None
    if first == 1 and base != float(f"{base:.3g}"):  # a round one is chosen
        scaling, base = ntk(base, width, rtol[-1])
    return of_width(scaling, base, width, count)


def simplest(base, shape, width, rtol):
    """Return the base with the fewest digits that gives the shape."""
    for digits in range(1, 13):
        guess = float(f"{base:.{digits}g}")
        if guess <= 1:
            continue
        if same(shape, inverse_frequencies(width, guess), 3 * rtol):
            return guess
    return None


def ntk(base, width, rtol):
    """Return scaling and base, a known base where NTK-aware fits one."""
    for start in BASES if width > 2 else ():
        for factor in FACTORS:
            gap = abs(ntk_base(width, start, factor) / base - 1)
            if gap <= 4 * rtol:
                return NTKAware(factor), start
    return Default(), base


def in_parts(rates, width, rtol):
    """Fit methods that leave fast pairs and divide slow ones."""
    if 2 * len(rates) != width or len(rates) < 4 or (rates <= 0).any():
        return None
    for base in bases_of(rates, width, rtol):
        plain = inverse_frequencies(width, base)
        factor = plain[-1] / rates[-1]
        nice = float(f"{factor:.3g}")
        if nice < 1.01 or abs(factor / nice - 1) > 4 * rtol[-1]:
            continue
        for method in methods(nice):
            try:
                guess = method.table(width, base).inv_freq
            except ValueError:  # a ramp that would run backwards
                continue
            if same(rates, guess, rtol):
                return of_width(method, base, width, len(rates))
    return None


def bases_of(rates, width, rtol):
    """Return bases that give the first pairs as they are."""
    near = [
        base for base in BASES
        if same(rates[:2], inverse_frequencies(width, base)[:2], rtol[:2])
    ]
    if near or rates[1] >= 1:
        return near
    guess = rates[1] ** (-width / 2)
    return [float(f"{guess:.{digits}g}") for digits in (1, 2, 3, 4, 5)]


def methods(factor):
    """Yield what divides only slow pairs, with its usual parameters."""
    for length in LENGTHS:
        yield Llama3(factor, 1.0, 4.0, length)
        yield YaRN(factor, length)
        yield YaRN(factor, length, truncate=False)
        yield NTKByParts(factor, length)
        yield Llama3(factor, 1.0, 1.0, length)


def digits(rtol):
    """Return how many digits a relative error leaves.

    Examples
    --------
    >>> digits(3e-8)
    7
    """
    return max(0, min(15, math.floor(-math.log10(max(rtol, 1e-16)))))
