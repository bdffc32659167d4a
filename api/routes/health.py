"""Shows whether the process lives, whether questions can be answered, and how the deployment works."""

import os
from collections.abc import Callable

import redis
from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from sqlalchemy import func, select

from api.dependencies import MainDep, ServicesDep
from api.middleware.auth import ASK, OPERATE, CallerDep, look_up, require
from api.operations import resources
from api.operations.resources import Diagnosis
from api.schemas.responses import CheckOut, Operations, Readiness, StatsOut
from domain import Status
from domain.access import Role
from domain.errors import WellreadError
from store import activity
from store.crawl import sources
from store.pages import pages, refresh_queue
from store.passages.errors import PassagesLost
from store.sql.database import check_schema
from store.sql.tables import QuestionRow
from workers.processes.heartbeat import work_queues
from workers.services import Services, completeness
from workers.services.web import switched_on

router = APIRouter(tags=["health"])
operations_router = APIRouter(prefix="/api", tags=["operations"], dependencies=OPERATE)


@router.get("/api/stats", dependencies=ASK)
def stats(services: ServicesDep, who: CallerDep) -> StatsOut:
    """The contents of a collection, counts of the key's questions, and the queues.

    The queues serve all collections: a key that is bound to some is not told.
    """
    by_status = select(QuestionRow.status, func.count()).group_by(QuestionRow.status)
    if who.restricted_to is not None:
        by_status = by_status.where(QuestionRow.owner == who.restricted_to)
    with services.database.read() as session:
        page_count, source_count = pages.count(session), len(sources.list_all(session))
        questions = {Status(status): number for status, number in session.execute(by_status)}
    queues = work_queues(services) if who.collections is None else None
    return StatsOut(
        pages=page_count,
        sources=source_count,
        questions=questions,
        queues=None if queues is None else {queue.name: queue.waiting for queue in queues},
        engines=list(switched_on(services.settings)),
    )


@router.get("/healthz")
def healthz() -> dict[str, str]:
    """This process answers."""
    return {"status": "alive"}


@router.get("/readyz", responses={503: {"model": Readiness}})
async def readyz(services: MainDep, request: Request, response: Response) -> Readiness:
    """Every part that must work; 503 if questions need one that does not.

    Details, and the fix if one is missing, are for keys with the role operate, or everyone where no key is needed.
    """
    try:
        sees_details = (await look_up(request.scope, request.app.state.keys)).role >= Role.operate
    except WellreadError:  # no key, a wrong one, or one that is in the database that is away
        sees_details = False
    checks = await to_thread.run_sync(_checks, services)
    if not sees_details:
        checks = [check.model_copy(update={"detail": "", "what_to_do": ""}) for check in checks]
    ready = all(check.ok or not check.needed for check in checks)
    response.status_code = 200 if ready else 503
    return Readiness(ready=ready, checks=checks)


def _checks(services: Services) -> list[CheckOut]:
    checks: dict[str, Callable[[], Diagnosis]] = {
        "database": lambda: _database(services),
        "knowledge base": lambda: _knowledge_base(services),
        "disk": lambda: resources.disk(services.settings.data_dir),
        "descriptors": lambda: resources.descriptors([os.getpid()]),
        "redis": lambda: resources.memory(services.redis),
        "workers": lambda: resources.workers(services),
        "writers": lambda: resources.writers(services),
        "beat": lambda: resources.beats(services),
        "egress": lambda: resources.egress(services),
    }
    if services.settings.events_redis_url:
        checks["events"] = lambda: resources.memory(services.events_redis)
    found: list[CheckOut] = []
    for name, look in checks.items():
        try:
            seen = look()
        except redis.RedisError:
            seen = Diagnosis("wrong", "Redis does not answer", "Start it, or run `wellread doctor`.")
        found.append(
            CheckOut(name=name, ok=seen.level != "wrong", needed=seen.needed, detail=seen.finding, what_to_do=seen.fix)
        )
    return found


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "The figures."}},
    dependencies=[Depends(require(Role.operate, whole=True))],
)
def metrics(services: MainDep) -> Response:
    """Metrics of all collections for Prometheus: what waits, outcomes and costs of the last hour."""
    from api.operations.metrics import exposition

    return Response(exposition(services), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@operations_router.get("/operations")
def operations(services: ServicesDep) -> Operations:
    """Workers, queues and failures; the last day's questions by the hour, and costs."""
    now = services.now()
    with services.database.read() as session:
        return Operations(
            queues=work_queues(services),
            dead=list(activity.dead_questions(session)),
            hours=list(services.recent.by_hour(session, now)),
            spent=list(services.recent.spent_by_day(session, now)),
            due=refresh_queue.count(session, now),
            failed_callbacks=activity.failed_callbacks(session),
        )


def _database(services: Services) -> Diagnosis:
    try:
        check_schema(services.database)
    except WellreadError as error:
        return Diagnosis("wrong", str(error), "Run `wellread migrate`.")
    return Diagnosis("ok", "reachable, at this version's schema")


def _knowledge_base(services: Services) -> Diagnosis:
    """Return what is missing: now, or at the last check of the workers that have the passages open."""
    try:
        completeness.check(services)
    except PassagesLost as error:
        return Diagnosis("wrong", str(error), "Stop Wellread, run `wellread reindex`.")
    except WellreadError:  # the database's check says why
        return Diagnosis("wrong", "not known while the database does not answer")
    try:
        found = completeness.last_look(services)
    except redis.RedisError:  # its own check says so
        found = []
    lacking = [each for each in found if each.detail]
    if not lacking:
        return Diagnosis("ok", "there")
    detail, fix = "; ".join(each.detail for each in lacking), next((each.fix for each in lacking if each.fix), "")
    return Diagnosis("wrong", detail, fix, needed=completeness.is_all_lost(found))
