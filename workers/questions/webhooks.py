"""Delivers webhooks when questions end: a signed POST through the same guard as every fetch, with retries."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from standardwebhooks import Webhook

from crawler.fetch.guard import FetchError
from store.questions import records, webhooks
from store.sql import leases
from store.sql.rows import jsonable
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus
from workers.monitoring import outcomes
from workers.services.outages import recorded

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

_CLOSED = "the key that asked was revoked or has expired"
_FATAL = "delivering it stopped the worker again and again"


def deliver(services: Services, webhook_id: int) -> None:
    """Deliver one webhook, if it is still pending."""
    now = services.now()
    with services.database.write() as session:
        lease = leases.claim(session, WebhookRow, webhook_id, WebhookRow.status == WebhookStatus.WAITING, now)
        if lease is None:
            outcomes.tell(outcomes.NOT_DUE)
            return
        row = session.get_one(WebhookRow, webhook_id, populate_existing=True)
        owner = session.get_one(QuestionRow, row.question_id).owner
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
    outcomes.tell(f"failed: {error}" if error else "delivered")
    now = services.now()
    with services.database.write() as session:
        if error is None:
            webhooks.finish(session, lease, WebhookStatus.DELIVERED, now)
        elif attempts >= leases.MAX_ATTEMPTS:
            webhooks.finish(session, lease, WebhookStatus.FAILED, now, error)
        else:
            leases.retry_later(session, lease, now + timedelta(seconds=4 * leases.backoff_s(attempts)), error)
