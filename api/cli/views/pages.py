"""Formats for the terminal: lists of pages, a page with its history, its former texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.width import clean, cut, when, wrap

if TYPE_CHECKING:
    from domain.site import PageCheck
    from wellread import PageSummary, PageVersion, StoredPage


def summary_lines(found: Sequence[PageSummary], style: Style, *, is_full: bool, is_part: bool) -> list[str]:
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
        if page.reason:
            lines += wrap(style.paint(clean(page.reason), fg="yellow"), style.width, first="    ", rest="    ")
    return [*lines, f"More: --after {found[-1].url}"] if is_full else lines


def page_lines(page: StoredPage, style: Style) -> list[str]:
    """Return a stored page and its history, the latest first."""
    state = "gone; it was" if page.is_gone else f"due again {when(page.next_due)};"
    lines = [
        cut(clean(page.title or page.url), style.width),
        clean(page.url),
        f"page {page.id}, {page.lang}, {len(page.text):,} characters",
        f"text number {page.generation}, read {when(page.read_at)}",
        f"{state} checked {when(page.checked_at)}",
        "",
    ]
    return [*lines, *(check_line(check, style) for check in page.history)]


def check_line(check: PageCheck, style: Style) -> str:
    """Return what one check found, how often and when."""
    often = f"{check.times}× since {when(check.first_at)}" if check.times > 1 else ""
    describe = [
        when(check.last_at), f"{check.outcome:<9}", str(check.status or "   "), check.content_hash[:12], often,
        clean(check.reason),
    ]  # fmt: skip
    return cut("  ".join(describe).rstrip(), style.width)


def version_lines(kept: Sequence[PageVersion], style: Style) -> list[str]:
    """Return the texts of a page that are kept, the present one first."""
    return [
        cut(
            f"{each.number:>4}  read {when(each.read_at)}  {each.characters:>9,} characters  {each.content_hash[:12]}  "
            f"{clean(each.title)}",
            style.width,
        )
        for each in kept
    ]


def text_lines(page: StoredPage, style: Style) -> list[str]:
    """Return a text that a page has or had, below its title."""
    head = [clean(page.title or page.url), clean(page.url), f"text number {page.generation}, read {when(page.read_at)}"]
    return [*head, "", *wrap(page.text, style.width)]
