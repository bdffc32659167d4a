"""Formats for the terminal: files of the operator's own, and watched folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.width import clean, cut, when, wrap

if TYPE_CHECKING:
    from domain.file import StoredFile, WatchedFolder


def added_lines(files: Sequence[StoredFile], style: Style) -> list[str]:
    """Return what came of files that were added: those that could not be read first, with the reason."""
    if not files:
        return ["There is no file in it that can be read."]
    held = [file for file in files if file.in_knowledge_base]
    lines = [line for file in files if not file.in_knowledge_base for line in _failed(file, style)]
    if len(held) == 1:
        return [*lines, cut(f"read  {clean(held[0].address)}  {clean(held[0].title or '')}", style.width)]
    return [*lines, f"{len(held):,} of {len(files):,} files are in the knowledge base."]


def file_lines(files: Sequence[StoredFile], style: Style) -> list[str]:
    """Return the files, each with its title or the reason why it could not be read."""
    if not files:
        return ["No file was added: `wellread add FILE_OR_FOLDER` reads some."]
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
        return ["No folder is watched: `wellread add FOLDER` watches one."]
    lines = []
    for folder in folders:
        lines.append(f"files://{folder.name}/  {clean(folder.path)}  looked through again {when(folder.next_due)}")
        if folder.problem:
            lines += wrap(style.paint(clean(folder.problem), fg="yellow"), style.width, first="    ", rest="    ")
    return lines


def _failed(file: StoredFile, style: Style) -> list[str]:
    word = "not read" if file.outcome else "waiting "
    lines = [cut(f"{word} {clean(file.address)}", style.width)]
    return [*lines, *(wrap(clean(file.reason), style.width, first="    ", rest="    ") if file.reason else ())]
