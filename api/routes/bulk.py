"""Many questions at once: asks them; lists and exports them by filters; cancels, replays and deletes them likewise."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter, ValidationError
from redis import RedisError

from api.dependencies import Access, AccessDep, MainDep, ServicesDep, check_waiting, link_to_next
from api.middleware import problems
from api.middleware.auth import ASK, OPERATE, Caller, CallerDep
from api.routes.questions import submit_for, tell_left
from api.schemas.requests import BulkRequest, QuestionChange, QuestionExport, QuestionPage
from domain import Status
from domain.errors import WellreadError
from domain.options import QuestionFilter, QuestionRequest
from domain.record import Bulk, BulkChange, BulkItem, QuestionLine, QuestionSummary
from domain.storable import storable
from store.questions import listing
from store.questions.listing import BadFilter
from store.sql.database import DatabaseError
from store.sql.rows import to_value
from store.sql.tables import QuestionRow
from store.usage import QuotaSpent
from workers import bulk
from workers.admission import NoRoom, TooManyOpen
from workers.services import Services

router = APIRouter(prefix="/api/questions", tags=["questions"], dependencies=ASK)

_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv"}
_LINE = TypeAdapter(QuestionLine)
#: lines that are sent at once
_WRITTEN = 100
#: of a text that names a question and is no UUID
_LONGEST_ID = 200
#: an id that is taken as it is
_UUID = re.compile(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
#: what is tried again later
_FULL = (TooManyOpen, NoRoom, QuotaSpent, DatabaseError, RedisError)


@router.post("/bulk", status_code=202, dependencies=[Depends(check_waiting)])
def ask_many(body: BulkRequest, access: AccessDep, main: MainDep, response: Response, who: CallerDep) -> Bulk:
    """Ask up to 1,000 questions; each that cannot be asked is reported, and the others are asked.

    A question with an `id` that was sent before is not asked again. Where there is no room for more open questions,
    the rest is not asked: send it again after `retry_after_s`.
    """
    items, full = list[BulkItem](), cast("Exception | None", None)
    for line, given in enumerate(body.questions, start=1):
        name = given.get("id")
        item = BulkItem(line=line, id=None if name is None else storable(str(name)[:_LONGEST_ID]))
        try:
            if full is not None:
                raise full
            items.append(replace(item, **_ask(given, access, who)))
        except (ValidationError, WellreadError, RedisError) as error:
            full = error if isinstance(error, _FULL) else None
            items.append(replace(item, problem=problems.of_one(error, "question")))
    tell_left(main, response, who)
    return Bulk(questions=tuple(items), retry_after_s=int(getattr(full, "retry_after_s", 5)) if full else None)


def _ask(given: dict[str, Any], access: Access, who: Caller) -> dict[str, Any]:
    """Ask one question; return what there is to say of it. Raises ValidationError or a WellreadError."""
    name, key = given.get("id"), ""
    if name is not None and not _UUID.fullmatch(str(name)):
        key = f"id:{name}" if len(str(name)) <= _LONGEST_ID else f"id:{hashlib.sha256(str(name).encode()).hexdigest()}"
        given = {field: value for field, value in given.items() if field != "id"}
    body = QuestionRequest.model_validate(given)
    question, is_new = submit_for(who, access.open(body.collection), body, key)
    return {"question_id": question.id, "status": question.status, "is_new": is_new}


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
        meant = listing.meant(session, wanted, owner=who.restricted_to, key=_key(services, wanted, who))
        rows, after = listing.find(session, meant, limit=wanted.limit, after=wanted.after)
        if after:
            link_to_next(request, response, after)
        return [_summary(row) for row in rows]


def _key(services: Services, wanted: QuestionFilter, who: Caller) -> str | None:
    """Return what the questions of the key that a filter names are marked with; raises BadFilter, UnknownKey."""
    if wanted.key and who.restricted_to is not None:
        raise BadFilter("The filter `key` needs a key with the role operate: yours sees its own questions only.")
    return services.owner_of(wanted.key) if wanted.key else None


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
    meant = services.read(listing.meant, wanted, owner=who.restricted_to, key=_key(services, wanted, who))
    lines = listing.lines(services.database, meant)
    written = _as_csv(lines) if wanted.format == "csv" else _as_jsonl(lines)
    name = f'attachment; filename="questions.{wanted.format}"'
    return StreamingResponse(written, media_type=_TYPES[wanted.format], headers={"content-disposition": name})


def _as_jsonl(lines: Iterator[QuestionLine]) -> Iterator[bytes]:
    while some := list(islice(lines, _WRITTEN)):
        yield b"".join(_LINE.dump_json(line) + b"\n" for line in some)


def _as_csv(lines: Iterator[QuestionLine]) -> Iterator[str]:
    page = io.StringIO()
    table = csv.DictWriter(page, [field.name for field in fields(QuestionLine)])
    table.writeheader()
    while some := list(islice(lines, _WRITTEN)):
        table.writerows(listing.cells_of(_LINE.dump_python(line, mode="json")) for line in some)
        yield page.getvalue()
        page.seek(page.truncate(0))
    yield page.getvalue()


@router.post("/cancel")
def cancel_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Stop the open questions that the filters mean; ask again while some are left."""
    return _change("cancel", body, access, who)


@router.post("/replay")
def replay_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Run those again that failed, ran out of time or were cancelled; ask again while some are left."""
    return _change("replay", body, access, who)


@router.post("/delete", dependencies=OPERATE)
def delete_many(body: QuestionChange, access: AccessDep, who: CallerDep) -> BulkChange:
    """Delete the questions that the filters mean, with their answers and traces; ask again while some are left."""
    return _change("delete", body, access, who)


def _change(what: bulk.Change, body: QuestionChange, access: Access, who: Caller) -> BulkChange:
    services = access.open(body.collection)
    key = _key(services, body, who)
    return bulk.change(services, what, body, owner=who.restricted_to, key=key, dry_run=body.dry_run)
