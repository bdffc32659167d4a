"""Rows of questions as large as real ones, with all that hangs on them: what a day leaves in SQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.orm import Session

from store.sql.tables import AnswerRow, CandidateRow, EvidenceRow, QuestionRow, StepRow, WatchRow, WebhookRow

_TEXT = "A lamp burns with oil all night, and the keeper trims its wick before dawn. "
_STEPS = ("retrieve", "retry", "seek", "requery", "requery")
#: candidates of a question, and pages that answers cite in turn
_CANDIDATES, _PAGES = 6, 9_999

Row = dict[str, Any]


def add_day(session: Session, day: int, morning: datetime, count: int, *, watched: int) -> None:
    """Write a day's questions: answered twice, in five steps, with six candidates; every tenth had a webhook.

    The first ``watched`` questions of all days are watched.
    """
    asked = [
        (number, morning + timedelta(days=at / count))
        for at, number in enumerate(range(day * count, (day + 1) * count))
    ]
    for table, rows in (
        (QuestionRow, [_question(number, at) for number, at in asked]),
        (AnswerRow, [row for number, at in asked for row in _answers(number, at)]),
        (EvidenceRow, [_evidence(number) for number, _ in asked]),
        (StepRow, [row for number, at in asked for row in _steps(number, at)]),
        (CandidateRow, [row for number, at in asked for row in _candidates(number, at)]),
        (WebhookRow, [_webhook(number, at) for number, at in asked if number % 10 == 0]),
        (WatchRow, [{"question_id": _id(number), "created_at": at} for number, at in asked if number < watched]),
    ):
        if rows:
            session.execute(insert(table), rows)


def _id(number: int) -> str:
    return UUID(int=number + (1 << 80)).hex


def _question(number: int, at: datetime) -> Row:
    return {
        "id": _id(number), "text": f"How does lamp number {number} burn all night?", "status": "ANSWERED", "lang": "en",
        "strategy": "explanation", "budget": {"pages": 20, "seconds": 60.0}, "deadline": at, "due_at": at,
        "created_at": at, "updated_at": at, "finished_at": at + timedelta(minutes=1), "equal_key": f"{number:064x}",
        "fingerprint": "f" * 64, "queries": [_TEXT] * 4, "variants": [{"kind": "paraphrase", "text": _TEXT}] * 3,
    }  # fmt: skip


def _answers(number: int, at: datetime) -> Iterator[Row]:
    hit = {"rank": 1, "score": 0.9, "similarity": 0.8, "passage_id": "1-0", "page_id": 1, "url": "https://a.example/b",
           "title": "A lamp", "text": _TEXT * 8}  # fmt: skip
    citation = {
        "marker": 1,
        "passage_id": "1-0",
        "page_id": 1,
        "url": hit["url"],
        "quote": _TEXT,
        "start": 0,
        "end": 76,
    }
    for revision in (1, 2):
        yield {
            "id": 2 * number + revision, "question_id": _id(number), "revision": revision, "provisional": revision == 1,
            "text": _TEXT * 2, "sentences": [{"text": _TEXT, "markers": [1]}] * 2, "citations": [citation] * 2,
            "context": [hit] * 8, "confidence": 0.9, "composer": "extractive", "notice": "",
            "verdict": {"reason": _TEXT}, "cost": {}, "created_at": at,
        }  # fmt: skip


def _evidence(number: int) -> Row:
    return {"answer_id": 2 * number + 2, "page_id": number % _PAGES + 1, "content_hash": "0" * 64}


def _steps(number: int, at: datetime) -> Iterator[Row]:
    top = [{"passage_id": f"{rank}-0", "score": 0.1, "rank": rank} for rank in range(20)]
    for name in _STEPS:
        yield {
            "question_id": _id(number), "name": name, "cycle": 0, "attempt": 1, "outcome": "sufficient",
            "started_at": at, "finished_at": at, "detail": {"queries": [_TEXT] * 4, "top": top},
        }  # fmt: skip


def _candidates(number: int, at: datetime) -> Iterator[Row]:
    for place in range(_CANDIDATES):
        yield {
            "question_id": _id(number), "url": f"https://a.example/{number}/{place}", "kind": "page", "score": 0.5,
            "depth": 1, "origin": "engine", "text": _TEXT, "wave": 1, "status": "SETTLED", "outcome": "READ",
            "due_at": at, "created_at": at, "settled_at": at,
        }  # fmt: skip


def _webhook(number: int, at: datetime) -> Row:
    return {
        "question_id": _id(number), "url": "https://a.example/told", "event": "question.answered",
        "status": "DELIVERED", "due_at": at, "created_at": at, "delivered_at": at,
    }  # fmt: skip
