"""The synchronous client is the asynchronous one without its awaits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "clients" / "python" / "unasync.py"


def test_synchronous_client_is_what_the_asynchronous_one_gives() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
