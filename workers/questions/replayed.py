"""Runs the lookup of a question again, on today's knowledge base and by today's code, and says what differs.

Nothing is stored, and no model is asked: the variants that one wrote are used again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from domain.errors import WellreadError
from store.questions import answers, state, trace
from store.questions.trace import PassReplayed, TraceReplayed
from workers.questions import lookup
from workers.questions.transitions import detail_of
from workers.services import Services

#: by the name of the step in the trace, the pass that it was
_PASSES = {"retrieve": lookup.first_pass, "retry": lookup.second_pass}


class NothingToReplay(WellreadError):
    """The question has no lookup of its own in its trace: it waits for it, or another's answer was given again."""


def replay_trace(services: Services, question_id: str) -> TraceReplayed:
    """Return what the lookup finds now; raises UnknownQuestion or NothingToReplay."""
    with services.database.read() as session:
        row = state.get(session, question_id)
        question, steps = state.to_question(row), trace.read(session, row)
        stored, outcome = answers.last(session, question_id), row.outcome
    known = {step.name: step.detail for step in steps if step.name in _PASSES and "top" in step.detail}
    if not known:
        raise NothingToReplay(f"{question_id} has no lookup in its trace: its own was not reached, or it had none.")
    has_variants = any("variants" in step.detail.get("asked", ()) for step in steps)
    asked = replace(question, draft={"ask": "variants"} if has_variants else {})
    results = {name: _PASSES[name](services, asked) for name in _PASSES if name in known}
    last = [*results.values()][-1]
    return TraceReplayed(
        question=question.text,
        passes=[_compared(name, known[name], asdict(detail_of(result))) for name, result in results.items()],
        answer_before=stored.text if stored else None,
        composer_before=stored.composer if stored else None,
        outcome_before=outcome,
        answer_now=last.answer.text if last.answer else None,
        outcome_now=last.outcome,
    )


def _compared(step: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> PassReplayed:
    was, here = ({hit["passage"]: hit for hit in detail["top"]} for detail in (before, now))

    def shown(hits: Mapping[str, Mapping[str, Any]], without: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        return ({key: hit[key] for key in ("passage", "url", "rank")} for id, hit in hits.items() if id not in without)

    moved = [(was[id], hit) for id, hit in here.items() if id in was and was[id]["rank"] != hit["rank"]]
    return PassReplayed(
        step=step,
        before=before,
        now=now,
        gained=[*shown(here, was)],
        lost=[*shown(was, here)],
        moved=[
            {"passage": hit["passage"], "url": hit["url"], "rank": hit["rank"], "was": old["rank"]}
            for old, hit in moved
        ],
    )
