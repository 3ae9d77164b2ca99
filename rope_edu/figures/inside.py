"""Figures of a rotation inside attention: where it stands, what it costs."""

from __future__ import annotations

import numpy as np
import torch

from ..encodings import Sizes, make
from ..transformer import Attention, Rows, attention_weights
from .dimensions import _bare
from .style import COLORS, DASHES, DIALS, INK, Picture, canvas

WIDTH, HEADS, KEY_HEADS = 32, 4, 2
# A changed number in float64, and not the rounding of another angle.
CHANGED = 1e-9
# Far above what float32 leaves of a logit, far below what a fault does.
NOISE = 1e-4

# Middle of each box, what stands in it, and the boxes that lead to it.
BOXES = {
    "x": (0, 1.3, "x", ()),
    "q": (1.45, 2.6, "$W_q x$", ("x",)),
    "k": (1.45, 1.3, "$W_k x$", ("x",)),
    "v": (1.45, 0, "$W_v x$", ("x",)),
    "turned q": (2.95, 2.6, "$R_m q$", ("q",)),
    "turned k": (2.95, 1.3, "$R_n k$", ("k",)),
    "scores": (4.45, 1.95, "scores", ("turned q", "turned k")),
    "weights": (6.05, 1.95, "softmax", ("scores",)),
    "average": (6.05, 0, "average", ("weights", "v")),
    "output": (7.3, 0, "y", ("average",)),
}
NOTES = {"q": "4 heads", "k": "2 heads", "v": "2 heads", "x": "input",
         "output": "output"}
TINTS = {"q": COLORS["q"], "turned q": COLORS["q"], "k": COLORS["k"],
         "turned k": COLORS["k"]}


def parts(first=0, length=5, seed=0):
    """All that one causal layer with RoPE computes for a random text.

    Four query heads, two heads of keys and values, eight channels each.

    Parameters
    ----------
    first : int
        Position of the first token.
    length : int
        Tokens.
    seed : int
        Of the weights and of the text.

    Returns
    -------
    dict of str to torch.Tensor

    Examples
    --------
    >>> found = parts()
    >>> found["turned k"].shape, found["weights"].shape
    (torch.Size([1, 2, 5, 8]), torch.Size([1, 4, 5, 5]))
    """
    sizes = Sizes(WIDTH, HEADS, KEY_HEADS)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        layer, rope = Attention(sizes).double(), make("rope", **vars(sizes))
        x = torch.randn(1, length, WIDTH, dtype=torch.float64)
        return _steps(layer, rope, x, first + torch.arange(length)[None])


