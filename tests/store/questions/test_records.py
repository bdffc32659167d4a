"""A record is built from its rows, whichever version wrote them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from domain import Citation, Focus, Sentence, Verdict
from domain.answer import Contradiction
from domain.record import ContextHit
from store.questions import records
from store.questions.new_questions import NewQuestion, ask
from store.sql.database import Database
from store.sql.rows import jsonable
from store.sql.tables import AnswerRow, StepRow

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SENTENCE = Sentence(
    text="Built in 1874.",
    markers=(1,),
    focus=Focus(start=9, end=13, confidence=0.9),
    disputes=(Contradiction(citations=(1, 2), values=("1874", "1880")),),
)
CITATION = Citation(
    marker=1, passage_id="1-0", page_id=1, url="http://a/", title="A", quote="1874", start=0, end=4, read_at=NOW
)
VERDICT = Verdict(
    sufficient=True,
    confidence=0.9,
    reason="covered",
    missing=("x",),
    evidence={"top": 0.5},
)
HIT = ContextHit(
    rank=1,
    original_rank=3,
    score=0.5,
    rerank_score=0.5,
    passage_id="1-0",
    page_id=1,
    url="http://a/",
    title="A",
    text="Built in 1874.",
)


def _answered(database: Database, **stored: object) -> str:
    with database.write() as session:
        question, _ = ask(session, NewQuestion(text="When?"), NOW)
        session.add(
            AnswerRow(
                question_id=question.id,
                revision=1,
                provisional=False,
                text="Built in 1874 [1].",
                confidence=0.9,
                composer="extractive",
                notice="",
                created_at=NOW,
                **{"sentences": [], "citations": [], "context": [], "verdict": {}, "cost": {}, **stored},
            )
        )
    return question.id


def test_what_was_stored_with_an_answer_comes_back_as_it_was(database: Database) -> None:
    question_id = _answered(
        database,
        sentences=[asdict(SENTENCE)],
        citations=[jsonable(asdict(CITATION))],
        context=[asdict(HIT)],
        verdict=asdict(VERDICT),
    )
    with database.read() as session:
        record = records.read(session, question_id, NOW)
    assert (record.sentences, record.citations, record.context) == ((SENTENCE,), (CITATION,), (HIT,))
    assert (record.verdict, record.verdict and record.verdict.evidence) == (VERDICT, {"top": 0.5})
    assert (record.contradictions, record.short_answer) == (SENTENCE.disputes, None)


def test_fields_that_an_older_version_did_not_store_have_defaults(database: Database) -> None:
    lacking = {"published": None, "modified": None, "read_at": None}
    question_id = _answered(
        database,
        sentences=[{"text": "It stands.", "markers": [1]}],
        citations=[{name: value for name, value in asdict(CITATION).items() if name not in lacking}],
        verdict={"sufficient": True, "confidence": 0.9, "reason": "covered", "missing": [], "judge": "calibrated"},
    )
    with database.read() as session:
        record = records.read(session, question_id, NOW)
    assert record.sentences == (Sentence(text="It stands.", markers=(1,)),)
    assert record.citations[0].read_at is None
    assert record.verdict == Verdict(sufficient=True, confidence=0.9, reason="covered", judge="calibrated")


def test_a_question_without_an_answer_has_a_record(database: Database) -> None:
    with database.write() as session:
        question, _ = ask(session, NewQuestion(text="When?"), NOW)
    with database.read() as session:
        record = records.read(session, question.id, NOW)
    assert (record.answer, record.revision, record.sentences, record.verdict) == (None, 0, (), None)


@pytest.mark.parametrize(
    ("named", "entity"),
    [
        (["1874", "Harrow Point", "Ada Lind"], "Harrow Point"),  # a number only where nothing else is named
        (["Ada Lind", "1874"], "Ada Lind"),
        (["1874", "1901"], "1874"),
        ([], None),
    ],
)
def test_entity_of_a_record_is_what_the_question_names_first(
    database: Database, named: list[str], entity: str | None
) -> None:
    with database.write() as session:
        question, _ = ask(session, NewQuestion(text="When?"), NOW)
        session.add(
            StepRow(
                question_id=question.id,
                name="retrieve",
                cycle=0,
                attempt=1,
                started_at=NOW,
                finished_at=NOW,
                outcome="insufficient",
                detail={"entities": named},
            )
        )
    with database.read() as session:
        assert records.read(session, question.id, NOW).entity == entity
