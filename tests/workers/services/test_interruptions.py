"""Work that takes too long is interrupted in its thread, and no other one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial

import pytest

from workers.services.interruptions import limited, raise_in
from workers.services.web import LoopThread


class _TooLong(Exception):
    pass


def test_what_takes_too_long_is_interrupted_and_again_where_that_was_taken_for_another_failure() -> None:
    def work() -> None:
        with suppress(_TooLong):
            while True:
                time.sleep(0)
        while True:
            time.sleep(0)

    with pytest.raises(_TooLong), limited(partial(raise_in, threading.get_ident(), _TooLong), 0.1):
        work()


def test_one_call_that_lets_no_other_thread_run_ends_the_process() -> None:
    program = (
        "import re, threading\n"
        "from workers import pools\n"
        "pools._STUCK_S = 1.0\n"
        "threading.Thread(target=pools._watch_python, daemon=True).start()\n"
        "re.fullmatch(r'(?:a|aa)+b', 'a' * 60)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert "Timeout" in ended.stderr
    assert "fullmatch" in ended.stderr


def test_threads_wait_for_one_event_loop_at_once() -> None:
    all_wait = asyncio.Barrier(20)

    async def wait(number: int) -> int:
        await all_wait.wait()
        return number

    with closing(LoopThread()) as loop, ThreadPoolExecutor(20) as threads:
        assert list(threads.map(lambda number: loop.run(wait(number)), range(20))) == list(range(20))
