"""Serves the demonstration's pages on a free loopback port, and records the requested paths."""

import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parent / "site"
#: kinds of files that contain the site's own address
_FILLED_IN = frozenset({".txt", ".xml"})


class SiteServer(ThreadingHTTPServer):
    """A server for the files of a folder."""

    daemon_threads = True

    def __init__(self, folder: Path = SITE) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.paths: list[str] = []  #: the requested paths, in order

    @property
    def origin(self) -> str:
        """The site's address."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serve(folder: Path = SITE) -> Iterator[SiteServer]:
    """Serve a folder while the block runs."""
    server = SiteServer(folder)
    thread = threading.Thread(target=server.serve_forever, name="demo-site", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a file of the folder."""
        path = unquote(urlsplit(self.path).path)
        self.server.paths.append(path)
        parts = PurePosixPath(path).parts[1:]
        file = self.server.folder.joinpath(*parts)
        file = file / "index.html" if file.is_dir() else file
        found = ".." not in parts and file.is_file()  # nothing outside the folder
        body = file.read_bytes() if found else b"Not found."
        if found and file.suffix in _FILLED_IN:
            body = body.replace(b"{origin}", self.server.origin.encode())
        content_type = (found and mimetypes.guess_type(file.name)[0]) or "text/plain"
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", content_type + ("; charset=utf-8" if content_type.startswith("text/") else ""))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the demonstration shows what matters."""
