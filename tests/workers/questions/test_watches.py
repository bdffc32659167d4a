"""Equal questions, standing questions and feedback as the workers handle them: delivered twice, they happen once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from domain import PageText, Status
from domain.access import Role
from store import keys
from store.pages import pages
from store.questions import feedback, records
from store.questions.new_questions import NewQuestion
from store.questions.state import UnknownQuestion
from store.sql.tables import AnswerRow, ApiKeyRow, PageRow, QuestionRow, StepRow, WebhookRow
from tests.api import walk
from tests.workers.conftest import Outbox
from workers import indexing, sweep
from workers.questions import submit, watches
from workers.questions.callbacks import BadCallback
from workers.services import Services, collections

ASKED = NewQuestion(text="Who built the lighthouse?")
LATER_TEXT = "It is not known who built the lighthouse of Harrow Point in 1871."


def _answered(services: Services, **terms: object) -> str:
    """A question that the tower's page answers."""
    question, _ = submit.submit(services, replace(ASKED, **terms))  # type: ignore[arg-type]
    walk.move(services, question.id, walk.answered(_page(services)))
    return question.id


def _page(services: Services) -> int:
    page_id = walk.keep_page(services)
    with services.database.write() as session:
        session.execute(update(PageRow).values(state="INDEXED"))
    return page_id


def _change(services: Services) -> int:
    with services.database.write() as session:
        page_id, _ = pages.save(
            session, url="https://example.org/tower", host="https://example.org",
            page=PageText(title="The tower", text=LATER_TEXT, lang="en"),
            content_hash="another", validators=walk.Validators(), depth=0, now=services.now(),
        )  # fmt: skip
    return page_id


def _status(services: Services, question_id: str) -> str:
    with services.database.read() as session:
        return session.get_one(QuestionRow, question_id).status


def test_follower_is_not_rung_for_and_the_heir_of_a_cancelled_leader_is(services: Services, outbox: Outbox) -> None:
    leader, follower = (submit.submit(services, ASKED)[0] for _ in range(2))
    assert outbox.messages == [(Status.ASKED, leader.id)]
    submit.cancel(services, leader.id)
    assert outbox.messages[1:] == [(Status.ASKED, follower.id)]
    assert _status(services, follower.id) == Status.ASKED


def test_follower_whose_deadline_passed_ends_alone_with_what_there_is(services: Services) -> None:
    leader, hurried = submit.submit(services, ASKED)[0], submit.submit(services, replace(ASKED, deadline_s=0.001))[0]
    walk.move(services, leader.id, walk.provisional())
    sweep.sweep(services)
    assert (_status(services, leader.id), _status(services, hurried.id)) == (Status.SEEKING, Status.TIMED_OUT)
    with services.database.read() as session:
        assert records.read(session, hurried.id, services.now()).answer == "Perhaps."


def test_follower_whose_leader_is_lost_goes_on_by_itself(services: Services, outbox: Outbox) -> None:
    leader, follower = (submit.submit(services, ASKED)[0] for _ in range(2))
    with services.database.write() as session:
        session.get_one(QuestionRow, leader.id).status = Status.FAILED  # by hand: no code of ours does so
    outbox.messages.clear()
    sweep.sweep(services)
    assert (Status.ASKED, follower.id) in outbox.messages
    assert _status(services, follower.id) == Status.ASKED


def test_followers_deliveries_are_rung_for_with_the_leaders_end(services: Services, outbox: Outbox) -> None:
    submit.submit(services, ASKED)
    leader = submit.submit(services, replace(ASKED, reuse=False))[0]
    with services.database.write() as session:  # the first leads: the second follows it by hand, with a callback
        row = session.get_one(QuestionRow, leader.id)
        first = session.scalars(select(QuestionRow).where(QuestionRow.id != leader.id)).one()
        row.status, row.leader_id, row.callback_url = Status.FOLLOWING, first.id, "https://example.org/told"
    walk.move(services, first.id, walk.answered(_page(services)))
    with services.database.read() as session:
        webhook_id = session.scalars(select(WebhookRow.id)).one()
    assert ("wellread.notify", webhook_id) in outbox.messages


