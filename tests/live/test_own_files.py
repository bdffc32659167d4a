"""Documents of one's own, over the whole flow: added on the command line or by HTTP, read by workers, asked, cited."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import lancedb
import pytest
import redis
from click.testing import CliRunner
from sqlalchemy import update

from api.cli.main import cli
from store.sql.database import Database
from store.sql.tables import FolderRow
from tests import office
from tests.crawler.extract import pdfs
from tests.own_stack import own_stack, until
from wellread import Citation, Client, Refused
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

#: of the data: marks of URLs may be in its name
DATA = "da#ta 100% %20 q?x"

FORMS: Final[tuple[Literal["md", "html"], ...]] = ("md", "html")
PIER = (
    ["The lamp of the harbour stands on the north pier, beside the old crane and the rescue boats of the town."],
    ["The crane was sold in 1950."],
    ["It was lit for the first time in 1911 by Anna Berg, who kept it for thirty years until her retirement."],
)


SETTINGS = {"embedder": "minilm", "crawl_processes": "2"}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A stack for all tests of this file: its URL and its data folder. The first test needs it empty."""
    folder = tmp_path_factory.mktemp("own") / DATA
    with own_stack(folder, **SETTINGS) as stack:
        yield stack.address.api_url, folder


@pytest.fixture
def client(started: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    url, folder = started
    (tmp_path / DATA).symlink_to(folder)
    for name, value in {"wikipedia": "false", "api_port": "0", "data_dir": str(folder), **SETTINGS}.items():
        monkeypatch.setenv(f"WELLREAD_{name.upper()}", value)
    with Client(url) as client:
        yield client


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def cited(client: Client, question: str, words: str) -> Citation:
    """The citation of the answer that quotes these words."""
    record = client.ask(question, crawl_enabled=False, wait=60, reuse=False)
    assert record.status == "ANSWERED", record
    (found,) = [citation for citation in record.citations if words in citation.quote]
    return found


def look_through() -> None:
    """Let the watched folders be due, as when their time has come."""
    database = Database(load().database)
    with database.write() as session:
        session.execute(update(FolderRow).values(next_due=datetime(2020, 1, 1, tzinfo=UTC)))
    database.close()


def test_no_word_of_what_was_deleted_is_left(client: Client, tmp_path: Path) -> None:
    former = {"Travel": ("A flight above six hours needs the approval of Ines Duarte.",)}
    for sections in (former, office.SECTIONS):
        (tmp_path / "handbook.docx").write_bytes(office.docx(sections))
        run("add", str(tmp_path / "handbook.docx"))
    asked = client.ask("Who must approve a flight above six hours?", crawl_enabled=False, wait=60)
    assert "Okafor" in str(asked.json)
    client.feedback(asked.id, "right", comment="Okafor it is")
    for word in ("Okafor", "Duarte", "handbook"):
        assert word in _everything(tmp_path)
        assert word in _knowledge(tmp_path)
    for words in (client.export(asked.id), client.export(asked.id, "html"), _passages(), str(client.pages())):
        assert "handbook" in words
    assert b"Okafor" in _backup(tmp_path)

    held = set((tmp_path / DATA / "passages").rglob("*.lance"))
    assert _files_with(tmp_path / DATA, "Okafor")
    run("delete", "files://uploads/handbook.docx")
    until(lambda: "deleted:" not in _everything(tmp_path))
    assert not {path for path in held if path.is_file() and path.parent.name == "data"}  # texts may be compressed
    left = client.get(asked.id)
    assert left.answer == "This answer was withdrawn: a page that it was drawn from was deleted."
    again = client.ask("Who must approve a flight above six hours?", crawl_enabled=False, wait=60)
    assert again.status == "ABSTAINED"
    for said in (
        left.json,
        again.json,
        client.trace(asked.id),
        list(client.events(asked.id)),
        client.search("flight above six hours"),
        client.files(),
        client.pages(),
        client.pages(not_read=True),
        *(client.export(question.id, form) for question in (asked, again) for form in FORMS),
        _everything(tmp_path),
        _passages(),
        _knowledge(tmp_path),
        _backup(tmp_path),
    ):
        for word in ("Okafor", "Duarte", "handbook"):
            assert word not in str(said)

    run("delete", asked.id)
    with pytest.raises(Refused, match="no question"):
        client.get(asked.id)
    run("delete", again.id)
    assert "six hours" not in _everything(tmp_path)
    until(lambda: not _files_with(tmp_path / DATA, "Okafor", "Duarte", "handbook", "six hours"))
    assert run("delete", again.id, code=1)


def _everything(tmp_path: Path) -> str:
    """Every row of SQL, and everything in Redis."""
    with closing(sqlite3.connect(tmp_path / DATA / "wellread.db")) as database:
        rows = "\n".join(database.iterdump())
    with redis.Redis.from_url(load().redis, decode_responses=True) as broker:
        streams = [str(broker.xrange(key)) for key in broker.scan_iter("wellread:events:*")]
    return "\n".join((rows, *streams))


def _files_with(folder: Path, *words: str) -> list[Path]:
    """The files of a folder with one of these words in their bytes."""
    read = {path: _bytes(path) for path in folder.rglob("*") if path.is_file()}
    return [path for path, held in read.items() if any(word.encode() in held for word in words)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # dropped a moment ago
        return b""


def _passages() -> str:
    """Every row of the knowledge base."""
    return str(lancedb.connect(load().passages).open_table("passages").to_arrow().drop(["vector"]).to_pylist())


def _knowledge(tmp_path: Path) -> str:
    """What an export of all that is known holds."""
    run("export", "knowledge", str(tmp_path / "known.zip"))
    with zipfile.ZipFile(tmp_path / "known.zip") as known:
        return "".join(known.read(name).decode() for name in known.namelist())


def _backup(tmp_path: Path) -> bytes:
    """The bytes of a copy of the database as it is, free pages included."""
    held, copied = (sqlite3.connect(tmp_path / name) for name in (f"{DATA}/wellread.db", "backup.db"))
    with closing(held) as database, closing(copied) as copy:
        database.backup(copy)
    return (tmp_path / "backup.db").read_bytes()


def test_files_are_added_asked_and_watched(client: Client, tmp_path: Path) -> None:
    (tmp_path / "pier.pdf").write_bytes(pdfs.pdf(PIER, about={"/Title": "The pier"}))
    assert "files://uploads/pier.pdf" in run("add", str(tmp_path / "pier.pdf"))
    found = cited(client, "When was the lamp of the harbour lit for the first time?", "Anna Berg")
    assert (found.url, found.title) == ("files://uploads/pier.pdf", "The pier")
    assert found.place in ("page 3", "pages 2–3", "pages 1–3")  # the quote may have sentences around it
    assert f"files://uploads/pier.pdf, {found.place}" in run(
        "ask", "When was the lamp of the harbour lit for the first time?", "--no-crawl"
    )

    folder = tmp_path / "Staff rules"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026" / "handbook.docx").write_bytes(office.docx())
    (folder / "secret.pdf").write_bytes(pdfs.pdf([["x"]], password="y"))
    (folder / ".env.txt").write_text("TOKEN=1")
    said = run("add", str(folder), "--every", "1h", code=3)
    assert "secret.pdf is encrypted: it opens only with a password" in said
    assert "1 of 2 files" in said or "handbook.docx" in said
    found = cited(client, "Who must approve a flight above six hours?", "Ngozi Okafor")
    assert found.url == "files://staff-rules/2026/handbook.docx"
    assert found.title == "Handbook of the harbour › Travel"
    assert str(tmp_path) not in str([file.json for file in client.files()])

    scoped = client.ask("Who must approve a flight above six hours?", sites=["files://uploads/"], wait=60, reuse=False)
    assert (scoped.status, scoped.online_search_triggered) == ("ABSTAINED", False)
    scoped = client.ask(
        "Who must approve a flight above six hours?", sites=["files://staff-rules/"], wait=60, reuse=False
    )
    assert {citation.url for citation in scoped.citations} == {found.url}

    changed = {"Travel": ("A flight above six hours needs the approval of Ines Duarte.",)}
    (folder / "2026" / "handbook.docx").write_bytes(office.docx(changed))
    look_through()
    until(lambda: "Ines Duarte" in client.page_at(found.url).text)
    until(lambda: client.files(folder="staff-rules")[0].in_knowledge_base)
    assert cited(client, "Who must approve a flight above six hours?", "Ines Duarte").url == found.url

    (folder / "2026" / "handbook.docx").unlink()
    look_through()
    until(lambda: client.page_at(found.url).is_gone)
    until(
        lambda: (
            client.ask("Who must approve a flight above six hours?", crawl_enabled=False, wait=60, reuse=False).status
            == "ABSTAINED"
        )
    )
