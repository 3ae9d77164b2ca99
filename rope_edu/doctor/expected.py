"""Where a callable departs from what a config.json asks for.

The rates are compared with those of the config; where they differ, with what
the usual slips would make of the same config. `departures` yields a code and
words for the first slip that gives the measured rates.
"""

import math
from collections.abc import Mapping

import numpy as np

from rope_edu.config import RopeConfig
from rope_edu.doctor.model import wrap
from rope_edu.doctor.naming import words_for
from rope_edu.frequencies import inverse_frequencies
from rope_edu.scaling import (
    DynamicNTK,
    Linear,
    Llama3,
    LongRoPE,
    NTKAware,
    NTKByParts,
    Proportional,
    YaRN,
    yarn_mscale,
)


def read_config(config, layer_type, head_dim):
    """Return a `RopeConfig`, or None; refuse one for another head."""
    if config is None or isinstance(config, RopeConfig):
        read = config
    elif isinstance(config, Mapping):
        read = RopeConfig.from_pretrained_config(config, layer_type)
    else:
        raise TypeError(
            "config must be a RopeConfig or a dict, as json.load gives it,"
            f" got {config!r}"
        )
    if read is not None and read.head_dim != head_dim:
        raise ValueError(
            f"head_dim must be that of the config, {read.head_dim}, got"
            f" {head_dim}"
        )
    return read


def other_layers(config, layer_type):
    """Return the `RopeConfig` of the other types of layers, by name."""
    if not isinstance(config, Mapping):
        return {}
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    names = [name for name, rule in rope.items() if isinstance(rule, Mapping)]
    names += config.get("layer_types") or []
    if config.get("rope_local_base_freq") is not None:
        names += ["full_attention", "sliding_attention"]
    read = RopeConfig.from_pretrained_config
    return {
        name: read(config, name)
        for name in dict.fromkeys(names) if name != layer_type
    }


def longest(config, read):
    """Return the length a config promises, or None."""
    lengths = []
    if isinstance(config, Mapping):
        lengths.append(config.get("max_position_embeddings") or 0)
    scaling = getattr(read, "scaling", None)
    original = getattr(scaling, "original_length", None)
    if original is not None:
        lengths.append(int(original * (getattr(scaling, "factor") or 1)))
    return max(lengths, default=0) or None


def matches(rates, guess, rtol):
    """Say whether rates are the turning part of a table."""
    guess = np.asarray(guess)
    turning = guess[guess != 0]
    if len(turning) != len(rates):
        return False
    return bool((np.abs(wrap(rates - turning)) <= rtol * turning).all())


def slips_of(read, length, others):
    """Yield code, words and rates of what goes wrong with a config."""
    scaling, width, base = read.scaling, read.rotary_dim, read.base
    for name, other in others.items():
        table = other.table(length=length).inv_freq
        yield "other-layer", f"the rates of {name}", table
    plain = inverse_frequencies(width, base)
    if isinstance(scaling, Proportional):
        part = 2 * int(scaling.partial_factor * width / 2)
        yield (
            "partial-for-proportional", f"a contiguous width of {part}",
            inverse_frequencies(part, base),
        )
    yield from static(read)
    yield "scaling-ignored", "the rates without scaling", plain
    if getattr(scaling, "factor", None) is not None:
        yield from with_factor(read, length, plain)


def with_factor(read, length, plain):
    """Yield slips of a scaling that has a factor."""
    scaling, width, base = read.scaling, read.rotary_dim, read.base
    asked = read.table(length=length).inv_freq
    factor = scaling.factor
    # Share of each pair that stays, taken out of the blend.
    keep = (asked / plain - 1 / factor) / (1 - 1 / factor + 1e-300)
    upside = plain * (keep + (1 - keep) * factor)
    yield "scaling-inverted", "the slow pairs made faster", upside
    yield "scaling-inverted", "all rates multiplied", plain * factor
    if isinstance(scaling, YaRN):
        yield from yarn_slips(scaling, width, base, plain)
    if isinstance(scaling, DynamicNTK):
        yield from unclamped(scaling, width, base, length)
    yield from other_methods(scaling, width, base)


