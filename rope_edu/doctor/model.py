"""What a callable does, measured with unit vectors.

`measure` sends every unit vector through a short text and reads off a
`Model`: which channels form a pair, how far each pair turns per token, and
what it is multiplied by. Where no rotation of pairs is found it raises a
`Trouble` with the name of what was found instead.
"""

from dataclasses import dataclass, replace

import numpy as np

from rope_edu._checks import as_layout
from rope_edu.doctor.subject import Trouble
from rope_edu.layouts import pair_indices
from rope_edu.reference import rotate

SHORT = 8  # tokens of the text that the unit vectors are sent through
HEADS = 2
# Products with exact zeros leave no noise, and slow pairs turn by 1e-7.
LINK = 1e-10
ROUGH = 1e-3  # what a wrong table, sign or shift is always larger than


def wrap(angle):
    """Return an angle brought into -pi..pi."""
    return np.remainder(angle + np.pi, 2 * np.pi) - np.pi


def worst(a, b):
    """Return the largest difference, as a float."""
    return float(np.max(np.abs(np.asarray(a) - b), initial=0.0))


@dataclass(frozen=True)
class Model:
    """A rotation in any layout, to predict what the callable returns.

    `first` and `second` are the channels of the pairs, `rates` their signed
    turns in rad per token, `place` the channel where each one is stored in
    the result, `shift` what is added to the positions, `noise` the largest
    difference to what was measured on a short text.
    """

    head_dim: int
    first: np.ndarray
    second: np.ndarray
    rates: np.ndarray
    factor: float = 1.0
    place: np.ndarray | None = None
    shift: float = 0.0
    noise: float = 0.0
    config: object = None

    @property
    def direction(self):
        """Return 1 or -1 for the way most pairs turn, the slow ones first."""
        slow = self.rates[-(len(self.rates) // 2 + 1):]
        return 1 if np.sum(np.sign(slow)) >= 0 else -1

    def rates_for(self, length):
        """Return the signed rates for a text of so many tokens."""
        if self.config is None:
            return self.rates
        table = self.config.table(length=max(int(length), 1))
        turning = table.inv_freq[: len(self.rates)]
        return self.direction * turning

    def rotate(self, x, ids, back=False):
        """Return what x, (batch, heads, sequence, head_dim), becomes."""
        ids = np.asarray(ids) + self.shift
        rates = self.rates_for(np.max(ids) + 1)
        channels = np.concatenate([self.first, self.second])
        y = np.array(x, dtype=np.float64)
        part = y[..., self.place][..., channels] if back else y[..., channels]
        grid = (-ids if back else ids)[:, None, :]
        turned = self.factor * rotate(part, grid, rates, "half")
        y = y[..., self.place] if back else y
        y[..., channels] = turned
        if back:
            return y
        stored = np.empty_like(y)
        stored[..., self.place] = y
        return stored


def blocks(subject, heads=HEADS):
    """Return the matrices of a short text: (heads, position, row, column)."""
    ids, columns = np.arange(SHORT)[None], []
    for unit in np.eye(subject.head_dim):
        x = np.broadcast_to(unit, (1, heads, SHORT, subject.head_dim))
        columns.append(subject(x, ids)[0])
    return np.stack(columns, axis=-1)


def measure(subject):
    """Return the `Model` of a callable, and cos and sin as it has them.

    Raises `Trouble` where no rotation of pairs is found.
    """
    matrices = blocks(subject)
    matrix, place = sorted_rows(one_head(matrices))
    first, second = partners(matrix)
    angle, modulus = turns(matrix, first, second)
    model = Model(
        subject.head_dim, first, second, wrap(angle[1] - angle[0]),
        place=place, factor=float(np.median(modulus)),
    )
    model = with_shift(model, angle[0])
    tables = matrix[:, [first, second], first]
    return agreed(model, matrices[0]), tables


def one_head(matrices):
    """Return the matrices of the first head, if the others are the same."""
    still = worst(matrices, matrices[:, :1]) < LINK
    alike = worst(matrices, matrices[:1]) < ROUGH
    if still and not alike:
        raise Trouble(
            "turns-over-heads",
            "head 1 is turned against head 0 by"
            f" {worst(matrices[0], matrices[1]):.3g}, and position 7 against"
            " position 0 not at all",
        )
    if still:
        raise Trouble(
            "no-rotation",
            "positions 0 to 7 give the same matrix, at a distance of"
            f" {worst(matrices[0, 0], np.eye(matrices.shape[-1])):.2g} from"
            " the identity",
        )
    if not alike:
        gap = worst(matrices[0], matrices[1])
        raise Trouble("heads-differ", f"heads 0 and 1 differ by {gap:.3g}")
    return matrices[0]


def sorted_rows(matrix):
    """Return rows in the order of the columns, and where each one was.

    Position 0 shows where a result is stored: some codes read neighbors and
    write halves.
    """
    start = matrix[0]
    count, place = len(start), np.argmax(np.abs(start), axis=0)
    kept = start[place, np.arange(count)]
    bare = start.copy()
    bare[place, np.arange(count)] = 0
    moved = len(set(place)) == count and (kept > LINK).all()
    if not moved or np.abs(bare).max() > LINK:
        place = np.arange(count)
    return matrix[:, place], place


def partners(matrix):
    """Return the two channels of each pair, from who feeds whom."""
    linked = np.abs(matrix).max(axis=0) > LINK
    np.fill_diagonal(linked, False)
    mutual = linked & linked.T
    loose = ~mutual.any(axis=1)
    stray = linked & ~mutual
    if mutual.any() and not stray[~loose].any():
        check_tail(matrix, np.nonzero(loose)[0])
    if stray.any() or (mutual.sum(axis=1) > 1).any():
        row, column = np.argwhere(stray if stray.any() else mutual)[0]
        raise Trouble(
            "not-in-pairs",
            f"channel {row} receives from channel {column}; up to"
            f" {int(linked.sum(axis=1).max())} others feed one channel",
        )
    if not mutual.any():
        kept = np.diagonal(matrix, axis1=1, axis2=2)[1].round(3).tolist()
        raise Trouble(
            "not-in-pairs",
            f"no channel receives from another; position 1 keeps {kept}",
        )
    return np.nonzero(np.triu(mutual))


def check_tail(matrix, loose):
    """Refuse channels outside the pairs that do not stay as they are."""
    rows = np.eye(matrix.shape[-1])[loose]
    gap = np.abs(matrix[:, loose] - rows)
    if gap.max(initial=0.0) > ROUGH:
        channel = int(loose[gap.max(axis=(0, 2)).argmax()])
        raise Trouble(
            "tail-changed",
            f"channel {channel} is in no pair, yet keeps"
            f" {matrix[1, channel, channel]:.3g} of itself and is off by up"
            f" to {gap.max():.3g} for unit vectors",
        )


def turns(matrix, first, second):
    """Return angle and modulus of every pair, (position, pair)."""
    a, b = matrix[:, first, first], matrix[:, first, second]
    c, d = matrix[:, second, first], matrix[:, second, second]
    name = pattern(a, b, c, d)
    if name:
        at = np.argmax(np.abs(np.array([a - d, b + c])).max(axis=(0, 1)))
        told = np.array([[a, b], [c, d]])[:, :, 1, at].round(4).tolist()
        raise Trouble(
            name, f"at position 1, channels {first[at]} and {second[at]} are"
            f" multiplied by {told}"
        )
    return np.arctan2(c, a), np.hypot(a, c)


def pattern(a, b, c, d):
    """Return the code of a 2x2 block that is no turn, or None."""
    def near(*pairs):
        return max(worst(p, q) for p, q in pairs) < ROUGH

    if near((a, d), (b, -c)):
        return None
    if near((a, d), (b, c)):
        return "minus-lost"
    if near((c, -a * b), (d, a - b * b)) or near((b, -c * d), (a, d - c * c)):
        return "overwritten"
    rows = np.hypot(a, b), np.hypot(c, d)
    if near((rows[0], rows[0].flat[0]), (rows[1], rows[0].flat[0])):
        return "tables-mixed"
    return "not-a-turn"


def with_shift(model, start):
    """Return the model with the position that was added to all others."""
    if np.abs(start).max() < ROUGH:
        return model
    if worst(np.abs(start), np.pi / 2) < ROUGH:
        raise Trouble(
            "cos-sin-swapped",
            f"at position 0 every pair is turned by {start[0]:.4f} rad, a"
            " quarter turn",
        )
    shifts = np.arange(-16, 17) / 2
    gaps = [worst(wrap(s * model.rates - start), 0) for s in shifts]
    if min(gaps) > 20 * ROUGH:  # a rounded table is off by 4e-3
        raise Trouble(
            "not-still-at-zero",
            f"at position 0 pair 0 is turned by {start[0]:.4f} rad",
        )
    return replace(model, shift=float(shifts[np.argmin(gaps)]))


def agreed(model, matrix):
    """Return the model with its distance to what was measured."""
    x = np.eye(model.head_dim)[None, :, None, :]
    x = np.broadcast_to(x, (1, model.head_dim, SHORT, model.head_dim))
    predicted = model.rotate(x, np.arange(SHORT)[None])[0]
    return replace(model, noise=worst(predicted, matrix.transpose(2, 0, 1)))


def layout_of(model):
    """Return name and rotated width of the layout, if it has a name.

    "either" is a single pair of neighbors, the same in both; a width of 0
    stands for a pairing without a name.
    """
    first, second = model.first, model.second
    count = len(first)
    for name in ("interleaved", "half"):
        reach = int(second[0] - first[0]) if name == "half" else count
        one, two = pair_indices(2 * max(reach, count), as_layout(name))
        same = np.array_equal(first - first[0], one[:count])
        if same and np.array_equal(second - first[0], two[:count]):
            both = count == 1 and reach == 1
            return ("either" if both else name), 2 * max(reach, count)
    return "other", 0
