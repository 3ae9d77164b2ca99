"""What kind of rotation it is: layout, direction, rates, precision.

Each probe takes a `Case`, adds to it, and returns words for the report. It
raises `Trouble` for what it found, `NotTested` where it cannot tell.
"""

from dataclasses import replace

import numpy as np

from rope_edu.doctor.case import NotTested
from rope_edu.doctor.expected import departure, factors_of, matches
from rope_edu.doctor.model import (
    HEADS, ROUGH, SHORT, layout_of, measure, worst, wrap)
from rope_edu.doctor.naming import Name, digits, name_rates, named
from rope_edu.doctor.rounding import EPS, explain, finest, held_in
from rope_edu.doctor.subject import Trouble
from rope_edu.layouts import pair_indices
from rope_edu.scaling import DynamicNTK, YaRN, yarn_mscale

# Longer than 257 and 2049, the first whole numbers that bfloat16 and
# float16 do not hold.
LENGTHS = (64, 512, 2304)
# Rates of a float32 formula: power, exponent and quotient are rounded.
RTOL = 2e-6


def call(case):
    """Ask the same thing twice."""
    x, ids = case.vectors(1, HEADS, SHORT), np.arange(SHORT)[None]
    y = case.subject(x, ids)
    again = worst(y, case.subject(x, ids))
    if again > 0:
        raise Trouble("not-repeatable", f"the two differ by {again:.3g}")
    case.first = x, ids, y
    for name in ("backend", "dtype", "axes", "form"):
        key = "position_ids" if name == "form" else name
        case.facts[key] = getattr(case.subject, name)
    return "the same call gives the same result"


def pairs(case):
    """Find the pairs, and whether the map is linear."""
    case.model, case.tables = measure(case.subject)
    x, ids, y = case.first
    gap = worst(y, case.model.rotate(x, ids))
    if gap > case.tol:
        raise Trouble(
            "not-linear",
            f"a random x is off by {gap:.3g} from what unit vectors give",
        )
    _describe(case)
    return f"unit vectors predict a random x to {gap:.1g}"


def _describe(case):
    model, facts, (name, width) = case.model, case.facts, layout_of(case.model)
    facts["layout"] = name
    if name == "other":
        facts["pairs"] = np.stack([model.first, model.second], -1)
    facts["rotary_dim"] = 2 * len(model.first)
    facts["paired_over"] = width or model.head_dim
    facts["first_channel"] = int(model.first[0])
    other = "interleaved" if name == "half" else "half"
    facts[f"order_to_{other}"] = order_to(other, model)
    if not np.array_equal(model.place, np.arange(model.head_dim)):
        facts["stored_at"] = model.place


def zero(case):
    """Look at position 0, which must leave x as it is."""
    model = case.model
    if model.shift:
        told = f"position 0 is turned as position {model.shift:g}"
        raise Trouble("position-shifted", told)
    if "stored_at" in case.facts:
        return "nothing is turned, but channels change their place"
    return "nothing is turned"


def order_to(layout, model):
    """Return P such that x[..., P] has its pairs in a layout.

    Channels that do not turn keep their place as far as they can.
    """
    count, start = len(model.first), int(model.first.min())
    one, two = pair_indices(2 * count, layout)
    order = np.arange(model.head_dim)
    turning = np.concatenate([model.first, model.second])
    rest = np.setdiff1d(order, turning)
    places = np.setdiff1d(order, start + np.concatenate([one, two]))
    order[start + one], order[start + two] = model.first, model.second
    order[places] = rest
    return order


def text(case, size):
    """Return angle and modulus, (position, pair), in a text of one vector."""
    x = np.broadcast_to(
        case.vectors(1, HEADS, 1), (1, HEADS, size, case.subject.head_dim)
    )
    y = case.subject(x, np.arange(size)[None])
    return turned(case.model, x[0, 0], y[0, 0])


def turned(model, x, y):
    """Return angle and modulus by which the pairs of x became those of y."""
    y = y[..., model.place]
    before = x[..., model.first] + 1j * x[..., model.second]
    ratio = (y[..., model.first] + 1j * y[..., model.second]) / before
    return np.angle(ratio), np.abs(ratio)


