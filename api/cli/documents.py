"""The command `documents`: push documents under ids of your own, list and delete them."""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from api.cli.connect import connected, open_client
from api.cli.output import AS_JSON, CommandFailed, notify, print_found, print_lines, terminal
from api.cli.questions import change_all
from api.cli.width import clean, cut
from domain.document import MAX_BULK, PushedDocument

#: documents that one request lists
_PART = 1_000
#: bytes of the lines that one request sends, unless one is larger
_MOST_BYTES = 2_000_000
_FILTER = click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="CONDITION",
    help="Only those with this metadata, such as team=support.",
)


@click.group()
def documents() -> None:
    """Push documents under ids of your own, list and delete them."""


@documents.command()
@click.argument("document_id", metavar="ID")
@click.argument("file", type=click.Path(exists=True, path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--as", "form", type=click.Choice(["text", "markdown", "html"]), help="Form of its text; default: by its suffix."
)
@click.option("--url", help="Its http(s) URL, by which it is cited.")
@click.option("--title", help="Its title; default: what its text says.")
@click.option("--lang", metavar="CODE", help="Its language; default: detected.")
@click.option("--published", metavar="DATE", help="When it was published.")
@click.option("--metadata", metavar="JSON", help='Such as {"team": "support", "year": 2026}.')
def put(document_id: str, file: Path, form: str | None, metadata: str | None, **fields: Any) -> None:
    """Push FILE (- is standard input, as text) as the document ID; what is there under this id is replaced."""
    given = {name: value for name, value in fields.items() if value}
    if metadata is not None:
        try:
            given["metadata"] = json.loads(metadata)
        except ValueError as error:
            raise CommandFailed(f"--metadata is not JSON: {error}.") from error
    is_piped = str(file) == "-"
    body = sys.stdin.buffer.read() if is_piped else _bytes_of(file)
    with connected() as client:
        if form or is_piped:
            given[form or "text"] = body.decode("utf-8", "replace")
            document = client.put_document(document_id, **given)
        else:
            document = client.put_document(document_id, file=(file.name, body), **given)
    print_lines(_line(document))


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror or error}.") from error


@documents.command(name="list")
@_FILTER
@click.option("--state", type=click.Choice(["waiting", "indexed", "failed"]), help="Only those in this state.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1), help="At most so many.")
@AS_JSON
def list_all(filters: Sequence[str], state: Any, limit: int, as_json: bool) -> None:
    """List the documents that fit all filters, by id."""
    found: list[PushedDocument] = []
    with open_client() as client:
        while len(found) < limit:
            after, most = found[-1].id if found else "", min(_PART, limit - len(found))
            part = client.documents(filters=filters, state=state, after=after, limit=most)
            found += part
            if len(part) < most:
                break
    lines = [_line(document) for document in found] or ["No document is meant."]
    print_found([dict(document.json) for document in found], lines, as_json=as_json)


@documents.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_FILTER
@click.option("--dry-run", is_flag=True, help="Only count those that the filters mean.")
@click.option("--yes", is_flag=True, help="Do not ask before those are deleted that the filters mean.")
def delete(ids: Sequence[str], filters: Sequence[str], dry_run: bool, yes: bool) -> None:
    """Delete the documents with these ids, or those that fit all filters, with everything derived from them."""
    if bool(ids) == bool(filters):
        raise CommandFailed(
            "Name either documents by their ids, or filters: `wellread documents delete --filter NAME=VALUE`."
        )
    with connected() as client:
        for document_id in ids:
            client.delete_document(document_id)
            print_lines(f"{clean(document_id)} is deleted.")
        if not filters:
            return
        change_all(partial(client.delete_documents, filters), "document", "delete", dry_run=dry_run, yes=yes)


@documents.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path, dir_okay=False, allow_dash=True))
def bulk(file: Path) -> None:
    """Push the documents of FILE.jsonl: on each line a JSON object with `id`, a text and what else is said of it."""
    changed = same = failed = 0
    with connected() as client:
        for numbers, some in _parts(file):
            for number, item in zip(numbers, client.put_documents(some).documents, strict=True):
                if item.problem is not None:
                    failed += 1
                    notify(f"line {number} ({clean(item.id or 'no id')}): {clean(str(item.problem['detail']))}")
                elif item.is_changed:
                    changed += 1
                else:
                    same += 1
    print_lines(f"{changed:,} pushed, {same:,} unchanged, {failed:,} not taken.")
    if failed:
        raise SystemExit(1)


def _parts(file: Path) -> Iterator[tuple[list[int], list[dict[str, Any]]]]:
    """Yield lines of a file with their numbers, as many as one request takes."""
    numbers, some, size = list[int](), list[dict[str, Any]](), 0
    lines = (sys.stdin.buffer.read() if str(file) == "-" else _bytes_of(file)).splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
        except ValueError as error:
            raise CommandFailed(f"Line {number} of {file} is not JSON: {error}.") from error
        if not isinstance(document, dict):
            raise CommandFailed(f"Line {number} of {file} is not a JSON object.")
        if some and (len(some) == MAX_BULK or size + len(line) > _MOST_BYTES):
            yield numbers, some
            numbers, some, size = [], [], 0
        numbers.append(number)
        some.append(document)
        size += len(line)
    if some:
        yield numbers, some


def _line(document: PushedDocument) -> str:
    about = clean(document.reason or document.title)
    return cut(f"{document.state:<8} {clean(document.id)}  {about}", terminal().width)
