"""Rates for texts longer than those a model was trained on.

Each method is a small frozen object, checked when it is made. Its ``table``
gives the rate of every pair, in radians per token, and one factor for cosine
and sine. It depends on its arguments alone: nothing is remembered from call
to call, so that a long text leaves no trace in the next short one.

``factor`` is how many times longer the text may be, 1 or more; ``length`` is
the number of tokens, that is the largest position plus 1; ``original_length``
is the length a model was trained on before its rates were changed. A pair
that makes many turns within it has seen every angle and is best left alone;
one that makes less than a turn is slowed down, so that it stays within the
angles it has seen. The methods differ in what they do in between.
"""

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rope_edu._checks import (
    LARGEST_POSITION,
    as_base,
    as_count,
    as_even,
    as_number,
    as_positive,
)
from rope_edu.frequencies import inverse_frequencies


class Table(NamedTuple):
    """What a rotation is made from.

    Attributes
    ----------
    inv_freq : numpy.ndarray, shape (rotary_dim // 2,), float64
        Radians per token.
    attention_factor : float
        Cosine and sine are multiplied by it, hence a score of two rotated
        vectors by its square.

    Examples
    --------
    >>> Default().table(4, base=100).attention_factor
    1.0
    """

    inv_freq: np.ndarray
    attention_factor: float


def _as_factor(value):
    factor = as_number("factor", value)
    if factor < 1:
        raise ValueError(
            "factor must be at least 1 (how many times longer the text may"
            f" be: 8, not 1/8), got {value}"
        )
    return factor


def _as_length(name, value):
    length = as_count(name, value)
    if length > LARGEST_POSITION:
        raise ValueError(f"{name} must be at most 2**53 tokens, got {length}")
    return length


def _as_original(value):
    return _as_length("original_length", value)


def _as_share(name, value):
    share = as_positive(name, value)
    if share > 1:
        raise ValueError(f"{name} must be at most 1 (all of it), got {value}")
    return share


def _as_bounds(low_name, low, high_name, high):
    low, high = as_positive(low_name, low), as_positive(high_name, high)
    if low > high:
        raise ValueError(
            f"{high_name} must be at least {low_name}, got"
            f" {high_name} = {high} and {low_name} = {low}: swapped?"
        )
    return low, high


def _as_divisors(name, values):
    # Bytes would be read as numbers, and a set has no order.
    odd = (str, bytes, bytearray, memoryview, Set, Mapping)
    if isinstance(values, odd) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be a list of numbers, got {values!r}")
    return tuple(
        as_positive(f"{name}[{i}]", value) for i, value in enumerate(values)
    )


def _ramp(x, low, high):
    """From 0 at `low` to 1 at `high`; a step if they are equal."""
    if low == high:
        return (x >= high).astype(np.float64)
    return np.clip((x - low) / (high - low), 0.0, 1.0)


def _blend(rates, keep, factor):
    # Not (1 - keep) * rates / factor + keep * rates: in this order a factor
    # of 1 gives back the rates bit for bit.
    return rates * (keep + (1 - keep) / factor)


def _by_turns(rates, factor, length, low, high):
    turns = length * rates / (2 * np.pi)
    return _blend(rates, _ramp(turns, low, high), factor)


def ntk_base(rotary_dim, base, factor):
    """Base whose slowest pair is slower by `factor`, its fastest unchanged.

    Parameters
    ----------
    rotary_dim : int
        Even, above 2: with a single pair nothing could be slower.
    base, factor : float

    Returns
    -------
    float
        ``base * factor ** (rotary_dim / (rotary_dim - 2))``.

    Raises
    ------
    TypeError, ValueError
        If `rotary_dim` is not an even integer above 2, `base` is not above
        1, `factor` is below 1, or the result is past float64.

    References
    ----------
    bloc97, "NTK-aware scaled RoPE", June 2023, a post, not a paper; written
    out in Peng et al., YaRN, arXiv:2309.00071, section 3.1.

    Examples
    --------
    >>> round(ntk_base(128, 10000, 8))
    82685
    """
    width, factor = as_even("rotary_dim", rotary_dim), _as_factor(factor)
    if width == 2:
        raise ValueError("rotary_dim must be above 2 for NTK scaling, got 2")
    try:
        grown = as_base(base) * factor ** (width / (width - 2))
    except OverflowError:
        grown = math.inf
    if grown == math.inf:
        raise ValueError(
            f"factor must give a base that float64 holds, got {factor} for"
            f" base = {base}"
        )
    return grown


