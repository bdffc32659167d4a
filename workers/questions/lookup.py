"""Searches the knowledge base for a question; an answer keeps only citations that are verbatim in the stored pages."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import structlog

from crawler.extract.chunk import passages_of
from domain import Hit, Question, Scope, Variant
from domain.answer import ABSTENTION
from pipeline import ask
from pipeline.answering.compose import answer_from, topic_for_page
from pipeline.answering.related import related_questions
from pipeline.ask import LookupResult
from pipeline.phrases import say
from store import documents
from store.crawl import sources
from store.graph import GraphReader
from store.pages import index_queue, pages, visibility
from store.questions import answers, records
from store.questions.feedback import SolvedReader
from store.questions.records import ProvisionalAnswer
from text.language import detect_language
from text.urls import without_urls
from workers.questions.conditions import left_out, with_either_scheme
from workers.questions.transitions import earned
from workers.questions.writing import checked, with_age, with_current_citations
from workers.services import Services

log = structlog.get_logger()


def first_pass(services: Services, question: Question) -> LookupResult:
    """Phase 1: search for the question as it was asked."""
    variants = variants_of_model(question)
    return _pass(services, question, lambda query, tools: ask.first_pass(query, tools, variants))


def first_pass_alone(services: Services, question: Question) -> LookupResult:
    """Search for the question as it was asked, with nothing besides the answer."""
    result = ask.first_pass(_query(services, question), tools_for(services, question))
    return with_checked_citations(services, result, question.overrides.filters)


def second_pass(services: Services, question: Question) -> LookupResult:
    """Phase 2: search in other words, for more hits."""
    variants = variants_of_model(question) or None
    return _pass(services, question, lambda query, tools: ask.second_pass(query, tools, variants))


def final_pass(services: Services, question: Question) -> LookupResult:
    """Phase 4: search again after reading the web."""
    return _pass(services, question, lambda query, tools: ask.final_pass(query, question.variants, tools))


def variants_of_model(question: Question) -> tuple[Variant, ...] | None:
    """Return the variants that a model was just asked for, none if it failed; None if it was not asked."""
    return question.variants if question.draft.get("ask") == "variants" else None


def earlier_answer(services: Services, question: Question) -> ProvisionalAnswer | None:
    """Return the provisional answer of the question's earlier passes, if its pages still say it.

    None if a model has read them and found no answer.
    """
    if question.draft.get("read"):
        return None
    stored = services.read(records.provisional, question.id)
    if stored is None or stored.answer.composer == ABSTENTION:
        return None
    lang = question.lang or detect_language(question.text)
    answer = with_current_citations(services, question, stored.answer, lang)
    return replace(stored, answer=answer) if answer.citations else None


def learn(services: Services, result: LookupResult) -> None:
    """Count which kinds of variant earned a citation of a sufficient answer."""
    services.variants.learn(result.analysis.question_type, earned(result))


def _pass(
    services: Services, question: Question, search: Callable[[ask.LookupRequest, ask.Tools], LookupResult]
) -> LookupResult:
    """Answer what is asked of the named pages as a whole, or search; check the citations, and log the figures.

    A notice is added if pages are older than the question allows.
    """
    query, whole = _query(services, question), None
    is_filtered = bool(question.overrides.filters or question.overrides.source_kinds)
    if question.overrides.only_pages and not is_filtered and (topic := topic_for_page(question.text)) is not None:
        with services.database.read() as session:
            known = pages.read_at(session, sources.scopes(session, question.sites, page_only=True), question.id)
        in_order = [passages_of(page) for page in known]
        if answer := answer_from(in_order, topic, question.overrides.length):
            whole = ask.without_search(query, [passage for of_page in in_order for passage in of_page], answer)
    result = whole or search(query, tools_for(services, question))
    result = with_related(services, with_checked_citations(services, result, question.overrides.filters))
    log.info(
        "looked_up",
        question=question.id,
        chunks_retrieved=len(result.hits),
        confidence=round(result.verdict.confidence, 3),
        sufficient=result.verdict.sufficient,
        stop_reason=result.cutoff.stop_reason if result.cutoff else None,
        seconds=round(sum(asdict(result.timings).values()), 3),
    )
    if not result.verdict.sufficient:
        with services.database.read() as session:
            sites = sources.scopes(session, question.sites, page_only=question.overrides.only_pages)
            result = replace(result, searched=index_queue.searched(session, question.id, sites, question.langs))
    if result.answer is None:
        return result
    return replace(result, answer=with_age(services, question, result.answer, result.analysis.lang))


def _query(services: Services, question: Question) -> ask.LookupRequest:
    oldest, own, text = answers.oldest_for(question, services.now()), question.overrides, question.text
    wanted = own.answer_language  # without a model it is that of the pages
    any_tags, no_tags = services.read(documents.tags_for, own.filters)
    scope = Scope(
        sites=services.read(sources.scopes, question.sites, page_only=own.only_pages),
        exclude_sites=with_either_scheme(left_out(services, own)),
        langs=(wanted,) if wanted is not None and services.model is None else question.langs,
        published_after=own.published_after,
        published_before=own.published_before,
        read_before=own.read_before,
        kinds=tuple(own.source_kinds),
        any_tags=any_tags,
        no_tags=no_tags,
        private_pages=_private_pages(services, question),
    )
    if oldest is not None:
        confirmed = services.read(pages.confirmed_since, oldest, question.id)
        scope = replace(scope, read_after=oldest, confirmed=tuple(confirmed))
    if own.only_pages:  # a page that is named is no word to search for
        lang = question.lang or detect_language(without_urls(text, " "))
        text = without_urls(text, say("the_page", lang))
    return ask.LookupRequest(
        text=text, lang=question.lang, task=question.strategy, scope=scope, overrides=own, id=question.id
    )


def _private_pages(services: Services, question: Question) -> tuple[int, ...]:
    return tuple(services.read(visibility.private_pages, question.id)) if question.private else ()


def tools_for(services: Services, question: Question) -> ask.Tools:
    """Return the process's tools with what was learned from feedback, bound to this question."""
    tools = replace(services.tools, learned=services.learned.now(), solved=SolvedReader(services.database, question.id))
    if private_pages := _private_pages(services, question):
        tools = replace(tools, graph=GraphReader(services.database, services.passages, private_pages))
    return tools


