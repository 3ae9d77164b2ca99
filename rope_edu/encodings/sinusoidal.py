"""Sines and cosines of the position, added to the embeddings."""

import torch

from rope_edu._checks import as_even, as_number
from rope_edu.encodings.base import Encoding
from rope_edu.rotary import RotaryEmbedding


def sinusoids(position_ids, width, base=10000.0, dtype=torch.float32):
    """Sine and cosine of every dial: ``sin(m*theta_i), cos(m*theta_i)``.

    Parameters
    ----------
    position_ids : array_like or torch.Tensor, any shape
        Tokens: integers or fractions, negative ones too.
    width : int
        Even number of channels; pair i turns by ``base ** (-2 * i / width)``
        radians a token.
    base : float
        Finite number above 1.
    dtype : torch.dtype
        float32 or float64. The angles are float64 in any case.

    Returns
    -------
    torch.Tensor, shape position_ids.shape + (width,)
        The sine in channel 2i, the cosine in channel 2i + 1.

    Raises
    ------
    TypeError, ValueError
        As in `rope_edu.inverse_frequencies` and `RotaryEmbedding.table`.

    References
    ----------
    Vaswani et al., Attention Is All You Need, arXiv:1706.03762, section 3.5.

    Examples
    --------
    >>> sinusoids([0, 3], 4).numpy().round(4).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.1411, -0.99, 0.03, 0.9996]]
    """
    dials = RotaryEmbedding.from_base(as_even("width", width), base)
    cos, sin = dials.table(position_ids, dtype)
    return torch.stack([sin, cos], -1).flatten(-2)


class Sinusoidal(Encoding):
    """Add sines and cosines of the position to the embeddings.

    Parameters
    ----------
    sizes : Sizes
        With an even `width`.
    base : float
        Finite number above 1.
    amplitude : float
        Of the sines. What matters is its size beside that of the embeddings,
        which Vaswani et al. multiply by ``sqrt(width)``.

    Raises
    ------
    TypeError, ValueError
        If ``sizes.width`` is odd, or `base` or `amplitude` is no such
        number.

    References
    ----------
    Vaswani et al., Attention Is All You Need, arXiv:1706.03762, section 3.5.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> sinusoidal = Sinusoidal(Sizes(width=4, heads=1), base=100)
    >>> x = sinusoidal.embed(torch.zeros(1, 1, 4), torch.tensor([1]))
    >>> x[0].numpy().round(4).tolist()
    [[0.8415, 0.5403, 0.0998, 0.995]]
    """

    name = "sinusoidal"
    relative = False

    def __init__(self, sizes, *, base=10000.0, amplitude=1.0):
        super().__init__(sizes)
        self.base, self.amplitude = base, as_number("amplitude", amplitude)
        sinusoids([0], sizes.width, base)  # what is wrong shows here

    def embed(self, x, position_ids):
        ids = self._embed_ids(x, position_ids)
        dtype = torch.promote_types(x.dtype, torch.float32)
        p = sinusoids(ids, self.sizes.width, self.base, dtype)
        return x + (self.amplitude * p).to(x.dtype)
