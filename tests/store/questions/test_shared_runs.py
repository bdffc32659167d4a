"""Equal questions in progress share one run; each keeps its own id, budget and deadline."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from domain import Budget, Cost, Status
from store.questions import shared_runs, state
from store.questions.shared_runs import equal_key
from store.questions.state import Move
from store.questions.trace import WriteDetail
from store.sql.database import Database
from store.sql.tables import QuestionRow, WebhookRow
from tests.store import walk
from tests.store.walk import NOW, answered, ask, move, provisional, record, status

LATER = NOW + timedelta(seconds=5)


def _key(text: str, **terms: Any) -> str:
    usual: dict[str, Any] = {
        "lang": "", "strategy": "", "sites": (), "crawl_enabled": True, "max_age_s": None, "answer_fingerprint": "",
    }  # fmt: skip
    return equal_key(text, {**usual, **terms})


@pytest.mark.parametrize(
    "same",
    ["capital of france?", "  Capital  of\nFrance ? ", "CAPITAL OF FRANCE", "Capital of Frâncé?"],
)
def test_spelling_that_changes_nothing_makes_an_equal_question(same: str) -> None:
    assert _key(same) == _key("Capital of France?")


@pytest.mark.parametrize(
    "terms",
    [
        {"lang": "de"},
        {"strategy": "devops"},
        {"sites": ("https://example.org/",)},
        {"crawl_enabled": False},
        {"max_age_s": 60},
        {"answer_fingerprint": "another model"},
    ],
)
def test_what_can_change_the_answer_makes_another_question(terms: dict[str, Any]) -> None:
    assert _key("Capital of France?", **terms) != _key("Capital of France?")


@given(st.lists(st.sampled_from(["https://a.example/", "https://b.example/"]), max_size=4))
def test_sites_are_a_set(sites: list[str]) -> None:
    assert _key("Who?", sites=sites) == _key("Who?", sites=sorted(set(sites)))


def test_all_get_the_leaders_answers_provisional_and_final(database: Database) -> None:
    leader = ask(database)
    followers = [ask(database, at=LATER) for _ in range(3)]
    assert [status(database, each) for each in followers] == ["FOLLOWING"] * 3
    assert move(database, leader, provisional())
    assert {record(database, each).answer for each in followers} == {"Perhaps Paris."}
    late = ask(database, at=LATER)
    assert (record(database, late).answer, record(database, late).provisional) == ("Perhaps Paris.", True)
    assert move(database, leader, answered())
    for each in (leader, *followers, late):
        seen = record(database, each)
        assert (seen.status, seen.answer, seen.provisional, seen.revision) == (Status.ANSWERED, "Paris.", False, 2)
        assert seen.shared_with == (None if each == leader else leader)


def test_follower_shows_where_the_run_stands_and_pays_nothing(database: Database) -> None:
    leader, follower = ask(database), ask(database)
    cost = Cost(model="m", input_tokens=5, output_tokens=1, usd=0.1)
    move(
        database,
        leader,
        Move(to=Status.RETRYING, outcome="insufficient", detail=WriteDetail(asked=("answer",), cost=cost)),
    )
    seen = record(database, follower)
    assert (seen.status, seen.current_step, seen.cost.usd) == (Status.RETRYING, "phase2_retry_paraphrased", 0.0)
    move(database, leader, answered())
    ended = record(database, follower)
    assert (ended.cost.usd, [timing.step for timing in ended.timings]) == (0.0, ["follow"])
    assert (ended.rag_hits_count, ended.final_step) == (3, "phase1_initial_lookup")


@pytest.mark.parametrize("end", [Status.CANCELLED, Status.FAILED, Status.TIMED_OUT])
def test_when_the_leader_ends_without_answer_the_next_leads_the_others(database: Database, end: Status) -> None:
    leader, heir, other = ask(database), ask(database, at=LATER), ask(database, at=LATER + timedelta(seconds=1))
    move(database, leader, Move(to=end, outcome="ended"), at=LATER)
    assert (status(database, leader), status(database, heir), status(database, other)) == (end, "ASKED", "FOLLOWING")
    assert record(database, other).shared_with == heir
    with database.read() as session:
        assert shared_runs.next_leader(session, leader) == (heir, 0, None)
        assert shared_runs.orphans(session) == []
    assert move(database, heir, answered(), at=LATER)
    assert record(database, other).answer == "Paris."


def test_end_rings_no_equal_question_but_the_one_that_leads_now(database: Database) -> None:
    own = [ask(database, reuse=False) for _ in range(3)]
    ask(database, budget=Budget(pages=30))
    with database.write() as session:
        state.cancel(session, own[0], LATER)
    with database.read() as session:
        assert shared_runs.next_leader(session, own[0]) is None


def test_cancelled_follower_ends_alone(database: Database) -> None:
    leader, follower, other = ask(database), ask(database), ask(database)
    with database.write() as session:
        state.cancel(session, follower, LATER)
    move(database, leader, answered())
    assert status(database, follower) == "CANCELLED"
    assert record(database, follower).answer is None
    assert record(database, other).answer == "Paris."


def test_question_that_may_spend_more_or_wants_its_own_run_gets_it(database: Database) -> None:
    ask(database)
    richer = ask(database, budget=Budget(pages=40))
    own = ask(database, reuse=False)
    assert (status(database, richer), status(database, own)) == ("ASKED", "ASKED")
    assert status(database, ask(database, budget=Budget(pages=40))) == "FOLLOWING"


def test_every_follower_is_owed_its_own_delivery(database: Database) -> None:
    leader = ask(database)
    for port in (1, 2):
        ask(database, callback_url=f"https://example.org/{port}")
    move(database, leader, answered())
    assert not move(database, leader, answered())
    with database.read() as session:
        owed = session.execute(select(WebhookRow.url, WebhookRow.event).order_by(WebhookRow.url)).all()
    assert [tuple(row) for row in owed] == [
        ("https://example.org/1", "question.answered"),
        ("https://example.org/2", "question.answered"),
    ]


def test_leader_is_served_as_early_as_the_most_urgent_who_waits(database: Database) -> None:
    leader = ask(database, priority=1)
    ask(database, priority=9)
    with database.read() as session:
        assert session.get_one(QuestionRow, leader).priority == 9


def test_asked_by_many_at_the_same_moment_one_leads(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: ask(database), range(24)))
    statuses = sorted(status(database, each) for each in ids)
    assert statuses == ["ASKED", *["FOLLOWING"] * 23]


def test_who_joins_while_the_leader_ends_is_not_left_behind(database: Database) -> None:
    page_id = walk.page(database)
    for number in range(12):
        text = f"Capital of country {number}?"
        leader = ask(database, text)
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(ask, database, text) for _ in range(3)]
            pool.submit(move, database, leader, answered(page_id)).result()
        assert {status(database, each.result()) for each in asked} == {"ANSWERED"}
    with database.read() as session:
        assert shared_runs.orphans(session) == []


def test_follower_whose_leader_is_lost_is_found(database: Database) -> None:
    leader, follower = ask(database), ask(database)
    with database.write() as session:
        session.get_one(QuestionRow, leader).status = Status.FAILED  # by hand: no code of ours does so
    with database.read() as session:
        assert shared_runs.orphans(session) == [follower]


def test_run_and_answer_are_shared_by_one_owners_questions_alone(database: Database) -> None:
    leader = ask(database, owner="key:a")
    assert status(database, ask(database, owner="key:a")) == "FOLLOWING"
    for owner in ("key:b", None):
        assert status(database, ask(database, owner=owner)) == "ASKED"
    move(database, leader, answered(walk.page(database)))
    again = record(database, ask(database, owner="key:a", at=LATER))
    assert (again.cached_from, again.status) == (leader, Status.ANSWERED)
    for owner in ("key:c", "key:d"):
        other = record(database, ask(database, owner=owner, at=LATER))
        assert (other.cached_from, other.shared_with, other.status) == (None, None, Status.ASKED)