def static(read):
    """Yield the one table that a method with two or more was cut down to."""
    scaling, width, base = read.scaling, read.rotary_dim, read.base
    if isinstance(scaling, DynamicNTK):
        fixed = NTKAware(scaling.factor).table(width, base).inv_freq
        yield "scaling-static", "the base fixed at the longest length", fixed
    if isinstance(scaling, LongRoPE):
        for length, words in ((1, "short"), (2**53, "long")):
            table = scaling.table(width, base, length).inv_freq
            yield "scaling-static", f"the {words} list", table


def yarn_slips(scaling, width, base, plain):
    """Yield YaRN with another ramp."""
    def blend(low, high, top=width - 1, whole=scaling.truncate):
        low, high = turns_to_index(low), turns_to_index(high)
        if whole:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, top)
        span = high - low or 0.001
        ramp = np.clip((np.arange(width // 2) - low) / span, 0, 1)
        return plain * (1 - ramp + ramp / scaling.factor)

    def turns_to_index(turns):
        wave = scaling.original_length / (turns * 2 * math.pi)
        return width * math.log(wave) / (2 * math.log(base))

    fast, slow = scaling.beta_fast, scaling.beta_slow
    top, flipped = width // 2 - 1, not scaling.truncate
    yield "betas-swapped", "beta_fast for beta_slow", blend(slow, fast)
    yield "ramp-differs", f"the ramp cut at {top}", blend(fast, slow, top)
    words = f"truncate = {flipped}"
    yield "ramp-differs", words, blend(fast, slow, whole=flipped)
    paper = NTKByParts(scaling.factor, scaling.original_length, slow, fast)
    table = paper.table(width, base).inv_freq
    yield "ramp-differs", "the ramp of the paper, in turns", table


def unclamped(scaling, width, base, length):
    """Yield dynamic NTK whose factor goes below 1 in short texts."""
    share = length / scaling.original_length
    grown = scaling.factor * share - (scaling.factor - 1)
    if grown > 0:
        lower = base * grown ** (width / (width - 2))
        if lower > 1:
            rates = inverse_frequencies(width, lower)
            yield "scaling-unclamped", f"the base {lower:.5g}", rates


def other_methods(scaling, width, base):
    """Yield other methods with the same factor."""
    found = [Linear(scaling.factor), NTKAware(scaling.factor)]
    original = getattr(scaling, "original_length", None)
    if original is not None:
        found += [
            YaRN(scaling.factor, original),
            Llama3(scaling.factor, 1.0, 4.0, original),
        ]
    for method in found:
        try:
            table = method.table(width, base).inv_freq
        except ValueError:  # a ramp that would run backwards
            continue
        yield "scaling-other", f"the rates of {words_for(method)}", table


def departure(read, rates, length, rtol, others, name):
    """Return code and words for rates that a config does not ask for."""
    asked = read.table(length=length).inv_freq
    if matches(rates, asked, rtol):
        return None
    for code, words, guess in slips_of(read, length, others):
        if matches(rates, guess, rtol):
            return code, f"they are {words}"
    if len(rates) != np.count_nonzero(asked):
        return "width-differs", (
            f"{len(rates)} pairs turn, the config asks for"
            f" {np.count_nonzero(asked)} of {read.head_dim // 2}"
        )
    if name is None or name.base is None:
        return "rates-differ", "no slip known here gives them"
    same = name.base == read.base
    code = "scaling-other" if same else "base-differs"
    return code, f"they are those of {name.text}"


def factors_of(read):
    """Yield words and values of wrong attention factors."""
    scaling = read.scaling
    asked = read.table(length=1).attention_factor
    yield "the factor is left out", 1.0
    factor = getattr(scaling, "factor", None)
    if factor is not None:
        yield "0.1 ln(factor) + 1, whatever the config", yarn_mscale(factor)
        for key in ("mscale", "mscale_all_dim"):
            if getattr(scaling, key, None) is not None:
                alone = yarn_mscale(factor, getattr(scaling, key))
                yield f"{key} alone, not the ratio of the two", alone
    yield "squared, as if for a score and not for cos and sin", asked**2
    yield "its square root", asked**0.5
    yield "its reciprocal", 1 / asked
