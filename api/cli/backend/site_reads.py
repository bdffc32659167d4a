"""Whole sites being read, through the API that WELLREAD_API_URL names, or in this machine's database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from api.cli.connect import named_api, open_services

if TYPE_CHECKING:
    from store.crawl.site_reads import SiteRead as FromStore
    from wellread.client import Client
    from wellread.client import SiteRead as FromApi
    from workers.services import Services

    SiteRead = FromApi | FromStore

#: how often progress is looked at
LOOK_EVERY_S = 0.5


class SiteReads(Protocol):
    """Where sites are read."""

    def latest(self) -> Sequence[SiteRead]:
        """The last ones, newest first."""

    def get(self, site_read_id: int) -> SiteRead:
        """One of them."""

    def pause(self, site_read_id: int) -> SiteRead:
        """Read no more of it for now."""

    def resume(self, site_read_id: int) -> SiteRead:
        """Go on with it."""

    def cancel(self, site_read_id: int) -> SiteRead:
        """End it."""


@contextmanager
def open_site_reads() -> Iterator[SiteReads]:
    """Yield the site reads, wherever they are kept; needs no running stack."""
    if (named := named_api()) is not None:
        with named as client:
            yield Remote(client)
        return
    yield _Local(open_services())


def follow(get: Callable[[], SiteRead], tell: Callable[[SiteRead], None]) -> SiteRead:
    """Tell how far it is until it is over and all of it can be answered from, or it is paused; returns it then."""
    while True:
        seen = get()
        tell(seen)
        is_over = seen.status in ("DONE", "CANCELLED") and not seen.embedding
        if is_over or seen.status == "PAUSED":
            return seen
        time.sleep(LOOK_EVERY_S)


class Remote:
    """Site reads through the API."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def latest(self) -> Sequence[SiteRead]:
        """The last ones, newest first."""
        return self._client.site_reads()

    def get(self, site_read_id: int) -> SiteRead:
        """One of them."""
        return self._client.site_read(site_read_id)

    def pause(self, site_read_id: int) -> SiteRead:
        """Read no more of it for now."""
        return self._client.pause_site_read(site_read_id)

    def resume(self, site_read_id: int) -> SiteRead:
        """Go on with it."""
        return self._client.resume_site_read(site_read_id)

    def cancel(self, site_read_id: int) -> SiteRead:
        """End it."""
        return self._client.cancel_site_read(site_read_id)


class _Local:
    def __init__(self, services: Services) -> None:
        from workers.crawl import sites

        self._services, self._sites = services, sites

    def latest(self) -> Sequence[SiteRead]:
        return self._sites.latest(self._services)

    def get(self, site_read_id: int) -> SiteRead:
        return self._sites.get(self._services, site_read_id)

    def pause(self, site_read_id: int) -> SiteRead:
        return self._sites.pause(self._services, site_read_id)

    def resume(self, site_read_id: int) -> SiteRead:
        return self._sites.resume(self._services, site_read_id)

    def cancel(self, site_read_id: int) -> SiteRead:
        return self._sites.cancel(self._services, site_read_id)


def plain(seen: SiteRead) -> dict[str, Any]:
    """A site read as the API gives it."""
    from wellread.client import SiteRead as FromApi

    if isinstance(seen, FromApi):
        return dict(seen.json)
    from api.schemas.sites import SiteReadOut

    return SiteReadOut.model_validate(seen).model_dump(mode="json")
