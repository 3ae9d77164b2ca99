"""Chapter 16: right answers, and slips with a word of what is said to them."""

from fractions import Fraction

import numpy as np
import torch


def near(ids):
    """Accept what the fastest pair can hardly tell from steps of 1."""
    turned = np.exp(1j * np.diff(ids))
    return bool(np.allclose(turned, np.exp(1j), atol=1e-3))


RIGHT = [
    *(("16.1", x) for x in (2 ** (62 / 40), 2.93, "2.93", np.float32(2.93),
                            Fraction(293, 100))),
    *(("16.2", x) for x in ("BADC", "badc", "B A D C", "B, A, D, C")),
    ("16.3", lambda ids: bool(np.all(np.diff(ids) == 1))),
    ("16.3", lambda ids: np.all(np.diff(ids) == 1)),
    ("16.3", lambda ids: ids == list(range(ids[0], ids[0] + len(ids)))),
    ("16.3", lambda ids: np.asarray(np.all(np.diff(ids) == 1))),
    ("16.3", lambda ids: torch.all(torch.tensor(ids).diff() == 1)),
    ("16.4", "BDE"),
    ("16.4", "b, d, e"),
]

SLIPS = [
    ("16.1", 2, "last pair"),
    ("16.1", 1.56, "slows pair 20"),
    ("16.1", 3.03, "the one after it"),
    ("16.1", 2 ** (62 / 42), "counted from 0"),
    ("16.1", 2 ** (62 / 20), "two coordinates"),
    ("16.1", 0.34, "pairs faster"),
    ("16.1", 4, "2.45 times"),
    ("16.2", "ABDC", "better than no rotation"),
    ("16.2", "BDCA", "worse than none"),
    ("16.2", "BDAC", "a shuffled position is a wrong one"),
    ("16.2", "B, D, A, C", "a shuffled position is a wrong one"),
    ("16.2", "BACD", "steps of 4"),
    ("16.2", "DBAC", "do shuffled ones"),
    ("16.2", "CBAD", "nearer to the one of the training"),
    ("16.2", "BBAC", "once"),
    ("16.3", lambda ids: True, "order"),
    ("16.3", lambda ids: sorted(ids) == ids and len(set(ids)) == len(ids), "doubled"),
    ("16.3", lambda ids: ids == list(range(len(ids))), "moved together"),
    ("16.3", lambda ids: all(abs(b - a) == 1 for a, b in zip(ids, ids[1:])), "sign"),
    ("16.3", lambda ids: len(ids) == 1 or ids[1] - ids[0] == 1, "too far"),
    ("16.3", lambda ids: ids[-1] - ids[0] == len(ids) - 1, "changed places"),
    ("16.3", lambda ids: min(ids) >= 0 and near(ids), "negative"),
    ("16.3", lambda ids: len(ids) > 1 and near(ids), "no other"),
    ("16.3", near, "710"),
    ("16.3", lambda ids: len(ids) < 2 or (ids[1] - ids[0] == 1
                                          and ids[-1] - ids[-2] == 1),
     "every token"),
    ("16.3", lambda ids: sorted(ids) == ids and ids[-1] - ids[0] == len(ids) - 1,
     "every token"),
    ("16.3", lambda ids: 1, "True or False"),
    ("16.3", lambda ids: np.diff(ids) == 1, "True or False"),
    ("16.4", "ADE", "still relative"),
    ("16.4", "EDB", "wherever they begin"),
    ("16.4", "BCE", "end all copying"),
    ("16.4", "BDA", "model 3"),
    ("16.4", "BXE", "A to E"),
]
