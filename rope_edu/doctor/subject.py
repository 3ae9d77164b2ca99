"""Calling somebody's rotation without being surprised by it.

A `Subject` takes arrays of one fixed form, x of shape (batch, heads,
sequence, head_dim) and position_ids of shape (batch, sequence), turns them
into what the callable wants, and brings back float64. Whatever goes wrong on
the way is a `Trouble` with a code, never an accident of the doctor.
"""

import importlib.util
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

AXES = ("heads-first", "sequence-first")
# How position_ids are handed over: (batch, sequence), as a grid that
# broadcasts over the heads, or without the batch.
FORMS = ("batch", "grid", "flat")
DTYPES = {
    "numpy": ("float64", "float32", "float16"),
    "torch": ("float64", "float32", "float16", "bfloat16"),
}


class CannotAsk(Exception):
    """Raised by an adapter that has no way to put such a question.

    What was to be tested is then listed as not tested, with this reason.

    Examples
    --------
    >>> raise CannotAsk("takes one offset for all rows")
    Traceback (most recent call last):
    rope_edu.doctor.subject.CannotAsk: takes one offset for all rows
    """


class Trouble(Exception):
    """What a call came to instead of an array: a code and its evidence."""

    def __init__(self, code, evidence):
        super().__init__(f"{code}: {evidence}")
        self.code, self.evidence = code, evidence


def numpy_native(x, dtype):
    """Return a fresh NumPy array of the dtype."""
    return np.array(x, dtype=dtype, order="C")


def torch_native(x, dtype):
    """Return a fresh torch tensor of the dtype, or of whole numbers."""
    import torch

    x = torch.from_numpy(np.array(x, order="C"))
    return x.to(getattr(torch, dtype), copy=True)


def plain(native):
    """Return any array or tensor as NumPy, floats as float64."""
    if not isinstance(native, np.ndarray):
        native = native.detach().cpu()
        if native.is_floating_point():
            native = native.double()
        native = native.numpy()
    if native.dtype.kind != "f":
        return native
    # No subclass, and a copy; what is masked is no result.
    return np.array(np.ma.filled(native, np.nan), dtype=np.float64)


def dtype_name(native):
    """Return "bfloat16" and the like for an array or tensor."""
    return str(native.dtype).removeprefix("torch.")


def strided(native, view):
    """Return the same numbers with other strides, as attention has them."""
    if view == "transposed":  # made as (batch, sequence, heads, head_dim)
        twice = native.swapaxes(1, 2)
        twice = twice.copy() if is_numpy(twice) else twice.contiguous()
        return twice.swapaxes(1, 2)
    if view == "sliced":  # a part of a wider, fused projection
        pieces = [native, native, native]
        if is_numpy(native):
            wide = np.concatenate(pieces, axis=-1)
        else:
            wide = sys.modules["torch"].cat(pieces, dim=-1)
        return wide[..., : native.shape[-1]]
    return native


def is_numpy(native):
    """Say whether this is a NumPy array, the only one beside tensors."""
    return isinstance(native, np.ndarray)


