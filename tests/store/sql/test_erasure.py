"""SQLite's file and log hold nothing of a deleted row once it is written anew."""

from __future__ import annotations

import random
import re
from pathlib import Path

from sqlalchemy import text

from store.sql.database import Database, erase_deleted


def words_in(folder: Path) -> set[str]:
    """The numbered words in the bytes of all files."""
    held = b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())
    return {found.decode() for found in re.findall(rb"WORD\d+\b", held)}


def churn(database: Database) -> set[str]:
    """Write rows of many sizes, write some of them again and delete some; return the words of those that are left."""
    chance, left = random.Random(1), {}
    with database.engine.connect() as connection:
        connection.execute(text("CREATE TABLE words (id TEXT PRIMARY KEY, word TEXT, more TEXT)"))
        connection.execute(text("CREATE INDEX ix_words ON words (word)"))
        for number in range(4_000):
            key = f"{chance.getrandbits(64):x}"
            if chance.random() < 0.5:
                left[key] = f"WORD{number} {'x' * chance.randint(0, 200)}"
                row = {"id": key, "word": left[key], "more": "y" * chance.randint(0, 900)}
                connection.execute(text("INSERT INTO words VALUES (:id, :word, :more)"), row)
            elif left and chance.random() < 0.6:
                other = chance.choice(list(left))
                connection.execute(text("DELETE FROM words WHERE id = :id"), {"id": other})
                del left[other]
            elif left:
                grown = {"id": chance.choice(list(left)), "more": "z" * chance.randint(0, 2_000)}
                connection.execute(text("UPDATE words SET more = :more WHERE id = :id"), grown)
        connection.commit()
    return {word.split()[0] for word in left.values()}


def test_nothing_is_left_of_rows_that_were_deleted(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'wellread.db'}")
    left = churn(database)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert words_in(tmp_path) - left  # what was overwritten row by row is not all
    assert erase_deleted(database)
    assert words_in(tmp_path) == left
    database.close()


def test_other_databases_erase_by_themselves(postgres_url: str) -> None:
    database = Database(postgres_url)
    assert erase_deleted(database)
    database.close()
