"""Writes answers to stdout and everything else to stderr; colours only for terminals that show them."""

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import click

from api.cli.width import Style
from domain import Status
from domain.errors import WellreadError

if TYPE_CHECKING:
    from wellread import Event, Record

#: seconds between two lines of progress if the next does not overwrite the last
QUIET_S = 10.0
#: and if it does
_OVERWRITTEN_S = 0.1
#: the honest "not known" is neither an answer (0) nor an error (1), and so is an answer that is perhaps right
EXIT_NOT_KNOWN = 3
EXIT_UNSURE = 4
EXIT_INTERRUPTED = 130


class CommandFailed(WellreadError):
    """The command cannot do what was asked; the message says why and what to do."""


class WithFlags(click.Command):
    """A command that also has the flags of a body's options: ``module:class``, loaded when they are needed."""

    def __init__(self, *args: Any, body: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._body = body

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters, the options first."""
        from api.cli.flags import flags

        return [*flags(resolve_name(self._body)), *super().get_params(ctx)]


#: of a command that reads sites
OWN = click.option(
    "--own", is_flag=True, help="The sites are yours: their addresses may be private. They become sources."
)
#: of a command that shows what the API returned
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's JSON.")

#: what controls a terminal or the direction of its text, but for colours; and halves of surrogate pairs
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\x1b(?!\[[\d;]*m)"
)


def exit_code(record: "Record") -> int:
    """Return the exit code for a question: 0 answered, 1 failed, 3 not known, out of time or not ended, 4 unsure."""
    if record.outcome == "unsure":
        return EXIT_UNSURE
    return {Status.ANSWERED: 0, Status.FAILED: 1}.get(record.status, EXIT_NOT_KNOWN)


def print_lines(*lines: str) -> None:
    """Write to stdout."""
    for line in lines:
        click.echo(_CONTROL.sub("", line))


def print_json(value: Any) -> None:
    """Write JSON to stdout, whose texts are all there: what would control the terminal is escaped."""
    written = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    print_lines(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", written))


def print_found(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Write what was found to stdout: its JSON if that is asked for, else the lines."""
    if as_json:
        print_json(value)
    else:
        print_lines(*lines)


def notify(*lines: str) -> None:
    """Write to stderr at once."""
    for line in lines:
        click.echo(_CONTROL.sub("", line), err=True)


def print_progress(event: "Event", at_s: float) -> None:
    """Write one step of a question's progress to stderr, ``at_s`` seconds after it was asked."""
    from api.cli.answer import event_lines

    notify(*event_lines(event, at_s, terminal(err=True)))


def progress_line(*, first_s: float = QUIET_S) -> Callable[[str, bool], None]:
    """Return a function that shows on stderr how far a command is, and whether it is done.

    A terminal has one line, which the next overwrites, and an empty one clears; anything else a plain line every ten
    seconds, the first after ``first_s`` seconds: a quick command shows none.
    """
    overwrites = sys.stderr.isatty()
    due = time.monotonic() + (0 if overwrites else first_s)

    def show(line: str, is_last: bool) -> None:
        nonlocal due
        if overwrites and (is_last or time.monotonic() >= due):
            due = time.monotonic() + _OVERWRITTEN_S
            click.echo(f"\r\x1b[K{_CONTROL.sub('', line)}", nl=is_last and bool(line), err=True)
        elif not overwrites and line and time.monotonic() >= due:
            due = time.monotonic() + QUIET_S
            notify(line)

    return show


def progress_count(of: str) -> Callable[[int, int], None]:
    """Return a function that shows how many are done of how many: "3 of 120 pages"."""
    show = progress_line()
    return lambda done, total: show(f"{done:,} of {total:,} {of}", done >= total)


def terminal(*, err: bool = False) -> Style:
    """Return what stdout, or stderr, can show."""
    stream = sys.stderr if err else sys.stdout
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(width=max(40, shutil.get_terminal_size((100, 24)).columns), colour=colour)