@dataclass
class Subject:
    """A callable, and the way it wants to be called."""

    fn: Callable
    head_dim: int
    backend: str = "numpy"
    axes: str = "heads-first"
    form: str = "batch"
    dtype: str = "float64"
    changed: set = field(default_factory=set)

    def native(self, x, dtype=None):
        """Return x as the callable wants it, except for the axes."""
        make = numpy_native if self.backend == "numpy" else torch_native
        return make(x, dtype or self.dtype)

    def __call__(self, x, ids, dtype=None, view=None):
        """Rotate; return float64 of shape x.shape, or raise `Trouble`."""
        return self.checked(self.raw(x, ids, dtype, view), np.shape(x))

    def raw(self, x, ids, dtype=None, view=None):
        """Rotate; return what the callable returned, axes put back."""
        x = strided(self.native(x, dtype), view)
        return self.run(x, ids)

    def run(self, x, ids):
        """Call with a native x and watch what happens to it."""
        ids = self._ids(ids)
        given = x.swapaxes(1, 2) if self.axes == "sequence-first" else x
        before = [plain(x).copy(), plain(ids).copy()]
        answer = self._called(given, ids)
        for name, now, then in zip(("x", "position_ids"), (x, ids), before):
            if not np.array_equal(plain(now), then, equal_nan=True):
                self.changed.add(name)
        return self._put_back(answer)

    def _put_back(self, answer):
        if not isinstance(answer, self._kind()):
            raise Trouble("no-array", f"returned {type(answer).__name__}")
        if self.axes == "sequence-first" and answer.ndim == 4:
            return answer.swapaxes(1, 2)
        return answer

    def _called(self, x, ids):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return self.fn(x, ids)
            except CannotAsk:
                raise
            except (Exception, SystemExit) as error:
                text = " ".join(str(error).split())[:200]
                told = f"{type(error).__name__}: {text}"
                raise Trouble("raises", told) from error

    def _ids(self, ids):
        ids = np.array(ids)
        if self.form == "grid":
            heads = 1 if self.axes == "heads-first" else 2
            ids = np.expand_dims(ids, heads)
        if self.form == "flat":
            if not (ids == ids[:1]).all():
                raise CannotAsk("takes position_ids of shape (sequence,)")
            ids = ids[0]
        return ids if self.backend == "numpy" else torch_native(ids, "int64")

    def _kind(self):
        if self.backend == "numpy":
            return np.ndarray
        return sys.modules["torch"].Tensor

    def checked(self, native, shape):
        """Return a native answer as float64 if it is what x should become."""
        if tuple(native.shape) != tuple(shape):
            told = f"x of shape {tuple(shape)} came back {tuple(native.shape)}"
            raise Trouble("wrong-shape", told)
        if "complex" in dtype_name(native):
            raise Trouble("complex-output", f"dtype {dtype_name(native)}")
        values = plain(native)
        # Whole numbers, too: a turned vector has none.
        if values.dtype.kind != "f":
            raise Trouble("no-array", f"an array of {dtype_name(native)}")
        if not np.isfinite(values).all():
            share = np.mean(~np.isfinite(values))
            raise Trouble("nan-output", f"{share:.0%} is not finite")
        return values


def has_torch():
    """Say whether torch could be imported, without doing so."""
    return importlib.util.find_spec("torch") is not None


def backends(fn):
    """Return the kinds of arrays to try, the likelier one first."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(fn, torch.nn.Module):
        return ("torch",)
    return ("numpy", "torch") if has_torch() else ("numpy",)


def contact(fn, head_dim, backend=None, axes=None):
    """Return the first `Subject` whose call gives an array of x's shape.

    Heads and sequence have different lengths here, so that a callable with
    the other order of axes fails instead of rotating the wrong one.
    """
    failures = []
    for kind in (backend,) if backend else backends(fn):
        if kind == "torch":
            importlib.import_module("torch")
        for where in (axes,) if axes else AXES:
            for form in FORMS:
                subject = Subject(fn, head_dim, kind, where, form)
                for dtype in ("float64", "float32"):
                    subject = replace(subject, dtype=dtype, changed=set())
                    trouble = greet(subject)
                    if trouble is None:
                        return subject
                    failures.append((kind, trouble))
    raise gravest(failures)


def greet(subject):
    """Try one call; return the `Trouble` if x does not keep its shape."""
    x = np.ones((1, 2, 3, subject.head_dim))
    try:
        subject(x, [[0, 1, 2]])
    except Trouble as trouble:
        fine = trouble.code in ("complex-output", "nan-output")
        return None if fine else trouble
    except CannotAsk as reason:
        return Trouble("raises", str(reason))
    return None


def gravest(failures):
    """Return the failure that says most: a wrong shape before an error."""
    for code in ("wrong-shape", "no-array"):
        for _, trouble in failures:
            if trouble.code == code:
                return trouble
    first = {kind: t for kind, t in reversed(failures)}
    told = "; ".join(f"{kind}: {t.evidence}" for kind, t in first.items())
    return Trouble("raises", told)
