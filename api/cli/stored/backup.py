"""`wellread backup` and `restore`: all that is stored, in one file."""

from __future__ import annotations

from pathlib import Path

import click

from api import installed_version
from api.cli.connect import open_services
from api.cli.output import print_lines
from api.cli.views.width import counted

_FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


@click.command()
@_FILE
def backup(file: Path) -> None:
    """Back up all collections to FILE, as of this moment; Wellread may be running.

    Passages are left out, because they are rebuilt from the pages. Keep FILE as safe as the database.
    """
    from workers.backup import backup as write

    print_lines(f"{file} holds {_told(write(open_services(), file, wellread=installed_version()))}.")


@click.command()
@_FILE
def restore(file: Path) -> None:
    """Restore FILE, which `wellread backup` wrote, into an empty SQLite or PostgreSQL database.

    The pages are indexed again when Wellread runs (`wellread up`).
    """
    from workers.backup import restore as read
    from workers.processes.private_files import keep_private
    from workers.processes.stack import AlreadyRunning, running
    from workers.settings import load

    settings = load()
    if running(settings):
        raise AlreadyRunning(f"Wellread runs on {settings.data_dir}: stop it first.")
    keep_private(settings.data_dir)
    print_lines(f"Restored: {_told(read(settings, file))}. `wellread up` indexes the pages.")


def _told(rows: dict[str, int]) -> str:
    return ", ".join(counted(rows[f"{noun}s"], noun) for noun in ("question", "page", "source"))


COMMANDS = (backup, restore)
