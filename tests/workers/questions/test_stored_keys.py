"""Keys that rows hold stay as they are: a repeat finds its question, an equal question its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain import Budget
from domain.options import Asked, QuestionRequest
from store.questions.new_questions import NewQuestion, Understood, _equal_key, _fingerprint, _own
from workers.questions.submit import to_new

#: every option that a question may set for itself
ALL: dict[str, Any] = {
    "question": "Who built the lighthouse?",
    "id": "0b8e9a52-6a57-4a5c-9a55-3ab51f6c3b0e",
    "after": "1b8e9a52-6a57-4a5c-9a55-3ab51f6c3b0e",
    "thread": "2b8e9a52-6a57-4a5c-9a55-3ab51f6c3b0e",
    "question_as_understood": "Who built the lighthouse of Skagen?",
    "answer_schema": {"properties": {"builder": {"type": "string"}}},
    "collection": "default",
    "crawl_enabled": False,
    "max_search_cycles": 2,
    "max_age": 3600,
    "strategy": "explanation",
    "threshold": 0.7,
    "strict": True,
    "variants": 2,
    "top_k": 7,
    "lang": "en",
    "priority": 9,
    "sites": ["https://example.org/"],
    "exclude_sites": ["https://example.org/forum"],
    "published_after": "2020-01-01T01:00:00.5+01:00",
    "length": "long",
    "answer_language": "de",
    "verbatim": True,
    "instructions": "In short steps.",
    "batch": True,
    "langs": ["en", "de"],
    "reuse": False,
    "watch": True,
    "only_pages": True,
    "metadata": {"team": "support"},
    "reply_to": None,
    "filters": ["team=support"],
    "source_kinds": ["document"],
    "published_before": "2021-01-01",
    "read_before": "2026-01-01",
    "budget": {"seconds": 30, "pages": 3, "bytes": 1_000_000, "depth": 1, "tokens": 1_000, "usd": 0.01},
}
#: added after rows were stored
ADDED = (
    *("verbatim", "instructions", "batch", "only_pages", "strict", "metadata"),
    *("filters", "source_kinds", "published_before", "read_before"),
)
DEFAULTS = {
    "question": "Who?",
    "verbatim": None,
    "strict": None,
    "instructions": "",
    "batch": None,
    "length": "normal",
    "exclude_sites": [],
    "variants": None,
    "published_after": None,
}


def _new(body: dict[str, Any]) -> NewQuestion:
    return to_new(QuestionRequest(**body, callback_url="https://example.org/answered"), Budget(), owner="key:reader")


def test_every_option_is_among_them() -> None:
    assert Asked.model_fields.keys() == ALL.keys()


def test_options_of_a_question_are_stored_where_they_are_not_the_usual_ones() -> None:
    assert _own(_new(DEFAULTS)) == {}
    assert json.loads(json.dumps(_own(_new(ALL)))) == {
        "threshold": 0.7,
        "strict": True,
        "variants": 2,
        "top_k": 7,
        "exclude_sites": ["https://example.org/forum"],
        "published_after": "2020-01-01T00:00:00.500000+00:00",
        "length": "long",
        "answer_language": "de",
        "verbatim": True,
        "instructions": "In short steps.",
        "batch": True,
        "only_pages": True,
        "filters": ["team=support"],
        "source_kinds": ["document"],
        "published_before": "2021-01-01T00:00:00+00:00",
        "read_before": "2026-01-01T00:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("body", "fingerprint", "equal_key"),
    [
        ({"question": "Who?"}, "deb24ace55765a47c34b4489c4f85b9e", "3d0c0e74ecc5d9fd59471d4d2eaacc2a"),
        (DEFAULTS, "deb24ace55765a47c34b4489c4f85b9e", "3d0c0e74ecc5d9fd59471d4d2eaacc2a"),
        (
            {name: value for name, value in ALL.items() if name not in ADDED},
            "d26ecd8291187a6af53c16cfa8d05d15",
            "254f625d21ae6c487057c62504023443",
        ),
        (
            {"question": "Who?", "variants": 0, "threshold": 0},
            "6de5db4030a695312fb8a8a6125c7299",
            "477534a6fbe390c0bdaac7619e1ec6d8",
        ),
    ],
)
def test_keys_are_those_of_rows_that_were_stored_before(body: dict[str, Any], fingerprint: str, equal_key: str) -> None:
    new = _new(body)
    assert (_fingerprint(new), _equal_key(new, Understood(text=new.text))) == (fingerprint, equal_key)
