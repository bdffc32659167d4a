"""Many questions at once: asks them; lists and exports them by filters; cancels, replays and deletes them likewise."""

import csv
import io
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter, ValidationError

from api.dependencies import Access, AccessDep, ServicesDep, check_waiting
from api.middleware import problems
from api.middleware.auth import ASK, OPERATE, Caller, CallerDep
from api.routes.questions import tell_left
from api.schemas.requests import (
    BulkRequest,
    QuestionChange,
    QuestionExport,
    QuestionPage,
    QuestionRequest,
    wrong_field,
)
from domain import Status
from domain.access import Role
from domain.errors import WellreadError
from domain.record import Bulk, BulkChange, BulkItem, QuestionLine, QuestionSummary
from store.questions import listing
from store.sql.rows import to_value
from store.sql.tables import QuestionRow
from store.usage import QuotaSpent
from workers import bulk
from workers.admission import NoRoom, TooManyOpen
from workers.questions import submit

router = APIRouter(prefix="/api/questions", tags=["questions"], dependencies=ASK)

_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv"}
_LINE = TypeAdapter(QuestionLine)
#: of a text that names a question and is no UUID
_LONGEST_ID = 255
#: what is tried again later
_FULL = (TooManyOpen, NoRoom, QuotaSpent)


@router.post("/bulk", status_code=202, dependencies=[Depends(check_waiting)])
def ask_many(body: BulkRequest, access: AccessDep, response: Response, who: CallerDep) -> Bulk:
    """Ask up to 1,000 questions; each that cannot be asked is reported, and the others are asked.

    A question with an `id` that was sent before is not asked again. Where there is no room for more open questions,
    the rest is not asked: send it again after `retry_after_s`.
    """
    items, full = list[BulkItem](), None
    for line, given in enumerate(body.questions, start=1):
        name = given.get("id")
        item = BulkItem(line=line, id=None if name is None else str(name)[:_LONGEST_ID])
        try:
            if full is not None:
                raise full
            asked = _ask(given, access, who)
        except ValidationError as error:
            entry = error.errors()[0]
            field = ".".join(str(part) for part in entry["loc"]) or "question"
            problem = problems.of_status(422, wrong_field(field, dict(entry)))
            items.append(replace(item, problem=problem.model_dump()))
        except WellreadError as error:
            full = error if isinstance(error, _FULL) else None
            items.append(replace(item, problem=problems.of_error(error).model_dump()))
        else:
            items.append(replace(item, **asked))
    tell_left(access.open(), response, who)
    return Bulk(questions=tuple(items), retry_after_s=full.retry_after_s if full else None)


def _ask(given: dict[str, Any], access: Access, who: Caller) -> dict[str, Any]:
    """Ask one question; return what there is to say of it. Raises ValidationError or a WellreadError."""
    name, key = given.get("id"), ""
    if name is not None and not _is_uuid(name):
        key, given = f"id:{name}"[:_LONGEST_ID], {field: value for field, value in given.items() if field != "id"}
    body = QuestionRequest.model_validate(given)
    services = access.open(body.collection)
    new = submit.to_new(
        body,
        submit.default_budget(services),
        deadline_s=body.deadline,
        callback_url=body.callback_url or "",
        idempotency_key=key,
        private=who.role < Role.operate,
        owner=who.owner,
    )
    question, is_new = submit.submit(services, new)
    return {"question_id": question.id, "status": question.status, "is_new": is_new}


def _is_uuid(name: object) -> bool:
    try:
        UUID(str(name))
    except ValueError:
        return False
    return True


@router.get("")
def latest(
    wanted: Annotated[QuestionPage, Query()],
    services: ServicesDep,
    who: CallerDep,
    request: Request,
    response: Response,
) -> list[QuestionSummary]:
    """The questions that the filters mean, newest first; a key with the role ask sees its own.

    The header `Link` (rel="next") leads to those that follow, if any do.
    """
    with services.database.read() as session:
        meant = listing.meant(session, wanted, owner=who.restricted_to)
        rows, after = listing.find(session, meant, limit=wanted.limit, after=wanted.after)
        if after:
            query = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
            response.headers["link"] = f'<{request.url.path}?{urlencode([*query, ("after", after)])}>; rel="next"'
        return [_summary(row) for row in rows]


def _summary(row: QuestionRow) -> QuestionSummary:
    others: dict[str, Any] = {
        "question": row.asked or row.text,
        "question_as_understood": row.text if row.asked else None,
        "thread": row.thread_id,
        "status": Status(row.status),
        "metadata": row.caller_metadata or {},
    }
    return to_value(QuestionSummary, row, **others)


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {name: {} for name in _TYPES.values()}, "description": "A line for each question."}},
)
def export_many(wanted: Annotated[QuestionExport, Query()], services: ServicesDep, who: CallerDep) -> Response:
    """The questions that the filters mean with their answers, newest first, as JSON Lines or CSV."""
    with services.database.read() as session:
        meant = listing.meant(session, wanted, owner=who.restricted_to)
    lines = listing.lines(services.database, meant)
    written = _as_csv(lines) if wanted.format == "csv" else (_LINE.dump_json(line) + b"\n" for line in lines)
    name = f'attachment; filename="questions.{wanted.format}"'
    return StreamingResponse(written, media_type=_TYPES[wanted.format], headers={"content-disposition": name})


def _as_csv(lines: Iterator[QuestionLine]) -> Iterator[str]:
    page = io.StringIO()
    table = csv.DictWriter(page, [field.name for field in fields(QuestionLine)])
    table.writeheader()
    for line in lines:
        table.writerow(listing.cells_of(_LINE.dump_python(line, mode="json")))
        yield page.getvalue()
        page.seek(page.truncate(0))
    yield page.getvalue()


@router.post("/cancel")
def cancel_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Stop the open questions that the filters mean; ask again while some are left."""
    return bulk.cancel(access.open(body.collection), body, owner=who.restricted_to, dry_run=body.dry_run)


@router.post("/replay")
def replay_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Run those again that failed, ran out of time or were cancelled; ask again while some are left."""
    return bulk.replay(access.open(body.collection), body, owner=who.restricted_to, dry_run=body.dry_run)


@router.post("/delete", dependencies=OPERATE)
def delete_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Delete the questions that the filters mean, with their answers and traces; ask again while some are left."""
    return bulk.delete(access.open(body.collection), body, owner=who.restricted_to, dry_run=body.dry_run)
