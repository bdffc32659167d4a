"""Sends the requests of questions that may wait for hours many at once, which halves their price (Message Batches).

A step whose request has no reply yet ends, and holds nothing; it begins again when the reply is there, and finds it by
the request itself. A request without a reply ten minutes before the question's deadline is asked singly, as is one
that failed in its batch.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import ColumnElement, true

from domain import Cost, Question
from pipeline.llm import AwaitsBatch, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.calls import request_hash
from pipeline.models.provider import Batch, Json
from store.questions import batched_requests, trace
from store.questions.batched_requests import Sent
from store.questions.new_questions import NewQuestion
from store.sql import leases
from store.sql.tables import BatchedRequestRow, QuestionRow, RequestState
from workers import monitoring
from workers.questions.step import Work
from workers.services import Services
from workers.services.interruptions import recorded

if TYPE_CHECKING:
    from pipeline.models.claude_api import MessagesApi

log = structlog.get_logger()

#: before a question's deadline, from when it waits for no batch
SINGLE_BEFORE = timedelta(minutes=10)
#: requests in a batch: the API takes 100,000 of 256 MB
MOST_IN_BATCH = 200
#: after which the sending of a batch is surely over, also if its process died
_SENT_AFTER = timedelta(minutes=10)
#: requests that no batch replies to any more
_SINGLE = (RequestState.SINGLE, RequestState.DROPPED)
#: between our clock and the service's
_CLOCKS_APART = timedelta(minutes=1)


def may_wait(services: Services, new: NewQuestion) -> bool:
    """Return whether a new question's requests go into batches: as its asker says, else as the operator does."""
    if new.overrides.batch is not None or not (named := services.settings.batch_for):
        return bool(new.overrides.batch)
    return f"collection:{services.collection.name}" in named or f"key:{services.key_name(new.owner)}" in named


class Replies:
    """The replies of batches to a question's requests."""

    def __init__(self, services: Services, question: Question) -> None:
        self._services, self._question = services, question
        self._is_single = False  #: whether a request of this step was asked singly: its reply is kept nowhere

    def reply_to(self, request: Json) -> Json | None:
        """Return the reply; None: ask for it now. Raises AwaitsBatch while it is to come."""
        name = request_hash({"question": self._question.id, "request": request})
        with self._services.database.read() as session:
            row = session.get(BatchedRequestRow, name)
        if row is not None and row.state == RequestState.REPLIED:
            return row.reply
        is_late = self._services.now() >= self._question.deadline - SINGLE_BEFORE
        self._is_single |= is_late or (row is not None and row.state in _SINGLE)
        if self._is_single:
            if row is not None and row.state not in _SINGLE:
                self._services.write(batched_requests.forget, BatchedRequestRow.name == name, is_paid=False)
            return None
        if row is None:
            self._services.write(batched_requests.add, name, self._question.id, request)
        raise AwaitsBatch


def wait(services: Services, work: Work) -> None:
    """Let a step begin again when the replies that it awaits are there."""
    monitoring.report("waits for a batch")

    def defer() -> None:
        with services.database.write() as session:
            if leases.defer(session, work.lease, work.question.deadline - SINGLE_BEFORE):
                batched_requests.make_due(session, [work.question.id], services.now())  # a reply came in the meantime

    recorded(defer)


def run(services: Services) -> None:
    """Send what waits for a batch, and read the batches that have ended."""
    if not services.read(batched_requests.any_to_come):
        return
    api = services.model.batch_api() if services.model else None
    _settle(services, BatchedRequestRow.reply.is_not(None))  # of questions that were stopped
    try:
        if api is None:
            _settle(services, true())
        else:
            while _send(services, api):
                pass
            _read(services, api)
    except ModelError as error:  # what was sent is looked for the next time
        log.warning("batches_failed", error=str(error))


def _send(services: Services, api: "MessagesApi") -> bool:
    now = services.now()
    requests = services.write(batched_requests.take, MOST_IN_BATCH, now)
    if not requests:
        return False
    try:
        batch_id: str | None = api.send_batch(requests)
    except (ModelBusy, ModelUnreachable) as error:
        if not (isinstance(error, ModelBusy) and error.is_limit):
            raise  # the service may have it
        log.info("batch_refused", error=str(error))
        batch_id = None
    except ModelError as error:
        log.warning("batch_not_sent", requests=len(requests), error=str(error))
        _settle(services, Sent(sent_at=now, batch_id=None, size=len(requests)).rows)
        return False
    services.write(batched_requests.note_batch, now, batch_id)
    log.info("batch_sent", batch=batch_id, requests=len(requests))
    return batch_id is not None


def _read(services: Services, api: "MessagesApi") -> None:
    sent = services.read(batched_requests.sent)
    if not sent:
        return
    made = {batch.id: batch for batch in api.batches(sent[0].sent_at - _CLOCKS_APART)}
    known = {each.batch_id for each in sent}
    for each in sent:
        is_late = each.sent_at + _SENT_AFTER < services.now()
        batch = made.get(each.batch_id or "")
        if each.batch_id is None and is_late:  # which of them is it, if any?
            earliest, latest = each.sent_at - _CLOCKS_APART, each.sent_at + _SENT_AFTER
            alike = (b for b in made.values() if b.size == each.size and earliest <= b.created_at <= latest)
            found = next((b.id for b in alike if b.id not in known), None)
            known.add(found)
            services.write(batched_requests.note_batch, each.sent_at, found)
            log.warning("batch_looked_for", found=found, requests=each.size)
        elif batch is not None:
            _read_or_cancel(services, api, each, batch)
        elif each.batch_id and is_late:  # the service has lost it, or the key is another account's
            _settle(services, each.rows)


def _read_or_cancel(services: Services, api: "MessagesApi", sent: Sent, batch: Batch) -> None:
    """Store the replies of a batch that has ended and have the service forget them; cancel one nobody waits for."""
    try:
        if batch.has_ended:
            if _settle(services, sent.rows, api.batch_replies(batch.id)):
                api.delete_batch(batch.id)
        elif not sent.is_awaited and not batch.is_ending:
            api.cancel_batch(batch.id)
            log.info("batch_cancelled", batch=batch.id, requests=sent.size)
    except ModelError as error:
        log.warning("batch_not_read", batch=batch.id, error=str(error))


def _settle(services: Services, which: ColumnElement[bool], replies: Mapping[str, Json | None] | None = None) -> int:
    """Store replies; what has none is asked singly. Return for how many requests they are.

    A reply that came too late is only noted with its cost.
    """
    replied, now, costs = replies or {}, services.now(), list[tuple[str | None, Cost]]()
    with services.database.write() as session:
        rows = batched_requests.settle(session, which, replied, now)
        for row in rows:
            reply = (replied.get(row.name) or row.reply) if row.state == RequestState.DROPPED else None
            if reply and services.model:
                cost = services.model.cost_of_batched(reply)
                trace.add_cost(session, row.question_id, "batch", cost, started_at=row.sent_at or now, now=now)
                costs.append((session.get_one(QuestionRow, row.question_id).owner, cost))
    for owner, cost in costs:
        services.spend(owner, tokens=cost.input_tokens + cost.output_tokens, usd=cost.usd)
    settled = sum(row.name in replied for row in rows)
    if rows:
        log.info("batch_read", requests=settled)
    return settled
