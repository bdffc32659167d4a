"""A worker and beat touch their file from the loop that does their work, and only while it goes round."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.live


def test_file_is_touched_while_the_part_works(tmp_path: Path, valkey_url: str, migrated_file: Path) -> None:
    shutil.copy(migrated_file, tmp_path)
    with ExitStack() as opened:
        parts = [opened.enter_context(_part(each, tmp_path, valkey_url)) for each in ("worker upkeep", "beat")]
        for _, alive in parts:
            first = _touched_after(0.0, alive, within_s=60)
            _touched_after(first, alive, within_s=20)
        for process, _ in parts:
            process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        last = [alive.stat().st_mtime for _, alive in parts]
        time.sleep(8)
        assert [alive.stat().st_mtime for _, alive in parts] == last


@contextmanager
def _part(name: str, folder: Path, valkey_url: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A part of the stack that runs, and its file."""
    alive = folder / name
    settings = {"DATA_DIR": str(folder), "REDIS_URL": valkey_url, "ALIVE_FILE": str(alive)}
    env = os.environ | {f"WELLREAD_{each}": value for each, value in settings.items()}
    process = subprocess.Popen([sys.executable, "-m", "api", *name.split()], env=env, stderr=subprocess.DEVNULL)
    try:
        yield process, alive
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(60)


def _touched_after(before: float, alive: Path, *, within_s: float) -> float:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if alive.exists() and (touched := alive.stat().st_mtime) > before:
            return touched
        time.sleep(0.2)
    raise AssertionError(f"{alive} was not touched within {within_s} s")
