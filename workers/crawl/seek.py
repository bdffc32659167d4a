"""Chooses pages that may answer: from sites, from links seen before, and from search engines.

Engines that are cooling down are not asked; which of them failed is shared with every worker.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urljoin

import redis
import structlog
from sqlalchemy.orm import Session

from crawler import urls
from crawler.discovery import frontier
from crawler.discovery.relevance import Similarity
from crawler.search.engine import DAYS, EngineError, Query, Recency, meaning_of, requested_recency
from crawler.search.search_all import SearchResults, search_all
from domain import LIST_KINDS, Candidate, Cost, Link, Question, Status
from domain.file import is_file_address
from domain.options import Overrides
from domain.site import SiteScope, is_under
from pipeline.retrieval.context import crawl_queries
from store.crawl import candidates, sources
from store.crawl.candidates import CandidateStatus
from store.ephemeral.slots import Cooldown
from store.pages import links, pages
from store.pages.links import KnownLink
from store.questions import answers, state
from store.questions.state import Changes, Move
from store.questions.trace import SeekDetail
from text.terms import rarity
from workers import monitoring
from workers.questions.conditions import left_out, move_on
from workers.questions.step import Work, notify_moved
from workers.services import Services
from workers.services.interruptions import recorded
from workers.services.web import account_ids, switched_on

#: sitemaps and feeds read in one wave besides the pages
DISCOVERIES = 3
#: a sitemap or feed is read again after this long, and so is a page that is gone
LISTS_AGAIN = timedelta(hours=24)
ENGINE = "engine:"
#: candidates kept for later waves
FRONTIER = 50
#: results per engine and query
LIMIT = 10
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class EngineResults:
    """The links that engines found; ``cooling`` names the engines that were not asked."""

    found: SearchResults = field(default_factory=SearchResults)
    cooling: Mapping[str, Cooldown] = field(default_factory=dict)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links, best first."""
        return self.found.links

    @property
    def failures(self) -> Mapping[str, str]:
        """Why engines gave nothing or less than they could, by name; what another question asked is not repeated."""
        cooling = {
            name: f"not asked for {cooldown.left_s:.0f} s, since it failed before ({meaning_of(cooldown.kind)})"
            for name, cooldown in self.cooling.items()
        }
        return {**self.found.failures, **cooling}

    @property
    def cost(self) -> Cost:
        """The money paid to a model's API."""
        return sum((asked.cost for asked in self.found.outcomes), Cost())

    def details(self) -> dict[str, dict[str, Any]]:
        """Return what the question's trace stores of each engine."""
        asked = {
            reply.engine: {
                "queries": reply.queries,
                "links": reply.links,
                "seconds": round(reply.elapsed_s, 3),
                "error": str(reply.error) if reply.error else None,
            }
            for reply in self.found.outcomes
        }
        cooling = {
            name: {
                "resting_s": round(cooldown.left_s),
                "error": self.failures[name],
                "kind": cooldown.kind,
                "failures": cooldown.failures,
            }
            for name, cooldown in self.cooling.items()
        }
        return {**asked, **cooling}


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
    known = services.read(_known, question, services.now(), excluded)
    found = EngineResults()
    if question.waves == 0 and not question.sites:
        texts = crawl_queries(question.text, question.queries or (question.text,), question.missing, question.lang)
        today, span = services.now().date(), recency(question.overrides, services.now())
        queries = queries_for(texts, lang=question.lang, question=question.text, today=today, recency=span)
        found = search_engines(services, queries)
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
    parents = defaultdict[str, set[str]](set)
    for entry in known.links:
        parents[entry.link.url].add(entry.from_url)
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
        parents=parents,
        similarity=similarity,
    )
    ranked = [replace(candidate, depth=depth.get(candidate.url, 0)) for candidate in ranked]
    usual = [Candidate(url=url, kind="sitemap", origin="seed") for url in known.sitemaps]
    discoveries = [*usual, *(c for c in ranked if c.kind != "page")][:DISCOVERIES]
    readable = [c for c in ranked if c.kind == "page"]
    # what is read ranks the others anew, so the first wave is a single page, and each next one may have one more
    wanted = [c for at, c in enumerate(readable) if at <= question.cycle or c.origin.startswith(ENGINE)]
    best = {c.url for c in wanted[:most]}
    fronts = [site.starts[0] for site in known.sites if known.seen.isdisjoint(site.starts)]  # never read, nor moved to
    chosen = [*(Candidate(url=url, origin="seed") for url in fronts if url not in best), *wanted][:most]
    later = [candidate for candidate in readable if candidate not in chosen and candidate.origin.startswith(ENGINE)]
    return [*discoveries, *chosen], later


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
        pages=candidates.used_so_far(session, question.id, now).pages,
    )


