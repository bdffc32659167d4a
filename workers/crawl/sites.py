"""Reads whole sites: start, pause, resume, cancel, and choose the next page."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar
from urllib.parse import urljoin

from sqlalchemy.orm import Session

from crawler import urls
from crawler.discovery.frontier import MAX_PER_ADDRESS, candidates_of_site
from crawler.read import ReadResult
from crawler.robots import from_response
from domain import Candidate, Link
from domain.site import SiteRead, SiteReadStatus, SiteScope, Source, may_lead
from store.crawl import site_reads, sources
from store.crawl.candidates import CandidateOutcome
from store.crawl.site_reads import SiteReadOver, UnknownSiteRead
from store.pages import links
from store.sql.tables import SiteReadRow
from workers.crawl.claim import Claim
from workers.services import Services

Value = TypeVar("Value")

#: default limits of one site read: pages, and links from the first page
MAX_PAGES, MAX_DEPTH = 10_000, 20

#: why a site read ended
ALL_READ = "every page that was found has been read"
SOME_FAILED = "every page that was found was tried, and {failed:,} of {looked_at:,} could not be read"


def start(
    services: Services, url: str, *, max_pages: int = MAX_PAGES, max_depth: int = MAX_DEPTH, again: bool = True
) -> SiteRead:
    """Start to read a whole site; a site that is being read goes on. Raises BadSite."""
    from workers.questions.submit import check_site

    front = check_site(services, url)
    with services.database.write() as session:
        now, scope, source = services.now(), _scope(session, front, whole=True), sources.at(session, front)
        new = SiteReadRow(
            url=front,
            prefix=scope.sites[-1],
            max_pages=max_pages,
            max_depth=max_depth if source is None or source.depth is None else min(max_depth, source.depth),
            again=again,
        )
        site_read_id, next_reads = _start(session, new, now)
    send_reads(services, next_reads)
    return get(services, site_read_id)


def look_for_new_pages(session: Session, source: Source, now: datetime) -> list[int]:
    """Read a source's front page, sitemaps and feeds, and then its new pages; return the first candidates."""
    new = SiteReadRow(
        url=source.url,
        prefix=source.scope.sites[-1],
        max_pages=MAX_PAGES,
        max_depth=MAX_DEPTH if source.depth is None else source.depth,
        again=False,
        source_id=source.id,
    )
    return _start(session, new, now)[1]


def get(services: Services, site_read_id: int) -> SiteRead:
    """Return how far a site read has come; raises UnknownSiteRead."""
    with services.database.read() as session:
        return _require(site_reads.find(session, site_read_id, services.now()), site_read_id)


def latest(services: Services) -> list[SiteRead]:
    """Return the last site reads, newest first."""
    with services.database.read() as session:
        return site_reads.latest(session, services.now())


def pause(services: Services, site_read_id: int) -> SiteRead:
    """Pause a site read; a page that is being read is finished."""
    return _halt(services, site_read_id, SiteReadStatus.PAUSED)


def cancel(services: Services, site_read_id: int) -> SiteRead:
    """Cancel a site read; its pages stay."""
    return _halt(services, site_read_id, SiteReadStatus.CANCELLED)


def resume(services: Services, site_read_id: int) -> SiteRead:
    """Resume a site read that was paused or cancelled."""
    now, next_reads = services.now(), list[int]()
    with services.database.write() as session:
        row = _require(site_reads.lock(session, site_read_id), site_read_id)
        if row.status == SiteReadStatus.DONE:
            raise SiteReadOver(f"Site read {site_read_id} is done ({row.reason}): start another one.")
        if row.status != SiteReadStatus.RUNNING:
            site_reads.move(row, SiteReadStatus.RUNNING, now)
            next_reads = _go_on(session, row, now, now)
    send_reads(services, next_reads)
    return get(services, site_read_id)


def after_page(
    session: Session,
    claim: Claim,
    outcome: CandidateOutcome,
    reading: ReadResult | None,
    *,
    is_new: bool,
    due_at: datetime,
    now: datetime,
) -> list[int]:
    """Count a page of a site, add its links, and return the next page to read."""
    assert claim.site_read_id is not None
    row = site_reads.lock(session, claim.site_read_id)
    if row is None:
        return []
    if claim.candidate.kind == "page":
        site_reads.count(row, outcome, is_new=is_new)
    if reading is not None:
        scope = _scope_of(session, row)
        own, seen_at = sources.own_scopes(session), reading.url or claim.candidate.url
        shown = [link for link in reading.links if may_lead(own, seen_at, link.url)]
        shown = shown or links.of_page(session, {reading.url, claim.candidate.url})
        if claim.candidate.origin == "seed" and row.prefix != scope.sites[-1]:  # it redirects since
            row.prefix = scope.sites[-1]
            shown += _usual_lists(row.prefix)
        depth = claim.candidate.depth + 1 if claim.candidate.kind == "page" else max(1, claim.candidate.depth)
        _add(session, row, candidates_of_site(shown, scope=scope, depth=depth, max_depth=row.max_depth), now)
    return _go_on(session, row, due_at, now) if row.status == SiteReadStatus.RUNNING else []


