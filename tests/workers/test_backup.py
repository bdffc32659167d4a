"""All that is stored goes into one file while others write, and comes back, on SQLite and PostgreSQL, and answers."""

from __future__ import annotations

import json
import os
import re
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from domain import Status
from store import files
from store.archive.archive import BadArchive
from store.sql import row_lines
from store.sql.database import REVISION, Database, is_there
from store.sql.tables import FileRow, PageRow, QuestionRow
from tests.api import walk
from tests.workers.collections.two import Calls, ask, store_page
from workers import deletion
from workers import indexing as embedding
from workers.backup import BadBackup, NotEmpty, backup, restore
from workers.exchange import export_pages, take_over
from workers.services import Services
from workers.services import collections as kept
from workers.settings import Settings, load


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path, services: Services) -> Settings:
    """Settings with nothing stored."""
    url = request.getfixturevalue("empty_postgres") if request.param == "postgresql" else ""
    folder = tmp_path / "restored"
    return load(data_dir=folder, database_url=url, redis_url=services.settings.redis_url, wikipedia=False)


def _opened(settings: Settings) -> Services:
    services = Services(settings)
    services.__dict__["dispatcher"] = Calls()
    return services


def _held(database: Database) -> dict[str, list[bytes]]:
    """Every row, as lines."""
    with row_lines.snapshot(database) as connection:
        return {table.name: sorted(row_lines.lines(connection, table)) for table in row_lines.tables(connection)}


def test_restored_collections_answer(services: Services, empty: Settings, tmp_path: Path) -> None:
    kept.add(services, "other")
    store_page(services, "Alma Rasmussen")
    store_page(services.of("other"), "Bruno Lindqvist")
    asked = ask(services)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            walk.ask(services)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        told = backup(services, tmp_path / "all.zip", wellread="1")
    finally:
        stop.set()
        writer.join()
    assert (told.rows["pages"], told.left_out) == (2, ())
    assert (tmp_path / "all.zip").stat().st_mode & 0o777 == 0o600

    assert restore(empty, tmp_path / "all.zip") == told.rows
    there = _opened(empty)
    with there.database.read() as session:
        assert session.get_one(QuestionRow, asked.id).text == asked.question
    for each, keeper in ((there, "Alma Rasmussen"), (there.of("other"), "Bruno Lindqvist")):
        with each.database.read() as session:
            page_ids = list(session.scalars(select(PageRow.id)))
        for page_id in page_ids:
            embedding.embed(each, page_id)
        record = ask(each, reuse=False)
        assert (record.status, keeper in str(record.answer)) == (Status.ANSWERED, True)
    there.close()


def test_every_row_comes_back_as_it_was(services: Services, empty: Settings, tmp_path: Path) -> None:
    store_page(services, "Alma Rasmussen")
    ask(services)
    with services.database.write() as session:
        files.add_upload(session, "uploads", "a.pdf", b"\x00\xff", services.now())
    before = _held(services.database)
    backup(services, tmp_path / "all.zip", wellread="1")
    restore(empty, tmp_path / "all.zip")
    there = Database(empty.database)
    after = _held(there)
    pages = (before.pop("pages"), after.pop("pages"))
    assert after == before
    assert [line.replace(b'"INDEXED"', b'"FETCHED"') for line in pages[0]] == pages[1]
    with there.write() as session:  # PostgreSQL goes on numbering where it was
        files.add_upload(session, "uploads", "b.pdf", b"1", services.now())
        assert session.scalar(select(func.count()).select_from(FileRow)) == 2
    there.close()


def test_later_backup_holds_no_word_of_what_was_deleted(services: Services, tmp_path: Path) -> None:
    page_id = store_page(services, "Alma Rasmussen")
    asked = ask(services)

    def words() -> bytes:
        backup(services, tmp_path / "all.zip", wellread="1")
        with zipfile.ZipFile(tmp_path / "all.zip") as archive:
            return b"".join(archive.read(name) for name in archive.namelist())

    assert b"Rasmussen" in words()
    deletion.delete_pages(services, [page_id])
    embedding.embed(services, page_id)
    deletion.delete_question(services, asked.id)
    assert b"Rasmussen" not in words()


