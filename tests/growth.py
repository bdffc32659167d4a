"""How much longer something takes on more of the same: a ratio in one run, since machines differ and are busy."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from contextlib import suppress

from domain.errors import WellreadError

#: how many times as much there is the second time
TIMES = 8
#: what is wanted takes 8 times as long, a square 64: between the two lies what a busy machine adds
MOST_RATIO = 32


def seconds_of(take: Callable[[], object]) -> float:
    """Return the processor time of this thread."""
    gc.disable()  # it looks through all that the tests before have left, too
    try:
        began = time.thread_time()
        with suppress(WellreadError):
            take()
        return time.thread_time() - began
    finally:
        gc.enable()


def growth(seconds: Callable[[int], float], size: int) -> float:
    """Return how many times as long TIMES the size takes, at best of five, where that is more than it should be."""
    once, longer = float("inf"), float("inf")
    for _ in range(5):
        once = min(once, seconds(size))
        longer = min(longer, seconds(TIMES * size))
        if longer <= MOST_RATIO * once:
            break
    return longer / once