def resume_stalled(services: Services) -> None:
    """Resume the running site reads that have no page being read."""
    with services.database.read() as session:
        stuck = site_reads.stalled(session)
    for site_read_id in stuck:
        with services.database.write() as session:
            row = site_reads.lock(session, site_read_id)
            is_running = row is not None and row.status == SiteReadStatus.RUNNING
            next_reads = _go_on(session, row, services.now(), services.now()) if row and is_running else []
        send_reads(services, next_reads)


def send_reads(services: Services, candidate_ids: Sequence[int]) -> None:
    """Send the task that reads each candidate."""
    for candidate_id in candidate_ids:
        services.dispatcher.send("wellread.read", candidate_id)


def _start(session: Session, new: SiteReadRow, now: datetime) -> tuple[int, list[int]]:
    row, is_new = site_reads.start(session, new, now)
    if is_new:
        front = Candidate(url=new.url, score=1.5, origin="seed")
        _add(session, row, [front, *_lists(session, row), *_seen_before(session, row)], now)
    elif row.status == SiteReadStatus.PAUSED:
        site_reads.move(row, SiteReadStatus.RUNNING, now)
    return row.id, _go_on(session, row, now, now)


def _lists(session: Session, row: SiteReadRow) -> Iterable[Candidate]:
    """Return the site's sitemaps and feeds: at the usual address, in robots.txt, and on its pages."""
    scope, found = _scope_of(session, row), list[Link]()
    for origin in dict.fromkeys(urls.origin(url) for url in scope.starts):
        robots = sources.robots(session, origin)
        named = from_response(robots.status, robots.body).sitemaps if robots else ()
        found += [*_usual_lists(origin, named), *links.lists_of(session, origin)]
    return candidates_of_site(found, scope=scope, depth=0, max_depth=0)


def _usual_lists(url: str, named: Sequence[str] = ()) -> list[Link]:
    """Return the sitemap at the usual address of a URL's host, and those that its robots.txt names."""
    found = [urljoin(f"{urls.origin(url)}/", address) for address in ("sitemap.xml", *named[:20])]
    return [Link(url=canonical, origin="sitemap-file") for each in found if (canonical := urls.canonical_or_none(each))]


def _scope(session: Session, url: str, *, whole: bool) -> SiteScope:
    (scope,) = sources.scopes(session, [url], whole=whole)
    return scope


def _scope_of(session: Session, row: SiteReadRow) -> SiteScope:
    """Return what belongs to a site that is read: for a person, all of the folder."""
    return _scope(session, row.url, whole=row.source_id is None)


def _seen_before(session: Session, row: SiteReadRow) -> Iterable[Candidate]:
    """Return the pages that links lead to, as seen since the last read of the site."""
    if row.again:
        return []
    scope = _scope_of(session, row)
    seen = (entry.link for entry in links.of_sites(session, [urls.origin(url) for url in scope.starts]))
    return candidates_of_site(seen, scope=scope, depth=1, max_depth=row.max_depth)


def _add(session: Session, row: SiteReadRow, wanted: Iterable[Candidate], now: datetime) -> None:
    once = {candidate.url: candidate for candidate in wanted}
    site_reads.add(session, row, list(once.values()), most_alike=MAX_PER_ADDRESS, now=now)


def _go_on(session: Session, row: SiteReadRow, due_at: datetime, now: datetime) -> list[int]:
    """Return the next page to read, or end the site read; one page is read at a time."""
    if site_reads.is_being_read(session, row.id):
        return []
    if row.looked_at >= row.max_pages:
        site_reads.move(row, SiteReadStatus.DONE, now, f"the limit of {row.max_pages:,} pages is reached")
        return []
    candidate_id = site_reads.take_next(session, row, due_at)
    if candidate_id is None:
        reason = SOME_FAILED.format(failed=row.failed, looked_at=row.looked_at) if row.failed else ALL_READ
        site_reads.move(row, SiteReadStatus.DONE, now, reason)
        return []
    return [candidate_id]


def _halt(services: Services, site_read_id: int, to: SiteReadStatus) -> SiteRead:
    now = services.now()
    with services.database.write() as session:
        row = _require(site_reads.lock(session, site_read_id), site_read_id)
        if SiteReadStatus(row.status).is_final:
            raise SiteReadOver(f"Site read {site_read_id} has ended already ({row.reason or row.status.lower()}).")
        if row.status != to:
            site_reads.move(row, to, now, "it was cancelled" if to is SiteReadStatus.CANCELLED else None)
            site_reads.put_back(session, site_read_id, now)
    return get(services, site_read_id)


def _require(found: Value | None, site_read_id: int) -> Value:
    if found is None:
        raise UnknownSiteRead(f"There is no site read {site_read_id}: `wellread reads list` shows them.")
    return found
