"""Connects the command line: to the API that is named, to this machine's stack or database, or to a stack it starts."""

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from api.cli.output import notify

if TYPE_CHECKING:
    from wellread import Client
    from workers.services import Services
    from workers.settings import Settings

_CHOSEN = "wellread.collection"


@contextmanager
def connected() -> "Iterator[Client]":
    """Yield a client of an API with workers; a stack that had to be started is stopped at the end."""
    from wellread import Client

    with reached() as (url, key), Client(url, key=key, collection=collection()) as client:
        yield client


@contextmanager
def reached() -> Iterator[tuple[str, str]]:
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
    keys = _keys(settings)
    key = key or next((keys[role] for role in ("admin", "operate", "ask") if role in keys), "")  # the most powerful
    if address := running(settings):
        yield address.api_url, key
        return
    with _started(load(api_port=0)) as url:
        yield url, key


@contextmanager
def to_delete() -> "Iterator[Client]":
    """Yield a client for deletions: workers take pages out of the knowledge base, and erase them from the disk.

    If Redis is the operator's own, so are the workers: none are started.
    """
    from workers.processes.stack import running
    from workers.settings import load

    settings = load()
    if os.environ.get("WELLREAD_API_URL") or settings.redis_url or running(settings):
        with open_client() as client:
            yield client
        return
    from workers.deletion import wait_until_erased

    with connected() as client:
        yield client
        with closing(open_services()) as services:
            wait_until_erased(services.of(name) if (name := collection()) else services)


def open_client() -> "Client":
    """Return a client for commands without workers: of the API that is named or runs here, else of one in this process.

    One that runs is asked because it is there already (to make one takes seconds), if a key of the settings may do all.
    """
    from wellread import Client

    key = os.environ.get("WELLREAD_API_KEY", "")
    if url := os.environ.get("WELLREAD_API_URL"):
        return Client(url, key=key, collection=collection())
    from workers.processes.stack import listens, running
    from workers.settings import load

    settings = load()
    own = _keys(settings).get("admin", "")
    if address := running(settings) if own or needs_no_key() else None:
        place = urlsplit(address.api_url)
        if listens(place.hostname or "", place.port or 0):  # else it is being started again
            return Client(address.api_url, key=key or own, collection=collection())
    services = open_services()
    from api.app import InProcess

    return Client(transport=InProcess(services), collection=collection())


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
    return _chosen() or os.environ.get("WELLREAD_COLLECTION", "")


def option_of_collection() -> str:
    """Return the option for a next command in the same collection: " --collection NAME", or nothing."""
    return f" --collection {_chosen()}" if _chosen() else ""


def _chosen() -> str:
    context = click.get_current_context(silent=True)
    return str(context.meta.get(_CHOSEN, "")) if context else ""


def open_collection() -> "Services":
    """Return this machine's services of the collection that the running command works in."""
    services = open_services()
    return services.of(name) if (name := collection()) else services


def _remember(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name:
        context.meta[_CHOSEN] = name


@contextmanager
def _started(settings: "Settings") -> Iterator[str]:
    from workers.processes.slow_start import SlowStart
    from workers.processes.stack import Stack

    quiet_logs()
    notify("Starting Wellread for this command (`wellread up` keeps it running) …")
    began = time.monotonic()

    def died(name: str, code: int) -> None:
        notify(f"{name} ended ({code}); starting it again")

    with SlowStart(notify) as start, Stack(settings, flower=False, on_restart=died, on_step=start.step) as stack:
        start.end()
        notify(f"Up after {time.monotonic() - began:.1f} s.")
        yield stack.address.api_url


def open_services() -> "Services":
    """Return this machine's services; needs no running stack, and creates missing tables in the data folder."""
    from store.collections import migrate_all
    from workers.services import Services
    from workers.settings import load

    quiet_logs()
    settings = load()
    if not settings.database_url:  # an operator migrates a database of their own with `wellread migrate`
        migrate_all(settings.database)
    return Services(settings)


def needs_no_key() -> bool:
    """Return whether this machine's API takes requests without a key; False if another API is named."""
    from workers.settings import LOOPBACK, load

    if os.environ.get("WELLREAD_API_URL"):
        return False
    settings = load()
    return not settings.api_keys and settings.api_host in LOOPBACK


def _keys(settings: "Settings") -> dict[str, str]:
    """Return the keys of the settings by role; those bound to collections by that, too."""
    pairs = [pair.get_secret_value().partition(":") for pair in settings.api_keys]
    return {role.strip(): key.strip() for role, _, key in pairs}


def quiet_logs() -> None:
    """Keep log lines other than errors off the terminal."""
    import structlog

    os.environ.setdefault("LANCEDB_LOG", "error")
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
