"""Decides what a model is asked for, and asks it: other wordings, a question completed from its thread, or the answer.

A lookup ends as without a model. Where one may write, the question waits for it with a draft (:mod:`pipeline.draft`),
and the worker of threads has it do what that says. Whatever the model does, the question goes on: at worst as its
lookup decided without it, and with the answer made of quotes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy.orm import Session

from domain import Answer, Cost, EventKind, Page, Question, Status, Verdict
from domain.answer import ABSTENTION, StructuredAnswer
from domain.outcome import ANSWERED_FROM
from pipeline.abstain import as_perhaps
from pipeline.answering.check import with_block
from pipeline.answering.citations import check, located, outdated_notice, partly_read_notice, with_notices
from pipeline.answering.few_shot import examples_for
from pipeline.answering.schema import parse_schema
from pipeline.answering.sections import ROOM, ROOMS, count_tokens, places_to_read, sections
from pipeline.answering.structured_answer import with_given
from pipeline.ask import LookupResult
from pipeline.draft import AnswerBasis, Draft, Onward, from_json, to_json
from pipeline.llm import AwaitsBatch, Brief, ModelBusy, ModelError, OnAnswer
from pipeline.models.model import LanguageModel
from pipeline.phrases import say
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import COUNT_AT_ONCE, order_of_variants
from pipeline.retrieval.context import prompt_notes
from pipeline.write import RULED_OUT, VERDICT_BELOW, WritingResult, key_of, write_answer, write_variants
from store import documents
from store.pages import pages
from store.questions import answers, records, state, trace
from store.questions.feedback import SolvedReader
from store.questions.state import Changes, Move
from store.questions.trace import WriteDetail
from store.sql import leases
from store.sql.database import DatabaseError
from store.sql.tables import QuestionRow
from workers import monitoring
from workers.questions import batches, follow_ups
from workers.questions.step import Work, finish, spend_cost, step
from workers.services import Services
from workers.services.interruptions import recorded
from workers.services.pipeline import MARGIN_S, limits_of, remaining_budget

log = structlog.get_logger()

#: a longer answer is published only when it is complete
MAX_WRITING_CHARACTERS = 12_000
NOTHING_ASKED = WriteDetail(asked=())
#: the columns that are set when a lookup ends; the others are set where the question goes on
_OF_LOOKUP = ("lang", "queries", "variants", "missing", "cycle")


def write(services: Services, question_id: str) -> None:
    """Ask the model what a question's draft says."""
    with step(services, question_id, Status.WRITING) as work:
        if work is None:
            return
        draft = from_json(work.question.draft, [column.name for column in fields(Changes)])
        if draft is None:  # another version made it
            log.warning("draft_not_read", question=question_id)
            finish(services, work, Move(to=Status.ASKED, outcome="draft not read", changes=Changes(draft={})))
            return
        try:
            move = _asked(services, work, draft)
        except AwaitsBatch:
            batches.wait(services, work)
            return
        except ModelBusy as error:
            if _deferred(services, work, draft, error):
                return
            move = _without_model(services, work.question, draft, error)
        except ModelError as error:
            move = _without_model(services, work.question, draft, error)
        finish(services, work, move)


def _asked(services: Services, work: Work, draft: Draft) -> Move:
    """Return where a question goes after a model was asked; raises ModelError."""
    if services.model is None:
        return _without_model(services, work.question, draft, None)
    replies = batches.Replies(services, work.question) if work.question.may_wait else None
    model = services.model.within(remaining_budget(services, work.question), replies)
    if draft.ask == "rewrite":
        follow_ups.complete(services, work.question, work.lease, model)
        return Move(to=draft.failed.to, outcome="rewrite")
    if draft.ask == "variants":
        return _variants(services, work.question, draft, model)
    return _answer(services, work, draft, model)


def _variants(services: Services, question: Question, draft: Draft, model: LanguageModel) -> Move:
    analysis = analyse_question(question.text, question.lang)
    made = write_variants(
        analysis.text,
        analysis.lang,
        model=model,
        count=draft.count,
        tokens=services.settings.max_tokens_per_variant,
        memory=services.variants,
        order=order_of_variants(analysis, question.id, services.variants),
    )
    return Move(
        to=draft.failed.to,
        outcome="variants",
        detail=WriteDetail(asked=("variants",), cost=made.cost),
        changes=Changes(variants=[asdict(variant) for variant in made.value]),
    )


