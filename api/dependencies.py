"""The routes' dependencies: this process's services, and Redis for requests that wait."""

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

import anyio
import redis.asyncio
from anyio import to_thread
from fastapi import Depends, Path, Query, Request, Response
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from sqlalchemy.orm import Session

from api.middleware.auth import Caller, CallerDep, StillOpenDep, one_more_stream
from api.schemas.exported import Format
from api.streams import final_record
from domain.access import Role
from domain.errors import WellreadError
from domain.options import Asked
from domain.record import Record
from store import collections
from store.ephemeral.events import EventReader, Listener
from store.questions import records, state, threads
from store.questions.state import UnknownQuestion
from store.questions.threads import UnknownThread
from workers.admission import Busy
from workers.questions import submit
from workers.services import Services

_ID = re.compile(r"[0-9a-f]{32}")

#: to Redis, at a time: who begins to follow a question needs one for a moment; later ones are served from SQL
MOST_CONNECTIONS = 1_000
#: requests that wait for a thread at a time: with more, the last would wait for most of a usual `wait`
MOST_WAITING = 200


async def check_waiting() -> None:
    """Raise :class:`Busy` if too many requests wait; it waits for no thread itself."""
    waiting = to_thread.current_default_thread_limiter().statistics().tasks_waiting
    if waiting >= MOST_WAITING:
        raise Busy(f"{waiting:,} requests wait for their turn.")


def open_reader(url: str) -> EventReader:
    """Return what reads events for all who wait; it fails at once without Redis, because SQL can serve as well."""
    return EventReader(
        redis.asyncio.Redis.from_url(
            url,
            socket_connect_timeout=2,
            socket_timeout=15,
            max_connections=MOST_CONNECTIONS,
            retry=Retry(NoBackoff(), 0),
        )
    )


def _state(name: str) -> Any:
    async def read(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(read)


class Access:
    """The collections that a request may open."""

    def __init__(self, main: Services, who: Caller, named: str) -> None:
        self._main = main
        self._who = who
        self._named = named

    def open(self, collection: str = "") -> Services:
        """Return the services of the collection that a body, or else the query, names; raises UnknownCollection."""
        wanted = (collection or self._named or self._who.first_collection).strip().lower()
        if not self._who.may_open(wanted):
            raise collections.unknown(wanted)
        return self._main.of(wanted)

    def names(self) -> list[str]:
        """Return the names of the collections that the caller may open."""
        return [each.name for each in self._main.read(collections.list_all) if self._who.may_open(each.name)]


async def _access(
    request: Request,
    who: CallerDep,
    collection: Annotated[
        str, Query(max_length=100, description="The collection; left out: the key's first, or `default`.")
    ] = "",
) -> Access:
    return Access(request.app.state.services, who, collection)


AccessDep = Annotated[Access, Depends(_access)]


def _opened(access: AccessDep) -> Services:
    return access.open()


#: of the collection that the query names
ServicesDep = Annotated[Services, Depends(_opened)]
#: of the default collection, whoever asks
MainDep = Annotated[Services, _state("services")]


def _id_of(kind: str, unknown: type[WellreadError], check_owner: Callable[[Session, str, str], None]) -> Any:
    """Return a dependency on an id in the path; another caller's is as unknown as one that does not exist."""

    def read(
        given: Annotated[str, Path(alias=f"{kind}_id", description=f"The {kind}'s id.")],
        services: ServicesDep,
        who: CallerDep,
    ) -> str:
        plain = given.replace("-", "").lower()  # an asker's own id may be written as UUIDs are
        if not _ID.fullmatch(plain):
            raise unknown(f"There is no {kind} {given[:40]!r}: an id has 32 hexadecimal digits.")
        if who.restricted_to is not None:
            services.read(check_owner, plain, who.restricted_to)
        return plain

    return Depends(read)


async def _one_more_stream(request: Request, who: CallerDep) -> AsyncIterator[None]:
    with one_more_stream(request.app.state, who):
        yield


#: of routes whose answer is a stream of events
STREAM = Depends(_one_more_stream)
#: what reads events of Redis; :func:`listening` gives those of a collection
ReaderDep = Annotated[EventReader, _state("reader")]
#: cancelling these scopes ends the requests that wait for an answer
WaitingDep = Annotated[set[anyio.CancelScope], _state("waiting")]
QuestionId = Annotated[str, _id_of("question", UnknownQuestion, state.check_owner)]
ThreadId = Annotated[str, _id_of("thread", UnknownThread, threads.check_owner)]

#: the form of a document, and its description in the OpenAPI document
FormatQuery = Annotated[Format, Query(alias="format", description="md (Markdown) or html.")]
DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {}, "text/html": {}}, "description": "The document."}
}


def listening(reader: EventReader, services: Services) -> Listener:
    """Return what follows the events of a collection's questions."""
    return Listener(reader, "" if services.collection.is_default else services.collection.id)


def read_record(services: Services, question_id: str) -> Record:
    """Return a question's record; raises UnknownQuestion."""
    return services.read(records.read, question_id, services.now())


def record_reader(services: Services, question_id: str, still_open: Callable[[], object]) -> Callable[[], Record]:
    """Return what reads a question's record after it has looked the key up again."""

    def read() -> Record:
        still_open()
        return read_record(services, question_id)

    return read


@dataclass(frozen=True, kw_only=True)
class Waiter:
    """Asks a question for a request that waits for the answer."""

    access: Access
    reader: EventReader
    waiting: set[anyio.CancelScope]
    who: Caller
    still_open: Callable[[], object]

    async def ask(self, body: Asked, **conversation: Any) -> tuple[Services, Record]:
        """Ask, after this conversation; return the services of the question's collection, and its record."""

        def ask() -> tuple[Services, Record]:
            services = self.access.open(body.collection)
            private, budget = self.who.role < Role.operate, submit.default_budget(services)
            new = replace(submit.to_new(body, budget, private=private, owner=self.who.owner), **conversation)
            return services, read_record(services, submit.submit(services, new)[0].id)

        return await to_thread.run_sync(ask)

    async def final_record(self, services: Services, asked: Record, *, within_s: float) -> Record:
        """Return the record as soon as it is final, or as it is after ``within_s`` seconds."""
        read = record_reader(services, asked.id, self.still_open)
        return await final_record(
            listening(self.reader, services), asked, read, within_s=within_s, waiting=self.waiting
        )


async def _waiter(
    access: AccessDep, reader: ReaderDep, waiting: WaitingDep, who: CallerDep, still_open: StillOpenDep
) -> Waiter:
    return Waiter(access=access, reader=reader, waiting=waiting, who=who, still_open=still_open)


WaiterDep = Annotated[Waiter, Depends(_waiter)]


def link_to_next(request: Request, response: Response, after: str) -> None:
    """Name in the response the address of the part of a list that follows: it begins behind ``after``."""
    query = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    response.headers["link"] = f'<{request.url.path}?{urlencode([*query, ("after", after)])}>; rel="next"'