def length(case):
    """Ask longer texts for the angles of the first positions."""
    _follow_config(case)
    known = np.arange(SHORT)[:, None]
    for size in LENGTHS:
        try:
            angle, modulus = text(case, size)
        except Trouble as trouble:
            if trouble.code != "raises":
                raise
            case.facts["refuses_text_of"] = f"{size}: {trouble.evidence}"
            break
        ids = known + case.model.shift
        gap = wrap(angle[:SHORT] - ids * case.model.rates_for(size))
        if worst(gap, 0) > max(ROUGH, 4 * case.model.noise):
            _depends(case, size, gap)
        case.texts[size], case.longest = (angle, modulus), size
    if not case.texts:
        told = case.facts["refuses_text_of"]
        raise Trouble("raises", f"a text of {told}")
    return f"the same rates in texts of {SHORT} to {case.longest} tokens"


def _depends(case, size, gap):
    if case.config is not None and case.config.scaling.depends_on_length:
        raise NotTested("the rates follow the length, but not the config")
    pair = int(np.abs(gap[-1]).argmax())
    raise Trouble(
        "length-dependent",
        f"at position 7 pair {pair} is turned by {gap[-1, pair]:+.3g} rad"
        f" more in a text of {size} tokens than in one of {SHORT}",
    )


def _follow_config(case):
    """Let the config predict rates that follow the length, if it fits."""
    config, rates = case.config, np.abs(case.model.rates)
    if config is None or not config.scaling.depends_on_length:
        return
    if matches(rates, config.table(length=SHORT).inv_freq, 100 * ROUGH):
        case.model = replace(case.model, config=config)


def angles(case):
    """Sharpen the rates, and look at every position of the longest text."""
    if not case.texts:
        raise NotTested("no text is long enough")
    if case.model.config is None:
        for size, (angle, _) in case.texts.items():
            places = 2 ** np.arange(int(np.log2(size - 1)) + 1)
            case.model = sharpened(case.model, angle[places], places)
    size = max(case.texts)
    angle, _ = case.texts[size]
    ids = np.arange(size) + case.model.shift
    rates = case.model.rates_for(size)
    gap = np.abs(wrap(angle - ids[:, None] * rates))
    allowed = case.slack(ids)
    if (gap > allowed).any():
        return _blame(case, angle, ids, gap > allowed)
    # Cosine and sine cost an angle one rounding, its product another.
    case.eps = float((gap / (1 + ids[:, None] * np.abs(rates))).max())
    case.facts["precision"] = f"angles as in {finest(case.eps)}"
    return f"position times rate to {gap.max():.1g} rad up to {size - 1}"


def sharpened(model, angle, places):
    """Return the model with rates from the longest lever.

    `places` are powers of two, exact in every dtype; each gives the next one
    its guess. `angle` has one row for each.
    """
    rates, noise = model.rates.copy(), max(model.noise, 1e-6)
    for row, place in zip(angle, places + model.shift):
        step = wrap(row - place * rates)
        # More than rounding can do: a short table, or bent positions.
        if (np.abs(step) > 20 * noise + place * 2**-20 * np.abs(rates)).any():
            break
        rates += step / max(place, 1)
    return replace(model, rates=rates)


def _blame(case, angle, ids, bad):
    rates, fits = case.model.rates, case.slack(ids)
    exact = name_of(case, 2.0**-7)
    exact = rates if exact is None else exact.rates * case.model.direction
    found = explain(angle, ids, exact, fits)
    at = int(np.nonzero(bad.any(axis=1))[0][0])
    pair = int(bad[at].argmax())
    seen = (
        f"first at position {at}: pair {pair} is off by"
        f" {wrap(angle[at, pair] - ids[at] * rates[pair]):+.3g} rad"
    )
    if found:
        case.steps = found[0]
        for step in found[0]:
            case.found(f"precision-{step}", f"as if in {found[1]}; {seen}")
        case.facts["precision"] = f"{' and '.join(found[0])} in {found[1]}"
        return ""
    _end_of_table(case, angle, at, bad, seen)
    return ""


