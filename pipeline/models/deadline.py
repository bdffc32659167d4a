"""End a call in time however the server behaves; what both HTTP clients of models share.

Two times bound an attempt: until its first token, and until its end. They hold inside each read of the socket, as
nobody can interrupt a thread. A name that the resolver is slow to look up is the only wait that they do not end.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore2
import httpx2

from pipeline.models.pace import Times

CONNECT_S = 5.0
#: how long an idle connection is kept; the client's own 5 s would open a new one for nearly every question
IDLE_S = 60.0
#: as many connections as there are threads that ask, all of which are kept
LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=IDLE_S)

#: by which a service asks everybody to slow down; it is overloaded, or the account is over its limit
LIMIT_STATUSES = frozenset({429, 503, 529})
#: of text and thoughts for each token that was allowed; a reply with more does not end
MAX_CHARACTERS_PER_TOKEN = 16

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


@dataclass(kw_only=True, eq=False)
class _Attempt:
    """The attempt of this thread; the moments are those of the monotonic clock."""

    times: Times
    first_until: float
    whole_until: float
    has_begun: bool = False
    late: str = ""  #: what it did not do in its time

    @property
    def ends_at(self) -> float:
        """When it ends, as far as it has come."""
        return self.whole_until if self.has_begun else self.first_until

    def late_for(self) -> str:
        """Return what it does not do in its time, and which setting allows more."""
        if time.monotonic() >= self.whole_until:
            limit = "WELLREAD_MODEL_TIMEOUT_S, or the question's own time"
            return f"gave no complete reply within {self.times.whole_s:.3g} s ({limit})"
        did_not = "fell silent for" if self.has_begun else "did not begin to reply within"
        return f"{did_not} {self.times.first_token_s:.3g} s (WELLREAD_MODEL_FIRST_TOKEN_S)"


_ATTEMPT: ContextVar[_Attempt | None] = ContextVar("attempt", default=None)


@contextmanager
def attempt(times: Times, *, ends_at: float | None = None) -> Iterator[None]:
    """Bound all that this thread reads; ``ends_at`` is the end of the whole call on the monotonic clock."""
    now = time.monotonic()
    end = now + times.whole_s if ends_at is None else ends_at
    token = _ATTEMPT.set(_Attempt(times=times, first_until=min(end, now + times.first_token_s), whole_until=end))
    try:
        yield
    finally:
        _ATTEMPT.reset(token)


def note_first_token() -> None:
    """Say that the reply of this thread's attempt has begun."""
    if current := _ATTEMPT.get():
        current.has_begun = True


def is_overdue() -> bool:
    """Return whether this thread's attempt has used up its time: then nothing is asked again."""
    current = _ATTEMPT.get()
    return current is not None and bool(current.late)


def what_was_late() -> str:
    """Return what this thread's attempt did not do in its time, and which setting allows more."""
    current = _ATTEMPT.get()
    return current.late if current and current.late else "cannot be reached in time"


def timeout() -> httpx2.Timeout:
    """Return the client's own time limits for this thread's attempt; its reads have those of ``bound_reads`` too."""
    current = _ATTEMPT.get()
    left_s = max(0.001, current.first_until - time.monotonic()) if current else CONNECT_S
    return httpx2.Timeout(current.times.whole_s if current else CONNECT_S, connect=min(CONNECT_S, left_s))


def bound_reads(request: httpx2.Request) -> None:
    """Bound each read and write of the request's connection: an event hook of a client for its requests."""
    request.extensions["trace"] = _bound_new_connection


def _bound_new_connection(event: str, info: Mapping[str, Any]) -> None:
    """Follow a request as httpcore's trace extension tells it: clients have no place for a deadline."""
    if event.endswith(("connect_tcp.complete", "start_tls.complete", "connect_unix_socket.complete")):
        stream: Any = info["return_value"]
        stream.read, stream.write = _in_time(stream.read), _in_time(stream.write)


def _in_time(transfer: Callable[..., Any]) -> Callable[..., Any]:
    def bounded(data: object, timeout: float | None = None) -> Any:
        if not (current := _ATTEMPT.get()):
            return transfer(data, timeout)
        left_s = current.ends_at - time.monotonic()
        try:
            if left_s <= 0:
                raise httpcore2.ReadTimeout
            return transfer(data, min(left_s, current.times.first_token_s))
        except httpcore2.TimeoutException:
            current.late = current.late_for()
            raise

    return bounded


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds for which a service asks to be left alone; None if it does not say so in seconds.

    ``Retry-After`` says so, ``retry-after-ms``, or, at servers with OpenAI's API, when their limit is renewed.
    """
    named = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    for text, unit_s in zip(named, (0.001, 1.0), strict=True):
        try:
            seconds = float(text) * unit_s
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    renewed = [_duration_s(headers.get(f"x-ratelimit-reset-{what}", "")) for what in ("requests", "tokens")]
    spent = [headers.get(f"x-ratelimit-remaining-{what}", "") == "0" for what in ("requests", "tokens")]
    return max(
        (after_s for after_s, is_spent in zip(renewed, spent, strict=True) if is_spent and after_s), default=None
    )


def _duration_s(text: str) -> float:
    """Return the seconds of a duration such as 6m0s or 20ms; 0 for anything else."""
    parts = _DURATION.findall(text)
    return sum(float(number) * _UNITS_S[unit] for number, unit in parts) if _DURATION.sub("", text) == "" else 0.0
