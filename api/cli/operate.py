"""The operator's commands: start, inspect, repair, learn; and those that each run one process of the stack."""

import gc
import sys
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from api import installed_version
from api.cli.connect import collection, open_client, open_collection, open_services, quiet_logs, reached
from api.cli.exchange import FILE, left_out_lines
from api.cli.output import AS_JSON, notify, print_found, print_json, print_lines, progress_count, terminal
from api.cli.width import clean, counted, cut, when, wrap
from domain.outcome import Learned

if TYPE_CHECKING:
    from workers.settings import Settings

_COLOURS = {"ok": "green", "note": "yellow", "wrong": "red"}


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="The API's port; 0: any free one.  [default: 8484]")
@click.option("--no-flower", is_flag=True, help="Do not run Flower.")
def up(port: int | None, no_flower: bool) -> None:
    """Run everything in the foreground: Valkey, workers, beat, API and Flower."""
    from workers.processes.slow_start import SlowStart

    with SlowStart(notify) as start:
        from workers.processes.stack import up as run
        from workers.settings import load

        quiet_logs()
        settings = load() if port is None else load(api_port=port)
        run(settings, flower=not no_flower, say=click.echo, on_step=start.step)


@click.command()
def status() -> None:
    """Show processes, stored data, queues and the latest questions."""
    from api.cli.status import overview_lines

    print_lines(*overview_lines(open_services(), terminal()))


@click.command()
def doctor() -> None:
    """Check this installation and say how to fix what is wrong."""
    from api.operations.doctor import diagnose
    from workers.services import Services
    from workers.settings import load

    quiet_logs()
    wrong, style = False, terminal()
    with closing(Services(load())) as services:
        for check in diagnose(services):
            wrong = wrong or check.level == "wrong"
            level = style.paint(f"{check.level:<5}", fg=_COLOURS[check.level])
            first, *others = wrap(f"{check.name}: {check.finding}", style.width - 7)
            print_lines(f"{level}  {first}", *(f"       {line}" for line in others))
            if check.fix:
                print_lines(*style.wrap(check.fix, first="       → ", indent="         "))
    if wrong:
        click.get_current_context().exit(1)


@click.group()
def config() -> None:
    """The settings of this machine."""


@config.command()
@click.option("--set", "only_set", is_flag=True, help="Only those that are set somewhere.")
@AS_JSON
def show(only_set: bool, as_json: bool) -> None:
    """Show every setting with its value and where that comes from: secrets are masked.

    Variables that begin with WELLREAD_ and are no setting are named at the end, each with the nearest setting.
    """
    from workers.setting_origins import explain, set_variables
    from workers.settings import load, unknown_variables

    found = [each for each in explain(load()) if each.is_set or not only_set]
    unknown, style = unknown_variables(set_variables()), terminal()
    lines = [f"{style.paint(f'{each.variable}={each.text}', bold=each.is_set)}  ({each.origin})" for each in found]
    shown = {"settings": [asdict(each) for each in found], "unknown": unknown}
    print_found(shown, (*lines, *(style.paint(each, fg="yellow") for each in unknown)), as_json=as_json)


@click.command()
def dead() -> None:
    """List the failed questions, whose steps failed too often."""
    from store.questions.state import dead as failed

    style = terminal()
    questions = open_collection().read(failed)
    for each in questions:
        print_lines(f"{each.id}  {when(each.updated_at)}", cut(f"    {clean(each.text)}", style.width))
        print_lines(*style.wrap(each.error or "no error was stored", indent="    "))
    print_lines(*(("", "`wellread replay ID` runs one again.") if questions else ("No question has failed.",)))


@click.command()
@click.argument("question_id", metavar="ID")
def replay(question_id: str) -> None:
    """Run a question again that failed, timed out or was cancelled."""
    from workers.questions.submit import replay as start_again

    question = start_again(open_collection(), question_id)
    if question.status.is_final:
        stays = f"{question.id} stays {question.status}"
        print_lines(f"{stays}: only questions that failed, timed out or were cancelled run again.")
    else:
        print_lines(f"{question.id} is {question.status} again: `wellread status` shows the progress.")


@click.command()
def reindex() -> None:
    """Rebuild the knowledge base from the stored pages, after a change of embedder or damage."""
    from api.operations.reindex import reindex as rebuild
    from workers.services.collections import every

    services = open_services()
    for each in every(services):
        passages = rebuild(each, progress_count("pages"))
        name = "" if each.collection.is_default else f" of {each.collection.name}"
        print_lines(f"The knowledge base{name} holds {passages:,} passages, embedded by {services.embedder.id}.")


@click.command()
def version() -> None:
    """Print the version."""
    print_lines(f"wellread {installed_version()}")


