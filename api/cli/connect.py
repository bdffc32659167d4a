"""Connects the command line: to the API that is named, to this machine's database or stack, or to a stack it starts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wellread.client import Client
    from workers.services import Services
    from workers.settings import Settings

Say = Callable[[str], None]


@contextmanager
def connected(say: Say) -> Iterator[Client]:
    """Yield a client for what needs workers; a stack that had to be started is stopped at the end.

    ``WELLREAD_API_URL`` names another API, ``WELLREAD_API_KEY`` the key for whichever is used.
    """
    from wellread.client import Client

    key = os.environ.get("WELLREAD_API_KEY", "")
    if url := os.environ.get("WELLREAD_API_URL"):
        with Client(url, key=key) as client:
            yield client
        return
    from workers.processes.stack import running
    from workers.settings import load

    settings = load()
    address = running(settings)
    if address is not None:
        with Client(address.api_url, key=key or own_key(settings)) as client:
            yield client
        return
    with started(load(api_port=0), say) as url, Client(url, key=key or own_key(settings)) as client:
        yield client


def open_client() -> Client:
    """Return a client for what needs no workers: of the API that is named, else of this machine's own database."""
    from wellread.client import Client

    if url := os.environ.get("WELLREAD_API_URL"):
        return Client(url, key=os.environ.get("WELLREAD_API_KEY", ""))
    services = open_services()
    from api.cli.in_process import InProcess

    return Client(transport=InProcess(services))


@contextmanager
def started(settings: Settings, say: Say) -> Iterator[str]:
    """Run a stack without Flower for as long as the block runs; yields its API's URL."""
    from workers.processes.stack import Stack

    quiet_logs()
    say("Starting Wellread for this question (`wellread up` keeps it running) …")
    began = time.monotonic()

    def died(name: str, code: int) -> None:
        say(f"{name} ended ({code}); starting it again")

    with Stack(settings, flower=False, on_restart=died) as stack:
        say(f"Up after {time.monotonic() - began:.1f} s.")
        yield stack.address.api_url


def open_services() -> Services:
    """What is kept on this machine; needs no running stack, and makes the data folder's tables if need be."""
    from store.sql.database import migrate
    from workers.services import Services
    from workers.settings import load

    quiet_logs()
    settings = load()
    if not settings.database_url:  # a database of the operator's own is migrated when he says so
        migrate(settings.database)
    return Services(settings)


def own_key(settings: Settings) -> str:
    """The most powerful of the keys that this machine's settings give the API; empty when there are none."""
    pairs = [pair.get_secret_value().partition(":") for pair in settings.api_keys]
    keys = {role.strip(): key.strip() for role, _, key in pairs}
    return next((keys[role] for role in ("admin", "operate", "ask") if role in keys), "")


def quiet_logs() -> None:
    """Keep log lines off the terminal of whoever asks; errors alone are shown."""
    import logging
    import sys

    import structlog

    os.environ.setdefault("LANCEDB_LOG", "error")
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
