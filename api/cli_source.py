"""`wellread source`: the sites that may be read for any question."""

from __future__ import annotations

import click

from api.cli_output import print_lines


@click.group()
def source() -> None:
    """Choose the sites that may be read for any question."""


@source.command()
@click.argument("url")
@click.option("--own", is_flag=True, help="Your own site: its address may be private.")
@click.option("--delay", metavar="S", type=click.FloatRange(0, 3600), help="Seconds between two requests to it.")
def add(url: str, own: bool, delay: float | None) -> None:
    """Keep a site; adding it again changes its settings."""
    from api.choosing import open_sources

    with open_sources() as sources:
        kept = sources.add(url, own=own, min_delay_s=delay)
    print_lines(f"{kept.url} may be read for any question.")


@source.command(name="list")
def show_all() -> None:
    """List the sites, oldest first."""
    from api.choosing import open_sources
    from api.show_overview import source_lines

    with open_sources() as sources:
        print_lines(*source_lines(sources.every()))


@source.command()
@click.argument("url")
def remove(url: str) -> None:
    """Forget a site; what was read from it stays."""
    from api.choosing import open_sources

    with open_sources() as sources:
        sources.remove(url)
    print_lines(f"{url} is forgotten; what was read from it stays.")


COMMANDS = (source,)
