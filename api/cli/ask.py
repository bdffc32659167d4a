"""The commands `ask`, `search`, `demo` and `trace`: ask a question or search, and show what is found and how."""

from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import connected, open_client
from api.cli.output import (
    AS_JSON,
    EXIT_NOT_KNOWN,
    exit_code,
    notify,
    print_found,
    print_json,
    print_lines,
    print_progress,
    terminal,
)
from api.cli.sources import say_unread
from domain import BLOCK_KINDS

if TYPE_CHECKING:
    from wellread import Client

#: seconds that `ask` waits
WAIT_S = 180.0


class _WithOptions(click.Command):
    """A command that also has the flags of a question's options; they are loaded when they are needed."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters, the options first."""
        from api.cli.options import flags

        return [*flags(), *super().get_params(ctx)]


@click.command(cls=_WithOptions)
@click.argument("question")
@click.option("--own", is_flag=True, help="The sites are yours: their addresses may be private. They become sources.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's JSON record.")
@click.option(
    "--wait",
    type=click.FloatRange(min=1),
    help=f"Seconds to wait; default: {WAIT_S:g}, or with --batch not at all.",
)
@click.option(
    "--chat",
    is_flag=True,
    help="Keep asking: each question follows the one before; `= QUESTION` corrects the last one; an empty line ends.",
)
def ask(question: str, own: bool, as_json: bool, wait: float | None, chat: bool, **options: Any) -> None:
    """Ask a question and watch it being answered.

    Progress goes to stderr, the answer to stdout; with --batch, unless you --wait or --chat, only the question's id.
    Exit codes: 0 answered, or accepted with --batch; 4 unsure; 3 not known or out of time; 1 an error.
    """
    from api.cli import ask_flow
    from api.cli.options import given
    from api.cli.views import question as show

    if own and not options["sites"]:
        raise click.UsageError("--own is for the sites to read: name them with --site.")
    asked = ask_flow.Asking(question=question, terms=given(options), own=own, wait_s=wait or WAIT_S)
    with connected(notify) as client:
        if options["batch"] and wait is None and not chat:
            ask_flow.check(asked)
            _leave(ask_flow.submit(client, asked), client, as_json)
            return
        while True:
            ask_flow.check(asked)
            record = ask_flow.ask(client, asked, print_progress)
            print_found(record.json, ("", *show.record_lines(record, terminal())), as_json=as_json)
            if not as_json and not chat:
                notify(
                    "",
                    f"Follow up with `--after {record.id}`.",
                    f"Full quotes: `wellread export question {record.id}`.",
                    f"Trace: `wellread trace {record.id}`.",
                )
            if own and exit_code(record):
                say_unread(client, options["sites"])
            following = click.prompt("", default="", show_default=False, prompt_suffix="> ", err=True) if chat else ""
            if not following.strip():
                break
            asked = ask_flow.next_question(asked, following, record)
    click.get_current_context().exit(exit_code(record))


def _leave(question_id: str, client: "Client", as_json: bool) -> None:
    """Print what was accepted, and how to get its answer."""
    if as_json:
        print_json(client.get(question_id).json)
    else:
        print_lines(question_id)
    notify(f"The answer may take a day. Keep Wellread running; `wellread export question {question_id}` shows it.")


@click.command()
@click.argument("query")
@click.option("--site", "sites", multiple=True, metavar="URL", help="Only pages below this URL; may be repeated.")
@click.option("--exclude", "exclude_sites", multiple=True, metavar="URL", help="No pages below this URL.")
@click.option("--lang", "langs", multiple=True, metavar="CODE", help="Only pages in this language.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(BLOCK_KINDS), help="Only passages with such a part.")
@click.option("--published-after", metavar="DATE", help="Only pages that state a publication date after this.")
@click.option("--read-after", metavar="DATE", help="Only pages read after this.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 100), help="At most this many passages.")
@AS_JSON
def search(query: str, limit: int, as_json: bool, **filters: Any) -> None:
    """Show the passages that match QUERY best, without an answer or a crawl.

    Exit codes: 0 some were found, 3 none, 1 an error.
    """
    from api.cli.views.sites import passages_lines

    given = {name: value for name, value in filters.items() if value}
    with open_client() as client:
        found = client.search(query, limit=limit, **given)
    print_found([passage.json for passage in found], passages_lines(found, terminal()), as_json=as_json)
    if not found:
        click.get_current_context().exit(EXIT_NOT_KNOWN)


@click.command()
def demo() -> None:
    """Show the main flow on a bundled site: no key, no server, no internet; your data is not touched."""
    from api.cli.demo.run import run

    if not run(print_lines, terminal()):
        click.get_current_context().exit(1)


@click.command()
@click.argument("question_id", metavar="ID")
@AS_JSON
def trace(question_id: str, as_json: bool) -> None:
    """Show every step of a question: queries, hits with all scores, pages, times and cost."""
    from api.cli.views.trace import trace_lines
    from api.schemas.records import StepOut

    with open_client() as client:
        steps = client.trace(question_id)
    if as_json:
        print_json(steps)
    else:
        print_lines(*trace_lines([StepOut.model_validate(step) for step in steps], terminal()))


COMMANDS = (ask, search, demo, trace)
IN_COLLECTION = (ask, search, trace)
