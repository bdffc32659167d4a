"""The client's calls for sources with their schedules, whole sites and pages: synchronous and asynchronous."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from domain import Schedule
from wellread.records import StoredPage, to_page, to_value
from wellread.requests import Call

_SITE_READS = "/api/site-reads"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A site that may be read for any question."""

    id: int
    url: str
    own: bool  #: the operator's own: its address may be private
    min_delay_s: float | None
    schedule: Schedule | None = None  #: None: each page by its own interval
    next_due: datetime | None = None  #: when it is looked at again by its schedule


@dataclass(frozen=True, kw_only=True)
class SiteRead:
    """How far the reading of a whole site has come; the counts are of pages."""

    id: int
    url: str
    status: str  #: RUNNING, PAUSED, DONE or CANCELLED
    reason: str | None  #: why it ended
    max_pages: int
    max_depth: int
    found: int
    looked_at: int
    new: int  #: with a text that was not known
    unchanged: int
    left_out: int  #: forbidden by the site, gone, or without text
    failed: int
    bytes: int
    embedding: int  #: those that still wait to be in the knowledge base
    active_s: float
    pages_per_s: float
    left_s: float | None  #: None while it cannot be told
    json: Mapping[str, Any]  #: as the server sent it

    @property
    def is_final(self) -> bool:
        """Return whether no more of the site is read."""
        return self.status in ("DONE", "CANCELLED")


def to_source(sent: Mapping[str, Any]) -> Source:
    """Read the JSON of a source."""
    schedule, due = sent.get("schedule"), sent.get("next_due")
    read = {
        "schedule": to_value(Schedule, schedule) if schedule else None,
        "next_due": datetime.fromisoformat(due) if due else None,
    }
    return to_value(Source, {**sent, **read})


def to_site_read(sent: Mapping[str, Any]) -> SiteRead:
    """Read the JSON of a site read."""
    return to_value(SiteRead, {**sent, "json": sent})


def change_source(source_id: int, changes: Mapping[str, Any]) -> Call:
    """Change a source's settings; what is not among the changes stays."""
    return Call(method="PATCH", path=f"/api/sources/{source_id}", body=changes)


def read_site(url: str, max_pages: int | None, max_depth: int | None) -> Call:
    """Have a whole site read."""
    limits = {"max_pages": max_pages, "max_depth": max_depth}
    body = {"url": url} | {name: value for name, value in limits.items() if value is not None}
    return Call(method="POST", path=_SITE_READS, body=body)


def of_site_read(site_read_id: int, doing: str = "") -> Call:
    """Look at a site read, or pause, resume or cancel it."""
    path = f"{_SITE_READS}/{site_read_id}"
    return Call(method="POST", path=f"{path}/{doing}") if doing else Call(path=path)


class Sites(ABC):
    """What :class:`wellread.client.Client` does with sources, whole sites and pages."""

    @abstractmethod
    def _send(self, call: Call) -> Any: ...

    def change_source(self, source_id: int, **changes: Any) -> Source:
        """Change ``min_delay_s``, ``every`` ("6h"), ``cron`` or ``zone``; what is left out stays.

        ``every=None, cron=None`` ends a schedule.
        """
        return to_source(self._send(change_source(source_id, changes)))

    def read_site(self, url: str, *, max_pages: int | None = None, max_depth: int | None = None) -> SiteRead:
        """Have a whole site read into the knowledge base; :meth:`site_read` tells how far that has come."""
        return to_site_read(self._send(read_site(url, max_pages, max_depth)))

    def site_read(self, site_read_id: int) -> SiteRead:
        """Return how far the reading of a site has come."""
        return to_site_read(self._send(of_site_read(site_read_id)))

    def site_reads(self) -> list[SiteRead]:
        """The last site reads, newest first."""
        return [to_site_read(sent) for sent in self._send(Call(path=_SITE_READS))]

    def pause_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site for now."""
        return to_site_read(self._send(of_site_read(site_read_id, "pause")))

    def resume_site_read(self, site_read_id: int) -> SiteRead:
        """Go on with a site."""
        return to_site_read(self._send(of_site_read(site_read_id, "resume")))

    def cancel_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site; what was read stays."""
        return to_site_read(self._send(of_site_read(site_read_id, "cancel")))

    def page_at(self, url: str) -> StoredPage:
        """The stored page with this URL."""
        return to_page(self._send(page_at(url)))


class AsyncSites(ABC):
    """What :class:`wellread.client.AsyncClient` does with sources, whole sites and pages: the same methods, awaited."""

    @abstractmethod
    async def _send(self, call: Call) -> Any: ...

    async def change_source(self, source_id: int, **changes: Any) -> Source:
        """Change ``min_delay_s``, ``every`` ("6h"), ``cron`` or ``zone``; what is left out stays.

        ``every=None, cron=None`` ends a schedule.
        """
        return to_source(await self._send(change_source(source_id, changes)))

    async def read_site(self, url: str, *, max_pages: int | None = None, max_depth: int | None = None) -> SiteRead:
        """Have a whole site read into the knowledge base; :meth:`site_read` tells how far that has come."""
        return to_site_read(await self._send(read_site(url, max_pages, max_depth)))

    async def site_read(self, site_read_id: int) -> SiteRead:
        """Return how far the reading of a site has come."""
        return to_site_read(await self._send(of_site_read(site_read_id)))

    async def site_reads(self) -> list[SiteRead]:
        """The last site reads, newest first."""
        return [to_site_read(sent) for sent in await self._send(Call(path=_SITE_READS))]

    async def pause_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site for now."""
        return to_site_read(await self._send(of_site_read(site_read_id, "pause")))

    async def resume_site_read(self, site_read_id: int) -> SiteRead:
        """Go on with a site."""
        return to_site_read(await self._send(of_site_read(site_read_id, "resume")))

    async def cancel_site_read(self, site_read_id: int) -> SiteRead:
        """Read no more of a site; what was read stays."""
        return to_site_read(await self._send(of_site_read(site_read_id, "cancel")))

    async def page_at(self, url: str) -> StoredPage:
        """The stored page with this URL."""
        return to_page(await self._send(page_at(url)))


def page_at(url: str) -> Call:
    """Look at the stored page with a URL."""
    return Call(path=f"/api/pages?url={quote(url, safe='')}")
