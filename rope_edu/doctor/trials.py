"""Whether the rotation holds in use: positions, batches, memory, dtypes.

Positions stay below 8 until the range is tested, so that a short table is
found there and not taken for something else.

Each trial takes a `Case` whose model is known, and compares what the
callable returns with what the model predicts. Like the probes it returns
words for the report, or raises.
"""

import numpy as np

from rope_edu.doctor.case import NotTested, packed
from rope_edu.doctor.keys import far_keys
from rope_edu.doctor.model import HEADS, SHORT, worst, wrap
from rope_edu.doctor.probes import sharpened, turned
from rope_edu.doctor.rounding import COARSE, EPS, explain
from rope_edu.doctor.subject import (
    DTYPES, CannotAsk, Trouble, dtype_name, plain)

NEAR = range(64)


def memory(case):
    """Ask the first question again, after the longer texts."""
    x, ids, y = case.first
    gap = worst(case.subject(x, ids), y)
    if gap > max(1e-5, case.model.noise):
        raise Trouble(
            "history-length",
            f"the first text of {ids.shape[1]} tokens is off by {gap:.3g}"
            f" after one of {case.longest}",
        )
    return f"short, {case.longest} tokens, short again: off by {gap:.1g}"


def positions(case):
    """Ask for a text that does not start at 0."""
    ids, x = np.arange(3, 8)[None], case.vectors(1, HEADS, 5)
    gap, y = case.gap(x, ids)
    if gap <= case.tol:
        return f"a text from position 3 on, to {gap:.1g}"
    seen = f"positions 3 to 7 are off by {gap:.3g}"
    if worst(y, case.model.rotate(x, ids - 3)) < case.tol:
        raise Trouble("positions-ignored", f"{seen}: turned as 0 to 4")
    raise Trouble("positions-misread", seen)


def order(case):
    """Ask for positions of packed and padded texts, and for any order."""
    x, seen = case.vectors(1, HEADS, 5), 0.0
    for row in ([0, 1, 2, 0, 1], [1, 1, 0, 1, 2], [3, 1, 7, 0, 2]):
        ids = np.array([row])
        gap, y = case.gap(x, ids)
        seen = max(seen, gap)
        if gap > case.tol:
            _misread(case, x, y, ids, f"positions {row}")
    x, ids = case.batch(1, HEADS, case.long), packed(1, case.long)
    gap, y = case.gap(x, ids)
    if gap > case.tol:
        _misread(case, x, y, ids, f"packed positions of {case.long} tokens")
    return f"packed, padded and in any order, to {seen:.1g}"


def _misread(case, x, y, ids, words):
    """Raise with the name of what was done to the positions of one row."""
    gap, start = worst(y, case.model.rotate(x, ids)), ids[0, 0]
    told = f"{words} are off by {gap:.3g}"
    counted = start + np.arange(ids.shape[1])[None]
    # Measured in a short text, rates are not good enough far from 0.
    near = worst(y[:, :, :16], case.model.rotate(x, counted)[:, :, :16])
    if near < case.tol:
        words = f"{told}: counted up from {start}"
        raise Trouble("positions-counted", words)
    raise Trouble("positions-misread", told)


def decode(case):
    """Ask for one token, and for two, as while a text is written."""
    worst_gap = 0.0
    for ids in ([0], [1], [5], [7], [6, 7]):
        x = case.vectors(1, HEADS, len(ids))
        gap, y = case.gap(x, [ids])
        worst_gap = max(worst_gap, gap)
        if gap > case.tol:
            looks = case.position_of(x, y, NEAR)
            raise Trouble(
                "decode-differs",
                f"{len(ids)} token(s) from position {ids[0]} on are off by"
                f" {gap:.3g}: {looks}",
            )
    return f"one and two tokens as in a text, to {worst_gap:.1g}"


def rows(case):
    """Give each row of a batch positions of its own."""
    ids = np.array([[5, 6, 7], [2, 3, 4]])
    x = case.vectors(2, 3, 3)
    gap, y = case.gap(x, ids)
    if gap > case.tol:
        _name_rows(case, x, y, ids, "two rows are")
    _same_sizes(case)
    _many_rows(case)
    return f"each row by its own positions, to {gap:.1g}"


def _name_rows(case, x, y, ids, words):
    gap, all_rows = worst(y, case.model.rotate(x, ids)), len(ids)
    for row in range(all_rows):
        shared = case.model.rotate(x, ids[[row] * all_rows])
        if worst(y, shared) < case.tol:
            every = "both" if all_rows == 2 else "all"
            raise Trouble(
                "rows-share-positions",
                f"off by {gap:.3g}: {every} rows are turned by the"
                f" positions of row {row}",
            )
    raise Trouble("rows-mixed", f"{words} off by {gap:.3g}")


