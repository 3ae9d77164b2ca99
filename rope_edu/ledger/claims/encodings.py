"""Claims about the other encodings, and how RoPE compares with them."""

from __future__ import annotations

import numpy as np

from rope_edu.reference import rotate
from rope_edu.running import INV_FREQ, Q

from .core import Claim


def _made(name, width=8, heads=1, rows=512, **options):
    """An encoding with the same random start at each call."""
    import torch

    from rope_edu.encodings import make

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return make(name, width=width, heads=heads, max_positions=rows,
                    **options)


def _scores(name, first=0):
    """Scores of eight equal tokens, the first of them at `first`."""
    import torch

    encoding, ids = _made(name, causal=False), first + torch.arange(8)
    x = torch.tensor(Q.tolist(), dtype=torch.float64).expand(1, 8, 8)
    x = encoding.embed(x, ids)[:, None]
    q, k = encoding.queries(x, ids), encoding.keys(x, ids)
    scores = q @ k.mT * 8**-0.5 + encoding.bias(q, k, ids, ids)
    return scores[0, 0].detach().numpy()


def _is_relative(name):
    here, there = (_scores(name, first) for first in (0, 100))
    return np.allclose(here, there, rtol=0, atol=1e-6)


def _sinusoids(length, width=8):
    import torch

    from rope_edu.encodings import sinusoids

    return sinusoids(range(length), width, dtype=torch.float64).numpy()


def _added_once():
    before = _scores("none")
    added = _scores("sinusoidal")
    assert np.ptp(before) < 1e-12 and np.ptp(added) > 1
    return (f"eight equal tokens: their scores range over {np.ptp(before):.0f}"
            f" without and {np.ptp(added):.2f} with a vector added")


def _table(rows):
    return _made("learned", width=768, heads=12, rows=rows)


def _tables():
    sizes = {name: _table(rows).table.numel()
             for name, rows in (("BERT base", 512), ("GPT-2", 1024))}
    assert sizes["BERT base"] == 512 * 768
    return "; ".join(f"{name}: {n:,} numbers" for name, n in sizes.items())


def _refused(place):
    import torch

    try:
        _table(512).embed(torch.zeros(1, 1, 768), [place])
    except ValueError as error:
        return str(error).split(":")[0]
    raise AssertionError(f"position {place} was accepted")


def _end_of_the_table():
    return f"a table of 512 rows says: {_refused(512)}"


def _defined_everywhere():
    p = _sinusoids(513)[-1]
    assert np.allclose(p @ p, 4) and "0..511" in _refused(512)
    return (f"position 512: refused by a table of 512 rows, while the"
            f" sinusoids have a vector of length {np.linalg.norm(p):.0f}")


def _counted_from_zero():
    p = _sinusoids(5)
    assert p.shape == (5, 8) and np.array_equal(p[0], [0, 1] * 4)
    told = ", ".join(f"{x:.3f}" for x in p[:, 0])
    return f"first channel of five tokens, at 0 to 4: {told}"


def _formula():
    p, (k, i, d) = _sinusoids(1000), (999, 2, 8)
    angle = k / 10_000 ** (2 * i / d)
    assert np.allclose(p[k, 2 * i:2 * i + 2], [np.sin(angle), np.cos(angle)])
    return (f"position 999, pair 2, channels 4 and 5:"
            f" {p[k, 4]:.3f}, {p[k, 5]:.3f}, sine and cosine of {angle:.2f}")


def _pairs_of_channels():
    p = _sinusoids(50).reshape(50, 4, 2)
    assert np.allclose((p**2).sum(axis=-1), 1)
    rates = np.arctan2(*p[1].T)
    assert np.allclose(rates, INV_FREQ)
    return (f"{p.shape[1]} pairs of sine and cosine, at the rates"
            f" {', '.join(f'{rate:.3g}' for rate in rates)}")


def _shifted():
    p = _sinusoids(105)
    error = np.abs(rotate(p[:100], -5, INV_FREQ) - p[5:]).max()
    W = np.random.default_rng(0).normal(size=(8, 8))
    through = [p[m] @ W @ p[m - 3] for m in (10, 100)]
    assert error < 1e-12 and abs(np.diff(through)[0]) > 0.1
    return (f"the vector 5 tokens on is the old one, turned: error below"
            f" 1e-12; through a projection, (10, 7) and (100, 97) give"
            f" {through[0]:.2f} and {through[1]:.2f}")


