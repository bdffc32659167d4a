"""A process ends with its parent, also where that died before the process could ask for it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import psutil

_LATE = """
import os, sys, time
from workers.processes.fork_server import die_with_parent
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    time.sleep(0.01)
print(os.getpid(), flush=True); time.sleep(1)
die_with_parent(parent)
print("alive", flush=True)
"""


def test_a_process_whose_parent_is_dead_already_ends_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", _LATE], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        orphan = psutil.Process(int(first.stdout.readline()))
        try:
            assert first.stdout.read() == ""  # it holds its end open while it lives
            assert psutil.wait_procs([orphan], timeout=30)[1] == []
        finally:
            with suppress(psutil.NoSuchProcess):
                orphan.kill()
