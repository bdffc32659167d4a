"""A record is built from its rows, whichever version wrote them."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from domain import Citation, Focus, Sentence, Status, Verdict
from domain.outcome import Outcome
from domain.record import ContextHit
from store import folders
from store.questions import records, state
from store.questions.new_questions import NewQuestion, ask
from store.questions.state import Move
from store.sql.database import Database
from store.sql.rows import jsonable
from store.sql.tables import AnswerRow, QuestionRow, StepRow
from tests.store import walk

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SENTENCE = Sentence(
    text="Built in 1874.",
    markers=(1,),
    focus=Focus(start=9, end=13, confidence=0.9),
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
    assert record.short_answer == "1874"


def test_a_file_elsewhere_is_cited_by_its_url_there(database: Database) -> None:
    cited = [replace(CITATION, url=f"files://{name}/old/a%20b.md") for name in ("wiki", "wikis", "uploads")]
    question_id = _answered(database, citations=[jsonable(asdict(each)) for each in cited])
    link = "https://github.com/o/r/blob/HEAD/"
    with database.write() as session:
        for name, path, at in (("wiki", "https://github.com/o/r#:", link), ("wikis", "/srv/wikis", "")):
            folders.add(session, name=name, path=path, every_s=60.0, now=NOW, link=at, access={"password": "s3cret"})
        record = records.read(session, question_id, NOW)
    assert [each.url for each in record.citations] == [f"{link}old/a%20b.md", cited[1].url, cited[2].url]
    assert "s3cret" not in str(record)


def test_fields_that_only_an_older_version_had_are_left_out(database: Database) -> None:
    contradicting = {"contradicts": [2], "disputes": [{"citations": [1, 2], "values": ["1874", "1880"]}]}
    question_id = _answered(
        database, sentences=[asdict(SENTENCE) | contradicting], citations=[jsonable(asdict(CITATION))]
    )
    with database.read() as session:
        assert records.read(session, question_id, NOW).sentences == (SENTENCE,)


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


def _near(number: int, text: str = "Near it.") -> ContextHit:
    return replace(HIT, rank=number, passage_id=f"1-{number}", title=f"A › {number}", text=text)


@pytest.mark.parametrize(
    ("status", "sufficient", "evidence", "outcome", "nearest"),
    [
        (Status.ANSWERED, True, {}, "answered", []),
        (Status.ANSWERED, False, {}, "unsure", ["A › 2", "A › 3", "A › 4"]),
        (Status.ABSTAINED, False, {}, "unknown", ["A › 2", "A › 3", "A › 4"]),
        (Status.ABSTAINED, False, {"led_coverage": 0.0, "is_read": 1.0, "answers": -4.0}, "unknown", []),  # far from it
        (Status.TIMED_OUT, False, {}, None, []),
        (Status.READING, False, {}, None, []),
    ],
)
def test_record_has_its_outcome_and_the_nearest_passages_that_are_not_cited(
    database: Database,
    status: Status,
    sufficient: bool,
    evidence: dict[str, float],
    outcome: Outcome | None,
    nearest: list[str],
) -> None:
    verdict = replace(VERDICT, sufficient=sufficient, evidence=evidence)
    answer = walk.answered(walk.page(database)).answer
    assert answer is not None
    cited = replace(HIT, passage_id=answer.citations[0].passage_id)
    context = [cited, *(_near(number, "Wide " * 200) for number in range(2, 7))]
    question_id = walk.ask(database)
    walk.move(database, question_id, Move(to=status, outcome="x", answer=answer, verdict=verdict, context=context))
    record = walk.record(database, question_id)
    assert (record.outcome, [each.title for each in record.nearest]) == (outcome, nearest)
    assert all(200 < len(each.text) <= records.NEAR_CHARACTERS for each in record.nearest)


def test_question_that_is_asked_again_or_takes_an_answer_over_has_its_outcome(database: Database) -> None:
    unsure = replace(walk.answered(walk.page(database)), verdict=replace(VERDICT, sufficient=False))
    first = walk.ask(database)
    follower = walk.ask(database)
    walk.move(database, first, unsure)
    cached = walk.ask(database)
    assert [walk.record(database, each).outcome for each in (first, follower, cached)] == ["unsure"] * 3
    with database.write() as session:
        state.ask_again(session, session.get_one(QuestionRow, first), NOW)
    assert walk.record(database, first).outcome is None
