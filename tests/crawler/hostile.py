"""Servers on loopback that behave badly, each a function from a request to bytes."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import brotli

VECTORS = Path(__file__).parent.parent / "vectors"
CERTIFICATE = VECTORS / "tls" / "localhost.pem"  # self-signed, for "localhost", with its key; trusted by nobody

Writer = asyncio.StreamWriter
#: from the request's head and where to write, to nothing: it may write what it likes
Behaviour = Callable[[str, Writer], Awaitable[None]]
#: serves one connection
Connected = Callable[[asyncio.StreamReader, Writer], Awaitable[None]]


@dataclass
class Site:
    port: int
    requests: list[str] = field(default_factory=list)  # heads, as received
    connections: int = 0

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def hole(self) -> tuple[str, int]:
        return ("127.0.0.1", self.port)


@contextlib.asynccontextmanager
async def serving(behaviour: Behaviour, *, tls: bool = False) -> AsyncIterator[Site]:
    """Run a behaviour on a free port of 127.0.0.1 until the block ends."""
    site = Site(port=0)

    async def connected(reader: asyncio.StreamReader, writer: Writer) -> None:
        site.connections += 1
        while head := await reader.readuntil(b"\r\n\r\n"):
            site.requests.append(head.decode("latin-1"))
            await behaviour(site.requests[-1], writer)

    async with listening(connected, tls=tls) as site.port:
        yield site


@contextlib.asynccontextmanager
async def listening(connected: Connected, *, tls: bool = False) -> AsyncIterator[int]:
    """Listen on a free port of 127.0.0.1, which is given, until the block ends; a client may give up on us."""

    async def handle(reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            await connected(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # this is what these tests are about
        finally:
            writer.transport.abort()

    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    # the loop tells of broken connections it cannot raise anywhere; they are expected here
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    handlers: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.ensure_future(handle(reader, writer))
        handlers.add(task)
        task.add_done_callback(handlers.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        running = list(handlers)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await server.wait_closed()
        await asyncio.sleep(0)  # aborted transports close in the loop's next round


def answer(
    body: bytes = b"<p>hello</p>", *, status: str = "200 OK", kind: str = "text/html", headers: str = ""
) -> Behaviour:
    """A well-behaved answer."""
    declared = f"Content-Type: {kind}\r\n" if kind else ""
    head = f"HTTP/1.1 {status}\r\n{declared}Content-Length: {len(body)}\r\n{headers}\r\n"
    return raw(head.encode() + body)


def raw(data: bytes) -> Behaviour:
    """Exactly these bytes."""

    async def behave(head: str, writer: Writer) -> None:
        writer.write(data)
        await writer.drain()

    return behave


def routed(routes: dict[str, Behaviour]) -> Behaviour:
    """Another behaviour for each path."""

    async def behave(head: str, writer: Writer) -> None:
        await routes[head.split(" ")[1]](head, writer)

    return behave


def redirect(to: str, status: int = 302) -> Behaviour:
    return raw(f"HTTP/1.1 {status} Over there\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())


def closing(behaviour: Behaviour) -> Behaviour:
    """Another behaviour, and then the connection is closed."""

    async def behave(head: str, writer: Writer) -> None:
        await behaviour(head, writer)
        writer.close()
        await writer.wait_closed()
        raise ConnectionResetError

    return behave


def forever(start: bytes, again: bytes, *, every_s: float = 0.0) -> Behaviour:
    """Some bytes, then others again and again."""

    async def behave(head: str, writer: Writer) -> None:
        writer.write(start)
        while True:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(every_s)

    return behave


async def stall(head: str, writer: Writer) -> None:
    """Never answer."""
    await asyncio.sleep(3600)


async def reset(head: str, writer: Writer) -> None:
    """Break the connection with an RST."""
    raw_socket: socket.socket = writer.get_extra_info("socket")
    raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    raise ConnectionResetError


async def onwards(head: str, writer: Writer) -> None:
    """Redirect to another page, for ever: /1, /2, /3 …"""
    number = int(head.split(" ")[1].strip("/") or 0)
    await redirect(f"/{number + 1}")(head, writer)


def encoded(body: bytes, encoding: str) -> Behaviour:
    return answer(body, headers=f"Content-Encoding: {encoding}\r\n")


def gzip_bomb(megabytes: int = 30) -> bytes:
    """30 MB in 30 kB."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
    return b"".join([*(squeeze.compress(bytes(1_000_000)) for _ in range(megabytes)), squeeze.flush()])


