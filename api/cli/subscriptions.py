"""`wellread subscribe` and `wellread subscriptions`: what is looked up on a schedule, and what was new."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import click

from api.cli.connect import collection, open_client
from api.cli.output import AS_JSON, WithFlags, print_found, print_lines, terminal
from api.cli.width import clean, cut, when, wrap

_NOT_HERE = ("after", "thread", "question_as_understood")


def _with_schedule(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags that say when it is looked up and who is told."""
    options = (
        click.option("--every", metavar="SPAN", help="Look it up this often: 90m, 6h, 1d12h."),
        click.option("--cron", metavar="LINE", help='Look it up at these times, such as "0 7 * * 1-5".'),
        click.option("--zone", metavar="NAME", help="The cron line's time zone, such as Europe/Berlin; default: UTC."),
        click.option("--callback", metavar="URL", help="Gets a signed POST with what is new."),
        click.option("--email", metavar="ADDRESS", help="Gets an e-mail with what is new."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(cls=WithFlags, body="domain.options:Asked")
@click.argument("text", metavar="QUESTION")
@click.option(
    "--subject", "is_subject", is_flag=True, help="QUESTION is a subject, such as ferry: look for new passages on it."
)
@_with_schedule
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
        feed = f"{client.url}/api/subscriptions/{made.id}/feed.atom?"
    query = {"token": made.feed_token} | ({"collection": name} if (name := collection()) else {})
    print_lines(f"Subscribed as {made.id}: `wellread subscriptions list` shows it.", f"Feed: {feed}{urlencode(query)}")


@click.group()
def subscriptions() -> None:
    """List, change, run and delete what `wellread subscribe` made; show what was new."""


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
    lines, width = [] if found else ["Nothing yet."], terminal().width - 4
    for each in found:
        lines.append(f"{when(each.created_at)}  {clean(each.title)}")
        pages = (("new", each.added), ("changed", each.changed), ("gone", each.removed))
        told = [line for part in each.text.splitlines() if part.strip() for line in wrap(clean(part), width)]
        told += [f"{kind}: {clean(page.url)}" for kind, named in pages for page in named]
        told += [f"[{cited.n}] {clean(cited.url)}" for cited in each.citations]
        lines += [f"    {line}" for line in told or ["Nothing on it was found yet."]]
    print_found([each.json for each in found], lines, as_json=as_json)


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
@_with_schedule
@click.option("--pause/--resume", "paused", default=None, help="Do not look it up for now; or do so again.")
def edit(subscription_id: str, **given: Any) -> None:
    """Change when it is looked up and who is told; what is not given stays, and "" takes it back."""
    names = {"callback": "callback_url"}
    changes = {names.get(name, name): None if each == "" else each for name, each in given.items() if each is not None}
    if not changes:
        raise click.UsageError("Name what to change: `wellread subscriptions edit --help` lists it.")
    with open_client() as client:
        client.change_subscription(subscription_id, changes)
    print_lines(f"{subscription_id} is changed.")


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
def run(subscription_id: str) -> None:
    """Look a subscription up now."""
    with open_client() as client:
        client.run_subscription(subscription_id)
    print_lines(
        f"{subscription_id} is being looked up: `wellread subscriptions news {subscription_id}` shows what is new."
    )


@subscriptions.command()
@click.argument("subscription_id", metavar="ID")
def delete(subscription_id: str) -> None:
    """Delete a subscription with its news."""
    with open_client() as client:
        client.delete_subscription(subscription_id)
    print_lines(f"{subscription_id} is deleted.")
