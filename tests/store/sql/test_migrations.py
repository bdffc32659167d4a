"""A migration keeps the stored data and gives it the new form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine, text

import store.sql
from store.sql.database import Database, alembic_config, migrate

WHEN = "2026-01-01 00:00:00"
MIGRATIONS = Path(store.sql.__file__).parent / "migrations" / "versions"


@pytest.mark.parametrize("migration", sorted(MIGRATIONS.glob("*.py")), ids=lambda path: path.stem)
def test_a_migration_imports_no_code_that_can_change_after_it(migration: Path) -> None:
    assert not re.findall(r"^\s*(?:from|import) (?:store|text|domain)\b", migration.read_text(), re.MULTILINE)


def test_pages_indexed_before_names_were_kept_are_indexed_again_and_facts_found_by_name(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0001")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO pages (url, host, title, text, lang, headings, etag, last_modified, content_hash,"
                " generation, state, depth, read_at, checked_at, next_due, interval_s, is_hub, attempts, due_at)"
                " VALUES ('u', 'h', 't', 't', 'en', '[]', '', '', '', 1, 'INDEXED', 0, :now, :now, :now, 1, 0, 3, :now)"
            ),
            {"now": WHEN},
        )
        connection.execute(
            text(
                "INSERT INTO facts (page_id, subject, subject_folded, predicate, object)"
                " VALUES (1, 'The Café (bar)', 'the café (bar)', 'opens', '9')"
            )
        )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        assert session.execute(text("SELECT state, attempts FROM pages")).all() == [("FETCHED", 0)]
        assert session.scalar(text("SELECT subject_folded FROM facts")) == "cafe"


def test_hosts_of_pages_kept_before_are_due_when_their_first_page_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0006")
    engine = create_engine(url)
    with engine.begin() as connection:
        for page, host, due in (("u", "h", "2026-01-03"), ("v", "h", "2026-01-02"), ("w", "g", "2026-01-04")):
            connection.execute(
                text(
                    "INSERT INTO pages (url, host, title, text, lang, headings, etag, last_modified, content_hash,"
                    " generation, state, depth, read_at, checked_at, next_due, interval_s, is_hub, attempts, due_at)"
                    " VALUES (:page, :host, 't', 't', 'en', '[]', '', '', '', 1, 'INDEXED', 0, :now, :now, :due, 1, 0,"
                    " 0, :now)"
                ),
                {"page": page, "host": host, "now": WHEN, "due": f"{due} 00:00:00"},
            )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        due = dict(session.execute(text("SELECT origin, refresh_at FROM hosts")).all())
    assert {host: str(at)[:10] for host, at in due.items()} == {"h": "2026-01-02", "g": "2026-01-04"}


def test_the_latest_migration_can_be_taken_back_and_done_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    migrate(url)
    command.downgrade(alembic_config(url), "0006")
    migrate(url)


def test_private_pages_keep_their_readers_and_are_indexed_again_as_private(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    command.upgrade(alembic_config(url), "0011")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("PRAGMA foreign_keys = OFF"))
        for number, private in ((1, True), (2, False)):
            connection.execute(
                text(
                    "INSERT INTO pages (id, url, host, title, text, lang, headings, blocks, etag, last_modified,"
                    " content_hash, body_hash, generation, state, depth, read_at, checked_at, next_due, interval_s,"
                    " is_hub, canonical_url, attempts, due_at, private) VALUES (:id, :id || '/', 'h', 't', 't', 'en',"
                    " '[]', '[]', '', '', '', '', 1, 'INDEXED', 0, :now, :now, :now, 1, 0, '', 3, :now, :private)"
                ),
                {"id": number, "now": WHEN, "private": private},
            )
            connection.execute(
                text(
                    "INSERT INTO candidates (question_id, url, kind, score, depth, origin, text, wave, status, page_id,"
                    " bytes, elapsed_s, news, created_at, attempts, due_at) VALUES ('q', :id || '/old', 'page', 0, 0,"
                    " '', '', 0, 'SETTLED', :id, 0, 0, 0, :now, 0, :now)"
                ),
                {"id": number, "now": WHEN},
            )
            connection.execute(
                text(
                    "INSERT INTO links (site, from_url, url, text, context, origin, depth, seen_at)"
                    " VALUES ('h', :id || '/old', 'u', '', '', '', 0, :now)"
                ),
                {"id": number, "now": WHEN},
            )
    engine.dispose()
    migrate(url)
    with Database(url).read() as session:
        assert session.execute(text("SELECT question_id, url FROM private_reads ORDER BY url")).all() == [
            ("q", "1/"),
            ("q", "1/old"),
        ]
        assert session.execute(text("SELECT state FROM pages ORDER BY id")).scalars().all() == ["FETCHED", "INDEXED"]
        assert session.execute(text("SELECT private FROM links ORDER BY id")).scalars().all() == [1, 0]