def _many_rows(case):
    if {"positions-counted", "positions-misread"} & set(case.noted):
        return  # resets go wrong in one row, too
    size = case.long
    x, ids = case.batch(4, 9, size), packed(4, size)
    gap, y = case.gap(x, ids)
    if gap > case.tol:
        words = f"4 rows, 9 heads, {size} tokens are"
        _name_rows(case, x, y, ids, words)


def _same_sizes(case):
    # Where batch, heads and sequence have one length, axes can be mixed
    # without an error.
    x, ids = case.vectors(3, 3, 3), np.array([[0, 1, 2], [5, 6, 7], [3, 4, 5]])
    gap, _ = case.gap(x, ids)
    if gap > case.tol:
        raise Trouble("rows-mixed", f"3 rows, 3 heads, 3 tokens: {gap:.3g}")


def batch(case):
    """Send the same row three times, one token and two tokens long."""
    for size in (1, 2):
        x = np.repeat(case.vectors(1, HEADS, size), 3, axis=0)
        ids = np.tile(np.arange(6, 6 + size), (3, 1))
        gap, y = case.gap(x, ids)
        if gap > case.tol:
            off = [worst(y[row], case.model.rotate(x, ids)[row])
                   for row in range(3)]
            raise Trouble(
                "batch-rows-differ",
                f"3 equal rows of {size} token(s) are off by"
                f" {np.round(off, 3).tolist()}",
            )
    _long_batch(case)
    return "equal rows come back equal"


def _long_batch(case):
    size, ids = case.long, np.arange(case.long)[None]
    x = case.batch(1, 9, size)
    alone = case.subject(x, ids)
    y = case.subject(np.repeat(x, 5, axis=0), np.repeat(ids, 5, axis=0))
    off = np.abs(y - alone).max(axis=(1, 2, 3))
    if off.max() > case.tol:
        raise Trouble(
            "batch-rows-differ",
            f"5 equal rows of {size} token(s) are off by"
            f" {np.round(off, 3).tolist()}",
        )


def shared_ids(case):
    """Give one row of positions for three rows of x."""
    x, ids = case.vectors(3, HEADS, 4), np.arange(3, 7)[None]
    try:
        y = case.subject(x, ids)
    except Trouble as trouble:
        if trouble.code != "raises":
            raise
        raise NotTested(f"refused: {trouble.evidence}") from None
    gap = worst(y, case.model.rotate(x, np.repeat(ids, 3, axis=0)))
    if gap > case.tol:
        raise Trouble("ids-shared-wrong", f"off by {gap:.3g}")
    return f"(1, sequence) serves all rows, to {gap:.1g}"


def heads(case):
    """Ask with 1 to 33 heads, five being the tokens, too."""
    gaps = {}
    for count in (1, 3, 5, 33):
        draw = case.vectors if count <= 5 else case.batch
        x = np.repeat(draw(1, 1, 5), count, axis=1)
        gaps[count], _ = case.gap(x, np.arange(5)[None])
    wrong = [count for count, gap in gaps.items() if gap > case.tol]
    if wrong:
        code = "single-head-differs" if wrong == [1] else "heads-differ"
        raise Trouble(code, f"heads: off by {_rounded(gaps)}")
    return f"1, 3, 5 and 33 heads alike, to {max(gaps.values()):.1g}"


def _rounded(gaps):
    return {key: float(f"{gap:.2g}") for key, gap in gaps.items()}


def strides(case):
    """Ask with the strides of a transposed and of a sliced x."""
    x, ids = case.vectors(2, 3, 4), np.tile(np.arange(4), (2, 1))
    for view in ("transposed", "sliced"):
        gap, _ = case.gap(x, ids, view=view)
        if gap > case.tol:
            raise Trouble("strides-matter", f"a {view} x: off by {gap:.3g}")
    return "contiguous, transposed or sliced"


def untouched(case):
    """Say whether any call so far wrote into what it was given."""
    if case.subject.changed:
        changed = " and ".join(sorted(case.subject.changed))
        raise Trouble("input-changed", f"{changed} differ after the call")
    _results_stay(case)
    return "x and position_ids are left alone"


