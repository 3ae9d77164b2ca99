"""The objects that run through the whole book, from first cell to last.

Four dials (d = 8, base 10000) turn at 1, 0.1, 0.01 and 0.001 radians per
token. `Q` and `K` are a fixed query and a fixed key, read-only.
"""

import numpy as np

from rope_edu.frequencies import inverse_frequencies


def _constant(values):
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


SENTENCE = ("the", "cat", "chases", "the", "mouse")
SENTENCE_ZH = ("猫", "追", "老鼠")

ROTARY_DIM = 8
BASE = 10000.0
INV_FREQ = _constant(inverse_frequencies(ROTARY_DIM, BASE))
DIALS = ("dial 0", "dial 1", "dial 2", "dial 3")

Q = _constant([1.2, 0.4, 0.8, -0.3, 0.5, 0.9, -0.2, 0.7])
K = _constant([0.3, 0.9, -0.4, 0.7, 0.8, -0.1, 0.5, 0.2])
