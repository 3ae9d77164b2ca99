"""Exercises of chapter 18: no message tells an answer, no setting is made up."""

import pytest
from book import ROOT
from slips.chapter18 import SLIPS

from rope_edu.exercises import verdict
from rope_edu.exercises.chapter18 import LETTERS, NAMES
from rope_edu.survey import models


@pytest.mark.parametrize(("number", "answer", "reason"), SLIPS)
def test_answer_is_not_told(number, answer, reason):
    """Neither the position nor the letters nor the expression."""
    said = verdict(number, answer)
    assert "377" not in said and "AEF" not in said and "p/2" not in said


def base(model):
    """Return a base as the question writes it."""
    return f"{model.config.base:,.0f}".replace("1,000,000", "a million")


def thousands(model):
    """Return the trained length as the question writes it."""
    return f"{model.trained_length / 1000:.0f}"


@pytest.mark.parametrize("said", [base, thousands])
def test_question_names_the_settings_of_the_models(said):
    """Exercise 18.2 gives base and length for groups of letters."""
    text = (ROOT / "notebooks" / "18-the-court.md").read_text("utf-8")
    question = " ".join(text.split(":label: ex-18-2")[1].split("```")[1].split())
    groups = {}
    for letter, name in zip(LETTERS, NAMES):
        groups.setdefault(said(models()[name]), []).append(letter)
    for value, letters in groups.items():
        assert f"{value} ({', '.join(letters)})" in question
