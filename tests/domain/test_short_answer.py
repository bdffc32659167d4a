"""Test the short answer of an answer's sentences."""

from __future__ import annotations

from domain import Focus, Sentence
from domain.answer import short_answer


def sentence(year: str, marker: int, *, confidence: float = 0.8) -> Sentence:
    text = f"It was built in {year}."
    focus = Focus(start=16, end=16 + len(year), confidence=confidence)
    return Sentence(text=text, markers=(marker,), focus=focus)


def test_short_answer_is_what_the_first_sentence_is_sure_of() -> None:
    assert short_answer([sentence("1874", 1), sentence("1880", 2)]) == "1874"


def test_there_is_none_where_it_is_unsure_or_not_named() -> None:
    assert short_answer([sentence("1874", 1, confidence=0.29)]) is None
    assert short_answer([Sentence(text="I do not know.")]) is None
    assert short_answer([]) is None
