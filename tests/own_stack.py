"""A stack of real processes of one's own: on a folder and free ports of its own, without Wikipedia and Flower."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.processes.stack import Stack
from workers.settings import load


@contextmanager
def own_stack(folder: Path, **settings: str) -> Iterator[Stack]:
    """Run a stack on this data folder; further settings by their names. All are set while the block runs."""
    values = {"wikipedia": "false", "api_port": "0", "data_dir": str(folder), **settings}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setenv(f"WELLREAD_{name.upper()}", value)
        with Stack(load(), flower=False) as stack:
            yield stack


def until(holds: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.3)