def _answer(services: Services, work: Work, draft: Draft, model: LanguageModel) -> Move:
    """Return where a question goes after its answer was asked for; raises ModelError."""
    question, reading, own = work.question, draft.reading, work.question.overrides.verbatim
    assert reading is not None
    with services.database.read() as session:
        kept = records.provisional(session, question.id)
        known = _readable(session, {span.page_id for span in reading.spans}, question)
    brief = _brief(services, question, reading, known)
    if not brief.sections:
        return _nothing_left(draft)
    key = key_of(brief)
    if key in draft.read:
        return _abstained(_refused(draft), reading, model, kept)
    came = write_answer(
        brief,
        reading,
        known,
        model=model,
        judged=draft.judged,
        second_call=services.settings.model_check,
        in_quotes=services.settings.verbatim if own is None else own,
        on_answer=notify_writing(services, question.id),
        on_written=None if question.may_wait or kept is None else _show_to_askers(services, work, kept),
    )
    detail = _detail_of(came, brief, question)
    if came.answer is None:
        refused = _refused(replace(draft, read=(*draft.read, key)), detail, came.missing)
        return _abstained(refused, reading, model, kept)
    answer = with_age(
        services,
        question,
        checked(services, with_current_citations(services, question, came.answer, question.lang), question.lang),
        reading.lang,
    )
    if not answer.citations:
        return _without_model(services, question, draft, None, detail)
    limits = limits_of(services.settings).with_overrides(question.overrides)
    is_sure = answer.confidence >= (ANSWERED_FROM if limits.threshold is None else limits.threshold)
    if limits.strict and not is_sure:
        return _abstained(_refused(draft, detail), reading, model, kept)
    if kept and (rules := kept.answer.structured) and question.answer_schema:
        answer, detail = _with_form(question, answer, rules, detail, known, model)
    if not is_sure:
        answer = as_perhaps(answer, reading.lang)
    changes = Changes(stop_reason="the answer was found") if question.crawl_started_at else Changes()
    move = Move(to=Status.ANSWERED, outcome="written", detail=detail, answer=answer, changes=changes)
    if kept is None:
        return move
    # the hits held the answer after all, whatever the local judge gave as a reason
    reason = kept.verdict.reason if kept.verdict.sufficient and is_sure else ""
    verdict = replace(kept.verdict, sufficient=is_sure, confidence=answer.confidence, reason=reason, missing=())
    return replace(move, answer=replace(answer, related=kept.answer.related), verdict=verdict, context=kept.context)


def _detail_of(came: WritingResult, brief: Brief, question: Question) -> WriteDetail:
    detail = WriteDetail(
        asked=came.calls,
        sections=len(brief.sections),
        tokens=sum(count_tokens(section.text) for section in brief.sections),
        findings=[asdict(finding) for finding in came.findings],
        cost=came.cost,
    )
    if came.error is None:
        return detail
    log.warning("answer_not_checked", question=question.id, error=str(came.error))
    return _with_error(detail, "check", came.error)


def _with_form(
    question: Question,
    answer: Answer,
    rules: StructuredAnswer,
    detail: WriteDetail,
    known: Mapping[int, Page],
    model: LanguageModel,
) -> tuple[Answer, WriteDetail]:
    """Return the answer in the form asked for: what the model reads in its quotes, or if it fails, what rules found."""
    form, texts = parse_schema(question.answer_schema or {}), {page_id: page.text for page_id, page in known.items()}
    quotes = [with_block(citation, texts) for citation in answer.citations]
    try:
        given = model.fill(question.text, form, quotes)
    except ModelError as error:
        log.warning("form_not_filled", question=question.id, error=str(error))
        filled, cost, detail = rules, error.cost, _with_error(detail, "form", error)
    else:
        filled, cost = with_given(form, rules, given.value, confidence=answer.confidence), given.cost
    return replace(answer, structured=filled), replace(detail, asked=(*detail.asked, "form"), cost=detail.cost + cost)


def _with_error(detail: WriteDetail, call: str, error: ModelError) -> WriteDetail:
    said = "; ".join(filter(None, (detail.error, f"{call}: {error}")))
    return replace(detail, error=said, kind=type(error).__name__)


def _show_to_askers(services: Services, work: Work, kept: records.ProvisionalAnswer) -> OnAnswer:
    """Return a callback that saves and publishes the answer while its sentences are being checked."""
    about: dict[str, Any] = {"verdict": kept.verdict, "context": kept.context}

    def show(answer: Answer) -> None:
        shown, now = checked(services, answer, work.question.lang), services.now()
        if services.write(state.save_provisional, work.lease, shown, now=now, **about):
            provisional = {"answer": shown.text, "missing": [], "status": Status.WRITING}
            services.events.publish(work.question.id, EventKind.PROVISIONAL, provisional)

    return show


