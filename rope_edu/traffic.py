"""Count the bytes that torch operators move, instead of timing them.

An operator reads the tensors it is given and writes the one it returns. If
several stand in a row, what the first has written the second reads again.
`traffic` runs a function and adds this up. A count is the same on every
machine; how much of it a cache answers is not in it.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def traffic(function):
    """Bytes that the operators of a function read and write.

    Parameters
    ----------
    function : callable
        Without arguments; it calls torch operators, not compiled code.

    Returns
    -------
    dict of str to int
        `read` and `written`. A number that is broadcast is read once. Views
        and fresh memory that nothing has written to yet cost nothing.

    Raises
    ------
    TypeError
        If `function` cannot be called.

    Examples
    --------
    >>> x = torch.zeros(100)
    >>> traffic(lambda: x * x + x)  # two products, one sum, each 4 bytes
    {'read': 1600, 'written': 800}
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {function!r}")
    with _Counting() as counting:
        function()
    return {"read": counting.read, "written": counting.written}


class _Counting(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.read = self.written = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if _moves(func, args, result):
            inputs = {k: v for k, v in kwargs.items() if k != "out"}
            self.read += _bytes((_inputs(func, args), inputs))
            self.written += _bytes(result)
        return result


def _moves(func, args, result):
    if func.is_view or "empty" in func.name():
        return False
    # Some views, such as _unsafe_view, do not say that they are one.
    return func._schema.is_mutable or not _places(args) & _places(result)


def _places(values):
    return {x.untyped_storage().data_ptr() for x in _tensors(values)} - {0}


def _inputs(func, args):
    # What copy_ is copied onto is not read.
    return args[1:] if func.name() == "aten::copy_" else args


def _bytes(values):
    return sum(_distinct(x) * x.element_size() for x in _tensors(values))


def _tensors(values):
    return [x for x in tree_leaves(values) if isinstance(x, torch.Tensor)]


def _distinct(x):
    count = 1
    for length, stride in zip(x.shape, x.stride()):
        count *= length if stride or length == 0 else 1
    return count
