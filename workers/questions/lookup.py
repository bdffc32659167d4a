"""Searches the knowledge base for a question; an answer keeps only citations that are verbatim in the stored pages."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import structlog

from crawler.extract.chunk import passages_of
from domain import Question, Scope, Variant
from domain.answer import ABSTENTION
from domain.file import is_file_address
from pipeline import ask
from pipeline.answering.citations import check
from pipeline.answering.compose import answer_from, topic_of
from pipeline.answering.related import related_questions
from pipeline.ask import LookupResult
from pipeline.phrases import say
from store.crawl import sources
from store.graph import GraphReader
from store.pages import index_queue, pages, visibility
from store.questions import answers, records
from store.questions.feedback import SolvedReader
from text.language import detect_language
from text.urls import without_urls
from workers.questions import publishing
from workers.questions.conditions import left_out
from workers.questions.transitions import Earlier, earned
from workers.services import Services

log = structlog.get_logger()


def first_pass(services: Services, question: Question) -> LookupResult:
    """Phase 1: search for the question as it was asked."""
    if whole := _of_pages(services, question):
        return whole
    found = ask.first_pass(_query(services, question), tools_for(services, question), variants_of_model(question))
    return _finish(services, question, found)


def first_pass_alone(services: Services, question: Question) -> LookupResult:
    """Search for the question as it was asked, with nothing beside the answer."""
    return with_checked_citations(services, ask.first_pass(_query(services, question), tools_for(services, question)))


def second_pass(services: Services, question: Question) -> LookupResult:
    """Phase 2: search in other words, for more hits."""
    if whole := _of_pages(services, question):
        return whole
    variants = variants_of_model(question) or None
    return _finish(
        services, question, ask.second_pass(_query(services, question), tools_for(services, question), variants)
    )


def final_pass(services: Services, question: Question) -> LookupResult:
    """Phase 4: search again after reading the web."""
    if whole := _of_pages(services, question):
        return whole
    tools = tools_for(services, question)
    return _finish(services, question, ask.final_pass(_query(services, question), question.variants, tools))


def variants_of_model(question: Question) -> tuple[Variant, ...] | None:
    """Return the variants that a model was just asked for, none if it failed; None if it was not asked."""
    return question.variants if question.draft.get("ask") == "variants" else None


def earlier_answer(services: Services, question: Question) -> Earlier | None:
    """Return the provisional answer of the question's earlier passes, where it still stands in its pages.

    None if a model has read them and found no answer.
    """
    if question.draft.get("read"):
        return None
    with services.database.read() as session:
        stored = records.provisional(session, question.id)
        if stored is None or stored[0].composer == ABSTENTION:
            return None
        answer, verdict, context = stored
        known = pages.read(session, {citation.page_id for citation in answer.citations}, question.id)
    texts = {page_id: page.text for page_id, page in known.items()}
    answer = check(answer, texts.get, lang=question.lang or detect_language(question.text))
    return Earlier(answer=answer, verdict=verdict, context=context) if answer.citations else None


def learn(services: Services, result: LookupResult) -> None:
    """Count which kinds of variant earned a citation of a sufficient answer."""
    services.variants.learn(result.analysis.question_type, earned(result))


def with_either_scheme(sites: Sequence[str]) -> tuple[str, ...]:
    """Return the sites with http and with https, as one may redirect to the other; folders of files as they are."""
    files = [site for site in sites if is_file_address(site)]
    bare = dict.fromkeys(site.partition("://")[2] for site in sites if not is_file_address(site))
    return (*files, *(f"{scheme}://{rest}" for rest in bare for scheme in ("http", "https")))


def _of_pages(services: Services, question: Question) -> LookupResult | None:
    """Return the answer to what is asked of the named pages as a whole; None for any other question, or without it."""
    topic = topic_of(question.text) if question.overrides.only_pages else None
    if topic is None:
        return None
    with services.database.read() as session:
        known = pages.read_at(session, sources.scopes(session, question.sites, page_only=True), question.id)
    in_order = [passages_of(page) for page in known]
    passages = [passage for of_page in in_order for passage in of_page]
    answer = answer_from(in_order, topic, question.overrides.length)
    if answer is None:
        return None
    found = ask.without_search(_query(services, question), passages, answer)
    return _finish(services, question, found)


def _query(services: Services, question: Question) -> ask.Query:
    oldest, own = answers.oldest_for(question, services.now()), question.overrides
    with services.database.read() as session:
        sites = sources.scopes(session, question.sites, page_only=own.only_pages)
    scope = Scope(
        sites=sites,
        exclude_sites=with_either_scheme(left_out(services, own)),
        langs=_langs(services, question),
        published_after=own.published_after,
        private_pages=_private_pages(services, question),
    )
    if oldest is not None:
        with services.database.read() as session:
            confirmed = pages.confirmed_since(session, oldest, question.id)
        scope = replace(scope, read_after=oldest, confirmed=tuple(confirmed))
    return ask.Query(
        text=_in_words(question),
        lang=question.lang,
        task=question.strategy,
        scope=scope,
        overrides=question.overrides,
        id=question.id,
    )


def _in_words(question: Question) -> str:
    """Return what to search for: a page that is named is no word."""
    if not question.overrides.only_pages:
        return question.text
    lang = question.lang or detect_language(without_urls(question.text, " "))
    return without_urls(question.text, say("the_page", lang))


def _langs(services: Services, question: Question) -> tuple[str, ...]:
    """Return the languages of the pages that may answer: without a model, those that answers are to be in."""
    wanted = question.overrides.answer_language
    return question.langs if wanted is None or services.model is not None else (wanted,)


def _private_pages(services: Services, question: Question) -> tuple[int, ...]:
    if not question.private:
        return ()
    with services.database.read() as session:
        return tuple(visibility.private_pages(session, question.id))


def tools_for(services: Services, question: Question) -> ask.Tools:
    """Return the process's tools with what was learned from feedback, bound to this question."""
    tools = replace(
        services.tools,
        learned=services.learned.now(),
        solved=SolvedReader(services.database, question.id),
    )
    if private_pages := _private_pages(services, question):
        tools = replace(tools, graph=GraphReader(services.database, services.passages, private_pages))
    return tools


def _finish(services: Services, question: Question, result: LookupResult) -> LookupResult:
    """Check the citations, and add a notice if pages are older than the question allows; log the figures."""
    result = with_related(services, with_checked_citations(services, result))
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
            searched = index_queue.searched(session, question.id, sites, question.langs)
        result = replace(result, searched=searched)
    if result.answer is None:
        return result
    return replace(result, answer=publishing.with_age(services, question, result.answer, result.analysis.lang))


def with_checked_citations(services: Services, result: LookupResult) -> LookupResult:
    """Keep the citations that are verbatim in the stored pages, with where they stand; without any: no answer."""
    if result.answer is None:
        return result
    answer = publishing.checked(services, result.answer, result.analysis.lang)
    if answer.citations:
        return replace(result, answer=answer)
    verdict = replace(result.verdict, sufficient=False, reason=say("none_stands", result.analysis.lang))
    return replace(result, answer=None, verdict=verdict if result.verdict.sufficient else result.verdict)


def with_related(services: Services, result: LookupResult) -> LookupResult:
    """Add what to ask next, from the pages that were near."""
    near = [hit.passage.page_id for hit in result.context]
    with services.database.read() as session:
        headings = pages.headings(session, near)
    cited = [citation.page_id for citation in result.answer.citations] if result.answer else []
    related = related_questions(result.analysis, result.context, headings, cited)
    answer = replace(result.answer, related=related) if result.answer else None
    return replace(result, related=related, answer=answer)
