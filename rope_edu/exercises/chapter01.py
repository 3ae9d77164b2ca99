"""Chapter 1: attention has no order."""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..symbolic import is_zero
from ._wrong import Wrong, array, call, expression, number, require

DIFFERENT = {
    "E": "in E the words before the full stop come to it changed: each has"
         " averaged over another past",
    "F": "in F the scores know how far each word stands from the CLS",
}
SAME = {
    "C": "what can the first token of a decoder see?",
    "G": "what can the first token of a decoder see, with any encoding?",
    "A": "which words does a CLS see that may look everywhere?",
    "B": "does \"chases\" see other words in the other sentence?",
    "D": "one causal layer: which words does the full stop average over?",
}
# Slips between exponentials and weights. The logarithm gives the scores back.
SHARES = (
    (lambda E: E / E.sum(axis=0),
     "the columns of the weights have the sum 1, not the rows: a query is a"
     " row"),
    (lambda E: E / E.sum(axis=1),
     "the sum of row n divides column n: keep the sums as a column"),
    (lambda E: E / E.sum(),
     "all weights together have the sum 1, and not each row"),
    (lambda E: E, "the exponentials are not divided by the sum of their row"),
    (np.log, "the weights are the scores themselves: no softmax was taken"),
)


def attend(answer):
    """1.1: a function of X, W_q, W_k, W_v that returns the new rows."""
    for seed, (rows, d) in enumerate([(3, 2), (5, 8), (4, 4)]):
        rng = np.random.default_rng(seed)
        X, W = rng.normal(size=(rows, d)), rng.normal(size=(3, d, d))
        found = array(call(answer, X, *W), (rows, d))
        right = np.allclose(found, _attention(X, *W))
        for slip, reason in _slips(X, *W):
            require(right or not np.allclose(found, slip), reason)
        require(right, f"for {rows} tokens of {d} numbers some row is not"
                " the weighted average of the values")


def _rows(E):
    return E / E.sum(axis=1, keepdims=True)


def _attention(X, W_q, W_k, W_v, scale=None, shares=_rows):
    scores = (X @ W_q.T) @ (X @ W_k.T).T / (scale or X.shape[1] ** 0.5)
    return shares(np.exp(scores)) @ (X @ W_v.T)


def _slips(X, W_q, W_k, W_v):
    """Outputs that come of one slip each, and its name."""
    return (
        (_attention(X, W_q, W_k, W_v, scale=1.0),
         "the scores are not divided by the root of d"),
        (_attention(X, W_q, W_k, W_v, scale=X.shape[1]),
         "the scores are divided by d, not by its root"),
        (_attention(X, W_q, W_k, W_v, scale=8**0.5),
         "the scores are divided by the root of 8, whatever d is"),
        (_attention(X, W_q, W_k, W_v, scale=len(X) ** 0.5),
         "the scores are divided by the root of the number of tokens"),
        (_attention(X, W_k, W_q, W_v), "query and key are exchanged"),
        (_attention(X, W_q, W_k, np.eye(len(W_v))),
         "the average is over X itself, not over the values"),
        (_attention(X, W_q.T, W_k.T, W_v.T),
         "a token is a row of X, and W a matrix for columns: transpose it"),
        *((_attention(X, W_q, W_k, W_v, shares=shares), reason)
          for shares, reason in SHARES),
    )


def same_vectors(answer):
    """1.2: letters of the readings that do not tell the sentences apart."""
    require(isinstance(answer, str), "letters are wanted, such as \"BC\"")
    found = set(answer.upper()) - set(" ,")
    require(found and found <= set("ABCDEFG"), "the letters run from A to G")
    for letter, reason in DIFFERENT.items():
        require(letter not in found, reason)
    for letter, question in SAME.items():
        require(letter in found, f"one more is the same: {question}")


def last_output(answer):
    """1.3: y_2 in z_0, z_1, z_2, v_0, v_1, v_2, a SymPy expression."""
    z, v = (sp.symbols(f"{letter}_:3", real=True) for letter in "zv")
    found = expression(answer, (*z, *v))
    require(found.free_symbols & {*z},
            "the scores do not occur: do all tokens count alike?")
    require(found.free_symbols & {*v},
            "the values do not occur: what is averaged?")
    _average([sp.diff(found, value) for value in v], z)
    places = {z[0]: z[1], z[1]: z[0], v[0]: v[1], v[1]: v[0]}
    require(is_zero(found.subs(places, simultaneous=True) - found),
            "it changes when the first two tokens change places")
    powers = [sp.exp(score) for score in z]
    wanted = sum(p * value for p, value in zip(powers, v)) / sum(powers)
    require(is_zero(found - wanted), "some weight is not that of the softmax")


def _average(weights, scores):
    require(is_zero(sum(weights) - 1),
            "the weights do not have the sum 1: is each divided by the sum?")
    require(not is_zero(weights[2]),
            "the last token sees itself too, and its own value is missing")

    def at(weight, *numbers):
        return weight.subs(dict(zip(scores, numbers)))

    require(all(is_zero(at(w, 1, 1, 1) - sp.Rational(1, 3)) for w in weights),
            "with equal scores it is not the mean of the three values")
    require(not at(weights[0], -1, 1, 1).is_negative,
            "a negative score makes a negative weight: a score of any sign"
            " has to become a positive number first")
    require(not (at(weights[0], 1, 0, 0) - sp.Rational(1, 3)).is_negative,
            "a better score makes a smaller weight")


def counter(answer):
    """1.4: value of the CLS, of all others, and how to read the place."""
    first, other, read = _three(answer)
    require(first != other,
            "an average of equal values says nothing about their number")
    for place in (0, 1, 2, 7, 40, 200):
        mean = (first + place * other) / (place + 1)
        found = _read(read, mean, place)
        require(place or abs(abs(found) - 1) > 1e-6,
                f"place {place} is read as {found:g}: the CLS stands at 0")
        shared = abs(found - place / (place + 1)) < 1e-6
        require(abs(found - place) < 1e-6,
                f"place {place} is not read back from the mean {mean:.4g}"
                + shared * ": it comes out divided by the number of tokens")


def _read(read, mean, place):
    try:
        return number(call(read, mean))
    except ZeroDivisionError as error:
        raise Wrong(f"at place {place} the mean is {mean:.4g}, and your"
                    " function divides by 0") from error


def _three(answer):
    try:
        first, other, read = answer
    except (TypeError, ValueError) as error:
        raise Wrong("two values and a function are wanted") from error
    return number(first), number(other), read


CHECKS = {"1.1": attend, "1.2": same_vectors, "1.3": last_output,
          "1.4": counter}
