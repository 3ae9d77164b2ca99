"""What is known about one callable while it is examined."""

from dataclasses import dataclass, field, replace

import numpy as np

from rope_edu.config import RopeConfig
from rope_edu.doctor.model import SHORT, Model, worst
from rope_edu.doctor.naming import Name
from rope_edu.doctor.report import finding
from rope_edu.doctor.subject import Subject


class NotTested(Exception):
    """Raised by a probe that cannot say anything, with the reason."""


@dataclass
class Case:
    """One examination: the questions, and what came out so far."""

    subject: Subject
    config: RopeConfig | None = None
    others: dict = field(default_factory=dict)
    promised: int | None = None
    layout: str | None = None
    dtypes: tuple = ()
    max_position: int = 2**17
    model: Model | None = None
    tables: np.ndarray | None = None
    name: Name | None = None
    steps: tuple = ()
    texts: dict = field(default_factory=dict)
    longest: int = 0
    grown: int = 0
    eps: float = 1e-7
    first: tuple = ()
    facts: dict = field(default_factory=dict)
    findings: list = field(default_factory=list)
    noted: list = field(default_factory=list)

    def __post_init__(self):
        self.rng = np.random.default_rng(0)
        self.more = np.random.default_rng(1)

    def found(self, code, evidence, **parts):
        """Note a finding; a code that is there gets the evidence, too."""
        new = finding(code, evidence, **parts)
        if new.severity != "note":
            self.noted.append(code)
        for at, old in enumerate(self.findings):
            if old.code == code:
                both = f"{old.evidence}; {evidence}"
                self.findings[at] = replace(old, evidence=both)
                return
        self.findings.append(new)

    def vectors(self, *shape, rng=None):
        """Return numbers of size 0.5 to 1.5 with either sign."""
        rng, shape = rng or self.rng, (*shape, self.subject.head_dim)
        return rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)

    def batch(self, *shape):
        """Return vectors of a draw of its own: the others stay the same."""
        return self.vectors(*shape, rng=self.more)

    @property
    def tol(self):
        """Return what a wrong position exceeds and rounding does not."""
        return max(1e-4, 20 * self.model.noise)

    @property
    def long(self):
        """Return how many tokens a text has that is long, for a batch."""
        return min(130, self.longest)

    @property
    def span(self):
        """Return the positions that were tried and share one set of rates."""
        ends = [self.longest, self.max_position]
        if self.model.config is not None:
            ends.append(self.config.scaling.original_length)
        return min(ends)

    def gap(self, x, ids, **how):
        """Return the largest difference to the model, and the result."""
        y = self.subject(x, ids, **how)
        return worst(y, self.model.rotate(x, ids)), y

    def far(self, position):
        """Return what float32 may cost a result at a position, in size."""
        return max(0.02, self.tol, 3 * self.slack(np.array(position)).max())

    def slack(self, ids):
        """Return what float32 may cost an angle, in rad, for each pair."""
        noise, rates = max(self.model.noise, 1e-6), np.abs(self.model.rates)
        lever = 2 * noise / max(self.longest, SHORT)
        return 8 * noise + np.abs(ids)[..., None] * (2**-21 * rates + lever)

    def position_of(self, x, y, candidates):
        """Return words for the position by which x became y."""
        for position in candidates:
            ids = np.full((x.shape[0], x.shape[2]), position)
            if worst(y, self.model.rotate(x, ids)) < self.far(position):
                return f"turned as position {position}"
        if not np.any(y):
            return "all zeros"
        return "turned as no position nearby"


def packed(rows, size):
    """Return positions of short texts, one after the other in each row.

    They stay below 8, so that a short table does not come in.
    """
    lengths = np.array([8, 5, 7, 3, 6, 4])
    made = []
    for row in range(rows):
        parts = [np.arange(n) for n in np.roll(lengths, row)]
        made.append(np.roll(np.resize(np.concatenate(parts), size), -row))
    return np.array(made)
