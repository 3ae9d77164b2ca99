"""The order of the examination, and what needs what."""


from functools import partial

from rope_edu._checks import as_choice, as_count, as_layout
from rope_edu.doctor import keys, probes, trials
from rope_edu.doctor.case import Case, NotTested
from rope_edu.doctor.expected import longest, other_layers, read_config
from rope_edu.doctor.report import Check, Report
from rope_edu.doctor.subject import (
    AXES, DTYPES, CannotAsk, Trouble, contact, has_torch)

# Name, test, and the tests that must have passed for it to mean anything.
# The order matters: a short text before a long one, one dtype before all,
# and what could spoil the callable for the rest at the end.
KNOWN = ("call", "pairs")
STEADY = (*KNOWN, "length", "memory")
PLACED = (*STEADY, "positions")
EXACT = (*STEADY, "angles", "norm")
REACHED = (*EXACT, "positions", "decode", "range")
TESTS = (
    ("call", probes.call, ()),
    ("pairs", probes.pairs, ("call",)),
    ("zero position", probes.zero, KNOWN),
    ("length", probes.length, KNOWN),
    ("angles", probes.angles, KNOWN),
    ("tables", probes.tables, KNOWN),
    ("memory", trials.memory, KNOWN),
    ("frequencies", probes.frequencies, KNOWN),
    ("norm", probes.norm, KNOWN),
    ("layout", probes.layout, KNOWN),
    ("config", probes.config, (*KNOWN, "memory")),
    ("positions", trials.positions, STEADY),
    ("order", trials.order, PLACED),
    ("decode", trials.decode, PLACED),
    ("heads", trials.heads, STEADY),
    ("batch", trials.batch, (*PLACED, "decode")),
    ("rows", trials.rows, (*PLACED, "heads", "batch")),
    ("shared ids", trials.shared_ids, (*PLACED, "batch")),
    ("strides", trials.strides, (*STEADY, "heads", "batch")),
    ("gradients", trials.gradients, (*PLACED, "heads", "batch")),
    ("row gradients", trials.row_gradients, (*PLACED, "gradients", "rows")),
    ("key", keys.key, STEADY),
    ("grouped key", keys.grouped_key, (*STEADY, "key")),
    *((name, partial(trials.dtype, name=name), EXACT)
      for name in DTYPES["torch"]),
    ("dtype memory", trials.dtype_memory, EXACT),
    ("range", trials.reach, (*EXACT, *PLACED, "decode", "dtype memory")),
    ("negative", trials.negative, REACHED),
    ("relative", trials.relative, REACHED),
    ("group law", trials.group, REACHED),
    ("untouched", trials.untouched, ("call",)),
)


