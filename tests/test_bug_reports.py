"""Every public bug report that was collected is asked of this library.

``data/bug_reports.json`` numbers them and names their threads. A test that
asks one carries its number in its name or in that of its case. Of reports on
other programs only what concerns the rotation is asked: not who hands the
positions over (44), and not whether a converter passes its flag on (58).
"""

import json
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REPORTS = json.loads((TESTS / "data" / "bug_reports.json").read_text("utf-8"))
NAMED = re.compile(r"(?:def test_\w*?|\")reports?[ _]((?:\d+|and|[_ ,])+)")


def asked(source):
    """Numbers of the reports in the names of tests and of their cases."""
    return {n for named in NAMED.findall(source) for n in re.findall(r"\d+", named)}


def test_names_are_read():
    source = 'def test_reports_22_and_23_x(): ...\n("report 7: y", 1)  # report 9'
    assert asked(source) == {"22", "23", "7"}


@pytest.fixture(scope="module")
def found():
    modules = (p for p in TESTS.glob("test_*.py") if p != Path(__file__))
    return {n.lstrip("0") for p in modules for n in asked(p.read_text("utf-8"))}


@pytest.mark.parametrize("number", REPORTS)
def test_is_asked(number, found):
    assert number in found, REPORTS[number]


def test_no_other_number_is_used(found):
    assert found <= set(REPORTS)
