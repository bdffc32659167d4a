"""The sites that may be read for any question."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from api.auth import Role, allow, caller, require
from api.problems import NotFound
from api.schemas import SourceRequest
from api.schemas_record import SourceOut
from api.wiring import ServicesDep
from store import sources
from store.sources import Source
from workers import intake

router = APIRouter(prefix="/api/sources", tags=["sources"])


@router.get("", response_model=list[SourceOut], dependencies=[Depends(require(Role.ask))])
def every(services: ServicesDep) -> list[Source]:
    """All sources, oldest first."""
    with services.database.read() as session:
        return sources.every(session)


@router.post("", status_code=201, response_model=SourceOut)
def add(asked: SourceRequest, services: ServicesDep, role: Annotated[Role, Depends(caller)]) -> Source:
    """Keep a site, or change the settings of one that is kept. One of your own (`own`) needs the role admin."""
    allow(role, Role.admin if asked.own else Role.operate)
    return intake.add_source(services, asked.url, own=asked.own, min_delay_s=asked.min_delay_s)


@router.delete("/{source_id}", status_code=204, dependencies=[Depends(require(Role.operate))])
def remove(source_id: int, services: ServicesDep) -> Response:
    """Forget a site; what was read from it stays."""
    with services.database.write() as session:
        url = next((source.url for source in sources.every(session) if source.id == source_id), None)
        if url is None:
            raise NotFound(f"There is no source {source_id}: GET /api/sources lists them.")
        sources.remove(session, url)
    return Response(status_code=204)
