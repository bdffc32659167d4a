"""Searches the knowledge base for passages, without an answer: the retrieval of phase 1, with filters."""

from crawler import urls
from domain import Hit, Scope
from domain.options import SearchRequest
from domain.record import FoundPassage
from pipeline.question.analysis import analyse_question
from store import documents
from store.crawl import sources
from store.pages import pages
from store.sql.rows import to_value
from workers.questions.conditions import clean_sites, left_out, with_either_scheme
from workers.questions.submit import BadSite
from workers.services import Services

#: hits among which passages that hold a kind of part are looked for
_DEPTH_BY_KIND = 300


def search(services: Services, query: SearchRequest, *, confirmed: bool = True) -> list[FoundPassage]:
    """Return the best passages, best first; ``confirmed``: what was seen unchanged after ``read_after`` counts as read.

    Raises QuestionError, BadSite, UnknownField, RangeTooWide or PassagesError.
    """
    from pipeline.retrieval.retrieve import retrieve  # not needed for the start of the API

    analysis, tools = analyse_question(query.query, query.lang), services.tools
    try:
        sites = [urls.typed(site) for site in query.sites]
    except urls.BadUrl as error:
        raise BadSite(str(error)) from error
    with services.database.read() as session:
        documents.check_fields(session, query.filters)
        any_tags, no_tags = documents.tags_for(session, query.filters)
        scope = Scope(
            sites=sources.scopes(session, sites),
            exclude_sites=with_either_scheme((*left_out(services), *clean_sites(query.exclude_sites))),
            langs=tuple(query.langs),
            published_after=query.published_after,
            published_before=query.published_before,
            read_before=query.read_before,
            kinds=tuple(query.source_kinds),
            any_tags=any_tags,
            no_tags=no_tags,
            read_after=query.read_after,
            confirmed=tuple(pages.confirmed_since(session, query.read_after)) if query.read_after and confirmed else (),
        )
    hits, _ = retrieve(
        [analysis.text],
        tools.embedder.embed([analysis.text]),
        search=tools.search,
        pool=tools.pool,
        k=_DEPTH_BY_KIND if query.kinds else query.limit,
        scope=scope,
        lang=analysis.lang,
        embedder_id=tools.embedder.id,
        ranking=tools.ranking,
    )
    of_kinds = [hit for hit in hits if not query.kinds or any(b.kind in query.kinds for b in hit.passage.blocks)]
    fit = services.read(documents.fitting, {hit.passage.page_id for hit in of_kinds}, query.filters)
    of_kinds = [hit for hit in of_kinds if hit.passage.page_id in fit]
    return [_found(hit, rank) for rank, hit in enumerate(of_kinds[: query.limit], start=1)]


def _found(hit: Hit, rank: int) -> FoundPassage:
    kinds = tuple(dict.fromkeys(block.kind for block in hit.passage.blocks))
    found = {"rank": rank, "score": hit.score, "similarity": hit.similarity, "kinds": kinds}
    return to_value(FoundPassage, hit.passage, passage_id=hit.passage.id, **found)
