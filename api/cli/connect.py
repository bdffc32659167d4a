"""Connects the command line: to the API that is named, to this machine's stack or database, or to a stack it starts."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wellread import Client
    from workers.services import Services
    from workers.settings import Settings

_CHOSEN = "wellread.collection"
Notify = Callable[[str], None]


@contextmanager
def connected(notify: Notify) -> "Iterator[Client]":
    """Yield a client for what needs workers; a stack that had to be started is stopped at the end."""
    from wellread import Client

    with reached(notify) as (url, key), Client(url, key=key, collection=collection()) as client:
        yield client


@contextmanager
def reached(notify: Notify) -> Iterator[tuple[str, str]]:
    """Yield URL and key of an API with workers; a stack that had to be started is stopped at the end.

    ``WELLREAD_API_URL`` names another API, ``WELLREAD_API_KEY`` the key for whichever is used.
    """
    key = os.environ.get("WELLREAD_API_KEY", "")
    if url := os.environ.get("WELLREAD_API_URL"):
        yield url, key
        return
    from workers.processes.stack import running
    from workers.settings import load

    settings = load()
    address = running(settings)
    if address is not None:
        yield address.api_url, key or own_key(settings)
        return
    with started(load(api_port=0), notify) as url:
        yield url, key or own_key(settings)


@contextmanager
def to_delete(notify: Notify) -> "Iterator[Client]":
    """Yield a client for what deletes: workers take it out of the knowledge base, and erase it from the disk.

    Where Redis is the operator's own, so are the workers: none are started.
    """
    from workers.processes.stack import running
    from workers.settings import load

    settings = load()
    if os.environ.get("WELLREAD_API_URL") or settings.redis_url or running(settings):
        with open_client() as client:
            yield client
        return
    from workers.deletion import wait_until_erased

    with connected(notify) as client:
        yield client
        with closing(open_services()) as services:
            wait_until_erased(services.of(name) if (name := collection()) else services)


def open_client() -> "Client":
    """Return a client for what needs no workers: of the API that is named or runs here, else of one in this process.

    One that runs is asked because it is there already: to make one takes seconds.
    """
    from wellread import Client

    key = os.environ.get("WELLREAD_API_KEY", "")
    if url := os.environ.get("WELLREAD_API_URL"):
        return Client(url, key=key, collection=collection())
    if found := _open_to_us():
        url, own = found
        return Client(url, key=key or own, collection=collection())
    services = open_services()
    from api.app import InProcess

    return Client(transport=InProcess(services), collection=collection())


def _open_to_us() -> tuple[str, str] | None:
    """Return URL and key of this machine's stack; None where none answers, or no key of the settings may do all."""
    from urllib.parse import urlsplit

    from workers.processes.stack import listens, running
    from workers.settings import load

    settings = load()
    key = _keys(settings).get("admin", "")
    address = running(settings) if key or needs_no_key() else None
    if address is None:
        return None
    place = urlsplit(address.api_url)
    is_there = listens(place.hostname or "", place.port or 0)  # else it is being started again
    return (address.api_url, key) if is_there else None


def with_collection(command: click.Command) -> None:
    """Let a command, or each of a group's, name the collection that it works in."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            with_collection(each)
        if not command.invoke_without_command:
            return
    command.params.append(
        click.Option(
            ["--collection"], metavar="NAME", expose_value=False, callback=_remember,
            help="Use this collection; default: WELLREAD_COLLECTION, else `default`.",
        )
    )  # fmt: skip


def collection() -> str:
    """Return the name of the collection that the running command works in; "" is the key's first."""
    context = click.get_current_context(silent=True)
    chosen: str = context.meta.get(_CHOSEN, "") if context else ""
    return chosen or os.environ.get("WELLREAD_COLLECTION", "")


def option_of_collection() -> str:
    """Return what a command to run next adds to be in the same collection: " --collection NAME", or nothing."""
    context = click.get_current_context(silent=True)
    chosen: str = context.meta.get(_CHOSEN, "") if context else ""
    return f" --collection {chosen}" if chosen else ""


def open_collection() -> "Services":
    """Return this machine's services of the collection that the running command works in."""
    services = open_services()
    return services.of(name) if (name := collection()) else services


def _remember(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name:
        context.meta[_CHOSEN] = name


@contextmanager
def started(settings: "Settings", notify: Notify) -> Iterator[str]:
    """Run a stack without Flower while the block runs; yields its API's URL."""
    from workers.processes.slow_start import SlowStart
    from workers.processes.stack import Stack

    quiet_logs()
    notify("Starting Wellread for this command (`wellread up` keeps it running) …")
    began = time.monotonic()

    def died(name: str, code: int) -> None:
        notify(f"{name} ended ({code}); starting it again")

    with (
        SlowStart(notify) as start,
        Stack(settings, flower=False, on_restart=died, on_step=start.step) as stack,
    ):
        start.end()
        notify(f"Up after {time.monotonic() - began:.1f} s.")
        yield stack.address.api_url


def open_services() -> "Services":
    """Return this machine's services; needs no running stack, and creates missing tables in the data folder."""
    from workers.services import Services
    from workers.services.collections import migrate_all
    from workers.settings import load

    quiet_logs()
    settings = load()
    if not settings.database_url:  # an operator migrates a database of their own with `wellread migrate`
        migrate_all(settings)
    return Services(settings)


def needs_no_key() -> bool:
    """Return whether this machine's API takes requests without a key; False where another API is named."""
    from workers.settings import LOOPBACK, load

    if os.environ.get("WELLREAD_API_URL"):
        return False
    settings = load()
    return not settings.api_keys and settings.api_host in LOOPBACK


def own_key(settings: "Settings") -> str:
    """Return the most powerful API key in this machine's settings; "" where there is none."""
    keys = _keys(settings)
    return next((keys[role] for role in ("admin", "operate", "ask") if role in keys), "")


def _keys(settings: "Settings") -> dict[str, str]:
    """Return the keys of the settings by role; those bound to collections by that, too."""
    pairs = [pair.get_secret_value().partition(":") for pair in settings.api_keys]
    return {role.strip(): key.strip() for role, _, key in pairs}


def quiet_logs() -> None:
    """Keep log lines other than errors off the terminal."""
    import logging
    import sys

    import structlog

    os.environ.setdefault("LANCEDB_LOG", "error")
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
