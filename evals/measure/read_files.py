"""Measure how files in bulk are read: ``python -m evals.measure.read_files FOLDER``; nothing is stored.

Beside a file ``name.ext`` a text ``name.ext.txt`` may stand that it should have: the share of its words that is kept is
given by kind, with the tenth percentile and the median, and the files that lose the most are named. So are those that
are not read. ``evals/measure/write_references.py`` writes such texts with other programs.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.extract.document import NothingToRead
from crawler.extract.files.file_text import read_file
from crawler.file_kinds import BY_SUFFIX, suffix_of
from domain.file import address_of

_WORD: Final = re.compile(r"\w+")
_FEW: Final = 5  #: words: a share of fewer says nothing
_NAMED: Final = 10


@dataclass(frozen=True, kw_only=True)
class FileRead:
    """What came of reading one file."""

    name: str
    reason: str  #: why it was not read; "" if it was
    missing: tuple[str, ...]
    kept: float | None  #: share of the words of its reference, if it has one
    seconds: float


def read_all(folder: Path) -> list[FileRead]:
    """Read every file below a folder whose kind is read, except for the references."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and suffix_of(path.name) in BY_SUFFIX]
    return [_read(path, folder) for path in paths if not (path.suffix == ".txt" and path.with_suffix("").is_file())]


def _read(path: Path, folder: Path) -> FileRead:
    started, text, reason, missing = time.monotonic(), "", "", tuple[str, ...]()
    try:
        page = read_file(path.read_bytes(), address=address_of("bulk", path.name))
        text, missing = f"{page.title}\n{page.text}", page.missing
    except NothingToRead as error:
        reason = str(error)
    reference = path.with_name(f"{path.name}.txt")
    kept = share_kept(reference.read_text("utf-8", "replace"), text) if reference.is_file() else None
    name = path.relative_to(folder).as_posix()
    return FileRead(name=name, reason=reason, missing=missing, kept=kept, seconds=time.monotonic() - started)


def share_kept(reference: str, text: str) -> float | None:
    """Return the share of a reference's words that a text has, each as often; None for a reference of few words."""
    wanted, found = (Counter(word.casefold() for word in _WORD.findall(each)) for each in (reference, text))
    return (wanted & found).total() / wanted.total() if wanted.total() >= _FEW else None


def table(files: Sequence[FileRead]) -> list[str]:
    """Return the figures by kind, then the files that lose the most, and those that are not read."""
    by_kind = defaultdict[str, list[FileRead]](list)
    for file in files:
        by_kind[BY_SUFFIX[suffix_of(file.name)].name].append(file)
    lines = ["| kind | files | read | in part | words kept: p10, median, mean | seconds |", "| --- " * 6 + "|"]
    for kind, some in sorted(by_kind.items()):
        kept = sorted(file.kept for file in some if file.kept is not None)
        words = f"{kept[len(kept) // 10]:.3f}, {kept[len(kept) // 2]:.3f}, {sum(kept) / len(kept):.3f}" if kept else "–"
        read, part = sum(not file.reason for file in some), sum(bool(file.missing) for file in some)
        lines.append(f"| {kind} | {len(some)} | {read} | {part} | {words} | {sum(file.seconds for file in some):.1f} |")
    compared = [file for file in files if file.kept is not None and not file.reason]
    worst = sorted(compared, key=lambda file: file.kept or 0.0)[:_NAMED]
    unread = [f"{file.name}: {file.reason}" for file in files if file.reason]
    return [*lines, "", *(f"{file.kept:.3f} {file.name}" for file in worst), "", *unread]


if __name__ == "__main__":
    print("\n".join(table(read_all(Path(sys.argv[1])))))
