"""Addresses of files are stable, lead back to the path, and no name leads out of its folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.file import BadFileName, address_of, clean_folder, clean_path, folder_of, name_of, path_of
from tests.tables import each_row


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("rules.pdf", "files://hr/rules.pdf"),
        ("travel/Rules 2026 #2?.pdf", "files://hr/travel/Rules%202026%20%232%3F.pdf"),
        ("Übersicht 100%.docx", "files://hr/Übersicht%20100%25.docx"),
        ("U\u0308bersicht.docx", "files://hr/Übersicht.docx"),
    ],
)
def test_address_names_folder_and_file(path: str, address: str) -> None:
    assert address_of("hr", clean_path(path)) == address
    assert folder_of(address) == "hr"
    assert path_of(address) == clean_path(path)
    assert name_of(address) == clean_path(path).rpartition("/")[2]


@each_row(
    "path",
    [
        *("", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "..\\x", "C:\\x", "a/", " a", "a "),
        *("a\0b", "a\nb", "a\u202efdp.exe", "a\ud800", "x" * 300, "a/" * 40 + "x", "/".join(["y" * 100] * 20)),
        *("/".join(["灯" * 100] * 4), "/".join([" ?" * 60] * 6)),  # 1,200 bytes and more
    ],
)
def test_names_that_are_none_are_refused(path: str) -> None:
    with pytest.raises(BadFileName):
        clean_path(path)


@pytest.mark.parametrize(("name", "clean"), [("Staff rules", "staff-rules"), ("../x", "x"), ("Ü.2", "ü.2")])
def test_folder_has_a_plain_name(name: str, clean: str) -> None:
    assert clean_folder(name) == clean


def test_folder_without_a_letter_is_refused() -> None:
    with pytest.raises(BadFileName, match="--name"):
        clean_folder("..//")


@given(st.text(max_size=60))
def test_every_name_that_is_taken_can_be_found_again(path: str) -> None:
    try:
        clean = clean_path(path)
    except BadFileName:
        return
    assert clean_path(clean) == clean
    assert path_of(address_of("hr", clean)) == clean
