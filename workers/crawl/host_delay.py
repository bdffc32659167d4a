"""Computes the delay between two requests to a host: from its source, its own request, and how fast it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crawler import urls
from crawler.robots import crawl_delay
from domain.site import Source
from store.crawl import sources

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from crawler.read import ReadResult
    from workers.services import Services


def delay_s(session: Session, services: Services, url: str, known: Sequence[Source]) -> float:
    """Return the stored delay of the URL's host, or the shortest one."""
    shortest = _floor_s(services, url, known)
    return max(shortest, sources.delay_s(session, urls.origin(url)) or shortest)


def next_delay_s(services: Services, url: str, known: Sequence[Source], before_s: float, reading: ReadResult) -> float:
    """Return the host's next delay after its answer, and save it where it differs."""
    if reading.status is None:
        return before_s
    seconds = crawl_delay.next_delay_s(
        before_s,
        reading.elapsed_s,
        status=reading.status,
        crawl_delay_s=reading.crawl_delay_s,
        retry_after_s=reading.retry_after_s,
        floor_s=_floor_s(services, url, known),
    )
    if abs(seconds - before_s) > 0.1 * max(before_s, 0.1):
        with services.database.write() as session:
            sources.save_delay(session, urls.origin(url), seconds)
    return seconds


def _floor_s(services: Services, url: str, known: Sequence[Source]) -> float:
    """Return the shortest delay at this host: the source's own setting, else the general one."""
    for source in known:
        if source.min_delay_s is not None and urls.origin(source.url) == urls.origin(url):
            return source.min_delay_s
    return services.settings.min_delay_s
