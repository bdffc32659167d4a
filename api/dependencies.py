"""The routes' dependencies: this process's services, and Redis for requests that wait."""

from __future__ import annotations

import re
from typing import Annotated, Any

import anyio
import redis.asyncio
from fastapi import Depends, Path, Request
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from domain.record import Record
from store.questions import records
from store.questions.state import UnknownQuestion
from workers.services import Services

_ID = re.compile(r"[0-9a-f]{32}")

#: most watchers at a time; later ones are served from SQL
MAX_WATCHERS = 1_000


def open_listener(url: str) -> redis.asyncio.Redis:
    """Return a Redis client for blocking reads; it fails at once without Redis, because SQL can serve as well."""
    return redis.asyncio.Redis.from_url(
        url,
        socket_connect_timeout=2,
        socket_timeout=15,
        max_connections=MAX_WATCHERS,
        retry=Retry(NoBackoff(), 0),
    )


def _state(name: str) -> Any:
    """Return a dependency on this attribute of the application's state."""

    def read(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(read)


def _question_id(question_id: Annotated[str, Path(description="The question's id.")]) -> str:
    plain = question_id.replace("-", "").lower()  # an asker's own id may be written as UUIDs are
    if not _ID.fullmatch(plain):
        raise UnknownQuestion(f"There is no question {question_id[:40]!r}: an id has 32 hexadecimal digits.")
    return plain


ServicesDep = Annotated[Services, _state("services")]
ListenerDep = Annotated[redis.asyncio.Redis, _state("listener")]
#: cancelling these scopes ends the requests that wait for an answer
WaitingDep = Annotated[set[anyio.CancelScope], _state("waiting")]
QuestionId = Annotated[str, Depends(_question_id)]


def read_record(services: Services, question_id: str) -> Record:
    """Return a question's record; raises UnknownQuestion."""
    with services.database.read() as session:
        return records.read(session, question_id, services.now())
