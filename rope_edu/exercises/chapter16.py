"""Chapter 16: a real model, by its stored results."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise, product

import numpy as np

from ..frequencies import inverse_frequencies
from ..scaling import NTKAware
from ._wrong import Wrong, call, number, require, truth

WIDTH, BASE, PAIR = 64, 100_000.0, 20
READINGS = {"A": "none", "B": "stride 2", "C": "stride 4", "D": "shuffled"}
# What is said of two neighbors in an order that are the wrong way round.
TURNED = {
    "AB": "one of the other readings helps: it is better than no rotation",
    "CA": "positions can be worse than none",
    "DA": "a shuffled position is a wrong one: is that better than none?",
    "DB": "doubled positions keep the order of the tokens: do shuffled ones?",
    "CB": "which of the two steps is nearer to the one of the training?",
    "CD": "with steps of 4, where does a head look that wants the token"
          " before?",
}
# Position ids, and what becomes of the scores.
IDS = (
    (range(6), True, "nothing has changed"),
    (range(5000, 5006), True, "all tokens moved together"),
    (range(-3, 3), True, "a position may be negative"),
    ([7], True, "one token has no other to be apart from"),
    ([0, 0, 0, 0], False, "tokens that stand at one place have lost their"
     " order"),
    ([5, 4, 3, 2, 1, 0], False, "the offsets have changed their sign"),
    ([0, 2, 4, 6], False, "the offsets have doubled"),
    ([0, 2, 1, 3], False, "two tokens have changed places"),
    ([0, 1, 2, 4], False, "one token stands too far"),
    ([0, 1, 2, 713], False, "710 tokens are nearly 113 turns of the fastest"
     " pair, and not exactly"),
    ([10**6, 10**6 + 1], True, "large positions are as good as small ones"),
)


def needed_factor(answer):
    """16.1: the NTK-aware factor that makes pair 20 two times as slow."""
    found = number(answer)
    require(found >= 1, "a factor below 1 would make the pairs faster")
    plain = inverse_frequencies(WIDTH, BASE)[PAIR]
    slips = {
        2.0: "this factor does it to the last pair; pair 20 gets less",
        2 ** (2 * PAIR / (WIDTH - 2)): "this is by how much a factor of 2"
                                       " slows pair 20",
        2 ** (WIDTH / (2 * PAIR)): "is it the last pair that gets the whole"
                                   " factor, or the one after it?",
        2 ** (62 / 20): "a pair has two coordinates: the exponent is 2i/(d-2)",
        2 ** (62 / 42): "pairs are counted from 0: which exponent has number"
                        " 20?",
    }
    for slip, reason in slips.items():
        require(not np.isclose(found, slip, rtol=5e-3), reason)
    slower = plain / NTKAware(found).table(WIDTH, BASE).inv_freq[PAIR]
    require(np.isclose(slower, 2, rtol=2e-3),
            f"with that factor, pair 20 is {slower:.3g} times as slow")


def _letters(answer):
    return "".join(x for x in answer.upper() if x not in " ,")


def order_of_losses(answer):
    """16.2: four readings of a text, from the least loss to the largest."""
    require(isinstance(answer, str), "four letters are wanted, as in 'ABCD'")
    letters = _letters(answer)
    require(sorted(letters) == sorted(READINGS),
            "each of the letters A, B, C, D once")
    path = files("rope_edu").joinpath("data", "experiments",
                                      "smollm-positions.json")
    losses = json.loads(path.read_text("utf-8"))["result"]
    for less, more in pairwise(letters):
        if losses[READINGS[less]] > losses[READINGS[more]]:
            raise Wrong(TURNED[less + more])


def only_a_shift(answer):
    """16.3: whether position ids leave every score as it is."""
    for ids, same, reason in IDS:
        found = truth(call(answer, list(ids)), "True or False is wanted")
        require(found == same, f"{list(ids)}: {reason}")
    for ids in map(list, product(range(5), repeat=5)):
        found = truth(call(answer, ids), "True or False is wanted")
        require(found == (ids == list(range(5))), f"{ids}: look at every"
                " token, and at the one before it")


def diagnoses(answer):
    """16.4: one letter for each of the three models."""
    require(isinstance(answer, str) and len(_letters(answer)) == 3,
            "three letters are wanted, one for each model")
    letters = _letters(answer)
    require(set(letters) <= set("ABCDE"), "the letters are A to E")
    reasons = (
        {"A": "in the other layout a score is still relative",
         "C": "with another base a score is still relative",
         "D": "squeezed positions are still relative",
         "E": "384 tokens are not long, wherever they begin"},
        {"A": "would the other layout cost so little on a text?",
         "B": "its loss does not depend on where the text begins",
         "C": "would another base, so slightly off, end all copying?",
         "E": "64 tokens are not long"},
        {"A": "in the other layout a text is not read well from the start",
         "B": "rounded positions show long before 6,000",
         "C": "with another base the loss is higher from the start",
         "D": "squeezed positions fail to copy from the start"},
    )
    for i, (letter, wrong) in enumerate(zip(letters, reasons), start=1):
        if letter in wrong:
            raise Wrong(f"model {i}: {wrong[letter]}")


CHECKS = {"16.1": needed_factor, "16.2": order_of_losses,
          "16.3": only_a_shift, "16.4": diagnoses}
