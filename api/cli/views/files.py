"""Formats for the terminal: files of the operator's own, and watched folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.width import clean, cut, when, wrap

if TYPE_CHECKING:
    from domain.file import StoredFile, WatchedFolder

#: files that are left out of a folder, as many as are named
_NAMED = 5


def added_lines(files: Sequence[StoredFile], style: Style) -> list[str]:
    """Return what came of files that were added: those that could not be read first, with the reason."""
    if not files:
        return ["It contains no file that can be read."]
    held = [file for file in files if file.in_knowledge_base]
    lines = [line for file in files if not file.in_knowledge_base for line in _failed(file, style)]
    if len(held) == 1:
        return [*lines, cut(f"read  {clean(held[0].address)}  {clean(held[0].title or '')}", style.width)]
    return [*lines, f"{len(held):,} of {len(files):,} files are in the knowledge base."]


def other_kinds_lines(paths: Sequence[str], style: Style) -> list[str]:
    """Return which files of a folder are left out because of their kind: the first few by name."""
    if not paths:
        return []
    named = ", ".join(map(clean, paths[:_NAMED])) + (
        f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    )
    what = "1 file is" if len(paths) == 1 else f"{len(paths):,} files are"
    return wrap(f"{what} in a format that cannot be read: {named}. Save a workbook as CSV, others as PDF.", style.width)


def file_lines(files: Sequence[StoredFile], style: Style, *, is_part: bool) -> list[str]:
    """Return the files, each with its title or why it could not be read; ``is_part``: not all were asked for."""
    if not files and is_part:
        return ["None match: `wellread files list` lists all files."]
    if not files:
        return ["No files yet: `wellread add FILE_OR_FOLDER` adds some."]
    lines = []
    for file in files:
        if file.in_knowledge_base:
            lines.append(cut(f"read     {clean(file.address)}  {clean(file.title or '')}", style.width))
        else:
            lines += _failed(file, style)
    return lines


def folder_lines(folders: Sequence[WatchedFolder], style: Style) -> list[str]:
    """Return the watched folders: where each is, and when it is looked through again."""
    if not folders:
        return ["No watched folders: `wellread add FOLDER` watches one."]
    lines = []
    for folder in folders:
        lines.append(f"files://{folder.name}/  {clean(folder.path)}  next check {when(folder.next_due)}")
        if folder.problem:
            lines += wrap(style.paint(clean(folder.problem), fg="yellow"), style.width, first="    ", rest="    ")
    return lines


def _failed(file: StoredFile, style: Style) -> list[str]:
    word = "not read" if file.outcome else "waiting "
    lines = [cut(f"{word} {clean(file.address)}", style.width)]
    return [*lines, *(wrap(clean(file.reason), style.width, first="    ", rest="    ") if file.reason else ())]