def _results_stay(case):
    """Keep a result while the next one is made."""
    x, ids, _ = case.first
    kept = case.subject.raw(x, ids)
    before = plain(kept).copy()
    case.subject.raw(-x, ids)
    if not np.array_equal(plain(kept), before, equal_nan=True):
        told = "a result that was kept is overwritten by the next call"
        raise Trouble("input-changed", told)


def gradients(case):
    """Compare gradients with the rotation back by the same angles."""
    ids, dy = np.tile(np.arange(4), (2, 1)), case.vectors(2, 3, 4)
    _compare_gradient(case, "a text", ids, dy)
    _compare_gradient(case, "a transposed gradient", ids, dy)
    _compare_gradient(case, "an expanded gradient", ids, np.ones_like(dy))
    return "turned back, also expanded and transposed ones"


def row_gradients(case):
    """The same, with a row that starts at 4."""
    ids, dy = np.arange(4) + np.array([[0], [4]]), case.vectors(2, 3, 4)
    _compare_gradient(case, "rows at 0 and 4", ids, dy)
    return "each row turned back by its own positions"


def _compare_gradient(case, words, ids, dy):
    if case.subject.backend != "torch":
        raise NotTested("NumPy has no gradients")
    x = case.vectors(*dy.shape[:3])
    dx = _gradient(case, x, ids, dy, words)
    gap = worst(dx, case.model.rotate(dy, ids, back=True))
    if gap > case.tol:
        how = _name_gradient(case, dx, dy, ids)
        raise Trouble("gradient-wrong", f"{words}: off by {gap:.3g}{how}")


def _gradient(case, x, ids, dy, words):
    import torch

    subject = case.subject
    leaf = subject.native(x).requires_grad_()
    try:
        y = subject.run(leaf.clone(), ids)
        if "expanded" in words:
            y.sum().backward()
        else:
            dy = subject.native(dy).to(y.dtype)
            if "transposed" in words:
                dy = dy.transpose(1, 2).contiguous().transpose(1, 2)
            torch.autograd.backward(y, dy)
    except CannotAsk:
        raise
    except Exception as error:
        line = " ".join(str(error).split())[:200]
        raise Trouble("gradient-missing", f"{words}: {line}") from error
    if leaf.grad is None:
        raise Trouble("gradient-missing", f"{words}: x.grad is None")
    return plain(leaf.grad)


def _name_gradient(case, dx, dy, ids):
    model = case.model
    if worst(dx, model.rotate(dy, ids)) < case.tol:
        return ", turned on and not back"
    start = ids - ids[:, :1]
    if worst(dx, model.rotate(dy, start, back=True)) < case.tol:
        return ", turned back by positions from 0 and not by those given"
    if worst(dx, dy) < case.tol:
        return ", not turned at all"
    return ""


def dtype(case, name):
    """Ask in a dtype, in a text longer than those before."""
    known = DTYPES[case.subject.backend]
    if name not in known:
        raise NotTested(f"{case.subject.backend} has no {name}")
    if name not in case.dtypes:
        raise NotTested("not among the dtypes asked for")
    # Longer each time, so that a cache has to grow.
    try:
        x, native = _in_dtype(case, name, 2400 + 100 * known.index(name))
    except Trouble as trouble:
        if trouble.code != "raises":
            raise
        if name == "float64":  # a kernel need not have it
            raise NotTested(f"refused: {trouble.evidence}") from None
        told = f"{name}: {trouble.evidence}"
        raise Trouble("dtype-refused", told) from None
    return _compare_dtype(case, name, x, native)


def _in_dtype(case, name, size):
    """Return x and the native answer, for the longest text it takes."""
    for tokens in (size, min(size, case.longest)):
        x = plain(case.subject.native(case.vectors(1, HEADS, tokens), name))
        try:
            native = case.subject.raw(x, np.arange(tokens)[None], name)
        except Trouble as trouble:
            if trouble.code != "raises" or tokens != size:
                raise
            words = f"{tokens}: {trouble.evidence}"
            case.facts.setdefault("refuses_text_of", words)
            if tokens <= case.longest:
                raise
            continue
        return x, native


def _compare_dtype(case, name, x, native):
    y, ids = case.subject.checked(native, x.shape), np.arange(x.shape[2])
    case.grown = max(case.grown, len(ids))
    _kept_dtype(case, name, dtype_name(native))
    gap = np.abs(y - case.model.rotate(x, ids[None])).max(axis=(0, 1, 3))
    fits = bits(case, name) + 3 * case.slack(ids).max(axis=1)
    if (gap > fits).any():
        _name_dtype(case, name, x, y, gap)
    return f"a text of {len(ids)} tokens, to {gap.max():.1g}"


