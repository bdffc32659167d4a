"""Send a call again while its deadline allows, and end a reply at the deadline however slowly it comes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TypeVar

import httpx2

from pipeline.llm import ModelBusy, ModelError, ModelUnreachable

T = TypeVar("T")

CONNECT_S = 5.0
#: a stream carries pings or tokens; the time to the first token of a long prompt is silent
SILENT_S = 30.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 8.0

#: the deadline of this thread's call on the monotonic clock; clients have no place for it
_DEADLINE: ContextVar[float] = ContextVar("deadline", default=float("inf"))


def send_with_retries(send_once: Callable[[float], T], *, timeout_s: float, max_retries: int) -> T:
    """Return what ``send_once(seconds left)`` returns, within ``timeout_s`` seconds.

    Retries a busy API and a broken connection as long as the wait ends before the deadline. A server that sends slowly
    and then falls silent can exceed the deadline, by ``SILENT_S`` at most.
    """
    deadline = time.monotonic() + timeout_s
    token = _DEADLINE.set(deadline)
    try:
        for attempt in range(max_retries + 1):
            try:
                return send_once(max(0.001, deadline - time.monotonic()))
            except (ModelBusy, ModelUnreachable) as error:
                wait_s = _wait_s(attempt, error)
                if attempt == max_retries or time.monotonic() + wait_s >= deadline:
                    raise
                time.sleep(wait_s)
    finally:
        _DEADLINE.reset(token)
    raise AssertionError("unreachable: the last attempt returns or raises")


def stop_at_deadline(response: httpx2.Response) -> None:
    """End the response's bytes at the deadline of the call: an event hook of the client."""
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _UntilDeadline(response.stream, _DEADLINE.get())


def retry_after_s(header: str) -> float | None:
    """Return the seconds of a ``Retry-After`` header; None for a date or nonsense."""
    try:
        seconds = float(header)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _wait_s(attempt: int, error: ModelError) -> float:
    """Return the seconds before the next attempt: as the API asks, else doubling, less a random part."""
    if isinstance(error, ModelBusy) and error.retry_after_s is not None:
        return error.retry_after_s
    return min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0**attempt) * random.uniform(0.75, 1.0)  # noqa: S311 (no secret)


class _UntilDeadline(httpx2.SyncByteStream):
    """A response's bytes until the deadline; the client's own timeouts limit only the gaps between them."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the deadline of the call has passed")
            yield chunk

    def close(self) -> None:
        self._stream.close()
