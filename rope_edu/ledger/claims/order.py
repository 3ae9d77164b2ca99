"""Claims about order: what attention knows of it without any encoding."""

from __future__ import annotations

import numpy as np

from rope_edu.reference import rotate
from rope_edu.running import INV_FREQ

from .core import Claim

LAST_TWO_SWAPPED = [0, 3, 2, 1]


def _words():
    """Vectors of CLS, cat, chases and mouse, of 8 numbers each."""
    return np.random.default_rng(0).normal(size=(4, 8))


def _layer(x, causal=False, inv_freq=None):
    """One attention layer whose queries, keys and values are `x`."""
    import torch

    from rope_edu.transformer import attention_weights

    turned = x if inv_freq is None else rotate(x, range(len(x)), inv_freq)
    q = torch.from_numpy(turned)[None, None]
    allowed = torch.ones(len(x), len(x), dtype=torch.bool)
    weights = attention_weights(q, q, allowed.tril() if causal else allowed)
    return x + weights[0, 0].numpy() @ x


def _change(before, after):
    return np.linalg.norm(before - after)


def _equivariant():
    x = _words()
    open_, masked = (
        _change(_layer(x[LAST_TWO_SWAPPED], causal),
                _layer(x, causal)[LAST_TWO_SWAPPED])
        for causal in (False, True))
    assert open_ < 1e-12 and masked > 0.1
    return (f"words in another order: the outputs change places and nothing"
            f" else; behind a causal mask they change by {masked:.2f}")


def _pointwise():
    import torch

    from rope_edu.transformer import Transformer

    model = Transformer(8, 8, 1, 1, feed_forward=16, encoding="none", seed=0)
    x, feed = torch.from_numpy(_words()), model.double().blocks[0].feed
    with torch.no_grad():
        alone = torch.stack([feed(row) for row in x])
        assert torch.allclose(feed(x), alone, rtol=0, atol=1e-12)
    return ("feed-forward part of a Transformer, four words at once and one"
            " by one: the same")


def _cls():
    x, y = _words(), _words()[LAST_TWO_SWAPPED]
    plain = _change(_layer(x)[0], _layer(y)[0])
    turned = _change(_layer(x, inv_freq=INV_FREQ)[0],
                     _layer(y, inv_freq=INV_FREQ)[0])
    assert plain < 1e-12 and turned > 0.001
    return (f"CLS, cat and mouse swapped: moved by less than 1e-12 without"
            f" positions, by {turned:.3f} with RoPE")


def _cls_conditions():
    x, y = _words(), _words()[LAST_TWO_SWAPPED]
    same_words = _change(_layer(x)[0], _layer(y)[0])
    other_words = _change(_layer(x)[0], _layer(x[[0, 1, 2, 1]])[0])
    alone = _change(_layer(x, causal=True)[0], 2 * x[0])
    assert max(same_words, alone) < 1e-12 < 0.01 < other_words
    return (f"no mask, same words: 0; other words: {other_words:.2f}; behind"
            " a causal mask the first token sees itself alone")


def _convolution():
    x, kernel = np.zeros(12), np.array([1.0, 2.0, 3.0])
    x[4] = 1
    moved = np.convolve(np.roll(x, 1), kernel, "same")
    assert np.allclose(moved, np.roll(np.convolve(x, kernel, "same"), 1))
    edge = [np.convolve(np.ones(12), kernel, "same")[i] for i in (0, 5)]
    assert edge[0] != edge[1]
    return (f"a moved text moves the output; a constant one gives"
            f" {edge[0]:.0f} at the padded edge and {edge[1]:.0f} inside")


def _two_causal_layers(x):
    return _layer(_layer(x, causal=True), causal=True)


def _mask_leaks():
    x, same = _words(), np.ones((4, 1)) * _words()[0]
    first = _change(_layer(x, True)[3], _layer(x[[1, 0, 2, 3]], True)[3])
    both = _change(_two_causal_layers(x)[3],
                   _two_causal_layers(x[[1, 0, 2, 3]])[3])
    spread = np.ptp(_two_causal_layers(same), axis=0).max()
    assert first < 1e-12 and both > 0.01 and spread < 1e-12
    return (f"first two words swapped, last output of two causal layers:"
            f" moved by {both:.2f}; four equal words: outputs all alike")


def _later_layers_know():
    x = _words()[[0, 1, 2, 1]]
    first, later = (_change(y[1], y[3]) for y in (x, _layer(x, causal=True)))
    assert first == 0 and later > 0.01
    return (f"the same word twice: vectors {first:.0f} apart in the first"
            f" layer, {later:.2f} after a causal one")


CLAIMS = (
    Claim(
        "attention-knows-no-order",
        "A Transformer is $Y=F(A(X))$, and pure attention cannot see the order"
        " of its input.",
        ("A1", "B4"), "order", "conditional",
        "Without a mask, permuted input gives permuted output. A causal mask"
        " lets position leak in.",
        _equivariant, cites=("kazemnejad2023nope", "kim2025behind")),
    Claim(
        "feed-forward-knows-no-position",
        "The feed-forward network does not depend on position.",
        ("A2",), "order", "true",
        "It is applied to each token by itself, with the same weights.",
        _pointwise),
    Claim(
        "same-words-other-meaning",
        "What a sentence says depends on the places of its tokens as well as"
        " on their meanings: the cat chases the mouse, the mouse chases the"
        " cat.",
        ("A3", "B31"), "order", "true",
        "The two sentences have the same words, so without a mask only an"
        " encoding of positions lets the layer tell them apart.",
        _cls),
    Claim(
        "cls-cannot-tell",
        "Without positions, the CLS token gets the same vector for a sentence"
        " and its rearrangement.",
        ("A4",), "order", "conditional",
        "In an encoder, which has no mask, and if the two hold the same"
        " tokens equally often. In a causal decoder a CLS at the front sees"
        " nothing but itself.",
        _cls_conditions),
    Claim(
        "rnn-and-cnn-know-order",
        "RNNs and CNNs know the order by themselves; an RNN below a"
        " Transformer makes other encodings superfluous.",
        ("A5", "B19"), "order", "conditional",
        "An RNN does, in principle: what it remembers depends on the order. A"
        " CNN sees order within its kernel and moves along with its input;"
        " absolute positions reach it through the padding.",
        _convolution, cites=("su2024roformer", "liu2020floater")),
    Claim(
        "transformers-need-positions",
        "A Transformer needs a position encoding.",
        ("B3",), "order", "conditional",
        "Encoders that fill in masked words do. Causal decoders come near"
        " without: of 1.3 billion parameters, perplexity 13.10 with none,"
        " 13.05 with a learned table, 12.51 with ALiBi.",
        cites=("haviv2022nope",)),
    Claim(
        "decoders-are-order-blind",
        "Without a position encoding a decoder is blind to order.",
        ("mistake-25",), "order", "false",
        "The mask tells each token how many came before it, which two layers"
        " can use. In a text of equal tokens there is nothing to see.",
        _mask_leaks, cites=("haviv2022nope", "kazemnejad2023nope",
                            "gelberg2026drope")),
    Claim(
        "projections-know-no-position",
        "Queries and keys from linear layers do not know where their token"
        " stands.",
        ("B30",), "order", "conditional",
        "In the first layer of a model that adds no positions to its input."
        " Later layers get vectors in which positions may have leaked.",
        _later_layers_know),
)