def yarn_mscale(factor, coefficient=1.0):
    """YaRN's answer to flatter scores: ``0.1 * coefficient * ln(s) + 1``.

    Parameters
    ----------
    factor : float
        The scale s, at least 1.
    coefficient : float
        1 in the paper; the configs of DeepSeek-V2 write 0.707.

    Returns
    -------
    float
        1 for a factor of 1.

    Raises
    ------
    TypeError, ValueError
        If `factor` is below 1 or `coefficient` is not above 0.

    References
    ----------
    Peng et al., YaRN, arXiv:2309.00071, eq. (22), where it is the square
    root of 1/t.

    Examples
    --------
    >>> [round(yarn_mscale(s), 4) for s in (1, 4, 32)]
    [1.0, 1.1386, 1.3466]
    """
    coefficient = as_positive("coefficient", coefficient)
    return 0.1 * coefficient * math.log(_as_factor(factor)) + 1.0


class Scaling:
    """What all methods share: a checked ``table``.

    Attributes
    ----------
    depends_on_length : bool
        Whether ``table`` needs to know the length.
    softmax_multiplier : float
        What the scores are multiplied by beside ``1 / sqrt(head_dim)``, for
        models that do so in the attention and not in cosine and sine.

    Examples
    --------
    >>> Linear(factor=2).depends_on_length
    False
    """

    depends_on_length = False
    softmax_multiplier = 1.0

    def table(self, rotary_dim, base=10000.0, length=None):
        """Rates of the pairs, and the factor of cosine and sine.

        Parameters
        ----------
        rotary_dim : int
            Even number of rotated channels of one head. For `Proportional`
            it is the whole head.
        base : float
            Finite number above 1.
        length : int, optional
            Tokens of the whole text: the largest position plus 1. One number
            for all keys and queries that meet, the cached ones too. To be
            given if `depends_on_length`; without effect otherwise.

        Returns
        -------
        Table
            ``(inv_freq, attention_factor)``.

        Raises
        ------
        TypeError, ValueError
            If an argument is wrong as in `inverse_frequencies`, `length` is
            not a positive integer or is missing, or the method does not fit
            the width or the base.

        Examples
        --------
        >>> Linear(factor=2).table(4, base=100).inv_freq.round(12).tolist()
        [0.5, 0.05]
        """
        rates = inverse_frequencies(rotary_dim, base)
        length = self._checked_length(length)
        inv_freq = self._scaled(rates, as_base(base), length)
        return Table(inv_freq, self._attention_factor())

    def _checked_length(self, length):
        if length is not None:
            return _as_length("length", length)
        if self.depends_on_length:
            raise ValueError(
                f"length must be given: the rates of {type(self).__name__}"
                " depend on it (tokens of the text, largest position + 1)"
            )
        return None

    def _scaled(self, rates, base, length):
        raise NotImplementedError

    def _attention_factor(self):
        return 1.0

    def _set(self, **checked):
        for name, value in checked.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Default(Scaling):
    """The rates as they are.

    Examples
    --------
    >>> Default().table(4, base=100).inv_freq.round(12).tolist()
    [1.0, 0.1]
    """

    def _scaled(self, rates, base, length):
        return rates


