"""Decides what a model is asked for: other wordings, a question completed from its thread, or the answer.

A lookup ends as without a model. Where one may write, the question waits for it with a draft
(:mod:`pipeline.draft`); the decision of the lookup holds if the model fails, and the answer made of quotes with it.
"""

from dataclasses import fields, replace
from typing import Any

from domain import Question, Status
from pipeline.answering.few_shot import examples_for
from pipeline.answering.sections import ROOM, places_to_read
from pipeline.ask import LookupResult
from pipeline.documents.rerank import ALTERNATIVES
from pipeline.draft import Draft, Onward, Reading, to_json
from pipeline.retrieval.context import prompt_notes
from pipeline.write import RULED_OUT, VERDICT_BELOW
from store.questions.state import Changes, Move
from workers.questions import follow_ups, lookup
from workers.services import Services
from workers.services.rules import limits_of

#: the columns that are set when a lookup ends; the others are set where the question goes on
_OF_LOOKUP = ("lang", "queries", "variants", "missing", "cycle")


def before_first_pass(services: Services, question: Question) -> Move | None:
    """Return the wait for a model that completes a question, or words it for multi-query; None for any other."""
    if services.model is None:
        return None
    asked = question.draft.get("ask")
    if asked not in ("rewrite", "variants") and follow_ups.needs_model(services, question):
        return _wait(Draft(ask="rewrite", failed=Onward(to=Status.ASKED, outcome="rewrite")))
    wants = "multi_query" in services.tools.enhancements and services.settings.variants_from != "rules"
    if not wants or asked == "variants":
        return None
    onward = Onward(to=Status.ASKED, outcome="variants")
    return _wait(Draft(ask="variants", failed=onward, count=ALTERNATIVES))


def after_lookup(services: Services, question: Question, result: LookupResult, local: Move, refused: Move) -> Move:
    """Return where a question goes after a lookup: where it was going, or to a model first.

    ``local`` was decided without a model, ``refused`` as if there were no answer in the hits.
    """
    if services.model is None or not result.hits:
        return local
    if local.to is Status.RETRYING:
        return _for_variants(services, question, result, local)
    rules = services.tools.judge  # a model does not overrule the document's judge
    if result.verdict.confidence < RULED_OUT or (rules and not result.verdict.sufficient):
        return local
    draft = Draft(
        ask="answer",
        failed=_onward(local),
        refused=_onward(refused),
        unknown=refused.answer,
        reading=_reading(services, question, result),
        read=tuple(question.draft.get("read", ())),
    )
    return replace(local, to=Status.WRITING, changes=_changes(local.changes, draft))


def _for_variants(services: Services, question: Question, result: LookupResult, local: Move) -> Move:
    """Return the wait for a model's wordings, where the local judge is not sure at all; else where it was going."""
    count = limits_of(services.settings).with_overrides(question.overrides).variants
    by_rules = services.settings.variants_from == "rules" or result.verdict.confidence >= VERDICT_BELOW
    if by_rules or not count:
        return local
    draft = Draft(ask="variants", failed=_onward(local), count=count, read=tuple(question.draft.get("read", ())))
    return replace(local, to=Status.WRITING, changes=_changes(local.changes, draft))


def _reading(services: Services, question: Question, result: LookupResult) -> Reading:
    tools, analysis = lookup.tools_for(services, question), result.analysis
    return Reading(
        spans=places_to_read(
            result.context,
            [found.best for found in result.found],
            result.answer.citations if result.answer else (),
            room=ROOM[question.overrides.length],
        ),
        confidence=result.verdict.confidence,
        lang=analysis.lang,
        form=analysis.form,
        notes=prompt_notes(analysis, result.context) if "multi_document" in tools.enhancements else (),
        examples=examples_for(analysis, tools.solved, tools.examples) if "few_shot" in tools.enhancements else "",
    )


def _wait(draft: Draft) -> Move:
    """Return the wait of a question that was not looked up yet."""
    return Move(to=Status.WRITING, outcome=f"asks for {draft.ask}", changes=Changes(draft=to_json(draft)))


def _onward(move: Move) -> Onward:
    later = {each.name: getattr(move.changes, each.name) for each in fields(Changes) if each.name not in _OF_LOOKUP}
    set_then = {name: value for name, value in later.items() if value is not None}
    return Onward(to=move.to, outcome=move.outcome, changes=set_then)


def _changes(changes: Changes, draft: Draft) -> Changes:
    """Return what is set when a lookup ends; the rest waits in the draft."""
    now: dict[str, Any] = {name: getattr(changes, name) for name in _OF_LOOKUP}
    return Changes(**now, draft=to_json(draft))
