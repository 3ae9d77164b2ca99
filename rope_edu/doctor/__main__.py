"""Command line: ``python -m rope_edu.doctor package.module:function``.

The exit status is 0 if no error was found, 1 if one was (with ``--strict``
also for a warning or a test that could not be made), and 2 if the question
itself was wrong.
"""

import argparse
import contextlib
import functools
import importlib
import json
import sys
from pathlib import Path

from rope_edu.doctor.adapters import from_offset, from_pair
from rope_edu.doctor.diagnosis import as_exit_status, diagnose
from rope_edu.doctor.subject import AXES, DTYPES

SIGNATURES = {
    "x": lambda fn, axis: fn,
    "pair": from_pair,
    "offset": lambda fn, axis: from_offset(fn),
}


def parser():
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m rope_edu.doctor",
        description="Say which rotation a function computes, and what is"
        " wrong with it.",
        epilog="Exit status: 0 clean, 1 something is wrong, 2 bad question.",
    )
    add = made.add_argument
    add("target", metavar="package.module:function")
    add("--head-dim", type=int, required=True)
    add("--config", type=Path, help="a config.json to compare with")
    add("--layer-type", help="which of its layers, such as full_attention")
    add("--layout", choices=("interleaved", "half"), help="the one wanted")
    add("--signature", choices=tuple(SIGNATURES), default="x",
        help="fn(x, position_ids), fn(q, k, position_ids), fn(x, offset)")
    add("--axes", choices=AXES, help="found out by default")
    add("--backend", choices=tuple(DTYPES), help="found out by default")
    add("--dtypes", type=lambda text: text.split(","), help="float32,...")
    add("--json", action="store_true", help="print JSON (schema 1)")
    add("--strict", action="store_true",
        help="exit with 1 for warnings and tests not made, too")
    return made


def load(target):
    """Return what ``package.module:name`` names; ValueError if nothing."""
    module, colon, path = target.partition(":")
    if not (module and colon and path):
        raise ValueError(
            f"target must be package.module:function, got {target!r}")
    try:
        found = importlib.import_module(module)
        return functools.reduce(getattr, path.split("."), found)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"target {target!r}: {error}") from error


def read(path):
    """Return the content of a config.json, or None without a path."""
    if path is None:
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"config {str(path)!r}: {error}") from error


def examined(asked):
    """Return the report that the parsed arguments ask for."""
    axis = 2 if asked.axes == "sequence-first" else 1
    fn = SIGNATURES[asked.signature](load(asked.target), axis)
    return diagnose(
        fn, asked.head_dim, read(asked.config), layer_type=asked.layer_type,
        layout=asked.layout, axes=asked.axes, backend=asked.backend,
        dtypes=asked.dtypes, name=asked.target,
    )


def main(arguments=None):
    """Examine, print, and return the exit status."""
    made = parser()
    asked = made.parse_args(arguments)
    try:
        # What the callable prints is not part of the report.
        with contextlib.redirect_stdout(sys.stderr):
            report = examined(asked)
    except (TypeError, ValueError) as error:
        print(f"{made.prog}: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report.to_dict(), indent=2) if asked.json else report)
    return as_exit_status(report, asked.strict)


if __name__ == "__main__":
    sys.exit(main())
