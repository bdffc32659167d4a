"""What a worker imports and opens before its first task."""

from __future__ import annotations

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.servers import running

_WARM = """
import os, sys
from domain.flow import QUEUES
from text import language
from workers.pools import warm_up
import workers.app
workers.app.app.loader.import_default_modules()
detected = warm_up(QUEUES[os.environ["WELLREAD_QUEUE"]]), language._identifier.cache_info().currsize
print(*detected, *(name for name in sys.argv[1:] if name in sys.modules))
"""


_LARGE = ("lancedb", "pyarrow", "onnxruntime", "scipy", "sklearn")


class _Model(BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_worker_that_waits_for_a_model_has_its_library_a_connection_and_languages_and_nothing_large() -> None:
    handler: type[_Model] = type("Handler", (_Model,), {})
    with running(HTTPServer(("127.0.0.1", 0), handler)) as url:
        given = {"WELLREAD_ANTHROPIC_API_KEY": "sk-ant-none", "WELLREAD_ANTHROPIC_BASE_URL": url}
        assert _loaded("model", "anthropic", "trafilatura", *_LARGE, **given) == "True 1 anthropic"
    assert handler.asked == 1


def test_worker_that_reads_pages_has_what_its_forks_extract_them_with_and_nothing_large() -> None:
    assert _loaded("crawl", "trafilatura", *_LARGE) == "True 1 trafilatura"


def _loaded(queue: str, *names: str, **given: str) -> str:
    """Return whether a worker of a queue is ready, how many models of languages it has, and which of the modules."""
    env = os.environ | given | {"WELLREAD_QUEUE": queue}
    return subprocess.check_output([sys.executable, "-c", _WARM, *names], env=env, text=True).strip()
