"""How much is kept and how much waits."""

from __future__ import annotations

import redis
from fastapi import APIRouter, Depends
from sqlalchemy import func, select

from api.dependencies import ServicesDep
from api.middleware.auth import Role, require
from api.schemas.records import StatsOut
from domain import Status
from store.crawl import sources
from store.pages import pages
from store.sql.tables import QuestionRow
from workers.queues import QUEUE_NAMES
from workers.services import Services

router = APIRouter(prefix="/api", tags=["health"], dependencies=[Depends(require(Role.ask))])


@router.get("/stats", response_model=StatsOut)
def stats(services: ServicesDep) -> StatsOut:
    """What is kept, by kind, and what stands in each queue."""
    by_status = select(QuestionRow.status, func.count()).group_by(QuestionRow.status)
    with services.database.read() as session:
        held, chosen = pages.count(session), len(sources.list_all(session))
        counted = {Status(status): number for status, number in session.execute(by_status)}
    return StatsOut(pages=held, sources=chosen, questions=counted, queues=_queues(services))


def _queues(services: Services) -> dict[str, int] | None:
    from workers.sweep import queue_length  # it brings the whole crawler along, which this process does not need

    try:
        return {queue: queue_length(services, queue) for queue in QUEUE_NAMES}
    except redis.RedisError:  # /readyz says what to do; what is kept can be told without
        return None
