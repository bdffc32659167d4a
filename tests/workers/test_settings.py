"""A setting that cannot be used stops the program with its name, what is wrong and what may be set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import redis
from celery import Celery
from sqlalchemy import text

from pipeline.strategies import RetrievalLimits
from store.sql.database import Database, migrate
from workers.services.pipeline import limits_of
from workers.settings import SettingsError, load


def test_limits_are_those_of_the_settings() -> None:
    assert limits_of(load()) == RetrievalLimits()
    own = load(variant_count=5, initial_top_k=6, retry_top_k=12, final_top_k=5, threshold=0.6)
    assert limits_of(own) == RetrievalLimits(variants=5, initial_top_k=6, retry_top_k=12, final_top_k=5, threshold=0.6)
    assert limits_of(load(query_expansion=False, variant_count=4)).variants == 0


def test_empty_variables_leave_a_setting_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WELLREAD_INITIAL_TOP_K", "WELLREAD_THRESHOLD"):
        monkeypatch.setenv(name, "")
    assert limits_of(load()) == RetrievalLimits()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("variant_count", 6, "less than or equal to 5"),
        ("variant_count", 1, "greater than or equal to 2"),
        ("retry_top_k", 21, "less than or equal to 20"),
        ("initial_top_k", 0, "greater than or equal to 1"),
        ("final_top_k", 0, "greater than or equal to 1"),
        ("rrf_k", 0, "greater than or equal to 1"),
        ("threshold", 1.5, "less than or equal to 1"),
        ("quality_threshold", -0.1, "greater than or equal to 0"),
        ("min_high_quality_hits", 0, "greater than or equal to 1"),
        ("similarity_floor", 2, "less than or equal to 1"),
        ("max_tokens_per_variant", 1, "greater than or equal to 10"),
    ],
)
def test_value_out_of_range_is_refused_by_name(name: str, value: float, says: str) -> None:
    with pytest.raises(SettingsError, match=f"WELLREAD_{name.upper()}: .*{says}"):
        load(**{name: value})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("whsec_dGhlIGtleQ==", "whsec_dGhlIGtleQ=="),
        ("whsec_dGhlIGtleQ", "whsec_dGhlIGtleQ"),  # the library takes it without padding
        ("the key", "whsec_dGhlIGtleQ=="),
    ],
)
def test_webhook_secret_may_be_any_text(given: str, kept: str) -> None:
    assert load(webhook_secret=given).webhook_secret.get_secret_value() == kept


@pytest.mark.parametrize("given", ["whsec_", "whsec_not-base64", "whsec_a"])
def test_webhook_secret_that_is_no_base64_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="WELLREAD_WEBHOOK_SECRET: what follows whsec_ is not base64"):
        load(webhook_secret=given)


def test_later_phases_cannot_be_set_to_fewer_hits_than_the_first() -> None:
    with pytest.raises(SettingsError, match=r"WELLREAD_RETRY_TOP_K: .*at least 8"):
        load(initial_top_k=8, retry_top_k=5)


@pytest.mark.parametrize(
    ("url", "with_it"),
    [
        ("postgresql+psycopg://me@db:5432/wellread", "postgresql+psycopg://me:a%2Fb%40c@db:5432/wellread"),
        ("postgresql+psycopg://me:own@db/wellread?sslmode=require", None),  # the URL's own counts
        ("sqlite:////data/wellread.db", None),
    ],
)
def test_password_is_put_into_a_url_without_one(url: str, with_it: str | None) -> None:
    assert load(database_url=url, database_password="a/b@c").database == (with_it or url)


def test_password_of_redis_needs_no_user() -> None:
    assert load(redis_url="rediss://cache:6380/1", redis_password="s:1").redis == "rediss://:s%3A1@cache:6380/1"
    assert load(redis_password="unused").redis.startswith("unix://")


def test_variable_counts_before_the_secrets_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wellread_brave_key").write_text("of-the-file\n")
    (tmp_path / "wellread_kagi_key").write_text("")
    (tmp_path / "wellread_api_keys").write_text("admin:one,ask:two\n")
    settings = load(_secrets_dir=tmp_path)
    assert settings.brave_key.get_secret_value() == "of-the-file"
    assert settings.kagi_key.get_secret_value() == ""
    assert [key.get_secret_value() for key in settings.api_keys] == ["admin:one", "ask:two"]
    monkeypatch.setenv("WELLREAD_BRAVE_KEY", "of-the-variable")
    assert load(_secrets_dir=tmp_path).brave_key.get_secret_value() == "of-the-variable"


@pytest.mark.parametrize("name", ["a#b", "a%20b", "q?x", "100%", "Ord ner ü", "a&b=c"])
def test_marks_of_urls_may_be_in_the_name_of_the_data_folder(name: str, tmp_path: Path) -> None:
    settings = load(data_dir=Path("/tmp") / name)
    socket = str(settings.run_dir / "valkey.sock")
    assert settings.run_dir.parent.name == name
    assert redis.connection.parse_url(settings.redis)["path"] == socket
    with pytest.raises(redis.ConnectionError, match=re.escape(f"connecting to {socket}. No such file")):
        Celery(broker=settings.broker).connection_for_read().connect()
    folder = tmp_path / name
    folder.mkdir()
    settings = load(data_dir=folder)
    for part in ("", "0123456789ab"):
        migrate(settings.database, part)
        with Database(settings.database, part).read() as session:
            session.execute(text("SELECT 1 FROM questions"))
    assert sorted(file.name for file in folder.glob("*.db")) == ["wellread-0123456789ab.db", "wellread.db"]