def _steps(layer, rope, x, ids):
    q, k, v = (part(x).unflatten(-1, (-1, 8)).transpose(1, 2)
               for part in (layer.query, layer.key, layer.value))
    turned = {"turned q": rope.queries(q, ids), "turned k": rope.keys(k, ids)}
    keys, values = (t.repeat_interleave(HEADS // KEY_HEADS, 1)
                    for t in (turned["turned k"], v))
    allowed = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    weights = attention_weights(turned["turned q"], keys, allowed)
    y, seen, _ = layer(x, Rows(ids, ids, allowed[None, None]), rope)
    torch.testing.assert_close(weights, seen)
    return {"x": x, "q": q, "k": k, "v": v, **turned,
            "scores": turned["turned q"] @ keys.mT / 8**0.5,
            "weights": weights, "average": weights @ values, "output": y}


def layer(shift=100):
    """One attention layer, and what changes in it if a text moves on.

    It is measured: `parts` at two places.

    Parameters
    ----------
    shift : int
        Tokens.

    Returns
    -------
    Picture

    Examples
    --------
    >>> layer().alt.split(": ")[2]
    'turned q, turned k.'
    """
    here, there = parts(0), parts(shift)
    moved = [name for name in BOXES
             if (here[name] - there[name]).abs().max() > CHANGED]
    with canvas(height=2.95) as (figure, axes):
        _bare(axes, xlim=(-0.5, 7.75), ylim=(-0.95, 3.6))
        for name, (x, y, text, sources) in BOXES.items():
            _part(axes, (x, y), text, TINTS.get(name, INK), name in moved)
            for source in sources:
                _arrow(axes, source, name)
        for name, text in NOTES.items():
            x, y = BOXES[name][:2]
            axes.text(x, y - 0.5, text, ha="center", va="top", fontsize=8.5)
        axes.text(2.95, 3.15, f"differ {shift} tokens on", ha="center")
        return Picture(figure, "One layer, from left to right: x; q, k and"
                       " v; q and k turned; scores; softmax; average; y. Of"
                       f" its ten arrays these change if the text moves on by"
                       f" {shift} tokens: {', '.join(moved)}.")


def _part(axes, middle, text, color, filled):
    from matplotlib.patches import FancyBboxPatch

    half = _half(text)
    axes.add_patch(FancyBboxPatch(
        (middle[0] - half, middle[1] - 0.38), 2 * half, 0.76,
        boxstyle="round,pad=0,rounding_size=0.12", edgecolor=color,
        facecolor=color + ("48" if filled else "00"),
        lw=2.2 if filled else 1, clip_on=False))
    axes.text(*middle, text, ha="center", va="center", fontsize=9)


def _half(text):
    return 0.6 if len(text) > 5 and "$" not in text else 0.42


def _arrow(axes, source, name):
    (a, b, text, _), (x, y, other, _) = BOXES[source], BOXES[name]
    if a == x:
        ends = (a, b - 0.38), (x, y + 0.42)
    else:
        ends = (a + _half(text), b), (x - _half(other) - 0.04, y)
    axes.annotate("", ends[1], ends[0], arrowprops={
        "arrowstyle": "-|>", "color": INK, "lw": 0.9, "shrinkA": 0,
        "shrinkB": 0})


def same_offset(lines):
    """Scores at one offset while query and key move on together.

    Parameters
    ----------
    lines : dict of str to array_like, shape (n,)
        Scores by the number of tokens that both have moved on: first those
        of a rotation after the projection, then others.

    Returns
    -------
    Picture

    Examples
    --------
    >>> same_offset({"after": [1, 1], "before": [1, -2]}).alt[-41:]
    'after 1.00 to 1.00, before -2.00 to 1.00.'
    """
    with canvas(height=2.7) as (figure, axes):
        for (name, scores), color, dashes in zip(
                lines.items(), (COLORS["q"], COLORS["k"]), DASHES):
            axes.plot(scores, color=color, dashes=dashes)
            at = int(np.argmax(scores))
            axes.annotate(name, (at, scores[at]), (0, 5), ha="center",
                          textcoords="offset points", color=color)
        axes.margins(y=0.15)
        axes.set(xlabel="tokens that both have moved on", ylabel="score")
        told = ", ".join(f"{name} {min(s):.2f} to {max(s):.2f}"
                         for name, s in lines.items())
        return Picture(figure, "Score of one query and one key at one offset,"
                       f" while both move on: {told}.")


def readable(found):
    """How well the place of a token can be read, layer by layer.

    Parameters
    ----------
    found : dict of str to sequence of float
        Shares of the variance, for the input of each layer.

    Returns
    -------
    Picture

    Examples
    --------
    >>> readable({"RoPE": [0.0, 0.9]}).alt
    'Share of the place that is read. RoPE: 0.00, 0.90.'
    """
    with canvas(height=2.7) as (figure, axes):
        for (name, shares), color, dashes in zip(
                found.items(), (COLORS["q"], INK, *DIALS), DASHES):
            axes.plot(range(1, len(shares) + 1), shares, "o", ms=5,
                      color=color)
            axes.plot(range(1, len(shares) + 1), shares, color=color,
                      dashes=dashes, label=name)
        axes.set(xlabel="input of layer", ylabel="share that is read",
                 ylim=(-0.08, 1.08), xticks=range(1, len(shares) + 1))
        axes.legend(loc="center right")
        told = "; ".join(f"{name}: {', '.join(f'{abs(s):.2f}' for s in row)}"
                         for name, row in found.items())
        return Picture(figure, f"Share of the place that is read. {told}.")


def who_sees(rows):
    """Offsets of all keys that each query sees, for rows of a batch.

    Parameters
    ----------
    rows : dict of str to (position_ids, allowed)
        Arrays of shape (tokens,) and (tokens, tokens).

    Returns
    -------
    Picture

    Examples
    --------
    >>> ids, allowed = np.arange(2), np.tri(2, dtype=bool)
    >>> who_sees({"alone": (ids, allowed)}).alt.split(": ")[1]
    'alone 3 of 4, offsets -1 to 0.'
    """
    told = []
    with canvas(1, len(rows), height=2.75, squeeze=False) as (figure, panels):
        for axes, (name, (ids, allowed)) in zip(panels[0], rows.items()):
            ids, allowed = np.asarray(ids), np.asarray(allowed)
            offsets = (ids - ids[:, None])[allowed]
            _offsets(axes, ids, allowed)
            axes.set_title(name, loc="center")
            told.append(f"{name} {allowed.sum()} of {allowed.size}, offsets"
                        f" {offsets.min()} to {offsets.max()}")
        return Picture(figure, "Pairs of query and key that a mask leaves, by"
                       f" row: {'; '.join(told)}.")


def _offsets(axes, ids, allowed):
    from matplotlib.patches import Rectangle

    count = len(ids)
    _bare(axes, xlim=(-1.3, count - 0.4), ylim=(count - 0.4, -1.3),
          aspect="equal")
    for m, n in np.ndindex(allowed.shape):
        if allowed[m, n]:
            axes.add_patch(Rectangle((n - 0.5, m - 0.5), 1, 1, lw=0.8,
                                     edgecolor=INK, facecolor="none"))
            axes.text(n, m, f"{ids[n] - ids[m]}".replace("-", "\u2212"),
                      ha="center", va="center", fontsize=8.5)
    for place, position in enumerate(ids):
        axes.text(place, -0.95, position, ha="center", va="center",
                  color=COLORS["k"])
        axes.text(-0.95, place, position, ha="center", va="center",
                  color=COLORS["q"])


def decoding(errors, prompt):
    """Largest error of a logit at each step, for faults of the positions.

    Parameters
    ----------
    errors : dict of str to array_like, shape (steps,)
        Those that stay below 1e-4 are drawn as one line.
    prompt : int
        Tokens that are read at once, before the first step.

    Returns
    -------
    Picture

    Examples
    --------
    >>> decoding({"right": [0, 1e-7], "fault": [0.1, 0.3]}, 4).alt[-48:]
    'fault 0.1 to 0.3; below 0.0001 all along: right.'
    """
    quiet = [name for name, row in errors.items() if np.max(row) < NOISE]
    told = []
    with canvas(height=2.9) as (figure, axes):
        axes.axhline(NOISE, color=COLORS["q"], lw=1)
        axes.annotate(f"{', '.join(quiet)}: below this line", (prompt, NOISE),
                      (0, -13), textcoords="offset points", color=COLORS["q"])
        faults = {n: row for n, row in errors.items() if n not in quiet}
        for (name, row), dashes in zip(faults.items(), DASHES):
            steps = prompt + np.arange(len(row))
            axes.plot(steps, row, color=COLORS["k"], dashes=dashes,
                      label=name)
            told.append(f"{name} {min(row):.2g} to {max(row):.2g}")
        axes.legend(loc="upper right")
        axes.set(yscale="log", ylim=(NOISE / 4, 9), xlabel="place of the token"
                 " that is decoded", ylabel="largest error of a logit")
        told.append(f"below {NOISE:g} all along: {', '.join(quiet)}")
        return Picture(figure, "Error of logits at each step:"
                       f" {'; '.join(told)}.")


def placements(published, result):
    """Where it was rotated: a published loss, and our accuracies.

    Parameters
    ----------
    published : dict of str to float
        Loss by what was rotated.
    result : rope_edu.experiments.Result
        Of the experiment "placement".

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.experiments import Result
    >>> rows = [{"place": "q", "accuracy_0": 0.9, "accuracy_500": 0.5}]
    >>> placements({"q": 2.8}, Result("placement", {}, rows)).alt[-36:]
    'q 2.8; ours, then 500 on: q 0.9 0.5.'
    """
    ours = {offset: result.values(f"accuracy_{offset}", "place")
            for offset in (0, 500)}
    names = list(dict.fromkeys([*published, *ours[0]]))
    with canvas(1, 2, height=3.4, sharey=True) as (figure, (left, right)):
        for y, name in enumerate(names):
            left.plot(published.get(name, np.nan), y, "D", color=INK, ms=4.5)
            for offset, marker, fill in ((0, "o", "full"), (500, "s", "none")):
                values = ours[offset].get(name, [])
                right.plot(values, [y] * len(values), marker, ms=5, mew=1.2,
                           color=COLORS["q" if offset == 0 else "k"],
                           fillstyle=fill, ls="none")
        _named(left, names, "loss, published", "lower is better")
        _named(right, names, "accuracy, ours", "● as trained □ 500 on")
        right.set_xlim(-0.04, 1.06)
        return Picture(figure, _told(published, ours))


def _named(axes, names, label, note):
    axes.set_yticks(range(len(names)), names)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel=f"{label}\n{note}")
    axes.grid(axis="y")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.label.set_size(8.5)


