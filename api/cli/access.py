"""`wellread collections` and `wellread keys`: knowledge bases that are kept apart, and who may open them."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import click

from api.cli.connect import needs_no_key, open_client, to_delete
from api.cli.output import AS_JSON, WithFlags, print_found, print_lines
from domain.access import Role


@click.group()
def collections() -> None:
    """Keep knowledge apart: each collection has its own sources, files, pages and questions."""


@collections.command(name="list")
@AS_JSON
def show_all(as_json: bool) -> None:
    """List the collections: `default`, which always exists, and those that were added."""
    with open_client() as client:
        found = client.collections()
    width = max((len(each.name) for each in found), default=0)
    lines = []
    for each in found:
        since = f"since {each.created_at:%Y-%m-%d}" if each.created_at else "always there"
        without = f", without {', '.join(each.exclude_sites)}" if each.exclude_sites else ""
        weight = f", weight {each.weight:g}" if each.weight != 1 else ""
        lines.append(f"{each.name:<{width}}  {since}{weight}{without}")
    print_found([each.json for each in found], lines, as_json=as_json)


@collections.command()
@click.argument("name")
@click.option("--exclude", "exclude", multiple=True, metavar="URL", help="A site never to read or quote in it.")
def add(name: str, exclude: tuple[str, ...]) -> None:
    """Add a collection; NAME has letters a-z, digits, - and _."""
    with open_client() as client:
        made = client.add_collection(name, exclude_sites=exclude)
    print_lines(f"{made.name} is there: use it with --collection {made.name}, or set WELLREAD_COLLECTION={made.name}.")


@collections.command()
@click.argument("name")
@click.argument("weight", type=click.FloatRange(0, 100, min_open=True))
def weigh(name: str, weight: float) -> None:
    """Give a collection its share of the workers: one of weight 2 gets twice as much as one of weight 1."""
    with open_client() as client:
        changed = client.weigh_collection(name, weight)
    print_lines(f"{changed.name} has the weight {changed.weight:g}.")


@collections.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(name: str, yes: bool) -> None:
    """Delete a collection with its sources, files, pages and questions."""
    if not yes:
        click.confirm(f"Delete {name} with everything in it? It cannot be undone", abort=True)
    with to_delete() as client:
        client.delete_collection(name)
    print_lines(f"{name} is deleted with everything in it.")


@click.group()
def keys() -> None:
    """Manage API keys with a role, collections and an expiry date, besides those of WELLREAD_API_KEYS."""


@keys.command(name="list")
@AS_JSON
def show_keys(as_json: bool) -> None:
    """List the keys without their secrets."""
    with open_client() as client:
        found = client.keys()
    width = max((len(each.name) for each in found), default=0)
    lines = [] if found else ["No keys yet: `wellread keys add NAME` makes one."]
    for each in found:
        names = each.collections
        opens = "all collections" if names is None else ", ".join(names) or "no collection any more"
        until = f", until {each.expires_at:%Y-%m-%d %H:%M} UTC" if each.expires_at else ""
        lines.append(f"{each.name:<{width}}  {each.role:<7}  {opens}{until}")
    print_found([each.json for each in found], lines, as_json=as_json)


@keys.command(name="add", cls=WithFlags, body="api.schemas.requests:KeyChanges")
@click.argument("name")
@click.option("--role", type=click.Choice(list(Role.__members__)), default="ask", show_default=True, help="Its role.")
@click.option("--for", "names", multiple=True, metavar="COLLECTION", help="A collection that it opens; default: all.")
@click.option("--expires", metavar="DATE", type=click.DateTime(), help="When it expires (UTC).")
def make(name: str, role: str, names: tuple[str, ...], expires: datetime | None, **limits: Any) -> None:
    """Make a key and print it once; only its hash is stored.

    ask: its own questions; operate: all questions and sources; admin: everything.
    """
    with open_client() as client:
        given, hosts = _given(limits), limits["callback_hosts"]
        given.pop("callback_hosts", None)
        opens = {"collections": names or None, "callback_hosts": hosts}
        made = client.add_key(name, role=role, expires_at=expires, limits=given, **opens)
    print_lines(made.secret or "")
    click.echo(f"This is the key {made.name}. Keep it now: it cannot be shown again.", err=True)
    if needs_no_key():
        click.echo(
            "No key is required yet: requests on this machine may do everything. WELLREAD_API_KEYS requires one.",
            err=True,
        )


@keys.command(cls=WithFlags, body="api.schemas.requests:KeyChanges")
@click.argument("name")
@click.option("--no", "lifted", multiple=True, metavar="LIMIT", help="Take a limit back, such as questions-per-day.")
def limit(name: str, lifted: tuple[str, ...], **limits: Any) -> None:
    """Change what a key may use, and where its webhooks may go; what is not named stays."""
    changes = _given(limits) | {each.strip("-").replace("-", "_"): None for each in lifted}
    if "callback_host" in changes:
        changes["callback_hosts"] = changes.pop("callback_host")
    with open_client() as client:
        key = client.limit_key(name, changes)
    hosts = f"; webhooks to {', '.join(key.callback_hosts)}" if key.callback_hosts else ""
    print_lines(f"{key.name}: {_limits_line(key.limits) or 'no limit'}{hosts}")


@keys.command()
@AS_JSON
def usage(as_json: bool) -> None:
    """Show what each key has used today and this month (UTC), and what it may."""
    with open_client() as client:
        found = client.usage()
    lines = [] if found else ["Nothing was asked with a key yet."]
    for each in found:
        lines.append(f"{each.key}: {_limits_line(each.limits) or 'no limit'}")
        for period, of in (("today", each.day), ("this month", each.month)):
            spent = f"{of.questions:,} questions, {of.pages:,} pages, {of.tokens:,} tokens, ${of.usd:,.4f}"
            lines.append(f"    {period:<10}  {spent}")
    print_found([asdict(each) for each in found], lines, as_json=as_json)


def _given(limits: Mapping[str, Any]) -> dict[str, Any]:
    return {limit: most for limit, most in limits.items() if most not in (None, ())}


def _limits_line(limits: Mapping[str, float]) -> str:
    return ", ".join(
        f"weight {most:g}" if name == "weight" else f"{most:,.15g} {name.replace('usd', 'dollars').replace('_', ' ')}"
        for name, most in limits.items()
    )


@keys.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke a key, by name or id."""
    with open_client() as client:
        client.revoke_key(name)
    print_lines(f"{name} is revoked.")
