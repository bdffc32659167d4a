"""Ends a stream of events when the key that opened it is revoked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from anyio import to_thread

from api.middleware.auth import InvalidApiKey
from domain.record import Event, Record


def checked(still_open: Callable[[], object], read_record: Callable[[], Record]) -> Callable[[], Record]:
    """Return what looks the key up before it reads the record."""

    def read() -> Record:
        still_open()
        return read_record()

    return read


async def while_open(events: AsyncIterator[Event], still_open: Callable[[], object]) -> AsyncIterator[Event]:
    """Yield the events; where the key opens nothing any more, end."""
    try:
        async for event in events:
            await to_thread.run_sync(still_open)
            yield event
    except InvalidApiKey:
        return
