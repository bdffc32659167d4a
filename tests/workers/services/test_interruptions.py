"""Work that is interrupted ends, wherever it is at."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from workers.services import interruptions
from workers.services.interruptions import Stopped, working
from workers.services.web import LoopThread


@pytest.fixture(autouse=True)
def _listening() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGUSR2, interruptions.WORKER_DIED)}
    interruptions.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGUSR2)


def test_work_is_interrupted_while_it_waits_for_the_event_loop_which_stops_working_for_it() -> None:
    has_stopped = threading.Event()

    async def read() -> None:
        await asyncio.sleep(0.2)  # until the other thread waits for it
        _interrupt()
        try:
            await asyncio.sleep(60)
        finally:
            has_stopped.set()

    with closing(LoopThread()) as loop:
        with pytest.raises(Stopped), working():
            loop.run(read())
        assert has_stopped.wait(10)


def test_threads_wait_for_one_event_loop_at_once() -> None:
    all_wait = asyncio.Barrier(20)

    async def wait(number: int) -> int:
        await all_wait.wait()
        return number

    with closing(LoopThread()) as loop, ThreadPoolExecutor(20) as threads:
        assert list(threads.map(lambda number: loop.run(wait(number)), range(20))) == list(range(20))


def test_a_process_that_does_not_work_is_not_interrupted() -> None:
    with working():
        pass
    _interrupt()