def with_checked_citations(services: Services, result: LookupResult, filters: Sequence[str] = ()) -> LookupResult:
    """Keep the citations that are verbatim in the stored pages, with their places; without any: no answer.

    What was found in documents whose metadata no longer fits the filters is left out, with an answer that cites one.
    """
    cited = {each.page_id for each in result.answer.citations} if result.answer else set[int]()
    hits = (*result.hits, *result.context, *(hit for each in result.found for hit in each.best))
    known = {hit.passage.page_id for hit in hits} | {fact.page_id for fact in result.facts} | cited
    fit = services.read(documents.fitting, known, filters)
    if fit < known:
        result = _only_of(result, fit)
    if result.answer is None:
        return result
    answer = checked(services, result.answer, result.analysis.lang)
    if answer.citations and cited <= fit:
        return replace(result, answer=answer)
    verdict = replace(result.verdict, sufficient=False, reason=say("none_stands", result.analysis.lang))
    return replace(result, answer=None, verdict=verdict if result.verdict.sufficient else result.verdict)


def _only_of(result: LookupResult, page_ids: set[int]) -> LookupResult:
    def of(hits: Sequence[Hit]) -> tuple[Hit, ...]:
        return tuple(hit for hit in hits if hit.passage.page_id in page_ids)

    return replace(
        result,
        hits=of(result.hits),
        context=of(result.context),
        facts=tuple(fact for fact in result.facts if fact.page_id in page_ids),
        found=tuple(replace(each, best=of(each.best)) for each in result.found),
    )


def with_related(services: Services, result: LookupResult) -> LookupResult:
    """Add what to ask next, from the pages that were near."""
    near = [hit.passage.page_id for hit in result.context]
    headings = services.read(pages.headings, near)
    cited = [citation.page_id for citation in result.answer.citations] if result.answer else []
    related = related_questions(result.analysis, result.context, headings, cited)
    answer = replace(result.answer, related=related) if result.answer else None
    return replace(result, related=related, answer=answer)
