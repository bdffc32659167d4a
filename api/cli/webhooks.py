"""`wellread webhooks`: what was sent to receivers, and what came of it."""

import click

from api.cli.connect import open_client
from api.cli.output import AS_JSON, WithFlags, print_found, print_lines, terminal
from api.cli.width import clean, counted, cut, when


@click.group()
def webhooks() -> None:
    """List webhooks with what came of them, send one again, and try a receiver."""


@webhooks.command(name="list", cls=WithFlags, body="api.schemas.requests:WebhooksWanted")
@click.option("--question", "question_id", default="", metavar="ID", help="Only those of a question.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1_000), help="Most to list.")
@AS_JSON
def show_all(status: str | None, question_id: str, before: int | None, limit: int, as_json: bool) -> None:
    """List webhooks, newest first."""
    with open_client() as client:
        found = client.webhooks(status=status or "", question_id=question_id, before=before, limit=limit)
    width = terminal().width
    lines = [] if found else ["No webhooks."]
    for each in found:
        answered = f", answered {each.response_status}" if each.response_status else ""
        lines.append(f"{each.id}  {each.status}  {each.event}, {counted(each.attempts, 'attempt')}{answered}")
        lines.append(cut(f"    {when(each.created_at)}  {clean(each.url)}", width))
        if said := each.error or each.response:
            lines.append(cut(f"    {clean(said)}", width))
    print_found([each.json for each in found], lines, as_json=as_json)


@webhooks.command()
@click.argument("webhook_id", metavar="ID", type=click.IntRange(min=1))
def replay(webhook_id: int) -> None:
    """Send a webhook again, also one that was delivered."""
    with open_client() as client:
        client.replay_webhook(webhook_id)
    print_lines(f"{webhook_id} is sent again: `wellread webhooks list` shows what comes of it.")


@webhooks.command()
@click.argument("url")
@AS_JSON
def test(url: str, as_json: bool) -> None:
    """Send a signed test event to URL now, and show what came back."""
    with open_client() as client:
        tried = client.test_webhook(url)
    signed = "signed" if tried.signed else "not signed: WELLREAD_WEBHOOK_SECRET is not set"
    answered = f"Answered {tried.response_status} after {tried.seconds:g} s" if tried.response_status else tried.error
    lines = [f"{answered} ({signed})."] + ([clean(tried.response)] if tried.response else [])
    print_found(tried.json, lines, as_json=as_json)
    click.get_current_context().exit(0 if tried.delivered else 1)
