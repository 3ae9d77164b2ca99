"""Claims about what a score does as two tokens move apart."""

from __future__ import annotations

import numpy as np

from rope_edu.frequencies import angles, inverse_frequencies
from rope_edu.measures import mean_cosine, previous_token_norm
from rope_edu.reference import score, unrotate

from .core import Claim

HEAD = 128
RATES = inverse_frequencies(HEAD)


def _rises():
    steps = np.diff(mean_cosine(np.arange(2049), RATES))
    rises = int((steps > 0).sum())
    assert 0.4 < rises / len(steps) < 0.6
    return (f"equal vectors, 64 dials: {rises} of {len(steps)} steps away go"
            " up")


def _peak_anywhere():
    q = np.random.default_rng(0).normal(size=HEAD)
    key = unrotate(q, 500, RATES)
    scores = score(q, key, 0, np.arange(10_000), RATES)
    assert scores.argmax() == 500
    return (f"highest of 10,000 offsets at {scores.argmax()}:"
            f" {scores[500]:.0f}, against {scores[0]:.0f} at 0")


def _no_decay():
    q, k = np.random.default_rng(0).normal(size=(2, 4000, HEAD))
    spread = [score(q, k, 0, r, RATES).std() for r in (0, 100, 10_000)]
    assert np.allclose(spread, np.sqrt(HEAD), rtol=0.05)
    told = ", ".join(f"{s:.1f}" for s in spread)
    return (f"deviation at offsets 0, 100, 10000: {told}, expected"
            f" {np.sqrt(HEAD):.1f}")


def _loose_bound():
    h, told = np.ones(len(RATES)), []
    for r in (0, 100, 1000):
        turned = np.exp(1j * angles(r, RATES))
        partial = np.abs(np.cumsum(turned)).sum()
        bound = np.abs(np.diff(h, append=0)).max() * partial
        assert bound > np.sum(h) > abs(h @ turned) - 1e-9
        told.append(f"{bound:.0f}")
    return (f"equal amplitudes at offsets 0, 100, 1000: bound"
            f" {', '.join(told)}, and no score can exceed {np.sum(h):.0f}")


def _logits_fall():
    # Of standard normal q = k, divided by the root of the width.
    logits = np.sqrt(HEAD) * mean_cosine([0, 1000], RATES)
    q = np.random.default_rng(0).normal(size=(1000, HEAD))
    found = score(q, q, 0, 1000, RATES).mean() / np.sqrt(HEAD)
    assert np.isclose(found, logits[1], atol=0.3)
    assert logits[0] > 5 * logits[1]
    return (f"mean logit of a vector with itself: {logits[0]:.1f} at offset"
            f" 0, {logits[1]:.1f} at 1000; its length is kept")


def _near_is_fast():
    from rope_edu.experiments.smollm import stored

    head = stored("head")
    fast = np.array(head["wavelengths"]) < 20
    share = np.array(head["gap"])[fast].sum() / head["total"]
    assert share > 0.5
    return (f"a head of SmolLM2 that looks one token back: {share:.0%} of"
            f" the lead of distance 1 comes from the {fast.sum()} of"
            f" {len(fast)} pairs with wavelengths below 20")


def _one_dial():
    rates = inverse_frequencies(256)[:16]
    one, many = (previous_token_norm(dials, 1024) for dials in ([1.0], rates))
    assert one > 1e9 and many < 100
    return (f"squared length to look one token back among 1024: {one:.1e} with"
            f" one dial, {many:.0f} with the 16 fastest of 128")


CLAIMS = (
    Claim(
        "scores-fall-steadily",
        "The score decreases steadily with distance.",
        ("mistake-1",), "distance", "false",
        "What falls is a mean, in the long run. Step by step it rises about as"
        " often as it falls, and a single score may do anything.",
        _rises, ("self-score",)),
    Claim(
        "far-tokens-score-lower",
        "RoPE makes tokens that are far away score lower.",
        ("mistake-2",), "distance", "false",
        "Sign and peak of the score depend on query and key. A key turned"
        " back by $r$ tokens scores highest at offset $r$, for any $r$.",
        _peak_anywhere, ("moved-peak",), ("barbero2025round",)),
    Claim(
        "unrelated-vectors-fall",
        "Scores of unrelated queries and keys fall with distance.",
        ("mistake-3",), "distance", "false",
        "If their entries are independent, of mean 0 and variance 1, the score"
        " has mean 0 and the deviation $\\sqrt d$ at every offset. Only a"
        " mean $\\mu$ that is not 0 brings a fall, of"
        " $2\\mu^2\\sum_i\\cos r\\theta_i$.",
        _no_decay, ("trace", "mean-score"), ("barbero2025round",)),
    Claim(
        "abel-proves-decay",
        "Summation by parts proves that scores decay with distance.",
        ("mistake-4",), "distance", "false",
        "It proves an upper bound, and where the amplitudes do not drift"
        " slowly to 0 the bound lies above the trivial one, the sum of their"
        " sizes.",
        _loose_bound, ("abel",), ("su2024roformer",)),
    Claim(
        "orthogonal-hence-stable",
        "$R_m$ is orthogonal, so RoPE does not change the stability of a"
        " model.",
        ("A39", "mistake-9"), "distance", "imprecise",
        "Lengths are kept, so no logit exceeds the product of two of them,"
        " over $\\sqrt d$. Logits are not kept, and past the trained length"
        " orthogonality has not stopped perplexity from growing beyond a"
        " thousand.",
        _logits_fall, ("norm", "self-score"), ("chen2023pi",)),
    Claim(
        "fast-for-near-slow-for-far",
        "High frequencies are for short distances and low frequencies for long"
        " ones.",
        ("B47",), "distance", "imprecise",
        "The first half is true: a slow dial hardly moves over a short"
        " distance. But in Gemma 7B slow pairs serve heads that look for"
        " content at almost any distance, not at a long one.",
        _near_is_fast, cites=("barbero2025round",)),
    Claim(
        "one-dial-would-do",
        "A single rate proves that a head can look at the previous token, so"
        " it would do in practice.",
        ("mistake-26",), "distance", "false",
        "It would with vectors of enormous length, since some other distance"
        " nearly comes round to the same angle, as 710 does. A few fast dials"
        " together need little.",
        _one_dial, cites=("barbero2025round",)),
)
