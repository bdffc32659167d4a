"""What came of a folder's files, and which of them are left out."""

from __future__ import annotations

from pathlib import Path

from api.cli.files import _found_in, other_kinds_lines
from api.cli.width import Style


def test_files_of_a_folder_that_are_left_out_for_their_kind_are_named(tmp_path: Path) -> None:
    (tmp_path / "sheets").mkdir()
    for name in ("leave.md", "sheets/shifts.numbers", "photo.jpg", ".hidden.numbers"):
        (tmp_path / name).write_text("x")
    left = [file.path for file in _found_in(tmp_path, readable=False)]
    assert left == ["photo.jpg", "sheets/shifts.numbers"]
    [line] = other_kinds_lines(left, Style(width=150))
    assert line.startswith("2 files are in a format that cannot be read: photo.jpg, sheets/shifts.numbers.")


def test_many_files_that_are_left_out_are_counted() -> None:
    said = " ".join(other_kinds_lines([f"{at}.jpg" for at in range(1_205)], Style()))
    assert said.startswith(
        "1,205 files are in a format that cannot be read: 0.jpg, 1.jpg, 2.jpg, 3.jpg, 4.jpg and 1,200 more."
    )


def test_nothing_is_said_where_every_kind_is_read() -> None:
    assert other_kinds_lines([], Style()) == []
