"""Where a question goes after each step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from domain import Answer, Budget, Citation, Cost, Hit, Question, Sentence, Status, Verdict
from domain.options import Overrides
from pipeline.ask import LookupResult, Timings
from pipeline.question.analysis import analyse_question
from pipeline.strategies import strategy_for
from store.questions.records import ProvisionalAnswer
from store.questions.trace import SeekDetail
from tests.fakes import passage
from workers.crawl.seek import after_seek
from workers.questions import transitions
from workers.questions.conditions import Progress, stop_reason

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
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


def _attempt(
    *, sufficient: bool, confidence: float = 0.4, judge: str = "calibrated", citations: tuple[Citation, ...] = ()
) -> LookupResult:
    answer = Answer(
        text="Ada [1]",
        sentences=(Sentence(text="Ada"),),
        citations=citations,
        confidence=confidence,
        composer="extractive",
    )
    return LookupResult(
        analysis=analyse_question(TEXT),
        strategy=strategy_for(""),
        queries=(TEXT,),
        variants=(),
        hits=(),
        verdict=Verdict(
            sufficient=sufficient, confidence=confidence, reason="2 of 3 words", missing=("keeper",), judge=judge
        ),
        answer=answer,
        timings=Timings(embed=0.0, search=0.0, judge=0.0, compose=0.0),
    )


CITATION = Citation(
    marker=1, passage_id="1:0", page_id=1, url="http://site.example/", title="Keepers", quote="Ada", start=0, end=3
)
NOTHING = SeekDetail(candidates=(), pages=0, engines={}, cost=Cost(), known_links=0)
GOOD, POOR = _attempt(sufficient=True), _attempt(sufficient=False)


def test_report_is_made_of_more_than_the_first_search() -> None:
    report = replace(QUESTION, overrides=Overrides(length="report"))
    first = transitions.after_first_pass(report, GOOD)
    assert (first.to, first.outcome, first.answer) == (Status.RETRYING, "sufficient", GOOD.answer)
    assert transitions.after_second_pass(report, GOOD).to is Status.ANSWERED
    earlier = ProvisionalAnswer(answer=GOOD.answer, verdict=GOOD.verdict, context=())
    second = transitions.after_second_pass(report, POOR, earlier)
    assert (second.to, second.answer, second.verdict) == (Status.ANSWERED, GOOD.answer, GOOD.verdict)
    assert transitions.after_first_pass(QUESTION, GOOD).to is Status.ANSWERED


@pytest.mark.parametrize(
    ("weighed", "is_shown"),
    [
        ({"led_coverage": 0.0, "is_read": 1.0, "answers": -3.8}, False),  # no word of the question, and read so
        ({"led_coverage": 0.6, "is_read": 1.0, "answers": -3.8}, True),  # its words
        ({"led_coverage": 0.0, "is_read": 1.0, "answers": 1.1}, True),  # in other words
        ({"led_coverage": 0.0, "is_compared": 1.0, "near": 0.17}, False),  # in another language, and far
        ({"led_coverage": 0.0, "is_compared": 1.0, "near": 0.34}, True),  # in another language
        ({"led_coverage": 0.0}, True),  # nobody read it
        ({}, True),  # a model judged
    ],
)
def test_provisional_answer_quotes_nothing_of_another_subject(weighed: dict[str, float], is_shown: bool) -> None:
    weak = replace(POOR, verdict=replace(POOR.verdict, evidence=weighed))
    for move in (
        transitions.after_second_pass(QUESTION, weak),
        transitions.after_final_pass(QUESTION, weak, Progress(cycle=1)),
    ):
        assert move.to is Status.SEEKING
        assert move.answer is not None
        assert (move.answer == weak.answer) == is_shown
        assert ("No passage that was read comes near it." in move.answer.text) != is_shown


def test_a_sufficient_first_look_answers() -> None:
    move = transitions.after_first_pass(QUESTION, GOOD)
    assert (move.to, move.answer) == (Status.ANSWERED, GOOD.answer)


def test_an_insufficient_first_look_is_followed_by_other_words_and_says_nothing_yet() -> None:
    move = transitions.after_first_pass(QUESTION, POOR)
    assert (move.to, move.answer) == (Status.RETRYING, None)


def test_an_insufficient_second_look_gives_a_provisional_answer_and_seeks_with_the_reason() -> None:
    move = transitions.after_second_pass(QUESTION, POOR)
    assert (move.to, move.answer) == (Status.SEEKING, POOR.answer)
    assert move.changes.crawl_reason == "2 of 3 words"
    assert move.changes.missing == ["keeper"]


def test_without_leave_to_crawl_it_is_not_known() -> None:
    move = transitions.after_second_pass(replace(QUESTION, crawl_enabled=False), POOR)
    assert move.to is Status.ABSTAINED
    assert move.answer is not None
    assert move.answer.composer == "abstention"


@pytest.mark.parametrize(
    ("confidence", "judge", "to"),
    [
        (0.55, "calibrated", Status.ANSWERED),
        (0.45, "calibrated", Status.ABSTAINED),  # more likely wrong than right
        (0.55, "claude", Status.ABSTAINED),  # a model that found it wanting is believed
    ],
)
def test_at_the_end_what_may_be_right_is_given_as_unsure(confidence: float, judge: str, to: Status) -> None:
    likely = _attempt(sufficient=False, confidence=confidence, judge=judge, citations=(CITATION,))
    move = transitions.after_final_pass(QUESTION, likely, Progress(exhausted="the whole site was read"))
    assert move.to is to
    assert move.answer is not None
    assert move.answer.text.startswith("Perhaps: Ada" if to is Status.ANSWERED else "I do not know")
    assert move.changes.stop_reason == "the whole site was read"


def test_strict_question_gets_nothing_that_is_not_sure() -> None:
    likely = replace(_attempt(sufficient=False, confidence=0.6, citations=(CITATION,)), strict=True)
    assert transitions.after_first_pass(QUESTION, likely).answer is None
    provisional = transitions.after_second_pass(QUESTION, likely).answer
    assert provisional is not None
    assert provisional.composer == "abstention"
    assert transitions.after_final_pass(QUESTION, likely, Progress(pages=10)).to is Status.ABSTAINED


def test_at_the_end_an_answer_without_a_citation_is_not_given() -> None:
    bare = _attempt(sufficient=False, confidence=0.6)
    assert transitions.after_second_pass(replace(QUESTION, crawl_enabled=False), bare).to is Status.ABSTAINED


def _earlier(confidence: float) -> ProvisionalAnswer:
    attempt = _attempt(sufficient=False, confidence=confidence, citations=(CITATION,))
    assert attempt.answer is not None
    return ProvisionalAnswer(
        answer=replace(attempt.answer, sentences=(Sentence(text="Bea"),)), verdict=attempt.verdict, context=()
    )


def test_a_likely_answer_of_the_first_look_is_kept_while_it_looks_again() -> None:
    likely = _attempt(sufficient=False, confidence=0.6, citations=(CITATION,))
    move = transitions.after_first_pass(QUESTION, likely)
    assert (move.to, move.answer, move.verdict) == (Status.RETRYING, likely.answer, likely.verdict)


@pytest.mark.parametrize(("confidence", "kept"), [(0.6, True), (0.3, False)])
def test_a_provisional_answer_is_replaced_only_by_one_that_is_as_sure(confidence: float, kept: bool) -> None:
    earlier = _earlier(confidence)
    second = transitions.after_second_pass(QUESTION, POOR, earlier)
    later = transitions.after_final_pass(QUESTION, POOR, Progress(cycle=1), earlier)
    for move in (second, later):
        assert (move.to, move.answer) == (Status.SEEKING, None if kept else POOR.answer)


def test_at_the_end_the_best_answer_of_all_passes_is_given_with_its_confidence() -> None:
    move = transitions.after_final_pass(QUESTION, POOR, Progress(pages=10), _earlier(0.6))
    assert move.to is Status.ANSWERED
    assert move.answer is not None
    assert (move.answer.text, move.answer.confidence) == ("Perhaps: Bea", 0.6)
    assert move.verdict is not None
    assert move.verdict.confidence == 0.6


def test_what_suffices_is_given_whatever_was_given_before() -> None:
    assert transitions.after_final_pass(QUESTION, GOOD, Progress(), _earlier(0.9)).answer == GOOD.answer


def test_nothing_to_read_leads_to_a_last_look_with_the_reason() -> None:
    move = after_seek(QUESTION, chosen=0, why_none="no source", detail=NOTHING, now=NOW)
    assert (move.to, move.changes.stop_reason) == (Status.REQUERYING, "no source")


def test_a_chosen_wave_is_read_and_forgets_why_an_earlier_one_could_not() -> None:
    move = after_seek(QUESTION, chosen=5, why_none="", detail=NOTHING, now=NOW)
    assert (move.to, move.changes.stop_reason, move.changes.waves) == (Status.READING, None, 1)


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(seconds=1), ""),
        (Progress(cycle=3), "search cycles"),
        (Progress(pages=10), "10 pages"),
        (Progress(bytes=1_000), "bytes"),
        (Progress(seconds=61), "60 seconds"),
        (Progress(news=False, read=1), "nothing new"),
        (Progress(news=False, pages=2), "no page could be read"),
        (Progress(exhausted="every page has been read"), "every page"),
    ],
)
def test_a_crawl_ends_when_a_budget_is_used_up_or_nothing_is_left(progress: Progress, expected: str) -> None:
    reason = stop_reason(QUESTION, progress)
    assert expected in reason
    assert bool(reason) == bool(expected)


def test_while_the_budget_lasts_the_next_wave_begins_with_a_better_provisional_answer() -> None:
    move = transitions.after_final_pass(QUESTION, POOR, Progress(cycle=1))
    assert (move.to, move.answer, move.changes.cycle) == (Status.SEEKING, POOR.answer, 1)


def test_what_a_wave_brought_answers_whatever_the_budget_says() -> None:
    move = transitions.after_final_pass(QUESTION, GOOD, Progress(news=False, seconds=3_600))
    assert (move.to, move.answer) == (Status.ANSWERED, GOOD.answer)


def test_an_abstention_says_why_it_stopped_and_keeps_its_context() -> None:
    move = transitions.after_final_pass(QUESTION, POOR, Progress(pages=10, read=7))
    assert move.to is Status.ABSTAINED
    assert "10 pages" in move.changes.stop_reason
    assert move.answer is not None
    assert "Pages read for it: 7." in move.answer.text


def test_context_of_an_answer_has_each_passages_scores_and_its_rank_before_reranking() -> None:
    hits = [
        Hit(passage=passage("Ada", page_id=1), score=0.83336, scale="rerank", rank=1, original_rank=4, similarity=0.5),
        Hit(passage=passage("Bea", page_id=2), score=0.5, scale="minmax", rank=2),
    ]
    first, second = transitions.context_of(hits)
    assert (first.score, first.rerank_score, first.original_rank, first.similarity) == (0.8334, 0.8334, 4, 0.5)
    assert (second.score, second.rerank_score, second.original_rank) == (0.5, None, 0)  # it was not reranked


def test_an_abstention_names_the_engines_and_sites_that_failed_once() -> None:
    failed = ("searxng: SearXNG could not be reached", "http://a.example/: no answer")
    progress = Progress(exhausted="no engine gave a candidate (searxng: SearXNG could not be reached)", failed=failed)
    reason = transitions.after_final_pass(QUESTION, POOR, progress).changes.stop_reason
    assert reason == f"{progress.exhausted}; http://a.example/: no answer"
