"""Chapter 12: right answers, and slips with a word of what is said to them."""

import numpy as np
import sympy as sp

from rope_edu import rotate
from rope_edu.running import INV_FREQ


def shared(q, k, v, ids, *, tile=False, turned="qk", later=0, scale=8**-0.5,
           layout="interleaved", seen=None, axis=-1):
    """Four query heads on two key heads; each option brings in one fault."""
    q, k, v = (rotate(x, ids, INV_FREQ, layout) if name in turned else x
               for name, x in zip("qkv", (q, k, v)))
    k, v = (np.concatenate([x, x]) if tile else np.repeat(x, 2, axis=0)
            for x in (k, v))
    scores = np.einsum("hmd,hnd->hmn", q, k) * scale
    seen = np.tri(len(ids), k=later) if seen is None else seen(ids)
    share = np.where(seen, np.exp(scores), 0)
    # Where nothing may be looked at this is 0 / 0, as in the reader's code.
    with np.errstate(invalid="ignore"):
        return share / share.sum(axis, keepdims=True) @ v


def fault(**options):
    """Return an answer to exercise 12.1 with a fault."""
    return lambda *given: shared(*given, **options)


def copies_turned(q, k, v, ids):
    """Turn each copy of a key: right, at twice the cost."""
    k, v = (np.repeat(x, 2, axis=0) for x in (k, v))
    heads = (shared(q[[h]], k[[h]], v[[h]], ids)[:1] for h in range(4))
    return np.concatenate(list(heads))


def by_heads(q, k, v, ids):
    """Turn each head by its number."""
    q, k = (rotate(x, np.arange(len(x))[:, None], INV_FREQ) for x in (q, k))
    return shared(q, k, v, ids, turned="")


def place(keep):
    """Return the place in the row behind the last token."""
    return keep.shape[1] - np.argmax(keep[:, ::-1], axis=1)[:, None]


u, v, w, z, sigma = sp.symbols("u v w z sigma", real=True)
SUM = (u - z) / 2 * sp.cos(sigma) + (v + w) / 2 * sp.sin(sigma)
OFFSET = (u + z) / 2 * sp.cos(sigma) + (v - w) / 2 * sp.sin(sigma)
# The same wave; where it vanishes, the phase is undefined.
AMPLITUDE = (
    sp.sqrt((u - z) ** 2 + (v + w) ** 2) / 2
    * sp.cos(sigma - sp.atan2(v + w, u - z))
)
WAVE = u - z + sp.I * (v + w)

RIGHT = [
    ("12.1", shared),
    ("12.1", copies_turned),
    ("12.2", "ABF"),
    ("12.2", "f, b, a"),
    ("12.3", lambda keep: keep.sum(1)[:, None]),
    ("12.3", lambda keep: [[float(sum(row))] for row in keep]),
    ("12.4", SUM),
    ("12.4", sp.expand(SUM)),
    ("12.4", AMPLITUDE),
    ("12.4", AMPLITUDE.subs(sp.atan2(v + w, u - z), sp.arg(WAVE))),
    ("12.4", sp.Abs(WAVE) / 2 * sp.cos(sigma - sp.arg(WAVE))),
    ("12.4", SUM.subs({x: sp.Symbol(x.name) for x in SUM.free_symbols})),
]

SLIPS = [
    ("12.1", fault(tile=True), "read key head 0: here"),
    ("12.1", fault(later=4), "looked at a later one"),
    ("12.1", fault(later=-1), "leave some token nothing"),
    ("12.1", fault(turned=""), "nothing has been turned"),
    ("12.1", fault(turned="q"), "keys have to be turned"),
    ("12.1", fault(turned="k"), "queries have to be turned"),
    ("12.1", fault(turned="qkv"), "values have been turned"),
    ("12.1", fault(scale=1), "root of 8"),
    ("12.1", fault(scale=1 / 8), "not by its root"),
    ("12.1", fault(scale=1 / 2), "some average is not right"),
    ("12.1", lambda q, k, v, ids: shared(q, k, v, 2 * ids), "at positions [0, 1"),
    ("12.1", lambda q, k, v, ids: shared(q, k, v, np.arange(5)), "counted from 0"),
    ("12.1", fault(layout="half"), "half-split"),
    ("12.1", lambda q, k, v, ids: shared(q, k, v, -ids, seen=lambda ids: np.tri(5)),
     "clockwise"),
    ("12.1", by_heads, "each head is turned by its number"),
    ("12.1", fault(axis=-2), "not those of each key"),
    ("12.1", fault(seen=lambda ids: np.tri(5).T), "upside down"),
    ("12.1", fault(seen=lambda ids: ids[:, None] >= ids), "what the mask sees"),
    ("12.1", lambda *given: shared(*given)[::2], "the shape is (2, 5, 8)"),
    ("12.2", "ABCF", "differently"),
    ("12.2", "D", "bias"),
    ("12.2", "ABE", "mirror"),
    ("12.2", "AB", "1 more"),
    ("12.2", "XY", "the letters run from A to F"),
    ("12.2", "", "some of the letters"),
    ("12.2", ["A", "B"], "letters are wanted"),
    ("12.3", lambda keep: np.full((3, 1), keep.shape[1]), "padding has been counted"),
    ("12.3", lambda keep: np.full((3, 1), keep.sum(1).max()), "the longest text"),
    ("12.3", lambda keep: keep.sum(1)[:, None] - 1, "last tokens"),
    ("12.3", lambda keep: keep.sum(1)[:, None] + 1, "one too many"),
    ("12.3", lambda keep: (~keep).sum(1)[:, None], "False is padding"),
    ("12.3", place, "a place in the row"),
    ("12.3", lambda keep: np.zeros((3, 1)), "another position"),
    ("12.3", lambda keep: keep.sum(1), "the shape is (3,)"),
    ("12.4", 2 * SUM, "twice"),
    ("12.4", OFFSET, "what n - m gets"),
    ("12.4", SUM + u, "without sigma"),
    ("12.4", SUM - (u - z) / 2, "without sigma"),
    ("12.4", (z - u) * sp.sin(sigma / 2) ** 2 + (v + w) / 2 * sp.sin(sigma),
     "without sigma"),
    ("12.4", SUM.subs(w, -w), "has to vanish"),
    ("12.4", -SUM, "u and z has the wrong sign"),
    ("12.4", SUM.subs(u, 2 * u - z), "with u and z"),
    ("12.4", -SUM.subs({u: -u, z: -z}), "v and w has the wrong sign"),
    ("12.4", SUM + (v + w) * sp.cos(sigma), "v and w is not right"),
    ("12.4", SUM + (u - z) * (v + w) * sp.sin(sigma),
     "not their sum"),
    ("12.4", SUM.subs(sigma, sp.Symbol("m") + sp.Symbol("n")), "only the symbols"),
]