def bits(case, name):
    """Return what a dtype may cost a result: table, product and sum."""
    return 12 * EPS[name] * max(case.model.factor, 1) + case.model.noise


def _kept_dtype(case, name, got):
    if got == name:
        return
    told = f"{name} comes back as {got}"
    wider = EPS.get(got, 0.0) < EPS[name]
    if case.subject.backend == "numpy":
        # NumPy's own rules promote; nothing after it would complain.
        severity = "note" if wider else "warning"
        case.found("dtype-changed", told, severity=severity)
    else:
        case.found("dtype-changed", told)


def _name_dtype(case, name, x, y, gap):
    angle, _ = turned(case.model, x[0, 0], y[0, 0])
    ids = np.arange(len(angle)) + case.model.shift
    rates = case.model.rates_for(len(ids))
    fits = 24 * EPS[name] + case.slack(ids)
    seen = f"x in {name}: off by {gap.max():.3g} at position {gap.argmax()}"
    coarse = [name] if name in COARSE else []
    found = explain(angle, ids, rates, fits, dtypes=coarse)
    if not found:
        case.found("dtype-path-differs", seen)
        return
    for step in found[0]:
        case.found(f"precision-{step}", f"as if in {name}; {seen}")


def dtype_memory(case):
    """Ask in the widest dtype again, after all the others."""
    for tokens in (case.grown or case.longest, SHORT):
        x, ids = case.vectors(1, HEADS, tokens), np.arange(tokens)
        y = case.subject(x, ids[None])
        angle, _ = turned(case.model, x[0, 0], y[0, 0])
        ids = ids + case.model.shift
        rates = case.model.rates_for(tokens)
        gap = np.abs(wrap(angle - ids[:, None] * rates))
        if (gap > case.slack(ids)).any():
            raise Trouble(
                "history-dtype",
                f"after other dtypes a text of {tokens} tokens in"
                f" {case.subject.dtype} is off by {gap.max():.3g} rad",
            )
    return f"{case.subject.dtype} again, unharmed"


def reach(case):
    """Ask for positions at and around powers of two, up to the largest."""
    marks = {2**k + step for k in range(3, 18) for step in (-1, 0, 1)}
    last, promised = case.max_position, case.promised or 0
    marks = sorted(p for p in {*marks, promised - 1, last} if 6 < p <= last)
    together = _all_at_once(case, marks)
    refused = None if together == "right" else _one_by_one(case, marks)
    if together == "wrong" and refused is None:
        _blame_company(case, marks)
    limit, words = refused or (last + 1, "")
    _sharpen(case, limit)
    far_keys(case, [mark for mark in marks if mark < limit])
    if refused and limit < promised:
        raise Trouble(
            "range-short",
            f"position {limit} is refused, the config promises {promised}"
            f" tokens: {words}",
        )
    if refused:
        case.facts["refuses_position"] = limit
        return f"right up to {limit - 1}; {limit} is refused: {words}"
    more = f"; {promised} are promised" if promised > last + 1 else ""
    return f"positions up to {last} are right{more}"


def _sharpen(case, limit):
    """Measure the rates once more, with a longer lever."""
    places = 2 ** np.arange(12, 18)
    places = places[places < limit]
    if case.model.config is not None or not case.longest >= 2**11:
        return
    x, rows = case.vectors(1, HEADS, 1), []
    for place in places.tolist():
        y = case.subject(x, [[place]])
        rows.append(turned(case.model, x[0, 0, 0], y[0, 0, 0])[0])
    case.model = sharpened(case.model, rows, places)
    case.facts["inv_freq"] = case.model.rates * case.model.direction


def _all_at_once(case, marks):
    """Say whether all marks in one call are right, wrong or refused."""
    x, ids = case.vectors(1, HEADS, len(marks)), np.array([marks])
    try:
        gap = np.abs(case.subject(x, ids) - case.model.rotate(x, ids))
    except (Trouble, CannotAsk):
        return "refused"
    gap = gap.max(axis=(0, 1, 3))
    fine = all(g <= case.far(p) for g, p in zip(gap, marks))
    return "right" if fine else "wrong"


def _blame_company(case, marks):
    """Name what turns positions wrongly only beside others."""
    if {"positions-counted", "positions-misread"} & set(case.noted):
        return  # that is why
    _same_rates(case, marks[-1])
    raise Trouble(
        "positions-misread",
        f"positions {marks[0]} to {marks[-1]} are right one by one, and"
        " wrong in one call",
    )


