"""Collections over HTTP, through the client and on the command line."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from api.openai.requests import LOCAL_MODELS
from tests.api.cli.command import wellread as run
from workers.services import Services
from workers.services import collections as kept


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [
        ("", 422, "bad-collection-name"),
        ("  ", 422, "bad-collection-name"),
        ("../x", 422, "bad-collection-name"),
        ("a/b", 422, "bad-collection-name"),
        ("x" * 300, 422, "bad-collection-name"),
        ("-x", 422, "bad-collection-name"),
        ("deleted:1", 422, "bad-collection-name"),
        ("Größe", 422, "bad-collection-name"),
        ("x\n", 201, ""),
        ("default", 409, "collection-exists"),
        ("DEFAULT", 409, "collection-exists"),
        ("There", 409, "collection-exists"),
    ],
)
def test_name_is_taken_or_refused_with_the_reason(http: TestClient, name: str, status: int, kind: str) -> None:
    assert http.post("/api/collections", json={"name": "there"}).status_code == 201
    response = http.post("/api/collections", json={"name": name})
    assert (response.status_code, response.json().get("type", "")) == (status, kind)
    assert len(response.text) < 600
    assert [each["name"] for each in http.get("/api/collections").json()][:1] == ["default"]


@pytest.mark.parametrize("path", ["default", "DEFAULT", "nowhere", "..%2Fx", "x" * 90])
def test_what_cannot_be_deleted_says_so(http: TestClient, path: str) -> None:
    response = http.delete(f"/api/collections/{path}")
    assert response.status_code in (404, 409)
    assert response.json()["what_to_do"]


def test_every_way_in_reaches_the_collection(http: TestClient, services: Services) -> None:
    kept.add(services, "research")
    there = {"collection": "research"}
    url = "https://example.org/"
    sent: list[tuple[str, dict[str, Any]]] = [
        ("/api/questions", {"question": "Who?"}),
        ("/api/chat", {"question": "Who else?", "wait": 0}),
        ("/api/sources", {"url": url}),
        ("/api/reads", {"url": url}),
        ("/api/site-reads", {"url": url}),
    ]
    for path, body in sent:
        assert http.post(path, json={**body, **there}).is_success
        assert http.post(path, json=body, params=there).is_success
    assert http.get("/api/pages", params=there).is_success
    file = {"file": ("a.txt", b"Alma keeps it.")}
    assert http.post("/api/files", files=file, params=there).status_code == 202
    for path in ("/api/questions", "/api/sources", "/api/site-reads", "/api/files"):
        assert http.get(path).json() == []
        assert http.get(path, params=there).json()
    assert http.get("/api/stats").json()["questions"] == {}
    assert http.get("/api/stats", params=there).json()["sources"] == 1


def test_chat_completions_take_the_collection_from_the_model_or_the_options(
    http: TestClient, services: Services
) -> None:
    kept.add(services, "research")
    asked = {"messages": [{"role": "user", "content": "Who?"}]}
    for body in ({"model": "wellread@research"}, {"model": "wellread", "wellread": {"collection": "research"}}):
        options = {"wait": 0, **body.get("wellread", {})}
        http.post("/v1/chat/completions", json={**asked, **body, "wellread": options})
    assert http.get("/api/questions").json() == []
    assert len(http.get("/api/questions", params={"collection": "research"}).json()) == 2
    models = [model["id"] for model in http.get("/v1/models").json()["data"] if model["id"] not in LOCAL_MODELS]
    assert models == ["wellread", "wellread-known", "wellread@research", "wellread-known@research"]
    assert http.get("/v1/models/wellread@research").status_code == 200
    assert http.get("/v1/models/wellread@nowhere").status_code == 404


def test_command_line_works_in_a_collection(placed: Services) -> None:
    assert "research" in run("collections", "add", "Research").output
    run("source", "add", "https://example.org", "--collection", "research")
    assert "example.org" in run("source", "list", "--collection", "research").output
    assert "example.org" not in run("source", "list").output
    assert "research" in run("collections", "list").output
    secret = run("keys", "add", "reader", "--for", "research", "--role", "ask").output.split()[0]
    assert secret.startswith("wr-")
    listed = run("keys", "list").output
    assert "reader" in listed
    assert secret not in listed
    run("keys", "revoke", "reader")
    assert "No key" in run("keys", "list").output
    run("collections", "delete", "research", "--yes")
    assert "research" not in run("collections", "list").output


def test_variable_names_the_collection_too(here: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.add(here, "research")
    monkeypatch.setenv("WELLREAD_COLLECTION", "research")
    run("source", "add", "https://example.org")
    assert "example.org" in run("source", "list").output
    monkeypatch.delenv("WELLREAD_COLLECTION")
    assert "example.org" not in run("source", "list").output


def test_making_a_key_says_that_none_is_required_yet(here: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "WELLREAD_API_KEYS" in run("keys", "add", "first").stderr
    monkeypatch.setenv("WELLREAD_API_KEYS", "admin:a-long-secret")
    assert "WELLREAD_API_KEYS" not in run("keys", "add", "second").stderr
