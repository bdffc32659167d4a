"""One question asked over HTTP: when, by whom it was taken, what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from domain import Status
from wellread import AsyncClient, ClientError, Record, Refused

#: how long a caller waits for an answer
WAIT_S = 30.0
#: statuses that say: not now, come again
_LATER = (429, 503)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request, and what it was answered."""

    asked_at: float  #: monotonic seconds
    seconds: float  #: from request to response
    question_id: str = ""  #: "": it was not taken
    status: Status | None = None
    retry_after_s: float | None = None  #: of a refusal
    comes_again: bool = False  #: whether it was refused before, and told to come now
    error: str = ""  #: of what is neither an answer nor a refusal

    @property
    def answered(self) -> bool:
        """Return whether the answer, or that none is known, came within the time that was waited."""
        return self.status in (Status.ANSWERED, Status.ABSTAINED)

    @property
    def refused(self) -> bool:
        """Return whether it was told to come again later."""
        return self.retry_after_s is not None


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Asks questions of one kind: each as a new one, or as one that may have been answered before."""

    client: AsyncClient
    next_text: Callable[[], str]
    reuse: bool
    wait_s: float = WAIT_S

    async def ask(self, text: str = "", *, comes_again: bool = False) -> Call:
        """Ask a question, the next one where none is named, and wait for its answer."""
        began = time.monotonic()
        try:
            record = await self.client.ask(
                text or self.next_text(), wait=self.wait_s, crawl_enabled=False, reuse=self.reuse
            )
        except ClientError as error:
            later = isinstance(error, Refused) and error.status in _LATER
            return Call(
                asked_at=began,
                seconds=time.monotonic() - began,
                retry_after_s=error.retry_after_s if isinstance(error, Refused) and later else None,
                comes_again=comes_again,
                error="" if later else str(error),
            )
        return _taken(record, began, comes_again=comes_again)

    async def ask_until_taken(self, until: float) -> list[Call]:
        """Ask; where refused, come again when told to, unless that is after ``until``."""
        text = self.next_text()
        calls = [await self.ask(text)]
        while calls[-1].refused and time.monotonic() + (calls[-1].retry_after_s or 0.0) < until:
            await asyncio.sleep(calls[-1].retry_after_s or 0.0)
            calls.append(await self.ask(text, comes_again=True))
        return calls


def many_connections() -> httpx2.AsyncHTTPTransport:
    """Return what sends requests of as many callers as there are: no call waits here for another's connection."""
    return httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None))


def _taken(record: Record, began: float, *, comes_again: bool) -> Call:
    return Call(
        asked_at=began,
        seconds=time.monotonic() - began,
        question_id=record.id,
        status=record.status,
        comes_again=comes_again,
    )
