"""Figures of the court: its verdicts, and answers to some of the claims."""

from __future__ import annotations

import textwrap

import numpy as np

from ..ledger.claims import TOPICS, VERDICTS
from .style import COLORS, DASHES, INK, Picture, canvas


def verdicts(claims):
    """How many claims of each topic got which verdict.

    Parameters
    ----------
    claims : iterable of Claim

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.ledger.claims import CLAIMS
    >>> verdicts([CLAIMS["equal-steps"], CLAIMS["cls-cannot-tell"]]).alt
    '2 claims: 1 true, 1 conditional, 0 imprecise, 0 false, 0 unknown.'
    """
    counted = np.zeros((len(TOPICS), len(VERDICTS)), dtype=int)
    for claim in claims:
        counted[list(TOPICS).index(claim.topic),
                list(VERDICTS).index(claim.verdict)] += 1
    with canvas(height=3.6) as (figure, axes):
        for (row, column), number in np.ndenumerate(counted):
            _disc(axes, column, row, number, counted.max())
        axes.set(xlim=(-0.6, len(VERDICTS) - 0.4),
                 ylim=(len(TOPICS) - 0.4, -0.6))
        axes.set_yticks(range(len(TOPICS)), [
            textwrap.fill(topic, 15) for topic in TOPICS.values()])
        axes.set_xticks(range(len(VERDICTS)), VERDICTS, fontsize=8.5)
        axes.tick_params(length=0, top=True, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        told = ", ".join(f"{number} {verdict}" for verdict, number
                         in zip(VERDICTS, counted.sum(axis=0)))
        return Picture(figure, f"{counted.sum()} claims: {told}.")


def _disc(axes, x, y, number, largest):
    """A disc whose area is the number; none at all for 0."""
    if number:
        axes.scatter(x, y, s=650 * number / largest, lw=0,
                     color=(COLORS["q"], 0.25))
    axes.text(x, y, number or "\u2013", ha="center", va="center")


def reported(rows, cases):
    """Published accuracies, with the error that chance alone makes.

    Parameters
    ----------
    rows : dict of str to (float, float)
        Percent right on the validation and on the test part.
    cases : int
        How many cases the test part has.

    Returns
    -------
    Picture

    Examples
    --------
    >>> reported({"a": (50, 60), "b": (70, 80)}, 100).alt
    'Percent of the test part, with a standard error. a: 60.00 ± 4.90, b: 80.00
    ± 4.00.'
    """
    told = []
    with canvas(height=0.9 + 0.38 * len(rows)) as (figure, axes):
        for row, (name, (first, second)) in enumerate(rows.items()):
            error = np.sqrt(second * (100 - second) / cases)
            axes.errorbar(second, row, xerr=error, color=COLORS["q"],
                          marker="o", ms=5, lw=1.2)
            axes.plot(first, row, "s", ms=5, mew=1.2, color=COLORS["k"],
                      fillstyle="none")
            told.append(f"{name}: {second:.2f} ± {error:.2f}")
        axes.set_yticks(range(len(rows)), rows)
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="percent right\n"
                 "● test, ± one standard error   □ validation")
        axes.grid(axis="y")
        axes.tick_params(axis="y", length=0)
        axes.xaxis.label.set_size(8.5)
        return Picture(figure, "Percent of the test part, with a standard"
                       f" error. {', '.join(told)}.")


def within(curves):
    """Part of the attention on the nearest tokens.

    Parameters
    ----------
    curves : dict of str to array_like, shape (n,)
        Logits of keys 0 to ``n - 1`` tokens back; five at most, RoPE first.

    Returns
    -------
    Picture

    Examples
    --------
    >>> within({"flat": np.zeros(8), "steep": -np.arange(8)}).alt
    'Part of the attention on the nearest of 8 tokens: flat 0.12, steep
    0.63.'
    """
    told, tokens = [], len(next(iter(curves.values())))
    near = max(1, tokens // 16)
    with canvas(height=3.0) as (figure, axes):
        for (name, logits), color, dashes in zip(
                curves.items(), (COLORS["q"], *4 * [INK]),
                (*DASHES, (1, 3))):
            weights = np.exp(logits - np.max(logits))
            share = weights.cumsum() / weights.sum()
            axes.plot(np.arange(1, tokens + 1), share, color=color,
                      dashes=dashes, label=name)
            told.append(f"{name} {share[near - 1]:.2f}")
        axes.set(xscale="log", ylim=(0, 1.03), xlabel="nearest tokens",
                 ylabel="part of the attention")
        axes.xaxis.set_major_formatter(lambda n, _: f"{n:g}")
        figure.legend(loc="outside upper center", ncols=2, handlelength=3.2)
        nearest = f"{near} nearest" if near > 1 else "nearest"
        return Picture(figure, f"Part of the attention on the {nearest} of"
                       f" {tokens} tokens: {', '.join(told)}.")


def peaks(curves):
    """Logits over the distance, and where each is highest.

    Parameters
    ----------
    curves : dict of str to array_like, shape (n,)
        Logits of keys 0 to ``n - 1`` tokens back.

    Returns
    -------
    Picture

    Examples
    --------
    >>> peaks({"a": [0, 2, 1], "b": [1, 0, 0]}).alt
    'Logit against distance, highest so many tokens back: a 1, b 0.'
    """
    told = []
    with canvas(len(curves), 1, height=0.6 + 0.9 * len(curves), sharex=True,
                sharey=True, squeeze=False) as (figure, rows):
        for axes, (name, logits) in zip(rows[:, 0], curves.items()):
            at = int(np.argmax(logits))
            axes.plot(logits, color=COLORS["q"], lw=1)
            axes.plot(at, logits[at], "o", color=COLORS["k"], ms=5)
            axes.set_title(f"{name}: highest {at} tokens back")
            told.append(f"{name} {at}")
        rows[len(rows) // 2, 0].set_ylabel("logit")
        rows[-1, 0].set_xlabel("tokens from the query back to the key")
        return Picture(figure, "Logit against distance, highest so many"
                       f" tokens back: {', '.join(told)}.")
