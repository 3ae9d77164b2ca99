"""Each position's vector is made from the one before."""

import torch

from rope_edu._checks import as_choice, as_even
from rope_edu.encodings._correction import Correction
from rope_edu.encodings.base import SCALE, Encoding, _from_zero, _whole
from rope_edu.encodings.sinusoidal import sinusoids
from rope_edu.rotary import RotaryEmbedding, apply_rotary


class Recurrent(Encoding):
    """Add ``p_m`` to the embedding, where ``p_{m+1} = f(p_m)``.

    The start ``p_0`` is (0, 1, 0, 1, ...). With ``step="rotation"``, f turns
    every pair back by its rate, ``f(p) = R p``, and the result is the
    sinusoidal encoding. With ``step="learned"``, ``f(p) = R p + c(p)`` with
    a learned c of one hidden layer: any f can be written so, and training
    starts near the sinusoids.

    Parameters
    ----------
    sizes : Sizes
        With an even `width`.
    step : {"learned", "rotation"}
        Which f.
    base : float
        Finite number above 1, for the rates of R.
    hidden : int, optional
        Hidden channels of c, ``sizes.width`` by default.
    scale : float
        Size of c at the start, about, for each channel and step. With 0,
        training starts from the sinusoids.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Raises
    ------
    TypeError, ValueError
        If ``sizes.width`` is odd or an option is wrong. By `embed`, if a
        position is negative or not a whole number.

    Notes
    -----
    The vectors come one after the other, so that a position costs as many
    steps as its number. Each step rounds anew, in float32 or, for float64
    embeddings, in float64.

    References
    ----------
    The recurrence that Liu et al., arXiv:2003.09229, make continuous.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> sizes = Sizes(width=4, heads=1)
    >>> Recurrent(sizes, step="rotation").table(4)[3].numpy().round(4).tolist()
    [0.1411, -0.99, 0.03, 0.9996]
    """

    name = "recurrent"
    relative = False

    def __init__(
        self,
        sizes,
        *,
        step="learned",
        base=10000.0,
        hidden=None,
        scale=SCALE,
        generator=None,
    ):
        super().__init__(sizes)
        self.step = as_choice("step", step, ("learned", "rotation"))
        width = as_even("width", sizes.width)
        self.dials = RotaryEmbedding.from_base(width, base)
        self.correction = None
        if step == "learned":
            hidden = width if hidden is None else hidden
            self.correction = Correction(width, hidden, scale, generator)

    def table(self, length, dtype=torch.float32, device=None):
        """Give the vectors of positions 0..length - 1.

        Parameters
        ----------
        length : int
        dtype : torch.dtype
            float32 or float64.
        device : torch.device, optional

        Returns
        -------
        torch.Tensor, shape (length, width)
        """
        # For (sin, cos) to run forward, the pair has to turn back.
        back = self.dials.table([-1], dtype, device)
        p = [sinusoids([0], self.sizes.width, dtype=dtype).to(device)]
        for _ in range(length - 1):
            turned = apply_rotary(p[-1], *back)
            if self.correction is not None:
                turned = turned + self.correction(p[-1])
            p.append(turned)
        return torch.cat(p)

    def embed(self, x, position_ids):
        ids = _whole("position_ids", self._embed_ids(x, position_ids))
        _from_zero("position_ids", ids, "the recurrence starts at 0")
        length = int(ids.max()) + 1 if ids.numel() else 1
        dtype = torch.promote_types(x.dtype, torch.float32)
        return x + self.table(length, dtype, x.device)[ids].to(x.dtype)
