"""Writes what is known, or a whole collection, into one file, and takes such a file over.

A file is checked whole before anything of it is stored; the pages that are taken wait to be indexed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from crawler.extract.selectors import check as check_selectors
from crawler.urls import BadUrl
from domain import Schedule
from domain.access import Imported
from domain.document import BadDocumentId, check_id, own_address
from domain.file import BadFileName, address_of, clean_folder, clean_path, folder_of, is_file_address, path_of
from domain.site import is_under
from store import folders as stored_folders
from store.archive import archive, page_lines, question_lines
from store.archive.archive import Archive, FileLine, LeftOut, Manifest
from store.archive.page_lines import FolderLine, PageLine, SettingsLine, SourceLine
from store.archive.question_lines import QuestionLine, ThreadLine
from store.crawl import sources
from store.folders import BadFolder, FolderExists
from store.pages.pages import FIRST_INTERVAL_S
from store.pages.refresh_queue import NEVER
from workers import files as watched
from workers.crawl import sites
from workers.services import Services, collections

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
        sites = [urls.typed(site) for line in opened.lines(SettingsLine) for site in line.exclude_sites]
        is_done = collections.leave_out(services, sites)
        found = list(opened.lines(SourceLine))
        for source in found:
            _take_source(services, source, own=own)
        total, taken, page_ids = opened.manifest.lines[archive.PAGES], Counter[str](), dict[int, int]()
        for some in _batches(opened.lines(PageLine)):
            for line, (page_id, how) in zip(some, _take_pages(services, some), strict=True):
                taken[how] += 1
                page_ids[line.id] = page_id
            progress(taken.total(), total)
        asked = _take_questions(services, opened, page_ids, own=own)
        unwatched = [_watch(services, line, own=own and folders) for line in opened.lines(FolderLine)]
    return Imported(
        sources=len(found),
        own_left=tuple(source.url for source in found if source.own and not own),
        new=taken["new"],
        newer=taken["newer"],
        known=taken["known"],
        questions=asked["new"],
        questions_known=asked["known"],
        folders=unwatched.count(""),
        folders_left=tuple(filter(None, unwatched)),
        sites_left=tuple(site for site in sites if not is_done and not is_under(site, services.settings.exclude_sites)),
    )


def _take_questions(
    services: Services, opened: Archive, page_ids: Mapping[int, int], *, own: bool
) -> Counter[question_lines.Taken]:
    with services.database.write() as session:
        for thread in opened.lines(ThreadLine):
            question_lines.take_thread(session, thread)
    asked = opened.lines(QuestionLine)
    return Counter(services.write(question_lines.take, line, page_ids, own=own) for line in asked)


def _watch(services: Services, line: FolderLine, *, own: bool) -> str:
    """Watch a folder of the file's; return "", or why it is not watched."""
    if any(folder.path == line.path for folder in services.read(stored_folders.list_all)):
        return ""
    if not own:
        return f"{line.name}: {line.path}"
    try:
        folder = watched.save_folder(services, Path(line.path), name=line.name, every_s=line.every_s)
    except (BadFolder, FolderExists) as error:
        return f"{line.name}: {error}"
    services.write(page_lines.adopt, folder, line.left_out, services.now())
    watched.look_through(services, folder)
    return ""


def _take_source(services: Services, line: SourceLine, *, own: bool) -> None:
    with services.database.write() as session:
        url = urls.canonical(line.url)
        if sources.at(session, url) is not None:
            return
        is_own = line.own and own
        settings = line.model_dump(include=set(sources.SETTINGS))
        check_selectors((*line.select, *line.drop))
        settings |= {"paused": False, "ignore_robots": line.ignore_robots and is_own}
        settings |= {} if own else {"callback_url": None}
        added = sources.add(session, url, own=is_own, now=services.now(), **settings)
        if line.moved_to:
            sources.follow(session, url, urls.canonical(line.moved_to))
    changes: dict[str, Any] = {"paused": True} if line.paused else {}
    if wanted := schedule_of(line):
        changes |= {"cron": wanted.cron} if wanted.cron else {"every": f"{wanted.every_s:.0f}s"}
        changes["zone"] = wanted.zone
    if changes:
        sites.change(services, added.id, changes)


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


