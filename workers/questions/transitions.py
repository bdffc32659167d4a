"""Decide the next status of a question, after each lookup and when its time is over: pure, one function a step."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from domain import Hit, Question, Status, VariantKind
from domain.outcome import is_far, outcome_of
from domain.record import ContextHit
from pipeline.abstain import abstention, as_perhaps
from pipeline.phrases import say
from pipeline.question.variants import rewards
from store.questions.records import ProvisionalAnswer
from store.questions.state import Changes, Move
from store.questions.trace import LookupDetail
from store.sql.leases import MAX_ATTEMPTS
from store.sql.rows import to_value
from workers.questions.conditions import Progress, stop_reason

if TYPE_CHECKING:
    from pipeline.ask import LookupResult

#: the values of a hit and of the cutoff that the trace stores
HIT_VALUES = ("rank", "original_rank", "score", "scale", "similarity", "bm25", "query", "via", "found_by")
FOUND_VALUES = ("query", "text", "vectors", "hits")
CUTOFF_VALUES = ("chunks_retrieved", "found", "confidence", "stop_reason")
NO_CHANGES = Changes()


def when_overdue(*, deadline: datetime, attempts: int, error: str | None, now: datetime) -> Move | None:
    """End a question whose deadline has passed or whose attempts are used up; None: it goes on."""
    if deadline < now:
        changes = Changes(stop_reason="the question's deadline passed")
        return Move(to=Status.TIMED_OUT, outcome="deadline", changes=changes)
    if attempts > MAX_ATTEMPTS:
        why = f"Given up after {MAX_ATTEMPTS} attempts: {error or 'its process died each time'}"
        return Move(to=Status.FAILED, outcome="attempts", changes=Changes(error=why))
    return None


def after_first_pass(question: Question, result: "LookupResult", earlier: ProvisionalAnswer | None = None) -> Move:
    """Answer, or search again in other words, as for a report; what may be right is kept as a provisional answer."""
    is_known = result.verdict.sufficient
    if is_known and question.overrides.length != "report":
        return answered(result)
    move = _move(result, Status.RETRYING, "sufficient" if is_known else "insufficient")
    if is_known or result.outcome != "unknown":
        return move
    return replace(move, answer=None, verdict=None, context=())


def after_second_pass(question: Question, result: "LookupResult", earlier: ProvisionalAnswer | None = None) -> Move:
    """Answer; or read the web and give a provisional answer; or end, when the web may not be read."""
    if result.verdict.sufficient:
        return answered(result)
    if earlier and earlier.verdict.sufficient:  # of a report, which is made of more than the first search
        known = _move(result, Status.ANSWERED, "sufficient")
        return replace(known, answer=earlier.answer, verdict=earlier.verdict, context=earlier.context)
    if not question.crawl_enabled:
        return _last_word(result, earlier, Changes(stop_reason="reading the web was not allowed"), pages_read=0)
    return _provisional(result, earlier, Changes(crawl_reason=result.verdict.reason))


def after_final_pass(
    question: Question, result: "LookupResult", progress: Progress, earlier: ProvisionalAnswer | None = None
) -> Move:
    """Answer; or read the next wave while the budget lasts; or end."""
    changes = Changes(cycle=progress.cycle)
    if result.verdict.sufficient:
        return answered(result, replace(changes, stop_reason="the answer was found"))
    if stop := stop_reason(question, progress):
        why = "; ".join((stop, *(failure for failure in progress.failed if failure not in stop)))
        return _last_word(result, earlier, replace(changes, stop_reason=why), pages_read=progress.read)
    return _provisional(result, earlier, changes)


def without_answer(result: "LookupResult") -> "LookupResult":
    """Return a lookup as it is decided on when a model has read its hits and found no answer in them."""
    verdict = replace(result.verdict, sufficient=False, reason=say("not_found", result.analysis.lang))
    return replace(result, answer=None, verdict=verdict)


def _provisional(result: "LookupResult", earlier: ProvisionalAnswer | None, changes: Changes) -> Move:
    """Go on to reading with the best answer so far; without a hit that is near it says that nothing is known yet."""
    move = _move(result, Status.SEEKING, "insufficient", changes)
    if earlier and _is_better(earlier, result):
        return replace(move, answer=None)  # it stays
    near = None if result.strict or is_far(result.verdict.evidence) else result.answer
    return replace(move, answer=near or abstention(result))


def answered(result: "LookupResult", changes: Changes = NO_CHANGES) -> Move:
    """Return the end of a question that is answered."""
    return _move(result, Status.ANSWERED, "sufficient", changes)


def _last_word(result: "LookupResult", earlier: ProvisionalAnswer | None, changes: Changes, *, pages_read: int) -> Move:
    """Answer with what is perhaps right, the best of all passes; or abstain."""
    best = earlier if earlier and _is_better(earlier, result) else result
    if best.answer and outcome_of(best.answer, best.verdict, strict=result.strict) == "unsure":
        move = _move(result, Status.ANSWERED, "unsure", changes)
        answer = as_perhaps(best.answer, result.analysis.lang)
        context = earlier.context if best is earlier else move.context
        return replace(move, answer=answer, verdict=best.verdict, context=context)
    move = _move(result, Status.ABSTAINED, "insufficient", changes)
    return replace(move, answer=abstention(result, pages_read=pages_read))


def _is_better(earlier: ProvisionalAnswer, result: "LookupResult") -> bool:
    """Return whether a later pass, which is not sufficient either, gives less."""
    return result.answer is None or earlier.verdict.confidence > result.verdict.confidence


def _move(result: "LookupResult", to: Status, outcome: str, changes: Changes = NO_CHANGES) -> Move:
    return Move(
        to=to,
        outcome=outcome,
        detail=detail_of(result),
        answer=result.answer,
        verdict=result.verdict,
        context=context_of(result.context),
        changes=replace(
            changes,
            lang=result.analysis.lang,
            queries=list(result.queries),
            variants=[asdict(variant) for variant in result.variants],
            missing=list(result.verdict.missing),
        ),
    )


def detail_of(result: "LookupResult") -> LookupDetail:
    """Return the part of a lookup that the trace stores."""
    return LookupDetail(
        queries=result.queries,
        entities=result.analysis.entities,
        question_type=result.analysis.question_type,
        before_fusion=[_values(found, FOUND_VALUES) for found in result.found],
        not_reranked=result.found[0].not_reranked if result.found else "",
        hits=len(result.hits),
        sql_hits=len(result.facts),
        graph_hits=sum(hit.via == "graph" for hit in result.hits),
        top=[{"passage": hit.passage.id, "url": hit.passage.url, **_values(hit, HIT_VALUES)} for hit in result.hits],
        rewards=earned(result),
        kept=_values(result.cutoff, CUTOFF_VALUES) if result.cutoff else None,
        advice=asdict(result.advice) if result.advice else None,
        verdict=result.verdict,
        seconds=asdict(result.timings),
    )


def earned(result: "LookupResult") -> dict[VariantKind, bool]:
    """Return for each kind of variant if it earned a citation of a sufficient answer."""
    return rewards(result.variants, result.hits, result.answer) if result.verdict.sufficient else {}


def context_of(hits: Sequence[Hit]) -> list[ContextHit]:
    """Return the hits an answer was made from, as callers see them."""
    return [
        to_value(
            ContextHit,
            hit.passage,
            **_values(hit, ("rank", "original_rank", "similarity")),
            score=round(hit.score, 4),
            rerank_score=round(hit.score, 4) if hit.scale == "rerank" else None,
            passage_id=hit.passage.id,
        )
        for hit in hits
    ]


def _values(value: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
