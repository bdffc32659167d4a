"""What each thing that readers say teaches, and what it does not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from domain.record import FeedbackVerdict
from pipeline.judging.calibration import FEATURES
from store.questions.feedback import LabelledAnswer
from workers.learning.refit import judged, ranked

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EVIDENCE = {**dict.fromkeys(FEATURES, 0.5), "beside_the_point": 1.0}
SIGNALS = {"1-0": [0.9] * 6, "2-0": [0.5] * 6, "3-0": [0.1] * 6}


def said(verdict: FeedbackVerdict, question: str = "When?", **features: Any) -> LabelledAnswer:
    known = {"embedder": "e", "evidence": EVIDENCE, "signals": SIGNALS, "cited": ["2-0"], "composer": "extractive"}
    return LabelledAnswer(question=question, lang="en", verdict=verdict, features={**known, **features}, at=NOW)


@pytest.mark.parametrize(
    ("verdict", "features", "right"),
    [
        ("right", {}, [True]),
        ("wrong", {}, [False]),
        ("citation_wrong", {}, [False]),  # what was found did not show the answer
        ("right", {"composer": "abstention"}, [False]),  # nobody knows: the hits did not hold it
        ("wrong", {"composer": "abstention"}, []),  # somebody knows: perhaps from the hits, perhaps not
        ("right", {"evidence": None}, []),  # judged before evidence was kept
        ("right", {"evidence": {"similarity": 0.5}}, []),  # judged by a version with other features
        ("right", {"embedder": None}, []),
    ],
)
def test_judge_learns_whether_the_hits_held_the_answer(
    verdict: FeedbackVerdict, features: dict[str, Any], right: list[bool]
) -> None:
    found = judged([said(verdict, **features)])
    assert [each.right for each in found.get("e", [])] == right
    assert all(each.beside_the_point for each in found.get("e", []))


def test_equal_looks_at_one_question_count_once_as_what_was_said_last() -> None:
    last_first = [said("wrong"), said("right"), said("right"), said("right", "Who?"), said("right", embedder="other")]
    found = judged(last_first)
    assert [(each.question, each.right) for each in found["e"]] == [("When?", False), ("Who?", True)]
    assert len(found["other"]) == 1


@pytest.mark.parametrize(
    ("verdict", "features", "right"),
    [
        ("right", {}, [[False, True, False]]),
        ("citation_wrong", {}, [[True, False, True]]),  # any other hit is likelier
        ("wrong", {}, []),  # the answer may be in none of them
        ("right", {"cited": ["9-9"]}, []),  # its passage was pulled in later: it has no signals
        ("right", {"cited": []}, []),
        ("right", {"signals": {}}, []),
        ("right", {"signals": {"2-0": [0.5]}}, []),  # of a version with other signals
    ],
)
def test_reranker_learns_which_hits_answered(
    verdict: FeedbackVerdict, features: dict[str, Any], right: list[list[bool]]
) -> None:
    assert [list(each.right) for each in ranked([said(verdict, **features)])] == right
