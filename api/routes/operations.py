"""Shows the operator how the deployment fares, which pages are stored, and which could not be read."""

from __future__ import annotations

from typing import Annotated

import redis
from fastapi import APIRouter, Depends, Query

from api.dependencies import ServicesDep
from api.middleware.auth import require
from api.schemas.operations import ListedPage, Operations, UnreadPage, WorkQueue
from domain.access.key import Role
from store.overview import activity
from store.overview import pages as listing
from store.pages import refresh_queue
from workers.queues import QUEUE_NAMES
from workers.services import Services
from workers.services.heartbeat import living_workers

router = APIRouter(prefix="/api", tags=["operations"], dependencies=[Depends(require(Role.operate))])

Text = Annotated[str, Query(max_length=200, description="Only those with this in URL or title.")]
Limit = Annotated[int, Query(ge=1, le=200)]


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


@router.get("/page-list", response_model=list[ListedPage])
def page_list(
    services: ServicesDep,
    text: Text = "",
    before: Annotated[int | None, Query(ge=1, description="Only those with smaller ids: the next part.")] = None,
    limit: Limit = 50,
) -> list[listing.ListedPage]:
    """The stored pages without their texts, newest first: when they are due, and why no answer is drawn from them."""
    with services.database.read() as session:
        return listing.read_pages(session, text=text, before=before, limit=limit)


@router.get("/unread-pages", response_model=list[UnreadPage])
def unread_pages(services: ServicesDep, text: Text = "", limit: Limit = 50) -> list[listing.UnreadPage]:
    """The URLs of which no text is stored, with the reason, latest first."""
    with services.database.read() as session:
        return listing.unread_pages(session, text=text, limit=limit)


def _queues(services: Services) -> list[WorkQueue] | None:
    from workers.sweep import queue_length  # it brings the whole crawler along, which this process does not need

    try:
        alive = living_workers(services)
        return [WorkQueue(name=name, workers=alive[name], waiting=queue_length(services, name)) for name in QUEUE_NAMES]
    except redis.RedisError:  # /readyz says what to do
        return None
