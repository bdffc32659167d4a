"""Writes answers to stdout and everything else to stderr; colours only for terminals that show them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from api.cli.views.question import Style
    from domain import Status
    from wellread import Event

#: the honest "not known" is neither an answer (0) nor an error (1)
EXIT_NOT_KNOWN = 3
EXIT_INTERRUPTED = 130


def exit_code(status: Status) -> int:
    """Return the exit code for a question's status: 0 answered, 1 failed, 3 not known, out of time or not ended."""
    from domain import Status

    return {Status.ANSWERED: 0, Status.FAILED: 1}.get(status, EXIT_NOT_KNOWN)


def print_lines(*lines: str) -> None:
    """Write to stdout."""
    for line in lines:
        click.echo(line)


def notify(*lines: str) -> None:
    """Write to stderr at once."""
    for line in lines:
        click.echo(line, err=True)


def print_progress(event: Event, at_s: float) -> None:
    """Write one step of a question's progress to stderr, ``at_s`` seconds after it was asked."""
    from api.cli.views.question import event_lines

    notify(*event_lines(event, at_s, terminal(err=True)))


def terminal(*, err: bool = False) -> Style:
    """Return what stdout, or stderr, can show."""
    from api.cli.views.question import Style

    stream = sys.stderr if err else sys.stdout
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(width=max(40, shutil.get_terminal_size((100, 24)).columns), colour=colour)
