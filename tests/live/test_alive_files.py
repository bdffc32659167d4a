"""A worker and beat touch their file from the loop that does their work, and only while it goes round."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.live


@pytest.mark.parametrize("part", [("worker", "upkeep"), ("beat",)], ids=" ".join)
def test_file_is_touched_while_the_part_works(
    part: tuple[str, ...], tmp_path: Path, valkey_url: str, migrated_file: Path
) -> None:
    shutil.copy(migrated_file, tmp_path)
    alive = tmp_path / "alive"
    settings = {"DATA_DIR": str(tmp_path), "REDIS_URL": valkey_url, "ALIVE_FILE": str(alive)}
    env = os.environ | {f"WELLREAD_{name}": value for name, value in settings.items()}
    process = subprocess.Popen([sys.executable, "-m", "api", *part], env=env, stderr=subprocess.DEVNULL)
    try:
        first = _touched_after(0.0, alive, within_s=60)
        _touched_after(first, alive, within_s=20)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        last = alive.stat().st_mtime
        time.sleep(8)
        assert alive.stat().st_mtime == last
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
