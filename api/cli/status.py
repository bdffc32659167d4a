"""The facts of `wellread status`: what runs, what is stored, what waits, and the latest questions."""

from collections.abc import Iterator

import redis
from sqlalchemy import func, select

from api.cli.reads import site_read_lines
from api.cli.width import Style, clean, counted, cut, when
from store.crawl import site_reads, sources
from store.pages import pages, refresh_queue
from store.questions import listing
from store.sql.database import check_schema
from store.sql.tables import QuestionRow
from workers.crawl.seek import cooling_engines
from workers.processes.heartbeat import work_queues
from workers.processes.stack import running
from workers.services import Services
from workers.services.web import switched_on

#: questions shown
LATEST = 10


def overview_lines(services: Services, style: Style) -> Iterator[str]:
    """Yield what there is; raises DatabaseError or PassagesError with what to do."""
    check_schema(services.database)
    by_status = select(QuestionRow.status, func.count()).group_by(QuestionRow.status)
    with services.database.read() as session:
        page_count, source_count = pages.count(session), len(sources.list_all(session))
        questions = session.execute(by_status).all()
        latest = listing.latest(session, LATEST)
        reading = [site for site in site_reads.latest(session, services.now()) if not site.status.is_final]
        due = refresh_queue.count(session, services.now())  # up to ten thousand
    passage_count = services.passages.count() if page_count else 0
    if address := running(services.settings):
        flower = f"    Flower: {address.flower_url}" if address.flower_url else ""
        yield f"Wellread runs: {address.api_url} (process {address.pid}){flower}"
    else:
        yield "No stack runs on this data folder: `wellread up` starts one."
    yield ""
    stored = ((page_count, "page"), (passage_count, "passage"), (source_count, "source"))
    yield f"Stored: {', '.join(counted(number, noun) for number, noun in stored)}"
    if due:
        yield f"Due for another check: {counted(due, 'page')}"
    for site in reading:
        yield from site_read_lines(site, style)
    yield from _engine_lines(services, style)
    queues = work_queues(services)
    if queues is not None:
        yield from ("", f"  {'queue':<8}{'workers':>8}{'waiting':>10}")
        yield from (f"  {queue.name:<8}{queue.workers:>8}{queue.waiting:>10}" for queue in queues)
    elif address:
        yield from ("", "Redis does not answer: `wellread doctor` says what to do.")
    if not latest:
        yield from ("", 'No questions yet: `wellread ask "…"`.')
        return
    yield ""
    yield f"Questions: {', '.join(f'{number:,} {status.lower()}' for status, number in sorted(questions))}. The latest:"
    for row in latest:
        asked = clean(row.asked or row.text)
        yield cut(f"  {row.id}  {when(row.created_at)}  {row.status:<10}  {asked}", style.width)


def _engine_lines(services: Services, style: Style) -> Iterator[str]:
    engines = switched_on(services.settings)
    yield f"Search engines: {', '.join(engines) or 'none'}"
    try:
        cooldowns = cooling_engines(services)
    except redis.RedisError:  # the queues show that Redis does not answer
        return
    for name in engines:
        if name in cooldowns and (why := cooldowns[name].reason):
            yield cut(f"  {name} is paused: {clean(why)}", style.width)
