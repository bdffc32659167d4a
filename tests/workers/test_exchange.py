"""What is known goes into one file and comes out of it whole; a broken, strange or hostile file stores nothing."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from domain import Block, Fact, PageText, Validators
from domain.access import Imported
from domain.document import Pushed
from domain.filters import tags_of
from store import documents as stored_documents
from store import files
from store.archive import archive
from store.archive.archive import BadArchive
from store.archive.page_lines import PageLine
from store.crawl import sources
from store.pages import history, pages
from store.sql.database import Database, migrate
from store.sql.tables import FileRow, IndexState, PageRow, PageVersionRow, SourceRow
from workers import documents, exchange
from workers.crawl import sites
from workers.exchange import export_pages
from workers.services import Services
from workers.settings import load

TEXT = "Vierburg\n\nThe lighthouse of Vierburg was built in 1874 by Robert Tallis. 🗼"
Change = Callable[[dict[str, bytes]], object]


@pytest.fixture
def elsewhere(tmp_path: Path, valkey_url: str) -> Iterator[Services]:
    """Another machine's database."""
    ready = Services(load(data_dir=tmp_path / "elsewhere", redis_url=valkey_url))
    migrate(ready.settings.database)
    yield ready
    ready.close()


def keep(database: Database, url: str, text: str, *, at: Any, **more: Any) -> int:
    page = PageText(
        title="Vierburg",
        text=text,
        lang="en",
        headings=((0, "Vierburg"),),
        blocks=(Block(kind="heading", start=0, end=8), Block(kind="prose", start=10, end=len(text))),
        facts=(Fact(subject="Robert Tallis", predicate="birthDate", object="1831"),),
        published=at,
    )
    with database.write() as session:
        page_id, _ = pages.save(
            session, url=url, host="https://example.org", page=page, content_hash=text[-40:], depth=1, now=at,
            validators=Validators(etag="e"), **more,
        )  # fmt: skip
    return page_id


@pytest.fixture
def known(services: Services) -> Services:
    """Sources, a page with a former text, a file, a private page and one that is gone."""
    now, database = services.now(), services.database
    with database.write() as session:
        source = sources.add(session, "https://example.org/", own=False, min_delay_s=2.0, now=now)
        sources.add(session, "http://127.0.0.1:9/", own=True, min_delay_s=None, now=now)
    sites.change(services, source.id, {"cron": "0 3 * * *", "zone": "Europe/Berlin"})
    keep(database, "https://example.org/a", TEXT.replace("1874", "1871"), at=now - timedelta(days=3))
    keep(database, "https://example.org/a", TEXT, at=now - timedelta(days=2))
    keep(database, "files://rules/North%20pier.md", f"{TEXT} A file.", at=now)
    keep(database, "https://example.org/private", f"{TEXT} A secret.", at=now, private=True)
    gone = keep(database, "https://example.org/gone", f"{TEXT} It is gone.", at=now)
    with database.write() as session:
        pages.mark_gone(session, gone, now)
    return services


@pytest.fixture
def file(known: Services, tmp_path: Path) -> Path:
    export_pages(known, tmp_path / "known.zip", wellread="1.0")
    return tmp_path / "known.zip"


def take(services: Services, file: Path, *, own: bool = False) -> Imported:
    return exchange.take_over(services, file, own=own, progress=lambda done, total: None)


def test_urls_of_an_earlier_version_are_taken_in_the_form_of_today(
    known: Services, elsewhere: Services, tmp_path: Path
) -> None:
    old, new = "HTTPS://EXAMPLE.org/%7ebob/gr%c3%b6%c3%9fe", "https://example.org/~bob/gr%C3%B6%C3%9Fe"
    page_id = keep(known.database, "https://example.org/b", f"{TEXT} Bob.", at=known.now())
    with known.database.write() as session:
        session.get_one(PageRow, page_id).url = old
        sources.add(session, old, own=False, now=known.now())
    export_pages(known, tmp_path / "old.zip", wellread="0.2.0")
    assert [take(elsewhere, tmp_path / "old.zip").known for _ in range(2)] == [0, 3]
    with elsewhere.database.read() as session:
        assert pages.find(session, new) is not None
        assert sources.at(session, new) is not None


