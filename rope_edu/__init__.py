"""A reference for rotary position embedding (RoPE), and a book about it.

Conventions, the same in every module: ``m`` is the position of the query and
``n`` that of the key; ``inv_freq[i]`` is the rate of pair ``i`` in radians
per token; ``base`` is the number those rates are made from (10000 in the
RoFormer paper); a pair turns counterclockwise by ``m * inv_freq[i]``; a score
depends on the two vectors and on the signed offset ``n - m``.

Importing the package loads NumPy and nothing heavier.

Examples
--------
>>> from rope_edu import inverse_frequencies, rotate
>>> inv_freq = inverse_frequencies(4)
>>> rotate([1.0, 0.0, 1.0, 0.0], 1, inv_freq).round(4).tolist()
[0.5403, 0.8415, 0.9999, 0.01]
"""

from rope_edu.frequencies import angles, inverse_frequencies, wavelengths
from rope_edu.reference import rotate, score, unrotate

__version__ = "0.1.0"

__all__ = [
    "angles",
    "inverse_frequencies",
    "rotate",
    "score",
    "unrotate",
    "wavelengths",
]
