"""A question of one collection finds, cites, learns and repeats nothing of another; both ways, on both databases."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
import redis
from sqlalchemy import create_engine, func, inspect, select, text

from domain import Status, Variant, VariantKey
from domain.access import UnknownCollection
from domain.question import EventKind
from store.graph import GraphReader
from store.questions import feedback
from store.questions.feedback import SolvedReader
from store.sql.database import Database, DatabaseError, part_schema
from store.sql.tables import AnswerRow, FactRow, MentionRow, PageRow, Table
from tests.workers.collections.two import QUESTION, URL, Calls, ask, store_page
from workers.questions import submit
from workers.services import Services
from workers.services import collections as kept

MAIN, OTHER = "Alma Rasmussen", "Bruno Lindqvist"


def words_of(services: Services) -> str:
    """Everything that the tables of a collection hold."""
    with services.database.read() as session:
        found = [session.execute(select(table)).all() for table in Table.metadata.tables.values()]
    return str(found)


def test_each_answers_from_its_own_pages_alone(main: Services, other: Services) -> None:
    store_page(main, MAIN)
    store_page(other, OTHER)
    for services, own, foreign in ((main, MAIN, OTHER), (other, OTHER, MAIN)):
        record = ask(services)
        assert record.status == Status.ANSWERED
        assert own in str(record.answer)
        assert foreign not in repr(record)
        assert {hit.title for hit in record.context} == {f"{own} of Vardholm"}


@pytest.mark.parametrize("asks_in", ["main", "other"])
def test_what_only_the_other_one_holds_is_not_known(main: Services, other: Services, asks_in: str) -> None:
    asked, full = (main, other) if asks_in == "main" else (other, main)
    store_page(full, OTHER)
    record = ask(asked)
    assert record.status == Status.ABSTAINED
    assert record.context == ()
    assert "Bruno" not in repr(record)
    assert ask(full).status == Status.ANSWERED


def test_tables_of_one_hold_no_word_of_the_other(main: Services, other: Services) -> None:
    store_page(main, MAIN)
    store_page(other, OTHER)
    ask(main)
    ask(other)
    assert "Alma" in words_of(main)
    assert "Bruno" not in words_of(main)
    assert "Bruno" in words_of(other)
    assert "Alma" not in words_of(other)


def test_names_facts_and_neighbours_are_each_ones_own(main: Services, other: Services) -> None:
    store_page(other, OTHER)
    here, there = (GraphReader(each.database, each.passages) for each in (main, other))
    names = ["bruno lindqvist of vardholm", "bruno lindqvist", "vardholm", "vardholm lighthouse"]
    assert there.facts_about(names)
    assert there.pages_named(names)
    assert not here.facts_about(names)
    assert not here.pages_named(names)
    with main.database.read() as session:
        assert session.scalar(select(func.count()).select_from(MentionRow)) == 0
        assert session.scalar(select(func.count()).select_from(FactRow)) == 0


def test_answer_of_the_other_one_is_not_given_again(main: Services, other: Services) -> None:
    store_page(main, MAIN)
    store_page(other, MAIN)  # the same text: only the collection differs
    first = ask(main)
    assert ask(main).cached_from == first.id
    assert ask(other).cached_from is None


def test_equal_question_in_flight_is_not_joined(main: Services, other: Services) -> None:
    new = submit.NewQuestion(text=QUESTION, crawl_enabled=False)
    leader, _ = submit.submit(main, new)
    same, _ = submit.submit(main, new)
    elsewhere, _ = submit.submit(other, new)
    assert same.status == Status.FOLLOWING
    assert elsewhere.status == Status.ASKED
    assert leader.status == Status.ASKED


def test_same_id_and_key_name_two_questions(main: Services, other: Services) -> None:
    store_page(main, MAIN)
    store_page(other, OTHER)
    chosen = "0123456789abcdef" * 2
    here = ask(main, id=chosen, idempotency_key="order-7")
    there = ask(other, id=chosen, idempotency_key="order-7")
    assert (here.id, there.id) == (chosen, chosen)
    assert MAIN in str(here.answer)
    assert OTHER in str(there.answer)


def test_events_of_the_same_id_do_not_meet(main: Services, other: Services) -> None:
    main.events.publish("ab" * 16, EventKind.STATUS, {"status": "of the main one"})
    other.events.publish("ab" * 16, EventKind.STATUS, {"status": "of the other one"})
    client: redis.Redis = main.redis
    streams = {key: str(client.xrange(key)) for key in client.scan_iter("wellread:events:*")}  # type: ignore[attr-defined]
    assert sorted("main" in said for said in streams.values()) == [False, True]
    other.events.forget(["ab" * 16])
    assert len(list(client.scan_iter("wellread:events:*"))) == 1


def test_variants_and_their_counts_are_each_ones_own(main: Services, other: Services) -> None:
    key = VariantKey(question="who keeps it", lang="en", maker="a model", count=3)
    main.variants.save(key, [Variant(kind="paraphrase", text="Alma's light")])
    main.variants.learn("factual", {"paraphrase": True})
    assert main.variants.load(key)
    assert not other.variants.load(key)
    assert not other.variants.tallies("factual")


def test_confirmed_answers_are_examples_in_their_own_collection_alone(main: Services, other: Services) -> None:
    store_page(main, MAIN)
    record = ask(main)
    main.write(feedback.give, record.id, "right", comment="", revision=None, now=main.now())
    assert SolvedReader(main.database, "").like(QUESTION, lang="en", at_most=3)
    assert not SolvedReader(other.database, "").like(QUESTION, lang="en", at_most=3)
    with other.database.read() as session:
        assert feedback.outcomes(session) == []


def test_page_that_both_read_is_stored_twice_and_changed_in_one(main: Services, other: Services) -> None:
    store_page(main, MAIN, url=URL)
    store_page(other, MAIN, url=URL)
    store_page(other, OTHER, url=URL)
    assert MAIN in str(ask(main).answer)
    assert OTHER in str(ask(other).answer)


def test_task_is_called_with_its_collection(main: Services, other: Services) -> None:
    calls: Calls = main.dispatcher  # type: ignore[assignment]
    submit.submit(main, submit.NewQuestion(text="What is here?"))
    submit.submit(other, submit.NewQuestion(text="What is there?"))
    assert [collection for _, _, collection in calls.made] == ["default", "other"]


def test_deleting_one_leaves_no_word_of_it_and_the_other_whole(main: Services, other: Services, tmp_path: Path) -> None:
    store_page(main, MAIN)
    store_page(other, OTHER)
    ask(main)
    ask(other)
    other_id = other.collection.id
    kept.delete(main, "other")
    with pytest.raises(UnknownCollection):
        main.of("other")
    assert MAIN in str(ask(main).answer)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Bruno" in path.read_bytes()]
    assert not list(main.redis.scan_iter(f"*{other_id}*"))
    if main.database.engine.dialect.name == "postgresql":
        assert part_schema(other_id) not in inspect(main.database.engine).get_schema_names()


def test_what_a_late_worker_writes_into_a_deleted_one_is_erased(main: Services, other: Services) -> None:
    writer, uri = other.passages_writer, other.passages_uri
    store_page(other, OTHER)
    kept.delete(main, "other")
    Path(uri).mkdir()
    (Path(uri) / "late.lance").write_text("Bruno again")
    del writer
    kept.erase_deleted(main)
    assert not Path(uri).exists()


def test_deleted_one_is_closed_where_it_is_open_too(main: Services, other: Services) -> None:
    store_page(other, OTHER)
    elsewhere = Services(main.settings)  # as another process has it
    there, link = elsewhere.of("other"), f"wellread-{other.collection.id}.db"
    assert "Bruno" in words_of(there)
    kept.delete(main, "other")
    on_sqlite = main.database.engine.dialect.name == "sqlite"
    assert bool(open_files(link)) == on_sqlite
    kept.close_deleted(elsewhere)
    assert elsewhere.opened_collections == {}
    assert open_files(link) == []
    if on_sqlite:  # a step that is still at work does not make the file anew
        with pytest.raises(DatabaseError):
            words_of(there)
        assert not list(main.settings.data_dir.glob(f"*{other.collection.id}*"))
    elsewhere.close()


def test_process_looks_by_itself_for_deleted_ones(
    main: Services, other: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LOOK_EVERY_S", 0.05)
    elsewhere = Services(main.settings)
    elsewhere.of("other")
    kept.delete(main, "other")
    deadline = time.monotonic() + 20
    while elsewhere.opened_collections:
        assert time.monotonic() < deadline, "it is still open"
        time.sleep(0.02)
    elsewhere.close()


def open_files(name: str) -> list[str]:
    """The files of this name that this process holds open, deleted ones included."""
    targets = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the folder's own is closed already
            targets.append(str(link.readlink()))
    return [target for target in targets if name in target and "-wal" not in target and "-shm" not in target]


def test_name_of_a_deleted_one_is_free_and_begins_empty(main: Services, other: Services) -> None:
    store_page(other, OTHER)
    kept.delete(main, "other")
    kept.add(main, "other")
    again = main.of("other")
    assert again.collection.id != other.collection.id
    with again.database.read() as session:
        assert session.scalar(select(func.count()).select_from(PageRow)) == 0
    assert ask(again).status == Status.ABSTAINED


def test_transaction_after_another_collections_sees_its_own_tables(main: Services, other: Services) -> None:
    store_page(other, OTHER)  # on PostgreSQL both use the same connections
    for _ in range(10):
        for services, number in ((main, 0), (other, 1)):
            with services.database.read() as session:
                assert session.scalar(select(func.count()).select_from(PageRow)) == number
            with services.database.write() as session:
                assert session.scalar(select(func.count()).select_from(AnswerRow)) == 0
    engine = create_engine(main.settings.database)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM pages")) == 0
    engine.dispose()


def test_part_of_a_database_needs_a_plain_id(database: Database) -> None:
    with pytest.raises(ValueError, match="not a collection's id"):
        part_schema('x"; DROP SCHEMA public; --')
