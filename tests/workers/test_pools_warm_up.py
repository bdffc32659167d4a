"""What a worker imports and opens before its first task."""

from __future__ import annotations

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.servers import running

_WARM = """
import sys
from domain.flow import QUEUES
from text import language
from workers.pools import warm_up
import workers.tasks.model
detected = warm_up(QUEUES["model"]), language._identifier.cache_info().currsize
print(*detected, *(name for name in sys.argv[1:] if name in sys.modules))
"""


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
        large = ("lancedb", "pyarrow", "onnxruntime", "trafilatura", "scipy", "sklearn")
        said = subprocess.run(
            [sys.executable, "-c", _WARM, "anthropic", *large],
            env=os.environ | given | {"WELLREAD_QUEUE": "model"},
            capture_output=True,
            text=True,
            check=True,
        )
    assert said.stdout.strip() == "True 1 anthropic", said.stderr
    assert handler.asked == 1
