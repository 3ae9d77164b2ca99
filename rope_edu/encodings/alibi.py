"""ALiBi: scores fall linearly with distance, for each head at its own rate.
"""

import torch

from rope_edu._checks import as_count
from rope_edu.encodings.base import Encoding


def alibi_slopes(heads):
    """Slope of each head: ``2 ** (-8 * h / heads)`` for h = 1..heads.

    Parameters
    ----------
    heads : int
        If it is no power of two, the slopes are those of the power of two
        below, followed by every second one of the power of two above.

    Returns
    -------
    tuple of float
        Per token of distance.

    Raises
    ------
    TypeError, ValueError
        If `heads` is not a positive integer.

    References
    ----------
    Press et al., Train Short, Test Long, arXiv:2108.12409, section 3; for
    other numbers of heads, the authors' code.

    Examples
    --------
    >>> alibi_slopes(3)
    (0.0625, 0.00390625, 0.25)
    """
    below = 2 ** (as_count("heads", heads).bit_length() - 1)
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-4 * h / below) for h in range(1, 2 * below, 2)]
    return tuple(slopes + between[: heads - below])


class ALiBi(Encoding):
    """Add ``-slope * |m - n|`` to the score of query m and key n.

    Before a causal mask that is the bias of the paper, which defines no
    other. Without one, earlier and later keys look the same: the score knows
    the distance but not the direction.

    Parameters
    ----------
    sizes : Sizes
        Of the model.

    Attributes
    ----------
    slopes : tuple of float
        From `alibi_slopes`, for each query head.

    References
    ----------
    Press et al., Train Short, Test Long, arXiv:2108.12409, section 3.

    Examples
    --------
    >>> from rope_edu.encodings.base import Sizes
    >>> alibi, q = ALiBi(Sizes(width=8, heads=8)), torch.ones(1, 8, 3, 1)
    >>> alibi.bias(q, q, torch.arange(3), torch.arange(3))[0, 0, 2].tolist()
    [-1.0, -0.5, 0.0]
    """

    name = "alibi"

    def __init__(self, sizes):
        super().__init__(sizes)
        self.slopes = alibi_slopes(sizes.heads)

    def bias(self, q, k, q_ids, k_ids):
        near = -self._between(q, k, q_ids, k_ids).abs()[:, None]
        # Rounded once, after the product: bfloat16 has no 257.
        dtype = torch.promote_types(q.dtype, torch.float32)
        slopes = torch.tensor(self.slopes, dtype=dtype, device=q.device)
        return (slopes[:, None, None] * near).to(q.dtype)
