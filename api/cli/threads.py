"""`wellread threads`: the threads of questions, to find, read, rename and delete."""

from dataclasses import asdict

import click

from api.cli.connect import open_client, to_delete
from api.cli.output import AS_JSON, print_found, print_lines, terminal
from api.cli.width import Style, clean, cut, when
from domain.question import ThreadWithQuestions


@click.group()
def threads() -> None:
    """List, show, rename and delete threads; `wellread ask --thread ID` continues one."""


@threads.command(name="list")
@click.option("--words", default="", help="Threads with these words in the title, a question or its answer.")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="At most this many.")
@AS_JSON
def show_all(words: str, limit: int, as_json: bool) -> None:
    """List the threads, most recently used first."""
    with open_client() as client:
        found = client.threads(words, limit=limit)
    lines = [f"{each.id}  {when(each.updated_at)}  {each.questions:>5}  {clean(each.title)}" for each in found]
    shown = [cut(line, terminal().width) for line in lines]
    none = ["No thread found: `wellread ask QUESTION --thread new` starts one."]
    print_found([asdict(each) for each in found], shown or none, as_json=as_json)


@threads.command()
@click.argument("thread_id", metavar="ID")
@click.option(
    "--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="At most this many, the latest."
)
@AS_JSON
def show(thread_id: str, limit: int, as_json: bool) -> None:
    """Show the questions of a thread; `wellread export thread ID` includes their answers."""
    with open_client() as client:
        found = client.thread(thread_id, limit=limit)
    print_found(asdict(found), _turn_lines(found, terminal()), as_json=as_json)


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
        found = client.thread(thread_id)
    with to_delete() as client:
        client.delete_thread(found.id)
    print_lines(f"{thread_id} is deleted with its questions.")


def _turn_lines(thread: ThreadWithQuestions, style: Style) -> list[str]:
    lines = [*style.wrap(thread.title), f"{thread.questions} questions, the last asked {when(thread.updated_at)}"]
    for turn in thread.turns:
        lines += ["", f"{turn.id}  {when(turn.created_at)}  {turn.status.lower()}"]
        lines += style.wrap(turn.question, indent="  ")
        if turn.question_as_understood:
            lines += style.wrap(turn.question_as_understood, first="  = ", indent="    ")
    return lines
