"""A cheap site on loopback: every response is made before the first request, and connections stay open."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.crawl.pages import pages

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


@contextmanager
def serving(count: int) -> Iterator[list[str]]:
    """Serve ``count`` pages from another process; yield their URLs."""
    command = [sys.executable, "-m", "benchmarks.crawl.site", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline() if process.stdout else 0)
            yield [f"http://127.0.0.1:{port}/{place}.html" for place in range(count)]
        finally:
            process.terminate()


class _Connection(asyncio.Protocol):
    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers, self._asked = answers, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._asked += data
        while b"\r\n\r\n" in self._asked:
            head, _, self._asked = self._asked.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            self._transport.write(self._answers.get(path, _answer(b"", status=b"404 Not Found")))  # type: ignore[attr-defined]


def _answer(body: bytes, *, kind: bytes = b"text/html; charset=utf-8", status: bytes = b"200 OK") -> bytes:
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body))
    return head + body


async def _serve(count: int) -> None:
    answers = {b"/%d.html" % place: _answer(body) for place, body in enumerate(pages(count))}
    answers[b"/robots.txt"] = _answer(ROBOTS, kind=b"text/plain")
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
