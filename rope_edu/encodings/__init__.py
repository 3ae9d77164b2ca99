"""The encodings that a Transformer can be given, one file each.

Every one is an `Encoding`: a module with the hooks of `base`. `make` builds
one by its name. Importing this room loads torch.
"""

import inspect

from rope_edu._checks import as_choice
from rope_edu.encodings.alibi import ALiBi, alibi_slopes
from rope_edu.encodings.base import Encoding, Sizes
from rope_edu.encodings.floater import Floater
from rope_edu.encodings.learned import Learned
from rope_edu.encodings.recurrent import Recurrent
from rope_edu.encodings.rope import Rope, RopeALiBi
from rope_edu.encodings.shaw import Shaw
from rope_edu.encodings.sinusoidal import Sinusoidal, sinusoids
from rope_edu.encodings.t5 import T5, relative_buckets
from rope_edu.encodings.transformer_xl import TransformerXL
from rope_edu.encodings.xpos import XPos

_ALL = (
    Encoding, Learned, Sinusoidal, Recurrent, Floater, Shaw, TransformerXL,
    T5, ALiBi, Rope, RopeALiBi, XPos,
)
ENCODINGS = {encoding.name: encoding for encoding in _ALL}

__all__ = [
    "ENCODINGS",
    "Encoding",
    "Sizes",
    "alibi_slopes",
    "make",
    "relative_buckets",
    "sinusoids",
    *sorted(encoding.__name__ for encoding in _ALL[1:]),
]


def _options(encoding):
    # Of the class, and of the one that it hands what it does not know.
    taken = inspect.signature(encoding.__init__).parameters.values()
    names = {p.name for p in taken if p.kind is p.KEYWORD_ONLY}
    if any(p.kind is p.VAR_KEYWORD for p in taken):
        names |= _options(encoding.__base__)
    return names


def make(
    name,
    *,
    width,
    heads,
    kv_heads=None,
    head_dim=None,
    max_positions=None,
    causal=True,
    **options,
):
    """Build an encoding by its name.

    Parameters
    ----------
    name : str
        A key of `ENCODINGS`: "none", "learned", "sinusoidal", "recurrent",
        "floater", "shaw", "transformer-xl", "t5", "alibi", "rope",
        "rope+alibi" or "xpos".
    width, heads, kv_heads, head_dim, max_positions, causal
        As in `Sizes`.
    **options
        Of the class, such as ``base`` for "rope". All that learn something
        take ``scale``, the size of it at the start, and ``generator``.

    Returns
    -------
    Encoding

    Raises
    ------
    TypeError, ValueError
        If `name` is unknown, an option is unknown or wrong, or as in
        `Sizes`.

    Examples
    --------
    >>> rope = make("rope", width=64, heads=4, base=500.0)
    >>> rope.dials
    RotaryEmbedding(pairs=8, layout='interleaved', head_dim=16)
    """
    encoding = ENCODINGS[as_choice("name", name, tuple(ENCODINGS))]
    sizes = Sizes(width, heads, kv_heads, head_dim, max_positions, causal)
    known = sorted(_options(encoding))
    for option in options:
        if option not in known:
            raise TypeError(
                f"{name!r} takes {', '.join(known) or 'no options'}, got"
                f" {option!r}"
            )
    return encoding(sizes, **options)
