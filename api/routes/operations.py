"""Shows the operator how the deployment fares."""

from __future__ import annotations

import redis
from fastapi import APIRouter, Depends

from api.dependencies import ServicesDep
from api.middleware.auth import require
from api.schemas.operations import Operations, WorkQueue
from domain.access.key import Role
from store.overview import activity
from store.pages import refresh_queue
from workers.processes.heartbeat import living_workers
from workers.queues import QUEUE_NAMES
from workers.services import Services

router = APIRouter(prefix="/api", tags=["operations"], dependencies=[Depends(require(Role.operate))])


@router.get("/operations")
def operations(services: ServicesDep) -> Operations:
    """What works, what waits and what failed; the last day's questions by the hour, and what was spent."""
    now = services.now()
    with services.database.read() as session:
        return Operations(
            queues=_queues(services),
            dead=list(activity.dead_questions(session)),
            hours=list(activity.by_hour(session, now)),
            spent=list(activity.spent_by_day(session, now)),
            due=refresh_queue.count(session, now),
            failed_callbacks=activity.failed_callbacks(session),
        )


def _queues(services: Services) -> list[WorkQueue] | None:
    from workers.upkeep.sweep import queue_length  # it brings the whole crawler along, which this process does not need

    try:
        alive = living_workers(services)
        return [WorkQueue(name=name, workers=alive[name], waiting=queue_length(services, name)) for name in QUEUE_NAMES]
    except redis.RedisError:  # /readyz says what to do
        return None
