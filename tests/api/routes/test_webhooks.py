"""The log of webhooks over HTTP, in both clients and on the command line."""

from __future__ import annotations

from starlette.testclient import TestClient

from store.questions import webhooks
from workers.services import Services


def _add(services: Services, **values: object) -> int:
    with services.database.write() as session:
        url = "https://example.org/told?key=1"
        return webhooks.add_event(session, "x.y", {}, services.now(), url=url, **values)  # type: ignore[arg-type]


def test_log_is_read_part_by_part_and_by_state(http: TestClient, services: Services) -> None:
    ids = [_add(services) for _ in range(3)]
    first = http.get("/api/webhooks", params={"limit": 2}).json()
    assert [each["id"] for each in first] == ids[:0:-1]
    assert first[0]["url"] == "https://example.org/told?…"
    rest = http.get("/api/webhooks", params={"before": first[-1]["id"]}).json()
    assert [each["id"] for each in rest] == ids[:1]
    assert http.get("/api/webhooks", params={"status": "FAILED"}).json() == []
    assert http.get("/api/webhooks", params={"status": "LOST"}).status_code == 422
    assert http.get("/api/webhooks", params={"question": "0" * 32}).json() == []


def test_webhook_is_sent_again(http: TestClient, services: Services) -> None:
    webhook_id = _add(services)
    sent = http.post(f"/api/webhooks/{webhook_id}/replay")
    assert (sent.status_code, sent.json()["status"]) == (202, "WAITING")
    missing = http.post("/api/webhooks/999/replay")
    assert (missing.status_code, missing.json()["detail"]) == (
        404,
        "There is no webhook 999: GET /api/webhooks lists them.",
    )


def test_receiver_that_may_not_be_told_is_refused_in_words_about_webhooks(http: TestClient) -> None:
    for url in ("http://10.0.0.1/", "https://example.org:9000/"):
        for route, body in (
            ("/api/webhooks/test", {"url": url}),
            ("/api/questions", {"question": "Who built it?", "callback_url": url}),
        ):
            refused = http.post(route, json=body)
            assert refused.status_code == 422
            assert refused.json()["type"].endswith("bad-callback")
            assert "No webhook is sent there" in refused.json()["detail"]
            assert "read" not in refused.json()["detail"].replace("WELLREAD", "").replace("wellread", "")


def test_task_is_not_tested_like_a_receiver(http: TestClient) -> None:
    refused = http.post("/api/webhooks/test", json={"url": "celery://orders/orders.answered"})
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (422, "bad-callback")


def test_question_refuses_an_event_that_there_is_not(http: TestClient) -> None:
    body = {"question": "Who?", "callback_url": "https://example.org/", "callback_events": ["question.born"]}
    assert "callback_events" in http.post("/api/questions", json=body).json()["detail"]


def test_key_has_hosts_of_its_own(http: TestClient) -> None:
    made = http.post("/api/keys", json={"name": "crm", "callback_hosts": ["CRM.internal:9000", "10.0.0.0/8"]})
    assert (made.status_code, made.json()["callback_hosts"]) == (201, ["crm.internal:9000", "10.0.0.0/8"])
    changed = http.patch("/api/keys/crm", json={"callback_hosts": ["[fd00::/8]:9000"], "questions_per_day": 5})
    assert (changed.json()["callback_hosts"], changed.json()["limits"]) == (
        ["[fd00::/8]:9000"],
        {"questions_per_day": 5},
    )
    changed = http.patch("/api/keys/crm", json={"callback_hosts": None})
    assert (changed.json()["callback_hosts"], changed.json()["limits"]) == ([], {"questions_per_day": 5})
    for wrong in ("http://crm.internal/", "10.0.0.0/40", "crm.internal:99999", "", "a b"):
        refused = http.patch("/api/keys/crm", json={"callback_hosts": [wrong]})
        assert refused.status_code == 422, wrong
        assert "is not a host: write" in refused.json()["detail"]