def brotli_bomb(megabytes: int = 30) -> bytes:
    """30 MB in less than a kilobyte."""
    squeeze = brotli.Compressor(quality=5)
    return b"".join([*(squeeze.process(bytes(1_000_000)) for _ in range(megabytes)), squeeze.finish()])


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
ZIPPED = gzip.compress(b"<p>hello</p>" * 100)

#: what it does, how, and the name of the error it has to end in
HOSTILE: list[tuple[str, Behaviour, str]] = [
    ("stalls before its answer", stall, "FetchTimeout"),
    ("drips its head, a header every 50 ms", forever(HEAD, b"X-Drip: 1\r\n", every_s=0.05), "FetchTimeout"),
    (
        "drips its body, a byte every 50 ms",
        forever(HEAD + b"Content-Length: 9999\r\n\r\n", b".", every_s=0.05),
        "FetchTimeout",
    ),
    ("drips chunks of one byte", forever(CHUNKED, b"1\r\n.\r\n", every_s=0.01), "FetchTimeout"),
    ("says 100 Continue for ever", forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n", every_s=0.001), "FetchTimeout"),
    ("sends headers without end", forever(HEAD, b"X-More: " + b"x" * 999 + b"\r\n"), "HostUnreachable"),
    ("sends one header line without end", forever(HEAD + b"X-Long: ", b"x" * 9999), "HostUnreachable"),
    ("sends a body without end, chunked", forever(CHUNKED, b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"), "TooLarge"),
    ("sends a body without end, unframed", forever(HEAD + b"Connection: close\r\n\r\n", b"x" * 0xFFFF), "TooLarge"),
    ("sends a chunk size without end", forever(CHUNKED, b"1" * 9999), "HostUnreachable"),
    ("declares 50 MB", raw(HEAD + b"Content-Length: 50000000\r\n\r\n"), "TooLarge"),
    ("declares a number of bytes that is none", raw(HEAD + b"Content-Length: -1\r\n\r\n"), "HostUnreachable"),
    ("declares two lengths", raw(HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n.."), "HostUnreachable"),
    ("closes before its length", closing(raw(HEAD + b"Content-Length: 100\r\n\r\nshort")), "HostUnreachable"),
    ("sends a gzip bomb", encoded(gzip_bomb(), "gzip"), "TooLarge"),
    ("sends a gzip bomb of many members", encoded(gzip.compress(bytes(1_000_000)) * 30, "gzip"), "TooLarge"),
    ("sends a brotli bomb", encoded(brotli_bomb(), "br"), "TooLarge"),
    ("sends a deflate bomb", encoded(zlib.compress(bytes(20_000_000)), "deflate"), "TooLarge"),
    ("stacks encodings", encoded(gzip.compress(gzip_bomb()), "gzip, gzip"), "NotText"),
    ("says gzip and sends none", encoded(b"<p>plain</p>", "gzip"), "NotText"),
    ("cuts its gzip off", encoded(ZIPPED[:-20], "gzip"), "NotText"),
    ("uses an unknown encoding", encoded(b"?", "zstd"), "NotText"),
    ("sends a program as a page", answer(b"\x7fELF\x02\x01\x01" + bytes(5000)), "NotText"),
    ("sends a film without a type", answer(bytes(5000), kind=""), "NotText"),
    ("sends an image", answer(b"\x89PNG\r\n", kind="image/png"), "NotText"),
    ("speaks another protocol", raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "HostUnreachable"),
    ("resets the connection", reset, "HostUnreachable"),
    ("redirects to itself", redirect("/"), "Blocked"),
    ("redirects for ever", onwards, "Blocked"),
    ("redirects to a cloud's metadata", redirect("http://169.254.169.254/latest/meta-data/"), "Blocked"),
    ("redirects to a private network", redirect("//10.0.0.1/"), "Blocked"),
    ("redirects to a disguised loopback", redirect("http://0x7f000001:6379/"), "Blocked"),
    ("redirects to a file", redirect("file:///etc/passwd"), "Blocked"),
    ("redirects with credentials", redirect("http://admin:admin@example.com/"), "Blocked"),
    ("redirects with a backslash", redirect("http://example.com\\@127.0.0.1/"), "Blocked"),
]
