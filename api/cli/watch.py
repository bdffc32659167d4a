"""`wellread watch`: questions that are asked again when a page that their answer cites changes."""

import click

from api.cli.connect import connected, open_client
from api.cli.output import OWN, exit_code, print_lines, print_progress, terminal
from api.cli.sources import say_unread
from api.cli.width import clean, cut, when


class _OrQuestion(click.Group):
    """A group that takes an argument which is not a subcommand for a question to watch."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand; a question, or an option of one, goes to the hidden `question`."""
        if args and self.get_command(context, args[0]) is None:
            args = ["question", *args]
        return super().resolve_command(context, args)


@click.group(
    cls=_OrQuestion, context_settings={"ignore_unknown_options": True}, subcommand_metavar="QUESTION | COMMAND [ARGS]…"
)
def watch() -> None:
    """Ask a QUESTION, and ask it again whenever a page that its answer cites changes.

    Shows the first answer, and with --stay each new one until Ctrl-C. The question stays watched until
    `wellread watch stop ID`. `wellread watch question --help` lists the options.
    """


@watch.command(hidden=True)
@click.argument("question")
@click.option("--site", "sites", multiple=True, metavar="URL", help="Read only this site; may be repeated.")
@OWN
@click.option("--callback", default="", metavar="URL", help="Gets a signed POST for each new answer.")
@click.option("--stay", is_flag=True, help="Stay and show each new answer.")
@click.option("--wait", default=180.0, show_default=True, type=click.FloatRange(min=1), help="Seconds to wait.")
def question(question: str, sites: tuple[str, ...], own: bool, callback: str, stay: bool, wait: float) -> None:
    """Ask a question, and ask it again whenever its evidence changes."""
    from api.cli import answer, ask_flow
    from crawler.urls import parse

    asked = ask_flow.Asking(question=question, terms={"sites": list(sites), "watch": True}, own=own, wait_s=wait)
    ask_flow.check(asked)
    if callback:
        parse(callback)  # before anything is asked
    with connected() as client:
        record = ask_flow.ask(client, asked, print_progress)
        client.watch(record.id, callback_url=callback)
        if own and exit_code(record):
            say_unread(client, sites)
        print_lines("", *answer.record_lines(record, terminal()), "", f"Watched as {record.id}.")
        if stay:
            for changed in ask_flow.new_answers(client, record.id):
                print_lines("", *answer.record_lines(changed, terminal()))
    click.get_current_context().exit(exit_code(record))


@watch.command(name="list")
def show_all() -> None:
    """List the watched questions, oldest first."""
    with open_client() as client:
        watches = client.watches()
    for each in watches:
        changed = f"changed {when(each.changed_at)}" if each.changed_at else "not changed since"
        print_lines(f"{each.question_id}  {each.status}, {changed}")
        print_lines(cut(f"    {clean(each.question)}", terminal().width))
    if watches:
        print_lines("", "`wellread watch stop ID` ends one.")
    else:
        print_lines("No watched questions: `wellread watch QUESTION` watches one.")


@watch.command()
@click.argument("question_id", metavar="ID")
def stop(question_id: str) -> None:
    """Stop watching a question; its answer stays."""
    with open_client() as client:
        client.unwatch(question_id)
    print_lines(f"{question_id} is no longer watched; its answer stays.")
