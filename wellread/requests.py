"""The HTTP API as values: what a call sends, and what its response means. Nothing here sends anything."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict
from urllib.parse import quote, urlsplit

import httpx2

from domain.errors import WellreadError
from wellread.records import Event

DEFAULT_URL = "http://127.0.0.1:8484"
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

    def __init__(self, *, status: int, kind: str, title: str, detail: str, what_to_do: str) -> None:
        super().__init__(" ".join(part for part in (f"{title}: {detail}", what_to_do) if part))
        self.status = status
        self.kind = kind  #: the problem's ``type``: stable, for programs
        self.title, self.detail, self.what_to_do = title, detail, what_to_do


class Options(TypedDict, total=False):
    """What a question may say of how it is to be answered; what is left out is the server's default."""

    crawl_enabled: bool  # whether the web may be read
    max_search_cycles: int
    max_age: int  # seconds; evidence read longer ago does not count
    strategy: str
    reuse: bool  # whether an equal question's answer, or run, may be given
    watch: bool  # whether it is asked again when a page that its answer cites changes
    sites: Sequence[str]  # URL prefixes to read and to answer from, and no others
    langs: Sequence[str]  # languages of the pages that may answer, ISO 639-1
    budget: Mapping[str, float]  # seconds, pages, bytes, depth


class Terms(Options, total=False):
    """What a question that is not waited for may say besides."""

    callback_url: str
    deadline: float  # seconds
    priority: int  # 0 to 9; 9 is served first


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request."""

    method: str = "GET"
    path: str
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    within_s: float = 15.0

    @property
    def sends(self) -> dict[str, Any]:
        """The arguments of httpx2's ``request`` besides method and URL."""
        return {"json": self.body, "headers": dict(self.headers), "timeout": self.within_s}


def chat(question: str, wait_s: float, options: Mapping[str, Any]) -> Call:
    """Ask and wait."""
    body = {"question": question, "wait": wait_s, **_plain(options)}
    return Call(method="POST", path="/api/chat", body=body, within_s=wait_s + 15.0)


def submit(question: str, idempotency_key: str, terms: Mapping[str, Any]) -> Call:
    """Ask without waiting."""
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    return Call(method="POST", path="/api/questions", body={"question": question, **_plain(terms)}, headers=headers)


def of_question(question_id: str, what: str = "", *, method: str = "GET") -> Call:
    """Something of one question: its record, or what hangs on it."""
    return Call(method=method, path=f"/api/questions/{quote(question_id, safe='')}{what}")


def watch(question_id: str, callback_url: str) -> Call:
    """Have a question asked again when its evidence changes."""
    return replace(
        of_question(question_id, "/watch", method="POST"), body={"callback_url": callback_url} if callback_url else {}
    )


def feedback(question_id: str, verdict: str, comment: str, revision: int | None) -> Call:
    """Say whether an answer is right."""
    body = {"verdict": verdict, "comment": comment} | ({} if revision is None else {"revision": revision})
    return replace(of_question(question_id, "/feedback", method="POST"), body=body)


def add_source(url: str, *, own: bool, min_delay_s: float | None) -> Call:
    """Keep a site."""
    body = {"url": url, "own": own} | ({} if min_delay_s is None else {"min_delay": min_delay_s})
    return Call(method="POST", path="/api/sources", body=body)


def check_address(url: str) -> str:
    """The API's address; raises Unreachable for what is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ApiUnreachable(f"{url!r} is not the address of an API: it looks like http://127.0.0.1:8484.")
    return url.rstrip("/")


def headers(key: str) -> dict[str, str]:
    """What every request carries."""
    return {"authorization": f"Bearer {key}"} if key else {}


def answer(response: httpx2.Response) -> Any:
    """The JSON of a response that has been read; raises Refused, or Unreachable when it is not Wellread's."""
    try:
        said = response.json() if response.content else None
    except ValueError:
        said = None
        if response.is_success:
            raise ApiUnreachable(f"What answers at {response.url} is not Wellread: check the API's address.") from None
    if response.is_success:
        return said
    raise _refusal(response, said if isinstance(said, dict) else {})


def unreachable(url: str, error: Exception) -> ApiUnreachable:
    """A failure of the connection, in words."""
    why = str(error) or type(error).__name__
    return ApiUnreachable(
        f"Wellread does not answer at {url} ({why}): start it with `wellread up`, or check the API's address."
    )


def to_event(sent: httpx2.ServerSentEvent) -> Event:
    """A server-sent event as a step of progress."""
    return Event(id=sent.id, kind=sent.event, data=json.loads(sent.data))


def resume(after: str) -> dict[str, str]:
    """The header that asks only for later events."""
    return {"last-event-id": after} if after else {}


def pause_s(tries: int) -> float:
    """Seconds to wait before trying again for the ``tries``-th time."""
    return float(min(4.0, 0.25 * 2 ** (tries - 1)))


def check_tries(url: str, broken: Exception, tries: int) -> None:
    """Give up on a stream: at once when the server refuses it, else after many tries in a row."""
    if isinstance(broken, Refused) and (broken.status < 500 or tries >= MAX_TRIES):
        raise broken
    if tries >= MAX_TRIES:
        raise unreachable(url, broken) from broken


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if name in ("sites", "langs") else value for name, value in options.items()}


def _refusal(response: httpx2.Response, problem: Mapping[str, Any]) -> Refused:
    return Refused(
        status=response.status_code,
        kind=str(problem.get("type") or "about:blank"),
        title=str(problem.get("title") or f"HTTP {response.status_code}"),
        detail=str(problem.get("detail") or f"{response.url} answered {response.reason_phrase or 'nothing'}."),
        what_to_do=str(problem.get("what_to_do") or ""),
    )
