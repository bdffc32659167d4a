"""How much longer something takes on more of the same: a ratio in one run, since machines differ and are busy."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable
from contextlib import suppress

from domain.errors import WellreadError

#: how many times as much there is the second time
TIMES = 10
#: what is wanted takes ten times as long, a square a hundred
MOST_RATIO = 12
#: of each length, the best of which counts; more are tried while their ratio is too large: the machine may be busy
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 8


def seconds_of(take: Callable[[], object]) -> float:
    """Return the processor time of this thread, and of the processes that it waited for."""
    gc.disable()  # it looks through all that the tests before have left, too
    try:
        began = _spent()
        with suppress(WellreadError):
            take()
        return _spent() - began
    finally:
        gc.enable()


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


def growth(seconds: Callable[[int], float], size: int) -> float:
    """Return how many times as long TIMES the size takes, at best of three; of more where it is more than wanted."""
    once, longer = float("inf"), float("inf")
    for round_ in range(1, _MOST_ROUNDS + 1):
        once = min(once, seconds(size))
        longer = min(longer, seconds(TIMES * size))
        if round_ >= _LEAST_ROUNDS and longer <= MOST_RATIO * once:
            break
    return longer / once
