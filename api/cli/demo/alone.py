"""Runs a whole stack in a folder of its own, without the user's settings, data or keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api.cli.connect import quiet_logs
from api.cli.output import notify
from wellread import Client
from workers.processes.slow_start import SlowStart
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

READY_WITHIN_S = 60.0


@contextmanager
def isolated_in(folder: Path) -> Iterator[None]:
    """Work in this folder, without the user's settings; the user's data and keys are not touched."""
    environment, folder_before = dict(os.environ), Path.cwd()
    for name in environment:
        if name.startswith(("WELLREAD_", "ANTHROPIC_")):
            del os.environ[name]
    os.environ["WELLREAD_DATA_DIR"] = str(folder / "data")
    os.environ["WELLREAD_WIKIPEDIA"] = "false"
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[3])  # the children run this code, installed or not
    os.chdir(folder)  # where no .env file is
    quiet_logs()
    try:
        yield
    finally:
        os.chdir(folder_before)
        os.environ.clear()
        os.environ.update(environment)


@contextmanager
def started_stack() -> Iterator[tuple[Stack, Client]]:
    """Start the stack that the environment describes; yield it with a client once it can answer questions."""
    with (
        SlowStart(notify) as start,
        Stack(load(api_port=0), flower=False, on_step=start.step) as stack,
        Client(stack.address.api_url) as client,
    ):
        start.step("the workers")
        wait_until(client.is_ready, within_s=READY_WITHIN_S)
        start.end()
        yield stack, client
