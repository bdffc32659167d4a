"""Test the short answer and the contradictions of an answer's sentences."""

from __future__ import annotations

from domain import Focus, Sentence
from domain.answer import Contradiction
from domain.short_answer import contradictions_of, short_answer


def sentence(year: str, marker: int, *, confidence: float = 0.8, contradicts: tuple[int, ...] = ()) -> Sentence:
    text = f"It was built in {year}."
    focus = Focus(start=16, end=16 + len(year), confidence=confidence)
    return Sentence(text=text, markers=(marker,), focus=focus, contradicts=contradicts)


def test_short_answer_is_what_the_first_sentence_is_sure_of() -> None:
    assert short_answer([sentence("1874", 1), sentence("1880", 2)]) == "1874"


def test_there_is_none_where_it_is_unsure_disputed_or_not_named() -> None:
    assert short_answer([sentence("1874", 1, confidence=0.29)]) is None
    assert short_answer([sentence("1874", 1, contradicts=(2,)), sentence("1880", 2, contradicts=(1,))]) is None
    assert short_answer([Sentence(text="I do not know.")]) is None
    assert short_answer([]) is None


def test_contradictions_name_each_citation_with_its_value() -> None:
    sides = [sentence("1874", 1, contradicts=(2,)), sentence("1880", 2, contradicts=(1,)), sentence("1999", 3)]
    assert contradictions_of(sides) == (Contradiction(citations=(1, 2), values=("1874", "1880")),)


def test_a_side_that_is_gone_contradicts_nothing() -> None:
    assert contradictions_of([sentence("1874", 1, contradicts=(2,))]) == ()
