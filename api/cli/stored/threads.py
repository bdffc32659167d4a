"""`wellread threads`: the threads of questions, to find, read, rename and delete."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from api.cli.connect import open_client
from api.cli.output import print_lines, terminal

_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API gives it.")


@click.group()
def threads() -> None:
    """Look at the threads of questions; `wellread ask --thread ID` asks on in one."""


@threads.command(name="list")
@click.option("--words", default="", help="Those whose title, or a question with its answer, has these words.")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="At most so many.")
@_AS_JSON
def show_all(words: str, limit: int, as_json: bool) -> None:
    """List the threads, those that were asked in last first."""
    from api.cli.views.threads import thread_lines

    with open_client() as client:
        found = client.threads(words, limit=limit)
    print_lines(*([_json([asdict(each) for each in found])] if as_json else thread_lines(found, terminal())))


@threads.command()
@click.argument("thread_id", metavar="ID")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="Its latest so many.")
@_AS_JSON
def show(thread_id: str, limit: int, as_json: bool) -> None:
    """Show the questions of a thread; `wellread export thread ID` has their answers, too."""
    from api.cli.views.threads import turn_lines

    with open_client() as client:
        found = client.thread(thread_id, limit=limit)
    print_lines(*([_json(asdict(found))] if as_json else turn_lines(found, terminal())))


@threads.command()
@click.argument("thread_id", metavar="ID")
@click.argument("title")
def rename(thread_id: str, title: str) -> None:
    """Give a thread another title."""
    with open_client() as client:
        thread = client.rename_thread(thread_id, title)
    print_lines(f"{thread.id} is called: {thread.title}")


@threads.command()
@click.argument("thread_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(thread_id: str, yes: bool) -> None:
    """Delete a thread with its questions, their answers and traces; what was read for them stays."""
    if not yes:
        click.confirm(f"Delete {thread_id} with its questions and answers? It cannot be undone", abort=True)
    with open_client() as client:
        client.delete_thread(thread_id)
    print_lines(f"{thread_id} is deleted with its questions.")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


COMMANDS = (threads,)
