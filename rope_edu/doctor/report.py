"""What was found, as words for people and as JSON for machines."""

from dataclasses import asdict, dataclass

import numpy as np

from rope_edu.doctor.codes import CODES, link

SCHEMA = 1


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes
    ----------
    code : str
        A key of `rope_edu.doctor.CODES`.
    severity : {"error", "warning", "note"}
    evidence : str
        What was measured.
    title, cause, remedy, link : str

    Examples
    --------
    >>> finding("minus-lost", "at position 1").severity
    'error'
    """

    code: str
    severity: str
    title: str
    evidence: str
    cause: str
    remedy: str
    link: str


def finding(code, evidence, severity=None, cause=None, remedy=None):
    """Return the `Finding` of a code, with parts of it replaced.

    Examples
    --------
    >>> finding("raises", "KeyError: 'x'").title
    'The callable raises'
    """
    known = CODES[code]
    return Finding(
        code, severity or known.severity, known.title, evidence,
        cause or known.cause, remedy or known.remedy, link(code),
    )


@dataclass(frozen=True)
class Check:
    """One test: whether it passed, and what was seen.

    Examples
    --------
    >>> Check("heads", "not tested", "needs 'call'").status
    'not tested'
    """

    name: str
    status: str
    detail: str


@dataclass(frozen=True)
class Report:
    """What the doctor has to say about one callable.

    Attributes
    ----------
    name : str
    head_dim : int
    convention : dict
        What the callable does: layout, direction, rotary_dim, inv_freq,
        base, scaling, attention_factor, precision and how it is called.
        Keys are missing where nothing could be measured.
    findings : tuple of Finding
        The worst first.
    checks : tuple of Check
        Every test, with status "passed", "failed" or "not tested".

    Examples
    --------
    >>> Report("f", 8, {}, (), (Check("call", "passed", ""),)).ok
    True
    """

    name: str
    head_dim: int
    convention: dict
    findings: tuple
    checks: tuple

    @property
    def ok(self):
        """Whether no error was found; see `not_tested` for the rest.

        Examples
        --------
        >>> Report("f", 8, {}, (finding("raises", "no"),), ()).ok
        False
        """
        return not any(f.severity == "error" for f in self.findings)

    @property
    def codes(self):
        """Codes of errors and warnings, in the order of the report.

        Examples
        --------
        >>> Report("f", 8, {}, (finding("raises", "no"),), ()).codes
        ['raises']
        """
        return [f.code for f in self.findings if f.severity != "note"]

    @property
    def not_tested(self):
        """Name of every test that could not be made, with the reason.

        Examples
        --------
        >>> checks = (Check("heads", "not tested", "needs 'call'"),)
        >>> Report("f", 8, {}, (), checks).not_tested
        {'heads': "needs 'call'"}
        """
        return {
            check.name: check.detail
            for check in self.checks if check.status == "not tested"
        }

    def to_dict(self):
        """Return what ``--json`` prints; keys are only added, never changed.

        Examples
        --------
        >>> sorted(Report("f", 8, {}, (), ()).to_dict())
        ['checks', 'convention', 'findings', 'head_dim', 'name', 'ok',
        'schema']
        """
        return {
            "schema": SCHEMA,
            "name": self.name,
            "head_dim": self.head_dim,
            "ok": self.ok,
            "convention": plain(self.convention),
            "findings": [asdict(f) for f in self.findings],
            "checks": [asdict(check) for check in self.checks],
        }

    def __str__(self):
        parts = [f"Doctor's report on {self.name}, head_dim {self.head_dim}"]
        parts += [_convention(self.convention), _verdict(self)]
        parts += [_finding(f) for f in self.findings]
        parts += [_checks(self.checks, s) for s in ("failed", "passed")]
        parts += [_checks(self.checks, "not tested")]
        return "\n\n".join(part for part in parts if part)


def plain(value):
    """Return a value with NumPy's types turned into Python's."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else (
        value)


_MEANS = {
    ("layout", "interleaved"): "as in the RoFormer paper, Meta's Llama, GPT-J",
    ("layout", "half"): "as in GPT-NeoX and most models of transformers",
    ("layout", "either"): "one pair of neighbors is both",
    ("layout", "other"): "no usual one, see pairs",
    ("direction", "+"): "counterclockwise by +m theta",
    ("direction", "-"): "clockwise: for the other way negate the sine",
    ("position_ids", "batch"): "(batch, sequence)",
    ("position_ids", "grid"): "(batch, 1, sequence), 1 for the heads",
    ("position_ids", "flat"): "(sequence,)",
}


def _convention(facts):
    lines = ["Convention"]
    for key, value in facts.items():
        if isinstance(value, (list, np.ndarray)):
            value = _short(value)
        means = _MEANS.get((key, value))
        value = f"{value}  {means}" if means else value
        lines.append(f"  {key:22}{value}")
    return "\n".join(lines) if facts else "Convention: could not be measured"


def _short(values):
    shown = [_number(value) for value in values]
    if len(shown) > 8:
        shown = [*shown[:5], "...", *shown[-2:]]
    return f"[{', '.join(shown)}]"


def _number(value):
    if isinstance(value, np.ndarray):
        return f"({', '.join(map(str, value))})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _verdict(report):
    counts = {"error": 0, "warning": 0, "note": 0}
    for found in report.findings:
        counts[found.severity] += 1
    words = ", ".join(
        f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts.items() if n
    )
    tested = sum(check.status != "not tested" for check in report.checks)
    return (
        f"Found: {words or 'nothing wrong'} in {tested} of"
        f" {len(report.checks)} tests"
    )


def _finding(found):
    return "\n".join((
        f"{found.severity.upper()} {found.code}: {found.title}",
        f"  seen    {found.evidence}",
        f"  cause   {found.cause}",
        f"  remedy  {found.remedy}",
        f"  read    {found.link}",
    ))


def _checks(checks, status):
    grouped = {}
    for check in checks:
        if check.status == status:
            grouped.setdefault(check.detail, []).append(check.name)
    count = sum(len(names) for names in grouped.values())
    lines = [f"{status.capitalize()} ({count})"]
    for detail, names in grouped.items():
        lines.append(f"  {', '.join(names):14}{detail and '  '}{detail}")
    return "\n".join(lines) if count else ""
