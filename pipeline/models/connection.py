"""Hold a connection pool to a service of models: end each call in time, and name its failures.

Two times bound an attempt: until its first token, and until its end. They hold inside each read of the socket, as
nobody can interrupt a thread. A name that the resolver is slow to look up is the only wait that they do not end.
Importing this imports the HTTP client, which is slow.
"""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar

import httpcore2
import httpx2

from domain.errors import masked
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.pace import Times
from pipeline.models.provider import CitedText, Json, ModelReply, OnText, Prompt

CONNECT_S = 5.0
#: how long an idle connection is kept; the client's own 5 s would open a new one for nearly every question
IDLE_S = 60.0
#: of text and thoughts for each token that was allowed; a reply with more does not end
MAX_CHARACTERS_PER_TOKEN = 16
#: of a whole reply with all its frames, and of what a server says of itself
MAX_BYTES, DETAIL_CHARACTERS = 8_000_000, 200

#: by which a service asks everybody to slow down: it is overloaded, or the account is over its limit
_LIMIT_STATUSES, _LIMIT_ERRORS = frozenset({429, 503, 529}), frozenset({"rate_limit_error", "overloaded_error"})
_BUSY_STATUSES, _BUSY_ERRORS = frozenset({408, 409, 425, 429}), _LIMIT_ERRORS | {"api_error", "timeout_error"}
_KEY_STATUSES = frozenset({401, 402, 403})
_KEY_ERRORS = frozenset({"authentication_error", "permission_error", "billing_error"})
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


class Connection(ABC):
    """A connection pool to a service; calls may be made from any thread. Each of their failures is a ``ModelError``."""

    #: what the service speaks, and the settings that messages name
    api: ClassVar[str]
    key_setting: ClassVar[str]
    url_setting: ClassVar[str]
    if_unreachable: ClassVar[str]
    takes_batches: ClassVar[bool] = False

    def __init__(self, url: str, host: str, api_key: str, client: httpx2.Client) -> None:
        self._url, self._host, self._api_key, self._http = url, host, api_key, client

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._host})"

    def send(self, request: Json, prompt: Prompt, on_text: OnText | None = None) -> ModelReply:
        """Send ``request``, which was made of ``prompt``, once; return the whole reply.

        What ``on_text`` raises is no failure of the model.
        """
        with closing(self._reply(request, prompt)) as growing:
            while True:
                try:
                    so_far = next(growing)
                except StopIteration as end:
                    whole: ModelReply = end.value
                    return whole
                if on_text:
                    on_text(so_far)

    @abstractmethod
    def _reply(self, request: Json, prompt: Prompt) -> Generator[Sequence[CitedText], None, ModelReply]:
        """Yield the text as it grows, and return the whole reply."""

    @abstractmethod
    def models(self) -> tuple[str, ...]:
        """Return the names of the models that may be asked; asking for them costs nothing."""

    def warm(self) -> None:
        """Load what calls need and open a connection; whatever the server replies to this will do."""
        with (
            self.naming_failures(),
            self._http.stream("GET", self._url, timeout=timeout()) as response,
            suppress(BadReply),
        ):
            read_whole(response, MAX_BYTES)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @contextmanager
    def naming_failures(self) -> Iterator[None]:
        """Raise every failure as a ``ModelError``: what a server or the SDK passes on is not validated."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            raise self._named(error) from error

    def _named(self, error: Exception) -> ModelError:
        if isinstance(error, httpx2.TransportError | httpx2.InvalidURL):
            return self._unreachable(error)
        return BadReply(
            f"{self._host} sent no valid reply of the {self.api} ({type(error).__name__}): check {self.url_setting}."
        )

    def _unreachable(self, error: BaseException) -> ModelUnreachable:
        what = "cannot be reached"
        if isinstance(error, httpx2.TimeoutException):
            current = _ATTEMPT.get()
            what = current.late if current and current.late else "cannot be reached in time"
        elif isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
            what = "broke off the connection"
        return ModelUnreachable(f"{self._host} {what}: check {self.if_unreachable}.")

    def _refused(self, code: int, said: str, headers: Mapping[str, str], kind: str = "") -> ModelError:
        """Return the failure that the service reports by its status, or by the kind of an error within a stream."""
        detail = self._detail(said)
        status = f"{code} {kind}".strip() + detail
        if code in _KEY_STATUSES or kind in _KEY_ERRORS:
            return ApiKeyRejected(f"{self._host} does not accept the key ({status}): check {self.key_setting}.")
        if code in _BUSY_STATUSES or (code >= 500 and code != 501) or kind in _BUSY_ERRORS:
            return ModelBusy(
                f"{self._host} is busy ({status}): ask again later.",
                retry_after_s=retry_after_s(headers),
                is_limit=code in _LIMIT_STATUSES or kind in _LIMIT_ERRORS,
            )
        return BadReply(f"{self._host} cannot use the request ({status}): {self._advice(code, detail)}")

    def _advice(self, code: int, detail: str) -> str:
        """Return what to do about a request that the service cannot use."""
        return f"check WELLREAD_SMALL_MODEL, WELLREAD_LARGE_MODEL and {self.url_setting}."

    def _detail(self, text: str) -> str:
        # a proxy's error page may repeat the request's headers
        shown = " ".join(masked(text, self._api_key).split())
        return f": {shown[:DETAIL_CHARACTERS]}" if shown and not shown.startswith("<") else ""


def client(kind: type[httpx2.Client] = httpx2.Client, **others: Any) -> httpx2.Client:
    """Return a client that keeps as many connections as there are threads that ask.

    It follows no redirect: another server would get the question and the passages.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=IDLE_S)
    return kind(follow_redirects=False, limits=limits, event_hooks={"request": [_bound_reads]}, **others)


