"""The command line. Each command imports what it needs when it runs, so ``--help`` loads nothing heavy."""

import sys
import traceback

import click

from api import installed_version
from api.cli import access, ask, exchange, files, operate, pages, processes, reads, sources, threads, watch
from api.cli.connect import with_collection
from api.cli.output import EXIT_INTERRUPTED, notify
from domain.errors import WellreadError


class _CleanErrors(click.Group):
    """A group that shows an expected error in one clear line, with the traceback only under --debug."""

    def invoke(self, context: click.Context) -> object:
        """Run the command; an error goes to stderr and sets the exit code."""
        try:
            return super().invoke(context)
        except WellreadError as error:
            if context.params.get("debug"):
                traceback.print_exc()
            else:
                notify(f"wellread: {_said(error)}")
            context.exit(1)
        except Exception as error:
            if context.params.get("debug") or not _is_of_redis(error):
                raise
            click.echo(f"wellread: Redis does not answer: {error} Start it, or correct WELLREAD_REDIS_URL.", err=True)
            context.exit(1)
        except KeyboardInterrupt:
            click.echo("", err=True)
            context.exit(EXIT_INTERRUPTED)


def _said(error: WellreadError) -> str:
    """Return an error's message; of what the API refused, in the words of the command line."""
    if type(error).__module__ != "wellread.errors":  # the client is not loaded where it is not used
        return str(error)
    from api.cli.views.refusal import refusal_line
    from wellread import Refused

    return refusal_line(error) if isinstance(error, Refused) else str(error)


def _is_of_redis(error: Exception) -> bool:
    """Return whether Redis failed, without loading its client where it is not used."""
    return any(each.__module__.partition(".")[0] == "redis" for each in type(error).__mro__)


def _say_version(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        click.echo(f"wellread {installed_version()}")
        context.exit()


@click.group(cls=_CleanErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Print the version."
)
def cli(debug: bool) -> None:
    """Self-hosted question answering: quotes what it has read, and crawls if that is not enough.

    Settings are environment variables that begin with WELLREAD_; all are optional.
    """


for commands in (ask, threads, watch, reads, pages, files, exchange, sources, access, operate, processes):
    for command in commands.COMMANDS:
        cli.add_command(command)
for command in (
    *ask.IN_COLLECTION,
    *threads.COMMANDS,
    *watch.COMMANDS,
    *reads.COMMANDS,
    *pages.COMMANDS,
    *exchange.COMMANDS,
    *files.COMMANDS,
    *sources.COMMANDS,
    *operate.IN_COLLECTION,
):
    with_collection(command)


def main() -> None:
    """Run the command line; the entry point."""
    cli(prog_name="wellread", args=sys.argv[1:])
