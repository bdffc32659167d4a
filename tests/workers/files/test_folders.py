"""A watched folder: what is new or changed is read, what is gone leaves, and a disk that is away loses nothing."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from domain.file import StoredFile
from store import files, folders
from store.folders import BadFolder, FolderExists, UnknownFolder
from store.pages import pages
from tests import office
from tests.crawler.extract import pdfs
from tests.workers.conftest import Outbox
from workers import files as uploads
from workers import files as watched
from workers.crawl import read_candidate as reading
from workers.deletion import delete_folder, delete_pages
from workers.services import Services


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "HR rules"
    (folder / "travel").mkdir(parents=True)
    (folder / "travel" / "rules.docx").write_bytes(office.docx())
    (folder / "lamp.md").write_text("# Lamp\n\nIt is lit by Anna Berg every evening.")
    return folder


def look(services: Services, outbox: Outbox) -> list[StoredFile]:
    """Look through the folders once, do the work that is sent, and return the files."""
    with services.database.read() as session:
        for each in folders.list_all(session):
            watched.look_through(services, each)
    return work(services, outbox)


def work(services: Services, outbox: Outbox) -> list[StoredFile]:
    while outbox.messages:
        task, row_id = outbox.messages.pop(0)
        if task == "wellread.read":
            reading.read(services, int(row_id))
    return services.read(files.list_all)


def text_of(services: Services, address: str) -> str | None:
    with services.database.read() as session:
        known = pages.find(session, address)
        return None if known is None or known.is_gone else pages.texts(session, [known.id])[known.id]


def test_files_are_read_once_and_again_when_they_change(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    found = work(services, outbox)
    assert [(file.address, file.outcome) for file in found] == [
        ("files://hr-rules/lamp.md", "read"),
        ("files://hr-rules/travel/rules.docx", "read"),
    ]
    assert "Ngozi Okafor" in str(text_of(services, "files://hr-rules/travel/rules.docx"))
    look(services, outbox)
    (folder / "lamp.md").touch()  # another time, the same bytes
    assert [file.outcome for file in look(services, outbox)] == ["unchanged", "read"]
    (folder / "lamp.md").write_text("# Lamp\n\nIt is lit by Ines Duarte every evening.")
    look(services, outbox)
    assert "Ines Duarte" in str(text_of(services, "files://hr-rules/lamp.md"))


def test_nothing_is_sent_while_nothing_changes(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    (one,) = services.read(folders.list_all)
    watched.look_through(services, one)
    assert outbox.messages == []


def test_removed_file_leaves(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    shutil.rmtree(folder / "travel")
    assert [file.address for file in look(services, outbox)] == ["files://hr-rules/lamp.md"]
    assert text_of(services, "files://hr-rules/travel/rules.docx") is None


def test_folder_that_is_away_keeps_its_files_and_says_so(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    folder.rename(folder.with_name("elsewhere"))
    assert len(look(services, outbox)) == 2
    assert text_of(services, "files://hr-rules/lamp.md")
    with services.database.read() as session:
        assert "The folder cannot be read" in str(folders.list_all(session)[0].problem)
    folder.with_name("elsewhere").rename(folder)
    look(services, outbox)
    with services.database.read() as session:
        assert folders.list_all(session)[0].problem is None


def test_mount_point_without_its_disk_keeps_its_files_and_says_so(
    services: Services, outbox: Outbox, folder: Path
) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    assert len(look(services, outbox)) == 2
    assert text_of(services, "files://hr-rules/lamp.md")
    with services.database.read() as session:
        assert "its disk is away" in str(folders.list_all(session)[0].problem)


@pytest.mark.parametrize("same_names", [0, 1], ids=["other files", "one file of the same name"])
def test_another_disk_at_the_same_place_keeps_the_files_until_it_is_added(
    services: Services, outbox: Outbox, folder: Path, same_names: int
) -> None:
    (folder / "pier.md").write_text("# Pier\n\nIt is long, says Ines Duarte of the office.")
    watched.watch(services, folder)
    work(services, outbox)
    folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    for name in ("lamp.md", "other.md")[1 - same_names :]:
        (folder / name).write_text("# Another disk\n\nIt holds something else altogether.")
    addresses = [f"files://hr-rules/{name}" for name in ("lamp.md", "pier.md", "travel/rules.docx")]
    assert [file.address for file in look(services, outbox)] == addresses
    assert "Anna Berg" in str(text_of(services, addresses[0]))
    with services.database.read() as session:
        assert f"with {same_names} of the 3 files" in str(folders.list_all(session)[0].problem)
    watched.watch(services, folder)
    assert [file.address for file in work(services, outbox)][-1] == "files://hr-rules/other.md"
    assert text_of(services, addresses[1]) is None


def test_most_files_may_go_from_a_folder_that_is_the_same(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    shutil.rmtree(folder / "travel")
    (folder / "lamp.md").rename(folder / "lantern.md")
    assert [file.address for file in look(services, outbox)] == ["files://hr-rules/lantern.md"]


def test_files_of_a_subfolder_that_cannot_be_listed_are_kept(
    services: Services, outbox: Outbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pier.md").write_text("# Pier\n\nIt is long, says Ines Duarte of the office.")
    watched.watch(services, folder)
    work(services, outbox)
    (folder / "pier.md").unlink()
    listed = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("travel"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr("crawler.folder.os.scandir", scandir)
    assert [file.address for file in look(services, outbox)] == [
        "files://hr-rules/lamp.md",
        "files://hr-rules/travel/rules.docx",
    ]


def test_deleted_file_stays_out_though_it_was_away_for_a_while(
    services: Services, outbox: Outbox, folder: Path
) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    page = services.read(pages.find, "files://hr-rules/lamp.md")
    assert page is not None
    delete_pages(services, [page.id])
    text = (folder / "lamp.md").read_text()
    (folder / "lamp.md").unlink()
    look(services, outbox)
    (folder / "lamp.md").write_text(text)
    assert [file.address for file in look(services, outbox)] == ["files://hr-rules/travel/rules.docx"]


def test_file_that_cannot_be_read_any_more_takes_its_text_with_it(
    services: Services, outbox: Outbox, folder: Path
) -> None:
    (folder / "pier.pdf").write_bytes(pdfs.pdf([["The pier is long and was built in 1880."]]))
    watched.watch(services, folder)
    work(services, outbox)
    assert text_of(services, "files://hr-rules/pier.pdf")
    (folder / "pier.pdf").write_bytes(pdfs.pdf([["The pier"]], password="x"))
    (file,) = [each for each in look(services, outbox) if each.address.endswith("pier.pdf")]
    assert (file.outcome, file.in_knowledge_base) == ("empty", False)
    assert file.reason == "pier.pdf is encrypted: it opens only with a password. Save it without one."
    assert text_of(services, "files://hr-rules/pier.pdf") is None
    with services.database.read() as session:
        assert [each.address for each in files.list_all(session, failed=True)] == [file.address]


def test_folders_that_must_not_be_watched_are_refused(services: Services, folder: Path, tmp_path: Path) -> None:
    watched.watch(services, folder)
    inside, above, data = folder / "travel", folder.parent, services.settings.data_dir
    for bad in (Path("/"), Path("/etc"), tmp_path / "away", folder / "lamp.md", inside, above, data, data.parent):
        with pytest.raises(BadFolder):
            watched.watch(services, bad)
    other = tmp_path / "others" / "HR rules"
    other.mkdir(parents=True)
    with pytest.raises(FolderExists, match="--name"):
        watched.watch(services, other)
    assert watched.watch(services, other, name="others").name == "others"
    assert watched.watch(services, folder, every_s=3600).name == "hr-rules"


def test_folder_that_is_removed_leaves_nothing(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    with pytest.raises(UnknownFolder):
        delete_folder(services, "hr")
    assert delete_folder(services, "hr-rules") == 2
    assert [task for task, _ in outbox.messages] == ["wellread.embed", "wellread.embed", "wellread.erase"]
    assert look(services, outbox) == []
    assert text_of(services, "files://hr-rules/lamp.md") is None


def test_file_that_is_deleted_stays_out_of_its_folder(services: Services, outbox: Outbox, folder: Path) -> None:
    watched.watch(services, folder)
    work(services, outbox)
    page = services.read(pages.find, "files://hr-rules/lamp.md")
    assert page is not None
    assert delete_pages(services, [page.id, page.id]) == 1
    (folder / "lamp.md").write_text("# Lamp\n\nIt is lit by Ines Duarte every evening.")
    assert [file.address for file in look(services, outbox)] == ["files://hr-rules/travel/rules.docx"]
    assert text_of(services, "files://hr-rules/lamp.md") is None


def test_upload_is_read_from_sql_and_its_bytes_forgotten(services: Services, outbox: Outbox) -> None:
    uploads.add(services, "rules.docx", office.docx())
    (file,) = work(services, outbox)
    assert (file.outcome, file.title) == ("read", "Handbook of the harbour")
    held = services.read(files.to_read, file.address)
    assert held is not None
    assert held.content is None
    uploads.add(services, "rules.docx", office.docx({"Travel": ("Nobody flies, says Ines Duarte of the office.",)}))
    work(services, outbox)
    assert "Ines Duarte" in str(text_of(services, file.address))


def test_file_with_a_part_that_is_not_read_says_so(services: Services, outbox: Outbox) -> None:
    chart = '<w:p><w:r><c:chart xmlns:c="c" xmlns:r="r" r:id="none"/><w:t>Fees of the harbour</w:t></w:r></w:p>'
    uploads.add(services, "fees.docx", office.with_text(chart))
    (file,) = work(services, outbox)
    assert (file.outcome, file.missing, file.is_over) == ("read in part", ("1 chart",), False)
    (cited,) = services.read(pages.cited, [file.page_id or 0]).values()
    assert cited.missing == ("1 chart",)
    # the same file once it is read whole
    uploads.add(services, "fees.docx", office.docx())
    (file,) = work(services, outbox)
    assert (file.outcome, file.missing) == ("read", ())


def test_upload_that_is_replaced_while_it_is_read_is_read_again(services: Services, outbox: Outbox) -> None:
    uploads.add(services, "lamp.md", b"# Lamp\n\nIt is lit by Anna Berg.")
    (_, first), outbox.messages[:] = outbox.messages[0], []
    uploads.add(services, "lamp.md", b"# Lamp\n\nIt is lit by Ines Duarte.")
    reading.read(services, int(first))
    work(services, outbox)
    assert "Ines Duarte" in str(text_of(services, "files://uploads/lamp.md"))


def _end(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_upload_stays_when_the_process_that_reads_it_is_killed(
    services: Services, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = uploads.add(services, "lamp.md", b"# Lamp\n\nIt is lit by Anna Berg.")
    with monkeypatch.context() as killed:
        killed.setattr(uploads, "read_file", _end)
        ((_, row_id),) = outbox.messages
        reading.read(services, int(row_id))
    held = services.read(files.to_read, file.address)
    assert held is not None
    assert held.content is not None
    uploads.add(services, "lamp.md", held.content)
    work(services, outbox)
    assert "Anna Berg" in str(text_of(services, file.address))


def test_file_that_breaks_its_reader_is_given_up_with_a_reason(
    services: Services, outbox: Outbox, folder: Path
) -> None:
    (folder / "bomb.docx").write_bytes(office.bomb())
    watched.watch(services, folder)
    (file,) = [each for each in work(services, outbox) if each.address.endswith("bomb.docx")]
    assert file.outcome == "empty"
    assert "zip bomb" in str(file.reason)
