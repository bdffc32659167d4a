"""`wellread pages` and `delete`: look at the pages that were read, and take out what is stored."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import open_client, to_delete
from api.cli.output import AS_JSON, print_found, print_lines, terminal
from api.cli.sources import find_source
from api.cli.width import Style, clean, counted, cut, when, wrap
from domain.file import is_file_address
from domain.site import PAGE_KINDS

if TYPE_CHECKING:
    from wellread import Client, PageSummary

_PART = 1_000  #: pages listed in one request


@click.group()
def pages() -> None:
    """List the pages, their visits and texts."""


@pages.command(name="list")
@click.option("--site", default="", metavar="URL", help="Pages below this URL.")
@click.option("--source", default="", metavar="URL", help="Pages of this source.")
@click.option("--since", type=click.DateTime(), help="Pages whose text was read since then (UTC).")
@click.option("--kind", type=click.Choice(PAGE_KINDS), help="Pages of the web, files, or documents.")
@click.option("--not-read", is_flag=True, help="Pages that answers cannot use, and why.")
@click.option(
    "--stale", is_flag=True, help="Pages that the last look did not read, and why; answers use their former text."
)
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="At most this many.")
@click.option("--after", default="", metavar="URL", help="Those after this address, for the next part.")
@AS_JSON
def show_all(source: str, since: datetime | None, limit: int, after: str, as_json: bool, **filters: Any) -> None:
    """List the pages by address, or with --not-read those that answers cannot use, and why."""
    given: dict[str, Any] = {"since": since.isoformat() if since else "", **filters}
    with open_client() as client:
        if source:
            given["source"] = find_source(client, source).id
        found = list(_all(client, {name: value for name, value in given.items() if value}, after, limit))
    is_part = bool(after or any(given.values()))
    lines = summary_lines(found, terminal(), is_full=len(found) == limit, is_part=is_part)
    print_found([page.json for page in found], lines, as_json=as_json)


@pages.command(name="show")
@click.argument("url")
@click.option("--version", type=click.IntRange(1), metavar="N", help="Print its text with this number.")
def show_page(url: str, version: int | None) -> None:
    """Show a page's visits, their results, and when the next one is due."""
    with open_client() as client:
        page = client.page_at(url, version=version)
    width, title = terminal().width, clean(page.title or page.url)
    number = f"text number {page.generation}, read {when(page.read_at)}"
    if version is not None:
        print_lines(title, clean(page.url), number, "", *wrap(page.text, width))
        return
    print_lines(cut(title, width), clean(page.url))
    print_lines(f"page {page.id}, {clean(page.lang)}, {len(page.text):,} characters", number)
    state = "gone; it was" if page.is_gone else f"due again {when(page.next_due)};"
    print_lines(f"{state} checked {when(page.checked_at)}")
    if page.stale_since:
        print_lines(_not_read(page.stale_since, page.history[0].reason if page.history else ""))
    if page.missing:
        print_lines(*wrap(f"read in part: without {clean(', '.join(page.missing))}", width))
    print_lines("")
    for check in page.history:
        often = f"{check.times}× since {when(check.first_at)}" if check.times > 1 else ""
        status, content = str(check.status or "   "), check.content_hash[:12]
        parts = (when(check.last_at), f"{check.outcome:<9}", status, content, often)
        print_lines("  ".join(parts).rstrip(), *wrap(check.reason, width, indent="    ") * bool(check.reason))


@pages.command(name="versions")
@click.argument("url")
def show_versions(url: str) -> None:
    """List the stored texts of a page, the current one first."""
    with open_client() as client:
        kept = client.page_versions(client.page_at(url).id)
    for each in kept:
        read, size = when(each.read_at), f"{each.characters:>9,} characters"
        line = f"{each.number:>4}  read {read}  {size}  {each.content_hash[:12]}  {clean(each.title)}"
        print_lines(cut(line, terminal().width))


@click.command()
@click.argument("target", metavar="ID_OR_ADDRESS")
@click.option("--whole", is_flag=True, help="All pages below this URL.")
def delete(target: str, whole: bool) -> None:
    """Delete a question (by ID), or a page or file (by address), with everything derived from it.

    Answers drawn from a deleted page are withdrawn. A file that is still in a watched folder is not read again.
    """
    if whole and not target.strip():
        raise click.UsageError("Name the URL below which all pages are deleted.")
    if whole:
        with to_delete() as client, ThreadPoolExecutor(8) as pool:  # each waits until its passages are gone
            below = [page.id for page in _all(client, {"site": target}, "", sys.maxsize) if page.id]
            list(pool.map(client.delete_page, below))
        print_lines(f"Below {target}, {counted(len(below), 'page')} deleted.")
        return
    with open_client() as client:
        delete_it = _deletion_of(client, target)
    with to_delete() as client:
        delete_it(client)
    print_lines(f"{target} is deleted.")


def _deletion_of(client: "Client", target: str) -> "Callable[[Client], None]":
    if re.fullmatch(r"[0-9a-f]{32}", target.lower()):
        return methodcaller("delete_question", client.get(target.lower()).id)
    if is_file_address(target) and (found := client.files(address=target)):
        return methodcaller("delete_file", found[0].id)  # which may have no page
    return methodcaller("delete_page", client.page_at(target).id)


def _all(client: "Client", given: dict[str, Any], after: str, limit: int) -> "Iterator[PageSummary]":
    while limit > 0:
        part = min(limit, _PART)
        found = client.pages(**given, after=after, limit=part)
        yield from found
        if len(found) < part:
            return
        limit, after = limit - part, found[-1].url


def summary_lines(found: "Sequence[PageSummary]", style: Style, *, is_full: bool, is_part: bool) -> list[str]:
    """Return pages, each with its title or why answers cannot be drawn from it; say how to go on.

    ``is_part``: only some pages were asked for.
    """
    if not found and is_part:
        return ["None match: `wellread pages list` lists all pages."]
    if not found:
        return ["No pages yet: `wellread read URL` reads one."]
    lines = []
    for page in found:
        read = when(page.read_at) if page.read_at else " " * 16
        size = f"{page.characters:>9,}" if page.id is not None else " " * 9
        lines.append(cut(f"{page.state:<9} {read} {size}  {clean(page.url)}  {clean(page.title)}", style.width))
        if page.reason or page.stale_since:
            why = _not_read(page.stale_since, page.reason)
            lines += style.wrap(clean(why), indent="    ", fg="yellow")
    return [*lines, f"More: --after {found[-1].url}"] if is_full else lines


def _not_read(since: datetime | None, reason: str | None) -> str:
    why = (reason or "").removeprefix("not read: ")
    return f"not read since {when(since)}: {why}" if since else why
