"""The command `curated`: write answers of your own, list and delete them."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from api.cli.connect import connected, open_client
from api.cli.output import AS_JSON, CommandFailed, notify, print_found, print_lines, terminal
from api.cli.refusal import error_line
from api.cli.width import clean, counted, cut
from domain.curated import CuratedAnswer
from domain.errors import WellreadError

_PART = 1_000
#: columns of a CSV file whose values are several, with | between them
_LISTS = ("questions", "sources")


@click.group()
def curated() -> None:
    """Write answers of your own: each is given when a question means the same as one of its own."""


@curated.command()
@click.argument("curated_id", metavar="[ID]", required=False)
@click.option("--question", "questions", multiple=True, help="A question that it answers; again for other wordings.")
@click.option("--answer", help="The answer, in Markdown.")
@click.option("--author", help="Whose answer it is: shown with it.")
@click.option("--written", metavar="DATE", help="When it was written; default: now.")
@click.option("--source", "sources", multiple=True, metavar="URL", help="A URL that is given with it.")
@click.option("--expires", "expires_at", metavar="DATE", help="When it is deleted; default: never.")
@click.option(
    "--file",
    type=click.Path(exists=True, path_type=Path, dir_okay=False),
    help="Add those of this file instead: JSON Lines or CSV, each with its `id`.",
)
def add(curated_id: str | None, file: Path | None, **about: Any) -> None:
    """Save the answer ID, or those of a file; what is there under an id is replaced."""
    about = {name: each for name, each in about.items() if each}
    if (curated_id is None) == (file is None) or (file is not None and about):
        raise click.UsageError("Give either an ID with its --question, --answer and --author, or a --file.")
    failed = done = 0
    with connected() as client:
        for number, each in _read(file) if file else [(0, {"id": curated_id, **about})]:
            try:
                if not isinstance(each, dict) or not each.get("id"):
                    raise CommandFailed("It is not a JSON object with an `id`.")
                client.put_curated(str(each.pop("id")), **each)
                done += 1
            except (WellreadError, TypeError) as error:
                if file is None:
                    raise
                failed += 1
                notify(f"line {number}: {clean(error_line(error))}")
    print_lines(f"{counted(done, 'answer')} saved" + (f", {failed:,} not." if failed else "."))
    if failed:
        raise SystemExit(1)


def _read(file: Path) -> Iterator[tuple[int, Any]]:
    """Yield the answers of a file, each with its line."""
    text = file.read_text("utf-8-sig", errors="replace")
    if file.suffix.lower() == ".csv":
        table = csv.DictReader(text.splitlines(keepends=True))
        for row in table:
            given = {name: each for name, each in row.items() if name and each}
            yield table.line_num, {name: each.split("|") if name in _LISTS else each for name, each in given.items()}
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                yield number, None


@curated.command(name="list")
@AS_JSON
def list_all(as_json: bool) -> None:
    """List the answers by id."""
    found: list[CuratedAnswer] = []
    with open_client() as client:
        while part := client.curated_answers(after=found[-1].id if found else "", limit=_PART):
            found += part
    width = terminal().width
    lines = [cut(f"{clean(each.id)}  {clean(each.questions[0])}  ({_by(each)})", width) for each in found]
    print_found([dict(each.json) for each in found], lines or ["No answer of an operator's yet."], as_json=as_json)


@curated.command()
@click.argument("curated_id", metavar="ID")
@AS_JSON
def show(curated_id: str, as_json: bool) -> None:
    """Show an answer with its questions."""
    with open_client() as client:
        found = client.curated(curated_id)
    until = [f"Until {found.expires_at:%Y-%m-%d %H:%M} UTC"] if found.expires_at else []
    lines = [*found.questions, "", *found.answer.splitlines(), "", _by(found), *found.sources, *until]
    print_found(dict(found.json), map(clean, lines), as_json=as_json)


@curated.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def delete(ids: Sequence[str]) -> None:
    """Delete answers."""
    with connected() as client:
        for curated_id in ids:
            client.delete_curated(curated_id)
            print_lines(f"{clean(curated_id)} is deleted.")


def _by(found: CuratedAnswer) -> str:
    return f"{clean(found.author)}, {found.written:%Y-%m-%d}"
