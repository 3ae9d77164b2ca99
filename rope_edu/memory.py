"""What a model remembers while it writes: the size of its KV cache.

The cache holds a key and a value for each token, layer and key head. RoPE
has no part in it: a turned key is as long as one that is not.
"""

from dataclasses import dataclass

from rope_edu._checks import as_count


@dataclass(frozen=True)
class KVCache:
    """Shape of a model's cache, for one sequence.

    Parameters
    ----------
    layers : int
        Layers with attention.
    numbers : int
        Numbers that one layer keeps of one token: twice the number of key
        heads times their width, or less where they are compressed.
    source : str
        Where the shape was read.
    window : int, optional
        Tokens that a windowed layer keeps, the newest one included.
    windowed : int
        Layers that have the window; the others keep all tokens.

    Raises
    ------
    TypeError, ValueError
        If a count is not a positive integer, there are more windowed layers
        than layers, or only one of `window` and `windowed` is given.

    Examples
    --------
    >>> KVCache(layers=2, numbers=16, source="here").bytes(length=100)
    6400
    """

    layers: int
    numbers: int
    source: str
    window: int | None = None
    windowed: int = 0

    def __post_init__(self):
        names = ["layers", "numbers"]
        if self.window is not None or self.windowed != 0:
            names += ["window", "windowed"]
        for name in names:
            # As Python's integers: products of NumPy's may overflow.
            value = as_count(name, getattr(self, name))
            object.__setattr__(self, name, value)
        if self.windowed > self.layers:
            raise ValueError(
                f"windowed must be at most layers = {self.layers}, got"
                f" {self.windowed}"
            )

    def tokens(self, length):
        """Tokens that are kept, added up over the layers.

        Parameters
        ----------
        length : int
            Tokens of the text.

        Returns
        -------
        int

        Examples
        --------
        >>> KVCache(3, 16, "here", window=10, windowed=2).tokens(100)
        120
        """
        length = as_count("length", length)
        full = self.layers - self.windowed
        kept = min(length, self.window or length)
        return full * length + self.windowed * kept

    def bytes(self, length, width=2):
        """Bytes of the whole cache.

        Parameters
        ----------
        length : int
            Tokens of the text.
        width : int
            Bytes of one number: 2 for float16 and bfloat16.

        Returns
        -------
        int

        Examples
        --------
        >>> KVCACHES["Llama 2 7B"].bytes(4096) / 2**30
        2.0
        """
        return self.tokens(length) * self.numbers * as_count("width", width)

    def reach(self):
        """How many tokens back the last layer's output can depend on.

        Returns
        -------
        int or None
            None where a layer without a window sees the whole text.

        Examples
        --------
        >>> KVCACHES["Mistral 7B v0.1"].reach()
        131040
        """
        if self.windowed < self.layers:
            return None
        return self.layers * (self.window - 1)


LITGPT = "litgpt 0.5.13, config.py"
HF = "transformers 5.24, configuration"
# Names are those of `rope_edu.config.presets`, where the model is there.
KVCACHES = {
    "SmolLM2 135M": KVCache(30, 2 * 3 * 64, f"{LITGPT}, SmolLM2-135M"),
    "Llama 2 7B": KVCache(32, 2 * 32 * 128, f"{LITGPT}, Llama-2-7b-hf"),
    "Llama 2 70B": KVCache(80, 2 * 8 * 128, f"{LITGPT}, Llama-2-70b-hf"),
    "Llama 3.1 8B": KVCache(32, 2 * 8 * 128, f"{LITGPT}, Llama-3.1-8B"),
    "Mistral 7B v0.1": KVCache(
        32, 2 * 8 * 128, "arXiv:2310.06825, Table 1", 4096, 32
    ),
    "Gemma 3 4B": KVCache(
        34, 2 * 4 * 256, f"{LITGPT}, Gemma-3-4b-it", 1024, 29
    ),
    "gpt-oss, 36 layers": KVCache(
        36, 2 * 8 * 64, f"{HF}_gpt_oss.py", 128, 18
    ),
    # A compressed key and value of 512, and one rotated key of 64 that all
    # heads share.
    "DeepSeek-V3": KVCache(61, 512 + 64, f"{HF}_deepseek_v3.py"),
}
