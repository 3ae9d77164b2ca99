"""The models of the experiments: one shape, every encoding.

>>> model = build("rope", CopyBack(), seed=0, layers=1)
>>> model.sizes.width, model.sizes.heads, len(model.blocks)
(64, 2, 1)
"""

import copy

from rope_edu._checks import as_choice
from rope_edu.encodings import make
from rope_edu.experiments.tasks import Batch, CopyBack
from rope_edu.experiments.training import score
from rope_edu.scaling import (
    Default,
    DynamicNTK,
    Linear,
    NTKAware,
    NTKByParts,
    YaRN,
)
from rope_edu.transformer import Transformer

# Tokens of a row that the models of chapters 14 and 15 are trained on, and
# the places of the longer rows that they are asked about.
TRAINED = 64
PLACES = ((0, 64), (64, 128), (128, 256), (256, 512))

# Rows of a learned table: no experiment goes further. What a task does not
# reach is never trained.
LONGEST = 1024

# The embeddings start with a standard deviation of 1. A learned table of 0.02
# beside them, as wide as in BERT beside embeddings of 0.02, is hardly there;
# both are tried. ALiBi has two slow slopes only, if it has two heads.
ENCODINGS = {
    "none": {},
    "learned": {"scale": 1.0, "max_positions": LONGEST},
    "learned, small": {"scale": 0.02, "max_positions": LONGEST},
    "sinusoidal": {},
    "recurrent": {},
    "floater": {},
    "shaw": {},
    "transformer-xl": {},
    "t5": {},
    "alibi": {"heads": 8},
    "rope": {},
    "rope, half": {},
    "rope+alibi": {"heads": 8},
    "xpos": {"scale_base": 64.0},
}


def build(label, task, seed, **shape):
    """Make a model for a task.

    Parameters
    ----------
    label : str
        A key of `ENCODINGS`: a name of `rope_edu.encodings.make` or a
        variant, such as "rope, half", which turns half of each head.
    task : object
        With a `vocab_size`.
    seed : int
    **shape
        Of `rope_edu.transformer.Transformer`; by default two attention-only
        layers, 64 wide, with two heads (eight for ALiBi). Also options of
        the encoding.

    Returns
    -------
    rope_edu.transformer.Transformer

    Raises
    ------
    TypeError, ValueError
        If `label` is unknown, or as in the Transformer.

    Examples
    --------
    >>> build("rope, half", CopyBack(), seed=0).encoding.dials.rotary_dim
    16
    """
    options = ENCODINGS[as_choice("label", label, tuple(ENCODINGS))]
    full = {"width": 64, "layers": 2, "heads": 2} | options | shape
    name = label.partition(",")[0]
    if label == "rope, half":
        head_dim = full["width"] // full["heads"]
        full["rotary_dim"] = head_dim // 2
    return Transformer(task.vocab_size, encoding=name, seed=seed, **full)


def with_rope(model, **options):
    """Return a copy whose dials turn in another way, the weights unchanged.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
    **options
        Of `rope_edu.encodings.Rope`, such as ``base``, ``layout`` or
        ``scaling``.

    Returns
    -------
    rope_edu.transformer.Transformer

    Examples
    --------
    >>> from rope_edu.scaling import Linear
    >>> model = build("rope", CopyBack(), seed=0)
    >>> slow = with_rope(model, scaling=Linear(8))
    >>> slow.encoding.dials.inv_freq[0], model.encoding.dials.inv_freq[0]
    (0.125, 1.0)
    """
    other = copy.deepcopy(model)
    other.encoding = make("rope", **vars(model.sizes), **options)
    return other


# Of the factor and the trained length.
METHODS = {
    "as trained": lambda s, length: Default(),
    "PI": lambda s, length: Linear(s),
    "NTK": lambda s, length: NTKAware(s),
    "dynamic NTK": lambda s, length: DynamicNTK(1, length),
    "by parts (0.5, 2)": lambda s, length: NTKByParts(s, length, 0.5, 2),
    "by parts (1, 32)": lambda s, length: NTKByParts(s, length),
    "YaRN (0.5, 2)": lambda s, length: YaRN(s, length, 2, 0.5),
    "YaRN (1, 32)": lambda s, length: YaRN(s, length),
}


def rescaled(model, method, factor, length=None, trained=TRAINED):
    """Return a copy whose dials are slowed down for longer texts.

    Parameters
    ----------
    model : rope_edu.transformer.Transformer
        With RoPE.
    method : str
        A key of `METHODS`. The pair of numbers in some is of turns within the
        trained length: with at most the first, a dial is slowed by the whole
        factor; with at least the second, it is left alone.
    factor : float
    length : int, optional
        Tokens of the text, for dynamic NTK.
    trained : int
        Tokens of a row of the training.

    Returns
    -------
    rope_edu.transformer.Transformer

    Examples
    --------
    >>> model = rescaled(build("rope", CopyBack(), seed=0), "PI", factor=4)
    >>> model.encoding.dials.inv_freq[0]
    0.25
    """
    scaling = METHODS[as_choice("method", method, tuple(METHODS))]
    own = model.encoding.config.base
    turned = scaling(factor, trained)
    return with_rope(model, base=own, scaling=turned, length=length)


def by_place(model, batch, ask, places=PLACES):
    """Ask about the start of the rows, and farther and farther on.

    Parameters
    ----------
    model : callable
        Gives the model for a number of tokens.
    batch : Batch
    ask : {"loss", "accuracy"}
    places : tuple of (int, int)
        First place, and the one after the last.

    Yields
    ------
    dict
        first, end, and what was asked.

    Examples
    --------
    >>> import torch
    >>> task = CopyBack(length=128)
    >>> batch, one = task.draw(torch.Generator(), 2), build("rope", task, 0)
    >>> rows = by_place(lambda length: one, batch, "loss", PLACES[:2])
    >>> [row["end"] for row in rows]
    [64, 128]
    """
    for first, end in places:
        part = Batch(*(side[:, :end] for side in batch))
        found = getattr(score(model(end), part, places=(first, end)), ask)
        yield {"first": first, "end": end, ask: found}
