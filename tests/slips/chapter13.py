"""Chapter 13: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

from rope_edu.gallery import right

LOST = [257, 2049, 2**24 + 1]


def agrees(*calls):
    """Return a test that compares with the reference at these ids."""
    def test(fn):
        rng, same = np.random.default_rng(1), True
        for ids in map(np.array, calls):
            x = rng.normal(size=(len(ids), 2, ids.shape[1], 8))
            same = same and np.allclose(fn(x.copy(), ids), right(x, ids))
        return same

    return test


def keeps_norms(fn):
    """Return whether lengths stay: every rotation passes."""
    x = np.random.default_rng(1).normal(size=(2, 2, 4, 8))
    y = fn(x.copy(), np.array([[5, 3, 4097, 0], [999, 0, 1, 2]]))
    return np.allclose(*(np.linalg.norm(z, axis=-1) for z in (x, y)))


def asserts(fn):
    """Raise instead of saying so, and return nothing."""
    assert agrees([[3, 1]])(fn)


def unit_images(fn, head_dim, at=1):
    """Return the images of the unit vectors, one in each row."""
    x = np.eye(head_dim)[:, None, None]
    return fn(x, np.full((head_dim, 1), at))[:, 0, 0]


def partners(fn, head_dim, size=np.abs, at=1, diagonal=0.0):
    """Return what exercise 13.4 asks for; the options bring in faults."""
    off = 1 - np.eye(head_dim) * (1 - diagonal)
    return np.argmax(size(unit_images(fn, head_dim, at)) * off, axis=1)


def fault(**options):
    """Return an answer to exercise 13.4 with a fault."""
    return lambda *given: partners(*given, **options)


def in_a_line(fn, head_dim):
    """Ask for all unit vectors as tokens of one text, at one position."""
    y = fn(np.eye(head_dim)[None, None], np.ones((1, head_dim), int))[0, 0]
    return [[b for b in range(head_dim) if b != a and abs(y[a, b]) > 1e-9][0]
            for a in range(head_dim)]


def counted(fn, head_dim):
    """Ask for all unit vectors as tokens of one text, from position 0 on."""
    y = fn(np.eye(head_dim)[None, None], np.arange(head_dim)[None])[0, 0]
    return np.argmax(np.abs(y) * (1 - np.eye(head_dim)), axis=1)


def bitwise(fn):
    """Allow for no rounding."""
    rng = np.random.default_rng(1)
    for ids in map(np.array, (TWO_ROWS, [[7]])):
        x = rng.normal(size=(len(ids), 2, ids.shape[1], 8))
        if not np.array_equal(fn(x.copy(), ids), right(x, ids)):
            return False
    return True


TWO_ROWS = [[5, 3, 4097, 0], [999, 0, 1, 2]]

RIGHT = [
    ("13.1", LOST),
    ("13.1", (257, 2049, 16777217.0)),
    ("13.1", np.array(LOST)),
    ("13.1", [sp.Integer(n) for n in LOST]),
    ("13.2", "ACDFH"),
    ("13.2", "h, f, d, c, a"),
    ("13.3", agrees(TWO_ROWS, [[5], [999]])),
    ("13.3", lambda fn: np.bool_(agrees(TWO_ROWS, [[7]])(fn))),
    ("13.4", partners),
    ("13.4", in_a_line),
]

SLIPS = [
    ("13.1", [256, 2048, 2**24], "bfloat16 holds 256"),
    ("13.1", [257, 2048, 2**24 + 1], "float16 holds 2048"),
    ("13.1", [129, 1025, 2**23 + 1], "bfloat16 holds 129"),
    ("13.1", [257, 65505, 2**24 + 1], "65505 is lost"),
    ("13.1", [259, 2049, 2**24 + 1], "a smaller"),
    ("13.1", [257, 2049, 2**25], "float32 holds"),
    ("13.1", [257, 2049, 2**24 + 3], "count the binary digits"),
    ("13.1", np.array(LOST, "float32"), "float32 holds 16777216"),
    ("13.1", [2049, 257, 2**24 + 1], "the order is"),
    ("13.1", [65537, 2049, 2**24 + 1], "bfloat16 has 16 bits"),
    ("13.1", [32769, 2049, 2**24 + 1], "bits are not digits"),
    ("13.1", [65537, 65537, 2**32 + 1], "bits are not digits"),
    ("13.1", [257, 65537, 2**24 + 1], "float16 has 16 bits"),
    ("13.1", [257, 2049, 2**31 + 1], "float32 has 32 bits"),
    ("13.1", [257, 2049, np.inf], "positive integers"),
    ("13.1", [257, np.nan, 2**24 + 1], "positive integers"),
    ("13.1", [257.5, 2049, 2**24 + 1], "positive integers"),
    ("13.2", "ABCDFH", "reorders"),
    ("13.2", "ACDEFH", "writes over"),
    ("13.2", "ACDFGH", "longer"),
    ("13.2", "ACD", "2 more"),
    ("13.2", "ACDF", "1 more"),
    ("13.2", "AZ", "A to H"),
    ("13.2", "", "some of the letters"),
    ("13.2", ["A", "C"], "letters are wanted"),
    ("13.3", lambda fn: False, "refuses the reference"),
    ("13.3", lambda fn: fn is right, "written another way"),
    ("13.3", lambda fn: fn.__name__ == "right", "written another way"),
    ("13.3", bitwise, "allow for rounding"),
    ("13.3", lambda fn: True, "ids-ignored passes"),
    ("13.3", lambda fn: 1, "True or False"),
    ("13.3", agrees(TWO_ROWS)(right), "a function is wanted"),
    ("13.3", asserts, "True or False"),
    ("13.3", keeps_norms, "counts as text"),
    ("13.3", agrees([[5, 6, 7, 8]]), "does not start again"),
    ("13.3", agrees([[5, 3, 4097, 0]]), "positions of the first"),
    ("13.3", agrees(TWO_ROWS), "comes alone"),
    ("13.3", agrees([[5, 3], [4, 2]], [[5]]), "in bfloat16"),
    ("13.3", agrees([[5, 3], [4, 1001]], [[5]]), "Past 4096"),
    ("13.4", lambda fn, d: np.arange(d), "not itself"),
    ("13.4", fault(diagonal=1.0), "diagonal"),
    ("13.4", fault(size=np.asarray), "negative sines"),
    ("13.4", counted, "where nothing turns"),
    ("13.4", fault(size=lambda y: np.abs(y) > 0.05), "only the slowest pair"),
    ("13.4", fault(size=lambda y: np.abs(y).round(2)), "only the slowest pair"),
    ("13.4", fault(at=0), "nothing has been turned"),
    ("13.4", lambda fn, d: partners(fn, d) + 1, "from 0 to"),
    ("13.4", lambda fn, d: np.roll(np.arange(d), 1), "mutual"),
    ("13.4", lambda fn, d: np.arange(d) ^ 1, "'interleaved', and fn has others"),
    ("13.4", lambda fn, d: (np.arange(d) + d // 2) % d, "'half', and fn has others"),
    ("13.4", lambda fn, d: np.arange(d)[::-1], "get other partners"),
]
