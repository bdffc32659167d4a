"""Chooses pages that may answer: from sites, from links seen before, and from search engines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urljoin

from sqlalchemy.orm import Session

from crawler import urls
from crawler.discovery import frontier
from crawler.discovery.relevance import Similarity
from domain import LIST_KINDS, Candidate, Link, Question, Status
from domain.file import is_file_address
from domain.site import SiteScope, is_under
from pipeline.retrieval.context import crawl_queries
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from store.pages import links, pages
from store.pages.links import KnownLink
from store.questions import answers, state
from store.questions.state import Changes, Move
from store.questions.trace import SeekDetail
from text.terms import rarity
from workers.crawl.search import Searched, queries_for, search_engines
from workers.monitoring import outcomes
from workers.questions.conditions import left_out, recency
from workers.questions.crawl_progress import status_after_reading
from workers.questions.step import Work, note_move, notify_moved
from workers.services import Services
from workers.services.engines import switched_on
from workers.services.outages import recorded

#: sitemaps and feeds read in one wave besides the pages
DISCOVERIES = 3
#: a sitemap or feed is read again after this long, and so is a page that is gone
LISTS_AGAIN = timedelta(hours=24)
ENGINE = "engine:"
#: candidates kept for later waves
FRONTIER = 50


@dataclass(frozen=True, kw_only=True)
class Known:
    """A question's sites and links in SQL, before any search engine is asked."""

    sites: Sequence[SiteScope] = ()
    hosts: Sequence[str] = ()  #: hosts that engines found for this question before
    links: Sequence[KnownLink] = ()
    found: Sequence[Link] = ()  #: links that engines found for this question before
    seen: frozenset[str] = frozenset()
    sitemaps: Sequence[str] = ()  #: the usual addresses of sitemaps, except those read lately
    pages: int = 0  #: pages that the question has read


def seek(services: Services, work: Work) -> None:
    """Choose the next wave of candidates and send their reads."""
    question = work.question
    excluded = left_out(services, question.overrides)
    with services.database.read() as session:
        known = _known(session, question, services.now(), excluded)
    found = _ask_engines(services, question) if question.waves == 0 and not question.sites else Searched()
    most = max(0, min(services.settings.wave_pages, question.budget.pages - known.pages))
    similarity = services.link_vectors.similarity_to(question.text, question.lang)
    wave, later = choose(question, known, _without(found.links, excluded), most=most, similarity=similarity)
    detail = SeekDetail(
        candidates=[candidate.url for candidate in wave],
        pages=sum(candidate.kind == "page" for candidate in wave),
        engines=found.details(),
        cost=found.cost,
        known_links=len(known.links),
    )
    why_none = _why_none(known, services, found)
    move = after_seek(question, chosen=len(wave), why_none=why_none, detail=detail, now=services.now())
    _record(services, work, move, wave, later)


