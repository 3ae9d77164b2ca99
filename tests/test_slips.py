"""Typical slips of readers: each answer is told what is wrong with it."""

from importlib import import_module
from pathlib import Path

import pytest

from rope_edu import exercises

FOLDER = Path(__file__).parent / "slips"
CHAPTERS = [
    import_module(f"slips.{path.stem}") for path in sorted(FOLDER.glob("chapter*.py"))
]
RIGHT = [pair for chapter in CHAPTERS for pair in chapter.RIGHT]
SLIPS = [slip for chapter in CHAPTERS for slip in chapter.SLIPS]
# What any answer of a wrong kind is told says nothing about the exercise.
GENERAL = ("no answer yet", "your answer raises", "is not a number",
           "a function is wanted", "one number is wanted", "returns nothing")


@pytest.mark.parametrize("asked, answer", RIGHT)
def test_right_answer_passes(asked, answer):
    """Whatever its form: other types, another order, other letters."""
    assert exercises.verdict(asked, answer) is None


@pytest.mark.parametrize("asked, answer, word", SLIPS)
def test_slip_is_named(asked, answer, word):
    """A reader learns more from the reason than from the cross."""
    said = exercises.verdict(asked, answer)
    assert said and word in said


@pytest.mark.parametrize("asked", exercises.numbers())
def test_three_slips_have_words_of_their_own(asked):
    """A right answer is tried, and three slips are told three things."""
    assert asked in dict(RIGHT)
    told = {exercises.verdict(x, answer) for x, answer, _ in SLIPS if x == asked}
    own = {said for said in told if not any(word in said for word in GENERAL)}
    assert len(own) >= 3, own
