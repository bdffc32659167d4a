"""The commands that each run one process; `wellread up` and containers start those of the stack."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from api.cli.output import print_lines

if TYPE_CHECKING:
    from workers.settings import Settings


@click.command()
@click.argument("queue")
def worker(queue: str) -> None:
    """Work on one queue, such as answer."""
    from workers.entrypoints import run_worker

    run_worker(_settings(), queue)


@click.command()
def beat() -> None:
    """Run Celery beat, which schedules sweeping, refreshing and upkeep."""
    from workers.entrypoints import run_beat

    run_beat(_settings())


@click.command()
def flower() -> None:
    """Run Flower, which shows tasks and workers."""
    from workers.entrypoints import run_flower

    run_flower(_settings())


@click.command()
def api() -> None:
    """Serve the HTTP API and the web page."""
    from api.server import serve

    serve(_settings())


@click.command()
def mcp() -> None:
    """Serve the Model Context Protocol on stdin and stdout, for editors and assistants.

    Uses the running API, here or at WELLREAD_API_URL, or starts Wellread until the assistant ends.
    """
    from api.cli.connect import collection, reached
    from api.cli.output import notify
    from api.mcp.tools import build
    from wellread import AsyncClient

    with reached(notify) as (url, key):
        build(lambda _, named: AsyncClient(url, key=key, collection=named or collection())).run("stdio")


@click.command()
def migrate() -> None:
    """Upgrade the database's tables."""
    from store.sql.database import REVISION
    from workers.services.collections import migrate_all

    migrate_all(_settings())
    print_lines(f"The tables are at the latest revision, {REVISION}.")


def _settings() -> "Settings":
    """Return the settings of a process that stores something, which other users of the machine must not read."""
    from workers.processes.stack import keep_private
    from workers.settings import load

    settings = load()
    with suppress(OSError):  # what is to be written there says why it cannot be
        keep_private(settings.data_dir)
    return settings


COMMANDS = (worker, beat, flower, api, mcp, migrate)
