"""Figures of where numbers are stored: codes, weights, parts of a head."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..frequencies import wavelengths
from ..layouts import pair_indices, permute_weight
from ..rosetta import groups
from ..scaling import Default, Proportional
from .dimensions import LAYOUTS, _bare, _box, _signed
from .style import DASHES, DIALS, INK, Picture, canvas


def _strip(axes, numbers, dials, size=0.86, fontsize=9.5, head=64):
    """Boxes from left to right; a dial of None stays without a color."""
    for place, (number, dial) in enumerate(zip(numbers, dials)):
        color = INK if dial is None else DIALS[dial]
        place += 0.4 * (place // head)
        box = _box(place, 0, color, size=size)
        if dial is None:
            box.set(facecolor="none", alpha=0.35, linewidth=0.8)
        axes.add_patch(box)
        axes.text(place, -0.02, _signed(str(number)), ha="center",
                  va="center", fontsize=fontsize)


def _panel(axes, title, count, top=0.6):
    _bare(axes, xlim=(-0.6, count - 0.4), ylim=(-0.6, top))
    axes.set_title(title, pad=2, fontsize=9.5)


def codes(head_dim=8, rotary_dim=4):
    """What each code has to be given: the book's numbers, in its order.

    Parameters
    ----------
    head_dim : int
        8 at most, for the four colors of the dials.
    rotary_dim : int
        Width that the partial codes turn.

    Returns
    -------
    Picture

    Examples
    --------
    >>> codes().alt.split("; ")[2]
    'half-split: 0 2 4 6 1 3 5 7'
    """
    ways = _ways()
    with canvas(len(ways), 1, height=0.62 * len(ways)) as (figure, panels):
        told = []
        for axes, (title, (code, *_)) in zip(panels, ways.items()):
            width = rotary_dim if code.partial else head_dim
            order, signs = code.signed_order(head_dim, width)
            texts = ["-" * (s < 0) + str(o)
                     for o, s in zip(order.tolist(), signs.tolist())]
            _panel(axes, f"{title} · {_named(ways[title])}", head_dim)
            _strip(axes, texts, _dials(order, width))
            told.append(f"{title}: {' '.join(texts)}")
        count = sum(map(len, ways.values()))
        return Picture(figure, f"What {count} codes have to be given, in"
                       f" {len(ways)} ways; {'; '.join(told)}.")


def _ways():
    """Codes by what they read: the order of their results sets none apart."""
    found = {}
    for code in (code for together in groups() for code in together):
        title = LAYOUTS[code.reads]
        title += ", first channels" if code.partial else ""
        title += ", turns by −θ" if code.direction < 0 else ""
        found.setdefault(title, []).append(code)
    return found


def _named(found):
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return found[0].name + more


def _dials(order, width):
    return [o // 2 if o < width else None for o in order]


def weight_rows(num_heads=2, head_dim=8, wrong=4):
    """Rows of a key projection: as they are, permuted, permuted wrongly.

    Parameters
    ----------
    num_heads, head_dim : int
        Key heads and their width, 8 at most.
    wrong : int
        Another number of heads, as of the queries.

    Returns
    -------
    Picture

    Examples
    --------
    >>> weight_rows().alt.split(". ")[1]
    'With 2 heads, 8 of 8 pairs hold one dial each; with 4, 0 of 8.'
    """
    rows = np.arange(num_heads * head_dim)
    heads = (None, num_heads, wrong)
    titles = ("rows as they are", f"permuted with {num_heads} heads: right",
              f"permuted with {wrong} heads: wrong")
    with canvas(3, 1, height=2.5) as (figure, panels):
        right = []
        for axes, title, count in zip(panels, titles, heads):
            order = rows if count is None else permute_weight(
                rows, count, "half")
            _panel(axes, title, len(rows) + 0.4 * (num_heads - 1), top=0.7)
            _strip(axes, order, order % head_dim // 2, fontsize=8.5,
                   head=head_dim)
            right.append(_whole_pairs(order, head_dim))
        pairs = len(rows) // 2
        return Picture(figure, f"{len(rows)} rows of a key projection with"
                       f" {num_heads} heads, colored by dial. With"
                       f" {num_heads} heads, {right[1]} of {pairs} pairs hold"
                       f" one dial each; with {wrong}, {right[2]} of {pairs}.")


def _whole_pairs(order, head_dim):
    """Half-split pairs whose two rows were a pair before."""
    heads = np.reshape(order, (-1, head_dim))
    one, two = (heads[:, i] for i in pair_indices(head_dim, "half"))
    return int(((two == one + 1) & (one % 2 == 0)).sum())


def parts_of_a_head(head_dim=16, share=0.25):
    """Partial and proportional: which channels turn, and with which partner.

    Parameters
    ----------
    head_dim : int
    share : float
        Of the head that turns; four pairs at most have a color.

    Returns
    -------
    Picture

    Examples
    --------
    >>> parts_of_a_head().alt.split("; ")[1]
    'proportional turns 0 1 8 9. The rest stays.'
    """
    width = int(share * head_dim)
    told = []
    with canvas(2, 1, height=1.75) as (figure, panels):
        for axes, name, whole in zip(
                panels, ("partial", "proportional"), (width, head_dim)):
            dials = _turning(head_dim, whole, width // 2)
            _panel(axes, f"{name}: partners are {whole // 2} apart",
                   head_dim, top=0.7)
            _strip(axes, range(head_dim), dials, fontsize=8.5)
            turned = [str(c) for c, d in enumerate(dials) if d is not None]
            told.append(f"{name} turns {' '.join(turned)}")
        return Picture(figure, f"Of {head_dim} half-split channels"
                       f" {'; '.join(told)}. The rest stays.")


def _turning(head_dim, whole, pairs):
    """Dial of each channel, where the first pairs of a width turn."""
    dials = [None] * head_dim
    for dial, pair in enumerate(zip(*pair_indices(whole, "half"))):
        for channel in pair if dial < pairs else ():
            dials[channel] = dial
    return dials


def part_spectra(head_dim, base, share):
    """Wavelengths of a partial and of a proportional rotation.

    Parameters
    ----------
    head_dim : int
    base : float
    share : float
        Of the head that turns.

    Returns
    -------
    Picture

    Examples
    --------
    >>> part_spectra(256, 1e6, 0.25).alt.split(": ")[1]
    'the slowest pair turns once in 4.08e+06 and 178 tokens.'
    """
    width = int(share * head_dim)
    rates = {"partial": Default().table(width, base).inv_freq,
             "proportional": Proportional(share).table(head_dim, base)[0]}
    with canvas(height=2.7) as (figure, axes):
        slowest = []
        for (name, rate), dashes in zip(rates.items(), DASHES):
            turning = wavelengths(rate[rate > 0])
            axes.plot(turning, color=INK, dashes=dashes, lw=1.2)
            axes.annotate(f"{name}, {turning[-1]:,.0f}",
                          (len(turning) - 1, turning[-1]), (6, 0),
                          textcoords="offset points", va="center")
            slowest.append(f"{turning[-1]:.3g}")
        axes.set(yscale="log", xlabel="number i of the pair",
                 ylabel="tokens per turn", xlim=(-1, width * 0.82),
                 xticks=(0, width // 4, width // 2 - 1))
        return Picture(figure, f"Tokens per turn of the {width // 2} turning"
                       " pairs, partial and proportional: the slowest pair"
                       f" turns once in {' and '.join(slowest)} tokens.")


def angle_errors(reach=52):
    """Error of the float64 angle m/10, against the position.

    Parameters
    ----------
    reach : int
        Positions next to powers of 2, up to this one.

    Returns
    -------
    Picture

    Examples
    --------
    >>> angle_errors(20).alt.split("; ")[1]
    'the largest up to 2 to the 20 is 1.2e-11 rad.'
    """
    powers = range(3, reach + 1)
    places = [2 ** p + k for p in powers for k in range(-3, 4)]
    errors = np.array([_error(m) for m in places])
    line = np.array([places[0], 2.0 ** 53])
    with canvas(height=2.9) as (figure, axes):
        axes.loglog(places, errors, ".", color=INK, ms=3)
        axes.loglog(line, line / 10 * 2.0 ** -52, color=DIALS[1])
        axes.annotate(r"$m\theta\,2^{-52}$", (2.0 ** 24, 2.0 ** 24 / 10
                      * 2.0 ** -52), (-8, 8), textcoords="offset points",
                      color=DIALS[1], ha="right")
        axes.set(xlabel="position m", ylabel="error in rad")
        axes.set_xticks([2.0 ** p for p in (10, 20, 30, 40, 50)],
                        [f"$2^{{{p}}}$" for p in (10, 20, 30, 40, 50)])
        axes.minorticks_off()
        return Picture(figure, "Error of the angle m/10 in float64, on two"
                       " logarithmic axes: it grows in proportion to m;"
                       f" the largest up to 2 to the {reach} is"
                       f" {errors.max():.2g} rad.")


def _error(m):
    return abs(float(Fraction(m * 0.1) - Fraction(m, 10)))
