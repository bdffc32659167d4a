"""`wellread subscribe` and `wellread subscriptions`: what is looked up on a schedule, and what was new."""

from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import open_client
from api.cli.output import AS_JSON, WithFlags, print_found, print_lines, terminal
from api.cli.width import clean, cut, when

if TYPE_CHECKING:
    from wellread import Subscription

_NOT_HERE = ("after", "thread", "question_as_understood")


@click.command(cls=WithFlags, body="domain.options:Asked")
@click.argument("text", metavar="QUESTION")
@click.option("--subject", "is_subject", is_flag=True, help="It is no question: look for new passages on these words.")
@click.option("--every", metavar="SPAN", help="Look it up this often: 90m, 6h, 1d12h.")
@click.option("--cron", metavar="LINE", help='Look it up at these times, such as "0 7 * * 1-5".')
@click.option("--zone", metavar="NAME", help="The cron line's time zone, such as Europe/Berlin; default: UTC.")
@click.option("--callback", metavar="URL", help="Gets a signed POST with what is new.")
@click.option("--email", metavar="ADDRESS", help="Gets an e-mail with what is new.")
def subscribe(text: str, is_subject: bool, callback: str | None, email: str | None, **given: Any) -> None:
    """Have QUESTION asked on a schedule, and be told what is new: by webhook, e-mail or feed."""
    from api.cli.flags import given as set_of

    schedule = {name: given.pop(name) for name in ("every", "cron", "zone")}
    options: Any = set_of(given)
    if named := next((name for name in _NOT_HERE if name in options), ""):
        raise click.UsageError(f"--{named.replace('_', '-')} is of a single question.")
    about: Any = {"subject": text} if is_subject else {"question": text}
    with open_client() as client:
        made = client.subscribe(**about, **schedule, callback_url=callback, email=email, **options)
    print_lines(f"Subscribed as {made.id}: `wellread subscriptions list` shows it.", f"Feed: {_feed(made)}")


@click.group()
def subscriptions() -> None:
    """List, run and delete what `wellread subscribe` made; show what was new."""


@subscriptions.command(name="list")
@AS_JSON
def show_all(as_json: bool) -> None:
    """List the subscriptions, oldest first."""
    from crawler.discovery.schedule import describe

    with open_client() as client:
        found = client.subscriptions()
    lines = [] if found else ["No subscriptions: `wellread subscribe QUESTION --every 1d` makes one."]
    for each in found:
        due = "paused" if each.paused else f"next {when(each.next_due)}"
        lines.append(f"{each.id}  {describe(each.schedule)}, {due}")
        lines.append(cut(f"    {clean(each.question or each.subject or '')}", terminal().width))
        lines += [f"    last run: {clean(each.error)}"] if each.error else []
    print_found([each.json for each in found], lines, as_json=as_json)


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
@AS_JSON
def news(subscription_id: str, as_json: bool) -> None:
    """Show what was new, the latest first."""
    with open_client() as client:
        found = client.news(subscription_id)
    lines = [] if found else ["Nothing yet."]
    for each in found:
        lines += [
            f"{when(each.created_at)}  {clean(each.title)}",
            *(f"    {clean(part)}" for part in [each.text] if part),
        ]
        pages = (("new", each.added), ("changed", each.changed), ("gone", each.removed))
        lines += [f"    {kind}: {clean(page.url)}" for kind, named in pages for page in named]
    print_found([each.json for each in found], lines, as_json=as_json)


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
def run(subscription_id: str) -> None:
    """Look a subscription up now."""
    with open_client() as client:
        client.run_subscription(subscription_id)
    print_lines(f"{subscription_id} is looked up: `wellread subscriptions news {subscription_id}` shows what is new.")


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
def delete(subscription_id: str) -> None:
    """Delete a subscription with its news."""
    with open_client() as client:
        client.delete_subscription(subscription_id)
    print_lines(f"{subscription_id} is deleted.")


def _feed(made: "Subscription") -> str:
    return f"/api/subscriptions/{made.id}/feed.atom?token={made.feed_token}"
