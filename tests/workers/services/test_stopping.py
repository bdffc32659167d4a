"""Work that is interrupted ends, wherever it is at."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from workers.services import stopping
from workers.services.stopping import Stopped, working


@pytest.fixture(autouse=True)
def _listening() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGUSR2, stopping.WORKER_DIED)}
    stopping.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGUSR2)


def test_work_is_interrupted_in_a_callback_of_its_event_loop() -> None:
    async def read() -> str:
        asyncio.get_running_loop().call_soon(_interrupt)
        await asyncio.sleep(0.5)
        return "read to its end"

    with asyncio.Runner() as loop, pytest.raises(Stopped), working():
        loop.run(read())


def test_a_process_that_does_not_work_is_not_interrupted() -> None:
    with working():
        pass
    _interrupt()
