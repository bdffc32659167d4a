"""What a worker imports and opens before its first task."""

from __future__ import annotations

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.servers import running

_LOAD = """
import sys, threading
from domain.flow import QUEUES
from workers.pools import load_before_fork
load_before_fork(QUEUES[sys.argv[1]])
print("lance_namespace" in sys.modules, "lancedb" in sys.modules, threading.active_count())
"""
_WARM = """
import sys
from domain.flow import QUEUES
from text import language
from workers.pools import Threads, warm_up
import workers.tasks.model
detected = warm_up(QUEUES["model"], 0), language._identifier.cache_info().currsize
print(*detected, *(name for name in sys.argv[1:] if name in sys.modules))
"""


@pytest.mark.parametrize(("queue", "expected"), [("answer", "True False 1"), ("crawl", "False False 1")])
def test_imports_are_done_once_and_start_no_thread(queue: str, expected: str) -> None:
    said = subprocess.run([sys.executable, "-c", _LOAD, queue], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == expected, said.stderr


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
