"""A key opens its own collections and sees its own questions; an operator sees all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api import streams
from api.app import create_app
from domain.access import Role
from store import keys as stored
from store.sql.tables import ApiKeyRow, QuestionRow
from tests.api import walk
from tests.api.conftest import LOCAL, serving
from workers.services import Services
from workers.services import collections as kept
from workers.settings import SettingsError

ADMIN = {"X-API-Key": "the-admin"}
ASKED = {"question": "Who keeps it?", "crawl_enabled": False}


@pytest.fixture
def guarded(services: Services) -> Iterator[TestClient]:
    """The API with one key in its settings, that of an administrator, and a collection beside the default one."""
    keys = tuple(map(SecretStr, ("admin:the-admin", "ask:setting-a", "ask:setting-b", "ask@research:bound")))
    services.settings = services.settings.model_copy(update={"api_keys": keys})
    kept.add(services, "research")
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client


def made(http: TestClient, name: str, **more: Any) -> dict[str, str]:
    """The headers of a new key."""
    response = http.post("/api/keys", json={"name": name, **more}, headers=ADMIN)
    assert response.status_code == 201, response.text
    return {"X-API-Key": response.json()["secret"]}


def asked(http: TestClient, headers: dict[str, str], **more: Any) -> str:
    """The id of a new question."""
    response = http.post("/api/questions", json={**ASKED, **more}, headers=headers)
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


def test_question_is_its_owners_alone(guarded: TestClient) -> None:
    owner, stranger, operator = (made(guarded, n, role=r) for n, r in (("a", "ask"), ("b", "ask"), ("o", "operate")))
    theirs = asked(guarded, owner)
    for method, part in (
        ("GET", ""), ("GET", "/trace"), ("GET", "/related"), ("GET", "/events"), ("GET", "/changes"),
        ("POST", "/cancel"), ("POST", "/replay"), ("POST", "/watch"), ("DELETE", "/watch"),
    ):  # fmt: skip
        response = guarded.request(method, f"/api/questions/{theirs}{part}", headers=stranger)
        assert (method, part, response.status_code) == (method, part, 404)
        assert response.json()["type"] == "unknown-question"
    said = {"verdict": "right"}
    assert guarded.post(f"/api/questions/{theirs}/feedback", json=said, headers=stranger).status_code == 404
    callback = {"callback_url": "https://stranger.example/hook"}
    assert guarded.post(f"/api/questions/{theirs}/watch", json=callback, headers=stranger).status_code == 404
    for one in (owner, operator, ADMIN):
        assert guarded.get(f"/api/questions/{theirs}", headers=one).status_code == 200
        assert guarded.get(f"/api/questions/{theirs}/trace", headers=one).status_code == 200
    assert guarded.get(f"/api/questions/{theirs}", headers=owner).json()["status"] == "ASKED"
    assert guarded.post(f"/api/questions/{theirs}/cancel", headers=owner).json()["status"] == "CANCELLED"


def test_lists_show_an_askers_own_and_an_operator_all(guarded: TestClient) -> None:
    owner, stranger = made(guarded, "a"), made(guarded, "b")
    first, second = asked(guarded, owner), asked(guarded, stranger)
    for path, name in (("/api/questions", "id"), ("/api/watches", "question_id")):
        if name == "question_id":
            for question_id, headers in ((first, owner), (second, stranger)):
                assert guarded.post(f"/api/questions/{question_id}/watch", headers=headers).status_code == 200
        listed = [[each[name] for each in guarded.get(path, headers=h).json()] for h in (owner, stranger, ADMIN)]
        assert listed[:2] == [[first], [second]]
        assert sorted(listed[2]) == sorted([first, second])


def test_keys_of_the_settings_own_their_questions_too(guarded: TestClient, services: Services) -> None:
    one, other = {"X-API-Key": "setting-a"}, {"X-API-Key": "setting-b"}
    theirs = asked(guarded, one)
    assert guarded.get(f"/api/questions/{theirs}", headers=other).status_code == 404
    again = TestClient(create_app(services), base_url=LOCAL)  # after a restart
    assert again.get(f"/api/questions/{theirs}", headers=one).status_code == 200
    with services.database.read() as session:
        assert "setting-a" not in str(session.get_one(QuestionRow, theirs).owner)


def test_id_and_idempotency_key_of_another_owner_tell_nothing(guarded: TestClient) -> None:
    owner, stranger = made(guarded, "a"), made(guarded, "b")
    key = {"Idempotency-Key": "order-7"}
    theirs = asked(guarded, owner | key)
    assert asked(guarded, stranger | key) != theirs
    response = guarded.post("/api/questions", json={**ASKED, "id": theirs}, headers=stranger)
    assert response.status_code == 409
    assert "belongs to" not in response.text
    assert guarded.post("/api/questions", json=ASKED, headers=owner | key).json()["id"] == theirs


def test_key_opens_its_collections_alone(guarded: TestClient) -> None:
    bound, whole = made(guarded, "bound", collections=["research"]), made(guarded, "whole")
    mine = asked(guarded, bound)  # the key's first collection is meant
    there = {"collection": "research"}
    assert guarded.get(f"/api/questions/{mine}", params=there, headers=bound).status_code == 200
    assert guarded.get(f"/api/questions/{mine}", headers=ADMIN).status_code == 404
    assert guarded.get(f"/api/questions/{mine}", params=there, headers=ADMIN).status_code == 200
    for refused in (
        guarded.get("/api/questions", params={"collection": "default"}, headers=bound),
        guarded.post("/api/questions", json={**ASKED, "collection": "default"}, headers=bound),
        guarded.post("/api/search", json={"query": "it", "collection": "default"}, headers=bound),
        guarded.get("/api/questions", params={"collection": "nowhere"}, headers=whole),
    ):
        assert (refused.status_code, refused.json()["type"]) == (404, "unknown-collection")
    listed = [[c["name"] for c in guarded.get("/api/collections", headers=h).json()] for h in (bound, whole, ADMIN)]
    assert listed == [["research"], ["default", "research"], ["default", "research"]]
    of_settings = guarded.get("/api/collections", headers={"X-API-Key": "bound"}).json()
    assert [each["name"] for each in of_settings] == ["research"]


def test_key_of_a_deleted_collection_opens_no_later_one_of_that_name(guarded: TestClient) -> None:
    bound = made(guarded, "bound", collections=["research"])
    assert guarded.delete("/api/collections/research", headers=ADMIN).status_code == 204
    assert guarded.post("/api/collections", json={"name": "research"}, headers=ADMIN).status_code == 201
    assert guarded.get("/api/collections", headers=bound).json() == []
    assert guarded.get("/api/questions", headers=bound).status_code == 404
    assert guarded.get("/api/questions", params={"collection": "research"}, headers=bound).status_code == 404


def test_revoked_and_expired_keys_open_nothing(guarded: TestClient, services: Services) -> None:
    revoked = made(guarded, "revoked")
    assert guarded.get("/api/questions", headers=revoked).status_code == 200
    assert guarded.delete("/api/keys/revoked", headers=ADMIN).status_code == 204
    now = datetime.now(UTC)
    with services.database.write() as session:
        soon = stored.add(session, "soon", Role.admin, now - timedelta(days=2), expires_at=now - timedelta(days=1))
    for headers in (revoked, {"X-API-Key": str(soon.secret)}, {"X-API-Key": "wr-guessed"}):
        assert guarded.get("/api/questions", headers=headers).status_code == 401


def test_secret_is_shown_once_and_kept_as_a_hash(guarded: TestClient, services: Services) -> None:
    secret = made(guarded, "once")["X-API-Key"]
    assert [key["secret"] for key in guarded.get("/api/keys", headers=ADMIN).json()] == [None]
    files = [path for path in services.settings.data_dir.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]


@pytest.mark.parametrize("role", ["ask", "operate"])
def test_only_a_whole_admin_key_makes_keys_and_collections(guarded: TestClient, role: str) -> None:
    for headers in (made(guarded, role, role=role), made(guarded, "part", role="admin", collections=["research"])):
        assert guarded.get("/api/keys", headers=headers).status_code == 403
        assert guarded.post("/api/keys", json={"name": "more", "role": "admin"}, headers=headers).status_code == 403
        assert guarded.post("/api/collections", json={"name": "more"}, headers=headers).status_code == 403
        assert guarded.delete("/api/collections/research", headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"name": ""}, "bad-key-name"),
        ({"name": "../x"}, "bad-key-name"),
        ({"name": "x" * 300}, "bad-key-name"),
        ({"name": "0123456789AB"}, "bad-key-name"),
        ({"name": "x", "collections": ["nowhere"]}, "unknown-collection"),
        ({"name": "x", "collections": []}, "bad-request"),
        ({"name": "x", "role": "root"}, "bad-request"),
        ({"name": "x", "expires_at": "2001-01-01T00:00:00Z"}, "bad-expiry"),
        ({"name": "THERE"}, "key-exists"),
    ],
)
def test_key_that_cannot_be_made_says_why(guarded: TestClient, body: dict[str, Any], kind: str) -> None:
    made(guarded, "there")
    response = guarded.post("/api/keys", json=body, headers=ADMIN)
    assert (response.status_code in (404, 409, 422), response.json()["type"]) == (True, kind)
    assert response.json()["what_to_do"]


def test_made_key_suffices_beyond_loopback(services: Services) -> None:
    services.settings = services.settings.model_copy(update={"api_host": "0.0.0.0"})
    with pytest.raises(SettingsError, match="wellread keys add"):
        create_app(services)
    with services.database.write() as session:
        key = stored.add(session, "first", Role.admin, services.now())
    with TestClient(create_app(services), base_url="http://wellread.example") as client:
        assert client.get("/api/questions").status_code == 401
        assert client.get("/api/questions", headers={"X-API-Key": str(key.secret)}).status_code == 200


def test_on_this_machine_a_made_key_narrows_and_none_is_needed(http: TestClient) -> None:
    secret = http.post("/api/keys", json={"name": "narrow"}).json()["secret"]
    assert http.get("/api/keys").status_code == 200
    assert http.get("/api/keys", headers={"X-API-Key": "whatever"}).status_code == 200
    assert http.get("/api/keys", headers={"X-API-Key": secret}).status_code == 403


def test_statistics_tell_a_key_of_what_it_may_see(guarded: TestClient) -> None:
    owner, stranger = made(guarded, "a"), made(guarded, "b")
    bound = made(guarded, "bound", role="operate", collections=["research"])
    for _ in range(2):
        asked(guarded, owner)
    asked(guarded, bound)
    told = [guarded.get("/api/stats", headers=headers).json() for headers in (owner, stranger, bound, ADMIN)]
    assert [sum(each["questions"].values()) for each in told] == [2, 0, 1, 2]
    assert [each["queues"] is None for each in told] == [False, False, True, False]


WAITS = (
    ("/api/chat", {"question": "Who keeps it?", "wait": 60}),
    ("/v1/chat/completions", {"model": "wellread", "messages": [{"role": "user", "content": "Who keeps it?"}]}),
    (
        "/v1/chat/completions",
        {"model": "wellread", "stream": True, "messages": [{"role": "user", "content": "Who keeps it?"}]},
    ),
)


@pytest.mark.parametrize(("path", "body"), WAITS, ids=["chat", "completion", "streamed completion"])
def test_request_that_waits_ends_with_its_key(
    services: Services, path: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SILENCE_S", 0.2)
    services.settings = services.settings.model_copy(update={"api_keys": (SecretStr("admin:the-admin"),)})
    with (
        serving(create_app(services)) as url,
        httpx2.Client(base_url=url, trust_env=False, timeout=30) as http,
        ThreadPoolExecutor(1) as pool,
    ):
        own = {"X-API-Key": http.post("/api/keys", json={"name": "reader"}, headers=ADMIN).json()["secret"]}
        waiting = pool.submit(http.post, path, json=body, headers=own)
        while not (found := http.get("/api/questions", headers=ADMIN).json()):
            time.sleep(0.05)
        assert http.delete("/api/keys/reader", headers=ADMIN).status_code == 204
        time.sleep(1.0)  # a key is looked up once a second at most
        walk.move(services, found[0]["id"], walk.answered())
        response = waiting.result(30)
    assert "Tallis" not in response.text
    assert "was revoked" in response.text
    assert response.status_code == (200 if body.get("stream") else 401)


@pytest.mark.parametrize("stream", ["changes", "events"])
@pytest.mark.parametrize("ends", ["revoked", "expired"])
def test_open_stream_ends_with_its_key(
    services: Services, stream: str, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "CHANGES_SILENCE_S", 0.2)
    monkeypatch.setattr(streams, "SILENCE_S", 0.2)
    keys = tuple(map(SecretStr, ("admin:the-admin",)))
    services.settings = services.settings.model_copy(update={"api_keys": keys})
    with serving(create_app(services)) as url, httpx2.Client(base_url=url, trust_env=False, timeout=10) as http:
        made = http.post("/api/keys", json={"name": "reader", "role": "ask"}, headers=ADMIN).json()
        own = {"X-API-Key": made["secret"]}
        question_id = http.post("/api/questions", json={**ASKED, "watch": True}, headers=own).json()["id"]
        with http.stream("GET", f"/api/questions/{question_id}/{stream}", headers=own) as response:
            assert response.status_code == 200
            if ends == "revoked":
                assert http.delete("/api/keys/reader", headers=ADMIN).status_code == 204
            else:
                with services.database.write() as session:
                    session.get_one(ApiKeyRow, made["id"]).expires_at = services.now()
            said = response.read().decode()  # it would not return as long as the stream is open
    assert "stopped" not in said
    assert "final" not in said
