"""Where the command line writes: answers to stdout, everything else to stderr; colours only where they are seen."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from api.show import Look

#: the honest "not known" is neither an answer (0) nor an error (1)
EXIT_NOT_KNOWN = 3
EXIT_INTERRUPTED = 130


def print_lines(*lines: str) -> None:
    """Write to stdout."""
    for line in lines:
        click.echo(line)


def tell(*lines: str) -> None:
    """Write to stderr at once."""
    for line in lines:
        click.echo(line, err=True)


def terminal(*, err: bool = False) -> Look:
    """What stdout, or stderr, can show."""
    from api.show import Look

    stream = sys.stderr if err else sys.stdout
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(width=max(40, shutil.get_terminal_size((100, 24)).columns), colour=colour)
