"""What a question comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain import Answer, Citation, Sentence, Status, Verdict
from domain.outcome import ANSWERED_FROM, UNSURE_FROM, UNSURE_FROM_UNREAD, Outcome, outcome_at_end, outcome_of

CITED = Citation(
    marker=1, passage_id="a", page_id=1, url="https://a.example/", title="A", quote="It was 1874.", start=0, end=12
)
ANSWER = Answer(
    text="It was 1874. [1]",
    sentences=(Sentence(text="It was 1874.", markers=(1,)),),
    citations=(CITED,),
    confidence=0.4,
    composer="extractive",
)
READ = {"is_read": 1.0}


def verdict(confidence: float, *, judge: str = "calibrated", **evidence: float) -> Verdict:
    sufficient = confidence >= ANSWERED_FROM
    return Verdict(sufficient=sufficient, confidence=confidence, reason="", judge=judge, evidence=evidence)


@pytest.mark.parametrize(
    ("judged", "outcome"),
    [
        (verdict(ANSWERED_FROM), "answered"),
        (verdict(ANSWERED_FROM, judge="claude"), "answered"),
        (verdict(ANSWERED_FROM - 0.01, is_read=1.0), "unsure"),
        (verdict(UNSURE_FROM, is_read=1.0), "unsure"),
        (verdict(UNSURE_FROM, is_compared=1.0), "unsure"),
        (verdict(UNSURE_FROM - 0.01, is_read=1.0), "unknown"),
        (verdict(UNSURE_FROM), "unknown"),  # nobody read it
        (verdict(UNSURE_FROM_UNREAD), "unsure"),
        (verdict(UNSURE_FROM_UNREAD, judge="claude"), "unknown"),  # it read the hits
    ],
)
def test_outcome_follows_from_the_verdict(judged: Verdict, outcome: Outcome) -> None:
    assert outcome_of(ANSWER, judged, strict=False) == outcome
    assert outcome_of(ANSWER, judged, strict=True) == ("unknown" if outcome == "unsure" else outcome)
    assert outcome_of(None, judged, strict=False) == "unknown"
    assert outcome_of(replace(ANSWER, citations=()), judged, strict=False) == "unknown"


@pytest.mark.parametrize(
    ("url", "coverage", "outcome"),
    [
        ("files://attached/a.csv", 1.0, "unsure"),
        ("files://attached/a.csv", 0.9, "unknown"),
        ("https://a.example/", 1.0, "unknown"),
    ],
)
def test_line_of_an_attached_document_with_all_words_is_given(url: str, coverage: float, outcome: Outcome) -> None:
    answer = replace(ANSWER, citations=(replace(CITED, url=url),))
    assert outcome_of(answer, verdict(0.1, is_read=1.0, led_coverage=coverage), strict=False) == outcome


@pytest.mark.parametrize(
    ("status", "sufficient", "outcome"),
    [
        (Status.ANSWERED, True, "answered"),
        (Status.ANSWERED, False, "unsure"),
        (Status.ABSTAINED, False, "unknown"),
        (Status.READING, False, None),
        (Status.TIMED_OUT, True, None),
        (Status.FAILED, False, None),
        (Status.CANCELLED, False, None),
    ],
)
def test_each_end_has_its_outcome(status: Status, sufficient: bool, outcome: Outcome | None) -> None:
    assert outcome_at_end(status, sufficient=sufficient) == outcome
