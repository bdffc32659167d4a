"""A folder is looked through without following links, and a file is read whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.folder import FileChanging, FileGone, FileUnreadable, FolderUnreadable, find_files, read_whole


def found(root: Path) -> list[str]:
    return [file.path for file in find_files(root, lambda name: name.endswith((".txt", ".pdf")))]


def test_files_below_are_found_and_nothing_hidden_or_linked(tmp_path: Path) -> None:
    root, outside = tmp_path / "rules", tmp_path / "outside"
    for folder in (root / "b" / "c", root / ".git", outside):
        folder.mkdir(parents=True)
    for path in (
        root / "a.txt",
        root / "b" / "c" / "d.pdf",
        root / "b" / "x.exe",
        root / ".env.txt",
        outside / "o.txt",
    ):
        path.write_text("x")
    (root / ".git" / "config.txt").write_text("x")
    (root / "link.txt").symlink_to(outside / "o.txt")
    (root / "linked").symlink_to(outside)
    os.mkfifo(root / "pipe.txt")
    (root / "a\u202etxt.txt").write_text("x")
    assert found(root) == ["a.txt", "b/c/d.pdf"]
    with pytest.raises(FolderUnreadable):
        found(tmp_path / "away")


@pytest.mark.parametrize("path", ["../o.txt", "b/../../o.txt", "/etc/passwd", "link.txt", "linked/o.txt", "", "b//x"])
def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    root, outside = tmp_path / "rules", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    for place in (outside, tmp_path):
        (place / "o.txt").write_text("secret")
    (root / "link.txt").symlink_to(outside / "o.txt")
    (root / "linked").symlink_to(outside)
    with pytest.raises((FileGone, FileUnreadable)):
        read_whole(root, path, max_bytes=100)


def test_what_is_there_but_cannot_be_looked_at_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.txt").write_text("x")
    listed, unseen = os.scandir, []

    def scandir(path: str) -> object:
        if str(path).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr("crawler.folder.os.scandir", scandir)
    assert [file.path for file in find_files(tmp_path, lambda _: True, unseen.append)] == ["b/c.txt"]
    assert unseen == ["a"]


def test_a_file_is_gone_only_where_its_folder_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "rules"
    with pytest.raises(FolderUnreadable):
        read_whole(root, "a.txt", max_bytes=100)
    root.mkdir()
    with pytest.raises(FolderUnreadable):  # a mount point without its disk
        read_whole(root, "a.txt", max_bytes=100)
    (root / "b.txt").write_text("x")
    with pytest.raises(FileGone):
        read_whole(root, "a.txt", max_bytes=100)
    opened = os.open

    def broken(path: str, flags: int, **where: int) -> int:
        if path == "b.txt":
            raise OSError(5, "Input/output error")
        return opened(path, flags, **where)

    monkeypatch.setattr("crawler.folder.os.open", broken)
    with pytest.raises(FolderUnreadable, match="Input/output error"):
        read_whole(root, "b.txt", max_bytes=100)


def test_pipes_and_folders_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "inner").mkdir()
    for name in ("pipe.txt", "inner"):
        with pytest.raises(FileUnreadable):
            read_whole(tmp_path, name, max_bytes=100)


def test_file_above_the_limit_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.pdf").open("wb") as file:
        file.truncate(3 * 2**30)
    with pytest.raises(FileUnreadable, match="WELLREAD_FILE_MAX_BYTES allows 1,000"):
        read_whole(tmp_path, "huge.pdf", max_bytes=1_000)


def test_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    file = _Growing(tmp_path / "log.txt", times=2)
    assert file.read() == b"line\nline\nline\n"
    with pytest.raises(FileChanging, match="it is read again once it rests"):
        _Growing(tmp_path / "log.txt", times=100).read()


class _Growing:
    """A file that another program writes to just after it was opened, so many times."""

    def __init__(self, path: Path, *, times: int) -> None:
        self._path, self._left = path, times
        path.write_bytes(b"line\n")

    def read(self) -> bytes:
        opened = os.fdopen

        def then_write(handle: int, mode: str) -> object:
            file = opened(handle, mode)
            before = file.read

            def read(size: int) -> bytes:
                body = before(size)
                if self._left:
                    self._left -= 1
                    with self._path.open("ab") as again:
                        again.write(b"line\n")
                return body

            file.read = read  # type: ignore[method-assign]
            return file

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("crawler.folder.os.fdopen", then_write)
            return read_whole(self._path.parent, self._path.name, max_bytes=10_000, sleep=lambda _: None)
