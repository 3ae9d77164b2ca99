"""The learned part of a recurrence or a flow: one hidden layer."""

import torch
from torch.nn.functional import linear

from rope_edu._checks import as_count
from rope_edu.encodings.base import _as_scale, _normal


class Correction(torch.nn.Module):
    """``outer @ tanh(inner @ p + shift + rate * t)``, small at the start.

    Parameters
    ----------
    width : int
        Channels of ``p`` and of the result.
    hidden : int
        Channels between.
    scale : float
        Size of the result at the start, about, for each channel.
    generator : torch.Generator, optional
        For the start.
    timed : bool
        Whether there is a `rate`; without, the time plays no part.

    Raises
    ------
    TypeError, ValueError
        If `hidden` is not a positive integer, `scale` is negative, or
        `generator` is something else.

    Examples
    --------
    >>> Correction(4, 8, 0.0, None)(torch.ones(4)).tolist()
    [0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, width, hidden, scale, generator, timed=False):
        super().__init__()
        hidden, scale = as_count("hidden", hidden), _as_scale(scale)
        self.inner = _normal((hidden, width), width**-0.5, generator)
        self.outer = _normal((width, hidden), scale * hidden**-0.5, generator)
        self.shift = torch.nn.Parameter(torch.zeros(hidden))
        self.rate = torch.nn.Parameter(torch.zeros(hidden)) if timed else None

    def forward(self, p, t=0.0):
        """Give the correction at `p`, shape (..., width), and time `t`."""
        hidden = linear(p, self.inner.to(p.dtype), self.shift.to(p.dtype))
        if self.rate is not None:
            hidden = hidden + self.rate.to(p.dtype) * t
        return linear(torch.tanh(hidden), self.outer.to(p.dtype))
