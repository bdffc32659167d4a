"""What was deleted is erased from the disk: once for all that was deleted, and again where someone was in the way."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest
import redis

from store.questions import state
from tests.api import walk
from tests.workers.conftest import Outbox
from workers import deletion
from workers.services import Services

RARE = "quomodocunquize"


def on_disk(services: Services) -> list[str]:
    """The files of the data folder with the rare word in their bytes."""
    files = [path for path in services.settings.data_dir.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if RARE.encode() in path.read_bytes())


def erasures(outbox: Outbox) -> int:
    return sum(task == "wellread.erase" for task, _ in outbox.messages)


def ask_and_delete(services: Services, words: str = RARE) -> None:
    deletion.delete_question(services, walk.ask(services, f"What does {words} mean?").id)


def test_questions_deleted_together_are_erased_together(services: Services, outbox: Outbox) -> None:
    ask_and_delete(services)
    ask_and_delete(services, f"{RARE} in Latin")
    assert erasures(outbox) == 1
    assert on_disk(services) == ["wellread.db-wal"]
    assert deletion.is_due(services)
    assert deletion.erase(services)
    assert on_disk(services) == []
    assert not deletion.is_due(services)
    ask_and_delete(services)
    assert erasures(outbox) == 2


def test_nothing_is_written_anew_where_nothing_was_deleted(services: Services) -> None:
    walk.ask(services, f"What does {RARE} mean?")
    assert deletion.erase(services)
    assert "wellread.db-wal" in on_disk(services)


def test_reader_in_the_way_has_it_tried_again(services: Services, outbox: Outbox) -> None:
    ask_and_delete(services)
    with closing(sqlite3.connect(services.settings.data_dir / "wellread.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM questions").fetchone()
        assert not deletion.erase(services)
        assert erasures(outbox) == 2
        reader.execute("COMMIT")
    assert deletion.erase(services)
    assert on_disk(services) == []


def test_what_is_deleted_during_an_erasure_is_erased_after_it(services: Services, outbox: Outbox) -> None:
    ask_and_delete(services)
    token = services.erasures.wanted()
    ask_and_delete(services)
    assert not services.erasures.done(token)
    assert deletion.is_due(services)


def test_writers_and_readers_go_on_meanwhile(services: Services) -> None:
    failed: list[str] = []
    over = threading.Event()

    def write() -> None:
        with closing(Services(services.settings)) as other:
            other.__dict__["dispatcher"] = services.dispatcher
            number = 0
            while not over.is_set():
                number += 1
                question = walk.ask(other, f"Question {number}?")
                with other.database.read() as session:
                    if state.find(session, question.id).text != f"Question {number}?":
                        failed.append(question.id)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for _ in range(10):
        ask_and_delete(services)
        deletion.erase(services)
    over.set()
    for writer in writers:
        writer.join()
    assert not failed
    deletion.erase(services)
    assert on_disk(services) == []


def test_append_only_file_is_written_anew_while_redis_answers(valkey_url: str, services: Services) -> None:
    with closing(redis.Redis.from_url(valkey_url)) as client:
        assert services.erasures.rewrite_log()
        assert client.ping()


def test_rests_after_it_as_long_as_it_takes_others_to_work(services: Services) -> None:
    services.erasures.rest(60)
    assert services.erasures.rests_s() == pytest.approx(60, abs=5)