def test_backup_from_before_0_2_0_is_refused_with_what_to_do(
    services: Services, empty: Settings, tmp_path: Path
) -> None:
    backup(services, tmp_path / "all.zip", wellread="0.1.0")
    old = tmp_path / "old.zip"
    _rewrite(tmp_path / "all.zip", old, lambda _, held: held.replace(REVISION.encode(), b"0015"))
    with pytest.raises(BadBackup, match=r"revision 0015.*restore it with the version that wrote it.*wellread migrate"):
        restore(empty, old)
    assert not is_there(empty.database)


def test_nothing_is_restored_over_what_is_stored(services: Services, tmp_path: Path) -> None:
    backup(services, tmp_path / "all.zip", wellread="1")
    walk.ask(services)
    before = _held(services.database)
    with pytest.raises(NotEmpty, match="questions"):
        restore(services.settings, tmp_path / "all.zip")
    assert _held(services.database) == before


def _damaged(path: Path) -> Iterator[bytes]:
    """Files that are no backup, each made of a good one."""
    whole = path.read_bytes()
    yield b"PK\x03\x04 no archive"
    yield whole[: len(whole) // 2]
    for change in (
        lambda name, held: held if name == "manifest.json" else held[: len(held) // 2],
        lambda name, held: held.replace(b"wellread-backup", b"wellread-knowledge"),
        lambda name, held: held.replace(REVISION.encode(), b"9999") if name == "manifest.json" else held,
        lambda name, held: held.replace(REVISION.encode(), b"0021x") if name == "manifest.json" else held,
        lambda name, held: re.sub(rb'"revision": "\d+"', b'"revision": 21', held),
        lambda name, held: re.sub(rb'"revision": "\d+"', b'"revision": "../x"', held),
        lambda name, held: b"{}" if name == "manifest.json" else held,
        lambda name, held: b"[]" if name == "manifest.json" else held,
        lambda name, held: re.sub(rb'"parts": {', b'"parts": [], "x": {', held) if name == "manifest.json" else held,
        lambda name, held: _without_table(held, "questions") if name == "manifest.json" else held,
        lambda name, held: held.replace(b'["', b'["x', 1) if name == "default/questions.jsonl" else held,
        # bombs: much is packed into little
        lambda name, held: held + b" " * 1_000_000 if name == "manifest.json" else held,
        lambda name, held: held + b" " * 40_000_000 if name == "default/questions.jsonl" else held,
    ):
        other = path.with_suffix(".other")
        _rewrite(path, other, change)
        yield other.read_bytes()


def _rewrite(path: Path, to: Path, change: Callable[[str, bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as good, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bad:
        for name in good.namelist():
            bad.writestr(name, change(name, good.read(name)))


def _without_table(manifest: bytes, table: str) -> bytes:
    held = json.loads(manifest)
    for part in held["parts"].values():
        part["tables"].pop(table)
    return json.dumps(held).encode()


def test_row_that_cannot_be_written_is_named_and_the_others_are_restored(
    services: Services, empty: Settings, tmp_path: Path
) -> None:
    store_page(services, "Alma Rasmussen")
    odd, bad, good = (ask(services, reuse=False, answer_schema=_SCHEMA).id for _ in range(3))
    with services.database.write() as session:  # as an earlier version, or another program, stored them
        half = {"id": odd, "schema": json.dumps(_SCHEMA).replace("keeper", "\\ud800")}
        session.execute(text("UPDATE questions SET answer_schema = :schema WHERE id = :id"), half)
        session.execute(text("UPDATE questions SET text = x'ff00' WHERE id = :id"), {"id": bad})
    written = backup(services, tmp_path / "all.zip", wellread="1")
    assert f"questions {bad}" in written.left_out
    assert all(bad in each or not each.startswith("questions ") for each in written.left_out)
    assert restore(empty, tmp_path / "all.zip") == written.rows
    there = _opened(empty)
    with there.database.read() as session:
        assert set(session.scalars(select(QuestionRow.id))) == {odd, good}
        assert "\ud800" in session.get_one(QuestionRow, odd).answer_schema["properties"]
    there.close()


def test_line_that_is_longer_than_any_row_is_refused(services: Services, empty: Settings, tmp_path: Path) -> None:
    backup(services, tmp_path / "all.zip", wellread="1")
    noise = os.urandom(300_000).hex().encode() * 84  # which does not pack to nothing
    _rewrite(
        tmp_path / "all.zip",
        tmp_path / "long.zip",
        lambda name, held: b'["' + noise + b'"]' if name == "default/questions.jsonl" else held,
    )
    small = empty.model_copy(update={"file_max_bytes": 1})
    with pytest.raises(BadBackup, match="a line of more than"):
        restore(small, tmp_path / "long.zip")


def _lying(path: Path, to: Path, name: str, ahead: bytes, **sizes: int) -> None:
    """Write a file again with something ahead of a member, and with sizes in its directory that are not so."""
    with zipfile.ZipFile(path) as good, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as bad:
        for each in good.namelist():
            bad.writestr(each, (ahead if each == name else b"") + good.read(each))
        for size, told in sizes.items():
            setattr(bad.getinfo(name), size, told)


def test_bytes_count_as_they_are_unpacked_and_not_as_the_file_says(
    services: Services, empty: Settings, tmp_path: Path
) -> None:
    with services.database.write() as session:
        files.add_upload(session, "uploads", "a.pdf", b"1", services.now())
    backup(services, tmp_path / "all.zip", wellread="1")
    bad = tmp_path / "bad.zip"
    _lying(tmp_path / "all.zip", bad, "default/files.jsonl", b" " * 40_000_000, compress_size=10**9)
    with pytest.raises(BadBackup, match=r"unpacks to more than|Overlapped entries"):  # the latter by newer Pythons
        restore(empty, bad)
    restore(empty, tmp_path / "all.zip")


def test_manifest_that_says_it_is_small_is_not_unpacked_whole(services: Services, tmp_path: Path) -> None:
    backup(services, tmp_path / "all.zip", wellread="1")
    export_pages(services, tmp_path / "known.zip", wellread="1")
    bad = tmp_path / "bad.zip"
    for name, error, read in (
        ("all.zip", BadBackup, lambda: restore(services.settings, bad)),
        ("known.zip", BadArchive, lambda: take_over(services, bad, own=False, progress=lambda *_: None)),
    ):
        _lying(tmp_path / name, bad, "manifest.json", b" " * 60_000_000, file_size=60_000)
        tracemalloc.start()
        with pytest.raises(error, match=r"bad\.zip"):
            read()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 10_000_000, name


_SCHEMA = {"type": "object", "properties": {"keeper": {"type": "string"}}}


def test_export_is_no_backup_and_says_what_takes_it(services: Services, empty: Settings, tmp_path: Path) -> None:
    export_pages(services, tmp_path / "known.zip", wellread="1")
    with pytest.raises(BadBackup, match="an export, not a backup: use `wellread import`"):
        restore(empty, tmp_path / "known.zip")


def test_backup_is_no_export_and_says_what_takes_it(services: Services, tmp_path: Path) -> None:
    backup(services, tmp_path / "all.zip", wellread="1")
    with pytest.raises(BadArchive, match="it is a backup, which `wellread restore` restores"):
        take_over(services, tmp_path / "all.zip", own=False, progress=lambda *_: None)


def test_damaged_or_strange_file_is_refused_and_nothing_is_stored(
    services: Services, empty: Settings, tmp_path: Path
) -> None:
    kept.add(services, "other")
    store_page(services, "Alma Rasmussen")
    ask(services)
    file = tmp_path / "all.zip"
    backup(services, file, wellread="1")
    bad = tmp_path / "bad.zip"
    for content in _damaged(file):
        bad.write_bytes(content)
        with pytest.raises(BadBackup, match=r"bad\.zip"):
            restore(empty, bad)
    restore(empty, file)
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("manifest.json"))["parts"].keys() == {"default", kept_id(services)}


def kept_id(services: Services) -> str:
    return services.of("other").collection.id