@click.command()
@FILE
def backup(file: Path) -> None:
    """Back up all collections to FILE, as of this moment; Wellread may be running.

    Passages are left out, because they are rebuilt from the pages. Keep FILE as safe as the database.
    """
    from workers.backup import backup as write

    written = write(open_services(), file, wellread=installed_version())
    print_lines(f"{file} holds {_counts(written.rows)}.", *left_out_lines(written.left_out))


@click.command()
@FILE
def restore(file: Path) -> None:
    """Restore FILE, which `wellread backup` wrote, into an empty SQLite or PostgreSQL database.

    Restore only your own backups: API keys and watched folders come back with them. The pages are indexed again when
    Wellread runs (`wellread up`).
    """
    from workers.backup import restore as read
    from workers.processes.stack import AlreadyRunning, keep_private, running
    from workers.settings import load

    settings = load()
    if running(settings):
        raise AlreadyRunning(f"Wellread runs on {settings.data_dir}: stop it first.")
    keep_private(settings.data_dir)
    print_lines(f"Restored: {_counts(read(settings, file))}. `wellread up` indexes the pages.")


@click.command()
@click.option("--reset", is_flag=True, help="Return to the shipped judge; feedback given so far no longer counts.")
@AS_JSON
def learn(reset: bool, as_json: bool) -> None:
    """Correct the judge's confidence by readers' feedback now, and show how.

    A correction is used, without a restart, if it does better on held-out answers. There is one for each embedder,
    language and calibration.
    """
    from pydantic import TypeAdapter

    with open_client() as client:
        learned = client.reset_learned() if reset else client.learn()
    if as_json:
        print_json(TypeAdapter(list[Learned]).dump_python(learned, mode="json"))
        return
    if not learned:
        print_lines("Nothing to learn from yet: no answer was judged, or none whose evidence is kept.")
    for each in learned:
        is_used = (each.intercept, each.slope) != (0, 1)
        finding = terminal().paint(each.said, fg="green" if is_used else "yellow")
        print_lines(f"{each.lang or 'language unknown'} ({each.calibration}), {each.embedder}: {finding}")
        print_lines(f"    {each.right:,} right and {each.wrong:,} wrong, {each.held_out:,} of them held out")
        print_lines(f"    intercept {each.intercept:+.2f}, slope {each.slope:.2f}")
        if each.loss_before is not None and each.loss_after is not None:
            print_lines(f"    log loss {each.loss_before:.3f} → {each.loss_after:.3f} on the held-out answers")


@click.command()
@click.argument("queues", nargs=-1, required=True)
@click.option("--beat", is_flag=True, help="Also send what is due again and again, in place of `wellread beat`.")
def worker(queues: tuple[str, ...], beat: bool) -> None:
    """Work on one queue, such as answer, or on several, each with threads of its own."""
    from workers.entrypoints import run_worker

    run_worker(_settings(), *queues, beat=beat)


def _process(name: str, run: str, help: str) -> click.Command:
    """Return a command that runs a process of the stack: ``module:function``, loaded when it runs."""
    return click.Command(name, callback=lambda: resolve_name(run)(_settings()), help=help)


beat = _process(
    "beat", "workers.entrypoints:run_beat", "Run Celery beat, which schedules sweeping, refreshing and upkeep."
)
flower = _process("flower", "workers.entrypoints:run_flower", "Run Flower, which shows tasks and workers.")
api = _process("api", "api.server:serve", "Serve the HTTP API and the web page.")


@click.command()
def mcp() -> None:
    """Serve the Model Context Protocol on stdin and stdout, for editors and assistants.

    Uses the running API, here or at WELLREAD_API_URL, or starts Wellread until the assistant ends.
    """
    from api.mcp.tools import build
    from wellread import AsyncClient

    with reached() as (url, key):
        build(lambda _, named: AsyncClient(url, key=key, collection=named or collection())).run("stdio")


@click.command()
def migrate() -> None:
    """Upgrade the database's tables."""
    from store.collections import migrate_all
    from store.sql.database import REVISION

    migrate_all(_settings().database)
    print_lines(f"The tables are at the latest revision, {REVISION}.")


def _settings() -> "Settings":
    """Return the settings of a process that stores something, which other users of the machine must not read."""
    from setproctitle import setproctitle

    from workers.processes.stack import keep_private
    from workers.settings import load

    setproctitle(" ".join(("wellread", *sys.argv[1:])))
    gc.set_threshold(50_000)  # what is imported would be looked through a hundred times
    settings = load()
    with suppress(OSError):  # whoever writes there says why it cannot be done
        keep_private(settings.data_dir)
    return settings


def _counts(rows: dict[str, int]) -> str:
    return ", ".join(counted(rows[f"{noun}s"], noun) for noun in ("question", "page", "source"))
