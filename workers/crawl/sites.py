"""Reads whole sites, one page after another, and sources and pages again when they are due.

A person starts, pauses, resumes and cancels the read of a site; a source has a schedule or an interval.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urljoin

import structlog
from sqlalchemy.orm import Session

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.frontier import MAX_PER_ADDRESS, candidates_of_site
from crawler.discovery.schedule import BadSchedule
from crawler.extract.selectors import NONE, Selectors
from crawler.extract.selectors import check as check_selectors
from crawler.fetch.access import SiteAccess
from crawler.read import ReadResult
from crawler.robots import from_response
from domain import Candidate, Link
from domain.file import is_file_address
from domain.site import SiteRead, SiteReadStatus, SiteScope, Source, may_lead
from store.crawl import site_reads, sources
from store.crawl.candidates import CandidateOutcome
from store.crawl.site_reads import SiteReadOver, UnknownSiteRead
from store.pages import links, refresh_queue, visibility
from store.pages.pages import FIRST_INTERVAL_S, PageState
from store.pages.refresh_queue import NEVER
from store.sql.tables import SiteReadRow
from workers.crawl.claim import Claim
from workers.services import Services

log = structlog.get_logger()
Value = TypeVar("Value")

#: default limits of one site read: pages, and links from the first page
MAX_PAGES, MAX_DEPTH = 10_000, 20

#: why a site read ended
ALL_READ = "every page that was found has been read"
SOME_FAILED = "every page that was found was tried, and {failed:,} of {looked_at:,} could not be read"
#: hosts taken in one transaction, and transactions in one run
BATCH, ROUNDS = 10, 20


def start(
    services: Services, url: str, *, max_pages: int = MAX_PAGES, max_depth: int = MAX_DEPTH, again: bool = True
) -> SiteRead:
    """Start to read a whole site; a site that is being read goes on. Raises BadSite."""
    from workers.questions.submit import check_site

    front = check_site(services, url)
    with services.database.write() as session:
        now, source = services.now(), sources.at(session, front)
        (scope,) = sources.scopes(session, [front], whole=True)
        new = SiteReadRow(
            url=front,
            prefix=scope.sites[-1],
            max_pages=max_pages,
            max_depth=max_depth if source is None or source.depth is None else min(max_depth, source.depth),
            again=again,
        )
        site_read_id, next_reads = _start(session, new, now)
    services.dispatcher.send_all("wellread.read", next_reads)
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
    return _require(services.read(site_reads.find, site_read_id, services.now()), site_read_id)


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
    services.dispatcher.send_all("wellread.read", next_reads)
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
    stuck = services.read(site_reads.stalled)
    for site_read_id in stuck:
        with services.database.write() as session:
            row = site_reads.lock(session, site_read_id)
            is_running = row is not None and row.status == SiteReadStatus.RUNNING
            next_reads = _go_on(session, row, services.now(), services.now()) if row and is_running else []
        services.dispatcher.send_all("wellread.read", next_reads)


def _start(session: Session, new: SiteReadRow, now: datetime) -> tuple[int, list[int]]:
    row, is_new = site_reads.start(session, new, now)
    if is_new:
        scope, found = _scope_of(session, row), list[Link]()
        origins = list(dict.fromkeys(urls.origin(url) for url in scope.starts))
        for origin in origins:  # its sitemaps and feeds: at the usual address, in robots.txt, and on its pages
            host = sources.host(session, origin)
            named = from_response(host.robots_status, host.robots).sitemaps if host and host.robots_at else ()
            found += [*_usual_lists(origin, named), *links.lists_of(session, origin)]
        wanted = [Candidate(url=new.url, score=1.5, origin="seed")]
        wanted += candidates_of_site(found, scope=scope, depth=0, max_depth=0)
        if not row.again:  # the pages that links lead to, as seen since the last read of the site
            seen = (entry.link for entry in links.of_sites(session, origins))
            wanted += candidates_of_site(seen, scope=scope, depth=1, max_depth=row.max_depth)
        _add(session, row, wanted, now)
    elif row.status == SiteReadStatus.PAUSED:
        site_reads.move(row, SiteReadStatus.RUNNING, now)
    return row.id, _go_on(session, row, now, now)


def _usual_lists(url: str, named: Sequence[str] = ()) -> list[Link]:
    """Return the sitemap at the usual address of a URL's host, and those that its robots.txt names."""
    found = [urljoin(f"{urls.origin(url)}/", address) for address in ("sitemap.xml", *named[:20])]
    return [Link(url=canonical, origin="sitemap-file") for each in found if (canonical := urls.canonical_or_none(each))]


def _scope_of(session: Session, row: SiteReadRow) -> SiteScope:
    """Return what belongs to a site that is read: for a person, all of the folder."""
    (scope,) = sources.scopes(session, [row.url], whole=row.source_id is None)
    return scope


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


def halt(services: Services, site_read_id: int, to: SiteReadStatus) -> SiteRead:
    """Pause or cancel a site read: a page that is being read is finished, and its pages stay."""
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


def refresh(services: Services) -> int:
    """Read the sources that are due, and the first due page of each host; return the number of those hosts.

    Reading a host's page sends the read of its next one.
    """
    read_due_sources(services)
    started = 0
    for _ in range(ROUNDS):
        ids = services.write(refresh_queue.start_hosts, services.now(), BATCH)
        services.dispatcher.send_all("wellread.read", ids)
        started += len(ids)
        if len(ids) < BATCH:
            break
    return started