def _end_of_table(case, angle, at, bad, seen):
    looks = _past_the_end(case, angle, at)
    place = effective(case, angle[at])
    bent = looks is None and place is not None
    if at < SHORT or bent or bad[at:].any(axis=1).mean() < 0.9:
        like = "" if place is None else f", as if at {place:.4g}"
        raise Trouble("angle-not-linear", f"{seen}{like}")
    case.longest = at
    raise Trouble(
        "range-silent",
        f"a text of {len(angle)} tokens: from position {at} on the turn is"
        f" wrong; {at} is turned as {looks or 'no position'}",
    )


def _past_the_end(case, angle, at):
    """Return words if positions from `at` on are clamped or start anew."""
    last = np.full(len(angle) - at, at - 1)
    again = np.arange(len(last)) % at
    for words, ids in ((f"position {at - 1}", last), ("position 0", again)):
        gap = np.abs(wrap(angle[at:] - ids[:, None] * case.model.rates))
        if (gap <= case.slack(ids)).all():
            return words
    return None


def effective(case, angle):
    """Return the position that all pairs agree to be turned by, or None."""
    rates = case.model.rates
    slow = int(np.abs(rates).argmin())
    place = float(angle[slow] / rates[slow])
    gap = np.abs(wrap(angle - place * rates))
    return place if (gap < 0.05).all() else None


def name_of(case, rtol):
    """Return the `Name` of the rates, good to `rtol` and the noise."""
    rates = case.model.rates * case.model.direction
    lever = max(case.model.noise, case.eps) / max(case.longest, SHORT)
    rtol = rtol + 2 * lever / np.maximum(np.abs(rates), 1e-300)
    layout, width = layout_of(case.model)
    skip = int(case.model.first[0]) // (2 if layout == "interleaved" else 1)
    return name_rates(rates, width, case.model.head_dim, rtol, skip)


def tables(case):
    """Look at the bits of cosine, sine and result."""
    x, _, y = case.first
    if case.model.shift == 0 and abs(case.model.factor - 1) < ROUGH:
        start = y[0, :, 0][:, case.model.place]
        gap = worst(start, x[0, :, 0])
        dtype = held_in(start, 1e-12)
        if gap > 1e-6 and dtype:
            raise Trouble(
                "precision-arithmetic",
                f"position 0 rounds x to {dtype}, by up to {gap:.2g}",
            )
    inner = case.tables[1:]
    for values in (inner, inner / case.model.factor):
        dtype = held_in(values, 1e-12)
        if dtype:
            gap = EPS[dtype]
            raise Trouble(
                "precision-tables",
                f"all cosines and sines of positions 1 to 7 are exact in"
                f" {dtype}, for x in {case.subject.dtype}: each is off by up"
                f" to {gap:.1g}",
            )
    return "cosine and sine have the bits of float32 or more"


def frequencies(case):
    """Give the rates a name."""
    model, facts = case.model, case.facts
    rates = model.rates_for(SHORT) * model.direction
    facts["direction"] = "+" if model.direction > 0 else "-"
    facts["inv_freq"] = rates
    facts["attention_factor"] = round(model.factor, 7)
    coarse = None
    case.name = _asked_for(case, rates) or name_of(case, RTOL)
    if case.name is None or case.name.slip:
        coarse = None if "angles" in case.steps else _coarse(case, rates)
        case.name = _rough_name(case, coarse) or case.name
    name = case.name or Name("no formula known here", None, None, rates)
    facts["rates"], facts["base"] = name.text, name.base
    known = name.scaling is not None
    facts["scaling"] = type(name.scaling).__name__ if known else None
    _judge(case, rates, coarse)
    if _unasked(case, model.factor):
        told = f"norms are multiplied by {model.factor:.6g}"
        case.found("norm-scaled", told)
    return _agreement(case, rates)


