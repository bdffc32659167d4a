"""`wellread source`: the sites that may be read for any question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from api.cli.output import print_lines

if TYPE_CHECKING:
    from api.cli.backend.sources import Site


@click.group()
def source() -> None:
    """Choose the sites that may be read for any question."""


EVERY = click.option("--every", metavar="SPAN", help="Look at it this often: 90m, 6h, 1d12h.")
CRON = click.option("--cron", metavar="LINE", help='Look at it at these times, such as "0 3 * * *": daily at three.')
ZONE = click.option("--zone", metavar="NAME", help="The cron line's time zone, such as Europe/Berlin; at first UTC.")


@source.command()
@click.argument("url")
@click.option("--own", is_flag=True, help="Your own site: its address may be private.")
@click.option("--delay", metavar="S", type=click.FloatRange(0, 3600), help="Seconds between two requests to it.")
@EVERY
@CRON
@ZONE
def add(url: str, own: bool, delay: float | None, every: str | None, cron: str | None, zone: str | None) -> None:
    """Keep a site; adding it again changes its settings, but no delay and no schedule that is not given.

    With a schedule it is looked at for new pages then, and its pages with it; without one each page is looked at by
    its own interval, sooner when it changes.
    """
    from api.cli.backend.sources import open_sources
    from crawler.discovery.schedule import schedule_of

    schedule_of(every=every, cron=cron, zone=zone or "UTC")  # before anything is kept
    given = _given(every=every, cron=cron, zone=zone)
    with open_sources() as sources:
        kept = sources.add(url, own=own, min_delay_s=delay)
        if given:
            kept = sources.change(kept.url, **given)
    print_lines(f"{kept.url} may be read for any question.", *_schedule(kept))


@source.command()
@click.argument("url")
@click.option("--delay", metavar="S", type=click.FloatRange(0, 3600), help="Seconds between two requests to it.")
@EVERY
@CRON
@ZONE
@click.option("--no-schedule", is_flag=True, help="Look at each of its pages by that page's own interval again.")
def edit(
    url: str, delay: float | None, every: str | None, cron: str | None, zone: str | None, no_schedule: bool
) -> None:
    """Change a site's delay or schedule while everything runs; what is not named stays."""
    from api.cli.backend.sources import open_sources

    if no_schedule and _given(every=every, cron=cron, zone=zone):
        raise click.UsageError("--no-schedule ends a schedule: leave --every, --cron and --zone out.")
    ended = {"every": None, "cron": None} if no_schedule else {}
    changes = _given(min_delay_s=delay, every=every, cron=cron, zone=zone) | ended
    if not changes:
        raise click.UsageError("Name what to change: --delay, --every, --cron, --zone or --no-schedule.")
    with open_sources() as sources:
        kept = sources.change(url, **changes)
    print_lines(f"{kept.url} is changed.", *_schedule(kept))


@source.command(name="list")
def show_all() -> None:
    """List the sites, oldest first."""
    from api.cli.backend.sources import open_sources
    from api.cli.views.overview import source_lines

    with open_sources() as sources:
        print_lines(*source_lines(sources.every()))


@source.command()
@click.argument("url")
def remove(url: str) -> None:
    """Forget a site; what was read from it stays."""
    from api.cli.backend.sources import open_sources

    with open_sources() as sources:
        sources.remove(url)
    print_lines(f"{url} is forgotten; what was read from it stays.")


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _schedule(kept: Site) -> list[str]:
    from api.cli.views.sites import schedule_said

    return schedule_said(kept.schedule, kept.next_due)


COMMANDS = (source,)
