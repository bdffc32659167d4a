"""Delivers webhooks, as when questions end: a signed POST through the same guard as every fetch, with retries.

A caller may name a task of its own instead (:mod:`workers.questions.replies`).

A slow receiver holds up no other: at most two of its webhooks are under way. All webhooks together hold half of a
worker's threads, those of one key a quarter. What has to wait holds none; it is sent when another delivery ends, or
by the sweep.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import structlog
from standardwebhooks import Webhook

from crawler import urls
from crawler.fetch.guard import FetchError, NotPublic
from domain.access import UnknownCollection
from domain.options import REPLY_SCHEME
from domain.record import Delivery, WebhookTried
from domain.storable import storable
from store.ephemeral.slots import Receiver
from store.questions import records, webhooks
from store.sql import leases
from store.sql.rows import jsonable, to_value
from store.sql.tables import WebhookRow, WebhookStatus
from workers import mail, monitoring
from workers.admission import admitted
from workers.questions import replies
from workers.questions.callbacks import check_callback, not_sent
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
#: bytes of a response
MOST_KEPT: Final = 500
#: each of which holds a thread of the API for some seconds
MOST_TESTS: Final = 8
_tests = threading.BoundedSemaphore(MOST_TESTS)


def deliver(services: Services, webhook_id: int) -> None:
    """Deliver one webhook, if it is still pending and its receiver has not too many already."""
    with services.database.read() as session:
        row = session.get(WebhookRow, webhook_id)
    if row is None:
        monitoring.report_not_due()
        return
    is_due = row.status == WebhookStatus.WAITING and row.due_at <= services.now()
    if row.url.startswith((REPLY_SCHEME, mail.SCHEME)):  # the broker, or the SMTP server, takes any number at once
        if is_due:
            _deliver(services, webhook_id)
        return
    receiver = Receiver(host=urls.host(row.url), address=row.url.partition("?")[0], owner=row.owner)
    token = _begin(services, receiver, webhook_id)
    if token is None:
        monitoring.report("waits for its receiver")
        if is_due:
            now = services.now()
            services.write(webhooks.put_off, webhook_id, now, now + timedelta(seconds=_AGAIN_S), row.due_at)
        return
    try:
        if is_due:
            _deliver(services, webhook_id)
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
    for waiting in services.receivers.end(receiver, token) if receiver else ():
        collection, _, webhook_id = waiting.rpartition(":")
        with suppress(UnknownCollection):
            opened, now = services.of(collection), services.now()
            opened.write(webhooks.put_off, int(webhook_id), now, now)
            opened.dispatcher.send("wellread.notify", int(webhook_id))


def _deliver(services: Services, webhook_id: int) -> None:
    now = services.now()
    with services.database.write() as session:
        webhooks.put_off(session, webhook_id, now, now)  # its message may be there twice, and the other have put it off
        lease = leases.claim(session, WebhookRow, webhook_id, WebhookRow.status == WebhookStatus.WAITING, now)
        if lease is None:
            monitoring.report_not_due()
            return
        row = session.get_one(WebhookRow, webhook_id, populate_existing=True)
        about = dict(row.body or {})
        if row.question_id:
            known = asdict(records.read(session, row.question_id, now))
            about["question"] = {name: value for name, value in known.items() if name != "json"}  # the client's own
    if services.closed_owners([row.owner]):
        _record(services, lease, leases.MAX_ATTEMPTS, _Tried(error=_CLOSED))
        return
    message_id = f"msg_{row.question_id or services.collection.id}_{row.id}"
    with services.leases.holding(lease):
        fatal = row.attempts > leases.MAX_ATTEMPTS
        tried = _Tried(error=_FATAL) if fatal else _send(services, row, {"event": row.event, **about}, message_id)
    recorded(lambda: _record(services, lease, row.attempts, tried))


def sign(body: bytes, *, message_id: str, secret: str, now: datetime) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with a signature by each of the secrets that spaces separate.

    All attempts of one delivery have the same ``message_id``, so that a receiver can recognise a repeat.
    """
    headers = {"webhook-id": message_id, "webhook-timestamp": str(int(now.timestamp()))}
    if secret:
        signed = (Webhook(each).sign(message_id, now, body.decode()) for each in secret.split())
        headers["webhook-signature"] = " ".join(signed)
    return {"content-type": "application/json", **headers}


