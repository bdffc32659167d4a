"""Shows the operator how the deployment fares."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.dependencies import ServicesDep
from api.middleware.auth import require
from api.schemas.records import Operations
from domain.access.key import Role
from store import activity
from store.pages import refresh_queue
from workers.processes.heartbeat import work_queues

router = APIRouter(prefix="/api", tags=["operations"], dependencies=[Depends(require(Role.operate))])


@router.get("/operations")
def operations(services: ServicesDep) -> Operations:
    """Workers, queues and failures; the last day's questions by the hour, and costs."""
    now = services.now()
    with services.database.read() as session:
        return Operations(
            queues=work_queues(services),
            dead=list(activity.dead_questions(session)),
            hours=list(activity.by_hour(session, now)),
            spent=list(activity.spent_by_day(session, now)),
            due=refresh_queue.count(session, now),
            failed_callbacks=activity.failed_callbacks(session),
        )