def _told(published, ours):
    losses = ", ".join(f"{name} {loss}" for name, loss in published.items())
    means = ", ".join(
        f"{name} {np.mean(values):.2g} {np.mean(ours[500][name]):.2g}"
        for name, values in ours[0].items())
    return (f"Published loss by what is turned: {losses}; ours, then 500 on:"
            f" {means}.")


def curves(result, task, columns=5):
    """Accuracy while training, a panel for each encoding, a line each seed.

    Parameters
    ----------
    result : rope_edu.experiments.Result
        Of the experiment "learning".
    task : str
    columns : int

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.experiments import Result
    >>> row = {"task": "copy", "encoding": "rope", "curve": [[0, 0], [20, 1]]}
    >>> curves(Result("learning", {}, [row]), "copy").alt
    'Accuracy on copy after 20 steps, by encoding: rope 1.00.'
    """
    found = result.values("curve", "encoding", task=task)
    rows = -(-len(found) // columns)
    with canvas(rows, columns, height=0.6 + 1.1 * rows, sharex=True,
                sharey=True, squeeze=False) as (figure, panels):
        for axes, (name, lines) in zip(panels.flat, found.items()):
            for line in found["rope"]:
                axes.plot(*zip(*line), color=INK, lw=0.5, alpha=0.5)
            for line in lines:
                axes.plot(*zip(*line), color=COLORS["q"], lw=1.1)
            axes.set_title(SHORT.get(name, name), fontsize=8.5, loc="center")
        for axes in panels.flat[len(found):]:
            axes.set_axis_off()
        panels[-1, 0].set_xlabel("steps")
        panels[0, 0].set_ylabel("accuracy")
        ends = ", ".join(f"{n} {np.mean([x[-1][1] for x in lines]):.2f}"
                         for n, lines in found.items())
        last = lines[0][-1][0]
        return Picture(figure, f"Accuracy on {task} after {last} steps, by"
                       f" encoding: {ends}.")


SHORT = {"learned, small": "learned 0.02", "sinusoidal": "sinusoid",
         "transformer-xl": "T-XL", "shaw": "Shaw", "t5": "T5",
         "alibi": "ALiBi", "rope": "RoPE", "xpos": "xPos"}


def shifted(result, task, offsets=(0, 16, 500)):
    """Accuracy after training, as trained and with all positions shifted.

    Parameters
    ----------
    result : rope_edu.experiments.Result
        Of the experiment "learning".
    task : str
    offsets : sequence of int

    Returns
    -------
    Picture

    Examples
    --------
    >>> from rope_edu.experiments import Result
    >>> row = {"task": "copy", "encoding": "rope", "accuracy_0": 1.0}
    >>> shifted(Result("learning", {}, [row]), "copy", (0,)).alt
    'Accuracy on copy with positions shifted by 0: rope 1.00.'
    """
    found = {offset: result.values(f"accuracy_{offset}", "encoding",
                                   task=task) for offset in offsets}
    names = list(found[offsets[0]])
    with canvas(height=3.5) as (figure, axes):
        looks = zip(offsets, "os^", (COLORS["q"], INK, COLORS["k"]),
                    (-0.22, 0, 0.22))
        for offset, marker, color, away in looks:
            for y, name in enumerate(names):
                values = found[offset][name]
                axes.plot(values, [y + away] * len(values), marker, ls="none",
                          color=color, ms=4.5, label="" if y else (
                              f"{offset} on" if offset else "as trained"))
        _named(axes, [SHORT.get(n, n) for n in names], "accuracy",
               f"{len(values)} seeds each")
        axes.set_xlim(-0.04, 1.06)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        told = ", ".join(" ".join(
            [name, *(f"{np.mean(found[o][name]):.2f}" for o in offsets)])
            for name in names)
        return Picture(figure, f"Accuracy on {task} with positions shifted by"
                       f" {', '.join(map(str, offsets))}: {told}.")
