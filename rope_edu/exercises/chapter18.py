"""Chapter 18: counterexamples, a claim to be judged, and what > means."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..survey import models
from ._wrong import expression, number, require

RATES, TOLERANCE, LAST = np.array([1.0, 0.1]), 0.1, 1000
NAMES = ("Llama 2 7B", "OLMo 2 7B", "Llama 3 8B", "Code Llama 7B",
         "Mistral 7B v0.2", "Llama 3.1 8B", "Gemma 3 4B, global layers")
LETTERS = "ABCDEFG"
# What is said where this letter is missing or too many.
ABOUT = {
    "A": "how far does a base of 10,000 go, beside a length of 4096?",
    "B": "how far does a base of 500,000 go, beside 4096 and 8192 tokens?",
    "E": "how far does a base of a million go, beside the lengths of D and E?",
    "F": "F keeps its fast dials, and its texts are very long: do slowed dials"
         " alone last for them?",
    "G": "all rates divided by 8 move every offset out 8 times as far",
}
ABOUT |= {"C": ABOUT["B"], "D": ABOUT["E"]}


def counter_example(answer):
    """18.1: the first position that two dials take for position 0."""
    m = number(answer)
    require(m == int(m), "positions are whole numbers")
    require(m != 0, "0 and 0 are one position, not two")
    require(0 < m < LAST, f"a position from 1 to {LAST - 1} is wanted")
    away = _away(m)
    worst = int(np.argmax(away))
    require(away[worst] <= TOLERANCE, f"no counterexample: at {m:.0f} the"
            f" hand of dial {worst} is {away[worst]:.2f} rad from where it"
            " was at 0")
    smaller = np.flatnonzero((_away(np.arange(1, m)) <= TOLERANCE).all(-1))
    require(not smaller.size, "a counterexample, but there is a smaller one")


def _away(m):
    """Distance of each hand from 0, around the dial."""
    turned = np.exp(1j * np.multiply.outer(m, RATES))
    return np.abs(np.angle(turned))


def judged_models(answer):
    """18.2: models with a negative mean cosine within their length."""
    require(isinstance(answer, str), 'letters are wanted, such as "BDG"')
    letters = sorted(set(answer.upper()) - set(" ,"))
    strange = [letter for letter in letters if letter not in LETTERS]
    require(not strange, f"{', '.join(strange)} is not one of"
            f" {', '.join(LETTERS)}")
    wanted = [letter for letter, name in zip(LETTERS, NAMES)
              if _inside(models()[name])]
    require(letters != [x for x in LETTERS if x not in wanted],
            "which fall below 0, these or the others?")
    wrong = sorted(set(letters) ^ set(wanted))
    require(not wrong, "".join(ABOUT[letter] for letter in wrong[:1]))


def _inside(model):
    return model.first_negative(model.trained_length - 1) is not None


def mean_of_squares(answer):
    """18.3: limit of the mean of S(r)^2, for p different dials."""
    p = sp.symbols("p", positive=True)
    found = expression(answer, (p,))
    slips = {
        p: "the mean of a squared cosine is not 1",
        p**2 / 2: "how many of the p^2 products have two equal factors?",
        p**2 / 4: "products of different dials have the mean 0",
        p**2: "this is the value at r = 0, not the mean",
        sp.S.Zero: "this is the limit of the mean of S itself; squares are"
                   " not negative",
        sp.S.Half: "this is one dial alone",
        p / 4: "p counts dials; with p = d/2 this would be d/8",
    }
    for slip, reason in slips.items():
        require(sp.simplify(found - slip) != 0, reason)
    require(sp.simplify(found - p / 2) == 0, "multiply the sum out and take"
            " the mean of each product of two cosines")


CHECKS = {"18.1": counter_example, "18.2": judged_models,
          "18.3": mean_of_squares}
