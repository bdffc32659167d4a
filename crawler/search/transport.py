"""Lets a library that speaks httpx2 out through the guarded client, and by no other way."""

from __future__ import annotations

from typing import Final

import httpx2

from crawler.fetch.client import Fetcher, FetchError, FetchTimeout
from crawler.fetch.result import ANY_TYPE

#: said by the guarded client itself
_OURS: Final = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "user-agent"})
#: no longer true of a body that was decoded
_DONE: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends POSTs; nothing else is needed."""

    def __init__(self, client: Fetcher) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            httpx2.TransportError: it is no POST, or the guarded client could not send it.
        """
        if request.method != "POST":
            raise httpx2.UnsupportedProtocol(f"{request.method} is not sent", request=request)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _OURS}
        try:
            fetched = await self._client.post(
                str(request.url), body=await request.aread(), headers=headers, accept=ANY_TYPE
            )
        except FetchTimeout as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except FetchError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        kept = {name: value for name, value in fetched.headers.items() if name not in _DONE}
        return httpx2.Response(fetched.status, headers=kept, content=fetched.body, request=request)