def read_whole(response: httpx2.Response, most: int) -> bytes:
    """Return the body of a reply; raises BadReply for a longer one."""
    return b"".join(read_bounded(response, most))


def read_bounded(response: httpx2.Response, most: int) -> Iterator[bytes]:
    """Yield the body of a reply in parts; raises BadReply if it is longer than ``most`` bytes."""
    read = 0
    for chunk in response.iter_bytes():
        read += len(chunk)
        if read > most:
            raise BadReply(f"The model's reply is longer than {most:,} bytes.")
        yield chunk


@dataclass(kw_only=True, eq=False)
class Attempt:
    """The attempt of this thread; the moments are those of the monotonic clock."""

    times: Times
    first_until: float
    whole_until: float
    has_begun: bool = False
    late: str = ""  #: what it did not do in its time, and which setting allows more

    @property
    def left_s(self) -> float:
        """Return the seconds that are left, as far as it has come."""
        return (self.whole_until if self.has_begun else self.first_until) - time.monotonic()

    def note_late(self) -> None:
        """Note what was not done in time."""
        if time.monotonic() >= self.whole_until:
            limit = "WELLREAD_MODEL_TIMEOUT_S, or the question's own time"
            self.late = f"gave no complete reply within {self.times.whole_s:.3g} s ({limit})"
        else:
            did_not = "fell silent for" if self.has_begun else "did not begin to reply within"
            self.late = f"{did_not} {self.times.first_token_s:.3g} s (WELLREAD_MODEL_FIRST_TOKEN_S)"


_ATTEMPT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


@contextmanager
def attempt(times: Times, *, ends_at: float | None = None) -> Iterator[Attempt]:
    """Bound all that this thread reads; ``ends_at`` is the end of the whole call on the monotonic clock."""
    now = time.monotonic()
    end = now + times.whole_s if ends_at is None else ends_at
    current = Attempt(times=times, first_until=min(end, now + times.first_token_s), whole_until=end)
    token = _ATTEMPT.set(current)
    try:
        yield current
    finally:
        _ATTEMPT.reset(token)


def note_first_token() -> None:
    """Say that the reply of this thread's attempt has begun."""
    if current := _ATTEMPT.get():
        current.has_begun = True


def timeout() -> httpx2.Timeout:
    """Return the client's own time limits for this thread's attempt; its reads are bounded besides."""
    current = _ATTEMPT.get()
    if current is None:
        return httpx2.Timeout(CONNECT_S)
    left_s = max(0.001, current.first_until - time.monotonic())
    return httpx2.Timeout(current.times.whole_s, connect=min(CONNECT_S, left_s))


def _bound_reads(request: httpx2.Request) -> None:
    """Bound each read and write of the request's connection: clients have no place for a deadline."""
    request.extensions["trace"] = _bound_new_connection


def _bound_new_connection(event: str, info: Mapping[str, Any]) -> None:
    """Follow a request as httpcore's trace extension tells it."""
    if event.endswith(("connect_tcp.complete", "start_tls.complete", "connect_unix_socket.complete")):
        stream: Any = info["return_value"]
        stream.read, stream.write = _in_time(stream.read), _in_time(stream.write)


def _in_time(transfer: Callable[..., Any]) -> Callable[..., Any]:
    def bounded(data: object, timeout: float | None = None) -> Any:
        if not (current := _ATTEMPT.get()):
            return transfer(data, timeout)
        try:
            if (left_s := current.left_s) <= 0:
                raise httpcore2.ReadTimeout
            return transfer(data, min(left_s, current.times.first_token_s))
        except httpcore2.TimeoutException:
            current.note_late()
            raise

    return bounded


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds for which a service asks to be left alone; None if it does not say so in seconds.

    ``Retry-After`` says so, ``retry-after-ms``, or, at servers with OpenAI's API, when their limit is renewed.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            if 0 <= (seconds := float(headers.get(name, "")) * unit_s) < float("inf"):
                return seconds
    spent = [what for what in ("requests", "tokens") if headers.get(f"x-ratelimit-remaining-{what}") == "0"]
    renewed = [_duration_s(headers.get(f"x-ratelimit-reset-{what}", "")) for what in spent]
    return max(filter(None, renewed), default=None)


def _duration_s(text: str) -> float:
    """Return the seconds of a duration such as 6m0s or 20ms; 0 for anything else."""
    parts = _DURATION.findall(text)
    return sum(float(number) * _UNITS_S[unit] for number, unit in parts) if _DURATION.sub("", text) == "" else 0.0