def test(services: Services, url: str, owner: str | None) -> WebhookTried:
    """Send a signed event to an address now; return what came back. Raises BadCallback, or Busy."""
    whole = check_callback(services, url, owner, of_question=False)
    with admitted(_tests, f"{MOST_TESTS} receivers are being tested, as many as may be at a time."):
        event = {"event": "webhook.test", "sent_at": services.now()}
        tried = _send(services, WebhookRow(url=whole, owner=owner), event, f"msg_test_{uuid4().hex}")
    signed = bool(services.settings.webhook_secret.get_secret_value())
    return to_value(WebhookTried, tried, delivered=tried.error is None, signed=signed)


def replay(services: Services, webhook_id: int, owner: str | None) -> Delivery | None:
    """Have a webhook be sent again; return it, or None where there is none, or it is not this owner's (None: all)."""
    with services.database.write() as session:
        if webhooks.find(session, webhook_id, owner) is None:
            return None
        webhooks.replay(session, webhook_id, services.now())
    services.dispatcher.send("wellread.notify", webhook_id)
    return services.read(webhooks.find, webhook_id, owner)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """What came of one try."""

    error: str | None = None
    response_status: int | None = None
    response: str | None = None
    seconds: float = 0.0


def _send(services: Services, row: WebhookRow, event: Mapping[str, Any], message_id: str) -> _Tried:
    now, began = services.now(), time.monotonic()
    body, secret = json.dumps(jsonable(event)).encode(), services.settings.webhook_secret.get_secret_value()
    headers = sign(body, message_id=message_id, secret=secret, now=now)
    if replies.is_reply(row.url):
        return _Tried(error=replies.send(services, row.url, **json.loads(body), message_id=message_id))
    if row.url.startswith(mail.SCHEME):
        address, about = row.url.removeprefix(mail.SCHEME), {name: str(event[name]) for name in ("title", "text")}
        return _Tried(error=mail.send(services.settings, address, **about, message_id=message_id))
    client, fetched, error = services.callback_client(services.callback_hosts_of(row.owner)), None, None
    try:
        fetched = services.wait_for(client.post(row.url, body=body, headers=headers))
    except NotPublic as refused:
        error = not_sent(refused)
    except FetchError as failed:
        error = str(failed)
    except Exception as failed:  # any failure is retried, and given up in the end
        log.exception("webhook_failed", url=webhooks.without_query(row.url))
        error = f"{type(failed).__name__}: {failed}"
    seconds = round(time.monotonic() - began, 3)
    if fetched is None:
        return _Tried(error=(error or "").replace(row.url, webhooks.without_query(row.url)), seconds=seconds)
    return _Tried(
        error=None if fetched.status < 300 else f"the receiver answered {fetched.status}",
        response_status=fetched.status,
        response=storable(fetched.body[:MOST_KEPT].decode("utf-8", "replace")),
        seconds=seconds,
    )


def _record(services: Services, lease: leases.Lease, attempts: int, tried: _Tried) -> None:
    monitoring.report(f"failed: {tried.error}" if tried.error else "delivered")
    now = services.now()
    values = asdict(tried) | {"tried_at": now}
    with services.database.write() as session:
        if tried.error is None:
            webhooks.finish(session, lease, WebhookStatus.DELIVERED, now, **values)
        elif attempts >= leases.MAX_ATTEMPTS:
            webhooks.finish(session, lease, WebhookStatus.FAILED, now, **values)
        else:
            due_at = now + timedelta(seconds=4 * leases.backoff_s(attempts))
            leases.retry_later(session, lease, due_at, **values)
