"""Closes connections whose request does not come: its headers have to be there in time.

Without it, whoever sends a byte now and then holds a connection for ever, and some thousands of them all there are.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

#: seconds from the opening of a connection, or the first byte of a further request, to the end of its headers
HEADERS_S: Final = 20.0


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a time for the headers of each request."""

    headers_s = HEADERS_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._headers_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Take what came; where it is a part of headers, the rest is waited for until the time is up."""
        super().data_received(data)
        if self._is_answering():
            self._stop_waiting()
        elif self._headers_due is None:
            self._wait_for_headers()

    def on_response_complete(self) -> None:
        """Wait for no headers between two requests: there the server's own time for idle connections counts."""
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_headers(self) -> None:
        self._headers_due = self.loop.call_later(self.headers_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _give_up(self) -> None:
        self._headers_due = None
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.close()
