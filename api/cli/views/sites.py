"""Formats for the terminal: whole sites being read, schedules, and the passages that a search found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.width import clean, counted, cut, when, wrap

if TYPE_CHECKING:
    from wellread import FoundPassage, SiteRead, Source

#: lines shown of one passage
_MOST_LINES = 6


def progress_line(seen: "SiteRead", style: Style) -> str:
    """Return how far it is: pages, rate, errors, time left."""
    parts = [f"{seen.looked_at:,} of {counted(min(seen.found, seen.max_pages), 'page')} found"]
    if seen.looked_at:
        parts.append(f"{seen.pages_per_s:.1f} pages/s")
    parts.append(f"{seen.new:,} new, {seen.unchanged:,} unchanged")
    if seen.failed:
        parts.append(style.paint(f"{seen.failed:,} failed", fg="yellow"))
    if seen.left_s is not None and seen.status == "RUNNING":
        parts.append(f"about {_span(seen.left_s)} left")
    if seen.embedding:
        parts.append(f"{seen.embedding:,} being indexed")
    return "  ".join(parts)


def site_read_lines(seen: "SiteRead", style: Style) -> list[str]:
    """Return the present state of one site read."""
    how = f"{seen.status.lower()}: {clean(seen.reason)}" if seen.reason else seen.status.lower()
    asked = f"{'by its schedule' if seen.source_id else 'begun'} {when(seen.created_at)}"
    left_out = f", {seen.left_out:,} left out: forbidden, gone or without text" if seen.left_out else ""
    why = f"    `wellread pages list --not-read --site {clean(seen.prefix)}` says why pages could not be read."
    return [
        cut(f"{seen.id}  {clean(seen.url)}  {how}", style.width),
        f"    {progress_line(seen, style)}",
        f"    {asked}, {_size(seen.bytes)} in {_span(seen.active_s)}{left_out}",
        *([why] if seen.failed else []),
    ]


def site_reads_lines(seen: "Sequence[SiteRead]", style: Style) -> list[str]:
    """Return the last site reads."""
    if not seen:
        return ["No whole sites yet: `wellread read URL --whole` reads one."]
    return [line for one in seen for line in site_read_lines(one, style)]


def schedule_text(source: "Source") -> list[str]:
    """Return a source's schedule in words, with the time it is next due, or that it is paused."""
    if source.schedule is None:
        return ["(paused)"] if source.paused else []
    from crawler.discovery.schedule import describe

    told = "paused" if source.paused else f"next {when(source.next_due)}"
    return [f"({describe(source.schedule)}, {told})"]


def _size(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.0f} kB"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def passages_lines(found: "Sequence[FoundPassage]", style: Style) -> list[str]:
    """Return each passage with its page, best first; or that there is none."""
    if not found:
        return ["No passage matches: read pages with `wellread read`, or search with fewer filters."]
    return [line for passage in found for line in _passage_lines(passage, style)]


def _passage_lines(passage: "FoundPassage", style: Style) -> list[str]:
    heading = cut(f"{passage.rank}. {clean(passage.title or passage.url)}", style.width)
    text = wrap(_below_heading(passage), style.width - 3)
    shown = text[:_MOST_LINES] + (["…"] if len(text) > _MOST_LINES else [])
    return [style.paint(heading, bold=True), *(f"   {line}" for line in shown), f"   {clean(passage.url)}", ""]


def _below_heading(passage: "FoundPassage") -> str:
    """Return the passage's text without the heading that its title ends with: that is shown above it."""
    first, _, rest = passage.text.partition("\n")
    is_shown = first.strip().casefold() == passage.title.rpartition(" › ")[2].strip().casefold()
    return rest.lstrip("\n") if is_shown and rest.strip() else passage.text
