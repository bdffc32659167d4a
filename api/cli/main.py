"""The command line. Each command imports what it needs when it runs, so ``--help`` loads nothing heavy."""

import re
import sys
import tomllib
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api import installed_version, sentence
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
from domain.errors import WellreadError

if TYPE_CHECKING:
    from wellread import Refused


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
            packages = {each.__module__.partition(".")[0] for each in type(error).__mro__}  # Redis is not loaded
            if context.params.get("debug") or "redis" not in packages:
                raise
            click.echo(f"wellread: Redis does not answer: {error} Start it, or correct WELLREAD_REDIS_URL.", err=True)
            context.exit(1)
        except KeyboardInterrupt:
            click.echo("", err=True)
            context.exit(EXIT_INTERRUPTED)


def _said(error: WellreadError) -> str:
    if type(error).__module__ != "wellread.responses":  # the client is not loaded unless it is used
        return str(error)
    from wellread import Refused

    return refusal_line(error) if isinstance(error, Refused) else str(error)


def refusal_line(error: "Refused") -> str:
    """Return what the API refused and what to do, with commands and options instead of routes and fields."""
    listed = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text("utf-8"))

    def in_commands(text: str) -> str:
        for route, command in listed["commands"].items():
            text = re.sub(route, command, text)
        return text

    if error.kind == "bad-request":
        return " ".join(dict.fromkeys(_option(problem, listed["options"]) for problem in error.detail.split("; ")))
    message = sentence(in_commands(error.detail))
    if error.retry_after_s:
        message += f" Try again in {error.retry_after_s:g} s."
    advice = "" if "`wellread " in message else listed["advice"].get(error.kind, in_commands(error.what_to_do))
    return f"{message} {advice}".strip()


def _option(problem: str, known: Mapping[str, str]) -> str:
    """Return one wrong field as the option that sets it: "langs.0: String should match …"."""
    from api.cli.flags import flag_of

    field, _, message = problem.partition(": ")
    name = field.partition(".")[0]
    return sentence(known.get(name) or f"{flag_of(name) or name.replace('_', ' ')}: {message}")


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
