"""Keys open what their role allows; without keys nobody but this machine's user gets in."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from api.middleware.auth import KeyRing, check_exposure, parse_keys
from domain import Candidate
from domain.access import Role
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.pages import visibility
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.services import Services
from workers.services.dispatch import Dispatcher
from workers.settings import Settings, SettingsError, load

#: a page that was read for the question 111… alone
PRIVATE = "https://example.org/private"
KEYS = ("ask:reader-key", "operate:operator-key", "admin:admin:key", "ask:reader-key-2")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, valkey_url: str, migrated_file: Path) -> Iterator[TestClient]:
    """One application with keys for all tests: what it keeps does not matter here."""
    folder = tmp_path_factory.mktemp("guarded")
    shutil.copy(migrated_file, folder)
    keys = tuple(map(SecretStr, KEYS))
    services = Services(load(data_dir=folder, redis_url=valkey_url, api_keys=keys, api_host="0.0.0.0"))
    services.__dict__["dispatcher"] = Dispatcher(Celery(broker=services.settings.broker))
    page_id = walk.keep_page(services, PRIVATE)
    with services.database.write() as session:
        for question_id, key in (("1" * 32, "reader-key"), ("3" * 32, "reader-key-2")):
            owner = KeyRing(services, parse_keys(keys)).caller(key).owner
            new_questions.ask(session, NewQuestion(id=question_id, text="Who?", owner=owner), services.now())
            visibility.grant(session, question_id, [PRIVATE])
        session.get_one(PageRow, page_id).private = True
        for question_id, url in (("1" * 32, "https://example.org/other"), (None, PRIVATE)):
            found = [Candidate(url=url, origin="test")]
            candidates.add(session, question_id, found, wave=0, status=CandidateStatus.WAITING, now=services.now())
    with TestClient(create_app(services), base_url="http://wellread.example", raise_server_exceptions=False) as client:
        yield client
    services.database.close()


#: method, path, body, and the status each of no key, ask, operate and admin gets
RIGHTS = [
    ("GET", "/api/questions", None, (401, 200, 200, 200)),
    ("POST", "/api/questions", {"question": "Why?"}, (401, 202, 202, 202)),
    ("POST", "/api/chat", {"question": "Why?", "wait": 0}, (401, 202, 202, 202)),
    ("GET", "/v1/models", None, (401, 200, 200, 200)),
    ("GET", "/api/pages", None, (401, 403, 200, 200)),
    ("GET", "/api/pages/1", None, (401, 404, 200, 200)),
    ("GET", "/api/pages/1/versions", None, (401, 404, 200, 200)),
    ("GET", "/api/pages/2", None, (401, 404, 404, 404)),
    ("GET", f"/api/pages?url={PRIVATE}", None, (401, 404, 200, 200)),
    ("GET", f"/api/pages/1?question_id={'2' * 32}", None, (401, 404, 200, 200)),
    ("GET", f"/api/pages/1?question_id={'1' * 32}", None, (401, 200, 200, 200)),
    ("GET", f"/api/pages?url={PRIVATE}&question_id={'1' * 32}", None, (401, 200, 200, 200)),
    ("GET", f"/api/pages/1?question_id={'3' * 32}", None, (401, 404, 200, 200)),
    ("GET", f"/api/questions/{'1' * 32}", None, (401, 200, 200, 200)),
    ("GET", f"/api/questions/{'3' * 32}", None, (401, 404, 200, 200)),
    ("GET", "/api/collections", None, (401, 200, 200, 200)),
    ("POST", "/api/collections", {"name": "default"}, (401, 403, 403, 409)),
    ("DELETE", "/api/collections/nowhere", None, (401, 403, 403, 404)),
    ("GET", "/api/keys", None, (401, 403, 403, 200)),
    # read for a question; a private page that is due
    ("GET", "/api/reads/1", None, (401, 404, 200, 200)),
    ("GET", "/api/reads/2", None, (401, 404, 200, 200)),
    ("GET", "/api/threads", None, (401, 200, 200, 200)),
    ("DELETE", f"/api/threads/{0:032}", None, (401, 403, 404, 404)),
    ("GET", "/api/sources", None, (401, 200, 200, 200)),
    ("POST", "/api/sources", {"url": "https://example.org"}, (401, 403, 201, 201)),
    ("POST", "/api/sources", {"url": "http://127.0.0.1:9", "own": True}, (401, 403, 403, 201)),
    ("POST", "/api/sources", {"url": "https://example.org", "access": {"user": "a"}}, (401, 403, 403, 422)),
    ("PATCH", "/api/sources/99", {"access": {"proxy": "http://proxy.example:3128"}}, (401, 403, 403, 404)),
    ("PATCH", "/api/sources/99", {"ignore_robots": True}, (401, 403, 403, 404)),
    ("DELETE", "/api/sources/99", None, (401, 403, 404, 404)),
    ("POST", "/api/reads", {"url": "https://example.org"}, (401, 403, 202, 202)),
    ("GET", "/api/reads/3", None, (401, 200, 200, 200)),
    ("GET", "/healthz", None, (200, 200, 200, 200)),
    ("GET", "/", None, (200, 200, 200, 200)),
]


@pytest.mark.parametrize(("method", "path", "body", "statuses"), RIGHTS)
def test_role_decides(guarded: TestClient, method: str, path: str, body: object, statuses: tuple[int, ...]) -> None:
    keys = ("", "reader-key", "operator-key", "admin:key")
    given = [{"Authorization": f"Bearer {key}"} if key else {} for key in keys]
    assert tuple(guarded.request(method, path, json=body, headers=h).status_code for h in given) == statuses


def test_key_is_taken_from_either_header(guarded: TestClient) -> None:
    assert guarded.get("/api/questions", headers={"X-API-Key": "reader-key-2"}).status_code == 200
    assert guarded.get("/api/questions", headers={"Authorization": "bearer reader-key"}).status_code == 200


def _writing(app: FastAPI) -> list[tuple[str, str]]:
    """Method and path of every route that takes a JSON body."""
    return [
        (method, re.sub(r"{[^}]*}", "1", path))
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    ]


def test_a_body_that_cannot_be_read_says_nothing_to_who_has_no_key(guarded: TestClient) -> None:
    for method, path in _writing(guarded.app):  # type: ignore[arg-type]
        response = guarded.request(method, path, content=b"{", headers={"content-type": "application/json"})
        assert (path, response.status_code) == (path, 401)


@pytest.mark.parametrize("path", ["/api/keys", "/api/collections", "/api/sources"])
def test_a_body_that_cannot_be_read_says_nothing_to_whose_role_is_too_small(guarded: TestClient, path: str) -> None:
    headers = {"X-API-Key": "reader-key", "content-type": "application/json"}
    for body in (b"{", b"[]", b'{"nonsense": 1}'):
        response = guarded.post(path, content=body, headers=headers)
        assert (response.status_code, response.json()["type"]) == (403, "role-too-small")
    headers["X-API-Key"] = "admin:key"
    assert guarded.post(path, content=b"{", headers=headers).status_code == 422


@pytest.mark.parametrize("key", ["", "reader-ke", "reader-key ", "READER-KEY", "ask:reader-key", "é"])
def test_wrong_key_is_refused_with_what_to_do(guarded: TestClient, key: str) -> None:
    response = guarded.get("/api/questions", headers={"X-API-Key": key.encode()})
    assert response.status_code == 401
    assert response.json()["type"] == "wrong-key"
    assert "WELLREAD_API_KEYS" in response.json()["what_to_do"]
    assert response.headers["www-authenticate"] == "Bearer"


def test_greatest_role_of_a_key_counts(services: Services) -> None:
    keys = parse_keys(tuple(map(SecretStr, ("ask:same", "admin:same"))))
    assert KeyRing(services, keys, needed=True).caller("same").role is Role.admin


@pytest.mark.parametrize(
    "pair", ["secret", "ask:", "ask: ", ":secret", "root:secret", "Ask:secret", "ask@../secret:key"]
)
def test_key_that_cannot_be_read_is_named_by_its_place_not_its_text(pair: str) -> None:
    with pytest.raises(SettingsError, match="entry 2") as raised:
        parse_keys((SecretStr("ask:good"), SecretStr(pair)))
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "wellread.example"])
def test_no_key_means_loopback_only(host: str) -> None:
    with pytest.raises(SettingsError, match="WELLREAD_API_KEYS"):
        check_exposure(host, lambda: False)
    check_exposure(host, lambda: True)


def test_application_without_keys_is_not_made_for_another_address(services: Services, settings: Settings) -> None:
    services.settings = settings.model_copy(update={"api_host": "0.0.0.0"})
    with pytest.raises(SettingsError):
        create_app(services)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8484",
        "",
        "169.254.169.254",
        "[::1].evil",
        "[::2]",
    ],
)
def test_foreign_host_is_refused_without_keys(http: TestClient, host: str) -> None:
    response = http.get("/api/questions", headers={"Host": host})
    assert response.status_code == 403
    assert response.json()["what_to_do"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8484", "localhost:8484", "LOCALHOST", "[::1]:8484", "[::1]"])
def test_own_names_are_let_through(http: TestClient, host: str) -> None:
    assert http.get("/api/questions", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1:9999", 403),
        ("https://127.0.0.1.evil.example", 403),
        (LOCAL, 202),
    ],
)
def test_only_the_apis_own_page_may_change_things(http: TestClient, origin: str, status: int) -> None:
    response = http.post("/api/questions", json={"question": "Why?"}, headers={"Origin": origin})
    assert response.status_code == status


@pytest.mark.parametrize(
    ("method", "path", "headers", "is_refused"),
    [
        ("POST", f"/api/questions/{0:032}/cancel", {"sec-fetch-site": "cross-site"}, True),
        ("DELETE", "/api/sources/1", {"sec-fetch-site": "same-site"}, True),
        ("POST", f"/api/questions/{0:032}/cancel", {"sec-fetch-site": "same-origin"}, False),
        ("POST", f"/api/questions/{0:032}/cancel", {"sec-fetch-site": "none"}, False),
        ("GET", "/mcp", {"origin": "http://evil.example", "accept": "text/event-stream"}, True),
        ("GET", "/mcp", {"origin": "null", "accept": "text/event-stream"}, True),
        ("GET", "/mcp", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, True),
        ("OPTIONS", "/mcp", {"origin": "http://evil.example"}, True),
        ("GET", f"/api/questions/{0:032}/events", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, True),
        # a link on another site's page leads to ours
        ("GET", "/", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, False),
        ("POST", "/api/sources", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True),
    ],
)
def test_what_a_browser_sends_for_another_site_is_refused_without_keys(
    http: TestClient, method: str, path: str, headers: dict[str, str], is_refused: bool
) -> None:
    response = http.request(method, path, headers=headers)
    assert (response.status_code == 403) == is_refused


@pytest.mark.parametrize(
    "header",
    [
        *(
            "X-Forwarded-For",
            "forwarded",
            "X-Real-IP",
            "Via",
            "X-Forwarded-Host",
            "X-Forwarded-Proto",
            "X-Original-URL",
        ),
        *("CF-Connecting-IP", "True-Client-IP", "X-Envoy-External-Address", "X-Amzn-Trace-Id", "Fastly-Client-IP"),
    ],
)
def test_what_a_proxy_passes_on_is_refused_without_keys_and_taken_with_them(
    http: TestClient, guarded: TestClient, header: str
) -> None:
    passed_on = {header: "203.0.113.7"}
    response = http.get("/api/questions", headers=passed_on)
    assert (response.status_code, "proxy" in response.json()["detail"]) == (403, True)
    assert "WELLREAD_API_KEYS" in response.json()["what_to_do"]
    assert guarded.get("/api/questions", headers=passed_on | {"X-API-Key": "reader-key"}).status_code == 200