def test_what_is_known_comes_out_as_it_went_in(known: Services, file: Path, elsewhere: Services) -> None:
    taken = take(elsewhere, file)
    assert (taken.sources, taken.new, taken.newer, taken.known) == (2, 2, 0, 0)
    assert taken.own_left == ("http://127.0.0.1:9/",)
    with known.database.read() as ours, elsewhere.database.read() as theirs:
        for url, numbers in (("https://example.org/a", [2, 1]), ("files://rules/North%20pier.md", [1])):
            was = ours.scalars(select(PageRow).where(PageRow.url == url)).one()
            row = theirs.scalars(select(PageRow).where(PageRow.url == url)).one()
            for name in ("title", "text", "lang", "headings", "blocks", "published", "read_at", "generation"):
                assert getattr(row, name) == getattr(was, name), name
            assert [version.number for version in history.versions_of(theirs, row)] == numbers
            assert [fact.object for fact in pages.facts_of(theirs, [row.id])[row.id]] == ["1831"]
            assert (row.state, row.etag) == (IndexState.FETCHED, "")  # passages are made anew
        kept = {source.url: source for source in sources.list_all(theirs)}
        schedule = kept["https://example.org/"].schedule
        assert schedule is not None
        assert (schedule.cron, schedule.zone, kept["https://example.org/"].min_delay_s) == (
            "0 3 * * *",
            "Europe/Berlin",
            2.0,
        )
        assert not kept["http://127.0.0.1:9/"].own
        (own_file,) = files.list_all(theirs)
        assert (own_file.address, own_file.outcome) == ("files://rules/North%20pier.md", "read")


def test_own_sources_are_own_where_that_is_said(file: Path, elsewhere: Services) -> None:
    assert take(elsewhere, file, own=True).own_left == ()
    with elsewhere.database.read() as session:
        assert [source.own for source in sources.list_all(session)] == [False, True]


def test_taking_twice_changes_nothing_and_later_texts_win(file: Path, elsewhere: Services) -> None:
    take(elsewhere, file)
    assert take(elsewhere, file).known == 2
    keep(elsewhere.database, "https://example.org/a", TEXT.replace("1874", "1899"), at=elsewhere.now())
    assert take(elsewhere, file).known == 2
    with elsewhere.database.write() as session:
        row = session.scalars(select(PageRow).where(PageRow.url == "https://example.org/a")).one()
        assert "1899" in row.text
        row.checked_at -= timedelta(days=30)
    assert take(elsewhere, file).newer == 1
    with elsewhere.database.read() as session:
        row = session.scalars(select(PageRow).where(PageRow.url == "https://example.org/a")).one()
        assert "1874" in row.text
        assert "1899" in session.scalars(select(PageVersionRow).order_by(PageVersionRow.number.desc())).all()[0].text


def test_sources_come_out_with_their_limits_and_without_their_secrets(
    known: Services, elsewhere: Services, tmp_path: Path
) -> None:
    limits: dict[str, Any] = {"include": ("/en/*",), "exclude": ("*.pdf",), "depth": 2, "page_only": True}
    with known.database.write() as session:
        url = "https://wiki.example/start"
        access = {"headers": {"X-Token": "sesame"}}
        sources.add(session, url, own=True, ignore_robots=True, access=access, now=known.now(), **limits)
        sources.follow(session, url, "https://wiki.example/v2/")
    export_pages(known, tmp_path / "all.zip", wellread="1.0")
    for own in (False, True):
        take(elsewhere, tmp_path / "all.zip", own=own)
        with elsewhere.database.write() as session:
            taken = sources.at(session, url)
            assert taken is not None
            assert {name: getattr(taken, name) for name in limits} == limits
            assert (taken.moved_to, taken.own, taken.ignore_robots, taken.access) == (
                "https://wiki.example/v2/", own, own, (),
            )  # fmt: skip
            sources.remove(session, url)