def _why_none(known: Known, services: Services, found: EngineResults) -> str:
    if not known.sites and not switched_on(services.settings):
        egress = services.settings.egress
        engine = (
            " or the key of another search engine" if egress == "all" else f", which WELLREAD_EGRESS={egress} forbids"
        )
        return (
            "no candidate source is configured: add a site with `wellread source add URL`, or set WELLREAD_SEARXNG_URL"
            f"{engine}"
        )
    if found.failures and not known.sites:
        failed = "; ".join(f"{name}: {reason}" for name, reason in found.failures.items())
        return f"no search engine gave a candidate ({failed})"
    return "every page that was found has been tried"


def _record(services: Services, work: Work, move: Move, wave: Sequence[Candidate], later: Sequence[Candidate]) -> None:
    """Store the wave with the question's move in one transaction, unless another process was faster; send each read."""
    question = work.question

    def store() -> tuple[list[int], Move] | None:
        now = services.now()
        with services.database.write() as session:
            if not state.record(session, work.lease, move, step=work.step, started_at=work.started_at, now=now):
                return None
            ids = candidates.add(
                session, question.id, wave, wave=question.waves, status=CandidateStatus.WAITING, now=now
            )
            candidates.add(session, question.id, later, wave=question.waves, status=CandidateStatus.KNOWN, now=now)
            row = state.lock(session, question.id) if move.to is Status.READING else None
            onward = move_on(session, row, now) if row is not None else None
            if onward is None:
                return ids, move
            return ids, Move(to=onward, outcome=move.outcome, detail=move.detail)  # all were closed before

    if (stored := recorded(store)) is None:
        return
    ids, went = stored
    monitoring.report_move(went, f"{len(ids)} chosen to read" if ids else "")
    notify_moved(services, question, went)
    services.dispatcher.send_all("wellread.read", ids, priority=question.priority, owner=question.owner)


def recency(own: Overrides, now: datetime) -> Recency | None:
    """Return the smallest span that engines know and that reaches back far enough; None: none does, or none must."""
    since = own.published_after
    if since is None:
        return None
    return next((span for span, days in DAYS.items() if (now - since).days < days), None)


def queries_for(
    texts: Sequence[str], *, lang: str, question: str, today: date, recency: Recency | None = None
) -> tuple[Query, ...]:
    """Return a query for each text; if the question's words want recent pages, also the first text of any age.

    With ``recency``, only pages of that age are asked for.
    """
    if recency is not None:
        return tuple(Query(text=text, lang=lang, recency=recency, today=today) for text in texts)
    recency = requested_recency(question)
    queries = [Query(text=text, lang=lang, recency=recency, today=today) for text in texts]
    any_age = [Query(text=text, lang=lang, today=today) for text in texts[:1]] if recency else []
    return (*any_age, *queries)


def search_engines(services: Services, queries: Sequence[Query]) -> EngineResults:
    """Ask every engine that is on and not cooling down."""
    accounts = {account.engine.name: account for account in services.engines}
    try:
        cooling = cooling_engines(services)
    except redis.RedisError as error:  # cooldowns are advice: without them all engines are asked
        log.warning("engine_cooldowns_not_read", error=str(error))
        cooling = {}
    engines = [account.engine for name, account in accounts.items() if name not in cooling]
    found = services.wait_for(search_all(engines, queries, limit=LIMIT)) if engines else SearchResults()
    for asked in found.outcomes:
        _remember(services, asked.engine, accounts[asked.engine].id, asked.error)
    return EngineResults(found=found, cooling=cooling)


def cooling_engines(services: Services) -> dict[str, Cooldown]:
    """Return the engines that are on and cooling down, by name; raises redis.RedisError."""
    ids = account_ids(services.settings)
    cooldowns = services.engine_cooldowns.cooling(list(ids.values()), now=services.now().timestamp())
    return {name: cooldowns[id_] for name, id_ in ids.items() if id_ in cooldowns}


def _remember(services: Services, name: str, account: str, error: EngineError | None) -> None:
    """Start an engine's cooldown after a failure, and end it when the engine answers."""
    try:
        if error is None:
            if services.engine_cooldowns.answered([account]):
                log.info("engine_back", engine=name)
            return
        # the message is for operators, in the trace and from `doctor`: it may repeat a query, so no log holds it
        kind = type(error).__name__
        cooldown_s = 0.0
        if error.cooldown_s:
            cooldown_s = services.engine_cooldowns.failed(
                account,
                reason=str(error),
                kind=kind,
                first_s=error.cooldown_s,
                longest_s=error.max_cooldown_s,
                asked_s=error.retry_after_s or 0.0,
                now=services.now().timestamp(),
            )
        log.warning("engine_failed", engine=name, kind=kind, cooldown_s=round(cooldown_s))
    except redis.RedisError as failure:
        log.warning("engine_cooldown_not_saved", engine=name, error=str(failure))