def _special_solution():
    import torch

    floater = _made("floater", field="rotation")
    path = floater.path(torch.arange(1000), torch.float64).numpy()
    error = np.abs(path - _sinusoids(1000)).max()
    assert error < 1e-12
    return "1000 tokens of a skew-symmetric flow: error below 1e-12"


def _fitted_recurrence():
    rng, seen = np.random.default_rng(0), _sinusoids(1001)
    noisy = seen[:64] + 1e-3 * rng.normal(size=(64, 8))
    step = np.linalg.lstsq(noisy[:-1], noisy[1:], rcond=None)[0].T
    error = [np.abs(np.linalg.matrix_power(step, m) @ seen[0]
                    - seen[m]).max() for m in (63, 1000)]
    assert error[0] < 0.2 and error[1] > 10 * error[0]
    return (f"a linear step fitted to 64 positions: error {error[0]:.1g} at"
            f" 63, {error[1]:.1g} at 1000")


def _doubling():
    table, rounds = _sinusoids(1), 0
    while len(table) < 1024:
        more = rotate(table, -len(table), INV_FREQ)
        table, rounds = np.vstack([table, more]), rounds + 1
    assert np.allclose(table, _sinusoids(1024), rtol=0, atol=1e-12)
    return f"1024 positions of a linear recurrence in {rounds} rounds"


def _relative_ones():
    names = ("shaw", "transformer-xl", "t5", "alibi", "rope")
    assert all(map(_is_relative, names)) and not _is_relative("sinusoidal")
    return f"scores stay if all tokens move by 100: {', '.join(names)}"


def _values_too():
    import torch

    weights, ids, size = torch.full((1, 1, 4, 4), 0.25), torch.arange(4), {}
    for name in ("shaw", "t5", "rope"):
        made = _made(name).outputs(weights, ids, ids)
        size[name] = torch.as_tensor(made).detach().abs().max().item()
    assert size["shaw"] > 0 == size["t5"] == size["rope"]
    added = [name for name in size if size[name]]
    return f"of Shaw, T5 and RoPE, added to the values: {', '.join(added)}"


def _plain_products():
    p = _sinusoids(8)
    moved = np.diff(np.diagonal(p @ p.T, offset=3))
    assert np.abs(moved).max() < 1e-12 and not _is_relative("sinusoidal")
    return ("products of two sinusoidal vectors know the offset only; scores"
            " of tokens that carry them do not")


def _multiplied():
    zero = np.zeros(8)
    turned, added = rotate(zero, 3, INV_FREQ), zero + _sinusoids(4)[3]
    twice = rotate(2 * Q, 3, INV_FREQ)
    assert not turned.any() and added.any()
    assert np.allclose(twice, 2 * rotate(Q, 3, INV_FREQ))
    return (f"position 3, given a vector of zeros: length"
            f" {np.linalg.norm(turned):.0f} turned,"
            f" {np.linalg.norm(added):.0f} added")


def _by_distance():
    added = _scores("alibi") - _scores("none")
    distance = np.abs(np.subtract.outer(range(8), range(8)))
    slope = -added[0, 1]
    assert slope > 0 and np.allclose(added, -slope * distance)
    return f"ALiBi, one head: minus 1/{1 / slope:.0f} a token of distance"


def _no_parameters():
    count = {
        name: sum(x.numel() for x in _made(name, 768, 12).parameters())
        for name in ("rope", "alibi", "learned")}
    assert count["rope"] == count["alibi"] == 0 < count["learned"]
    told = ", ".join(f"{name} {n:,}" for name, n in count.items())
    return f"learned numbers: {told}"


def _both_relative():
    assert _is_relative("rope+alibi")
    both, turned, biased, plain = map(
        _scores, ("rope+alibi", "rope", "alibi", "none"))
    gap = both - turned - (biased - plain)
    assert np.allclose(gap, 0, atol=1e-6)
    return "RoPE's scores plus ALiBi's bias: they know the offset only"