def test_answer_given_again_ends_the_question_as_it_is_asked(services: Services, outbox: Outbox) -> None:
    first = _answered(services)
    outbox.messages.clear()
    again, is_new = submit.submit(services, replace(ASKED, text="  who built the LIGHTHOUSE"))
    assert (is_new, again.status, again.id != first) == (True, Status.ANSWERED, True)
    assert outbox.messages == []


def test_embedding_a_changed_page_asks_the_watched_question_again_and_no_other(
    services: Services, outbox: Outbox
) -> None:
    watched = _answered(services, watch=True)
    alone = _answered(services, text="Who built it in the end?")
    page_id = _change(services)
    outbox.messages.clear()
    indexing.embed(services, page_id)
    assert (_status(services, watched), _status(services, alone)) == (Status.ASKED, Status.ANSWERED)
    assert outbox.messages == [(Status.ASKED, watched)]
    with services.database.read() as session:
        stale = session.scalars(select(AnswerRow.question_id).where(AnswerRow.stale_at.is_not(None)))
        assert set(stale) == {watched, alone}
    for _ in range(2):  # a message delivered twice, and the sweep
        indexing.embed(services, page_id)
        assert watches.ask_again(services) == 0
    with services.database.read() as session:
        assert session.get_one(QuestionRow, watched).round == 1


def test_sweep_asks_again_what_a_killed_worker_left(services: Services) -> None:
    watched = _answered(services, watch=True)
    _change(services)
    with services.database.write() as session:  # embedded and marked, and then the process died
        session.execute(update(PageRow).values(state="INDEXED"))
        session.execute(update(AnswerRow).values(stale_at=services.now()))
    assert watches.ask_again(services) == 1
    assert _status(services, watched) == Status.ASKED


def test_watching_what_is_not_there_or_must_not_be_called_is_refused(services: Services) -> None:
    question = submit.submit(services, ASKED)[0]
    with pytest.raises(UnknownQuestion):
        watches.watch(services, "0" * 32)
    with pytest.raises(BadCallback):
        watches.watch(services, question.id, "http://169.254.169.254/")
    assert watches.watch(services, question.id).question == ASKED.text
    assert watches.unwatch(services, question.id)
    assert not watches.unwatch(services, question.id)


def test_answer_that_was_called_wrong_is_not_given_again(services: Services) -> None:
    answered = _answered(services)
    services.write(feedback.give, answered, "wrong", comment="", revision=None, now=services.now())
    assert submit.submit(services, ASKED)[0].status is Status.ASKED
    with services.database.read() as session:
        assert session.scalar(select(func.count()).where(StepRow.name == "feedback")) == 1


@pytest.mark.parametrize("ends", ["lasts", "revoked", "expired"])
def test_question_of_a_key_that_opens_nothing_is_not_asked_again(services: Services, ends: str) -> None:
    key = services.write(keys.add, "reader", Role.ask, services.now())
    _answered(services, watch=True, owner=key.owner)
    _change(services)
    with services.database.write() as session:
        session.execute(update(PageRow).values(state="INDEXED"))
        session.execute(update(AnswerRow).values(stale_at=services.now()))
        if ends == "revoked":
            keys.revoke(session, "reader")
        elif ends == "expired":
            session.get_one(ApiKeyRow, key.id).expires_at = services.now()
    assert watches.ask_again(services) == (1 if ends == "lasts" else 0)


def test_keys_are_looked_up_where_they_are_kept_from_every_collection(services: Services) -> None:
    key = services.write(keys.add, "reader", Role.ask, services.now())
    collections.add(services, "research")
    asked = [key.owner, "key:0123456789ab", "setting:0", None]
    assert services.of("research").closed_owners(asked) == {"key:0123456789ab"}
