"""A Git server (git's own http-backend) and a server that speaks S3, both on loopback."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote_plus, unquote, urlsplit
from xml.sax.saxutils import escape

from crawler.bucket import signed
from tests.servers import running

KEY = {"user": "AKIAEXAMPLE", "password": "s3cret/of+the=bucket"}


class GitRepository:
    """A repository to commit to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.run("init", "--quiet", "--initial-branch=main")
        self.run("config", "uploadpack.allowFilter", "true")

    def run(self, *arguments: str) -> str:
        named = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.version=2")
        return subprocess.run(
            ["git", *named, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, **files: str | None) -> None:
        """Commit files by their names, with `__` for a slash and `_md` for .md; None removes one."""
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_md", ".md")
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.run("add", "--all")
        self.run("commit", "--quiet", "--allow-empty", "--message", "change")


class _Git(BaseHTTPRequestHandler):
    root: Path
    asked: list[str]
    login = ""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if self.login and self.headers.get("authorization") != self.login:
            self.send_error(401)
            return
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.asked.append(body[4:].split(b"\n")[0].decode() or parts.path)
        variables = {
            "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": unquote(parts.path),
            "QUERY_STRING": parts.query, "REQUEST_METHOD": self.command, "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""), "PATH": os.environ["PATH"],
        }  # fmt: skip
        found = subprocess.run(["git", "http-backend"], input=body, env=variables, capture_output=True, check=False)
        head, _, content = found.stdout.partition(b"\r\n\r\n")
        named = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(named.pop("Status", "200")[:3]))
        for name, value in named.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def git_server(root: Path, login: str = "") -> Iterator[tuple[str, list[str]]]:
    """Serve the repositories below a folder; yields its origin, and what is asked of it."""
    handler = type("Git", (_Git,), {"root": root, "asked": [], "login": login})
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as origin:
        yield origin, handler.asked  # type: ignore[attr-defined]


class _S3(BaseHTTPRequestHandler):
    objects: dict[str, bytes]
    asked: list[str]
    key: dict[str, str]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.asked.append(self.path)
        if self.key and not self._is_signed():
            self._answer(403, "<Error><Code>SignatureDoesNotMatch</Code><Message>Check your key.</Message></Error>")
            return
        query, key = {name: value[0] for name, value in parse_qs(parts.query).items()}, unquote(parts.path)[1:]
        bucket, _, name = key.partition("/")
        if bucket != "shelf":
            self._answer(404, "<Error><Code>NoSuchBucket</Code><Message>There is no such bucket</Message></Error>")
        elif query.get("list-type") == "2":
            self._answer(200, self._listed(query))
        elif name in self.objects:
            self._answer(200, self.objects[name], "binary/octet-stream")
        else:
            self._answer(404, "<Error><Code>NoSuchKey</Code></Error>")

    def _is_signed(self) -> bool:
        moment = datetime.strptime(self.headers.get("x-amz-date", "20000101T000000Z"), "%Y%m%dT%H%M%SZ")
        url = f"http://{self.headers['host']}{self.path}"
        wanted = signed(url, region="eu-west-1", secrets=self.key, now=moment.replace(tzinfo=UTC))
        return self.headers.get("authorization") == wanted["authorization"]

    def _listed(self, query: dict[str, str], most: int = 2) -> str:
        found = [key for key in sorted(self.objects) if key.startswith(query.get("prefix", ""))]
        found = [key for key in found if key > query.get("continuation-token", "")]
        contents = "".join(
            f"<Contents><Key>{escape(quote_plus(key, safe='/'))}</Key><LastModified>2026-01-01T00:00:00.000Z"
            f"</LastModified><ETag>&quot;{md5(self.objects[key]).hexdigest()}&quot;</ETag>"
            f"<Size>{len(self.objects[key])}</Size></Contents>"
            for key in found[:most]
        )
        token = f"<NextContinuationToken>{escape(found[most - 1])}</NextContinuationToken>" if found[most:] else ""
        return (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"{contents}{token}</ListBucketResult>"
        )

    def _answer(self, status: int, body: str | bytes, kind: str = "application/xml") -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def s3_server(objects: dict[str, bytes], key: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Serve the bucket ``shelf``, two keys a list; yields the endpoint, and what is asked of it."""
    handler = type("S3", (_S3,), {"objects": objects, "asked": [], "key": key})
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as origin:
        yield origin, handler.asked  # type: ignore[attr-defined]