def with_current_citations(services: Services, question: Question, answer: Answer, lang: str) -> Answer:
    """Return an answer with the citations whose pages still say them, and that the question may be answered from."""
    known = services.read(_readable, {citation.page_id for citation in answer.citations}, question)
    texts = {page_id: page.text for page_id, page in known.items()}
    return check(answer, texts.get, lang=lang)


def _readable(session: Session, page_ids: Collection[int], question: Question) -> dict[int, Page]:
    """Return those of the pages that the question may be answered from, as they are now."""
    return pages.read(session, documents.fitting(session, page_ids, question.overrides.filters), question.id)


def checked(services: Services, answer: Answer, lang: str) -> Answer:
    """Return an answer with the citations that are verbatim in the stored pages; a notice names those read in part."""
    with services.database.read() as session:
        cited = [citation.page_id for citation in answer.citations]
        texts, cited_pages = pages.texts(session, cited), pages.cited(session, cited)
    answer = located(check(answer, texts.get, lang=lang), cited_pages)
    return with_notices(answer, partly_read_notice(answer, cited_pages, lang))


def with_age(services: Services, question: Question, answer: Answer, lang: str) -> Answer:
    """Add a notice to an answer if its pages are older than the question allows."""
    oldest = answers.oldest_for(question, services.now())
    return with_notices(answer, outdated_notice(answer, oldest, lang)) if oldest is not None else answer


def _brief(services: Services, question: Question, reading: AnswerBasis, known: Mapping[int, Page]) -> Brief:
    own, settings = question.overrides, services.settings
    return Brief(
        question=question.text,
        sections=sections(
            reading.spans,
            known,
            tokens=settings.model_context_tokens,
            rooms=[room * ROOM[own.length].reads for room in ROOMS],
        ),
        lang=own.answer_language or reading.lang,
        today=(question.updated_at or services.now()).date(),  # a step that begins again asks the same
        sites=question.sites,
        form=reading.form,
        length=own.length,
        notes=reading.notes,
        instructions=settings.instructions,
        asked_for=own.instructions,
        examples=reading.examples,
    )


def _without_model(
    services: Services, question: Question, draft: Draft, error: ModelError | None, detail: WriteDetail | None = None
) -> Move:
    """Return where a question goes when the model gave nothing: as decided without it, with a notice that says so."""
    said = str(error).rstrip(".") if error else ""
    if error is not None:
        log.warning("model_failed", question=question.id, asked=draft.ask, error=said)
        detail = WriteDetail(asked=(draft.ask,), error=said, kind=type(error).__name__, cost=error.cost)
    onward = draft.failed
    move = Move(to=onward.to, outcome="model failed" if error else onward.outcome, detail=detail)
    changes = Changes(**onward.changes)
    if draft.ask != "answer":
        return replace(move, changes=replace(changes, variants=[]) if draft.ask == "variants" else changes)
    kept = services.read(records.provisional, question.id)
    if kept is None and onward.to is Status.ANSWERED:  # it was withdrawn
        return replace(_nothing_left(draft), detail=detail)
    if kept is None:
        return replace(move, answer=draft.unknown if onward.to.is_final else None, changes=changes)
    answer, verdict = kept.answer, kept.verdict
    if answer.citations:
        answer = checked(services, with_current_citations(services, question, answer, question.lang), question.lang)
        if not answer.citations:
            return replace(_nothing_left(draft), detail=detail)
    if onward.to is Status.ANSWERED and not verdict.sufficient:
        answer = as_perhaps(answer, question.lang)
    if error is not None and answer.composer != ABSTENTION:
        was_asked = error.was_sent or error.cost != Cost()
        answer = with_notices(answer, say("no_answer" if was_asked else "not_asked", question.lang))
    return replace(move, answer=answer, verdict=verdict, context=kept.context, changes=changes)


def _nothing_left(draft: Draft) -> Move:
    """Return where a question goes when the pages that it was to be answered from are gone, or another's."""
    return replace(_refused(draft), outcome="nothing left")


def _refused(draft: Draft, detail: WriteDetail = NOTHING_ASKED, missing: Sequence[str] = ()) -> Move:
    """Return where a question goes when the model has found no answer in what it read."""
    onward = draft.refused
    assert onward is not None
    changes = replace(Changes(**onward.changes), draft={"read": list(draft.read)}, missing=list(missing) or None)
    return Move(to=onward.to, outcome="refused", detail=detail, answer=draft.unknown, changes=changes)