@dataclass(frozen=True)
class Linear(Scaling):
    """Position interpolation: every rate divided by the factor.

    Parameters
    ----------
    factor : float

    Raises
    ------
    TypeError, ValueError
        If `factor` is not a number of at least 1.

    References
    ----------
    Chen et al., arXiv:2306.15595, eq. (4), which divides the positions
    instead: the angles are the same.

    Examples
    --------
    >>> Linear(factor=8).table(4, base=100).inv_freq.round(12).tolist()
    [0.125, 0.0125]
    """

    factor: float

    def __post_init__(self):
        self._set(factor=_as_factor(self.factor))

    def _scaled(self, rates, base, length):
        return rates / self.factor


@dataclass(frozen=True)
class NTKAware(Scaling):
    """A larger base: the fastest pair stays, the slowest is divided.

    Parameters
    ----------
    factor : float

    Raises
    ------
    TypeError, ValueError
        If `factor` is not a number of at least 1.

    See Also
    --------
    ntk_base : the new base, and its source.

    Examples
    --------
    >>> NTKAware(factor=4).table(4, base=100).inv_freq.round(12).tolist()
    [1.0, 0.025]
    """

    factor: float

    def __post_init__(self):
        self._set(factor=_as_factor(self.factor))

    def _scaled(self, rates, base, length):
        width = 2 * len(rates)
        return inverse_frequencies(width, ntk_base(width, base, self.factor))


@dataclass(frozen=True)
class DynamicNTK(Scaling):
    """A base that grows with the text, once it is longer than the original.

    Up to the original length the rates are unscaled, exactly. From there the
    base is that of `NTKAware` for a factor of ``factor * length /
    original_length - (factor - 1)``, so that even a factor of 1 does
    something. Every key of a text has to be rotated with the rates of its
    final length: a cache must hold unrotated keys.

    Parameters
    ----------
    factor : float
    original_length : int
        Tokens. Configs have no key for it: it is their
        ``max_position_embeddings``.

    Raises
    ------
    TypeError, ValueError
        If `factor` is not a number of at least 1 or `original_length` is not
        a positive integer.

    References
    ----------
    emozilla, "Dynamically scaled RoPE", June 2023, a post;
    ``modeling_rope_utils.py`` of transformers 5.24.

    Examples
    --------
    >>> method = DynamicNTK(factor=2, original_length=10)
    >>> [method.table(4, base=100, length=n).inv_freq[1].round(4).tolist()
    ...  for n in (10, 20, 10)]
    [0.1, 0.0333, 0.1]
    """

    factor: float
    original_length: int
    depends_on_length = True

    def __post_init__(self):
        self._set(
            factor=_as_factor(self.factor),
            original_length=_as_original(self.original_length),
        )

    def _scaled(self, rates, base, length):
        # The formula above, in a form that is exactly 1 where it has to be.
        over = max(length / self.original_length - 1, 0.0)
        width = 2 * len(rates)
        new_base = ntk_base(width, base, 1 + self.factor * over)
        return inverse_frequencies(width, new_base)


@dataclass(frozen=True)
class NTKByParts(Scaling):
    """NTK-by-parts as the YaRN paper prints it: a ramp in turns.

    A pair that makes at most `alpha` turns within the original length is
    divided by the factor, one with at least `beta` turns stays, and the share
    in between is linear in the number of turns. The code that models run has
    a different ramp: see `YaRN`.

    Parameters
    ----------
    factor : float
    original_length : int
        Tokens.
    alpha, beta : float
        Turns within the original length.

    Raises
    ------
    TypeError, ValueError
        If `factor` is below 1, `original_length` is not a positive integer,
        or not ``0 < alpha <= beta``.

    References
    ----------
    Peng et al., YaRN, arXiv:2309.00071, eqs. (17) to (20). Eq. (17) prints
    the new base where the original one is meant.

    Examples
    --------
    >>> method = NTKByParts(factor=10, original_length=1000)
    >>> method.table(4, base=100).inv_freq.round(4).tolist()
    [1.0, 0.0533]
    """

    factor: float
    original_length: int
    alpha: float = 1.0
    beta: float = 32.0

    def __post_init__(self):
        alpha, beta = _as_bounds("alpha", self.alpha, "beta", self.beta)
        self._set(
            factor=_as_factor(self.factor),
            original_length=_as_original(self.original_length),
            alpha=alpha,
            beta=beta,
        )

    def _scaled(self, rates, base, length):
        return _by_turns(
            rates, self.factor, self.original_length, self.alpha, self.beta
        )


