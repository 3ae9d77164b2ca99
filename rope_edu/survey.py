"""The table of real models: their settings, and what follows from them.

The settings are those of `rope_edu.config.presets`, each with its source.
What follows is arithmetic on the rates; it says what the dials do, not how
well a model uses them.
"""

import json
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from rope_edu._checks import as_count
from rope_edu.arcs import seen_share
from rope_edu.config import RopeConfig, presets
from rope_edu.frequencies import wavelengths
from rope_edu.measures import first_negative

# What the book calls a method, and which number of it says how much.
METHODS = {
    "Default": ("none", None),
    "Linear": ("PI", "factor"),
    "Llama3": ("Llama 3", "factor"),
    "YaRN": ("YaRN", "factor"),
    "LongRoPE": ("LongRoPE", "factor"),
    "Proportional": ("p-RoPE", "partial_factor"),
}


@dataclass(frozen=True)
class Model:
    """The rotation of one model, or of one kind of its layers.

    Parameters
    ----------
    name : str
    config : RopeConfig
    trained_length : int or None
        In tokens. None where it is not published, and for layers with a
        sliding window, where no key is further away than the window.
    source : str
        Where the settings were read.
    """

    name: str
    config: RopeConfig
    trained_length: int | None
    source: str

    @property
    def rates(self):
        """Radians per token at the trained length, shape (pairs,).

        Examples
        --------
        >>> models()["Gemma 4, global layers"].rates.shape
        (256,)
        """
        return self.config.table(self.trained_length or 1).inv_freq

    @property
    def method(self):
        """How the rates were changed, in a word or two.

        Examples
        --------
        >>> models()["Llama 3.1 8B"].method
        'Llama 3, 8'
        """
        scaling = self.config.scaling
        word, field = METHODS[type(scaling).__name__]
        return f"{word}, {getattr(scaling, field):g}" if field else word

    @property
    def longest_wavelength(self):
        """Tokens that the slowest turning dial needs for a turn.

        Examples
        --------
        >>> round(models()["Llama 2 7B"].longest_wavelength)
        54410
        """
        return float(wavelengths(self.rates[self.rates > 0]).max())

    @property
    def finished(self):
        """Dials that complete a turn within the trained length, or None.

        Examples
        --------
        >>> models()["Llama 2 7B"].finished
        46
        """
        if self.trained_length is None:
            return None
        share = seen_share(self.rates, self.trained_length)
        return int(np.sum(share == 1))

    def first_negative(self, limit):
        """First offset at which equal vectors score below 0, or None.

        Parameters
        ----------
        limit : int
            The last offset that is tried.

        Raises
        ------
        TypeError, ValueError
            If `limit` is not a positive integer.

        Examples
        --------
        >>> models()["Llama 2 7B"].first_negative(4096)
        1707
        """
        return first_negative(self.rates, as_count("limit", limit) + 1)


def models():
    """Every model of the table of settings, by its name, in their order.

    The running example of the book is not one of them.

    Examples
    --------
    >>> list(models())[:2]
    ['RoFormer base', 'Llama 2 7B']
    """
    table = files("rope_edu").joinpath("data", "presets.json")
    rows, configs = json.loads(table.read_text("utf-8")), presets()
    return {row["name"]: Model(row["name"], configs[row["name"]],
                               _length(row), row["source"])
            for row in rows[1:]}


def _length(row):
    windowed = row.get("layer_type") == "sliding_attention"
    return None if windowed else row["trained_length"]
