"""A cheap site on loopback: every response is made before the first request, and connections stay open.

Its pages are two published manuals, or synthetic pages where neither is installed.
"""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from html import escape
from itertools import cycle, islice
from pathlib import Path

from benchmarks.corpus.synthetic import Language, SyntheticPage
from evals.measure.crawl_focus import MANUALS

ROBOTS = b"User-agent: *\nDisallow: /private/\n"
#: synthetic pages, enough that none is read often
_SYNTHETIC = 500
#: a longer page is an index, and would take most of the time
_MAX_BYTES = 400_000
_LINKS = 20


@contextmanager
def serving(count: int, *, marked: bool = True) -> Iterator[list[str]]:
    """Serve ``count`` pages from another process; yield their URLs. Those that are not ``marked`` are synthetic."""
    command = [sys.executable, "-m", "benchmarks.crawl.site", str(count), "marked" if marked else "unmarked"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline() if process.stdout else 0)
            yield [f"http://127.0.0.1:{port}/{place}.html" for place in range(count)]
        finally:
            process.terminate()


def pages(count: int, folders: Collection[Path] = tuple(MANUALS.values())) -> Iterator[bytes]:
    """Yield ``count`` pages of HTML, from the first again where there are fewer."""
    files = [file for folder in folders for file in folder.rglob("*.html") if _is_page(file)]
    if files:
        # a fixed order that mixes the manuals
        files.sort(key=lambda file: hashlib.blake2b(file.name.encode()).digest())
        yield from (file.read_bytes() for file in islice(cycle(files), count))
    else:
        made = list(Language(_SYNTHETIC).pages())
        yield from islice(cycle([html_of(each, made) for each in made]), count)


def source() -> str:
    """Return the name of these pages."""
    found = [folder.parent.name for folder in MANUALS.values() if folder.is_dir()]
    return " and ".join(found) if found else "synthetic pages (neither manual is installed)"


def _is_page(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= _MAX_BYTES


def html_of(page: SyntheticPage, pages: list[SyntheticPage]) -> bytes:
    """Return a synthetic page as HTML with navigation and a footer."""
    title, at = escape(page.page.title), pages.index(page)
    links = "".join(
        f'<li><a href="{other.url}">{escape(other.page.title)}</a></li>' for other in pages[at : at + _LINKS]
    )
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in page.page.text.split("\n\n"))
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>"
        f"<nav><ul>{links}</ul></nav><div class=content><h1>{title}</h1>{text}</div>"
        "<footer>Made up.</footer></body></html>"
    ).encode()


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


async def _serve(made: Iterator[bytes]) -> None:
    answers = {b"/%d.html" % place: _answer(body) for place, body in enumerate(made)}
    answers[b"/robots.txt"] = _answer(ROBOTS, kind=b"text/plain")
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    wanted = int(sys.argv[1])
    asyncio.run(_serve(pages(wanted) if sys.argv[2] == "marked" else pages(wanted, folders=())))
