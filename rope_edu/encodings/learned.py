"""A table with one learned vector for each position (BERT, GPT-2)."""

from rope_edu.encodings.base import (
    SCALE,
    Encoding,
    _as_scale,
    _normal,
    _whole,
)


class Learned(Encoding):
    """Add row ``m`` of a learned table to the embedding at position ``m``.

    Parameters
    ----------
    sizes : Sizes
        With `max_positions`, the number of rows.
    scale : float
        Standard deviation of the rows at the start, 0.02 by default as in
        BERT and GPT-2. How fast a model learns to use the table depends on
        it, beside the size of the embeddings that the rows are added to.
    generator : torch.Generator, optional
        For the start; by default the global seed.

    Attributes
    ----------
    table : torch.nn.Parameter, shape (max_positions, width)

    Raises
    ------
    TypeError, ValueError
        If ``sizes.max_positions`` is missing, `scale` is negative, or
        `generator` is something else. By `embed`, if a position is not a
        whole number in 0..max_positions - 1.

    References
    ----------
    Devlin et al., BERT, arXiv:1810.04805, section 3.

    Examples
    --------
    >>> import torch
    >>> from rope_edu.encodings.base import Sizes
    >>> learned = Learned(Sizes(width=2, heads=1, max_positions=3))
    >>> learned.embed(torch.zeros(1, 4, 2), torch.arange(4))
    Traceback (most recent call last):
    ...
    ValueError: position_ids must be in 0..2, got 3: ...
    """

    name = "learned"
    relative = False

    def __init__(self, sizes, *, scale=SCALE, generator=None):
        super().__init__(sizes)
        if sizes.max_positions is None:
            raise ValueError(
                "max_positions must be given: a learned table has one row"
                " for each position and none past its end"
            )
        shape = (sizes.max_positions, sizes.width)
        self.table = _normal(shape, _as_scale(scale), generator)

    def embed(self, x, position_ids):
        ids = _whole("position_ids", self._embed_ids(x, position_ids))
        rows = len(self.table)
        outside = ids[(ids < 0) | (ids >= rows)]
        if len(outside):
            raise ValueError(
                f"position_ids must be in 0..{rows - 1}, got"
                f" {outside[0].item()}: the learned table has {rows} rows,"
                " and no training has made another. Cut the text, train a"
                " model with a larger max_positions, or take an encoding"
                " that is a formula, such as 'rope'"
            )
        return x + self.table[ids].to(x.dtype)
