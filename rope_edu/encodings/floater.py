"""FLOATER: the encoding is a path, dp/dt = h(p, t), read at every token.

The learned h has to be trained through the solver. Nothing that this package
depends on integrates differential equations in torch, so the classical
fourth-order method of Runge and Kutta is written out here.
"""

import torch
from torch.nn.functional import linear

from rope_edu._checks import as_choice, as_count, as_even
from rope_edu.encodings._correction import Correction
from rope_edu.encodings.base import SCALE, Encoding, _from_zero
from rope_edu.encodings.sinusoidal import sinusoids
from rope_edu.frequencies import inverse_frequencies


def runge_kutta(field, p, t, span, steps):
    """Follow ``dp/dt = field(p, t)`` from ``t`` to ``t + span``.

    Parameters
    ----------
    field : callable
        Of ``(p, t)``, with a result of the shape of ``p``.
    p : torch.Tensor
        Where to start.
    t, span : float or torch.Tensor that broadcasts to `p`
        Time at the start, and how long to follow; may be negative.
    steps : int
        Equal steps. Twice as many make the error about 16 times smaller.

    Returns
    -------
    torch.Tensor, shape of `p`
        Differentiable.

    Examples
    --------
    >>> e = runge_kutta(lambda p, t: p, torch.tensor(1.0), 0, 1, steps=8)
    >>> round(e.item(), 4)
    2.7183
    """
    h = span / steps
    for i in range(steps):
        now = t + i * h
        k1 = field(p, now)
        k2 = field(p + h / 2 * k1, now + h / 2)
        k3 = field(p + h / 2 * k2, now + h / 2)
        k4 = field(p + h * k3, now + h)
        p = p + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return p


def _check_finite(ids):
    odd = ids[~ids.isfinite()]
    if odd.numel():
        raise ValueError(f"position_ids must be finite, got {odd[0].item()}")


class Floater(Encoding):
    """Add ``p(m)`` to the embedding, where ``dp/dt = h(p, t)``.

    The path starts at ``p(0) = (0, 1, 0, 1, ...)`` and a token takes one unit
    of time. With ``field="rotation"``, ``h(p, t) = A p`` with the
    skew-symmetric A that has a block [[0, theta_i], [-theta_i, 0]] for each
    pair. The solution, ``exp(t A) p(0)``, is the sinusoidal encoding; it is
    taken from the matrix exponential. With ``field="learned"``, ``h(p, t) =
    A p + c(p, t)`` with a learned c of one hidden layer: any h can be written
    so, and training starts near the sinusoids.

    Parameters
    ----------
    sizes : Sizes
        With an even `width`.
    field : {"learned", "rotation"}
        Which h.
    base : float
        Finite number above 1, for the rates in A.
    hidden : int, optional
        Hidden channels of c, ``sizes.width`` by default.
    steps : int
        Steps of the solver for each token, for the learned h.
    scale : float
        Size of c at the start, about, for each channel.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Raises
    ------
    TypeError, ValueError
        If ``sizes.width`` is odd or an option is wrong. By `embed`, if a
        position is negative and h is learned.

    Notes
    -----
    The paper adds such a path in every block of the model; here there is one,
    at the input. The tokens come one after the other, each at 8 evaluations
    of h with 2 steps. The solver then turns the fastest pair by 5e-4 rad a
    token less than the exact solution; training does not mind, a comparison
    with `Sinusoidal` would.

    References
    ----------
    Liu et al., Learning to Encode Position for Transformer with Continuous
    Dynamical Model (FLOATER), arXiv:2003.09229.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> floater = Floater(Sizes(width=4, heads=1), field="rotation")
    >>> floater.path(torch.tensor([3.0])).numpy().round(4).tolist()
    [[0.1411, -0.99, 0.03, 0.9996]]
    """

    name = "floater"
    relative = False

    def __init__(
        self,
        sizes,
        *,
        field="learned",
        base=10000.0,
        hidden=None,
        steps=2,
        scale=SCALE,
        generator=None,
    ):
        super().__init__(sizes)
        self.field = as_choice("field", field, ("learned", "rotation"))
        width = as_even("width", sizes.width)
        self.inv_freq = tuple(inverse_frequencies(width, base).tolist())
        self.steps = as_count("steps", steps)
        self.correction = None
        if field == "learned":
            hidden = width if hidden is None else hidden
            self.correction = Correction(
                width, hidden, scale, generator, timed=True
            )

    def _blocks(self):
        # The diagonal blocks of A, shape (pairs, 2, 2).
        rates = torch.tensor(self.inv_freq, dtype=torch.float64)
        skew = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
        return rates[:, None, None] * skew

    def _h(self, dtype, device):
        a = torch.block_diag(*self._blocks()).to(device, dtype)
        return lambda p, t: linear(p, a) + self.correction(p, t)

    def path(self, position_ids, dtype=torch.float32):
        """Give the path at these positions.

        Parameters
        ----------
        position_ids : torch.Tensor, any shape
            Tokens, also fractions; negative ones for the rotation alone.
        dtype : torch.dtype
            Of the result.

        Returns
        -------
        torch.Tensor, shape position_ids.shape + (width,)
        """
        if self.correction is None:
            return self._exact(position_ids).to(position_ids.device, dtype)
        _from_zero("position_ids", position_ids, "the path starts at 0")
        _check_finite(position_ids)
        whole = position_ids.floor().long()
        last = int(whole.max()) if whole.numel() else 0
        h = self._h(dtype, position_ids.device)
        p = [sinusoids(0, self.sizes.width, dtype=dtype).to(whole.device)]
        for t in range(last):
            p.append(runge_kutta(h, p[-1], t, 1.0, self.steps))
        p = torch.stack(p)[whole]
        rest = (position_ids - whole)[..., None].to(dtype)
        if not rest.any():
            return p
        return runge_kutta(h, p, whole[..., None], rest, self.steps)

    def _exact(self, ids):
        # In float64 on the CPU, since Apple's GPUs have none.
        times = ids.to("cpu", torch.float64)[..., None, None, None]
        turns = torch.linalg.matrix_exp(times * self._blocks())
        # From (0, 1), so that the second column is where the pair ends up.
        return turns[..., 1].flatten(-2)

    def embed(self, x, position_ids):
        ids = self._embed_ids(x, position_ids)
        dtype = torch.promote_types(x.dtype, torch.float32)
        return x + self.path(ids, dtype).to(x.dtype)
