"""Decide the next status of a question after each lookup: pure, one function a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from domain import Hit, Question, Status, VariantKind
from pipeline.abstain import abstention, likely_answer
from pipeline.ask import LookupResult
from pipeline.judging.cutoff import Cutoff
from pipeline.question.variant_choice import rewards
from store.questions.answers import ContextHit
from store.questions.state import Changes, Move
from store.questions.step_details import CutoffDetail, HitDetail, LookupDetail
from workers.questions.crawl_progress import Progress, stop_reason

#: hits stored with an answer as its context
CONTEXT_HITS = 8
NO_CHANGES = Changes()


def after_first_look(question: Question, attempt: LookupResult) -> Move:
    """Answer, or look again in other words."""
    if attempt.verdict.sufficient:
        return _answered(attempt)
    return _move(attempt, Status.RETRYING, "insufficient")


def after_second_look(question: Question, attempt: LookupResult) -> Move:
    """Answer; or read the web and give a provisional answer; or end, when the web may not be read."""
    if attempt.verdict.sufficient:
        return _answered(attempt)
    if not question.crawl_enabled:
        return _last_word(attempt, Changes(stop_reason="reading the web was not allowed"), pages_read=0)
    return _provisional(attempt, Changes(crawl_reason=attempt.verdict.reason))


def after_look_again(question: Question, attempt: LookupResult, progress: Progress, now: datetime) -> Move:
    """Answer; or read the next wave while the budget lasts; or end."""
    changes = Changes(cycle=progress.cycle)
    if attempt.verdict.sufficient:
        return _answered(attempt, replace(changes, stop_reason="the answer was found"))
    if stop := stop_reason(question, progress, now):
        return _last_word(attempt, replace(changes, stop_reason=stop), pages_read=progress.pages)
    return _provisional(attempt, changes)


def _provisional(attempt: LookupResult, changes: Changes) -> Move:
    """Go on to reading with the best answer so far; without any hit it says that the answer is not known yet."""
    move = _move(attempt, Status.SEEKING, "insufficient", changes, with_answer=True)
    return replace(move, answer=attempt.answer or abstention([attempt]))


def _answered(attempt: LookupResult, changes: Changes = NO_CHANGES, outcome: str = "sufficient") -> Move:
    return _move(attempt, Status.ANSWERED, outcome, changes, with_answer=True)


def _last_word(attempt: LookupResult, changes: Changes, *, pages_read: int) -> Move:
    """Answer with what is likely right, marked as unsure; or abstain."""
    if likely := likely_answer(attempt):
        return _answered(replace(attempt, answer=likely), changes, outcome="likely")
    move = _move(attempt, Status.ABSTAINED, "insufficient", changes, with_answer=True)
    return replace(move, answer=abstention([attempt], pages_read=pages_read))


def _move(
    attempt: LookupResult, to: Status, outcome: str, changes: Changes = NO_CHANGES, *, with_answer: bool = False
) -> Move:
    return Move(
        to=to,
        outcome=outcome,
        detail=detail_of(attempt),
        answer=attempt.answer if with_answer else None,
        verdict=attempt.verdict if with_answer else None,
        context=context_of(attempt.hits) if with_answer else (),
        changes=replace(
            changes,
            lang=attempt.analysis.lang,
            queries=list(attempt.queries),
            variants=[asdict(variant) for variant in attempt.variants],
            missing=list(attempt.verdict.missing),
        ),
    )


def detail_of(attempt: LookupResult) -> LookupDetail:
    """Return what the trace stores of a lookup."""
    return LookupDetail(
        queries=attempt.queries,
        entities=attempt.analysis.entities,
        question_type=attempt.analysis.question_type,
        hits=len(attempt.hits),
        sql_hits=len(attempt.facts),
        graph_hits=sum(hit.via == "graph" for hit in attempt.hits),
        top=[_hit_detail(hit) for hit in attempt.hits],
        signals={hit.passage.id: [round(signal, 4) for signal in hit.signals] for hit in attempt.hits if hit.signals},
        ranked_by=attempt.ranked_by,
        rewards=earned(attempt),
        kept=_cutoff_detail(attempt.cutoff) if attempt.cutoff else None,
        advice=asdict(attempt.advice) if attempt.advice else None,
        verdict=attempt.verdict,
        seconds=asdict(attempt.timings),
        cost=attempt.cost,
    )


def earned(attempt: LookupResult) -> dict[VariantKind, bool]:
    """Return for each kind of variant if it earned a citation of a sufficient answer."""
    return rewards(attempt.variants, attempt.hits, attempt.answer) if attempt.verdict.sufficient else {}


def context_of(hits: Sequence[Hit]) -> list[ContextHit]:
    """Return the hits an answer was made from, as callers see them."""
    return [
        ContextHit(
            rank=hit.rank,
            score=round(hit.score, 4),
            similarity=hit.similarity,
            passage_id=hit.passage.id,
            page_id=hit.passage.page_id,
            url=hit.passage.url,
            title=hit.passage.title,
            text=hit.passage.text,
        )
        for hit in hits[:CONTEXT_HITS]
    ]


def _cutoff_detail(cutoff: Cutoff) -> CutoffDetail:
    return CutoffDetail(
        chunks_retrieved=cutoff.chunks_retrieved,
        found=cutoff.found,
        confidence=cutoff.confidence,
        stop_reason=cutoff.stop_reason,
    )


def _hit_detail(hit: Hit) -> HitDetail:
    return HitDetail(
        rank=hit.rank,
        original_rank=hit.original_rank,
        passage=hit.passage.id,
        url=hit.passage.url,
        score=hit.score,
        scale=hit.scale,
        similarity=hit.similarity,
        bm25=hit.bm25,
        query=hit.query,
        via=hit.via,
        found_by=hit.found_by,
    )
