"""Feedback in SQL as a site leaves it, without asking each question."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import insert

from domain import Status
from domain.outcome import Recalibration
from pipeline.judging.calibration import SHOWN, Features, calibration_of
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import FeedbackRow, QuestionRow
from tests.fakes import HashingEmbedder
from workers.services import Services

#: readers find the judge too sure by this
TOO_SURE = Recalibration(intercept=-1.0)


@dataclass(frozen=True, kw_only=True)
class Said:
    """A question with the judge's evidence, and what a reader said of its answer."""

    question: str
    evidence: Features
    right: bool


def evidence(strength: float, calibration: str = "") -> Features:
    """Return evidence from thin (0) to full (1), for one of the calibrations of hits that were read, or for none."""
    values: dict[str, Any] = dict.fromkeys(
        ("similarity", "agreement", "passage_coverage", "sentence_coverage", "led_coverage", "nearness"), strength
    )
    values |= dict.fromkeys(("missing_weight", "absent_weight", "missing_name"), 1 - strength)
    values |= {"margin": 0.25 * strength, "coverage_margin": 0.4 * strength, "title_coverage": strength}
    values |= {"term_count": 1.6, "term_weight": 1.4}
    if calibration == SHOWN:
        values |= {
            "answers": 8 * strength - 4,
            "evidence": 8 * strength - 4,
            "ahead": 4 * strength,
            "rivals": 8,
            "is_read": True,
        }
    return Features(**values)


def history(
    count: int, *, embedder: str, lang: str, calibration: str, truth: Recalibration, seed: int = 1
) -> Iterator[Said]:
    """Yield answers that are right as often as the shipped judge says, once ``truth`` has corrected it."""
    chance = random.Random(seed)
    for at in range(count):
        found = evidence(chance.uniform(0.2, 1.0), calibration)
        shipped = calibration_of(embedder, lang, found).probability(found)
        yield Said(question=f"question {at} of {seed}?", evidence=found, right=chance.random() < truth.apply(shipped))


def put_history(
    services: Services,
    count: int = 240,
    *,
    embedder: str = HashingEmbedder.id,
    lang: str = "en",
    calibration: str = "",
    truth: Recalibration = TOO_SURE,
    seed: int = 1,
) -> None:
    """Put what readers say."""
    now = services.now()
    answers = list(history(count, embedder=embedder, lang=lang, calibration=calibration, truth=truth, seed=seed))
    with services.database.write() as session:
        asked, _ = new_questions.ask(session, NewQuestion(text=answers[0].question, lang=lang, reuse=False), now)
        row = session.get_one(QuestionRow, asked.id)
        row.status, row.finished_at = Status.ANSWERED, now  # an open one would be worked on, and its pages read
        like = {column.key: getattr(row, column.key) for column in QuestionRow.__table__.columns}
        ids = [asked.id, *(uuid4().hex for _ in answers[1:])]
        named = [{"id": id, "text": each.question} for id, each in zip(ids, answers, strict=True)]
        session.add_all(QuestionRow(**like | each) for each in named[1:])
        session.flush()
        said = {"revision": 1, "created_at": now, "updated_at": now, "comment": ""}
        session.execute(
            insert(FeedbackRow),
            [
                said
                | {
                    "question_id": id,
                    "verdict": "right" if each.right else "wrong",
                    "features": {"embedder": embedder, "evidence": each.evidence.to_store()},
                }
                for id, each in zip(ids, answers, strict=True)
            ],
        )
