"""Takes such a file over; the pages that are taken wait to be indexed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler import urls
from domain.access.collection import Imported
from domain.site import is_under
from store.crawl import sources
from store.files import folders as stored_folders
from store.files.folders import FolderExists
from store.knowledge import archive, questions, rows, settings
from store.knowledge.lines import PageLine, SourceLine
from store.knowledge.settings import FolderLine
from store.pages.pages import FIRST_INTERVAL_S
from workers.crawl import schedules
from workers.files import folders as watched
from workers.files.folders import BadFolder
from workers.knowledge.checking import check, schedule_of
from workers.services import collections

if TYPE_CHECKING:
    from store.knowledge.archive import Archive
    from workers.services import Services

#: pages stored in one transaction: at most so many, and none after so many characters
_BATCH, _BATCH_CHARACTERS = 16, 4_000_000

Progress = Callable[[int, int], None]


def take_over(services: Services, path: Path, *, own: bool, folders: bool = True, progress: Progress) -> Imported:
    """Store what a file holds and is not known yet; a file that is refused stores nothing. Raises BadArchive.

    ``own``: the file is its operator's own. Sources that were their own are so here, too: their addresses may be
    private; folders of this machine are watched unless ``folders`` forbids it; questions call their callers back.
    """
    with archive.opened(path) as opened:
        check(opened)
        sites_left = _leave_out(services, [site for line in opened.settings() for site in line.exclude_sites])
        found = list(opened.sources())
        for source in found:
            _take_source(services, source, own=own)
        total, taken, page_ids = opened.manifest.lines[archive.PAGES], Counter[str](), dict[int, int]()
        for some in _batches(opened.pages()):
            for line, (page_id, how) in zip(some, _take_pages(services, some), strict=True):
                taken[how] += 1
                page_ids[line.id] = page_id
            progress(taken.total(), total)
        asked = _take_questions(services, opened, page_ids, own=own)
        told = [_watch(services, line, own=own and folders) for line in opened.folders()]
    return Imported(
        sources=len(found),
        own_left=tuple(source.url for source in found if source.own and not own),
        new=taken["new"],
        newer=taken["newer"],
        known=taken["known"],
        questions=asked["new"],
        questions_known=asked["known"],
        folders=told.count(""),
        folders_left=tuple(why for why in told if why),
        sites_left=sites_left,
    )


def _leave_out(services: Services, sites: Sequence[str]) -> tuple[str, ...]:
    """Leave sites out of the collection as the file's did; return those that this one cannot leave out."""
    if collections.leave_out(services, sites):
        return ()
    return tuple(site for site in sites if not is_under(site, services.settings.exclude_sites))


def _take_questions(
    services: Services, opened: Archive, page_ids: Mapping[int, int], *, own: bool
) -> Counter[questions.Taken]:
    with services.database.write() as session:
        for thread in opened.threads():
            questions.take_thread(session, thread)
    taken = Counter[questions.Taken]()
    for line in opened.questions():
        with services.database.write() as session:
            taken[questions.take(session, line, page_ids, own=own)] += 1
    return taken


def _watch(services: Services, line: FolderLine, *, own: bool) -> str:
    """Watch a folder of the file's; return "", or why it is not watched."""
    with services.database.read() as session:
        if any(folder.path == line.path for folder in stored_folders.list_all(session)):
            return ""
    if not own:
        return f"{line.name}: {line.path}"
    try:
        folder = watched.save(services, Path(line.path), name=line.name, every_s=line.every_s)
    except (BadFolder, FolderExists) as error:
        return f"{line.name}: {error}"
    with services.database.write() as session:
        settings.adopt(session, folder, line.left_out, services.now())
    watched.look_through(services, folder)
    return ""


def _take_source(services: Services, line: SourceLine, *, own: bool) -> None:
    with services.database.write() as session:
        if any(source.url == line.url for source in sources.list_all(session)):
            return
        added = sources.add(session, line.url, own=line.own and own, min_delay_s=line.min_delay_s, now=services.now())
    changes: dict[str, Any] = {"paused": True} if line.paused else {}
    if wanted := schedule_of(line):
        changes |= {"cron": wanted.cron} if wanted.cron else {"every": f"{wanted.every_s:.0f}s"}
        changes["zone"] = wanted.zone
    if changes:
        schedules.change(services, added.id, changes)


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


def _take_pages(services: Services, some: Sequence[PageLine]) -> list[tuple[int, rows.Taken]]:
    now = services.now()
    with services.database.write() as session:
        known = sources.list_all(session)
        return [
            rows.take(
                session,
                line,
                urls.origin(line.url),
                now,
                schedules.due_at(known, line.url, now) or now + timedelta(seconds=FIRST_INTERVAL_S),
            )
            for line in some
        ]
