"""Records the connections that this process tries to make."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

_watchers: list[list[Any]] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _watchers:
        for seen in _watchers:
            seen.append(arguments[1])


sys.addaudithook(_audit)


@contextlib.contextmanager
def connections() -> Iterator[list[Any]]:
    """Record the address of every connection that this process tries to make, whoever makes it."""
    seen: list[Any] = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)