def diagnose(
    fn, head_dim, config=None, *, layer_type=None, layout=None, axes=None,
    backend=None, dtypes=None, max_position=2**17, name=None,
):
    """Say which rotation a callable computes, and what is wrong with it.

    Parameters
    ----------
    fn : callable
        ``fn(x, position_ids)``, returns the rotated x. It is asked with x of
        shape (batch, heads, sequence, head_dim) and integer position_ids of
        shape (batch, sequence), as NumPy arrays or torch tensors on the CPU.
        Other orders of axes and shapes of positions are found out; for other
        signatures see `rope_edu.doctor.adapters`.
    head_dim : int
        Channels of one head, 2 or more.
    config : dict or RopeConfig, optional
        Content of a Hugging Face config.json to compare with.
    layer_type : str, optional
        Which layers of the config, as in `RopeConfig`.
    layout : {"interleaved", "half"}, optional
        The layout the weights are made for.
    axes : {"heads-first", "sequence-first"}, optional
        Order of axes 1 and 2 of x. Found out by default.
    backend : {"numpy", "torch"}, optional
        Kind of arrays. Found out by default.
    dtypes : sequence of str, optional
        Dtypes to try, all by default: float64, float32, float16, bfloat16.
    max_position : int
        Largest position to try.
    name : str, optional
        What the report calls the callable.

    Returns
    -------
    Report
        ``ok`` is False where an error was found; ``not_tested`` names what
        could not be tried, and why.

    Raises
    ------
    TypeError, ValueError
        If an argument of this function is wrong. What `fn` raises is a
        finding.

    Notes
    -----
    Random numbers are seeded: the same callable gets the same report. The
    callable is called a few hundred times, with texts of up to 2700 tokens,
    and more if a config has its own length.

    Examples
    --------
    >>> from rope_edu import inverse_frequencies, rotate
    >>> w = inverse_frequencies(8)
    >>> report = diagnose(lambda x, ids: rotate(x, ids[:, None], w), 8)
    >>> report.ok, report.convention["rates"]
    (True, 'base 10000, no scaling')
    """
    _check(fn, head_dim, axes, backend, layout)
    promised, read, others = _asked(config, layer_type, head_dim)
    dtypes = _checked_dtypes(dtypes)
    if as_count("max_position", max_position) < 64:
        raise ValueError(
            f"max_position must be 64 or more, got {max_position}")
    name = name or name_of(fn)
    try:
        subject = contact(fn, head_dim, backend, axes)
    except Trouble as trouble:
        case = Case(None)
        case.found(trouble.code, trouble.evidence)
        return Report(name, head_dim, {}, tuple(case.findings), _none())
    case = Case(
        subject, read, others, promised, layout, dtypes, max_position)
    checks = examine(case)
    order = {"error": 0, "warning": 1, "note": 2}
    findings = sorted(case.findings, key=lambda f: order[f.severity])
    return Report(name, head_dim, case.facts, tuple(findings), checks)


def _asked(config, layer_type, head_dim):
    read = read_config(config, layer_type, head_dim)
    return longest(config, read), read, other_layers(config, layer_type)


def _check(fn, head_dim, axes, backend, layout):
    if not callable(fn):
        raise TypeError(f"fn must be callable as fn(x, ids), got {fn!r}")
    if as_count("head_dim", head_dim) < 2:
        raise ValueError(f"head_dim must be at least 2, got {head_dim}")
    if axes is not None:
        as_choice("axes", axes, AXES)
    if layout is not None:
        as_layout(layout)
    if backend is not None:
        as_choice("backend", backend, tuple(DTYPES))
        if backend == "torch" and not has_torch():
            raise ValueError("backend is 'torch', which is not installed")


def _checked_dtypes(dtypes):
    known = DTYPES["torch"]
    if dtypes is None:
        return known
    if isinstance(dtypes, str):
        raise TypeError(f"dtypes must be a list of names, got {dtypes!r}")
    return tuple(as_choice("dtypes", name, known) for name in dtypes)


def name_of(fn):
    """Return a name for the report."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    return f"{getattr(fn, '__module__', None) or '?'}:{name}"


def _none():
    failed = Check("call", "failed", "no usable answer")
    rest = [Check(n, "not tested", "needs call") for n, *_ in TESTS[1:]]
    return (failed, *rest)


def examine(case):
    """Run all tests on a case; return a `Check` for each."""
    status, checks = {}, []
    for name, test, needs in TESTS:
        missing = dict.fromkeys(
            need for need in needs if status.get(need) != "passed")
        if missing:
            detail = f"needs {' and '.join(missing)}"
            check = Check(name, "not tested", detail)
        else:
            check = one(case, name, test)
        status[name] = check.status
        checks.append(check)
    return tuple(checks)


def one(case, name, test):
    """Run one test; whatever the callable does becomes a `Check`."""
    before, detail = len(case.noted), ""
    try:
        detail = test(case)
    except (NotTested, CannotAsk) as reason:
        return Check(name, "not tested", str(reason))
    except Trouble as trouble:
        code, evidence = trouble.code, trouble.evidence
        if code == "raises" and name != "call":
            code, evidence = "call-refused", f"{name}: {evidence}"
        case.found(code, evidence)
    new = dict.fromkeys(case.noted[before:])
    status = "failed" if new else "passed"
    return Check(name, status, ", ".join(new) or detail)


def as_exit_status(report, strict):
    """Return 0 for a clean report, 1 for another one."""
    flaws = report.codes or report.not_tested if strict else not report.ok
    return int(bool(flaws))