def _asked_for(case, rates):
    """Return the name that the config gives, if the rates are its own."""
    read = case.config
    if read is None:
        return None
    asked = read.table(length=SHORT).inv_freq
    if not matches(rates, asked, _config_rtol(case, rates)):
        return None
    return named(read.scaling, read.base, asked)


def _agreement(case, rates):
    if case.name is None:
        lever = max(case.model.noise, case.eps) / max(case.longest, SHORT)
        gap = np.median(case.eps + lever / np.abs(rates))
        return f"{len(rates)} rates, to about {digits(gap)} digits"
    gap = np.abs(wrap(rates - case.name.rates) / case.name.rates).max()
    return f"{len(rates)} rates, those of the formula to {gap:.1g}"


def _coarse(case, rates):
    allowed = 2e-7 * np.abs(rates)
    allowed += max(case.model.noise, 1e-7) / max(case.longest, SHORT)
    # Round numbers, such as 1 and 0.75, are exact everywhere by design.
    bits = 16 * np.frexp(rates)[0]
    if (np.abs(bits - bits.round()) < 1e-5).all():
        return None
    return held_in(rates, allowed)


def _rough_name(case, coarse):
    if coarse is None and not case.steps:
        return None
    return name_of(case, 2.0**-7 if coarse != "float16" else 2.0**-10)


def _judge(case, rates, coarse):
    name = case.name
    if coarse:
        off = ""
        if name is not None:
            gap = np.abs(rates / name.rates - 1)
            off = f", off by up to {gap.max():.2g} of their size"
        case.found(
            "precision-frequencies", f"all rates are exact in {coarse}{off}"
        )
    elif name is not None and name.slip:
        case.found(name.slip, f"the rates are {rates[:3].round(4).tolist()}"
                   f", ...: {name.text}")
    elif name is None and (rates < 0).any():
        odd = np.nonzero(rates < 0)[0].tolist()
        case.found("direction-mixed", f"pairs {odd} turn against the others")
    elif name is None and case.config is None:
        _judge_unnamed(case, rates)


def _judge_unnamed(case, rates):
    if (rates[1:] > rates[:-1] * (1 + 1e-5)).any():
        at = int(np.argmax(rates[1:] / rates[:-1]))
        case.found(
            "rates-garbage",
            f"pair {at + 1} turns by {rates[at + 1]:.4g} rad per token, pair"
            f" {at} by {rates[at]:.4g}",
        )


def norm(case):
    """Compare norms, over all pairs and positions of the longest text."""
    if not case.texts:
        raise NotTested("no text is long enough")
    _, modulus = case.texts[max(case.texts)]
    modulus = modulus[: case.longest]
    low, high = modulus.min(), modulus.max()
    if high - low > 0.02 * high:  # rounded tables: half a percent
        ends = modulus[[0, -1], 0].round(4).tolist()
        raise Trouble(
            "norm-changes",
            f"pairs are multiplied by {low:.4g} to {high:.4g}; pair 0 at the"
            f" first and last position: {ends}",
        )
    factor = case.model.factor
    return f"multiplied by {factor:.7g} everywhere, to {high - low:.1g}"


def _unasked(case, factor):
    """Say whether rates with a name leave no reason for a factor."""
    if case.config is not None or case.name is None:
        return False
    factors = [1.0]
    if isinstance(case.name.scaling, YaRN):
        factors.append(yarn_mscale(case.name.scaling.factor))
    return min(abs(factor / usual - 1) for usual in factors) > 3 * ROUGH


def layout(case):
    """Compare the layout with the one that was asked for."""
    asked = case.layout or (case.config.layout if case.config else None)
    if asked is None:
        raise NotTested("no layout was asked for")
    name, _ = layout_of(case.model)
    if name in (asked, "either"):
        return asked
    order = order_to(asked, case.model).tolist()
    raise Trouble(
        "layout-differs",
        f"it is {name}, asked for is {asked}; x[..., P] becomes {asked} with"
        f" P = {order}",
    )


