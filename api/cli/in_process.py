"""A transport that lets the client talk to the HTTP application inside this process: no server, no port, no key."""

import asyncio

import httpx2

from api.app import routes_alone
from workers.services import Services


class InProcess(httpx2.BaseTransport):
    """Answers each request with the application's own routes; an error that a route raises reaches the caller as it is.

    Responses are read whole, so it does not serve event streams.
    """

    def __init__(self, services: Services) -> None:
        self._asgi = httpx2.ASGITransport(routes_alone(services))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the application's response."""
        return asyncio.run(self._respond(request))

    async def _respond(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._asgi.handle_async_request(request)
        return httpx2.Response(response.status_code, headers=response.headers, content=await response.aread())
