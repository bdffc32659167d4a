"""A collection goes into one file and comes out of it as it was; what was deleted is not in it, on both databases."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from domain.access import Imported
from domain.record import Record
from store import files, folders
from store.archive import archive
from store.archive.archive import BadArchive
from store.crawl import sources
from store.pages import pages
from store.questions import feedback, records, threads, watches
from store.sql.tables import FileRow, PageRow, QuestionRow, SourceRow
from tests.workers.collections.test_isolation import words_of
from tests.workers.collections.two import URL, ask, store_page
from workers import deletion, exchange
from workers import files as watched
from workers import indexing as embedding
from workers.crawl import sites
from workers.exchange import export_collection
from workers.services import Services
from workers.services import collections as kept

KEEPER = "Alma Rasmussen"
SITE = "https://vardholm.example/"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def asked(main: Services, tmp_path: Path) -> list[str]:
    """Two questions of a thread, the first with feedback and a watch; a paused source, a folder, a gone page."""
    now = main.now()
    store_page(main, KEEPER)
    gone = store_page(main, "Carl Berg", url=f"{SITE}gone")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "rules.md").write_text("No dogs on the pier.")
    (tmp_path / "papers" / "draft.md").write_text("A draft.")
    folder = watched.watch(main, tmp_path / "papers", every_s=300)
    with main.database.write() as session:
        source = sources.add(session, SITE, own=True, min_delay_s=2.0, now=now)
        pages.mark_gone(session, gone, now)
        files.leave_out(session, "files://papers/draft.md")
    embedding.embed(main, gone)
    sites.change(main, source.id, {"cron": "0 3 * * *", "zone": "Europe/Berlin", "paused": True})
    first = ask(main, thread_id="new", watch=True, callback_url="https://caller.example/told")
    second = ask(main, after_id=first.id, reuse=False)
    main.write(feedback.give, first.id, "right", comment="So it is.", revision=None, now=main.now())
    assert folder.name == "papers"
    return [first.id, second.id]


@pytest.fixture
def file(main: Services, asked: list[str], tmp_path: Path) -> Path:
    export_collection(main, tmp_path / "collection.zip", wellread="1.0")
    return tmp_path / "collection.zip"


def take(services: Services, file: Path, *, own: bool = True) -> Imported:
    return exchange.take_over(services, file, own=own, progress=lambda done, total: None)


def read(services: Services, question_id: str) -> Record:
    """A question's record without the ids of pages, which are each database's own."""
    with services.database.read() as session:
        record = records.read(session, question_id, services.now())
        texts = pages.texts(session, [citation.page_id for citation in record.citations])
    for each in record.citations:
        assert texts[each.page_id][each.start : each.end] == each.quote
    return replace(
        record,
        citations=tuple(replace(each, page_id=0, passage_id="") for each in record.citations),
        context=tuple(replace(each, page_id=0, passage_id="") for each in record.context),
        related=tuple(replace(each, page_id=0) for each in record.related),
    )


def test_what_is_taken_over_is_the_same_collection(
    main: Services, other: Services, asked: list[str], file: Path
) -> None:
    store_page(other, "Bruno Lindqvist", url="https://other.example/")  # so that pages have other ids here
    store_page(other, "Dora Lind", url="https://other.example/b")
    taken = take(other, file)
    assert (taken.questions, taken.new, taken.sources) == (2, 2, 1)
    for question_id in asked:
        record = read(other, question_id)
        assert record.citations
        assert record == read(main, question_id)
    first = read(other, asked[0])
    assert first.feedback is not None
    assert (first.feedback.comment, first.watched) == ("So it is.", True)
    with other.database.read() as session:
        (thread,) = threads.latest(session)
        assert [each.id for each in threads.questions(session, thread.id)] == asked
        (source,) = sources.list_all(session)
        assert source.schedule is not None
        assert (source.own, source.paused, source.schedule.cron, source.next_due) == (True, True, "0 3 * * *", None)
        assert session.scalars(select(PageRow.next_due).where(PageRow.url == URL)).one() > other.now() + 9 * (
            sites.NEVER / 10
        )
        gone = pages.find(session, f"{SITE}gone")
        assert gone is not None
        assert gone.is_gone


def test_an_answer_that_was_taken_over_goes_when_its_page_is_deleted(
    other: Services, asked: list[str], file: Path
) -> None:
    take(other, file)
    page = other.read(pages.find, URL)
    assert page is not None
    deletion.delete_pages(other, [page.id])
    assert "Rasmussen" not in words_of(other)
    assert "was deleted" in str(read(other, asked[0]).answer)


def test_folders_are_watched_only_where_the_file_is_ones_own(main: Services, other: Services, file: Path) -> None:
    taken = take(other, file, own=False)
    assert (taken.folders, taken.folders_left) == (0, (f"papers: {file.parent / 'papers'}",))
    assert taken.own_left == (SITE,)
    with other.database.read() as session:
        assert [watch.callback_url for watch in watches.list_all(session)] == [None]
        assert session.scalars(select(QuestionRow.callback_url)).all() == [None, None]
    assert take(other, file).folders == 1
    with other.database.read() as session:
        (folder,) = folders.list_all(session)
        assert (folder.name, folder.every_s) == ("papers", 300)
        left = session.scalars(select(FileRow.address).where(FileRow.left_out)).all()
        assert left == ["files://papers/draft.md"]


def test_a_folder_that_is_not_here_is_named_with_the_reason(other: Services, file: Path) -> None:
    (file.parent / "papers").rename(file.parent / "moved")
    assert "is not a folder on this machine" in take(other, file).folders_left[0]


def test_taking_twice_changes_nothing(other: Services, file: Path) -> None:
    take(other, file)
    before = words_of(other)
    again = take(other, file)
    assert (again.questions, again.questions_known, again.new, again.newer, again.known) == (0, 2, 0, 0, 2)
    assert words_of(other) == before


def test_sites_left_out_are_left_out_there_too(main: Services, tmp_path: Path) -> None:
    kept.add(main, "strict", exclude_sites=["https://ads.example/"])
    kept.add(main, "other", exclude_sites=["https://spam.example/"])
    export_collection(main.of("strict"), tmp_path / "strict.zip", wellread="1.0")
    take(main.of("other"), tmp_path / "strict.zip")
    take(main.of("other"), tmp_path / "strict.zip")
    assert main.of("other").collection.exclude_sites == ("https://spam.example/", "https://ads.example/")
    assert take(main, tmp_path / "strict.zip").sites_left == ("https://ads.example/",)


def test_no_word_of_what_was_deleted_is_in_a_file(main: Services, asked: list[str], tmp_path: Path) -> None:
    def held() -> str:
        export_collection(main, tmp_path / "now.zip", wellread="1.0")
        with zipfile.ZipFile(tmp_path / "now.zip") as whole:
            return b"".join(whole.read(name) for name in whole.namelist()).decode()

    assert "Rasmussen" in held()
    page = main.read(pages.find, URL)
    assert page is not None
    deletion.delete_pages(main, [page.id])
    assert "Rasmussen" not in held()
    assert "keeps the lighthouse" in held()
    for question_id in asked:
        deletion.delete_question(main, question_id)
    assert "keeps the lighthouse" not in held()


def test_unanswered_question_is_not_in_a_file(main: Services, asked: list[str], tmp_path: Path) -> None:
    with main.database.write() as session:
        session.get_one(QuestionRow, asked[1]).status = "ASKED"
    lines = export_collection(main, tmp_path / "most.zip", wellread="1.0").lines
    assert lines[archive.QUESTIONS] == 1


def test_row_that_cannot_be_a_line_is_named_and_the_others_are_written(
    main: Services, asked: list[str], tmp_path: Path
) -> None:
    with main.database.write() as session:
        half = {"id": asked[0], "schema": '{"type": "object", "properties": {"b": {"title": "\\ud800"}}}'}
        session.execute(text("UPDATE questions SET answer_schema = :schema WHERE id = :id"), half)
        thread = session.get_one(QuestionRow, asked[1]).thread_id
        session.execute(text("UPDATE threads SET title = :title WHERE id = :id"), {"title": "x" * 300, "id": thread})
        session.execute(text("UPDATE sources SET min_delay_s = 9999"))
    written = export_collection(main, tmp_path / "most.zip", wellread="1.0")
    assert written.left_out == (f"source {SITE}", f"question {asked[0]}", f"thread {thread}")
    assert (written.lines[archive.QUESTIONS], written.lines[archive.THREADS]) == (1, 0)
    kept.add(main, "there")
    assert take(main.of("there"), tmp_path / "most.zip").questions == 1


def _citation(**changes: Any) -> Change:
    return lambda line: line["answers"][-1]["citations"][0].update(changes)


REFUSED: list[tuple[str, Change, str]] = [
    ("still asked", lambda line: line.update(status="ASKED"), "has not ended"),
    ("no id", lambda line: line.update(id="../x"), "id: String should match"),
    ("a NUL", lambda line: line["answers"][-1].update(text="a\0b"), "NUL"),
    ("a NUL in the trace", lambda line: line["steps"][0]["detail"].update({"x": ["\0"]}), "NUL"),
    ("a script as an address", _citation(url="javascript:alert(1)"), "not that of a page"),
    ("a citation without quote", lambda line: line["answers"][-1]["citations"][0].pop("quote"), "citations"),
    ("a cost of words", lambda line: line["steps"][-1]["detail"].update(cost={"usd": "much"}), "cost"),
    ("a budget of another kind", lambda line: line["budget"].update(wishes=3), "a field that is not known"),
    ("a callback to a file", lambda line: line.update(callback_url="file:///etc/passwd"), "callback_url"),
    ("a revision twice", lambda line: line["answers"].append(line["answers"][-1]), "same revision"),
    ("a verdict of its own", lambda line: line["feedback"][0].update(verdict="great"), "verdict"),
    ("a field too many", lambda line: line.update(secret="x"), "Extra inputs"),
]


def test_bad_question_is_refused_and_nothing_is_stored(other: Services, file: Path) -> None:
    said = {name: refusal(other, changed(file, archive.QUESTIONS, change)) for name, change, _ in REFUSED}
    assert {name: said[name] for name, _, why in REFUSED if why not in said[name]} == {}
    with other.database.read() as session:
        for table in (PageRow, SourceRow, QuestionRow, FileRow):
            assert session.scalars(select(table)).all() == []


def refusal(services: Services, file: Path) -> str:
    """Return why a file is not taken over; "" if it is."""
    try:
        take(services, file)
    except BadArchive as error:
        return str(error)
    return ""


def test_question_that_stands_twice_and_a_newer_file_are_refused(other: Services, file: Path) -> None:
    with pytest.raises(BadArchive, match="no id of its own"):
        take(other, changed(file, archive.QUESTIONS, lambda line: None, times=2))
    with pytest.raises(BadArchive, match="update this one first"):
        take(other, changed(file, archive.QUESTIONS, lambda line: None, version=99))


def test_folder_without_a_place_is_refused(other: Services, file: Path) -> None:
    for path in ("papers", "../x", ""):
        with pytest.raises(BadArchive, match="no watched folder"):
            take(other, changed(file, archive.FOLDERS, lambda line, path=path: line.update(path=path)))


def changed(file: Path, name: str, change: Change, *, times: int = 1, **manifest: Any) -> Path:
    """The file with another first line in a member, whose sum is put right."""
    with zipfile.ZipFile(file) as whole:
        members = {each: whole.read(each) for each in whole.namelist()}
    first, _, rest = members[name].partition(b"\n")
    line = json.loads(first)
    change(line)
    members[name] = (json.dumps(line).encode() + b"\n") * times + rest
    said = json.loads(members[archive.MANIFEST]) | manifest
    said["sha256"][name] = hashlib.sha256(members[name]).hexdigest()
    said["lines"][name] = members[name].count(b"\n")
    members[archive.MANIFEST] = json.dumps(said).encode()
    with zipfile.ZipFile(file.with_name("changed.zip"), "w", zipfile.ZIP_DEFLATED) as written:
        for each, body in members.items():
            written.writestr(each, body)
    return file.with_name("changed.zip")
