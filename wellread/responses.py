"""Read responses of the API: their JSON, or the error to raise; decide when to give up a broken stream."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import httpx2
from pydantic import TypeAdapter, ValidationError

from domain.errors import WellreadError
from domain.record import Event, QuestionSummary

Value = TypeVar("Value")
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)

#: the server sends a sign of life every 15 s; a stream silent for longer than this is dead
SILENT_S = 40.0
#: tries in a row to reach a stream again; with their pauses about 17 s, enough for a server that is started again
MAX_TRIES = 8


class ClientError(WellreadError):
    """The API could not be used."""


class ApiUnreachable(ClientError):
    """Nothing answers at the API's address, or not as Wellread does."""


class Refused(ClientError):
    """The API answered with a problem; the message says what happened and what to do."""

    def __init__(
        self, *, status: int, kind: str, title: str, detail: str, what_to_do: str, retry_after_s: float | None = None
    ) -> None:
        super().__init__(" ".join(part for part in (f"{title}: {detail}", what_to_do) if part))
        self.status = status
        self.kind = kind  #: the problem's ``type``: stable, for programs
        self.title, self.detail, self.what_to_do = title, detail, what_to_do
        self.retry_after_s = retry_after_s  #: when to try again, if the server says so


def read_json(response: httpx2.Response) -> Any:
    """Return the JSON of a response that has been read; raises Refused, or ApiUnreachable when it is not Wellread's."""
    try:
        body = response.json() if response.content else None
    except ValueError:
        body = None
        if response.is_success:
            raise ApiUnreachable(f"What answers at {response.url} is not Wellread: check the API's address.") from None
    if response.is_success:
        return body
    raise _refusal(response, body if isinstance(body, dict) else {})


def read_nothing(response: httpx2.Response) -> None:
    """Raise what :func:`read_json` does."""
    read_json(response)


def is_success(response: httpx2.Response) -> bool:
    """Return whether the request succeeded; raises ApiUnreachable when it is not Wellread's."""
    try:
        read_json(response)
    except Refused:
        return False
    return True


def read_text(response: httpx2.Response) -> str:
    """Return the text of a response; raises what :func:`read_json` does for one that is no success."""
    if not response.is_success:
        read_json(response)
    return response.text


def read_bytes(response: httpx2.Response) -> bytes:
    """Return the body of a response; raises what :func:`read_json` does for one that is no success."""
    if not response.is_success:
        read_json(response)
    return response.content


def unreachable(url: str, error: Exception) -> ApiUnreachable:
    """Return the error for a connection that failed."""
    why = str(error) or type(error).__name__
    return ApiUnreachable(
        f"Wellread does not answer at {url} ({why}): start it with `wellread up`, or check the API's address."
    )


def to_value(kind: type[Value], sent: Mapping[str, Any]) -> Value:
    """Return the JSON as a value, and in its field ``json`` if it has one; raises ClientError.

    Fields that an older server does not send have defaults; those that only a newer one sends are only in ``json``.
    """
    try:
        adapter: TypeAdapter[Value] = _adapter(kind)
        return adapter.validate_python({**sent, "json": sent})
    except (TypeError, ValidationError) as error:
        raise ClientError(f"The server sent no {kind.__name__} that this client can read: {error}") from error


def value(kind: type[Value]) -> Callable[[httpx2.Response], Value]:
    """Return what reads a response as such a value."""
    return lambda response: to_value(kind, read_json(response))


def values(kind: type[Value]) -> Callable[[httpx2.Response], list[Value]]:
    """Return what reads a response as a list of such values."""
    return lambda response: [to_value(kind, each) for each in read_json(response)]


@dataclass(frozen=True, kw_only=True)
class QuestionPart:
    """A part of a list of questions."""

    questions: list[QuestionSummary]
    after: str  #: give it to get the next part; "": there is none


def read_part(response: httpx2.Response) -> QuestionPart:
    """Return a part of the list; raises what :func:`read_json` does."""
    questions = values(QuestionSummary)(response)
    following = response.links.get("next", {}).get("url", "")
    return QuestionPart(questions=questions, after=str(httpx2.URL(following).params.get("after", "")))


def to_event(sent: httpx2.ServerSentEvent) -> Event:
    """Return a server-sent event as a step of progress."""
    return Event(id=sent.id, kind=sent.event, data=json.loads(sent.data))


def pause_s(tries: int) -> float:
    """Return the seconds to wait before trying again for the ``tries``-th time."""
    return float(min(4.0, 0.25 * 2 ** (tries - 1)))


def check_tries(url: str, broken: Exception, tries: int) -> None:
    """Give up on a stream: at once when the server refuses it, else after many tries in a row."""
    if isinstance(broken, Refused) and (broken.status < 500 or tries >= MAX_TRIES):
        raise broken
    if tries >= MAX_TRIES:
        raise unreachable(url, broken) from broken


def _refusal(response: httpx2.Response, problem: Mapping[str, Any]) -> Refused:
    return Refused(
        status=response.status_code,
        kind=str(problem.get("type") or "about:blank"),
        title=str(problem.get("title") or f"HTTP {response.status_code}"),
        detail=str(problem.get("detail") or f"{response.url} answered {response.reason_phrase or 'nothing'}."),
        what_to_do=str(problem.get("what_to_do") or ""),
        retry_after_s=float(after) if (after := response.headers.get("retry-after", "")).isdigit() else None,
    )
