"""Lists, adds, changes and removes the sites that may be read for any question, and reads whole sites."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import ASK, OPERATE, CallerDep, allow
from api.middleware.problems import NotFound
from api.routes.pages import RowId
from api.schemas.requests import SiteReadRequest, SourceChanges, SourceRequest
from crawler.discovery.schedule import schedule_of
from domain.access import Role
from domain.site import SiteRead, SiteReadStatus, Source
from store.crawl import site_reads, sources
from workers import deletion
from workers.crawl import sites
from workers.questions import submit

router = APIRouter(prefix="/api/sources", tags=["sources"])
SCHEDULE = ("every", "cron", "zone")

site_reads_router = APIRouter(prefix="/api/site-reads", tags=["pages"])


@router.get("", dependencies=ASK)
def every(services: ServicesDep) -> list[Source]:
    """All sources, oldest first."""
    return services.read(sources.list_all)


@router.post("", status_code=201, dependencies=OPERATE)
def add(body: SourceRequest, access: AccessDep, who: CallerDep) -> Source:
    """Add a source, or change its settings. `own` (a private address), `access` and `ignore_robots`: role admin."""
    if body.own or _needs_admin(body):
        allow(who.role, Role.admin)  # the least it needs is admitted before the body is read
    wanted = schedule_of(every=body.every, cron=body.cron, zone=body.zone or "UTC")  # before anything is stored
    services = access.open(body.collection)
    source = submit.add_source(services, body.url, own=body.own, **_sent(body, *sources.SETTINGS, "access"))
    if wanted is None:
        return source
    return _found(sites.change(services, source.id, _sent(body, *SCHEDULE)), source.id)


@router.patch("/{source_id}", dependencies=OPERATE)
def change(source_id: RowId, body: SourceChanges, services: ServicesDep, who: CallerDep) -> Source:
    """Change a source's settings or schedule, or pause it. `access` and `ignore_robots` need the role admin."""
    if _needs_admin(body):
        allow(who.role, Role.admin)
    return _found(sites.change(services, source_id, _sent(body, *sources.SETTINGS, *SCHEDULE, "access")), source_id)


@router.delete("/{source_id}", status_code=204, dependencies=OPERATE)
def remove(
    source_id: RowId,
    services: ServicesDep,
    pages: Annotated[bool, Query(description="Delete its pages too, with all that was derived from them.")] = False,
) -> None:
    """Remove a source; its pages stay, unless they are to be deleted too."""
    source = _found(services.read(sources.find, source_id), source_id)
    if pages:
        deletion.delete_pages_of(services, source)
    services.write(sources.remove, source.url)  # last, so that an interrupted removal can be repeated
    deletion.ask_erasure(services, source_id)


def _needs_admin(body: SourceChanges) -> bool:
    """Return whether a change is for an operator's own site: a proxy or a certificate could carry off its secrets."""
    return bool(body.model_fields_set & {"access", "ignore_robots"})


def _found(source: Source | None, source_id: int) -> Source:
    if source is None:
        raise NotFound(f"There is no source {source_id}: GET /api/sources lists them.")
    return source


def _sent(body: SourceChanges, *names: str) -> dict[str, Any]:
    sent = body.model_dump(include=body.model_fields_set & set(names))
    if body.access is not None and "access" in names:
        sent["access"] = body.access.model_dump(exclude_unset=True)
    return sent


@site_reads_router.post("", status_code=202, dependencies=OPERATE)
def begin(body: SiteReadRequest, access: AccessDep, response: Response) -> SiteRead:
    """Read a whole site, or the part below a path. A read in progress goes on."""
    begun = sites.start(access.open(body.collection), body.url, max_pages=body.max_pages, max_depth=body.max_depth)
    response.headers["Location"] = f"/api/site-reads/{begun.id}"
    return begun


@site_reads_router.get("", dependencies=ASK)
def latest(services: ServicesDep) -> list[SiteRead]:
    """The last 50 site reads, newest first."""
    return services.read(site_reads.latest, services.now())


@site_reads_router.get("/{site_read_id}", dependencies=ASK)
def one(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """The progress of a site read."""
    return sites.get(services, site_read_id)


@site_reads_router.post("/{site_read_id}/pause", dependencies=OPERATE)
def pause(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Pause it."""
    return sites.halt(services, site_read_id, SiteReadStatus.PAUSED)


@site_reads_router.post("/{site_read_id}/resume", dependencies=OPERATE)
def resume(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Resume it."""
    return sites.resume(services, site_read_id)


@site_reads_router.post("/{site_read_id}/cancel", dependencies=OPERATE)
def cancel(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Cancel it; what was read stays."""
    return sites.halt(services, site_read_id, SiteReadStatus.CANCELLED)
