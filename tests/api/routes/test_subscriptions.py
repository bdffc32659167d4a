"""Subscriptions over HTTP: what can be subscribed to, who sees whose, and the feeds."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from store import subscriptions as stored
from store.sql.tables import SubscriptionRow
from tests.api.conftest import LOCAL
from workers.services import Services

ASKED = {"question": "Who built the lighthouse?", "every": "1d"}


def test_subscription_is_made_changed_run_and_deleted(http: TestClient) -> None:
    made = http.post("/api/subscriptions", json=ASKED | {"options": {"length": "short", "langs": ["en"]}})
    assert made.status_code == 201, made.text
    at = f"/api/subscriptions/{made.json()['id']}"
    assert (made.json()["question"], made.json()["subject"]) == ("Who built the lighthouse?", None)
    assert made.json()["schedule"] == {"every_s": 86400.0, "cron": "", "zone": "UTC"}
    assert "owner" not in made.json()
    changed = http.patch(at, json={"cron": "0 7 * * 1-5", "zone": "Europe/Berlin", "paused": True}).json()
    assert (changed["schedule"]["cron"], changed["paused"], changed["next_due"]) == ("0 7 * * 1-5", True, None)
    assert http.post(f"{at}/run").status_code == 202
    assert [each["id"] for each in http.get("/api/subscriptions").json()] == [made.json()["id"]]
    assert http.get(f"{at}/news").json() == []
    assert http.delete(at).status_code == 204
    gone = http.get(at)
    assert (gone.status_code, gone.json()["type"].rpartition("/")[2]) == (404, "unknown-subscription")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"every": "1d"}, "give either a question or a subject"),
        (ASKED | {"subject": "ferries"}, "give either a question or a subject"),
        ({"question": "Who?"}, "A subscription needs a schedule"),
        (ASKED | {"every": "soon"}, "is not an interval"),
        (ASKED | {"every": "4m"}, "every five minutes at most"),
        (ASKED | {"cron": "0 7 * * *"}, "give one of them"),
        ({"question": "Who?", "cron": "0 0 31 2 *"}, "has a wrong day-of-month"),
        ({"question": "Who?", "cron": "0 7 * * *", "zone": "Europe/Atlantis"}, "There is no time zone"),
        (ASKED | {"options": {"colour": "red"}}, "options.colour: unknown field"),
        (ASKED | {"options": {"watch": True}}, "watch cannot be set for a subscription"),
        (ASKED | {"options": {"sites": ["http://10.0.0.1/"]}}, "not public"),
        (ASKED | {"callback_url": "http://10.0.0.1/"}, "No webhook is sent there"),
        (ASKED | {"callback_url": "celery://orders/orders.new"}, "No webhook can be sent there"),
        (ASKED | {"email": "anna@example.org"}, "WELLREAD_SMTP_URL"),
    ],
)
def test_subscription_that_could_not_work_is_refused_in_words(http: TestClient, body: object, words: str) -> None:
    refused = http.post("/api/subscriptions", json=body)
    assert refused.status_code == 422
    assert words in refused.json()["detail"]


def test_key_sees_its_own_subscriptions_and_its_feed_needs_the_token_alone(services: Services) -> None:
    keys = tuple(map(SecretStr, ("ask:one", "ask:other", "operate:staff")))
    services.settings = services.settings.model_copy(update={"api_keys": keys})
    with TestClient(create_app(services), base_url=LOCAL) as http:
        made = http.post("/api/subscriptions", json=ASKED, headers={"x-api-key": "one"}).json()
        for key, sees in (("one", 1), ("other", 0), ("staff", 1)):
            assert len(http.get("/api/subscriptions", headers={"x-api-key": key}).json()) == sees
        at = f"/api/subscriptions/{made['id']}"
        assert http.get(at, headers={"x-api-key": "other"}).status_code == 404
        assert http.patch(at, json={"email": "a@example.org"}, headers={"x-api-key": "one"}).status_code == 403
        with services.database.write() as session:
            row = session.get_one(SubscriptionRow, made["id"])
            cited = {"n": 1, "url": "https://example.org/a", "title": "A", "quote": "q"}
            text = "Anna <b>Blake</b> & co\x0b [1]"
            stored.add_news(session, row, services.now(), title="News", text=text, citations=[cited], pages={})
        token = {"token": made["feed_token"]}
        atom = http.get(f"{at}/feed.atom", params=token)
        assert (atom.status_code, atom.headers["content-type"].partition(";")[0]) == (200, "application/atom+xml")
        named = {"a": "http://www.w3.org/2005/Atom"}
        (entry,) = ElementTree.fromstring(atom.content).findall("a:entry", named)
        assert (entry.findtext("a:content", "", named)).startswith("Anna <b>Blake</b> & co [1]")
        assert entry.find("a:link", named).attrib["href"] == "https://example.org/a"  # type: ignore[union-attr]
        feed = http.get(f"{at}/feed.json", params=token).json()
        assert (feed["version"], len(feed["items"])) == ("https://jsonfeed.org/version/1.1", 1)
        assert feed["items"][0]["url"] == "https://example.org/a"
        for wrong in ({}, {"token": "x"}, token | {"collection": "none"}):
            assert http.get(f"{at}/feed.json", params=wrong).status_code == 404
