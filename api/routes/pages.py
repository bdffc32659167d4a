"""Gives stored pages, reads a single page on request, and searches for passages without an answer."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy.orm import Session

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import ASK, OPERATE, Caller, CallerDep, allow
from api.middleware.problems import NotFound
from api.schemas.exported import exported_page
from api.schemas.requests import ExtractRequest, PagesWanted, ReadRequest
from crawler import urls
from crawler.read import ReadResult
from domain import Link, ReadOutcome
from domain.access import Role
from domain.document import own_address
from domain.file import is_file_address
from domain.options import SearchRequest
from domain.record import FoundPassage
from domain.site import ExtractedPage, PageLink, PageRead, PageSummary, PageVersion, StoredPage
from store.crawl import sources
from store.pages import history, listing, pages, visibility
from store.questions import state
from store.sql.rows import to_value
from store.sql.tables import CandidateRow, IndexState, PageRow
from workers import deletion
from workers.crawl import extraction
from workers.questions import search as search_passages
from workers.questions import submit
from workers.services import Services

router = APIRouter(prefix="/api", tags=["pages"])
search_router = APIRouter(prefix="/api", tags=["pages"], dependencies=ASK)

EXTRACT: Final = f"{router.prefix}/extract"
#: ids beyond this fit no column
RowId = Annotated[int, Path(ge=1, le=2**31 - 1)]
#: a private page is shown with the question that it was read for
QuestionId = Annotated[str, Query(max_length=64, description="The question that a private page was read for.")]
Version = Annotated[
    int | None, Query(ge=1, le=2**31 - 1, description="The text with this number; left out: its present one.")
]


@router.get("/pages/{page_id}", dependencies=ASK)
def page(
    page_id: RowId,
    services: ServicesDep,
    who: CallerDep,
    question_id: QuestionId = "",
    start: Annotated[int, Query(ge=0, description="First character of the text.")] = 0,
    end: Annotated[int | None, Query(ge=0, description="Character to stop before; left out: to the end.")] = None,
    version: Version = None,
) -> StoredPage:
    """A stored page's text, whole or in part; offsets count Unicode characters, as a citation's do."""
    with services.database.read() as session:
        row = _seen(session, page_id, who, question_id)
        checks = history.visits_of(session, page_id)
        found = history.version(session, row, version or row.generation)
    if found is None:
        raise NotFound(f"Text {version} of page {page_id} is not kept: GET /api/pages/{page_id}/versions lists them.")
    shown, text = found
    return to_value(
        StoredPage,
        row,
        **{name: getattr(shown, name) for name in ("title", "published", "read_at", "content_hash")},
        text=text[start:end],
        start=start,
        characters=len(text),
        generation=shown.number,
        is_gone=row.gone_at is not None,
        missing=tuple(row.missing),
        stale_since=listing.stale_since(row),
        history=tuple(checks),
    )


@router.get("/pages/{page_id}/versions", dependencies=ASK)
def page_versions(
    page_id: RowId, services: ServicesDep, who: CallerDep, question_id: QuestionId = ""
) -> list[PageVersion]:
    """The stored texts of a page, the current one first; `?version=` of the page returns one."""
    with services.database.read() as session:
        return history.versions_of(session, _seen(session, page_id, who, question_id))


@router.get("/pages", dependencies=ASK)
def page_at(
    services: ServicesDep, who: CallerDep, wanted: Annotated[PagesWanted, Query()]
) -> StoredPage | list[PageSummary]:
    """The stored page with this URL, whole; without `url`, for operators, the pages by address, in parts."""
    if wanted.url is None:
        allow(who.role, Role.operate)
        return _listed(services, wanted)
    with services.database.read() as session:
        known = pages.find(session, _canonical(wanted.url))
        row = session.get(PageRow, known.id) if known else None
        shown = row is not None and _may_see(session, who, row, wanted.question_id)
    if known is None or not shown:
        lists = "GET /api/pages lists the pages, POST /api/reads reads one."
        if is_file_address(wanted.url):
            lists = "GET /api/files lists the files, POST /api/files adds one."
        raise NotFound(f"{wanted.url[:200]} is not in the knowledge base: {lists}")
    return page(known.id, services, who, wanted.question_id, version=wanted.version)


@search_router.post("/search")
def search(body: SearchRequest, access: AccessDep) -> list[FoundPassage]:
    """The best passages, as phase 1 of a question finds them; no answer, no crawl."""
    return search_passages.search(access.open(body.collection), body)


@router.delete("/pages/{page_id}", status_code=204, dependencies=OPERATE)
def remove(page_id: RowId, services: ServicesDep) -> Response:
    """Delete a page or file with everything derived: passages, facts, answers drawn from it, traces, streams.

    204 when its passages are gone, 202 while a worker still has to remove them.
    """
    if not deletion.delete_pages(services, [page_id]):
        raise NotFound(f"There is no page {page_id}: a citation's page_id names one.")
    return Response(status_code=204 if deletion.wait_until_gone(services, [page_id]) else 202)


@router.post("/reads", status_code=202, dependencies=OPERATE)
def read(body: ReadRequest, access: AccessDep, response: Response) -> PageRead:
    """Read one page into the knowledge base."""
    services = access.open(body.collection)
    candidate_id = submit.read_url(services, body.url)
    response.headers["Location"] = f"/api/reads/{candidate_id}"
    return _reading(services, candidate_id, whole=True)


@router.post("/extract", dependencies=OPERATE)
def extract(body: ExtractRequest, access: AccessDep, who: CallerDep) -> ExtractedPage:
    """Extract a page at once as Markdown, with its dates and links; `keep` makes it a page of the knowledge base."""
    services = access.open(body.collection)
    reading, read_id = ReadResult(outcome=ReadOutcome.READ, url=body.url or ""), None
    if body.html:
        page = extraction.page_of(services, body.html, body.url or "")
    else:
        reading, read_id = extraction.page_at(services, body.url or "", who.owner, keep=body.keep)
        assert reading.page is not None
        page = reading.page
    links = (PageLink(url=link.url, text=link.text) for link in page.links if link.origin == Link.origin)
    return to_value(
        ExtractedPage,
        page,
        url=reading.url or None,
        title="" if page.title == own_address(extraction.HTML) else page.title,
        markdown=exported_page(page),
        characters=len(page.text),
        links=tuple(links),
        notice=reading.reason,
        read_id=read_id,
    )


@router.get("/reads/{read_id}", dependencies=ASK)
def reading(read_id: RowId, services: ServicesDep, who: CallerDep) -> PageRead:
    """The progress of reading a page."""
    return _reading(services, read_id, whole=who.restricted_to is None)


def _listed(services: Services, wanted: PagesWanted) -> list[PageSummary]:
    with services.database.read() as session:
        source = sources.find(session, wanted.source) if wanted.source is not None else None
        if wanted.source is not None and source is None:
            raise NotFound(f"There is no source {wanted.source}: GET /api/sources lists them.")
        below = [
            *([sources.scopes(session, [_canonical(wanted.site)])] if wanted.site else []),
            *([[source.scope]] if source else []),
        ]
        filters = wanted.model_dump(include={"since", "kind", "not_read", "stale", "text", "after", "limit"})
        return listing.list_pages(session, below=below, **filters)


def _seen(session: Session, page_id: int, who: Caller, question_id: str) -> PageRow:
    row = session.get(PageRow, page_id)
    if row is None or not _may_see(session, who, row, question_id):
        raise NotFound(f"There is no page {page_id}: a citation's page_id names one.")
    return row


def _may_see(session: Session, who: Caller, row: PageRow, question_id: str) -> bool:
    """Return whether the caller may see a page: operators see all, others public ones and those read for them."""
    if who.restricted_to is None or not row.private:
        return True
    is_theirs = bool(question_id) and state.is_owned(session, question_id, who.restricted_to)
    return is_theirs and row.id in visibility.private_pages(session, question_id)


def _canonical(url: str) -> str:
    try:
        return urls.typed(url)
    except urls.BadUrl as error:
        raise NotFound(str(error)) from error


def _reading(services: Services, candidate_id: int, *, whole: bool) -> PageRead:
    with services.database.read() as session:
        row = session.get(CandidateRow, candidate_id)
        # asked for by an operator: neither for a question nor as a private page that is due
        for_all = row and row.question_id is None and not pages.find(session, row.url, PageRow.private.is_(True))
        if row is None or not (whole or for_all):
            raise NotFound(f"There is no reading {candidate_id}: POST /api/reads starts one.")
        stored = session.get(PageRow, row.page_id) if row.page_id else None
    return to_value(
        PageRead,
        row,
        title=stored.title if stored else None,
        in_knowledge_base=stored is not None and stored.state == IndexState.INDEXED,
    )
