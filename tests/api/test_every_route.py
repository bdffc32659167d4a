"""Every route × every role × whose question it is. The table names all routes; one that is added is entered here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.services import Services

ROLES = ("ask", "operate", "admin")
#: whom the routes admit: everybody, the role and greater ones, or ("whole") those that are bound to no collection
ADMITS = {
    "everybody": """
        GET /api/subscriptions/{subscription_id}/feed.atom  GET /api/subscriptions/{subscription_id}/feed.json
        GET /  GET /web/{name:path}  GET /docs  GET /docs/{name}  GET /healthz  GET /readyz
    """,
    "ask": """
        POST /api/chat  POST /v1/chat/completions  GET /v1/models  GET /v1/models/{name}
        POST /v1/responses  POST /v1/messages  POST /v1/embeddings  POST /v1/rerank
        POST /api/questions  POST /api/questions/bulk  GET /api/questions  GET /api/questions/export
        POST /api/questions/cancel  POST /api/questions/replay  GET /api/questions/{question_id}
        GET /api/questions/{question_id}/export  POST /api/questions/{question_id}/cancel
        POST /api/questions/{question_id}/replay  GET /api/questions/{question_id}/trace
        GET /api/questions/{question_id}/related  GET /api/questions/{question_id}/events
        POST /api/questions/{question_id}/watch  DELETE /api/questions/{question_id}/watch
        GET /api/questions/{question_id}/changes  POST /api/questions/{question_id}/feedback
        GET /api/threads  GET /api/threads/{thread_id}  PATCH /api/threads/{thread_id}
        GET /api/threads/{thread_id}/export  GET /api/watches
        GET /api/sources  GET /api/site-reads  GET /api/site-reads/{site_read_id}
        GET /api/pages/{page_id}  GET /api/pages/{page_id}/versions  GET /api/reads/{read_id}
        GET /api/documents  GET /api/documents/{document_id:path}
        GET /api/curated  GET /api/curated/{curated_id:path}
        GET /api/files  GET /api/files/{file_id}  POST /api/search  GET /api/stats  GET /api/collections
        GET /api/pages  GET /api/folders  GET /api/suggestions  GET /api/usage
        GET /api/subscriptions  POST /api/subscriptions  GET /api/subscriptions/{subscription_id}
        PATCH /api/subscriptions/{subscription_id}  DELETE /api/subscriptions/{subscription_id}
        POST /api/subscriptions/{subscription_id}/run  GET /api/subscriptions/{subscription_id}/news
        GET /api/webhooks  POST /api/webhooks/test  POST /api/webhooks/{webhook_id}/replay
    """,
    "operate": """
        POST /api/questions/{question_id}/trace/replay
        POST /api/questions/delete  DELETE /api/questions/{question_id}  DELETE /api/threads/{thread_id}
        POST /api/sources  PATCH /api/sources/{source_id}  DELETE /api/sources/{source_id}
        POST /api/site-reads  POST /api/site-reads/{site_read_id}/pause  POST /api/site-reads/{site_read_id}/resume
        POST /api/site-reads/{site_read_id}/cancel  DELETE /api/pages/{page_id}  POST /api/reads
        POST /api/extract
        PUT /api/documents/{document_id:path}  DELETE /api/documents/{document_id:path}
        POST /api/documents/bulk  POST /api/documents/delete
        PUT /api/curated/{curated_id:path}  DELETE /api/curated/{curated_id:path}
        POST /api/files  DELETE /api/files/{file_id}  POST /api/folders  DELETE /api/folders/{name}  GET /api/operations
        GET /api/learned  POST /api/learned  DELETE /api/learned
    """,
    "operate, whole": "GET /metrics",
    "admin": "GET /api/export  POST /api/import",
    "admin, whole": """
        POST /api/collections  PATCH /api/collections/{name}
        DELETE /api/collections/{name}  GET /api/keys  POST /api/keys  PATCH /api/keys/{name}
        DELETE /api/keys/{name}
    """,
}
TABLE = {
    f"{method} {path}": who
    for who, listed in ADMITS.items()
    for method, path in zip(listed.split()[::2], listed.split()[1::2], strict=True)
}
#: where many may come at once
ASKING = {"/api/chat", "/api/questions", "/api/questions/bulk", "/v1/chat/completions", "/v1/responses", "/v1/messages"}
#: routes whose work, where they admit, takes minutes or has no end
LONG = ("POST /api/learned",)
#: more wrong keys than these would be slowed down
WITH_WRONG_KEYS = (
    "GET /healthz",
    "POST /api/questions",
    "DELETE /api/pages/{page_id}",
    "GET /metrics",
    "GET /api/keys",
)
#: asked without its URL it lists pages, which operators may
FOR_MORE = {"GET /api/pages": "?url=https://example.org/"}
NOTHING = {
    "question_id": "0" * 32,
    "thread_id": "0" * 32,
    "subscription_id": "0" * 32,
    "name": "nothing",
    "name:path": "app.js",
    "kind": "judge",
}


@pytest.fixture
def http(services: Services) -> Iterator[TestClient]:
    keys = [*(f"{role}:{role}" for role in ROLES), *(f"{role}@default:bound-{role}" for role in ROLES), "ask:other"]
    services.settings = services.settings.model_copy(update={"api_keys": tuple(map(SecretStr, keys))})
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client


def _send(http: TestClient, route: str, key: str, **ids: str) -> Any:
    """Send a request without a body of use; of what it names nothing is there, unless ``ids`` say otherwise."""
    method, path = route.split()
    for part in {*NOTHING, "page_id", "read_id", "file_id", "source_id", "site_read_id", "webhook_id"}:
        path = path.replace("{" + part + "}", ids.get(part, NOTHING.get(part, "999999")))
    body = {"json": {}} if method in ("POST", "PATCH") else {}
    headers = {"x-api-key": key} if key else {}
    return http.request(method, path + FOR_MORE.get(route, ""), headers=headers, **body)


def _admits(who: str, key: str) -> bool:
    role, _, whole = who.partition(", ")
    if who == "everybody":
        return True
    if key not in (*ROLES, *(f"bound-{role}" for role in ROLES)):
        return False
    return ROLES.index(key.removeprefix("bound-")) >= ROLES.index(role) and not (whole and key.startswith("bound-"))


def test_table_names_every_route(app: FastAPI) -> None:
    routes = {f"{method} {each.path}" for each in _routes(app.routes) for method in each.methods - {"HEAD"}}
    assert routes == set(TABLE)


def _routes(routes: Any) -> Iterator[APIRoute]:
    for each in routes:
        if isinstance(each, APIRoute):
            yield each
        else:
            yield from _routes(getattr(getattr(each, "original_router", each), "routes", ()))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("key", ["", "wrong", *ROLES, *(f"bound-{role}" for role in ROLES)])
def test_routes_admit_whom_the_table_names(http: TestClient, key: str) -> None:
    wrong = {}
    for route, who in TABLE.items():
        if key == "wrong" and route not in WITH_WRONG_KEYS:
            continue
        admitted = _admits(who, key)
        if admitted and route in LONG:
            continue
        status = _send(http, route, key).status_code
        refused = 403 if key.endswith(ROLES) else 401
        if status in (401, 403, 500) if admitted else status != refused:
            wrong[route] = status
    assert wrong == {}


def test_assistants_route_admits_keys_alone(http: TestClient) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepted = {"accept": "application/json, text/event-stream"}
    for key, status in {"": 401, "wrong": 401, "ask": 200, "bound-ask": 200}.items():
        headers = accepted | ({"x-api-key": key} if key else {})
        assert http.post("/mcp", json=call, headers=headers).status_code == status, key


OF_A_QUESTION = [route for route in TABLE if "{question_id}" in route or "{thread_id}" in route]


@pytest.mark.parametrize("route", OF_A_QUESTION)
def test_another_keys_question_is_as_unknown_as_none(http: TestClient, services: Services, route: str) -> None:
    body = {"question": "Who built the lighthouse?", "thread": "new"}
    asked = http.post("/api/questions", json=body, headers={"x-api-key": "ask"}).json()
    walk.move(services, asked["id"], walk.answered(walk.keep_page(services)))
    own = {"question_id": asked["id"], "thread_id": asked["thread"]}
    if _admits(TABLE[route], "ask"):
        hidden, unknown = _send(http, route, "other", **own), _send(http, route, "other")
        assert hidden.status_code == unknown.status_code == 404
        assert hidden.json()["type"] == unknown.json()["type"]
        assert _send(http, route, "ask", **own).status_code not in (401, 403, 404, 500)
    assert _send(http, route, "operate", **own).status_code not in (401, 403, 404, 500)


def test_who_asks_waits_for_no_thread_before_the_question_is_looked_at(app: FastAPI) -> None:
    asking = [route for route in _routes(app.routes) if route.path in ASKING and "POST" in route.methods]
    assert {route.path for route in asking} == ASKING
    assert [call for route in asking for call in _calls(route.dependant) if not _is_async(call)] == []


def _calls(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    for each in dependant.dependencies:
        if each.call is not None:
            yield each.call
        yield from _calls(each)


def _is_async(call: Callable[..., Any]) -> bool:
    return iscoroutinefunction(call) or iscoroutinefunction(type(call).__call__)
