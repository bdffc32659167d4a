"""Subscriptions: adds, lists, changes, runs and deletes them; gives their news, also as feeds."""

import hmac
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any
from xml.etree import ElementTree

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from api.dependencies import AccessDep, MainDep, ServicesDep
from api.middleware.auth import ASK, CallerDep, allow
from api.schemas.requests import SubscriptionChanges, SubscriptionRequest
from crawler.discovery.schedule import BadSchedule, schedule_of
from domain.access import DEFAULT, Role, UnknownCollection
from domain.subscription import News, Subscription
from store import subscriptions as stored
from store.subscriptions import UnknownSubscription
from workers import subscriptions

router = APIRouter(prefix="/api/subscriptions", tags=["subscriptions"], dependencies=ASK)
feed_router = APIRouter(prefix="/api/subscriptions", tags=["subscriptions"])
_ATOM = "{http://www.w3.org/2005/Atom}"
_SCHEDULE = {"every", "cron", "zone"}


def _known(
    given: Annotated[str, Path(alias="subscription_id", max_length=64, description="The subscription's id.")],
    services: ServicesDep,
    who: CallerDep,
) -> str:
    return services.read(stored.find, given, who.restricted_to).id


SubscriptionId = Annotated[str, Depends(_known)]


@router.get("")
def every(services: ServicesDep, who: CallerDep) -> list[Subscription]:
    """The subscriptions, oldest first; a key with the role ask sees its own."""
    return services.read(stored.list_all, who.restricted_to)


@router.post("", status_code=201)
def add(body: SubscriptionRequest, access: AccessDep, who: CallerDep) -> Subscription:
    """Subscribe to a question or subject; it is looked up at once, and then by its schedule. `email`: role operate."""
    if body.email:
        allow(who.role, Role.operate)
    wanted = schedule_of(every=body.every, cron=body.cron, zone=body.zone or "UTC")
    if wanted is None:
        raise BadSchedule(
            'A subscription needs a schedule: give `every`, such as "6h", or `cron`, such as "0 7 * * *".'
        )
    return subscriptions.add(
        access.open(body.collection),
        body.asked(),
        body.options,
        wanted,
        is_subject=bool(body.subject),
        owner=who.owner,
        private=who.role < Role.operate,
        callback_url=body.callback_url,
        email=body.email,
    )


@router.get("/{subscription_id}")
def one(subscription_id: SubscriptionId, services: ServicesDep) -> Subscription:
    """A subscription."""
    return services.read(stored.find, subscription_id)


@router.patch("/{subscription_id}")
def change(
    subscription_id: SubscriptionId, body: SubscriptionChanges, services: ServicesDep, who: CallerDep
) -> Subscription:
    """Change the schedule or the receivers, or pause it; null takes a receiver back, and what is left out stays."""
    if body.email:
        allow(who.role, Role.operate)
    sent = body.model_dump(exclude_unset=True)
    planned = {name: each for name, each in sent.items() if name in _SCHEDULE}
    changes = {name: each for name, each in sent.items() if name not in _SCHEDULE}
    return subscriptions.change(services, subscription_id, changes, planned)


@router.delete("/{subscription_id}", status_code=204)
def remove(subscription_id: SubscriptionId, services: ServicesDep) -> None:
    """Delete a subscription with its news."""
    services.write(stored.remove, subscription_id)


@router.post("/{subscription_id}/run", status_code=202)
def run(subscription_id: SubscriptionId, services: ServicesDep) -> Subscription:
    """Look it up now, also if it is paused."""
    return subscriptions.run(services, subscription_id)


@router.get("/{subscription_id}/news")
def news(subscription_id: SubscriptionId, services: ServicesDep) -> list[News]:
    """What was new, the latest first, at most 50 times."""
    return services.read(stored.news_of, subscription_id)


def _feed(
    subscription_id: str,
    main: MainDep,
    token: Annotated[str, Query(max_length=100, description="The subscription's `feed_token`.")] = "",
    collection: Annotated[str, Query(max_length=100, description="The collection; default: `default`.")] = DEFAULT,
) -> tuple[Subscription, list[News]]:
    with suppress(UnknownCollection, UnknownSubscription):
        services = main.of(collection)
        found = services.read(stored.find, subscription_id)
        if hmac.compare_digest(found.feed_token.encode(), token.encode()) and not services.closed_owners([found.owner]):
            return found, services.read(stored.news_of, subscription_id)
    raise UnknownSubscription("There is no such feed: check its address and its token.")


FeedDep = Annotated[tuple[Subscription, list[News]], Depends(_feed)]


def _title(found: Subscription) -> str:
    return f"Wellread: {found.question or found.subject}"


@feed_router.get("/{subscription_id}/feed.atom", response_class=Response)
def atom(feed: FeedDep, request: Request) -> Response:
    """What was new as an Atom feed; it needs the token and no key."""
    found, items = feed
    root = ElementTree.Element(f"{_ATOM}feed")
    own = f"urn:wellread:subscription:{found.id}"
    updated = items[0].created_at if items else found.created_at
    _add(root, ("id", own), ("title", _title(found)), ("updated", updated.isoformat()))
    ElementTree.SubElement(root, f"{_ATOM}link", rel="self", href=str(request.url))
    ElementTree.SubElement(ElementTree.SubElement(root, f"{_ATOM}author"), f"{_ATOM}name").text = "Wellread"
    for each in items:
        entry = ElementTree.SubElement(root, f"{_ATOM}entry")
        _add(entry, ("id", f"{own}:{each.id}"), ("title", each.title), ("updated", each.created_at.isoformat()))
        if url := _url(each):
            ElementTree.SubElement(entry, f"{_ATOM}link", rel="alternate", href=url)
        ElementTree.SubElement(entry, f"{_ATOM}content", type="text").text = _plain(subscriptions.written(each))
    ElementTree.register_namespace("", _ATOM.strip("{}"))
    return Response(ElementTree.tostring(root, "utf-8", xml_declaration=True), media_type="application/atom+xml")


@feed_router.get("/{subscription_id}/feed.json")
def json_feed(feed: FeedDep, request: Request) -> dict[str, Any]:
    """What was new as a JSON Feed 1.1; it needs the token and no key."""
    found, items = feed
    entries: Sequence[dict[str, Any]] = [
        {
            "id": f"urn:wellread:subscription:{found.id}:{each.id}",
            "title": each.title,
            "content_text": subscriptions.written(each),
            "date_published": each.created_at.isoformat(),
        }
        | ({"url": url} if (url := _url(each)) else {})
        for each in items
    ]
    about = {"version": "https://jsonfeed.org/version/1.1", "title": _title(found), "feed_url": str(request.url)}
    return about | {"items": entries}


def _url(news: News) -> str:
    named = [each.url for each in news.citations] + [each.url for each in (*news.added, *news.changed)]
    return next((url for url in named if url.startswith("http")), "")


def _add(parent: ElementTree.Element, *parts: tuple[str, str]) -> None:
    for name, text in parts:
        ElementTree.SubElement(parent, f"{_ATOM}{name}").text = _plain(text)


def _plain(text: str) -> str:
    """Return the text without what XML cannot hold."""
    return "".join(each for each in text if each in "\t\n\r" or (each >= " " and each not in "\ufffe\uffff"))
