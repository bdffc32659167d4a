"""The turns that a reading takes at other hosts than its candidate's: those that redirects lead to."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from crawler import urls
from crawler.robots.permission import HostBusy
from workers.crawl import host_delay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from domain.site import Source
    from store.ephemeral.host_slots import Slot
    from workers.services import Services

#: a reader waits for so long at another host; for longer it goes away, and has the page asked for again then
MOST_WAIT_S = 5.0


class RedirectSlots:
    """Takes a turn at each further host before it is asked, and gives all of them back together."""

    def __init__(self, services: Services, own_url: str, known: Sequence[Source]) -> None:
        self._services, self._known = services, known
        self._own = urls.origin(own_url)
        self._taken: dict[str, tuple[Slot, float]] = {}

    async def take(self, url: str) -> None:
        """Take a turn at the URL's host unless there is one; raises HostBusy where that would take long."""
        host = urls.origin(url)
        if host == self._own or host in self._taken:
            return
        with self._services.database.read() as session:
            delay_s = host_delay.delay_s(session, self._services, url, self._known)
        left_s = MOST_WAIT_S
        while (turn := self._claim(host, delay_s)).wait_s > 0:
            left_s -= turn.wait_s
            if left_s < 0:
                raise HostBusy(f"It leads to {host}, which is asked by others just now.", after_s=turn.wait_s)
            await asyncio.sleep(turn.wait_s)
        self._taken[host] = turn, delay_s

    def release(self) -> None:
        """Return the hosts back; each rests for its own pause."""
        for turn, delay_s in self._taken.values():
            self._services.slots.release(turn, now=time.time(), delay_s=delay_s)
        self._taken.clear()

    def _claim(self, host: str, delay_s: float) -> Slot:
        return self._services.slots.claim(host, now=time.time(), delay_s=delay_s)
