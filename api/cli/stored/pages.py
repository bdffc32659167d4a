"""`wellread pages` and `delete`: look at the pages that were read, and take out what is stored."""

from __future__ import annotations

import json
import re
from datetime import datetime
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import open_client, to_delete
from api.cli.output import notify, print_lines, terminal
from domain.file import is_file_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wellread import Client, PageSummary

_PART = 1_000  #: pages listed in one request


@click.group()
def pages() -> None:
    """List the pages, their visits and texts."""


@pages.command(name="list")
@click.option("--site", default="", metavar="URL", help="Pages below this URL.")
@click.option("--source", default="", metavar="URL", help="Pages of this source.")
@click.option("--since", type=click.DateTime(), help="Pages whose text was read since then (UTC).")
@click.option("--kind", type=click.Choice(["web", "file"]), help="Pages of the web, or files.")
@click.option("--not-read", is_flag=True, help="Pages that answers cannot use, and why.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="At most this many.")
@click.option("--after", default="", metavar="URL", help="Those after this address, for the next part.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's JSON.")
def show_all(
    site: str,
    source: str,
    since: datetime | None,
    kind: str | None,
    not_read: bool,
    limit: int,
    after: str,
    as_json: bool,
) -> None:
    """List the pages by address, or with --not-read those that answers cannot use, and why."""
    from api.cli.views.pages import summary_lines

    given: dict[str, Any] = {
        "site": site,
        "kind": kind,
        "not_read": not_read,
        "since": since.isoformat() if since else "",
    }
    with open_client() as client:
        if source:
            given["source"] = _source_id(client, source)
        found = list(_all(client, {name: value for name, value in given.items() if value}, after, limit))
    if as_json:
        print_lines(json.dumps([page.json for page in found], ensure_ascii=False, indent=2))
    else:
        is_part = bool(after or any(given.values()))
        print_lines(*summary_lines(found, terminal(), is_full=len(found) == limit, is_part=is_part))


@pages.command(name="show")
@click.argument("url")
@click.option("--version", type=click.IntRange(1), metavar="N", help="Print its text with this number.")
def show_page(url: str, version: int | None) -> None:
    """Show a page's visits, their results, and when the next one is due."""
    from api.cli.views.pages import page_lines, text_lines

    with open_client() as client:
        page = client.page_at(url, version=version)
    print_lines(*(page_lines(page, terminal()) if version is None else text_lines(page, terminal())))


@pages.command(name="versions")
@click.argument("url")
def show_versions(url: str) -> None:
    """List the stored texts of a page, the current one first."""
    from api.cli.views.pages import version_lines

    with open_client() as client:
        kept = client.page_versions(client.page_at(url).id)
    print_lines(*version_lines(kept, terminal()))


@click.command()
@click.argument("target", metavar="ID_OR_ADDRESS")
def delete(target: str) -> None:
    """Delete a question (by ID), or a page or file (by address), with everything derived from it.

    Answers drawn from a deleted page are withdrawn. A file that is still in a watched folder is not read again.
    """
    with open_client() as client:
        delete_it = _deletion_of(client, target)
    with to_delete(notify) as client:
        delete_it(client)
    print_lines(f"{target} is deleted.")


def _deletion_of(client: Client, target: str) -> Callable[[Client], None]:
    """Return what deletes the target; raises Refused for what is not there."""
    if re.fullmatch(r"[0-9a-f]{32}", target.lower()):
        return methodcaller("delete_question", client.get(target.lower()).id)
    if is_file_address(target) and (found := client.files(address=target)):
        return methodcaller("delete_file", found[0].id)  # which may have no page
    return methodcaller("delete_page", client.page_at(target).id)


def _all(client: Client, given: dict[str, Any], after: str, limit: int) -> Iterator[PageSummary]:
    while limit > 0:
        part = min(limit, _PART)
        found = client.pages(**given, after=after, limit=part)
        yield from found
        if len(found) < part:
            return
        limit, after = limit - part, found[-1].url


def _source_id(client: Client, url: str) -> int:
    from api.cli.sources import find_source

    return find_source(client, url).id


COMMANDS = (pages, delete)
