"""What a process works with is opened by one thread, however many want it at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from workers.services import Services
from workers.services.web import cached

THREADS = 8


class _Slow:
    """Making its value takes until every thread has asked for it, or some tenths of a second."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.made = 0
        self._all_here = threading.Barrier(THREADS)

    @cached
    def value(self) -> object:
        self.made += 1
        with suppress(threading.BrokenBarrierError):
            self._all_here.wait(timeout=0.3)  # without a lock the others come here too
        return object()

    @cached
    def pair(self) -> tuple[object, object]:
        return self.value, self.value


def _values(slow: _Slow, name: str) -> list[object]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda _: getattr(slow, name), range(THREADS)))


def test_a_value_is_made_once_by_many_threads_and_the_same_for_all() -> None:
    slow = _Slow()
    values = _values(slow, "value")
    assert (slow.made, len(set(values))) == (1, 1)


def test_making_one_value_may_use_another() -> None:
    slow = _Slow()
    pairs = _values(slow, "pair")
    assert (slow.made, len(set(pairs))) == (1, 1)


def test_the_threads_of_a_process_share_one_database(services: Services) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        assert len({id(each) for each in pool.map(lambda _: services.database, range(THREADS))}) == 1
