"""Answers are shared only between questions that the same models and settings answer."""

from __future__ import annotations

import pytest

from workers.questions.fingerprint import ANSWER_SETTINGS, answer_fingerprint
from workers.settings import Settings, load

#: where, how fast and at what expense Wellread runs
OPERATIONAL = {
    "alive_file",
    "answer_processes",
    "api_host",
    "api_keys",
    "api_port",
    "contact",
    "crawl_processes",
    "data_dir",
    "database_password",
    "database_url",
    "embedder_threads",
    "events_redis_url",
    "fetch_deadline_s",
    "file_max_bytes",
    "fetch_max_bytes",
    "flower_host",
    "flower_port",
    "flower_words",
    "keep_days",
    "learn",  # versions in use are named beside the settings
    "logs",
    "max_open_per_caller",
    "max_open_questions",
    "max_pages",
    "max_seconds",
    "max_tokens_per_question",
    "max_usd_per_question",
    "min_delay_s",
    "passages_uri",
    "profile",  # what it sets is named
    "redis_memory_mb",
    "redis_password",
    "redis_url",
    "user_agent",
    "wave_pages",
    "webhook_secret",
    "stop_s",
}


def test_every_setting_is_either_operational_or_part_of_the_fingerprint() -> None:
    assert set(ANSWER_SETTINGS) | OPERATIONAL == set(Settings.model_fields)
    assert set(ANSWER_SETTINGS) & OPERATIONAL == set()


@pytest.mark.parametrize(
    "change",
    [{"judge": "document"}, {"anthropic_api_key": "sk-secret"}, {"embedder": "multilingual"}, {"wikipedia": False}],
    ids=str,
)
def test_fingerprint_differs_where_answers_may(change: dict[str, object]) -> None:
    assert answer_fingerprint(load(**change)) != answer_fingerprint(load())


def test_fingerprint_differs_with_the_learned_versions() -> None:
    assert answer_fingerprint(load(), "judge 1") != answer_fingerprint(load())


def test_operational_settings_leave_the_fingerprint_as_it_is() -> None:
    assert answer_fingerprint(load(api_port=1, max_pages=3, min_delay_s=0.0)) == answer_fingerprint(load())


def test_fingerprint_holds_no_secret() -> None:
    assert "sk-secret" not in answer_fingerprint(load(anthropic_api_key="sk-secret"))