@dataclass(frozen=True)
class YaRN(Scaling):
    """YaRN as models run it: a ramp in the index of the pair.

    The same two ends as `NTKByParts`, but between them the share is linear in
    the index of the pair, so the rates differ: up to threefold for Llama 2
    and a factor of 16. Cosine and sine are multiplied by an attention factor.

    Parameters
    ----------
    factor : float
    original_length : int
        Tokens.
    beta_fast, beta_slow : float
        Turns within the original length: a pair with at least `beta_fast`
        stays, one with at most `beta_slow` is divided by the factor.
    truncate : bool
        Whether the two ends of the ramp move outwards to whole indices.
        gpt-oss does without.
    attention_factor : float, optional
        Overrides the one that follows from the factor.
    mscale, mscale_all_dim : float, optional
        Coefficients of `yarn_mscale`; both or neither. Without them the
        attention factor is ``yarn_mscale(factor)``; with them it is the ratio
        of the two, and `softmax_multiplier` is the square of the second.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range (``factor >= 1``, ``0 < beta_slow <=
        beta_fast``, the others above 0), `truncate` is not a bool, or one of
        the two mscales is missing: implementations then disagree.

    Notes
    -----
    The upper end of the ramp is cut at ``rotary_dim - 1``, as in the authors'
    code and in transformers, although the last pair is ``rotary_dim / 2 - 1``;
    a ramp of no width is given 0.001. Both are kept, since models were
    trained with them.

    References
    ----------
    Peng et al., arXiv:2309.00071, eq. (22), and the code at jquesnelle/yarn;
    ``modeling_rope_utils.py`` of transformers 5.24. For the mscales:
    DeepSeek-V2, arXiv:2405.04434, section 3.1.4, and its code.

    Examples
    --------
    >>> method = YaRN(factor=16, original_length=4096)
    >>> method.correction_range(128, 10000.0)
    (20, 46)
    >>> round(method.table(128, 10000.0).attention_factor, 4)
    1.2773
    """

    factor: float
    original_length: int
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None

    def __post_init__(self):
        slow, fast = _as_bounds(
            "beta_slow", self.beta_slow, "beta_fast", self.beta_fast
        )
        if not isinstance(self.truncate, bool):
            raise TypeError(
                f"truncate must be True or False, got {self.truncate!r}"
            )
        self._set(
            factor=_as_factor(self.factor),
            original_length=_as_original(self.original_length),
            beta_fast=fast,
            beta_slow=slow,
        )
        self._check_mscales()

    def _check_mscales(self):
        for name in ("attention_factor", "mscale", "mscale_all_dim"):
            value = getattr(self, name)
            if value is not None:
                self._set(**{name: as_positive(name, value)})
        if (self.mscale is None) != (self.mscale_all_dim is None):
            raise ValueError(
                "mscale and mscale_all_dim go together: give both, or neither"
                f" for 0.1 * ln(factor) + 1; got mscale = {self.mscale} and"
                f" mscale_all_dim = {self.mscale_all_dim}"
            )

    @property
    def softmax_multiplier(self):
        """Square of ``yarn_mscale(factor, mscale_all_dim)``, or 1.

        The attention of DeepSeek-V2 and V3 and of models built like them
        multiplies its scores by it. The config alone does not say whether an
        attention does: that of Ministral 3 has the same keys and does not.

        Examples
        --------
        >>> yarn = YaRN(40, 4096, mscale=0.707, mscale_all_dim=0.707)
        >>> round(yarn.softmax_multiplier, 4)
        1.5896
        """
        if self.mscale_all_dim is None:
            return 1.0
        return yarn_mscale(self.factor, self.mscale_all_dim) ** 2

    def correction_range(self, rotary_dim, base=10000.0):
        """Indices between which the pairs are blended.

        Parameters
        ----------
        rotary_dim : int
        base : float

        Returns
        -------
        low, high : int, or float without `truncate`
            Pairs up to `low` stay, pairs from `high` on are divided.

        Raises
        ------
        TypeError, ValueError
            If an argument is wrong, or the ramp would run backwards.

        Examples
        --------
        >>> YaRN(32, 4096, truncate=False).correction_range(64, 150000.0)
        (8.09..., 17.39...)
        """
        width = as_even("rotary_dim", rotary_dim)
        low = self._index(self.beta_fast, width, as_base(base))
        high = self._index(self.beta_slow, width, as_base(base))
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, width - 1)
        if low > high:
            raise ValueError(
                f"original_length = {self.original_length} does not fit"
                f" base = {base}: the ramp would run from pair {low} back to"
                f" pair {high}"
            )
        return low, high

    def _index(self, turns, width, base):
        # The index, not whole, of a pair that makes so many turns; in the
        # order of the authors' code, since it may be rounded next.
        wavelength = self.original_length / (turns * 2 * math.pi)
        return width * math.log(wavelength) / (2 * math.log(base))

    def _scaled(self, rates, base, length):
        low, high = self.correction_range(2 * len(rates), base)
        high = max(high, low + 0.001)
        keep = 1 - _ramp(np.arange(len(rates)), low, high)
        return _blend(rates, keep, self.factor)

    def _attention_factor(self):
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale is None:
            return yarn_mscale(self.factor)
        return yarn_mscale(self.factor, self.mscale) / yarn_mscale(
            self.factor, self.mscale_all_dim
        )


