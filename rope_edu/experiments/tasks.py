"""What the small models learn: five tasks, each drawn from a generator.

A task has a `vocab_size`, a `length` and ``draw(generator, rows)``, which
gives a `Batch`. Every token may carry a target; where there is nothing to
predict it is `IGNORE`.

>>> generator = torch.Generator().manual_seed(0)
>>> batch = CopyBack(back=3).draw(generator, rows=2)
>>> torch.equal(batch.targets[:, 3:], batch.tokens[:, :-3])
True
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch

from rope_edu._checks import as_choice, as_count
from rope_edu.experiments.text import as_tokens, load_text, split

# What cross_entropy leaves out by default.
IGNORE = -100


class Batch(NamedTuple):
    """Tokens and what is to be said at each of them.

    Attributes
    ----------
    tokens : torch.Tensor of int64, shape (rows, length)
    targets : torch.Tensor of int64, shape (rows, length)
        `IGNORE` where nothing is asked.

    Examples
    --------
    >>> Batch(torch.tensor([[1, 2]]), torch.tensor([[IGNORE, 1]])).asked()
    tensor([[False,  True]])
    """

    tokens: torch.Tensor
    targets: torch.Tensor

    def asked(self):
        """Return where there is a target, as bool."""
        return self.targets != IGNORE


def _randint(generator, high, *shape):
    return torch.randint(high, shape, generator=generator)


def _nothing(tokens):
    return torch.full_like(tokens, IGNORE)


@dataclass(frozen=True)
class Order:
    """``CLS A verb B``: who did it? The answer is A.

    Parameters
    ----------
    cls : {"first", "last"}
        Where CLS stands. A causal model can answer from the last place only,
        and there must not know B already, as it would at B's own place.
    readout : {"cls", "verb"}
        The token at which the answer is asked for. From the verb, A and B
        are equally far.
    names, verbs : int

    Examples
    --------
    >>> batch = Order(readout="verb").every()
    >>> batch.tokens[0].tolist(), batch.targets[0].tolist()
    ([0, 1, 9, 2], [-100, -100, 1, -100])
    """

    cls: str = "first"
    readout: str = "cls"
    names: int = 8
    verbs: int = 4
    length = 4

    def __post_init__(self):
        as_choice("cls", self.cls, ("first", "last"))
        as_choice("readout", self.readout, ("cls", "verb"))
        if as_count("names", self.names) < 2:
            raise ValueError("names must be at least 2, got 1")
        as_count("verbs", self.verbs)

    @property
    def vocab_size(self):
        """Tokens: CLS, the names, the verbs."""
        return 1 + self.names + self.verbs

    def draw(self, generator, rows):
        """Return random sentences of two different names."""
        a = _randint(generator, self.names, rows)
        b = (a + 1 + _randint(generator, self.names - 1, rows)) % self.names
        return self._batch(a, _randint(generator, self.verbs, rows), b)

    def every(self):
        """Return every sentence once, and so each with its mirror image."""
        a, verb, b = torch.cartesian_prod(
            *(torch.arange(n) for n in (self.names, self.verbs, self.names))
        ).T
        return self._batch(*(part[a != b] for part in (a, verb, b)))

    def mirrored(self, tokens):
        """Return the tokens with A and B exchanged."""
        first = self.cls == "first"
        order = [0, 3, 2, 1] if first else [2, 1, 0, 3]
        return tokens[:, order]

    def _batch(self, a, verb, b):
        parts = [1 + a, 1 + self.names + verb, 1 + b]
        parts.insert(0 if self.cls == "first" else 3, torch.zeros_like(a))
        tokens = torch.stack(parts, 1)
        if self.readout == "cls":
            asked = tokens == 0
        else:
            asked = tokens > self.names
        answer = (1 + a)[:, None].expand_as(tokens)
        return Batch(tokens, answer.where(asked, torch.tensor(IGNORE)))


@dataclass(frozen=True)
class CopyBack:
    """Random symbols: repeat the one `back` places before.

    Parameters
    ----------
    back, symbols, length : int

    Examples
    --------
    >>> CopyBack().draw(torch.Generator().manual_seed(0), 2).tokens.shape
    torch.Size([2, 32])
    """

    back: int = 3
    symbols: int = 8
    length: int = 32

    def __post_init__(self):
        as_count("symbols", self.symbols), as_count("back", self.back)
        if self.back >= as_count("length", self.length):
            raise ValueError(
                f"back must be below length = {self.length}, got {self.back}"
            )

    @property
    def vocab_size(self):
        """The symbols."""
        return self.symbols

    def draw(self, generator, rows):
        """Return random rows."""
        tokens = _randint(generator, self.symbols, rows, self.length)
        targets = _nothing(tokens)
        targets[:, self.back :] = tokens[:, : -self.back]
        return Batch(tokens, targets)


@dataclass(frozen=True)
class Recall:
    """``k v k v ...``: at a key seen before, say its value.

    In each row every key has one value, drawn anew.

    Parameters
    ----------
    keys, values : int
        How many of each there are.
    length : int
        Even.

    Examples
    --------
    >>> task = Recall(keys=2, length=8)
    >>> batch = task.draw(torch.Generator().manual_seed(0), 1)
    >>> batch.tokens[0].tolist()
    [1, 9, 0, 6, 1, 9, 1, 9]
    >>> batch.targets[0].tolist()
    [-100, -100, -100, -100, 9, -100, 9, -100]
    """

    keys: int = 8
    values: int = 8
    length: int = 32

    def __post_init__(self):
        as_count("keys", self.keys), as_count("values", self.values)
        if as_count("length", self.length) % 2:
            raise ValueError(f"length must be even, got {self.length}")

    @property
    def vocab_size(self):
        """Keys, then values."""
        return self.keys + self.values

    def draw(self, generator, rows):
        """Return random rows."""
        value_of = _randint(generator, self.values, rows, self.keys)
        key = _randint(generator, self.keys, rows, self.length // 2)
        value = self.keys + value_of.gather(1, key)
        same = key[:, :, None] == key[:, None, :]
        seen = same.tril(-1).any(-1)
        tokens = torch.stack([key, value], -1).flatten(1)
        targets = _nothing(tokens)
        targets[:, ::2] = torch.where(seen, value, IGNORE)
        return Batch(tokens, targets)


@dataclass(frozen=True)
class Needle:
    """One needle among noise: from then on, say which it was.

    Parameters
    ----------
    needles, noise : int
        How many kinds of each there are.
    length : int
    within : int
        The needle lies in the first places, this many.

    Examples
    --------
    >>> batch = Needle(length=6, within=4).draw(
    ...     torch.Generator().manual_seed(0), 1)
    >>> batch.tokens[0].tolist(), batch.targets[0].tolist()
    ([12, 15, 13, 3, 11, 11], [-100, -100, -100, -100, 3, 3])
    """

    needles: int = 8
    noise: int = 8
    length: int = 64
    within: int = 32

    def __post_init__(self):
        as_count("needles", self.needles), as_count("noise", self.noise)
        as_count("length", self.length)
        if not as_count("within", self.within) < self.length:
            raise ValueError(
                f"within must be below length = {self.length}, got"
                f" {self.within}"
            )

    @property
    def vocab_size(self):
        """Needles, then noise."""
        return self.needles + self.noise

    def draw(self, generator, rows):
        """Return random rows."""
        noise = _randint(generator, self.noise, rows, self.length)
        needle = _randint(generator, self.needles, rows, 1)
        where = _randint(generator, self.within, rows, 1)
        place = torch.arange(self.length)
        tokens = torch.where(place == where, needle, self.needles + noise)
        return Batch(tokens, torch.where(place > where, needle, IGNORE))


@dataclass(frozen=True)
class Text:
    """The next character of a text.

    Parameters
    ----------
    part : {"train", "held out"}
    length : int
        Characters of a row.

    Examples
    --------
    >>> batch = Text(length=8).draw(torch.Generator().manual_seed(0), 1)
    >>> torch.equal(batch.tokens[:, 1:], batch.targets[:, :-1])
    True
    """

    part: str = "train"
    length: int = 64

    def __post_init__(self):
        as_choice("part", self.part, ("train", "held out"))
        longest = len(self._tokens()) - 1
        if as_count("length", self.length) > longest:
            raise ValueError(
                f"length must be at most {longest}, got {self.length}"
            )

    @property
    def vocab_size(self):
        """The characters of the whole text."""
        return len(set(load_text()))

    def _tokens(self):
        return torch.tensor(as_tokens(split()[self.part]))

    def draw(self, generator, rows):
        """Return rows that begin anywhere."""
        tokens = self._tokens()
        starts = _randint(generator, len(tokens) - self.length, rows)
        return self._batch(tokens, starts)

    def every(self):
        """Return the text cut into rows, one after the other."""
        tokens = self._tokens()
        starts = torch.arange(0, len(tokens) - self.length, self.length)
        return self._batch(tokens, starts)

    def _batch(self, tokens, starts):
        places = starts[:, None] + torch.arange(self.length)
        return Batch(tokens[places], tokens[places + 1])


def unseen(task, rows=128):
    """Return rows to ask about, the same for every model.

    They come from another generator than the rows of any training.

    Parameters
    ----------
    task : object
    rows : int

    Returns
    -------
    Batch

    Examples
    --------
    >>> unseen(CopyBack()).tokens.shape
    torch.Size([128, 32])
    """
    return task.draw(torch.Generator().manual_seed(99), rows)
