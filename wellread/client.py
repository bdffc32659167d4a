"""The clients: one that waits, and one for asyncio; :mod:`wellread.endpoints` declares what both can do."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from inspect import signature
from typing import Any, Self, TypeVar, get_args
from urllib.parse import urlsplit

import httpx2

from domain.question import EventKind
from domain.record import Event
from wellread import responses
from wellread.endpoints import AsyncEndpoints, Call, Endpoint, Endpoints, SyncEndpoints, question_path
from wellread.responses import ApiUnreachable, Refused

DEFAULT_URL = "http://127.0.0.1:8484"

Value = TypeVar("Value")


class Client(SyncEndpoints):
    """Wellread over HTTP. Close it, or use it as a context. Every failure is a :class:`wellread.ClientError`.

    The environment's proxies are not used.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str = "",
        collection: str = "",
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """``collection`` is the one that every call is about; left out: the key's first, or the default one."""
        self.url = _checked(url)
        self._http = httpx2.Client(transport=transport, **_settings(self.url, key, collection))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def events(self, question_id: str, *, after: str = "") -> Iterator[Event]:
        """Yield a question's progress up to its ``final`` event; a broken connection is taken up where it broke."""
        return self._stream(question_path(question_id, "/events"), after, last=EventKind.FINAL)

    def changes(self, question_id: str, *, after: str = "") -> Iterator[Event]:
        """Yield an event ``changed`` with each new answer of a standing question, until it is watched no longer."""
        return self._stream(question_path(question_id, "/changes"), after, last=EventKind.STOPPED)

    def _send(self, call: Call[Value]) -> Value:
        try:
            return call.read(self._http.request(**_request(call)))
        except httpx2.TransportError as error:
            raise responses.unreachable(self.url, error) from error

    def _stream(self, path: str, after: str, *, last: str) -> Iterator[Event]:
        tries = 0
        while True:
            try:
                with self._http.sse(path, headers=_resume(after), timeout=responses.SILENT_S) as stream:
                    if not stream.response.is_success:
                        stream.response.read()
                        responses.read_json(stream.response)
                    for sent in stream:
                        event, tries = responses.to_event(sent), 0
                        after = event.id or after
                        yield event
                        if event.kind == last:
                            return
                broken: Exception = ConnectionResetError("the stream ended early")
            except (httpx2.TransportError, Refused) as error:
                broken = error
            tries += 1
            responses.check_tries(self.url, broken, tries)
            time.sleep(responses.pause_s(tries))


class AsyncClient(AsyncEndpoints):
    """Wellread over HTTP. Close it, or use it as a context. Every failure is a :class:`wellread.ClientError`.

    The environment's proxies are not used.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str = "",
        collection: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """``collection`` is the one that every call is about; left out: the key's first, or the default one."""
        self.url = _checked(url)
        self._http = httpx2.AsyncClient(transport=transport, **_settings(self.url, key, collection))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def events(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield a question's progress up to its ``final`` event; a broken connection is taken up where it broke."""
        return self._stream(question_path(question_id, "/events"), after, last=EventKind.FINAL)

    def changes(self, question_id: str, *, after: str = "") -> AsyncIterator[Event]:
        """Yield an event ``changed`` with each new answer of a standing question, until it is watched no longer."""
        return self._stream(question_path(question_id, "/changes"), after, last=EventKind.STOPPED)

    async def _send(self, call: Call[Value]) -> Value:
        try:
            return call.read(await self._http.request(**_request(call)))
        except httpx2.TransportError as error:
            raise responses.unreachable(self.url, error) from error

    async def _stream(self, path: str, after: str, *, last: str) -> AsyncIterator[Event]:
        tries = 0
        while True:
            try:
                async with self._http.sse(path, headers=_resume(after), timeout=responses.SILENT_S) as stream:
                    if not stream.response.is_success:
                        await stream.response.aread()
                        responses.read_json(stream.response)
                    async for sent in stream:
                        event, tries = responses.to_event(sent), 0
                        after = event.id or after
                        yield event
                        if event.kind == last:
                            return
                broken: Exception = ConnectionResetError("the stream ended early")
            except (httpx2.TransportError, Refused) as error:
                broken = error
            tries += 1
            responses.check_tries(self.url, broken, tries)
            await asyncio.sleep(responses.pause_s(tries))


def _add_methods(declared: Callable[..., Call[Any]]) -> None:
    @wraps(declared)
    def waiting(self: Client, *args: Any, **values: Any) -> Any:
        return self._send(declared(self, *args, **values))

    @wraps(declared)
    async def awaited(self: AsyncClient, *args: Any, **values: Any) -> Any:
        return await self._send(declared(self, *args, **values))

    shape = signature(declared)
    returned = get_args(shape.return_annotation)[0]
    for client, method in ((Client, waiting), (AsyncClient, awaited)):
        method.__annotations__ = {**declared.__annotations__, "return": returned}
        method.__qualname__ = f"{client.__name__}.{method.__name__}"
        vars(method)["__signature__"] = shape.replace(return_annotation=returned)
        setattr(client, method.__name__, method)


for _each in vars(Endpoints).values():
    if isinstance(_each, Endpoint):
        _add_methods(_each.call)


def _checked(url: str) -> str:
    """Return the API's address without its last slash; raises ApiUnreachable if it is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ApiUnreachable(f"{url!r} is not the address of an API: it looks like http://127.0.0.1:8484.")
    return url.rstrip("/")


def _settings(url: str, key: str, collection: str) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    params = {"collection": collection} if collection else None
    return {"base_url": url, "headers": headers, "params": params, "trust_env": False}


def _request(call: Call[Any]) -> dict[str, Any]:
    return {name: part for name, part in vars(call).items() if name != "read"}


def _resume(after: str) -> dict[str, str]:
    return {"last-event-id": after} if after else {}