def choose(
    question: Question, known: Known, found: Sequence[Link], *, most: int, similarity: Similarity | None = None
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the next wave with ``most`` pages, best first, and the engines' other candidates for later waves.

    Only links within the sites, or on hosts that engines found, are followed.
    """
    found = (*known.found, *found)
    hosts = (*known.hosts, *(urls.origin(link.url) + "/" for link in found))
    depth = {entry.link.url: entry.depth for entry in known.links}
    links = [*(entry.link for entry in known.links if entry.depth <= question.budget.depth), *found]
    allowed = [
        link
        for link in links
        if link.url.startswith(hosts)
        or any(frontier.belongs(link, site, depth=max(1, depth.get(link.url, 0))) for site in known.sites)
    ]
    ranked = frontier.rank(
        allowed,
        question=question.text,
        lang=question.lang,
        queries=(*question.queries, *question.missing),
        seen=known.seen,
        limit=FRONTIER,
        rarity=partial(rarity, lang=question.lang),
        parents=_parents(known.links),
        similarity=similarity,
    )
    ranked = [replace(candidate, depth=depth.get(candidate.url, 0)) for candidate in ranked]
    usual = [Candidate(url=url, kind="sitemap", origin="seed") for url in known.sitemaps]
    discoveries = [*usual, *(c for c in ranked if c.kind != "page")][:DISCOVERIES]
    readable = [c for c in ranked if c.kind == "page"]
    wanted = _worth(readable, 1 + question.cycle)
    seeds = [c for c in _seeds(known.sites, known.seen) if c.url not in {w.url for w in wanted[:most]}]
    chosen = [*seeds, *wanted][:most]
    later = [candidate for candidate in readable if candidate not in chosen and candidate.origin.startswith(ENGINE)]
    return [*discoveries, *chosen], later


def _worth(ranked: Sequence[Candidate], pages: int) -> list[Candidate]:
    """Return the best candidates, and those of engines.

    What is read ranks the others anew, so the first wave is a single page, and each next one may have one more.
    """
    return [c for at, c in enumerate(ranked) if at < pages or c.origin.startswith(ENGINE)]


def _parents(known: Sequence[KnownLink]) -> dict[str, set[str]]:
    """Return the pages that link to each URL."""
    parents: dict[str, set[str]] = {}
    for entry in known:
        parents.setdefault(entry.link.url, set()).add(entry.from_url)
    return parents


def after_seek(question: Question, *, chosen: int, why_none: str, detail: SeekDetail, now: datetime) -> Move:
    """Read what was chosen; with nothing to read, search a last time."""
    changes = Changes(crawl_started_at=question.crawl_started_at or now, waves=question.waves + 1)
    if chosen:
        return Move(to=Status.READING, outcome="chosen", detail=detail, changes=changes)
    changes = replace(changes, stop_reason=why_none)
    return Move(to=Status.REQUERYING, outcome="nothing to read", detail=detail, changes=changes)


def _without(links: Sequence[Link], excluded: Sequence[str]) -> list[Link]:
    return [link for link in links if not is_under(link.url, excluded)]


def _known(session: Session, question: Question, now: datetime, excluded: Sequence[str]) -> Known:
    named = tuple(site for site in question.sites if not is_file_address(site))
    every = sources.scopes(session, named, page_only=question.overrides.only_pages) or tuple(
        source.scope for source in sources.list_all(session)
    )
    sites = tuple(site for site in every if not is_under(site.starts[0], excluded))
    read_before = candidates.of_question(session, question.id)
    found = [candidate for candidate in candidates.known(session, question.id) if candidate.origin.startswith(ENGINE)]
    engines = [row.url for row in read_before if row.origin.startswith(ENGINE)]
    of_sites = {urls.origin(url) for site in sites for url in site.starts}
    origins = sorted(of_sites | {urls.origin(row.url) for row in read_before})
    seen = tuple(
        entry
        for entry in links.of_sites(session, origins, question_id=question.id)
        if not is_under(entry.link.url, excluded)
    )
    listed = dict.fromkeys(
        urls.origin(url) for site in sites if not (site.is_page or site.page_only) for url in site.starts
    )
    usual = tuple(urljoin(f"{origin}/", "sitemap.xml") for origin in listed)
    lists = [*usual, *(entry.link.url for entry in seen if entry.link.origin in LIST_KINDS)]
    lately = candidates.finished_since(session, lists, now - LISTS_AGAIN, question_id=question.id)
    oldest = answers.oldest_for(question, now)
    read = pages.read_urls(session, origins, since=oldest, gone_since=now - LISTS_AGAIN, question_id=question.id)
    return Known(
        sites=sites,
        hosts=tuple(dict.fromkeys(urls.origin(url) + "/" for url in engines)),
        links=seen,
        found=tuple(_without([Link(url=c.url, text=c.text, origin=c.origin) for c in found], excluded)),
        seen=frozenset(read) | lately | {row.url for row in read_before},
        sitemaps=tuple(url for url in usual if url not in lately),
        pages=candidates.spent(session, question.id, now).pages,
    )


def _ask_engines(services: Services, question: Question) -> Searched:
    texts = crawl_queries(question.text, question.queries or (question.text,), question.missing, question.lang)
    today = services.now().date()
    age = recency(question.overrides, services.now())
    queries = queries_for(texts, lang=question.lang, question=question.text, today=today, recency=age)
    return search_engines(services, queries)


def _seeds(sites: Sequence[SiteScope], seen: frozenset[str]) -> list[Candidate]:
    """Return the front pages of sites that were never read, there or where they redirect."""
    return [Candidate(url=site.starts[0], origin="seed") for site in sites if seen.isdisjoint(site.starts)]


def _why_none(known: Known, services: Services, found: Searched) -> str:
    if not known.sites and not switched_on(services.settings):
        return (
            "no candidate source is configured: add a site with `wellread source add URL`, or set WELLREAD_SEARXNG_URL"
            " or the key of another search engine"
        )
    if found.failures and not known.sites:
        failed = "; ".join(f"{name}: {reason}" for name, reason in found.failures.items())
        return f"no search engine gave a candidate ({failed})"
    return "every page that was found has been tried"


def _record(services: Services, work: Work, move: Move, wave: Sequence[Candidate], later: Sequence[Candidate]) -> None:
    """Store the wave with the question's move in one transaction; then send each read."""
    question = work.question
    stored = recorded(lambda: _store(services, work, move, wave, later))
    if stored is None:
        return
    ids, move = stored
    outcomes.tell(f"{len(ids)} chosen to read" if ids else outcomes.of_move(move))
    note_move(move)
    notify_moved(services, question, move)
    for candidate_id in ids:
        services.dispatcher.send("wellread.read", candidate_id, priority=question.priority)


def _store(
    services: Services, work: Work, move: Move, wave: Sequence[Candidate], later: Sequence[Candidate]
) -> tuple[list[int], Move] | None:
    """Return the wave's candidates and where the question went; None when another process was faster."""
    now, question = services.now(), work.question
    with services.database.write() as session:
        if not state.record(session, work.lease, move, step=work.step, started_at=work.started_at, now=now):
            return None
        ids = candidates.add(session, question.id, wave, wave=question.waves, status=CandidateStatus.WAITING, now=now)
        candidates.add(session, question.id, later, wave=question.waves, status=CandidateStatus.KNOWN, now=now)
        row = state.lock(session, question.id)
        if row is not None and move.to is Status.READING and (onward := status_after_reading(session, question.id)):
            state.advance(session, row, onward, now)  # all chosen candidates were closed before
            move = Move(to=onward, outcome=move.outcome, detail=move.detail)
    return ids, move
