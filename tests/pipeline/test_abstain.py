"""What is given at the end, where nothing sufficed."""

from __future__ import annotations

import pytest

from domain import Answer, Citation, Sentence, Verdict
from domain.answer import Focus
from domain.short_answer import short_answer
from pipeline.abstain import likely_answer

CITED = Citation(
    marker=1, passage_id="a", page_id=1, url="https://a.example/", title="A", quote="It was 1874.", start=0, end=12
)
ANSWER = Answer(
    text="It was 1874. [1]",
    sentences=(Sentence(text="It was 1874.", markers=(1,), focus=Focus(start=7, end=11, confidence=0.9)),),
    citations=(CITED,),
    confidence=0.4,
    composer="extractive",
)


@pytest.mark.parametrize(("confidence", "short"), [(0.4, None), (0.6, "1874")])
def test_less_than_an_even_chance_has_no_short_answer(confidence: float, short: str | None) -> None:
    verdict = Verdict(
        sufficient=False, confidence=confidence, reason="", missing=(), judge="calibrated", evidence={"is_read": 1.0}
    )
    given = likely_answer(ANSWER, verdict, "en")
    assert given is not None
    assert given.text == ANSWER.text
    assert short_answer(given.sentences) == short
