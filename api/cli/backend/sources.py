"""The sites to read, chosen through the API that WELLREAD_API_URL names, or in this machine's database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from api.cli.connect import named_api, open_services
from domain.errors import WellreadError

if TYPE_CHECKING:
    from datetime import datetime

    from domain import Schedule
    from store.crawl.sources import Source
    from wellread.client import Client
    from workers.services import Services


class UnknownSource(WellreadError):
    """No such site is kept."""


class Site(Protocol):
    """A site that is kept."""

    @property
    def url(self) -> str:
        """Its canonical URL."""

    @property
    def own(self) -> bool:
        """Return whether it is the operator's own."""

    @property
    def min_delay_s(self) -> float | None:
        """Seconds between two requests to it; None: the setting."""

    @property
    def schedule(self) -> Schedule | None:
        """When it is looked at; None: each page by its own interval."""

    @property
    def next_due(self) -> datetime | None:
        """When it is looked at again by its schedule."""


class Sources(Protocol):
    """Where the sites are kept."""

    def add(self, url: str, *, own: bool, min_delay_s: float | None) -> Site:
        """Keep a site, or change its settings."""

    def every(self) -> Sequence[Site]:
        """All sites, oldest first."""

    def change(self, url: str, **changes: Any) -> Site:
        """Change what is named: min_delay_s, every, cron, zone; the rest stays; raises UnknownSource, BadSchedule."""

    def remove(self, url: str) -> None:
        """Forget a site; raises UnknownSource."""


@contextmanager
def open_sources() -> Iterator[Sources]:
    """Yield the sites, wherever they are kept; needs no running stack."""
    if (named := named_api()) is not None:
        with named as client:
            yield _Remote(client)
        return
    yield _Local(open_services())


class _Remote:
    def __init__(self, client: Client) -> None:
        self._client = client

    def add(self, url: str, *, own: bool, min_delay_s: float | None) -> Site:
        return self._client.add_source(url, own=own, min_delay_s=min_delay_s)

    def every(self) -> Sequence[Site]:
        return self._client.sources()

    def change(self, url: str, **changes: Any) -> Site:
        known = {source.url: source.id for source in self._client.sources()}
        return self._client.change_source(known[_named(url, list(known))], **changes)

    def remove(self, url: str) -> None:
        known = {source.url: source.id for source in self._client.sources()}
        self._client.remove_source(known[_named(url, list(known))])


class _Local:
    def __init__(self, services: Services) -> None:
        self._services = services

    def add(self, url: str, *, own: bool, min_delay_s: float | None) -> Site:
        from workers.questions.submit import add_source

        return add_source(self._services, url, own=own, min_delay_s=min_delay_s)

    def every(self) -> Sequence[Source]:
        from store.crawl import sources

        with self._services.database.read() as session:
            return sources.every(session)

    def change(self, url: str, **changes: Any) -> Site:
        from workers.crawl import schedules

        known = {site.url: site.id for site in self.every()}
        kept = schedules.change(self._services, known[_named(url, list(known))], changes)
        if kept is None:
            raise UnknownSource(f"{url} was removed meanwhile: `wellread source list` shows those that are left.")
        return kept

    def remove(self, url: str) -> None:
        from store.crawl import sources

        named = _named(url, [site.url for site in self.every()])
        with self._services.database.write() as session:
            sources.remove(session, named)


def _named(url: str, known: Sequence[str]) -> str:
    """The kept URL that is meant: written as it is kept, or without its scheme or last slash."""
    meant = [kept for kept in known if url.rstrip("/") in (kept.rstrip("/"), kept.partition("://")[2].rstrip("/"))]
    if not meant:
        raise UnknownSource(f"{url} is not among the sources: `wellread source list` shows them.")
    return meant[0]