def due_at(known: Sequence[Source], url: str, now: datetime) -> datetime | None:
    """Return when a schedule next covers the page; None where no schedule does.

    A file is read when it changes; what a paused source covers, when it is resumed.
    """
    if is_file_address(url):
        return now + NEVER
    source = _covering(known, url)
    if source is None or source.paused:
        return now + NEVER if source else None
    return source.next_due if source.next_due and source.next_due > now else _next(source, now)


def confirmed_from(known: Sequence[Source], page: PageState, url: str) -> datetime | None:
    """Return from when on a second look confirms what the first one found instead of a page: one interval later.

    That is the source's interval, without a schedule the page's own up to a day; and an hour at least. None if there
    was no first look.
    """
    if page.missed_at is None:
        return None
    source = _covering(known, url)
    own = page.missed_at + timedelta(seconds=min(page.interval_s, FIRST_INTERVAL_S))
    again = _next(source, page.missed_at) if source else None
    return max(again or own, page.missed_at + timedelta(hours=1))


def change(services: Services, source_id: int, changes: Mapping[str, Any]) -> Source | None:
    """Change some of ``sources.SETTINGS`` and ``every``, ``cron`` and ``zone`` of a source; the others stay.

    Without a schedule its pages are read once more when planned, and then by their own intervals. While it is paused,
    nothing of it is read by itself. Returns None if there is no such source. Raises BadSchedule, BadAccess,
    BadSelector or NotYourOwn; nothing changes then.
    """
    from workers.questions.callbacks import check_callback

    schedule_changes = {name: changes[name] for name in ("every", "cron", "zone") if name in changes}
    if changes.get("callback_url"):
        changes = {**changes, "callback_url": check_callback(services, changes["callback_url"], of_question=False)}
    check_selectors((*changes.get("select", ()), *changes.get("drop", ())))
    with services.database.write() as session:
        before = sources.find(session, source_id, lock=True)
        if before is None:
            return None
        source, now = sources.change(session, source_id, changes), services.now()
        if changes.get("access"):
            SiteAccess.of(source.own_scope, sources.secrets(session).get(source_id, {})).check()
        if schedule_changes:
            source = sources.set_schedule(session, source_id, schedule.update(source.schedule, schedule_changes))
        if schedule_changes or source.paused != before.paused:
            source = _plan(session, source, now, resumed=before.paused and not source.paused)
        shared = visibility.share_site(session, source.own_scope, now) if source.own_scope != before.own_scope else []
    services.dispatcher.send_all("wellread.embed", shared)
    return source


def read_due_sources(services: Services) -> int:
    """Look for new pages at the sources that are due; return how many are due."""
    waiting = services.read(sources.due, services.now())
    for source in waiting:
        with services.database.write() as session:
            now = services.now()
            again = _next(source, now)
            if not sources.take_due(session, source.id, now, again):
                continue
            refresh_queue.postpone(session, source.url, again)  # the look reads the front page
            candidate_ids = look_for_new_pages(session, source, now)
        services.dispatcher.send_all("wellread.read", candidate_ids)
    return len(waiting)


def _plan(session: Session, source: Source, now: datetime, *, resumed: bool) -> Source:
    """Plan when a source is due next, and its pages with it; those of a source below it that is not paused stay."""
    moment = _next(source, now)
    due = now + NEVER if source.paused else moment or (now if resumed else None)
    if due is not None:
        _plan_pages(session, source, due)
    if source.paused or resumed:
        for other in sources.list_all(session):
            if other.id != source.id and other.next_due and source.own_scope.covers(other.url):
                _plan_pages(session, other, other.next_due)
    return sources.plan(session, source.id, moment)


def _plan_pages(session: Session, source: Source, due: datetime) -> None:
    known = [other for other in sources.list_all(session) if other.id != source.id]
    for host in {urls.origin(each) for each in source.scope.sites}:
        others = [other.own_scope for other in known if urls.site(other.url) == urls.site(host)]
        refresh_queue.plan(session, host, source, due, others)


def _covering(known: Sequence[Source], url: str) -> Source | None:
    """Return the narrowest source with a schedule, or paused, that covers the page: at its own address if any does."""
    own = [each for each in known if each.own_scope.covers(url)]
    covering = own or [each for each in known if each.scope.covers(url)]
    kept = [source for source in covering if source.schedule or source.paused]
    return max(kept, key=lambda source: source.scope.narrowness(url), default=None)


def selectors_of(known: Sequence[Source], url: str) -> Selectors:
    """Return what counts as a page's content: of the sources with selectors, the narrowest that covers it says so."""
    named = [source for source in known if (source.select or source.drop) and source.scope.covers(url)]
    nearest = max(named, key=lambda source: source.scope.narrowness(url), default=None)
    return Selectors(select=nearest.select, drop=nearest.drop) if nearest else NONE


def _next(source: Source, now: datetime) -> datetime | None:
    if source.schedule is None or source.paused:
        return None
    try:
        return schedule.next_after(source.schedule, now)
    except BadSchedule as error:  # it was valid when it was saved: the machine has lost its time zones
        log.error("schedule_unusable", source=source.url, error=str(error))
        return None