def config(case):
    """Compare with the config."""
    if case.config is None:
        raise NotTested("no config was given")
    model, read = case.model, case.config
    rates = np.abs(model.rates_for(SHORT))
    rtol = _config_rtol(case, rates)
    gone = departure(read, rates, SHORT, rtol, case.others, case.name)
    if gone and not (case.name and case.name.slip):
        asked = read.table(length=SHORT).inv_freq
        case.found(gone[0], f"{_apart(rates, asked)}: {gone[1]}")
    name, width = layout_of(model)
    if not gone and name == "half" and width != read.rotary_dim:
        case.found(
            "pairing-differs",
            f"channel i is paired with i + {width // 2}, the config asks for"
            f" i + {read.rotary_dim // 2}",
        )
    if model.direction < 0:
        case.found("direction-differs", "every pair turns by -m theta")
    _compare_factor(case)
    if not gone:
        _compare_switch(case)
    return "rates and attention factor are those of the config"


def _config_rtol(case, rates):
    """Return how far rates may be from the config's, relative."""
    rough = {"precision-frequencies", "precision-angles"} & set(case.noted)
    lever = 4 * max(case.model.noise, 1e-7) / max(case.longest, SHORT)
    return (2**-7 if rough else 5 * RTOL) + lever / np.abs(rates)


def _apart(rates, asked):
    count = min(len(rates), len(asked))
    pair = int(np.abs(1 - asked[:count] / rates[:count]).argmax())
    return (
        f"pair {pair} turns by {rates[pair]:.6g} rad per token, the config"
        f" asks for {asked[pair]:.6g}"
    )


def _compare_factor(case):
    asked = case.config.table(length=SHORT).attention_factor
    factor = case.model.factor
    near = max(1e-5, 2 * case.model.noise)
    if abs(factor - asked) <= near:
        return
    cause = None
    for words, value in factors_of(case.config):
        if cause is None and abs(factor - value) <= near:
            cause = f"What fits: {words}."
    case.found(
        "attention-factor-differs",
        f"the factor is {factor:.8g}, the config asks for {asked:.8g}",
        cause=cause,
    )


def _compare_switch(case):
    """Ask on both sides of the length where the table changes."""
    scaling = case.config.scaling
    if not scaling.depends_on_length:
        return
    start = scaling.original_length
    # The second again, after a longer text.
    sizes = (start, start + 1, 2 * start, start + 1)
    used = [_table_at(case, size, sizes) for size in sizes]
    wrong = {s: guess for s, guess in zip(sizes, used) if s != guess}
    if wrong:
        code = _name_switch(scaling, wrong)
        case.found(code, "; ".join(
            f"a text of {size} tokens gets the rates for {guess or 'no'}"
            " tokens" for size, guess in wrong.items()
        ))
        if code == "scaling-ignored":  # one set of rates predicts the rest
            rates = case.model.rates_for(start)
            case.model = replace(case.model, config=None, rates=rates)


def _name_switch(scaling, wrong):
    start, late = scaling.original_length, 2 * scaling.original_length
    if any(guess and guess > size > start for size, guess in wrong.items()):
        return "history-length"
    if None in wrong.values():
        return "rates-differ"
    if isinstance(scaling, DynamicNTK) and wrong.get(late) == start:
        return "scaling-ignored"
    alone = len(wrong) == 1 and late not in wrong
    return "switch-off-by-one" if alone else "scaling-static"


def _table_at(case, size, sizes):
    """Return the length whose table a text of `size` tokens is turned by."""
    ids = np.array([[1, size - 1]])
    x = case.vectors(1, HEADS, 2)
    if size <= 8192:
        ids, x = np.arange(size)[None], case.vectors(1, HEADS, size)
    y, allowed = case.subject(x, ids), np.maximum(case.tol, ids * 2**-20)
    for guess in (size, *sizes, *LENGTHS):
        model = replace(case.model, config=None)
        table = case.config.table(length=guess)
        rates = case.model.direction * table.inv_freq[: len(model.rates)]
        model = replace(model, rates=rates)
        gap = np.abs(y - model.rotate(x, ids)).max(axis=(1, 3))
        if (gap < allowed).all():
            return guess
    return None
