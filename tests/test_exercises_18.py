"""Exercises of chapter 18: no message tells an answer."""

import pytest
from slips.chapter18 import SLIPS

from rope_edu.exercises import verdict


@pytest.mark.parametrize(("number", "answer", "reason"), SLIPS)
def test_answer_is_not_told(number, answer, reason):
    """Neither the position nor the letters nor the expression."""
    said = verdict(number, answer)
    assert "377" not in said and "AEF" not in said and "p/2" not in said
