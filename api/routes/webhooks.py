"""Lists webhooks with what came of them, sends one again, and tries a receiver."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import ASK, CallerDep
from api.middleware.problems import NotFound
from api.routes.pages import RowId
from api.schemas.requests import WebhooksWanted, WebhookTest
from domain.record import Delivery, WebhookTried
from store.questions import webhooks
from workers.questions import webhooks as sending

router = APIRouter(prefix="/api/webhooks", tags=["webhooks"], dependencies=ASK)


@router.get("")
def every(wanted: Annotated[WebhooksWanted, Query()], services: ServicesDep, who: CallerDep) -> list[Delivery]:
    """The webhooks, newest first, each with the receiver's last response; a key with the role ask sees its own."""
    return services.read(
        webhooks.list_all,
        owner=who.restricted_to,
        status=wanted.status,
        question_id=wanted.question.hex if wanted.question else "",
        before=wanted.before,
        limit=wanted.limit,
    )


@router.post("/test")
def test(body: WebhookTest, access: AccessDep, who: CallerDep) -> WebhookTried:
    """Send a signed `webhook.test` to an address now; return what came back."""
    return sending.test(access.open(body.collection), body.url, who.owner)


@router.post("/{webhook_id}/replay", status_code=202)
def replay(webhook_id: RowId, services: ServicesDep, who: CallerDep) -> Delivery:
    """Send a webhook again, up to five times, also one that was delivered; its `webhook-id` stays the same."""
    found = sending.replay(services, webhook_id, who.restricted_to)
    if found is None:
        raise NotFound(f"There is no webhook {webhook_id}: GET /api/webhooks lists them.")
    return found
