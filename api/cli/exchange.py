"""`wellread export` and `import`: an answer or a thread as a document, and all that is known in one file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from api import installed_version
from api.cli.connect import open_client, open_collection
from api.cli.output import notify, print_lines, progress_count, progress_line
from api.cli.width import counted
from domain.access import Imported

_FORMAT = click.option("--format", "form", type=click.Choice(["md", "html"]), default="md", show_default=True)
#: of a command that writes or reads one
FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_OUTPUT = click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file; default: the terminal."
)


@click.group(name="export")
def export() -> None:
    """Export an answer, a thread, the knowledge base or a collection to a file."""


@export.command()
@click.argument("question_id", metavar="ID")
@_FORMAT
@_OUTPUT
def question(question_id: str, form: Literal["md", "html"], output: Path | None) -> None:
    """Print a question with its answer, and each quote with its page's name, address and dates."""
    with open_client() as client:
        _write(client.export(question_id, form), output)


@export.command()
@click.argument("thread_id", metavar="ID")
@_FORMAT
@_OUTPUT
def thread(thread_id: str, form: Literal["md", "html"], output: Path | None) -> None:
    """Print a thread as one document: its questions in their order, each with its answer and quotes.

    ID is as `wellread threads list` shows it.
    """
    with open_client() as client:
        _write(client.export_thread(thread_id, form), output)


@export.command()
@FILE
@click.option("--site", "sites", multiple=True, metavar="URL", help="Only what is below this URL; may be repeated.")
def knowledge(file: Path, sites: tuple[str, ...]) -> None:
    """Export sources and pages, with their former texts, to FILE for `wellread import`.

    Pages that serve a single question, questions and answers are not in it: `wellread export collection` writes those.
    """
    from crawler import urls
    from store.archive import archive
    from workers.exchange import export_pages

    with _progress() as progress:
        manifest = export_pages(
            open_collection(), file, wellread=installed_version(), sites=[*map(urls.typed, sites)], progress=progress
        )
    print_lines(
        f"{file} holds {counted(manifest.lines[archive.SOURCES], 'source')} and "
        f"{counted(manifest.lines[archive.PAGES], 'page')}.",
        *left_out_lines(manifest.left_out),
    )


@export.command()
@FILE
def collection(file: Path) -> None:
    """Export everything that belongs to the collection to FILE, including questions and private pages.

    Its sources and schedules, watched folders, sites left out, pages with their history, threads, and questions with
    their answers, traces and feedback. No keys; what is still being answered is not in it.
    """
    from store.archive import archive
    from store.archive.question_lines import unfinished
    from workers.exchange import export_collection

    services = open_collection()
    with _progress() as progress:
        manifest = export_collection(services, file, wellread=installed_version(), progress=progress)
    lines = manifest.lines
    print_lines(
        f"{file} holds the collection {services.collection.name!r}: {counted(lines[archive.SOURCES], 'source')}, "
        f"{counted(lines[archive.FOLDERS], 'watched folder')}, {counted(lines[archive.PAGES], 'page')}, "
        f"{counted(lines[archive.THREADS], 'thread')} and {counted(lines[archive.QUESTIONS], 'question')}.",
        *left_out_lines(manifest.left_out),
    )
    if still := unfinished(services.database):
        print_lines(f"Not in it, as they are not answered yet: {counted(still, 'question')}.")


@click.command(name="import")
@FILE
@click.option("--own", is_flag=True, help="The file is yours: also import private addresses, folders and callbacks.")
def take_over(file: Path, own: bool) -> None:
    """Import FILE, which `wellread export` wrote, into this machine's database.

    A known page keeps its latest text. A damaged or foreign file is refused completely. New pages are indexed while
    Wellread runs (`wellread up`).
    """
    from workers.exchange import take_over as take

    print_lines(*imported_lines(take(open_collection(), file, own=own, progress=progress_count("pages"))))


@contextmanager
def _progress() -> Iterator[Callable[[str, int], None]]:
    show = progress_line()
    yield lambda name, done: show(f"{name.removesuffix('.jsonl')}: {done:,} written", False)
    show("", True)


def _write(document: str, output: Path | None) -> None:
    """Print a document, or write it to a file."""
    if output is None:
        print_lines(document.rstrip("\n"))
        return
    try:
        output.write_text(document, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(output), error.strerror or str(error)) from error
    notify(f"{output} is written.")


def left_out_lines(names: Sequence[str]) -> list[str]:
    """Return the names of pages that could not be written into a file."""
    if not names:
        return []
    shown = [*names[:20], *([f"and {len(names) - 20:,} more"] if len(names) > 20 else [])]
    return [f"Left out, as they cannot be written: {len(names):,}.", *(f"    {each}" for each in shown)]


def imported_lines(taken: Imported) -> Iterator[str]:
    """Yield the counts of what was imported, and what was not and why."""
    yield (
        f"{counted(taken.sources, 'source')}; pages: {taken.new:,} new, {taken.newer:,} with a later text, "
        f"{taken.known:,} known already."
    )
    if taken.questions or taken.questions_known:
        yield f"Questions: {taken.questions:,} new, {taken.questions_known:,} known already."
    if taken.folders:
        yield f"Watched folders now: {taken.folders:,}."
    yield from _left(
        "Not imported as your own, so private addresses stay closed (`--own` imports them):", taken.own_left
    )
    yield from _left(
        "Folders that are not watched (`wellread add FOLDER --name NAME`, or `--own` if they are on this machine):",
        taken.folders_left,
    )
    yield from _left("Sites not excluded here (set `WELLREAD_EXCLUDE_SITES`):", taken.sites_left)


def _left(why: str, what: tuple[str, ...]) -> Iterator[str]:
    if what:
        yield why
        yield from (f"    {each}" for each in what)
