"""`wellread export` and `import`: an answer as a document, and all that is known in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import click

from api import installed_version
from api.cli.connect import open_client, open_collection
from api.cli.output import notify, print_lines


@click.group(name="export")
def export() -> None:
    """Write an answer, or all that is known, to a file."""


@export.command()
@click.argument("question_id", metavar="ID")
@click.option("--format", "form", type=click.Choice(["md", "html"]), default="md", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; left out: the terminal.")
def question(question_id: str, form: str, output: Path | None) -> None:
    """Print a question with its answer, and each quote with its page's name, address and dates."""
    with open_client() as client:
        document = client.export(question_id, cast('Literal["md", "html"]', form))
    if output is None:
        print_lines(document.rstrip("\n"))
        return
    _write(output, document)
    notify(f"{output} is written.")


@export.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--site", "sites", multiple=True, metavar="URL", help="Only what is below this URL; may be repeated.")
def knowledge(file: Path, sites: tuple[str, ...]) -> None:
    """Write this machine's sources and pages, with their former texts, to FILE; `wellread import` takes it over.

    Pages that serve a single question, questions and answers are not in it.
    """
    from crawler import urls
    from domain.file import is_file_address
    from store.knowledge import archive
    from workers.knowledge import export as write

    below = [site if is_file_address(site) else urls.typed(site) for site in sites]
    manifest = write(open_collection(), file, wellread=installed_version(), sites=below)
    print_lines(
        f"{file} holds {manifest.lines[archive.SOURCES]:,} sources and {manifest.lines[archive.PAGES]:,} pages."
    )


@click.command(name="import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--own", is_flag=True, help="Its own sources are yours: their addresses may be private.")
def take_over(file: Path, own: bool) -> None:
    """Take over the sources and pages of FILE, which `wellread export knowledge` wrote, into this machine's database.

    A page that is known already keeps the text that was seen last. A broken or strange file is refused, and nothing of
    it is stored. While Wellread runs (`wellread up`), what is new is indexed.
    """
    from workers.knowledge import take_over as take

    def progress(done: int, total: int) -> None:
        if done % 1_000 < 16 or done == total:
            notify(f"{done:,} of {total:,} pages")

    taken = take(open_collection(), file, own=own, progress=progress)
    print_lines(
        f"{taken.sources:,} sources; pages: {taken.new:,} new, {taken.newer:,} with a later text, "
        f"{taken.known:,} known already."
    )
    if taken.own_left:
        print_lines("Not taken as your own, so that private addresses stay closed (`--own` takes them):")
        print_lines(*(f"    {url}" for url in taken.own_left))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(path), error.strerror or str(error)) from error


COMMANDS = (export, take_over)