def _one_by_one(case, marks):
    good = 0
    for p in marks:
        if _right(case, p):
            good = p
            continue
        low, high = good, p
        while high - low > 1:
            middle = (low + high) // 2
            if _right(case, middle):
                low = middle
            else:
                high = middle
        return _edge(case, high)
    return None


def _right(case, p):
    try:
        gap, _ = case.gap(case.vectors(1, HEADS, 1), [[p]])
    except Trouble:
        return False
    return gap <= case.far(p)


def _edge(case, p):
    """Return (p, words) if p is refused; raise if it is turned wrongly."""
    x = case.vectors(1, HEADS, 1)
    try:
        gap, y = case.gap(x, [[p]])
    except Trouble as trouble:
        if trouble.code != "raises":
            raise
        return p, trouble.evidence
    _same_rates(case, p)
    looks = case.position_of(x, y, (p - 1, 0, 1))
    case.longest = p
    raise Trouble(
        "range-silent", f"position {p} is off by {gap:.3g}: {looks}")


def _same_rates(case, p):
    """Raise if a near position is turned otherwise beside a far one."""
    x, ids = case.vectors(1, HEADS, 2), np.array([[63, p]])
    try:
        near = case.subject(x, ids)[:, :, :1]
    except (Trouble, CannotAsk):
        return
    gap = worst(near, case.model.rotate(x, ids)[:, :, :1])
    if gap > case.far(63):
        raise Trouble(
            "length-dependent",
            f"position 63 is turned otherwise, by {gap:.3g}, where position"
            f" {p} stands beside it",
        )


def negative(case):
    """Ask for positions before 0."""
    x, ids = case.vectors(1, HEADS, 2), np.array([[-2, -1]])
    try:
        gap, y = case.gap(x, ids)
    except Trouble as trouble:
        if trouble.code != "raises":
            raise
        return f"refused: {trouble.evidence}"
    if gap <= case.tol:
        return f"turned backwards, to {gap:.1g}"
    last = int(case.facts.get("refuses_position", 0)) - 1
    looks = case.position_of(x[:, :, 1:], y[:, :, 1:], (0, 1, last))
    raise Trouble(
        "range-negative", f"position -1 is off by {gap:.3g}: {looks}")


def relative(case):
    """Compare scores of pairs of positions with the same offset."""
    far_end = case.span
    m, n = case.rng.integers(0, max(far_end // 2, 1), (2, 32))
    shift = case.rng.integers(1, max(far_end // 2, 2), 32)
    q, k = (case.vectors(1, HEADS, 1) for _ in "qk")
    first = _scores(case, q, k, m, n)
    second = _scores(case, q, k, m + shift, n + shift)
    gap = np.abs(first - second).max(axis=(0, 1))
    if gap.max() > q.shape[-1] * case.far(far_end):
        at = int(gap.argmax())
        raise Trouble(
            "not-relative",
            f"scores of ({m[at]}, {n[at]}) and ({m[at] + shift[at]},"
            f" {n[at] + shift[at]}) differ by {gap.max():.3g}",
        )
    return f"scores depend on the offset, to {gap.max():.1g}"


def _scores(case, q, k, m, n):
    turned_q = _spread(case, q, m)
    turned_k = _spread(case, k, n)
    return np.einsum("...d,...d->...", turned_q, turned_k)


def _spread(case, x, ids):
    """Return one vector, turned to each position by a call of its own."""
    return np.concatenate(
        [case.subject(x, [[p]]) for p in ids.tolist()], axis=2)


def group(case):
    """Turn by m, then by n, and compare with m + n."""
    model = case.model
    if model.shift or (model.place != np.arange(model.head_dim)).any():
        raise NotTested("position 0 does not leave x as it is")
    half, factor = case.span // 2, np.ones(model.head_dim)
    factor[[*model.first, *model.second]] = model.factor
    m, n = case.rng.integers(0, max(half, 1), (2, 32))
    x, gap = case.vectors(1, HEADS, 1), np.zeros(32)
    for i, (a, b) in enumerate(zip(m.tolist(), n.tolist())):
        # The factor of cosine and sine, squared by two turns, is one turn's.
        twice = case.subject(case.subject(x, [[a]]) / factor, [[b]])
        gap[i] = worst(twice, case.subject(x, [[a + b]]))
    if gap.max() > 2 * case.far(2 * half):
        at = int(gap.argmax())
        raise Trouble(
            "group-broken",
            f"{m[at]} and then {n[at]} is {gap.max():.3g} from"
            f" {m[at] + n[at]}",
        )
    return f"by m, then by n, is by m + n, to {gap.max():.1g}"
