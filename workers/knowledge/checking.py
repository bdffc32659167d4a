"""Checks a file whole before anything of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, TypeVar

from crawler import urls
from crawler.discovery import schedule
from crawler.discovery.schedule import BadSchedule
from crawler.urls import BadUrl
from domain import Schedule
from domain.file import BadFileName, address_of, clean_folder, clean_path, folder_of, is_file_address, path_of

if TYPE_CHECKING:
    from store.knowledge.archive import Archive
    from store.knowledge.lines import SourceLine
    from store.knowledge.settings import FolderLine

Line = TypeVar("Line")


def check(opened: Archive) -> None:
    """Read the whole file once; raises BadArchive for the first thing that is wrong."""
    try:
        for settings in opened.settings():
            for site in settings.exclude_sites:
                _check(opened, site, is_file_address(site) or urls.canonical(site) == site, "address of a site")
        for source in opened.sources():
            _check(opened, source.url, urls.canonical(source.url) == source.url, "address of a source")
            schedule_of(source)
        for folder in opened.folders():
            _check_folder(opened, folder)
        for page in opened.pages():
            _check(opened, page.url, _is_address(page.url), "address of a page")
        _check_once(opened, opened.threads(), lambda line: line.id)
        _check_once(opened, opened.questions(), lambda line: line.id)
    except (BadUrl, BadSchedule, BadFileName) as error:
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
        return urls.canonical(url) == url
    folder, path = folder_of(url), clean_path(path_of(url))
    return clean_folder(folder) == folder and address_of(folder, path) == url


def _check_once(opened: Archive, lines: Iterable[Line], id_of: Callable[[Line], str]) -> None:
    seen: set[str] = set()
    for line in lines:
        _check(opened, id_of(line), id_of(line) not in seen, "id of its own")
        seen.add(id_of(line))


def _check(opened: Archive, value: str, is_right: bool, what: str) -> None:
    if not is_right:
        raise opened.refusal(f"{value[:200]!r} is no {what}")
