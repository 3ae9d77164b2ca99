"""The conventions of other codes, and the way from each to the book's.

A code that rotates has made four choices: which channels it reads as pairs,
in which order it returns them, which way it turns, and whether it turns the
whole head or the first channels only. `CONVENTIONS` holds the choices of
well-known codes with the place where they were read. Each differs from the
book's rotation by a permutation of channels and, where a code turns by
``-theta``, by the sign of the second number of every pair. Nothing else
differs, so vectors and weights can be carried over exactly.
"""

from dataclasses import dataclass

import numpy as np

from rope_edu._checks import (
    as_array,
    as_choice,
    as_count,
    as_positions,
    as_rotary_dim,
)
from rope_edu.layouts import (
    _head_width,
    half_to_interleaved,
    interleaved_to_half,
    permutation,
)
from rope_edu.reference import rotate


@dataclass(frozen=True)
class Convention:
    """How one code rotates, in terms of the book's rotation.

    Parameters
    ----------
    name : str
        What the tables call the code.
    reads, returns : {"interleaved", "half"}
        Layout of what it is given, and of what it gives back.
    direction : {1, -1}
        1 if a pair turns by ``+m * inv_freq[i]``, as in the book.
    partial : bool
        Whether its models turn only the first channels of a head.
    repository, path, function : str
        Where on GitHub the code stands.
    ran : str
        The package that the tests run it in; empty if the source was read
        and written anew for the tests, but not run.

    Examples
    --------
    >>> CONVENTIONS["nanochat"].carry([1.0, 2.0, 3.0, 4.0]).tolist()
    [1.0, 3.0, -2.0, -4.0]
    """

    name: str
    reads: str
    returns: str
    direction: int
    partial: bool
    repository: str
    path: str
    function: str
    ran: str = ""

    def signed_order(self, head_dim, rotary_dim=None):
        """Which number of the book's vector goes where, and with which sign.

        Parameters
        ----------
        head_dim : int
        rotary_dim : int, optional
            Channels that are rotated, all by default.

        Returns
        -------
        order, signs : numpy.ndarray of int, shape (head_dim,)
            ``x[..., order] * signs`` is what the code has to be given.

        Raises
        ------
        TypeError, ValueError
            If a width is wrong as in `permutation`.

        Examples
        --------
        >>> order, signs = CONVENTIONS["nanochat"].signed_order(4)
        >>> order.tolist(), signs.tolist()
        ([0, 2, 1, 3], [1, 1, -1, -1])
        """
        return self._signed(self.reads, head_dim, rotary_dim)

    def _signed(self, layout, head_dim, rotary_dim):
        width, order = as_rotary_dim(rotary_dim, head_dim), np.arange(head_dim)
        if layout == "half":
            order = permutation(head_dim, rotary_dim)
        second = (order % 2 == 1) & (order < width)
        return order, np.where(second, self.direction, 1)

    def carry(self, x, rotary_dim=None):
        """Carry the book's vectors over to what this code reads.

        Parameters
        ----------
        x : array_like, shape (..., head_dim)
            Before the rotation, pairs interleaved.
        rotary_dim : int, optional
            Channels that are rotated, all by default. The rest stay.

        Returns
        -------
        numpy.ndarray, shape of `x`
            A copy.

        Raises
        ------
        TypeError, ValueError
            As in `signed_order`.

        Examples
        --------
        >>> CONVENTIONS["transformers"].carry([10, 11, 20, 21]).tolist()
        [10, 20, 11, 21]
        """
        x = as_array("x", x)
        order, signs = self.signed_order(x.shape[-1], rotary_dim)
        return x[..., order] * signs.astype(x.dtype)

    def fetch(self, y, rotary_dim=None):
        """Carry what this code returns back to the book's layout.

        Parameters
        ----------
        y : array_like, shape (..., head_dim)
            After the rotation.
        rotary_dim : int, optional
            As in `carry`.

        Returns
        -------
        numpy.ndarray, shape of `y`
            A copy.

        Raises
        ------
        TypeError, ValueError
            As in `signed_order`.

        Examples
        --------
        >>> CONVENTIONS["deepseek"].fetch([10, 20, 11, 21]).tolist()
        [10, 11, 20, 21]
        """
        return self._back(as_array("y", y), self.returns, rotary_dim)

    def _back(self, y, layout, rotary_dim):
        order, signs = self._signed(layout, y.shape[-1], rotary_dim)
        x = np.empty_like(y)
        x[..., order] = y * signs.astype(y.dtype)
        return x

    def turn(self, x, position_ids, inv_freq, rotary_dim=None):
        """What this code returns for a vector, taken as it is.

        Parameters
        ----------
        x : array_like, shape (..., sequence, head_dim) or (head_dim,)
            In the layout that the code reads.
        position_ids, inv_freq, rotary_dim
            As in `rotate`.

        Returns
        -------
        numpy.ndarray, float64
            As in `rotate`, in the layout that the code returns.

        Raises
        ------
        TypeError, ValueError
            As in `rotate`.

        Examples
        --------
        >>> CONVENTIONS["nanochat"].turn([1, 0], 1, [1.0]).round(4).tolist()
        [0.5403, -0.8415]
        """
        ids = self.direction * as_positions(position_ids)
        y = rotate(x, ids, inv_freq, self.reads, rotary_dim)
        if self.reads == self.returns:
            return y
        move = {"half": interleaved_to_half,
                "interleaved": half_to_interleaved}[self.returns]
        return move(y, rotary_dim)

    @property
    def kind(self):
        """What sets its answer apart: the four choices."""
        return self.reads, self.returns, self.direction, self.partial


