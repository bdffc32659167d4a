"""Threads of questions: list and search them, read one, rename and delete it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from api.dependencies import ServicesDep
from api.middleware.auth import CallerDep, require
from api.schemas.requests import ThreadRequest
from domain.access.key import Role
from domain.question import Thread, ThreadWithQuestions
from store.questions import threads
from store.questions.threads import UnknownThread
from workers import deletion
from workers.questions.asked import Moment

router = APIRouter(prefix="/api/threads", tags=["threads"], dependencies=[Depends(require(Role.ask))])

_ID_DIGITS = 32


def _thread_id(
    thread_id: Annotated[str, Path(description="The thread's id.")], services: ServicesDep, who: CallerDep
) -> str:
    """Return the id of a thread that the caller may see."""
    plain = thread_id.replace("-", "").lower()
    if len(plain) != _ID_DIGITS or not plain.isalnum():
        raise UnknownThread(f"There is no thread {thread_id[:40]!r}: an id has 32 hexadecimal digits.")
    if who.sees is not None:
        with services.database.read() as session:
            threads.check_owner(session, plain, who.sees)
    return plain


ThreadId = Annotated[str, Depends(_thread_id)]


@router.get("")
def latest(
    services: ServicesDep,
    who: CallerDep,
    q: Annotated[str, Query(max_length=200, description="Words that the title must have.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    before: Annotated[Moment | None, Query(description="Those last asked in before this: the next page.")] = None,
) -> list[Thread]:
    """The threads that were asked in last, newest first; a key with the role ask sees its own."""
    with services.database.read() as session:
        return threads.latest(session, words=q, limit=limit, before=before, owner=who.sees)


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


@router.patch("/{thread_id}")
def rename(thread_id: ThreadId, body: ThreadRequest, services: ServicesDep) -> Thread:
    """Give a thread another title."""
    with services.database.write() as session:
        threads.rename(session, thread_id, body.title)
        return threads.find(session, thread_id)


@router.delete("/{thread_id}", status_code=204, dependencies=[Depends(require(Role.operate))])
def remove(thread_id: ThreadId, services: ServicesDep) -> Response:
    """Delete a thread with its questions, their answers and traces; what was read for them stays read."""
    deletion.delete_thread(services, thread_id)
    return Response(status_code=204)
