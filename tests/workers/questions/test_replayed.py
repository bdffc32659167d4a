"""A lookup that is run again says what differs from its trace, and stores nothing."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import func, select

from api.app import InProcess
from api.cli.connect import quiet_logs
from domain import Question
from store.pages import pages
from store.questions import state, trace
from store.sql.rows import jsonable
from store.sql.tables import AnswerRow, QuestionRow, StepRow
from tests.api.cli.command import wellread
from tests.fakes import HashingEmbedder
from tests.workers.questions.test_lookup import BUILT, ask, put
from wellread import Client
from workers import indexing
from workers.questions import lookup
from workers.questions.replayed import NothingToReplay, replay_trace
from workers.questions.transitions import detail_of
from workers.services import Services


@pytest.fixture
def reading(services: Services) -> Services:
    services.__dict__["embedder"] = HashingEmbedder()
    return services


def looked_up(services: Services, *names: str) -> Question:
    """A question whose trace holds these lookups."""
    question = ask(services)
    for name in names:
        result = (lookup.first_pass if name == "retrieve" else lookup.second_pass)(services, question)
        with services.database.write() as session:
            row, now = session.get_one(QuestionRow, question.id), services.now()
            detail = jsonable(trace.to_json(detail_of(result)))
            trace.add(session, row, name, outcome="sufficient", detail=detail, started_at=now, now=now)
    return question


def counted(services: Services) -> list[int]:
    with services.database.read() as session:
        return [
            session.scalar(select(func.count()).select_from(table)) or 0 for table in (StepRow, AnswerRow, QuestionRow)
        ]


def test_nothing_differs_while_the_knowledge_base_stays(reading: Services) -> None:
    put(reading, BUILT.format(1871))
    question = looked_up(reading, "retrieve")
    before = counted(reading)
    found = replay_trace(reading, question.id)
    [same] = found.passes
    assert (same.step, same.gained, same.lost, same.moved) == ("retrieve", [], [], [])
    assert same.before["verdict"]["confidence"] == pytest.approx(same.now["verdict"]["confidence"])
    assert counted(reading) == before


def test_hits_that_came_and_went_are_named_with_their_ranks(reading: Services) -> None:
    kept = put(reading, BUILT.format(1871))
    gone = put(reading, f"{BUILT.format(1871)} It is white.")
    question = looked_up(reading, "retrieve", "retry")
    with reading.database.write() as session:
        pages.mark_gone(session, gone, reading.now(), due_at=None)
    indexing.embed(reading, gone)
    new = put(reading, "The lighthouse of Vierburg was built, as we know, in 1871 by the town.")
    first, second = replay_trace(reading, question.id).passes
    for each in (first, second):
        assert [hit["passage"].split("-")[0] for hit in each.lost] == [str(gone)]
        assert [hit["passage"].split("-")[0] for hit in each.gained] == [str(new)]
        assert all(hit["passage"].split("-")[0] == str(kept) for hit in each.moved)
    assert (first.step, second.step) == ("retrieve", "retry")


def test_a_question_without_a_lookup_is_refused(reading: Services) -> None:
    question = ask(reading)
    with pytest.raises(NothingToReplay, match="has no lookup in its trace"):
        replay_trace(reading, question.id)
    with pytest.raises(state.UnknownQuestion):
        replay_trace(reading, "0" * 32)


def test_the_command_shows_the_differences(reading: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    put(reading, BUILT.format(1871))
    question = looked_up(reading, "retrieve")
    quiet_logs()
    monkeypatch.setattr("api.cli.ask.open_client", lambda: Client(transport=InProcess(reading)))
    shown = wellread("trace", question.id, "--replay").stdout
    assert "retrieve: 1 → 1 hits" in shown
    assert "verdict: " in shown
    assert "+ " in shown
    found = json.loads(wellread("trace", question.id, "--replay", "--json").stdout)
    assert found["passes"][0]["gained"] == []
