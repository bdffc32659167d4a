"""The command line. Each command imports what it needs when it runs, so ``--help`` loads nothing heavy."""

import sys
import traceback

import click

from api import installed_version
from api.cli import (
    access,
    ask,
    bench,
    curated,
    documents,
    exchange,
    files,
    operate,
    pages,
    questions,
    reads,
    sources,
    subscriptions,
    threads,
    watch,
    webhooks,
)
from api.cli.connect import with_collection
from api.cli.output import EXIT_INTERRUPTED, notify
from api.cli.refusal import error_line
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
                notify(f"wellread: {error_line(error)}")
            context.exit(1)
        except Exception as error:
            packages = {each.__module__.partition(".")[0] for each in type(error).__mro__}  # Redis is not loaded
            if context.params.get("debug") or "redis" not in packages:
                raise
            click.echo(f"wellread: Redis does not answer: {error} Start it, or correct WELLREAD_REDIS_URL.", err=True)
            context.exit(1)
        except KeyboardInterrupt:
            click.echo("", err=True)
            context.exit(EXIT_INTERRUPTED)


def _say_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
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


#: commands, and groups of them, that work in one collection
_IN_COLLECTION = (
    *(
        ask.ask,
        ask.search,
        ask.trace,
        bench.bench,
        questions.questions,
        threads.threads,
        watch.watch,
        subscriptions.subscribe,
        subscriptions.subscriptions,
        webhooks.webhooks,
        reads.read,
        reads.extract,
        reads.reads,
        pages.pages,
        pages.delete,
    ),
    *(
        files.add,
        files.files,
        documents.documents,
        curated.curated,
        exchange.export,
        exchange.take_over,
        sources.source,
    ),
    *(operate.dead, operate.replay, operate.learn),
)
_OTHERS = (
    *(ask.demo, access.collections, access.keys, operate.up, operate.status, operate.doctor, operate.reindex),
    *(operate.backup, operate.restore, operate.version, operate.worker, operate.beat, operate.flower, operate.api),
    *(operate.mcp, operate.migrate, operate.config),
)
for _command in _IN_COLLECTION:
    with_collection(_command)
for _command in (*_IN_COLLECTION, *_OTHERS):
    cli.add_command(_command)


def main() -> None:
    """Run the command line; the entry point."""
    cli(prog_name="wellread", args=sys.argv[1:])