def test_some_sites_alone_are_exported(known: Services, tmp_path: Path) -> None:
    manifest = export_pages(known, tmp_path / "part.zip", wellread="1.0", sites=["files://rules"])
    assert manifest.lines == {archive.SOURCES: 0, archive.PAGES: 1}


def test_page_that_no_file_can_hold_is_left_out_alone(known: Services, tmp_path: Path) -> None:
    keep(known.database, f"https://example.org/{'a' * 1_300}", f"{TEXT} Far away.", at=known.now())
    assert export_pages(known, tmp_path / "most.zip", wellread="1.0").lines[archive.PAGES] == 2


def _json(name: str, **changes: Any) -> Change:
    """A change of the first line of a member, with its sum put right."""

    def change(members: dict[str, bytes]) -> None:
        first, _, rest = members[name].partition(b"\n")
        members[name] = json.dumps(json.loads(first) | changes).encode() + b"\n" + rest
        _put_right(members)

    return change


def _put_right(members: dict[str, bytes]) -> None:
    manifest = json.loads(members[archive.MANIFEST])
    for name in (archive.SOURCES, archive.PAGES):
        manifest["sha256"][name] = hashlib.sha256(members[name]).hexdigest()
        manifest["lines"][name] = members[name].count(b"\n")
    members[archive.MANIFEST] = json.dumps(manifest).encode()


def _manifest(**changes: Any) -> Change:
    def change(members: dict[str, bytes]) -> None:
        members[archive.MANIFEST] = json.dumps(json.loads(members[archive.MANIFEST]) | changes).encode()

    return change


def _last_page(line: bytes) -> Change:
    """A last line that is no page, behind those that are."""

    def change(members: dict[str, bytes]) -> None:
        members[archive.PAGES] += line + b"\n"
        _put_right(members)

    return change


def _bomb(members: dict[str, bytes]) -> None:
    members[archive.PAGES] = b" " * 200_000_000


REFUSED: list[tuple[str, Change, str]] = [
    ("another member", lambda m: m.update({"../../etc/passwd": b"x"}), "not an export of Wellread"),
    ("no pages", lambda m: m.pop(archive.PAGES), "not an export of Wellread"),
    ("changed by hand", lambda m: m.update({archive.PAGES: m[archive.PAGES].replace(b"1874", b"1875")}), "manifest"),
    ("cut short", lambda m: m.update({archive.PAGES: m[archive.PAGES][:-200]}), "cannot be read"),
    ("of another program", _manifest(format="other"), "an export of 'other'"),
    ("of a newer version", _manifest(version=99), "update this one"),
    ("no manifest", lambda m: m.update({archive.MANIFEST: b"[]"}), "its manifest cannot be read"),
    ("of a backup", _manifest(format="wellread-backup"), "it is a backup, which `wellread restore` restores"),
    ("a bomb", _bomb, "far more than text does"),
    ("too many headings", _json(archive.PAGES, headings=[[0, ""]] * 100_001), "headings: Tuple should have at most"),
    ("a last line that is none", _last_page(b"{"), "line 3 of pages.jsonl"),
    ("a deep line", _last_page(b"[" * 100_000), "line 3 of pages.jsonl"),
    ("a field too many", _json(archive.PAGES, collection="x"), "Extra inputs"),
    ("a local file", _json(archive.PAGES, url="file:///etc/passwd"), "not an http"),
    ("a path out of its folder", _json(archive.PAGES, url="files://rules/../x"), "not a valid file name"),
    ("an address without a host", _json(archive.PAGES, url="https://./"), "has no host"),
    ("a long address", _json(archive.PAGES, url="https://example.org/" + "a" * 2_000), "1,300 bytes"),
    ("a NUL", _json(archive.PAGES, text="a\0b"), "NUL"),
    ("a heading beyond the text", _json(archive.PAGES, headings=[[10**6, "x"]]), "not in the text"),
    ("blocks that overlap", _json(archive.PAGES, blocks=[["prose", 0, 9], ["prose", 5, 9]]), "one after the other"),
    ("a time without zone", _json(archive.PAGES, read_at="2026-01-01T00:00:00"), "timezone"),
    ("a schedule of seconds", _json(archive.SOURCES, cron=None, every_s=1.0), "one minute"),
    ("a strange cron line", _json(archive.SOURCES, cron="0 25 * * *"), "not"),
    ("a source that is none", _json(archive.SOURCES, url="ftp://example.org/"), "not an http"),
]


