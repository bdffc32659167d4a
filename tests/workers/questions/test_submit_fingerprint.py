"""Answers are shared only between questions that the same models and settings answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.questions.submit import OPERATIONAL, answer_fingerprint
from workers.settings import Settings, load


def test_every_operational_setting_exists() -> None:
    assert set(Settings.model_fields) >= OPERATIONAL


@pytest.mark.parametrize(
    "change",
    [{"judge": "document"}, {"anthropic_api_key": "sk-secret"}, {"embedder": "multilingual"}, {"wikipedia": False}],
    ids=str,
)
def test_fingerprint_differs_where_answers_may(change: dict[str, object]) -> None:
    assert answer_fingerprint(load(**change)) != answer_fingerprint(load())


def test_fingerprint_differs_with_what_was_learned() -> None:
    assert answer_fingerprint(load(), "en -0.5 1.2") != answer_fingerprint(load())


def test_operational_settings_leave_the_fingerprint_as_it_is() -> None:
    assert answer_fingerprint(load(api_port=1, max_pages=3, min_delay_s=0.0)) == answer_fingerprint(load())


def test_fingerprint_differs_with_the_words_of_the_examples(tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text('[{"question": "Who?", "answer": "Ada."}]')
    before = answer_fingerprint(load(few_shot_path=str(path)))
    path.write_text('[{"question": "Who?", "answer": "Bea."}]')
    assert answer_fingerprint(load(few_shot_path=str(path))) != before


def test_fingerprint_holds_no_secret() -> None:
    assert "sk-secret" not in answer_fingerprint(load(anthropic_api_key="sk-secret"))
