"""Delivers webhooks when questions end: a signed POST through the same guard as every fetch, with retries.

A caller may name a task of its own instead (:mod:`workers.questions.replies`).

A slow receiver holds up no other: at most two of its webhooks are under way. All webhooks together hold half of a
worker's threads, those of one key a quarter. What has to wait holds none; it is sent when another delivery ends, or
by the sweep.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from standardwebhooks import Webhook

from crawler import urls
from crawler.fetch.guard import FetchError
from domain.access import UnknownCollection
from store.ephemeral.slots import Receiver
from store.questions import records, webhooks
from store.sql import leases
from store.sql.rows import jsonable
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus
from workers import monitoring
from workers.questions import replies
from workers.services.interruptions import recorded

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

_CLOSED = "the key that asked was revoked or has expired"
_FATAL = "delivering it stopped the worker again and again"
#: after this, the sweep sends again what waits for its receiver
_AGAIN_S = 10.0
#: of this process, which have a thread: where they go, by their tokens
_under_way: dict[str, Receiver] = {}
_lock = threading.Lock()


def deliver(services: Services, webhook_id: int) -> None:
    """Deliver one webhook, if it is still pending and its receiver has not too many already."""
    with services.database.read() as session:
        row = session.get(WebhookRow, webhook_id)
        owner = session.get_one(QuestionRow, row.question_id).owner if row else None
    if row is None:
        monitoring.report_not_due()
        return
    is_due = row.status == WebhookStatus.WAITING and row.due_at <= services.now()
    if replies.is_reply(row.url):  # the broker takes any number at once
        if is_due:
            _deliver(services, webhook_id, owner)
        return
    receiver = Receiver(host=urls.host(row.url), address=row.url.partition("?")[0], owner=owner)
    token = _begin(services, receiver, webhook_id)
    if token is None:
        monitoring.report("waits for its receiver")
        if is_due:
            now = services.now()
            services.write(webhooks.put_off, webhook_id, now, now + timedelta(seconds=_AGAIN_S))
        return
    try:
        if is_due:
            _deliver(services, webhook_id, owner)
    finally:
        _end(services, token)


def give_back(services: Services) -> None:
    """End what is under way as its worker stops, so that others may begin at the same receivers."""
    for token in list(_under_way):
        _end(services, token)


def _begin(services: Services, receiver: Receiver, webhook_id: int) -> str | None:
    """Return a token if the delivery may begin now; else it is sent when another ends."""
    delivery, now = f"{services.collection.name}:{webhook_id}", services.now().timestamp()
    places = max(1, services.settings.model_threads // 2)
    with _lock:
        of_owner = sum(each.owner == receiver.owner for each in _under_way.values() if receiver.owner is not None)
        if (has_its_share := of_owner >= max(1, places // 2)) or len(_under_way) >= places:
            services.receivers.wait(receiver.owner if has_its_share else None, delivery=delivery, now=now)
            return None
        token = services.receivers.begin(receiver, delivery=delivery, now=now)
        if token is not None:
            _under_way[token] = receiver
        return token


def _end(services: Services, token: str) -> None:
    receiver = _under_way.pop(token, None)
    if receiver and (waiting := services.receivers.end(receiver, token)):
        collection, _, webhook_id = waiting.rpartition(":")
        with suppress(UnknownCollection):
            opened, now = services.of(collection), services.now()
            opened.write(webhooks.put_off, int(webhook_id), now, now)
            opened.dispatcher.send("wellread.notify", int(webhook_id))


def _deliver(services: Services, webhook_id: int, owner: str | None) -> None:
    now = services.now()
    with services.database.write() as session:
        webhooks.put_off(session, webhook_id, now, now)  # its message may be there twice, and the other have put it off
        lease = leases.claim(session, WebhookRow, webhook_id, WebhookRow.status == WebhookStatus.WAITING, now)
        if lease is None:
            monitoring.report_not_due()
            return
        row = session.get_one(WebhookRow, webhook_id, populate_existing=True)
        record = records.read(session, row.question_id, now)
    if services.closed_owners([owner]):
        _record(services, lease, leases.MAX_ATTEMPTS, _CLOSED)
        return
    question = {name: value for name, value in asdict(record).items() if name != "json"}  # the client's own field
    body = json.dumps({"event": row.event, "question": jsonable(question)}).encode()
    secret = services.settings.webhook_secret.get_secret_value()
    headers = sign(body, message_id=f"msg_{row.question_id}_{row.id}", secret=secret, now=now)
    with services.leases.holding(lease):
        error = _post(services, row.url, body, headers) if row.attempts <= leases.MAX_ATTEMPTS else _FATAL
    recorded(lambda: _record(services, lease, row.attempts, error))


def sign(body: bytes, *, message_id: str, secret: str, now: datetime) -> dict[str, str]:
    """Return the headers of Standard Webhooks; without a secret there is no signature among them.

    All attempts of one delivery have the same ``message_id``, so that a receiver can recognise a repeat.
    """
    headers = {"webhook-id": message_id, "webhook-timestamp": str(int(now.timestamp()))}
    if secret:
        headers["webhook-signature"] = Webhook(secret).sign(message_id, now, body.decode())
    return {"content-type": "application/json", **headers}


def _post(services: Services, url: str, body: bytes, headers: dict[str, str]) -> str | None:
    """Send the body; return what went wrong, if anything."""
    if replies.is_reply(url):
        return replies.send(services, url, **json.loads(body), message_id=headers["webhook-id"])

    async def send() -> int:
        return (await services.callback_client.post(url, body=body, headers=headers)).status

    try:
        status = services.wait_for(send())
    except FetchError as error:
        return str(error)
    except Exception as error:  # any failure is retried, and given up in the end
        log.exception("webhook_failed", url=url)
        return f"{type(error).__name__}: {error}"
    return None if status < 300 else f"the receiver answered {status}"


def _record(services: Services, lease: leases.Lease, attempts: int, error: str | None) -> None:
    monitoring.report(f"failed: {error}" if error else "delivered")
    now = services.now()
    with services.database.write() as session:
        if error is None:
            webhooks.finish(session, lease, WebhookStatus.DELIVERED, now)
        elif attempts >= leases.MAX_ATTEMPTS:
            webhooks.finish(session, lease, WebhookStatus.FAILED, now, error)
        else:
            leases.retry_later(session, lease, now + timedelta(seconds=4 * leases.backoff_s(attempts)), error)