CLAIMS = (
    Claim(
        "a-vector-is-added",
        "An absolute encoding is simple: to each input a vector is added that"
        " depends on the position alone, before queries, keys and values are"
        " made.",
        ("A6", "A7", "B6"), "encodings", "true",
        "One addition for each number, once, at the input. That this is"
        " simple is a matter of taste.",
        _added_once, ("four-terms",), ("su2024roformer",)),
    Claim(
        "absolute-ends-at-the-maximum",
        "An absolute encoding cannot represent positions past the maximum"
        " length.",
        ("A8",), "encodings", "conditional",
        "True of a learned table. The sinusoids are defined everywhere; a"
        " model trained on 512 or 1024 tokens gained some 20 or 50 more from"
        " that.",
        _defined_everywhere, cites=("press2022alibi",)),
    Claim(
        "tables-of-bert-and-gpt",
        "BERT and GPT learn their position vectors; BERT base has a table of"
        " $512\\times 768$ numbers.",
        ("A9", "B7"), "encodings", "true",
        "GPT-2 has 1024 rows.",
        _tables, cites=("devlin2019bert", "radford2019gpt2")),
    Claim(
        "lost-absolute-encoding",
        "A typical absolute encoding is equation (1).",
        ("A10",), "encodings", "unknown",
        "The display is lost. The appendix of lost equations puts the"
        " sinusoidal encoding there, with medium certainty: only the counting"
        " of the equations speaks for it.",
        equations=("sinusoidal",)),
    Claim(
        "relative-is-better",
        "Language is about relative positions, so absolute encodings are"
        " indirect and relative ones do better.",
        ("A11", "B26"), "encodings", "imprecise",
        "A plausible prior and no theorem. Models with absolute encodings,"
        " and with none, work; which one does better depends on the task, and"
        " in one study of length generalization RoPE was close to an absolute"
        " encoding.",
        cites=("haviv2022nope", "kazemnejad2023nope")),
    Claim(
        "offset-in-the-score-matrix",
        "A relative encoding changes the computation of the scores, so that"
        " their matrix carries relative positions.",
        ("A12",), "encodings", "conditional",
        "That is all that T5, ALiBi and RoPE do. Shaw et al. also change the"
        " values, and Transformer-XL adds terms in which only one of the two"
        " tokens appears.",
        _values_too, ("shaw-value", "transformer-xl"),
        ("shaw2018self", "dai2019transformerxl")),
    Claim(
        "no-absolute-position-needed",
        "A relative encoding need not model absolute positions.",
        ("B25",), "encodings", "true",
        "All its scores stay as they are if the whole text moves.",
        _relative_ones, ("shaw-score", "transformer-xl")),
    Claim(
        "rope-multiplies",
        "Sinusoids are added, RoPE turns queries and keys: it is a"
        " multiplicative encoding.",
        ("A43", "B48", "C2"), "encodings", "true",
        "A turn is linear in the vector and leaves 0 where it is; what is"
        " added does not depend on the vector.",
        _multiplied, ("elementwise",), ("su2024roformer",)),
    Claim(
        "input-or-attention",
        "Absolute encodings change the input, relative ones change the"
        " attention.",
        ("B5",), "encodings", "imprecise",
        "A useful division with things in between: RoPE changes each vector"
        " by its own position and makes scores relative, and FLOATER adds"
        " absolute vectors in every block.",
        cites=("su2021brains", "su2021rope", "liu2020floater")),
    Claim(
        "no-trained-rows-past-the-end",
        "A table trained on 512 positions has no trained vector past them;"
        " making new ones and training on is not extrapolation.",
        ("B8",), "encodings", "true",
        "The rows do not exist. With new ones it is another, further trained"
        " model.",
        _end_of_the_table, cites=("press2022alibi",)),
    Claim(
        "sinusoidal-formula",
        "The sinusoidal encoding has $\\sin(k/10000^{2i/d})$ in channel $2i$"
        " and the cosine in channel $2i+1$.",
        ("B9",), "encodings", "true",
        "Section 3.5 of Attention Is All You Need, with $d$ the width of the"
        " model.",
        _formula, ("sinusoidal",), ("vaswani2017attention",)),
    Claim(
        "counted-from-zero",
        "Positions are counted from 0: five tokens stand at 0 to 4.",
        ("B10", "B11"), "encodings", "true",
        "A convention, and that of this book. Since only differences count,"
        " RoPE would not notice another start.",
        _counted_from_zero),
    Claim(
        "i-counts-pairs",
        "$i$ runs from 0 to $d/2-1$ and counts pairs of channels: for $d=8$"
        " the vector is $(s_0,c_0,s_1,c_1,s_2,c_2,s_3,c_3)$.",
        ("B12", "B13", "B14"), "encodings", "true",
        "Channel $2i$ has the sine and channel $2i+1$ the cosine of one"
        " angle.",
        _pairs_of_channels, ("sinusoidal-pair",)),
    Claim(
        "a-formula-goes-on",
        "The sinusoids follow a formula, so one may expect them to"
        " extrapolate to some extent.",
        ("B17",), "encodings", "imprecise",
        "A hope of the paper that measurement hardly bears out: the gain"
        " ended after about 20 tokens for 512 and about 50 for 1024.",
        cites=("vaswani2017attention", "press2022alibi")),
    Claim(
        "shift-by-addition-theorem",
        "By the addition theorems the vector of position $\\alpha+\\beta$"
        " is made of that of $\\alpha$ and of $\\beta$, which makes"
        " relative positions possible.",
        ("B18",), "encodings", "true",
        "The shift is a rotation of each pair. It makes them possible, not"
        " certain: learned projections stand between the vectors and the"
        " score.",
        _shifted, ("shift-matrix", "moved-on")),
    Claim(
        "recursion-and-flow",
        "Position vectors can be made by recursion, $p_{k+1}=f(p_k)$; FLOATER"
        " (ICML 2020) makes a differential equation of it, with a neural"
        " network in it.",
        ("B20", "B21"), "encodings", "true",
        "In FLOATER $dp/dt=h(p,t)$, where $h$ is learned.",
        cites=("liu2020floater",)),
    Claim(
        "recursion-extrapolates",
        "Recursive encodings extrapolate better and are more flexible.",
        ("B22",), "encodings", "imprecise",
        "More flexible, yes. A learned recursion goes on past what it was"
        " fitted to, with errors that may grow at each step; the paper shows"
        " gains in translation and understanding and no long texts.",
        _fitted_recurrence, cites=("liu2020floater",)),
    Claim(
        "sinusoids-are-a-flow",
        "The sinusoidal encoding is a special solution of FLOATER.",
        ("B23",), "encodings", "true",
        "$h(p,t)=\\Omega p$ with a skew-symmetric $\\Omega$ gives it"
        " exactly, and so does the plain recursion that turns each pair.",
        _special_solution, ("sinusoidal-flow",), ("liu2020floater",)),
    Claim(
        "recursion-is-serial",
        "Recursion costs parallelism and may be a bottleneck.",
        ("B24",), "encodings", "conditional",
        "While the recursion is learned, its vectors come one after the"
        " other. Once it is fixed, a table of them is made in advance, and a"
        " linear one is made by doubling.",
        _doubling),
    Claim(
        "alibi-and-yarn-build-on-rope",
        "ALiBi and YaRN are improvements of RoPE.",
        ("C21",), "encodings", "false",
        "YaRN is one: it changes the rates. ALiBi is another encoding: it"
        " adds a bias that grows with distance, and turns nothing.",
        _by_distance, cites=("press2022alibi", "peng2024yarn")),
    Claim(
        "sinusoids-lack-relative-meaning",
        "Sinusoidal encodings map positions to vectors and lack any relative"
        " meaning.",
        ("C31",), "encodings", "imprecise",
        "The inner product of two of them depends on the offset alone."
        " Projections, and the content they are added to, undo that.",
        _plain_products, ("absolute-dot", "four-terms")),
    Claim(
        "rope-is-in-the-parameters",
        "ALiBi adds a bias to the scores and needs no change of the"
        " embeddings; RoPE is built into the parameters of the model.",
        ("C32",), "encodings", "imprecise",
        "The first half holds and is no difference: RoPE leaves the"
        " embeddings alone as well. The second does not: RoPE has no"
        " parameters.",
        _no_parameters, cites=("press2022alibi", "su2024roformer")),
    Claim(
        "rope-with-alibi",
        "RoPE and ALiBi can be combined, complement each other, and"
        " extrapolate further.",
        ("C25", "C34"), "encodings", "unknown",
        "They can be added, and the sum is relative. Whether the sum"
        " extrapolates better is not known to this book: GRAPE and others"
        " study unions at small scale, and no large model with one is known"
        " to it.",
        _both_relative, ("alibi-and-rope",), ("zhang2026grape",)),
)
