"""`wellread read` and `reads`: read pages and whole sites into the knowledge base, and show the outcome."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.connect import connected, open_client
from api.cli.output import (
    EXIT_INTERRUPTED,
    EXIT_NOT_KNOWN,
    OWN,
    CommandFailed,
    notify,
    print_found,
    print_lines,
    progress_line,
    terminal,
)
from api.cli.sources import say_unread
from api.cli.width import Style, clean, counted, cut, when

if TYPE_CHECKING:
    from wellread import Client, SiteRead

#: seconds between two looks at the progress of a site, and of a page
POLL_EVERY_S, PAGE_POLL_EVERY_S = 0.5, 0.2
#: characters of the bar
_BAR = 20


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--whole", is_flag=True, help="Read the whole site, or all of it below the URL's path.")
@OWN
@click.option(
    "--max-pages", type=click.IntRange(1, 1_000_000), help="At most this many pages of a whole site.  [default: 10,000]"
)
@click.option(
    "--max-depth", type=click.IntRange(0, 1_000), help="At most this many links from the start.  [default: 20]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the result of a whole site as JSON.")
@click.option("--wait", type=click.FloatRange(min=1), help="Seconds to wait for pages.  [default: 120; sites: no end]")
def read(
    urls: tuple[str, ...],
    whole: bool,
    own: bool,
    max_pages: int | None,
    max_depth: int | None,
    as_json: bool,
    wait: float | None,
) -> None:
    """Read pages, or whole sites, into the knowledge base.

    A whole site is crawled by its sitemaps, feeds and links; after Ctrl-C the workers go on.
    Exit codes: 0 all were read, 3 some could not be, 1 an error.
    """
    if not whole and (max_pages or max_depth is not None or as_json):
        raise click.UsageError("--max-pages, --max-depth and --json are for whole sites: add --whole.")
    for url in urls:
        if not url.strip():
            raise click.UsageError("A URL is empty: give the address of a page.")
        if "://" not in url and (Path(url).exists() or url.startswith((".", "/", "~"))):
            raise click.UsageError(f"{url} is a file, not a page: `wellread add {url}` adds files and folders.")
    with connected() as client:
        for url in urls if own else ():
            client.add_source(url, own=True)
        if whole:
            begun = [client.read_site(url, max_pages=max_pages, max_depth=max_depth).id for url in urls]
            ended = [_follow_to_the_end(client, site_read_id, as_json) for site_read_id in begun]
            all_read = all(ended)
        else:
            all_read = _read_pages(client, urls, wait or 120.0)
        if own and not all_read:
            say_unread(client, urls)
    if not all_read:
        click.get_current_context().exit(EXIT_NOT_KNOWN)


@click.command()
@click.argument("page", metavar="URL|FILE|-")
@click.option("--url", help="Of a file or standard input (-): the URL that its links are relative to.")
@click.option("--keep", is_flag=True, help="Add the page to the knowledge base.")
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON: Markdown, dates, links.")
def extract(page: str, url: str | None, keep: bool, as_json: bool) -> None:
    """Print a page of the web, or HTML of a file or of standard input, as Markdown; it is read at once."""
    html = ""
    if page == "-" or ("://" not in page and Path(page).is_file()):
        from crawler.extract.charset import decode

        with click.open_file(page, "rb") as file:
            html = decode(file.read(), "text/html")
    elif url:
        raise click.UsageError("--url is for a file or standard input.")
    elif "://" not in page:
        raise click.UsageError(f"There is no file {page}; a URL begins with https://.")
    with open_client() as client:
        found = client.extract(url or "", html=html) if html else client.extract(page, keep=keep)
    print_found(found.json, found.markdown.splitlines(), as_json=as_json)
    if found.notice and not as_json:
        notify(found.notice)


@click.group()
def reads() -> None:
    """Watch, pause, resume or cancel the reading of whole sites."""


@reads.command(name="list")
def show_all() -> None:
    """List the last site reads, newest first."""
    with open_client() as client:
        seen = client.site_reads()
    for each in seen:
        print_lines(*site_read_lines(each, terminal()))
    if not seen:
        print_lines("No whole sites yet: `wellread read URL --whole` reads one.")


@reads.command()
@click.argument("number", type=int, metavar="ID")
@click.option("--follow", "follows", is_flag=True, help="Watch it until it ends; after Ctrl-C the workers go on.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(number: int, follows: bool, as_json: bool) -> None:
    """Show the progress of a site read."""
    with open_client() as client:
        seen = client.site_read(number)
        if follows:
            seen = _follow(client, number)
        _print(seen, as_json)


def _changing(name: str, said: str) -> None:
    @reads.command(name, help=said)
    @click.argument("number", type=int, metavar="ID")
    def change(number: int) -> None:
        with open_client() as client:
            _print(getattr(client, f"{name}_site_read")(number), as_json=False)


_changing("pause", "Pause reading a site; `wellread reads resume ID` continues it.")
_changing("resume", "Resume reading a site that was paused or cancelled.")
_changing("cancel", "Stop reading a site; the pages that were read stay.")


def _read_pages(client: "Client", urls: tuple[str, ...], wait_s: float) -> bool:
    """Let pages be read, show the outcome of each, and return whether all were read; raises CommandFailed."""
    from api.cli.answer import reading_lines

    waiting, deadline, all_read = [client.read(url) for url in urls], time.monotonic() + wait_s, True
    while waiting:
        if time.monotonic() > deadline:
            raise CommandFailed(
                f"{waiting[0].url} was not read within {wait_s:g} s. It will be read while Wellread runs: "
                "start it with `wellread up`; `wellread doctor` finds problems."
            )
        time.sleep(PAGE_POLL_EVERY_S)
        seen = [client.reading(reading.id) for reading in waiting]
        for reading in seen:
            if reading.is_over:
                print_lines(*reading_lines(reading, terminal()))
                all_read = all_read and reading.in_knowledge_base
        waiting = [reading for reading in seen if not reading.is_over]
    return all_read


def _follow_to_the_end(client: "Client", site_read_id: int, as_json: bool) -> bool:
    """Show the progress of a site read; on Ctrl-C print how to return to it."""
    try:
        seen = _follow(client, site_read_id)
    except KeyboardInterrupt:
        notify(
            "",
            f"The reading goes on while Wellread runs (`wellread up`): `wellread reads show {site_read_id} --follow` "
            f"shows it again, `wellread reads pause {site_read_id}` or `cancel` stops it.",
        )
        click.get_current_context().exit(EXIT_INTERRUPTED)
    _print(seen, as_json)
    return seen.status == "DONE" and not seen.failed


def _follow(client: "Client", site_read_id: int) -> "SiteRead":
    """Show the progress of a site read until it has ended and all its pages are indexed, or it is paused."""
    show = progress_line(first_s=0)
    while True:
        seen = client.site_read(site_read_id)
        is_over = seen.is_final and not seen.embedding
        show(f"{_bar(seen)} {_progress(seen, terminal(err=True))}", is_over)
        if is_over or seen.status == "PAUSED":
            return seen
        time.sleep(POLL_EVERY_S)


def _print(seen: "SiteRead", as_json: bool) -> None:
    print_found(seen.json, site_read_lines(seen, terminal()), as_json=as_json)


def _progress(seen: "SiteRead", style: Style) -> str:
    parts = [f"{seen.looked_at:,} of {counted(min(seen.found, seen.max_pages), 'page')} found"]
    if seen.looked_at:
        parts.append(f"{seen.pages_per_s:.1f} pages/s")
    parts.append(f"{seen.new:,} new, {seen.unchanged:,} unchanged")
    if seen.failed:
        parts.append(style.paint(f"{seen.failed:,} failed", fg="yellow"))
    if seen.left_s is not None:
        parts.append(f"about {_span(seen.left_s)} left")
    if seen.embedding:
        parts.append(f"{seen.embedding:,} being indexed")
    return "  ".join(parts)


def _bar(seen: "SiteRead") -> str:
    """Return how many of the pages that were found can be searched, as a bar."""
    done = _BAR * (seen.looked_at - seen.embedding) // max(1, seen.looked_at, min(seen.found, seen.max_pages))
    return f"[{'#' * done:·<{_BAR}}]"


def site_read_lines(seen: "SiteRead", style: Style) -> list[str]:
    """Return the present state of one site read."""
    how = f"{seen.status.lower()}: {clean(seen.reason)}" if seen.reason else seen.status.lower()
    asked = f"{'by its schedule' if seen.source_id else 'begun'} {when(seen.created_at)}"
    left_out = f", {seen.left_out:,} left out: forbidden, gone, behind a login or without text" if seen.left_out else ""
    why = f"    `wellread pages list --not-read --site {clean(seen.prefix)}` says why, or with --stale."
    size = f"{seen.bytes / 1e6:,.1f} MB" if seen.bytes >= 1e6 else f"{seen.bytes / 1e3:,.0f} kB"
    return [
        cut(f"{seen.id}  {clean(seen.url)}  {how}", style.width),
        f"    {_progress(seen, style)}",
        f"    {asked}, {size} in {_span(seen.active_s)}{left_out}",
        *([why] if seen.failed or seen.left_out else []),
    ]


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