def _same(layout, direction=1, partial=False):
    return dict(reads=layout, returns=layout, direction=direction,
                partial=partial)


INTERLEAVED, HALF = _same("interleaved"), _same("half")
TRANSFORMERS = "src/transformers/models/"
PORT = "transformers 5.24.0 (port)"
GGML = {"repository": "ggml-org/llama.cpp",
        "path": "ggml/src/ggml-cpu/ops.cpp",
        "function": "ggml_compute_forward_rope_flt",
        "ran": "ggml-python 0.0.45"}
MLX = {"repository": "ml-explore/mlx", "path": "mlx/fast.cpp",
       "function": "rope", "ran": "mlx 0.32.4"}
ONNX = {"repository": "onnx/onnx",
        "path": "onnx/reference/ops/op_rotary_embedding.py",
        "function": "rotary_embedding", "ran": "onnxruntime 1.32.0"}

CONVENTIONS = {
    "roformer": Convention(
        "RoFormer", **INTERLEAVED, repository="bojone/bert4keras",
        path="bert4keras/backend.py",
        function="apply_rotary_position_embeddings", ran=PORT),
    "meta": Convention(
        "Meta Llama", **INTERLEAVED, repository="meta-llama/llama",
        path="llama/model.py", function="apply_rotary_emb"),
    "torchtune": Convention(
        "torchtune", **INTERLEAVED, repository="meta-pytorch/torchtune",
        path="torchtune/modules/position_embeddings.py",
        function="RotaryPositionalEmbeddings", ran="torchtune 0.6.1"),
    "lucidrains": Convention(
        "rotary-embedding-torch", **INTERLEAVED,
        repository="lucidrains/rotary-embedding-torch",
        path="rotary_embedding_torch/rotary_embedding_torch.py",
        function="apply_rotary_emb", ran="rotary-embedding-torch 0.9.1"),
    "ggml-normal": Convention("ggml NORMAL", **INTERLEAVED, **GGML),
    "mlx-traditional": Convention("MLX traditional", **INTERLEAVED, **MLX),
    "onnx-interleaved": Convention(
        "ONNX interleaved=1", **INTERLEAVED, **ONNX),
    "transformers": Convention(
        "transformers Llama", **HALF,
        repository="huggingface/transformers",
        path=TRANSFORMERS + "llama/modeling_llama.py",
        function="apply_rotary_pos_emb", ran="transformers 5.24.0"),
    "ggml-neox": Convention("ggml NEOX", **HALF, **GGML),
    "mlx": Convention("MLX default", **HALF, **MLX),
    "onnx": Convention("ONNX default", **HALF, **ONNX),
    "nanochat": Convention(
        "nanochat", **_same("half", direction=-1),
        repository="karpathy/nanochat", path="nanochat/gpt.py",
        function="apply_rotary_emb"),
    "deepseek": Convention(
        "DeepSeek-V3", "interleaved", "half", 1, False,
        repository="huggingface/transformers",
        path=TRANSFORMERS + "deepseek_v3/modeling_deepseek_v3.py",
        function="apply_rotary_pos_emb_interleave",
        ran="transformers 5.24.0"),
    "gptj": Convention(
        "GPT-J", **_same("interleaved", partial=True),
        repository="kingoflolz/mesh-transformer-jax",
        path="mesh_transformer/layers.py",
        function="apply_rotary_pos_emb", ran=PORT),
    "neox": Convention(
        "GPT-NeoX", **_same("half", partial=True),
        repository="EleutherAI/gpt-neox",
        path="megatron/model/positional_embeddings.py",
        function="apply_rotary_pos_emb", ran=PORT),
}


