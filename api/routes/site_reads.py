"""Starts reading whole sites, reports their progress, and pauses, resumes and cancels them."""

from fastapi import APIRouter, Depends, Response

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import require
from api.routes.pages import RowId
from api.schemas.requests import SiteReadRequest
from domain.access.key import Role
from domain.site import SiteRead
from workers.crawl import sites

router = APIRouter(prefix="/api/site-reads", tags=["pages"])

OPERATE = [Depends(require(Role.operate))]
ASK = [Depends(require(Role.ask))]


@router.post("", status_code=202, dependencies=OPERATE)
def begin(body: SiteReadRequest, access: AccessDep, response: Response) -> SiteRead:
    """Read a whole site, or the part below a path. A read in progress goes on."""
    begun = sites.start(access.open(body.collection), body.url, max_pages=body.max_pages, max_depth=body.max_depth)
    response.headers["Location"] = f"/api/site-reads/{begun.id}"
    return begun


@router.get("", dependencies=ASK)
def latest(services: ServicesDep) -> list[SiteRead]:
    """The last 50 site reads, newest first."""
    return sites.latest(services)


@router.get("/{site_read_id}", dependencies=ASK)
def one(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """The progress of a site read."""
    return sites.get(services, site_read_id)


@router.post("/{site_read_id}/pause", dependencies=OPERATE)
def pause(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Pause it."""
    return sites.pause(services, site_read_id)


@router.post("/{site_read_id}/resume", dependencies=OPERATE)
def resume(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Resume it."""
    return sites.resume(services, site_read_id)


@router.post("/{site_read_id}/cancel", dependencies=OPERATE)
def cancel(site_read_id: RowId, services: ServicesDep) -> SiteRead:
    """Cancel it; what was read stays."""
    return sites.cancel(services, site_read_id)
