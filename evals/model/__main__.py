"""Write replies to what a model was asked: ``python -m evals.model missing``, ``add FOLDER`` and ``prune``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from evals.model.replay import read_missing
from evals.model.replies import STORED, Replies, ReplyError
from evals.model.requests import Request

FOLDER = click.Path(path_type=Path)
_BUILD = Path("build/evals/model")
_HASH = 20  # digits
_MISSING = click.option(
    "--missing", type=FOLDER, default=_BUILD / "missing", show_default=True, help="Where a replay wrote the requests."
)
_STORED = click.option("--stored", type=FOLDER, default=STORED, show_default=True, help="Where replies are stored.")


@click.group()
def main() -> None:
    """Write the replies that a replay found missing."""


@main.command()
@click.option("--into", type=FOLDER, default=_BUILD / "to-write", show_default=True, help="Where to write the texts.")
@_MISSING
@_STORED
def missing(into: Path, missing: Path, stored: Path) -> None:
    """Write each request without a stored reply as a text to read, HASH.txt.

    Reply in HASH.json beside it, or to several requests in one file with any name: {"HASH": reply, …}. A reply is a
    JSON object where the request asks for one. An answer is a list of parts, each with the blocks that it cites,
    numbered as in the text: [{"text": "Up to three items cost 24 pounds.", "cites": [[0, 2, 4]]}, …] cites the blocks
    0.2 and 0.3.
    """
    into.mkdir(parents=True, exist_ok=True)
    replies, kinds = Replies(stored), Counter[str]()
    for request, _ in _requests(missing):
        if replies.get(request) is None:
            (into / f"{request.hash}.txt").write_text(request.readable(), "utf-8")
            kinds[request.kind] += 1
            click.echo(f"{request.hash}  {request.kind:8}  {' '.join(request.texts[-1].split())[:90]}")
    click.echo(f"{sum(kinds.values())} requests lack a reply: {dict(kinds)}; they are in {into}.", err=True)


@main.command()
@click.argument("folder", type=FOLDER, default=_BUILD / "to-write")
@_MISSING
@_STORED
def add(folder: Path, missing: Path, stored: Path) -> None:
    """Store the replies that were written into FOLDER; name those that do not fit their request, and fail."""
    replies, requests = Replies(stored), {request.hash: (request, name) for request, name in _requests(missing)}
    added, faults = 0, []
    for file in sorted(folder.glob("*.json")):
        for name, written in _written(file):
            try:
                if name not in requests:
                    raise ReplyError("no such request is missing")
                replies.add(*requests[name], written)
                added += 1
            except (ReplyError, TypeError, ValueError) as error:
                faults.append(f"{file.name}: {name}: {error}")
    replies.save()
    click.echo(f"Stored {added} replies; there are {len(replies)} now.")
    if faults:
        raise click.ClickException("\n".join(faults))


@main.command()
@click.option("--used", type=FOLDER, default=_BUILD / "used.json", show_default=True)
@_STORED
def prune(used: Path, stored: Path) -> None:
    """Drop the replies to requests that the last whole replay did not make."""
    replies = Replies(stored)
    gone = replies.keep(set(json.loads(used.read_text("utf-8"))))
    replies.save()
    click.echo(f"Dropped {gone} replies; there are {len(replies)} now.")


def _requests(folder: Path) -> Iterator[tuple[Request, str]]:
    for file in sorted(folder.glob("*.json")):
        yield read_missing(file)


def _written(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield the hash of each request that a file replies to, with the reply."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise click.ClickException(f"{file} is no JSON: {error}") from error
    if len(file.stem) == _HASH and set(file.stem) <= set("0123456789abcdef"):
        yield file.stem, content
    else:
        yield from content.items()


if __name__ == "__main__":
    main(prog_name="python -m evals.model")
