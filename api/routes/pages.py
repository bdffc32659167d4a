"""Gives stored pages, to show a citation in its place, and reads a single page on request."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from api.dependencies import ServicesDep
from api.middleware.auth import Role, require
from api.middleware.problems import NotFound
from api.schemas.requests import ReadRequest
from crawler import urls
from domain.file import is_file_address
from domain.site import PageRead, StoredPage
from store.pages import pages, visits
from store.sql.tables import CandidateRow, IndexState, PageRow
from workers import deletion
from workers.questions import submit
from workers.services import Services

router = APIRouter(prefix="/api", tags=["pages"])

#: ids beyond this fit no column
RowId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/pages/{page_id}", dependencies=[Depends(require(Role.ask))])
def page(
    page_id: RowId,
    services: ServicesDep,
    start: Annotated[int, Query(ge=0, description="First character of the text.")] = 0,
    end: Annotated[int | None, Query(ge=0, description="Character to stop before; left out: to the end.")] = None,
) -> StoredPage:
    """A stored page's text, whole or in part; offsets count Unicode characters, as a citation's do."""
    with services.database.read() as session:
        row = session.get(PageRow, page_id)
        history = visits.of_page(session, page_id)
    if row is None:
        raise NotFound(f"There is no page {page_id}: a citation's page_id names one.")
    return StoredPage(
        id=row.id,
        url=row.url,
        title=row.title,
        lang=row.lang,
        text=row.text[start:end],
        start=start,
        characters=len(row.text),
        published=row.published,
        read_at=row.read_at,
        content_hash=row.content_hash,
        generation=row.generation,
        is_gone=row.gone_at is not None,
        checked_at=row.checked_at,
        next_due=row.next_due,
        history=tuple(history),
    )


@router.get("/pages", dependencies=[Depends(require(Role.ask))])
def page_at(
    services: ServicesDep, url: Annotated[str, Query(max_length=2048, description="The page's URL.")]
) -> StoredPage:
    """The stored page with this URL, whole."""
    with services.database.read() as session:
        known = pages.find(session, _canonical(url))
    if known is None:
        raise NotFound(f"No page was read from {url[:200]}: read it first, with POST /api/reads or `wellread read`.")
    return page(known.id, services)


@router.delete("/pages/{page_id}", status_code=204, dependencies=[Depends(require(Role.operate))])
def remove(page_id: RowId, services: ServicesDep) -> Response:
    """Delete a page or file with all that was derived: passages, facts, answers drawn from it, traces, streams.

    204 when its passages are gone, 202 while a worker still has to remove them.
    """
    if not deletion.delete_pages(services, [page_id]):
        raise NotFound(f"There is no page {page_id}: a citation's page_id names one.")
    return Response(status_code=204 if deletion.wait_until_gone(services, [page_id]) else 202)


@router.post("/reads", status_code=202, dependencies=[Depends(require(Role.operate))])
def read(body: ReadRequest, services: ServicesDep, response: Response) -> PageRead:
    """Have one page read into the knowledge base."""
    candidate_id = submit.read_url(services, body.url)
    response.headers["Location"] = f"/api/reads/{candidate_id}"
    return _reading(services, candidate_id)


@router.get("/reads/{read_id}", dependencies=[Depends(require(Role.ask))])
def reading(read_id: RowId, services: ServicesDep) -> PageRead:
    """How far the reading of a page has come."""
    return _reading(services, read_id)


def _canonical(url: str) -> str:
    if is_file_address(url):
        return url
    try:
        return urls.typed(url)
    except urls.BadUrl as error:
        raise NotFound(str(error)) from error


def _reading(services: Services, candidate_id: int) -> PageRead:
    with services.database.read() as session:
        row = session.get(CandidateRow, candidate_id)
        if row is None:
            raise NotFound(f"There is no reading {candidate_id}: POST /api/reads starts one.")
        stored = session.get(PageRow, row.page_id) if row.page_id else None
    return PageRead(
        id=row.id,
        url=row.url,
        outcome=row.outcome,
        reason=row.reason,
        page_id=row.page_id,
        title=stored.title if stored else None,
        in_knowledge_base=stored is not None and stored.state == IndexState.INDEXED,
    )