def get(key):
    """Return the convention with this key.

    Raises
    ------
    ValueError
        If there is none; the message lists the keys.

    Examples
    --------
    >>> get("meta").reads
    'interleaved'
    """
    return CONVENTIONS[as_choice("key", key, CONVENTIONS)]


def groups():
    """Conventions that give one and the same answer, together.

    Returns
    -------
    list of list of Convention

    Examples
    --------
    >>> [len(codes) for codes in groups()]
    [7, 4, 1, 1, 1, 1]
    """
    found = {}
    for code in CONVENTIONS.values():
        found.setdefault(code.kind, []).append(code)
    return list(found.values())


def convert(x, source, target, rotary_dim=None):
    """Carry unrotated vectors from one code's convention to another's.

    Parameters
    ----------
    x : array_like, shape (..., head_dim)
        As the code `source` reads them. Any signed dtype; it is kept.
    source, target : str
        Keys of `CONVENTIONS`.
    rotary_dim : int, optional
        Channels that are rotated, all by default. The rest stay in place.

    Returns
    -------
    numpy.ndarray, shape of `x`
        A copy: the same vectors as the code `target` reads them.

    Raises
    ------
    TypeError, ValueError
        If a key is unknown or a width is wrong as in `permutation`.

    Examples
    --------
    >>> convert([1.0, 2.0, 3.0, 4.0], "transformers", "nanochat").tolist()
    [1.0, 2.0, -3.0, -4.0]
    """
    source, target, x = get(source), get(target), as_array("x", x)
    book = source._back(x, source.reads, rotary_dim)
    return target.carry(book, rotary_dim)


def convert_weight(
    weight, num_heads, source, target, rotary_dim=None, *, head_dim=None
):
    """Carry a query or key projection from one convention to another.

    As `permute_weight`, but with the sign, too, where one of the two codes
    turns by ``-theta``. Do it to the queries and to the keys, each with its
    own number of heads, and to biases.

    Parameters
    ----------
    weight : array_like, shape (num_heads * head_dim, ...)
        A projection used as ``weight @ x``, or its bias. Any signed dtype;
        it is kept.
    num_heads : int
        Heads of this projection.
    source, target : str
        Keys of `CONVENTIONS`.
    rotary_dim, head_dim : int, optional
        As in `permute_weight`.

    Returns
    -------
    numpy.ndarray, shape of `weight`
        A copy.

    Raises
    ------
    TypeError, ValueError
        As in `convert` and `permute_weight`.

    Examples
    --------
    >>> convert_weight([1, 2, 3, 4], 2, "meta", "nanochat").tolist()
    [1, -2, 3, -4]
    """
    weight = as_array("weight", weight)
    width = _head_width(weight, as_count("num_heads", num_heads), head_dim)
    heads = weight.reshape(num_heads, width, -1).swapaxes(1, 2)
    moved = convert(heads, source, target, rotary_dim)
    return moved.swapaxes(1, 2).reshape(weight.shape)


def _pairs(code):
    names = {"interleaved": "interleaved", "half": "half-split"}
    text = names[code.reads]
    if code.reads != code.returns:
        text += f" → {names[code.returns]}"
    return text + (", first channels" if code.partial else "")


def table():
    """The conventions as a Markdown table.

    Examples
    --------
    >>> print(table().splitlines()[3])
    | Meta Llama | interleaved | +θ |
    """
    rows = [["code", "pairs", "turns"], ["---"] * 3]
    for code in (code for codes in groups() for code in codes):
        turns = "+θ" if code.direction == 1 else "**−θ**"
        rows.append([code.name, _pairs(code), turns])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def sources():
    """Where each convention was read, and in what it was run: Markdown.

    Examples
    --------
    >>> print(sources().splitlines()[0][:50])
    - **RoFormer** [bojone/bert4keras](https://github.
    """
    return "\n".join(
        f"- **{code.name}** [{code.repository}]"
        f"(https://github.com/{code.repository}), `{code.path}`,"
        f" `{code.function}`; "
        + (f"run: {code.ran}" if code.ran else "read, not run")
        for codes in groups() for code in codes)
