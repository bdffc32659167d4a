"""Keeps answers that operators wrote: each is given when a question means the same as one of its own."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import ASK, OPERATE
from api.schemas.requests import CuratedRequest
from domain.curated import MAX_ID, CuratedAnswer
from workers import curated, deletion

router = APIRouter(prefix="/api/curated", tags=["documents"])

CuratedId = Annotated[str, Path(max_length=MAX_ID, description="Your own id of the answer.")]


@router.get("", dependencies=ASK)
def every(
    services: ServicesDep,
    after: Annotated[str, Query(max_length=MAX_ID, description="Only those behind this id.")] = "",
    limit: Annotated[int, Query(ge=1, le=1_000, description="Most to list.")] = 100,
) -> list[CuratedAnswer]:
    """The answers that operators wrote, by id."""
    return curated.list_all(services, after=after, limit=limit)


@router.get("/{curated_id:path}", dependencies=ASK)
def one(curated_id: CuratedId, services: ServicesDep) -> CuratedAnswer:
    """An answer that an operator wrote."""
    return curated.find(services, curated_id)


@router.put(
    "/{curated_id:path}",
    dependencies=OPERATE,
    responses={201: {"model": CuratedAnswer, "description": "It is new."}},
)
def put(curated_id: CuratedId, body: CuratedRequest, access: AccessDep, response: Response) -> CuratedAnswer:
    """Save an answer that you wrote; what is there under this id is replaced."""
    saved, is_new = curated.put(access.open(body.collection), curated_id, **body.model_dump(exclude={"collection"}))
    response.status_code = 201 if is_new else 200
    return saved


@router.delete("/{curated_id:path}", status_code=204, dependencies=OPERATE)
def remove(curated_id: CuratedId, services: ServicesDep) -> Response:
    """Delete an answer: 204 when its passages are gone, 202 while a worker still has to remove them."""
    page_id = curated.delete(services, curated_id)
    return Response(status_code=204 if deletion.wait_until_gone(services, [page_id]) else 202)