@dataclass(frozen=True)
class LongRoPE(Scaling):
    """One divisor for each pair, found by search, in two lists.

    The short list serves texts up to the original length, that length
    included; the long list serves all others. The attention factor is the
    same for both. The switch concerns the whole text: keys that were rotated
    for 4096 tokens do not fit a query at the 4097th.

    Parameters
    ----------
    short_factor, long_factor : sequence of float
        ``rotary_dim / 2`` divisors each.
    original_length : int
        Tokens, above 1.
    factor : float, optional
        Longest length divided by the original one. To be given unless
        `attention_factor` is: only the attention factor depends on it.
    attention_factor : float, optional
        Overrides ``sqrt(1 + ln(factor) / ln(original_length))``.

    Raises
    ------
    TypeError, ValueError
        If a list holds anything but numbers above 0 or differs from the
        other in length, `original_length` is not an integer above 1,
        `factor` is below 1, or neither it nor `attention_factor` is given.

    References
    ----------
    Ding et al., LongRoPE, arXiv:2402.13753; the attention factor as in the
    Phi-3 models, ``modeling_rope_utils.py`` of transformers 5.24.

    Examples
    --------
    >>> method = LongRoPE([1, 2], [1, 20], original_length=8, factor=4)
    >>> [method.table(4, 100, length=n).inv_freq[1].round(12).tolist()
    ...  for n in (8, 9)]
    [0.05, 0.005]
    """

    short_factor: tuple
    long_factor: tuple
    original_length: int
    factor: float | None = None
    attention_factor: float | None = None
    depends_on_length = True

    def __post_init__(self):
        self._set(
            short_factor=_as_divisors("short_factor", self.short_factor),
            long_factor=_as_divisors("long_factor", self.long_factor),
            original_length=_as_original(self.original_length),
        )
        if self.original_length == 1:
            raise ValueError("original_length must be above 1, got 1")
        if self.attention_factor is not None:
            value = as_positive("attention_factor", self.attention_factor)
            self._set(attention_factor=value)
        elif self.factor is None:
            raise ValueError(
                "factor must be given (longest length / original_length), or"
                " attention_factor in its place; got neither"
            )
        if self.factor is not None:
            self._set(factor=_as_factor(self.factor))

    def _scaled(self, rates, base, length):
        for name in ("short_factor", "long_factor"):
            count = len(getattr(self, name))
            if count != len(rates):
                raise ValueError(
                    f"{name} must hold one divisor for each pair,"
                    f" rotary_dim / 2 = {len(rates)}, got {count}"
                )
        short = length <= self.original_length
        return rates / (self.short_factor if short else self.long_factor)

    def _attention_factor(self):
        if self.attention_factor is not None:
            return self.attention_factor
        grown = math.log(self.factor) / math.log(self.original_length)
        return math.sqrt(1 + grown)


