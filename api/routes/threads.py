"""Threads of questions: list and search them, read one, rename and delete it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from api.dependencies import DOCUMENT, FormatQuery, ServicesDep, ThreadId
from api.middleware.auth import ASK, OPERATE, CallerDep
from api.schemas.exported import exported_thread, headers
from api.schemas.requests import ThreadRequest
from domain.options import Moment
from domain.question import Thread, ThreadWithQuestions
from domain.record import Record
from store.questions import records, threads
from store.questions.state import UnknownQuestion
from workers import deletion
from workers.services import Services

router = APIRouter(prefix="/api/threads", tags=["threads"], dependencies=ASK)

#: questions of an exported thread that are in memory at a time
_AT_ONCE = 50


@router.get("")
def latest(
    services: ServicesDep,
    who: CallerDep,
    q: Annotated[
        str, Query(max_length=200, description="Words that its title, or a question of it with its answer, must have.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    before: Annotated[Moment | None, Query(description="Those last asked in before this: the next page.")] = None,
) -> list[Thread]:
    """The threads, most recently used first; a key with the role ask sees its own."""
    return services.read(threads.latest, words=q, limit=limit, before=before, owner=who.restricted_to)


@router.get("/{thread_id}")
def read(
    thread_id: ThreadId,
    services: ServicesDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    before: Annotated[str, Query(max_length=32, description="A question's id: those asked before it.")] = "",
) -> ThreadWithQuestions:
    """A thread with its latest questions."""
    with services.database.read() as session:
        thread = threads.find(session, thread_id)
        turns = threads.questions(session, thread_id, limit=limit, before=before)
    return ThreadWithQuestions(**asdict(thread), turns=tuple(turns))


@router.get("/{thread_id}/export", response_class=Response, responses=DOCUMENT)
def export(thread_id: ThreadId, services: ServicesDep, form: FormatQuery = "md") -> StreamingResponse:
    """A thread as one document: its questions in their order, each with its answer and its quotes."""
    title = services.read(threads.find, thread_id).title
    parts = exported_thread(title, _records(services, thread_id), form)
    return StreamingResponse(parts, headers=headers(thread_id, form))


def _records(services: Services, thread_id: str) -> Iterator[Record]:
    """Yield the records of a thread's questions in their order, few at a time: it may be long."""
    last: threads.Place | None = None
    while True:
        some: list[Record] = []
        with services.database.read() as session:
            places = threads.in_order(session, thread_id, after=last, limit=_AT_ONCE)
            for _, question_id in places:
                with suppress(UnknownQuestion):  # it was deleted meanwhile
                    some.append(records.read(session, question_id, services.now()))
        yield from some
        if not places:
            return
        last = places[-1]


@router.patch("/{thread_id}")
def rename(thread_id: ThreadId, body: ThreadRequest, services: ServicesDep) -> Thread:
    """Give a thread another title."""
    with services.database.write() as session:
        threads.rename(session, thread_id, body.title)
        return threads.find(session, thread_id)


@router.delete("/{thread_id}", status_code=204, dependencies=OPERATE)
def remove(thread_id: ThreadId, services: ServicesDep) -> None:
    """Delete a thread with its questions, their answers and traces; what was read for them stays read."""
    deletion.delete_thread(services, thread_id)
