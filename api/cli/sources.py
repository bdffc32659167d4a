"""`wellread source`: the sites that may be read for any question."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import open_client, option_of_collection, to_delete
from api.cli.output import notify, print_lines
from domain.errors import WellreadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wellread import Client, Source


class UnknownSource(WellreadError):
    """No such site is among the sources."""


@click.group()
def source() -> None:
    """Manage the sites that may be read for any question."""


EVERY = click.option("--every", metavar="SPAN", help="Check it this often: 90m, 6h, 1d12h.")
CRON = click.option("--cron", metavar="LINE", help='Check it at these times, such as "0 3 * * *": daily at three.')
ZONE = click.option(
    "--zone", metavar="NAME", help="The cron line's time zone, such as Europe/Berlin; UTC if never given."
)


@source.command()
@click.argument("url")
@click.option("--own", is_flag=True, help="The site is yours: its address may be private.")
@click.option("--delay", metavar="S", type=click.FloatRange(0, 3600), help="Seconds between two requests to it.")
@EVERY
@CRON
@ZONE
def add(url: str, own: bool, delay: float | None, every: str | None, cron: str | None, zone: str | None) -> None:
    """Add a site. Adding it again changes its settings; a delay or schedule that is not given stays.

    With a schedule, the site is checked for new pages at those times, and its pages with it; without one, each page is
    checked at its own interval, sooner when it changes.
    """
    from crawler.discovery.schedule import schedule_of

    schedule_of(every=every, cron=cron, zone=zone or "UTC")  # before anything is stored
    given = _given(every=every, cron=cron, zone=zone)
    with open_client() as client:
        added = client.add_source(url, own=own, min_delay_s=delay)
        if given:
            added = client.change_source(added.id, **given)
    print_lines(f"{added.url} may be read for any question.", *_schedule(added))


@source.command()
@click.argument("url")
@click.option("--delay", metavar="S", type=click.FloatRange(0, 3600), help="Seconds between two requests to it.")
@EVERY
@CRON
@ZONE
@click.option("--no-schedule", is_flag=True, help="End the schedule: check each page at its own interval again.")
def edit(
    url: str, delay: float | None, every: str | None, cron: str | None, zone: str | None, no_schedule: bool
) -> None:
    """Change a site's delay or schedule at any time; what is not given stays."""
    if no_schedule and _given(every=every, cron=cron, zone=zone):
        raise click.UsageError("--no-schedule ends a schedule: leave --every, --cron and --zone out.")
    ended = {"every": None, "cron": None} if no_schedule else {}
    changes = _given(min_delay_s=delay, every=every, cron=cron, zone=zone) | ended
    if not changes:
        raise click.UsageError("Name what to change: --delay, --every, --cron, --zone or --no-schedule.")
    with open_client() as client:
        changed = client.change_source(find_source(client, url).id, **changes)
    print_lines(f"{changed.url} is changed.", *_schedule(changed))


@source.command()
@click.argument("url")
def pause(url: str) -> None:
    """Pause the scheduled reading of a site; its schedule is kept."""
    _set_paused(url, True)


@source.command()
@click.argument("url")
def resume(url: str) -> None:
    """Resume the schedule of a paused site."""
    _set_paused(url, False)


@source.command(name="list")
def show_all() -> None:
    """List the sites, oldest first."""
    from api.cli.views.overview import source_lines

    with open_client() as client:
        print_lines(*source_lines(client.sources()))


@source.command()
@click.argument("url")
@click.option("--pages", is_flag=True, help="Delete its pages too, with all that was derived from them.")
def remove(url: str, pages: bool) -> None:
    """Remove a site; its pages stay, unless --pages deletes them."""
    with open_client() as client:
        found = find_source(client, url)
    with to_delete(notify) if pages else open_client() as client:
        client.remove_source(found.id, pages=pages)
    print_lines(f"{url} is removed; what was read from it {'is deleted' if pages else 'stays'}.")


def find_source(client: Client, url: str) -> Source:
    """Return the source that is meant: its URL as it is stored, or without its scheme or last slash."""
    for source in client.sources():
        stored = source.url.rstrip("/")
        if url.rstrip("/") in (stored, stored.partition("://")[2]):
            return source
    raise UnknownSource(f"{url} is not among the sources: `wellread source list` shows them.")


def say_unread(client: Client, urls: Sequence[str]) -> None:
    """Say how to take out those of these sources of which no page is known: they may be mistyped."""
    for url in urls:
        if not client.pages(site=url, limit=1):
            notify(
                f"No page of {url} could be read. It stays among the sources; if it is mistyped, "
                f"`wellread source remove {shlex.quote(url)}{option_of_collection()}` removes it."
            )


def _set_paused(url: str, paused: bool) -> None:
    with open_client() as client:
        changed = client.change_source(find_source(client, url).id, paused=paused)
    print_lines(f"{changed.url} is {'paused' if paused else 'read by itself again'}.", *_schedule(changed))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _schedule(source: Source) -> list[str]:
    from api.cli.views.sites import schedule_text

    return schedule_text(source)


COMMANDS = (source,)