@dataclass(frozen=True)
class Llama3(Scaling):
    """The rule of Llama 3.1: a ramp in turns, without an attention factor.

    The formula is that of `NTKByParts`, with 1 and 4 turns for its two ends.
    With equal ends, as in Llama 4 Scout, the ramp is a step.

    Parameters
    ----------
    factor : float
    low_freq_factor, high_freq_factor : float
        Turns within the original length: a pair with fewer than the first is
        divided by the factor, one with more than the second stays.
    original_length : int
        Tokens.

    Raises
    ------
    TypeError, ValueError
        If `factor` is below 1, `original_length` is not a positive integer,
        or not ``0 < low_freq_factor <= high_freq_factor``.

    References
    ----------
    The code at meta-llama/llama-models; ``modeling_rope_utils.py`` of
    transformers 5.24.

    Examples
    --------
    >>> method = Llama3(8, low_freq_factor=1, high_freq_factor=4,
    ...                 original_length=8192)
    >>> ratio = Default().table(128, 5e5)[0] / method.table(128, 5e5)[0]
    >>> [int((ratio == 1).sum()), int((ratio == 8).sum())]
    [29, 29]
    """

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_length: int

    def __post_init__(self):
        low, high = _as_bounds(
            "low_freq_factor", self.low_freq_factor,
            "high_freq_factor", self.high_freq_factor,
        )
        self._set(
            factor=_as_factor(self.factor),
            original_length=_as_original(self.original_length),
            low_freq_factor=low,
            high_freq_factor=high,
        )

    def _scaled(self, rates, base, length):
        return _by_turns(
            rates, self.factor, self.original_length,
            self.low_freq_factor, self.high_freq_factor,
        )


@dataclass(frozen=True)
class Proportional(Scaling):
    """p-RoPE: the fastest share of the pairs turns, the others stand still.

    The rates are those of the whole head, with zeros for the pairs that do
    not turn. A partial rotation is something else: it makes a narrower table,
    with rates down to the slowest, and pairs channels within that width.

    Parameters
    ----------
    partial_factor : float
        Share of the pairs that turn, above 0 and at most 1.
    factor : float
        Divides the rates, as in `Linear`.

    Raises
    ------
    TypeError, ValueError
        If `partial_factor` is not a number above 0 and at most 1, or
        `factor` is below 1.

    References
    ----------
    Barbero et al., arXiv:2410.06205, section 6.1; ``modeling_rope_utils.py``
    of transformers 5.24.

    Examples
    --------
    >>> Proportional(0.5).table(8).inv_freq.round(12).tolist()
    [1.0, 0.1, 0.0, 0.0]
    """

    partial_factor: float
    factor: float = 1.0

    def __post_init__(self):
        self._set(
            partial_factor=_as_share("partial_factor", self.partial_factor),
            factor=_as_factor(self.factor),
        )

    def _scaled(self, rates, base, length):
        turning = int(self.partial_factor * len(rates))
        if turning == 0:
            raise ValueError(
                f"partial_factor = {self.partial_factor} leaves none of the"
                f" {len(rates)} pairs turning: give at least {1 / len(rates)}"
            )
        still = np.arange(len(rates)) >= turning
        return np.where(still, 0.0, rates / self.factor)
