"""Send the requests of a library that uses httpx2 through the guarded client."""

from __future__ import annotations

from typing import Final

import httpx2

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import FetchError
from crawler.fetch.result import ANY_TYPE, FetchTimeout

#: request headers that the guarded client sets itself
_SET_BY_CLIENT: Final = frozenset(
    {"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "user-agent"}
)
#: response headers that do not hold for the decoded body
_OF_ENCODED_BODY: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends POSTs only."""

    def __init__(self, client: Fetcher) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a POST; raises httpx2.TransportError for another request, and where the guarded client fails."""
        if request.method != "POST":
            raise httpx2.UnsupportedProtocol(f"{request.method} is not sent", request=request)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _SET_BY_CLIENT}
        try:
            fetched = await self._client.post(
                str(request.url), body=await request.aread(), headers=headers, accept=ANY_TYPE
            )
        except FetchTimeout as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except FetchError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        headers = {name: value for name, value in fetched.headers.items() if name not in _OF_ENCODED_BODY}
        return httpx2.Response(fetched.status, headers=headers, content=fetched.body, request=request)