def test_bad_file_is_refused_and_stores_nothing(file: Path, elsewhere: Services, tmp_path: Path) -> None:
    said = {name: _refusal(elsewhere, _changed(file, change, tmp_path / "bad.zip")) for name, change, _ in REFUSED}
    assert {name: said[name] for name, _, why in REFUSED if why not in said[name]} == {}
    _is_empty(elsewhere)


def _changed(file: Path, change: Change, to: Path) -> Path:
    with zipfile.ZipFile(file) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    change(members)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as bad:
        for name, body in members.items():
            bad.writestr(name, body)
    return to


def _refusal(services: Services, file: Path) -> str:
    """Return why a file is not taken over; "" if it is."""
    try:
        take(services, file)
    except BadArchive as error:
        return str(error)
    return ""


def test_torn_file_is_refused(file: Path, elsewhere: Services) -> None:
    whole = file.read_bytes()
    for cut in (0, 10, 200, -30):
        file.write_bytes(whole[:cut])
        with pytest.raises(BadArchive, match="is damaged, or was not written by"):
            take(elsewhere, file)
    _is_empty(elsewhere)


def test_file_whose_bytes_are_damaged_is_refused(file: Path, elsewhere: Services) -> None:
    body = bytearray(file.read_bytes())
    for at in range(300, 340):
        body[at] ^= 0xFF
    file.write_bytes(body)
    with pytest.raises(BadArchive):
        take(elsewhere, file)
    _is_empty(elsewhere)


def test_file_that_cannot_be_written_leaves_nothing(known: Services, tmp_path: Path) -> None:
    with pytest.raises(BadArchive, match="cannot be written"):
        export_pages(known, tmp_path / "away" / "known.zip", wellread="1.0")
    (tmp_path / "known.zip").mkdir()
    with pytest.raises(BadArchive, match="cannot be written"):
        export_pages(known, tmp_path / "known.zip", wellread="1.0")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.endswith(".part")) == []


def test_many_pages_need_little_memory(services: Services, tmp_path: Path) -> None:
    now = services.now()

    def page(number: int) -> PageLine:
        text = f"{TEXT} {number} " + "x y " * 25_000
        at: dict[str, Any] = {"read_at": now, "checked_at": now, "generation": 1}
        return PageLine(url=f"https://example.org/{number}", title="", lang="en", text=text, content_hash="h", **at)

    tracemalloc.start()
    try:
        members = {archive.SOURCES: (), archive.PAGES: map(page, range(200))}
        archive.write(tmp_path / "many.zip", members, wellread="1.0", now=now)
        with archive.opened(tmp_path / "many.zip") as opened:
            assert sum(len(line.text) for line in opened.lines(PageLine)) > 20_000_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


def _is_empty(services: Services) -> None:
    with services.database.read() as session:
        for table in (PageRow, SourceRow, FileRow, PageVersionRow):
            assert session.scalars(select(table)).all() == []