def _abstained(move: Move, reading: AnswerBasis, model: LanguageModel, kept: records.ProvisionalAnswer | None) -> Move:
    """Return a refusal with the model's verdict if it is the end, else as it is."""
    if not move.to.is_final:
        return move
    missing, reason = tuple(move.changes.missing or ()), say("not_found", reading.lang)
    verdict = Verdict(sufficient=False, confidence=0.0, reason=reason, missing=missing, judge=model.name)
    return replace(move, verdict=verdict, context=kept.context if kept else ())


def _deferred(services: Services, work: Work, draft: Draft, error: ModelBusy) -> bool:
    """Let a question wait for a model that is busy; return False if it has waited long enough.

    An answer that was not written has cost its verdict, which need not be asked for again.
    """
    now, question = services.now(), work.question
    until = now + timedelta(seconds=error.retry_after_s or services.settings.model_times.first_token_s)
    wait_until = (question.updated_at or now) + timedelta(seconds=services.settings.model_wait_s)
    last = question.deadline if question.may_wait else min(wait_until, question.deadline)
    if until + timedelta(seconds=MARGIN_S) > last:
        return False
    log.info("model_busy", question=question.id, until=until.isoformat(), error=str(error))
    monitoring.report(f"waits for the model until {until:%H:%M:%S} UTC")

    def defer() -> None:
        with services.database.write() as session:
            if leases.defer(session, work.lease, until) and error.cost != Cost():
                judged = draft.judged or error.was_judged
                session.get_one(QuestionRow, question.id).draft = to_json(replace(draft, judged=judged))
                trace.add_cost(session, question.id, "write", error.cost, started_at=work.started_at, now=now)

    recorded(defer)
    spend_cost(services, question, error.cost)
    return True


def notify_writing(services: Services, question_id: str) -> OnAnswer:
    """Return a callback that publishes a partial answer as an event ``writing``; it logs a failure and goes on."""
    texts: dict[int, str] = {}  # each page is read once

    def notify(answer: Answer) -> None:
        missing = {citation.page_id for citation in answer.citations} - texts.keys()
        try:
            texts.update(services.page_texts(sorted(missing)))
        except DatabaseError as error:
            log.warning("writing_not_published", question=question_id, error=str(error))
            return
        text = check(answer, texts.get).text
        if 0 < len(text) <= MAX_WRITING_CHARACTERS:
            services.events.publish(question_id, EventKind.WRITING, {"answer": text})

    return notify


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
    return _wait(Draft(ask="variants", failed=onward, count=COUNT_AT_ONCE))


def after_lookup(services: Services, question: Question, result: LookupResult, local: Move, refused: Move) -> Move:
    """Return where a question goes after a lookup: where it was going, or to a model first.

    ``local`` was decided without a model, ``refused`` as if there were no answer in the hits.
    """
    if services.model is None or not result.hits:
        return local
    verdict, read = result.verdict, tuple(question.draft.get("read", ()))
    if local.to is Status.RETRYING:  # for a model's wordings, where the local judge is not sure at all
        count = limits_of(services.settings).with_overrides(question.overrides).variants
        if services.settings.variants_from == "rules" or verdict.confidence >= VERDICT_BELOW or not count:
            return local
        draft = Draft(ask="variants", failed=_onward(local), count=count, read=read)
    else:
        rules = services.tools.judge  # a model does not overrule the document's judge
        if verdict.confidence < RULED_OUT or (rules and not verdict.sufficient):
            return local
        draft = Draft(
            ask="answer",
            failed=_onward(local),
            refused=_onward(refused),
            unknown=refused.answer,
            reading=_reading(services, question, result),
            read=read,
        )
    now: dict[str, Any] = {name: getattr(local.changes, name) for name in _OF_LOOKUP}
    return replace(local, to=Status.WRITING, changes=Changes(**now, draft=to_json(draft)))


def _reading(services: Services, question: Question, result: LookupResult) -> AnswerBasis:
    tools, analysis = services.tools, result.analysis
    solved = SolvedReader(services.database, question.id)
    return AnswerBasis(
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
        examples=examples_for(analysis, solved, tools.examples) if "few_shot" in tools.enhancements else "",
    )


def _wait(draft: Draft) -> Move:
    return Move(to=Status.WRITING, outcome=f"asks for {draft.ask}", changes=Changes(draft=to_json(draft)))


def _onward(move: Move) -> Onward:
    later = {each.name: getattr(move.changes, each.name) for each in fields(Changes) if each.name not in _OF_LOOKUP}
    set_then = {name: value for name, value in later.items() if value is not None}
    return Onward(to=move.to, outcome=move.outcome, changes=set_then)
