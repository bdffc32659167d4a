"""Writes what is known into one file, and takes such a file over; what is taken waits to be indexed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from crawler.urls import BadUrl
from domain import Schedule
from domain.file import BadFileName, address_of, clean_folder, clean_path, folder_of, is_file_address, path_of
from store.crawl import sources
from store.knowledge import archive, rows
from store.knowledge.lines import Manifest, PageLine, SourceLine
from store.pages.pages import FIRST_INTERVAL_S
from workers.crawl import schedules

if TYPE_CHECKING:
    from store.knowledge.archive import Archive
    from workers.services import Services

#: pages stored in one transaction: at most so many, and none after so many characters
_BATCH, _BATCH_CHARACTERS = 16, 4_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What came of a file's sources and pages."""

    sources: int
    own_left: tuple[str, ...]  #: sources of their operator's own that were not taken as such
    new: int
    newer: int  #: pages that were known with an earlier text
    known: int  #: pages that were known as they are, or with a later text


def export(services: Services, path: Path, *, wellread: str, sites: Sequence[str] = ()) -> Manifest:
    """Write the sources and the pages that serve every question; raises BadArchive where that fails."""
    database = services.database
    return archive.write(
        path, rows.sources(database, sites), rows.pages_of(database, sites), wellread=wellread, now=services.now()
    )


def take_over(services: Services, path: Path, *, own: bool, progress: Progress) -> Imported:
    """Store what a file holds and is not known yet; a file that is refused stores nothing. Raises BadArchive.

    ``own``: sources that were their operator's own are so here, too: their addresses may be private.
    """
    with archive.opened(path) as opened:
        _check(opened)
        found = list(opened.sources())
        for source in found:
            _take_source(services, source, own=own)
        total, taken = opened.manifest.lines[archive.PAGES], Counter[str]()
        for some in _batches(opened.pages()):
            taken.update(_take_pages(services, some))
            progress(taken.total(), total)
    return Imported(
        sources=len(found),
        own_left=tuple(source.url for source in found if source.own and not own),
        new=taken["new"],
        newer=taken["newer"],
        known=taken["known"],
    )


def _check(opened: Archive) -> None:
    """Read the whole file once; raises BadArchive for the first thing that is wrong."""
    try:
        for source in opened.sources():
            if urls.canonical(source.url) != source.url:
                raise opened.refusal(f"{source.url[:200]!r} is no address of a source")
            _schedule(source)
        for page in opened.pages():
            _check_address(opened, page)
    except (BadUrl, BadSchedule, BadFileName) as error:
        raise opened.refusal(str(error).rstrip(".")) from error


def _check_address(opened: Archive, page: PageLine) -> None:
    url = page.url
    if is_file_address(url):
        folder, path = folder_of(url), clean_path(path_of(url))
        right = clean_folder(folder) == folder and address_of(folder, path) == url
    else:
        right = urls.canonical(url) == url
    if not right:
        raise opened.refusal(f"{url[:200]!r} is no address of a page")


def _take_source(services: Services, line: SourceLine, *, own: bool) -> None:
    with services.database.write() as session:
        if any(source.url == line.url for source in sources.list_all(session)):
            return
        added = sources.add(session, line.url, own=line.own and own, min_delay_s=line.min_delay_s, now=services.now())
    if wanted := _schedule(line):
        changes = {"cron": wanted.cron} if wanted.cron else {"every": f"{wanted.every_s:.0f}s"}
        schedules.change(services, added.id, {**changes, "zone": wanted.zone})


def _batches(lines: Iterable[PageLine]) -> Iterator[list[PageLine]]:
    batch: list[PageLine] = []
    characters = 0
    for line in lines:
        batch.append(line)
        characters += len(line.text) + sum(len(version.text) for version in line.versions)
        if len(batch) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _take_pages(services: Services, some: Sequence[PageLine]) -> list[str]:
    now = services.now()
    with services.database.write() as session:
        return [
            rows.take(
                session,
                line,
                urls.origin(line.url),
                now,
                now + (schedules.NEVER if is_file_address(line.url) else timedelta(seconds=FIRST_INTERVAL_S)),
            )
            for line in some
        ]


def _schedule(line: SourceLine) -> Schedule | None:
    if line.every_s is None and line.cron is None:
        return None
    return schedule.validate(Schedule(every_s=line.every_s, cron=line.cron or "", zone=line.zone))