def test_private_page_stays_private_unless_it_says_what_the_file_says(file: Path, elsewhere: Services) -> None:
    url, database = "https://example.org/a", elsewhere.database
    keep(database, url, f"{TEXT} A secret.", at=elsewhere.now(), private=True)
    assert take(elsewhere, file).known == 1
    with database.read() as session:
        assert session.scalars(select(PageRow).where(PageRow.url == url)).one().private
    keep(database, url, TEXT, at=elsewhere.now())
    assert take(elsewhere, file).known == 2
    with database.read() as session:
        assert not session.scalars(select(PageRow).where(PageRow.url == url)).one().private
        assert session.scalars(select(PageVersionRow)).all() == []


def test_import_leaves_nothing_of_an_earlier_private_text(file: Path, elsewhere: Services) -> None:
    url, database = "https://example.org/a", elsewhere.database
    keep(database, url, f"{TEXT} A secret.", at=elsewhere.now() - timedelta(days=30), private=True)
    assert take(elsewhere, file).newer == 1
    with database.read() as session:
        row = session.scalars(select(PageRow).where(PageRow.url == url)).one()
        assert (row.private, row.text) == (False, TEXT)
        assert session.scalars(select(PageVersionRow)).all() == []


def test_file_whose_members_overlap_is_refused(file: Path, elsewhere: Services, tmp_path: Path) -> None:
    body = file.read_bytes()
    at, count = body.index(b"PK\x01\x02"), 0
    with zipfile.ZipFile(file) as whole:
        longest = max(member.compress_size for member in whole.infolist())
    changed = bytearray(body)
    while at >= 0:
        changed[at + 20 : at + 24] = len(body).to_bytes(4, "little")  # its compressed size in the directory
        at, count = body.find(b"PK\x01\x02", at + 4), count + 1
    assert (count, longest < len(body)) == (3, True)
    (tmp_path / "bad.zip").write_bytes(changed)
    with pytest.raises(BadArchive, match="larger than the file"):
        take(elsewhere, tmp_path / "bad.zip")
    _is_empty(elsewhere)


def test_batch_ends_by_pages_and_by_characters(services: Services) -> None:
    now = services.now()

    def page(text: str) -> PageLine:
        at: dict[str, Any] = {"read_at": now, "checked_at": now, "generation": 1}
        return PageLine(url="https://example.org/", title="", lang="en", text=text, content_hash="h", **at)

    small, large = page("x"), page("x" * 2_500_000)
    assert [len(batch) for batch in exchange._batches([large] * 3 + [small] * 18)] == [2, 16, 3]


def test_documents_keep_their_ids_and_metadata(services: Services, elsewhere: Services, tmp_path: Path) -> None:
    metadata = {"team": "support", "tags": ["a", "b"], "year": 2026}
    for document_id, url in (("it's/1 ü", ""), ("d2", "https://example.org/d2")):
        documents.put(services, document_id, Pushed(form="text", content=TEXT.encode(), url=url, metadata=metadata))
    export_pages(services, tmp_path / "known.zip", wellread="1.0")
    documents.put(elsewhere, "d2", Pushed(form="text", content=b"It is held here.", metadata={}))
    assert (take(elsewhere, tmp_path / "known.zip").new, take(elsewhere, tmp_path / "known.zip").known) == (1, 2)
    with services.database.read() as ours, elsewhere.database.read() as theirs:
        (was,) = stored_documents.list_all(ours, ["tags=b"], limit=1, after="e")
        (row,) = stored_documents.list_all(theirs, ["tags=b"])
        assert (row.id, row.url, row.metadata, row.title) == (was.id, was.url, was.metadata, was.title)
        assert stored_documents.find(theirs, "d2").metadata == {}
        page = theirs.get_one(PageRow, row.page_id)
        assert (page.tags, page.next_due - elsewhere.now() > timedelta(days=30_000)) == (tags_of(metadata), True)
    again = documents.put(elsewhere, "it's/1 ü", Pushed(form="text", content=TEXT.encode(), metadata=metadata))[0]
    assert again.page_id == row.page_id
