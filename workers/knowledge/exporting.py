"""Writes what is known, or a whole collection, into one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.knowledge import archive, questions, rows, settings

if TYPE_CHECKING:
    from store.knowledge.lines import FileLine, Manifest
    from workers.services import Services


#: called with the name of a part of the file, and how many lines of it are written
Progress = Callable[[str, int], None]


def export_pages(
    services: Services, path: Path, *, wellread: str, sites: Sequence[str] = (), progress: Progress | None = None
) -> Manifest:
    """Write the sources and the pages that serve every question; raises BadArchive where that fails."""
    database = services.database
    members: Mapping[str, Iterable[FileLine]] = {
        archive.SOURCES: rows.sources(database, sites),
        archive.PAGES: rows.pages_of(database, sites),
    }
    return archive.write(path, _told(members, progress), wellread=wellread, now=services.now())


def export_collection(
    services: Services, path: Path, *, wellread: str, folders: bool = True, progress: Progress | None = None
) -> Manifest:
    """Write all that belongs to a collection; raises BadArchive where that fails.

    ``folders``: also where its watched folders are on this machine.

    A question that has not ended is not in it, nor what is made anew: passages, names, caches, learned versions.
    """
    database = services.database
    members: Mapping[str, Iterable[FileLine]] = {
        archive.SETTINGS: settings.settings_of(services.collection),
        archive.SOURCES: rows.sources(database, ()),
        archive.FOLDERS: settings.folders_of(database) if folders else (),
        archive.QUESTIONS: questions.questions_of(database),
        archive.THREADS: questions.threads_of(database),
        archive.PAGES: rows.pages_of(database, whole=True),  # last: no question cites a page that came later
    }
    return archive.write(path, _told(members, progress), wellread=wellread, now=services.now())


def _told(members: Mapping[str, Iterable[FileLine]], progress: Progress | None) -> Mapping[str, Iterable[FileLine]]:
    """Return the parts of a file, whose progress is told while they are written."""

    def lines(name: str, values: Iterable[FileLine]) -> Iterator[FileLine]:
        for done, value in enumerate(values, start=1):
            yield value
            if progress is not None:
                progress(name, done)

    return {name: lines(name, values) for name, values in members.items()}
