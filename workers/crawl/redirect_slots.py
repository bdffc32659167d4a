"""Takes slots at the hosts that a page's redirects lead to."""

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

#: the longest wait for another host's slot; beyond it the page is read later
MOST_WAIT_S = 5.0


class RedirectSlots:
    """Takes a slot at each further host before its first request, and releases all slots together."""

    def __init__(self, services: Services, own_url: str, known: Sequence[Source]) -> None:
        self._services, self._known = services, known
        self._own = urls.origin(own_url)
        self._taken: dict[str, tuple[Slot, float]] = {}

    async def take(self, url: str) -> None:
        """Take a slot at the URL's host unless one is taken; raises HostBusy if the wait is too long."""
        host = urls.origin(url)
        if host == self._own or host in self._taken:
            return
        with self._services.database.read() as session:
            delay_s = host_delay.delay_s(session, self._services, url, self._known)
        left_s = MOST_WAIT_S
        while (slot := self._claim(host, delay_s)).wait_s > 0:
            left_s -= slot.wait_s
            if left_s < 0:
                raise HostBusy(f"It leads to {host}, which is busy with other requests.", after_s=slot.wait_s)
            await asyncio.sleep(slot.wait_s)
        self._taken[host] = slot, delay_s

    def release(self) -> None:
        """Release the slots; each host gets its own delay."""
        for slot, delay_s in self._taken.values():
            self._services.host_slots.release(slot, now=time.time(), delay_s=delay_s)
        self._taken.clear()

    def _claim(self, host: str, delay_s: float) -> Slot:
        return self._services.host_slots.claim(host, now=time.time(), delay_s=delay_s)
