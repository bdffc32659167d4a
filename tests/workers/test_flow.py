"""Where a question goes after each step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pipeline.ask import Attempt, Timings
from pipeline.question import analyse_question
from pipeline.strategy import strategy_for
from store.candidates import Spent
from store.types import Answer, Budget, Cost, Question, Sentence, Status, Verdict
from workers import flow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NOTHING = Spent(pages=0, bytes=0)
TEXT = "Who was the first keeper?"
QUESTION = Question(
    id="q",
    text=TEXT,
    status=Status.ASKED,
    created_at=NOW,
    deadline=NOW + timedelta(minutes=15),
    crawl_started_at=NOW,
    budget=Budget(seconds=60, pages=10, bytes=1_000, cycles=3),
)


def _attempt(*, sufficient: bool) -> Attempt:
    answer = Answer(
        text="Ada [1]", sentences=(Sentence(text="Ada"),), citations=(), confidence=0.4, composer="extractive"
    )
    return Attempt(
        analysis=analyse_question(TEXT),
        strategy=strategy_for(TEXT),
        queries=(TEXT,),
        variants=(),
        hits=(),
        verdict=Verdict(sufficient=sufficient, confidence=0.4, reason="2 of 3 words", missing=("keeper",)),
        answer=answer,
        cost=Cost(),
        timings=Timings(embed=0.0, search=0.0, judge=0.0, compose=0.0),
    )


GOOD, POOR = _attempt(sufficient=True), _attempt(sufficient=False)


def test_a_sufficient_first_look_answers() -> None:
    move = flow.after_first_look(QUESTION, GOOD)
    assert (move.to, move.answer) == (Status.ANSWERED, GOOD.answer)


def test_an_insufficient_first_look_is_followed_by_other_words_and_says_nothing_yet() -> None:
    move = flow.after_first_look(QUESTION, POOR)
    assert (move.to, move.answer) == (Status.RETRYING, None)


def test_an_insufficient_second_look_gives_a_provisional_answer_and_seeks_with_the_reason() -> None:
    move = flow.after_second_look(QUESTION, POOR)
    assert (move.to, move.answer) == (Status.SEEKING, POOR.answer)
    assert move.changes["crawl_reason"] == "2 of 3 words"
    assert move.changes["missing"] == ["keeper"]


def test_without_leave_to_crawl_it_is_not_known() -> None:
    move = flow.after_second_look(replace(QUESTION, crawl_enabled=False), POOR)
    assert move.to is Status.ABSTAINED
    assert move.answer is not None
    assert move.answer.composer == "abstention"


def test_nothing_to_read_leads_to_a_last_look_with_the_reason() -> None:
    move = flow.after_seek(QUESTION, chosen=0, why_none="no source", detail={}, now=NOW)
    assert (move.to, move.changes["stop_reason"]) == (Status.REQUERYING, "no source")


@pytest.mark.parametrize(
    ("spent", "cycle", "seconds", "news", "expected"),
    [
        (NOTHING, 0, 1, True, ""),
        (NOTHING, 3, 1, True, "search cycles"),
        (Spent(pages=10, bytes=0), 0, 1, True, "10 pages"),
        (Spent(pages=1, bytes=1_000), 0, 1, True, "bytes"),
        (NOTHING, 0, 61, True, "60 seconds"),
        (NOTHING, 0, 1, False, "nothing new"),
    ],
)
def test_a_crawl_ends_when_a_budget_is_used_up_or_nothing_new_comes(
    spent: Spent, cycle: int, seconds: float, news: bool, expected: str
) -> None:
    now = NOW + timedelta(seconds=seconds)
    reason = flow.stop_reason(QUESTION, spent, cycle=cycle, news=news, now=now)
    assert expected in reason
    assert bool(reason) == bool(expected)


def test_after_a_wave_that_counts_the_next_cycle_begins() -> None:
    move = flow.after_look_again(QUESTION, POOR, spent=NOTHING, counted=True, news=True, why_none="", now=NOW)
    assert (move.to, move.changes["cycle"]) == (Status.SEEKING, 1)


def test_finding_out_what_a_site_has_is_no_cycle() -> None:
    move = flow.after_look_again(QUESTION, POOR, spent=NOTHING, counted=False, news=True, why_none="", now=NOW)
    assert (move.to, move.changes["cycle"]) == (Status.SEEKING, 0)


def test_what_a_wave_brought_answers_whatever_the_budget_says() -> None:
    late = NOW + timedelta(hours=1)
    move = flow.after_look_again(QUESTION, GOOD, spent=NOTHING, counted=True, news=False, why_none="", now=late)
    assert (move.to, move.answer) == (Status.ANSWERED, GOOD.answer)


def test_an_abstention_says_why_it_stopped_and_keeps_its_context() -> None:
    spent = Spent(pages=10, bytes=0)
    move = flow.after_look_again(QUESTION, POOR, spent=spent, counted=True, news=True, why_none="", now=NOW)
    assert move.to is Status.ABSTAINED
    assert "10 pages" in move.changes["stop_reason"]
    assert move.answer is not None
    assert "10" in move.answer.text
