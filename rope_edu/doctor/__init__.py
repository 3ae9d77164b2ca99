"""The doctor: says what a rotation does, and what is wrong with it.

``diagnose(fn, head_dim)`` probes any callable ``fn(x, position_ids)``, NumPy
or torch, and returns a `Report`. On the command line::

    python -m rope_edu.doctor package.module:function --head-dim 64
"""

from rope_edu.doctor.adapters import (
    by_keyword,
    from_offset,
    from_pair,
    from_tables,
)
from rope_edu.doctor.codes import CODES
from rope_edu.doctor.diagnosis import diagnose
from rope_edu.doctor.report import Check, Finding, Report
from rope_edu.doctor.subject import CannotAsk

__all__ = [
    "CODES",
    "CannotAsk",
    "Check",
    "Finding",
    "Report",
    "by_keyword",
    "diagnose",
    "from_offset",
    "from_pair",
    "from_tables",
]
