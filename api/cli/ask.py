"""The commands `ask`, `search`, `demo` and `trace`: ask a question or search, and show what is found and how."""

from __future__ import annotations

import json
from typing import IO, Any, get_args

import click

from api.cli.connect import connected, open_client
from api.cli.output import EXIT_NOT_KNOWN, exit_code, notify, print_lines, print_progress, terminal
from api.cli.sources import say_unread
from domain import BLOCK_KINDS
from domain.question import Length, Task

STRATEGIES, LENGTHS = get_args(Task), get_args(Length)


@click.command()
@click.argument("question")
@click.option("--site", "sites", multiple=True, metavar="URL", help="Read this site and no other; may be repeated.")
@click.option("--exclude", "exclude", multiple=True, metavar="URL", help="Neither read nor quote this site.")
@click.option("--lang", "langs", multiple=True, metavar="CODE", help="Answer from pages in this language only.")
@click.option("--published-after", metavar="DATE", help="Quote only pages that say they were published after this.")
@click.option("--length", type=click.Choice(LENGTHS), help="Of the answer: one quote, up to five, or up to six.")
@click.option("--answer-language", metavar="CODE", help="What a model writes in; without one, of the quoted pages.")
@click.option(
    "--own", is_flag=True, help="The sites are your own: their addresses may be private. They become sources."
)
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON, as the API gives it.")
@click.option("--no-crawl", is_flag=True, help="Answer from what is known; do not read the web.")
@click.option("--wait", default=180.0, show_default=True, type=click.FloatRange(min=1), help="Seconds to wait.")
@click.option("--cycles", type=click.IntRange(0, 10), help="At most this many waves of reading.")
@click.option("--strategy", type=click.Choice(STRATEGIES), help="How sure the answer must be.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="The confidence that suffices, instead of a strategy's.")
@click.option("--variants", type=click.IntRange(0, 5), help="Other wordings in phase 2: 2 to 5, or 0 for none.")
@click.option("--top-k", type=click.IntRange(1, 20), help="Hits to look at first; phase 2 looks at twice as many.")
@click.option("--schema", type=click.File("rb"), help="A JSON Schema of values or lists, which the answer fills too.")
@click.option("--after", default="", metavar="ID", help="The question that it follows: it is understood from there.")
@click.option("--thread", default="", metavar="ID", help="The thread that it is asked in; `new` begins one.")
@click.option("--understood", default="", metavar="QUESTION", help="What to look up for it, instead of completing it.")
@click.option(
    "--chat",
    is_flag=True,
    help="Go on asking: each next question follows the one before; `= QUESTION` says what the last one meant; an empty "
    "line ends.",
)
def ask(
    question: str,
    sites: tuple[str, ...],
    exclude: tuple[str, ...],
    langs: tuple[str, ...],
    published_after: str | None,
    length: str | None,
    answer_language: str | None,
    own: bool,
    as_json: bool,
    no_crawl: bool,
    wait: float,
    cycles: int | None,
    strategy: str | None,
    threshold: float | None,
    variants: int | None,
    top_k: int | None,
    schema: IO[bytes] | None,
    after: str,
    thread: str,
    understood: str,
    chat: bool,
) -> None:
    """Ask a question and watch it being answered.

    Progress goes to stderr, the answer to stdout. Exit codes: 0 answered, 3 not known or out of time, 1 an error.
    """
    from api.cli import ask_flow
    from api.cli.views import question as show

    if own and not sites:
        raise click.UsageError("--own is for the sites to read: name them with --site.")
    if variants == 1:
        raise click.UsageError("--variants is 0 or 2 to 5: the question itself is always asked.")
    options = ask_flow.AskOptions(
        question=question, sites=sites, langs=langs, own=own, crawl=not no_crawl, cycles=cycles, strategy=strategy,
        threshold=threshold, variants=variants, top_k=top_k, wait_s=wait, schema=_read_schema(schema),
        after=after, thread=thread, understood=understood,
        exclude_sites=exclude, published_after=published_after, length=length, answer_language=answer_language,
    )  # fmt: skip
    with connected(notify) as client:
        while True:
            ask_flow.check(options)
            record = ask_flow.ask(client, options, print_progress)
            if as_json:
                print_lines(ask_flow.to_json(record))
            else:
                print_lines("", *show.record_lines(record, terminal()))
                if not chat:
                    notify(
                        "",
                        f"Ask on with `--after {record.id}`.",
                        f"The whole quotes: `wellread export question {record.id}`.",
                        f"How it came about: `wellread trace {record.id}`.",
                    )
            if own and exit_code(record.status):
                say_unread(client, sites)
            following = click.prompt("", default="", show_default=False, prompt_suffix="> ", err=True) if chat else ""
            if not following.strip():
                break
            options = ask_flow.next_options(options, following, record)
    click.get_current_context().exit(exit_code(record.status))


def _read_schema(file: IO[bytes] | None) -> dict[str, Any] | None:
    """Return the JSON object in a file; raises BadParameter."""
    if file is None:
        return None
    try:
        schema = json.load(file)
    except ValueError as error:
        raise click.BadParameter(f"the file is not JSON ({error}).", param_hint="--schema") from error
    if not isinstance(schema, dict):
        raise click.BadParameter("the file holds no JSON object.", param_hint="--schema")
    return schema


@click.command()
@click.argument("query")
@click.option("--site", "sites", multiple=True, metavar="URL", help="Pages below this URL only; may be repeated.")
@click.option("--exclude", "exclude_sites", multiple=True, metavar="URL", help="No page below this URL.")
@click.option("--lang", "langs", multiple=True, metavar="CODE", help="Pages in this language only.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(BLOCK_KINDS), help="Passages with such a part only.")
@click.option("--published-after", metavar="DATE", help="Pages that say they were published after this only.")
@click.option("--read-after", metavar="DATE", help="Pages read after this only.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 100), help="At most this many passages.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API gives it.")
def search(query: str, limit: int, as_json: bool, **filters: Any) -> None:
    """Show the passages that fit QUERY best, without an answer; reads nothing.

    Exit codes: 0 some were found, 3 none, 1 an error.
    """
    from api.cli.views.passages import passages_lines

    given = {name: value for name, value in filters.items() if value}
    with open_client() as client:
        found = client.search(query, limit=limit, **given)
    if as_json:
        print_lines(json.dumps([passage.json for passage in found], indent=2, ensure_ascii=False))
    else:
        print_lines(*passages_lines(found, terminal()))
    if not found:
        click.get_current_context().exit(EXIT_NOT_KNOWN)


@click.command()
def demo() -> None:
    """Show the whole flow on a bundled site: no key, no server, no internet; your own data is not touched."""
    from api.cli.demo.run import run

    if not run(print_lines, terminal()):
        click.get_current_context().exit(1)


@click.command()
@click.argument("question_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API gives it.")
def trace(question_id: str, as_json: bool) -> None:
    """Show every step of a question: queries, hits with all scores, pages, times and cost."""
    from api.cli.views.trace import trace_lines
    from api.schemas.records import StepOut

    with open_client() as client:
        steps = client.trace(question_id)
    if as_json:
        print_lines(json.dumps(steps, indent=2, ensure_ascii=False))
    else:
        print_lines(*trace_lines([StepOut.model_validate(step) for step in steps], terminal()))


COMMANDS = (ask, search, demo, trace)
IN_COLLECTION = (ask, search, trace)
