"""Collects the facts for `wellread status`: what is stored, what waits, and who works on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import redis
from sqlalchemy import func, select

from domain import Status
from domain.site import SiteRead
from store.crawl import site_reads, sources
from store.pages import pages, refresh_queue
from store.questions import records
from store.sql.database import check_schema
from store.sql.tables import QuestionRow
from workers.crawl.search import cooling_engines
from workers.processes.heartbeat import WorkQueue, work_queues
from workers.processes.stack import Address, running
from workers.services import Services
from workers.services.engines import switched_on

#: questions shown
LATEST = 10


@dataclass(frozen=True, kw_only=True)
class RecentQuestion:
    """One of the latest questions."""

    id: str
    question: str
    status: Status
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Everything that `wellread status` shows."""

    address: Address | None  #: None where no stack runs on the data folder
    queues: list[WorkQueue] | None  #: None while Redis does not answer
    pages: int
    passages: int
    sources: int
    engines: Mapping[str, str]  #: the enabled ones, each with the reason for its cooldown, "" where it has none
    questions: Mapping[Status, int]
    latest: tuple[RecentQuestion, ...]  #: newest first
    whole_sites: tuple[SiteRead, ...] = ()  #: being read, or paused
    due: int = 0  #: pages due for another check, counted up to ten thousand


def overview(services: Services) -> Overview:
    """Collect all facts once; raises DatabaseError or PassagesError with what to do."""
    check_schema(services.database)
    by_status = select(QuestionRow.status, func.count()).group_by(QuestionRow.status)
    with services.database.read() as session:
        page_count = pages.count(session)
        questions = {Status(status): number for status, number in session.execute(by_status)}
        latest = tuple(
            RecentQuestion(
                id=row.id, question=row.asked or row.text, status=Status(row.status), created_at=row.created_at
            )
            for row in records.latest(session, LATEST)
        )
        source_count = len(sources.list_all(session))
        reading = [site for site in site_reads.latest(session, services.now()) if not site.status.is_final]
        waiting = refresh_queue.count(session, services.now())
    return Overview(
        address=running(services.settings),
        queues=work_queues(services),
        pages=page_count,
        passages=services.passages.count() if page_count else 0,
        sources=source_count,
        engines=_engines(services),
        questions=questions,
        latest=latest,
        whole_sites=tuple(reading),
        due=waiting,
    )


def _engines(services: Services) -> dict[str, str]:
    try:
        cooldowns = cooling_engines(services)
    except redis.RedisError:  # the queues show that Redis does not answer
        cooldowns = {}
    return {name: cooldowns[name].reason if name in cooldowns else "" for name in switched_on(services.settings)}