def _take_pages(services: Services, some: Sequence[PageLine]) -> list[tuple[int, page_lines.Taken]]:
    now = services.now()
    some = [line.model_copy(update={"url": urls.typed(line.url)}) for line in some]  # an earlier version wrote it
    soon = now + timedelta(seconds=FIRST_INTERVAL_S)
    with services.database.write() as session:
        known = sources.list_all(session)
        due = (now + NEVER if line.document else sites.due_at(known, line.url, now) or soon for line in some)
        return [
            page_lines.take(session, line, urls.origin(line.url), now, at) for line, at in zip(some, due, strict=True)
        ]


def check(opened: Archive) -> None:
    """Read the whole file once; raises BadArchive for the first thing that is wrong."""
    try:
        for settings in opened.lines(SettingsLine):
            for site in settings.exclude_sites:
                urls.typed(site)
        for source in opened.lines(SourceLine):
            for url in filter(None, (source.url, source.moved_to)):
                urls.canonical(url)
            schedule_of(source)
        for folder in opened.lines(FolderLine):
            _check_folder(opened, folder)
        for page in opened.lines(PageLine):
            own = own_address(check_id(page.document.id)) if page.document else ""
            _check(opened, page.url, page.url == own or _is_address(page.url), "address of a page")
        kinds: tuple[Any, ...] = (ThreadLine, QuestionLine)
        for kind in kinds:
            seen: set[str] = set()
            for line in opened.lines(kind):
                _check(opened, line.id, line.id not in seen, "id of its own")
                seen.add(line.id)
    except (BadUrl, BadSchedule, BadFileName, BadDocumentId) as error:
        raise opened.refusal(str(error).rstrip(".")) from error


def schedule_of(line: SourceLine) -> Schedule | None:
    """Return when a source is looked at; raises BadSchedule."""
    if line.every_s is None and line.cron is None:
        return None
    return schedule.validate(Schedule(every_s=line.every_s, cron=line.cron or "", zone=line.zone))


def _check_folder(opened: Archive, folder: FolderLine) -> None:
    absolute = any(kind(folder.path).is_absolute() for kind in (PurePosixPath, PureWindowsPath))
    _check(opened, folder.path, absolute and clean_folder(folder.name) == folder.name, "watched folder")
    for address in folder.left_out:
        own = is_file_address(address) and folder_of(address) == folder.name and _is_address(address)
        _check(opened, address, own, "file of its folder")


def _is_address(url: str) -> bool:
    if not is_file_address(url):
        return bool(urls.canonical(url))
    folder, path = folder_of(url), clean_path(path_of(url))
    return clean_folder(folder) == folder and address_of(folder, path) == url


def _check(opened: Archive, value: str, is_right: bool, what: str) -> None:
    if not is_right:
        raise opened.refusal(f"{value[:200]!r} is no {what}")


def export_pages(
    services: Services,
    path: Path,
    *,
    wellread: str,
    sites: Sequence[str] = (),
    progress: archive.Progress | None = None,
) -> Manifest:
    """Write the sources and the pages that serve every question; raises BadArchive where that fails."""
    database = services.database
    members: Mapping[str, Iterable[FileLine | LeftOut]] = {
        archive.SOURCES: page_lines.sources(database, sites),
        archive.PAGES: page_lines.pages_of(database, sites),
    }
    return archive.write(path, members, wellread=wellread, now=services.now(), progress=progress)


def export_collection(
    services: Services, path: Path, *, wellread: str, folders: bool = True, progress: archive.Progress | None = None
) -> Manifest:
    """Write all that belongs to a collection; raises BadArchive where that fails.

    ``folders``: also where its watched folders are on this machine.

    A question that has not ended is not in it, nor what is made anew: passages, names, caches, what was learned.
    """
    database = services.database
    members: Mapping[str, Iterable[FileLine | LeftOut]] = {
        archive.SETTINGS: [SettingsLine(**archive.values_of(SettingsLine, services.collection))],
        archive.SOURCES: page_lines.sources(database, ()),
        archive.FOLDERS: page_lines.folders_of(database) if folders else (),
        archive.QUESTIONS: question_lines.questions_of(database),
        archive.THREADS: question_lines.threads_of(database),
        archive.PAGES: page_lines.pages_of(database, whole=True),  # last: no question cites a page that came later
    }
    return archive.write(path, members, wellread=wellread, now=services.now(), progress=progress)
