"""Where a question goes after each step: pure decisions, one function a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from domain import Hit, Question, Status, VariantKind
from pipeline.abstain import abstention, likely_answer
from pipeline.ask import LookupResult
from pipeline.question.variant_choice import rewards
from store.questions.state import Move
from workers.questions.crawl_budget import Progress, stop_reason

#: hits kept with an answer as its context
CONTEXT_HITS = 8


def after_first_look(question: Question, attempt: LookupResult) -> Move:
    """Answered, or once more in other words."""
    if attempt.verdict.sufficient:
        return _answered(attempt)
    return _move(attempt, Status.RETRYING, "insufficient")


def after_second_look(question: Question, attempt: LookupResult) -> Move:
    """Answered; or the web is to be read, with a provisional answer out; or, when it may not be, the last word."""
    if attempt.verdict.sufficient:
        return _answered(attempt)
    if not question.crawl_enabled:
        return _last_word(attempt, "reading the web was not allowed", pages_read=0)
    return _provisional(attempt, crawl_reason=attempt.verdict.reason)


def after_look_again(question: Question, attempt: LookupResult, progress: Progress, now: datetime) -> Move:
    """Answered; or the next wave while the budget lasts; or the last word."""
    if attempt.verdict.sufficient:
        return _answered(attempt, cycle=progress.cycle, stop_reason="the answer was found")
    if stop := stop_reason(question, progress, now):
        return _last_word(attempt, stop, pages_read=progress.pages, cycle=progress.cycle)
    return _provisional(attempt, cycle=progress.cycle)


def _provisional(attempt: LookupResult, **changes: Any) -> Move:
    """On to reading, with the best answer there is until then: with no hit at all, that it is not known yet."""
    move = _move(attempt, Status.SEEKING, "insufficient", provisional=True, **changes)
    return replace(move, answer=attempt.answer or abstention([attempt]))


def _answered(attempt: LookupResult, outcome: str = "sufficient", **changes: Any) -> Move:
    return _move(attempt, Status.ANSWERED, outcome, provisional=True, **changes)


def _last_word(attempt: LookupResult, why: str, *, pages_read: int, **changes: Any) -> Move:
    """Answered with what is likely right, and said to be unsure; or not known."""
    if likely := likely_answer(attempt):
        return _answered(replace(attempt, answer=likely), outcome="likely", stop_reason=why, **changes)
    answer = abstention([attempt], pages_read=pages_read)
    move = _move(attempt, Status.ABSTAINED, "insufficient", stop_reason=why, **changes)
    return replace(move, answer=answer, verdict=attempt.verdict, context=context_of(attempt.hits))


def _move(attempt: LookupResult, to: Status, outcome: str, *, provisional: bool = False, **changes: Any) -> Move:
    known = {
        "lang": attempt.analysis.lang,
        "queries": list(attempt.queries),
        "variants": [asdict(variant) for variant in attempt.variants],
        "missing": list(attempt.verdict.missing),
    }
    return Move(
        to=to,
        outcome=outcome,
        detail=detail_of(attempt),
        answer=attempt.answer if provisional else None,
        verdict=attempt.verdict if provisional else None,
        context=context_of(attempt.hits) if provisional else (),
        changes={**known, **changes},
    )


def detail_of(attempt: LookupResult) -> dict[str, Any]:
    """What the trace keeps of a look."""
    return {
        "queries": list(attempt.queries),
        "entities": list(attempt.analysis.entities),
        "question_type": attempt.analysis.question_type,
        "hits": len(attempt.hits),
        "sql_hits": len(attempt.facts),
        "graph_hits": sum(hit.via == "graph" for hit in attempt.hits),
        "top": [_trace(hit) for hit in attempt.hits],
        "signals": {hit.passage.id: [round(each, 4) for each in hit.signals] for hit in attempt.hits if hit.signals},
        "ranked_by": attempt.ranked_by,
        "rewards": earned(attempt),
        "kept": _kept(attempt),
        "advice": asdict(attempt.advice) if attempt.advice else None,
        "verdict": asdict(attempt.verdict),
        "seconds": asdict(attempt.timings),
        "cost": asdict(attempt.cost),
    }


def earned(attempt: LookupResult) -> dict[VariantKind, bool]:
    """Which kinds of variant earned a citation of an answer that suffices, and which did not."""
    return rewards(attempt.variants, attempt.hits, attempt.answer) if attempt.verdict.sufficient else {}


def _kept(attempt: LookupResult) -> dict[str, Any] | None:
    cutoff = attempt.cutoff
    if cutoff is None:
        return None
    return {
        "chunks_retrieved": cutoff.chunks_retrieved,
        "found": cutoff.found,
        "confidence": cutoff.confidence,
        "stop_reason": cutoff.stop_reason,
    }


def context_of(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """The hits an answer was made from, as callers see them."""
    return [
        {
            "rank": hit.rank,
            "score": round(hit.score, 4),
            "similarity": hit.similarity,
            "passage_id": hit.passage.id,
            "page_id": hit.passage.page_id,
            "url": hit.passage.url,
            "title": hit.passage.title,
            "text": hit.passage.text,
        }
        for hit in hits[:CONTEXT_HITS]
    ]


def _trace(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "original_rank": hit.original_rank,
        "passage": hit.passage.id,
        "url": hit.passage.url,
        "score": hit.score,
        "scale": hit.scale,
        "similarity": hit.similarity,
        "bm25": hit.bm25,
        "query": hit.query,
        "via": hit.via,
        "found_by": list(hit.found_by),
    }
