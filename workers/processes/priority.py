"""Lets other processes go first where all want the processor."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

#: how much less than the others a process gets that yields: about a ninth
_NICENESS: Final = 10
#: Linux may share the processor among sessions first, whatever their processes' niceness
_OF_SESSION: Final = Path("/proc/self/autogroup")


def yield_processor() -> None:
    """Have this process, and those that it starts, work with what other processes leave over."""
    with suppress(OSError):
        os.nice(_NICENESS)
    if os.getsid(0) == os.getpid():  # else the session is its starter's too
        with suppress(OSError):
            _OF_SESSION.write_text(f"{_NICENESS}\n")
