"""Keep of many inputs those that reach something new: the smallest first, judged by the steps from line to line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

#: whose steps count
PACKAGES = ("crawler", "store")
_ROOT = Path(__file__).parents[2]

Step = tuple[str, int, int]


def worth_keeping(inputs: Iterable[bytes], target: Callable[[bytes], None]) -> list[bytes]:
    """Give the inputs that take a step which no smaller one takes; ones the target breaks on are left out."""
    kept, known = list[bytes](), set[Step]()
    for data in sorted(set(inputs), key=lambda data: (len(data), data)):
        try:
            steps = _steps(data, target)
        except Exception:  # a finding, to be mended and tested by itself
            continue
        if not steps <= known:
            known |= steps
            kept.append(data)
    return kept


def _steps(data: bytes, target: Callable[[bytes], None]) -> set[Step]:
    steps: set[Step] = set()
    roots = tuple(str(_ROOT / package) for package in PACKAGES)

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        name, before = frame.f_code.co_filename, 0
        if not name.startswith(roots):
            return None

        def went(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            if event == "line":
                steps.add((name, before, frame.f_lineno))
                before = frame.f_lineno
            return went

        return went

    before = sys.gettrace()
    sys.settrace(called)
    try:
        target(data)
    finally:
        sys.settrace(before)
    return steps
