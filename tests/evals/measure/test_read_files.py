"""Files in bulk are read and compared with the texts beside them."""

from __future__ import annotations

from pathlib import Path

from evals.measure.read_files import read_all, share_kept, table
from evals.measure.write_references import write_references
from tests import office


def test_share_of_words_is_that_of_the_reference() -> None:
    assert share_kept("one two three four five", "Five four three two") == 0.8
    assert share_kept("one one one one one", "one") == 0.2
    assert share_kept("one", "") is None


def test_every_file_below_a_folder_is_measured(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "handbook.docx").write_bytes(office.docx())
    (tmp_path / "a" / "handbook.docx.txt").write_text("Staff of the harbour fly in economy class only")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4")
    files = read_all(tmp_path)
    assert [(file.name, file.kept, bool(file.reason)) for file in files] == [
        ("a/handbook.docx", 1.0, False),
        ("broken.pdf", None, True),
    ]
    lines = table(files)
    assert lines[2].startswith("| DOCX | 1 | 1 | 0 | 1.000, 1.000, 1.000 |")
    assert lines[-1].startswith("broken.pdf: ")


def test_references_are_what_another_program_finds(tmp_path: Path) -> None:
    (tmp_path / "broken.pptx").write_bytes(b"PK")
    (tmp_path / "handbook.pptx").write_bytes(office.pptx(notes="Say it slowly."))
    assert [line.partition(":")[0] for line in write_references(tmp_path)] == ["broken.pptx"]
    found = (tmp_path / "handbook.pptx.txt").read_text("utf-8")
    for said in ("Staff of the harbour fly in economy class only", "190", "Say it slowly."):
        assert said in found
    assert [file.kept for file in read_all(tmp_path)] == [None, 1.0]
