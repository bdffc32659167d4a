"""What a worker imports before its processes are forked."""

from __future__ import annotations

import subprocess
import sys

import pytest

_ASK = """
import sys, threading
from domain.flow import QUEUES
from workers.pools import load_before_fork
load_before_fork(QUEUES[sys.argv[1]])
print("lance_namespace" in sys.modules, "lancedb" in sys.modules, threading.active_count())
"""


@pytest.mark.parametrize(("queue", "expected"), [("answer", "True False 1"), ("crawl", "False False 1")])
def test_imports_are_done_once_and_start_no_thread(queue: str, expected: str) -> None:
    said = subprocess.run([sys.executable, "-c", _ASK, queue], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == expected, said.stderr
