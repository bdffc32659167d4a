"""Connect to the addresses that the guard admitted.

A name is resolved once, the guard must admit every address, and the connection goes to one of them. TLS still
verifies the name, because the connection pool starts it with the URL's host.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from ipaddress import ip_address

import httpcore2

from crawler.fetch.guard import Blocked, Guard

#: maps a host and a port to the host's IP addresses, best first; raises OSError if there are none
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

MAX_TRIED = 3  #: addresses tried of one host

SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver, in a thread of its own.

    A hostile DNS server can block getaddrinfo for tens of seconds; in the loop's executor a few of those would starve
    every other user of it and delay the process's end.
    """
    answer: Future[Sequence[str]] = Future()
    answer.set_running_or_notify_cancel()  # so that the thread may end it after the caller has given up

    def resolve() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result(list(dict.fromkeys(str(row[4][0]) for row in rows)))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)

    threading.Thread(target=resolve, name=f"dns {host}", daemon=True).start()
    return await asyncio.wrap_future(answer)


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Opens the connection pool's connections: to admitted addresses only, never to a unix socket."""

    def __init__(self, guard: Guard, resolve: Resolver, *, dns_s: float, connect_s: float) -> None:
        self._guard = guard
        self._resolve = resolve
        self._dns_s = dns_s
        self._connect_s = connect_s
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the pool's interface
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first of the host's addresses that answers; raises Blocked if one is not admitted."""
        addresses = self._guard.admit(host, port, await self._addresses(host, port))
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses[:MAX_TRIED]:
            try:
                stream = await self._network.connect_tcp(address, port, timeout=self._connect_s)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
                continue
            peer = (stream.get_extra_info("server_addr") or ("",))[0]
            if not peer or ip_address(peer) != ip_address(address):  # as a library in between could have it
                await stream.aclose()
                raise Blocked(f"The connection to {address} ended at {peer or 'an unknown address'}")
            return stream
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the pool's interface
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse every unix socket."""
        raise Blocked(f"{path} is a unix socket: only the web is read")

    async def sleep(self, seconds: float) -> None:
        """Sleep between the pool's attempts."""
        await asyncio.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            return [str(ip_address(host))]
        except ValueError:
            pass
        try:
            async with asyncio.timeout(self._dns_s):
                return await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"the name was not resolved in {self._dns_s:g} s") from error
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise httpcore2.ConnectError(f"the name does not resolve: {why}") from error
