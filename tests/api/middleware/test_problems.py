"""Every bad input gets a problem that says what happened and what to do, and harms nothing."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
import redis
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from domain.errors import WellreadError
from store.passages.errors import PassagesError
from store.sql.database import Database
from tests.api.conftest import LOCAL
from workers.services import Services
from workers.settings import load

ROOT = Path(__file__).parents[3]
PACKAGES = ("domain", "text", "pipeline", "crawler", "store", "workers", "wellread", "api")
#: method, path, JSON body, status, a piece of the detail
BAD: list[tuple[str, str, Any, int, str]] = [
    # the question itself
    ("POST", "/api/chat", {"question": ""}, 422, "empty"),
    ("POST", "/api/chat", {"question": " \n\t"}, 422, "empty"),
    ("POST", "/api/chat", {"question": "?!"}, 422, "no word"),
    ("POST", "/api/questions", {"question": "x" * 50_000}, 422, "50,000 characters"),
    (
        "POST",
        "/api/questions",
        {"question": "Who?", "answer_schema": {"minimum": float("nan")}},
        422,
        "no number of JSON",
    ),
    ("POST", "/api/questions", {"question": "\ud800"}, 422, "question has a character that cannot be stored"),
    ("POST", "/api/questions", {}, 422, "question: it is missing"),
    ("POST", "/api/questions", {"question": 7}, 422, "question: Input should be a valid string"),
    ("POST", "/api/questions", {"question": None}, 422, "question"),
    ("POST", "/api/questions", [1], 422, "body"),
    # its conditions
    ("POST", "/api/questions", {"question": "Why?", "colour": "red"}, 422, "colour: unknown field"),
    ("POST", "/api/questions", {"question": "Why?", "strategy": "guessing"}, 422, "strategy"),
    ("POST", "/api/questions", {"question": "Why?", "priority": 10}, 422, "priority"),
    ("POST", "/api/questions", {"question": "Why?", "threshold": 1.1}, 422, "threshold"),
    ("POST", "/api/questions", {"question": "Why?", "variants": 1}, 422, "variants: Input should be 0, 2, 3, 4 or 5"),
    ("POST", "/api/chat", {"question": "Why?", "top_k": 21}, 422, "top_k"),
    ("POST", "/api/questions", {"question": "Why?", "max_search_cycles": 21}, 422, "max_search_cycles"),
    ("POST", "/api/questions", {"question": "Why?", "deadline": 0}, 422, "deadline"),
    ("POST", "/api/questions", {"question": "Why?", "deadline": float("inf")}, 422, "deadline"),
    ("POST", "/api/questions", {"question": "Why?", "max_age": -1}, 422, "max_age"),
    ("POST", "/api/questions", {"question": "Why?", "max_age": 10**30}, 422, "max_age"),
    ("POST", "/api/questions", {"question": "Why?", "budget": {"pages": 10_000}}, 422, "operator allows 20"),
    ("POST", "/api/questions", {"question": "Why?", "budget": {"dollars": 1}}, 422, "budget.dollars"),
    ("POST", "/api/questions", {"question": "Why?", "priority": True}, 422, "priority: true and false"),
    ("POST", "/api/questions", {"question": "Why?", "reuse": 0}, 422, "reuse: write true or false"),
    ("POST", "/api/questions", {"question": "Why?", "verbatim": 1}, 422, "verbatim: write true or false"),
    ("POST", "/api/questions", {"question": "Why?", "published_after": 0}, 422, "write it as 2026-01-31T12:00:00Z"),
    ("GET", "/api/threads?before=0.5", None, 422, "write it as 2026-01-31T12:00:00Z"),
    ("POST", "/api/chat", {"question": "Why?", "wait": 121}, 422, "wait"),
    ("POST", "/api/chat", {"question": "Why?", "wait": "NaN"}, 422, "wait"),
    # where it may read
    ("POST", "/api/questions", {"question": "Why?", "sites": ["http://127.0.0.1/"]}, 422, "not public"),
    ("POST", "/api/questions", {"question": "Why?", "sites": ["http://169.254.169.254/latest"]}, 422, "not public"),
    ("POST", "/api/questions", {"question": "Why?", "sites": ["file:///etc/passwd"]}, 422, "file:///etc/passwd"),
    ("POST", "/api/questions", {"question": "Why?", "sites": ["http://a@b.org/"]}, 422, "user name"),
    ("POST", "/api/questions", {"question": "Why?", "sites": ["https://example.org"] * 21}, 422, "sites"),
    ("POST", "/api/questions", {"question": "Why?", "sites": ["https://e.org/" + "a" * 3000]}, 422, "sites.0"),
    ("POST", "/api/questions", {"question": "Why?", "callback_url": "http://10.0.0.1/"}, 422, "not public"),
    ("POST", "/api/sources", {"url": "http://192.168.0.1/"}, 422, "not public"),
    ("POST", "/api/sources", {"url": "not a url"}, 422, "not a url"),
    ("POST", "/api/sources", {"url": ""}, 422, "url"),
    ("POST", "/api/sources", {"url": "https://example.org", "min_delay": -1}, 422, "min_delay"),
    ("POST", "/api/reads", {"url": "http://localhost/"}, 422, "inner network"),
    ("POST", "/api/reads", {"url": "gopher://example.org"}, 422, "gopher"),
    # what is not there
    ("GET", f"/api/questions/{'0' * 32}", None, 404, "no question"),
    ("GET", f"/api/questions/{'0' * 32}/events", None, 404, "no question"),
    ("GET", f"/api/questions/{'0' * 32}/trace", None, 404, "no question"),
    ("POST", f"/api/questions/{'0' * 32}/cancel", None, 404, "no question"),
    ("GET", "/api/questions/%00", None, 404, "32 hexadecimal"),
    ("GET", "/api/questions?limit=0", None, 422, "limit"),
    ("GET", "/api/pages/1", None, 404, "no page 1"),
    ("GET", "/api/pages/0", None, 422, "page_id"),
    ("GET", f"/api/pages/{10**30}", None, 422, "page_id"),
    ("GET", "/api/reads/1", None, 404, "no reading 1"),
    ("DELETE", "/api/sources/1", None, 404, "no source 1"),
    ("GET", "/api/nothing", None, 404, "Not Found"),
    ("DELETE", "/api/chat", None, 405, "Method Not Allowed"),
]


def _is_problem(response: Any, status: int) -> dict[str, Any]:
    problem = response.json()
    assert response.status_code == status, problem
    assert response.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status
    assert all(problem[name] for name in ("type", "title", "detail", "what_to_do"))
    assert "Traceback" not in response.text
    return problem


@pytest.fixture(scope="module")
def bad_http(tmp_path_factory: pytest.TempPathFactory, valkey_url: str, migrated_file: Path) -> Iterator[TestClient]:
    """One application for the whole table: no row may change anything."""
    services = Services(load(data_dir=tmp_path_factory.mktemp("bad"), redis_url=valkey_url))
    shutil.copy(migrated_file, services.settings.data_dir)
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as client:
        yield client
        assert client.get("/api/questions").json() == []
        assert client.get("/api/sources").json() == []
    services.database.close()


@pytest.mark.parametrize(("method", "path", "body", "status", "said"), BAD, ids=range(len(BAD)))
def test_bad_input_is_a_problem(
    bad_http: TestClient, method: str, path: str, body: Any, status: int, said: str
) -> None:
    content = None if body is None else json.dumps(body).encode()
    response = bad_http.request(method, path, content=content, headers={"content-type": "application/json"})
    assert said in _is_problem(response, status)["detail"]


def test_a_body_that_is_not_json_is_a_problem(http: TestClient) -> None:
    response = http.post("/api/chat", content=b'{"question": ', headers={"content-type": "application/json"})
    assert "not JSON" in _is_problem(response, 422)["detail"]


def test_a_form_is_not_taken_for_json(http: TestClient) -> None:
    _is_problem(http.post("/api/chat", content=b'{"question": "Why?"}', headers={"content-type": "text/plain"}), 415)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/threads?lmit=1", "lmit: there is no such parameter, only before, collection, limit, q"),
        ("/api/collections?limit=1", "limit: this path takes no parameters"),
        ("/api/pages?sites=x", "sites: there is no such"),
    ],
)
def test_parameter_that_a_path_does_not_have_is_refused(http: TestClient, path: str, said: str) -> None:
    assert said in _is_problem(http.get(path), 422)["detail"]


def test_parameters_of_other_programs_are_taken_where_they_send_them(http: TestClient) -> None:
    assert http.get("/v1/models?api-version=2026-01-01").status_code == 200
    assert http.get("/healthz?probe=1").status_code == 200


def test_a_client_names_its_collection_with_every_request(http: TestClient) -> None:
    assert http.get("/api/collections?collection=default").status_code == 200


def test_a_body_that_is_too_large_is_refused_by_its_declared_length(http: TestClient) -> None:
    response = http.post("/api/chat", json={"question": "x" * 70_000})
    assert "64 KB" in _is_problem(response, 413)["detail"]


def test_a_body_that_is_too_large_is_refused_as_it_comes(http: TestClient) -> None:
    pieces = (b"x" * 50_000 for _ in range(10))
    response = http.post("/api/chat", content=pieces, headers={"content-type": "application/json"})
    assert "64 KB" in _is_problem(response, 413)["detail"]


def test_idempotency_key_of_another_question_is_refused(http: TestClient) -> None:
    key = {"Idempotency-Key": "k"}
    http.post("/api/questions", json={"question": "One?"}, headers=key)
    _is_problem(http.post("/api/questions", json={"question": "Two?"}, headers=key), 409)


def test_idempotency_key_that_is_too_long_is_refused(http: TestClient) -> None:
    response = http.post("/api/questions", json={"question": "One?"}, headers={"Idempotency-Key": "k" * 256})
    _is_problem(response, 422)


def test_a_missing_schema_says_to_migrate(http: TestClient, services: Services) -> None:
    services.database.close()
    services.settings.data_dir.joinpath("wellread.db").unlink()
    response = http.get("/api/questions")
    problem = _is_problem(response, 503)
    assert "wellread migrate" in problem["detail"]
    assert response.headers["retry-after"] == "5"
    assert http.get("/readyz").status_code == 503


def test_a_database_that_is_away_is_said_to_be(tmp_path: Path, valkey_url: str) -> None:
    services = Services(load(data_dir=tmp_path, redis_url=valkey_url, database_url=f"sqlite:///{tmp_path}/no/where.db"))
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as http:
        _is_problem(http.get("/api/questions"), 503)
        assert http.get("/healthz").status_code == 200


_SECRET_URLS = [
    "postgresql+psycopg://127.0.0.1:9/secretbase?user=someone&password=PGSECRET&sslpassword=PGSECRET",
    "postgresql+psycopg://someone:PGSECRET@127.0.0.1:9/secretbase?connect_timeout=1",
    "postgresql+psycopg:///secretbase?host=/secret/socket&user=someone&password=PGSECRET",
    "sqlite:////secret/secretbase.db",
]


@pytest.mark.parametrize("url", _SECRET_URLS)
def test_nobody_hears_more_of_the_database_than_its_host(tmp_path: Path, valkey_url: str, url: str) -> None:
    keys = (SecretStr("ask:reader-key"), SecretStr("operate:operator-key"))
    services = Services(load(data_dir=tmp_path / "secret", redis_url=valkey_url, database_url=url, api_keys=keys))
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as http:
        answers = {key: http.get("/readyz", headers={"x-api-key": key} if key else {}) for key in KEYS}
        answers["asked"] = http.get("/api/questions", headers={"x-api-key": "operator-key"})
        answers["looked up"] = http.get("/api/questions", headers={"x-api-key": "wr-0123456789abcdef"})
    for answer in answers.values():
        assert answer.status_code == 503
        assert re.search("secret|someone|:9", answer.text, re.IGNORECASE) is None, answer.text
    details = {key: {check["detail"] for check in answers[key].json()["checks"]} for key in KEYS}
    assert details[""] == details["wr-unknown"] == details["reader-key"] == {""}
    assert any("database" in detail for detail in details["operator-key"])


#: none, one that may be in the database, one that may ask, one that may operate
KEYS = ("", "wr-unknown", "reader-key", "operator-key")


def test_failing_knowledge_base_tells_no_path(http: TestClient, services: Services) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise PassagesError(f"Cannot read the passages in {services.settings.data_dir}.")

    services.__dict__["passages"] = Broken()
    response = http.post("/api/search", json={"query": "lighthouse"})
    assert _is_problem(response, 503)["type"] == "knowledge-base-error"
    assert str(services.settings.data_dir) not in response.text


def test_an_unforeseen_error_hides_its_trace(http: TestClient, services: Services) -> None:
    class Broken(Database):
        def read(self) -> Any:
            raise ZeroDivisionError("secret detail")

    services.__dict__["database"] = Broken(services.settings.database)
    response = http.get("/api/questions")
    problem = _is_problem(response, 500)
    assert "ZeroDivisionError" in problem["detail"]
    assert "secret" not in response.text


def test_redis_away_makes_ready_say_so(services: Services) -> None:
    services.settings = load(data_dir=services.settings.data_dir, redis_url="unix:///nonexistent/valkey.sock")
    question = _ask_silently(services)
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as http:
        by_name = {check["name"]: check for check in http.get("/readyz").json()["checks"]}
        assert (by_name["database"]["ok"], by_name["redis"]["ok"]) == (True, False)
        assert http.get(f"/api/questions/{question}").status_code == 200


def _ask_silently(services: Services) -> str:
    from store.questions.new_questions import NewQuestion, ask

    with services.database.write() as session:
        return ask(session, NewQuestion(text="Who?"), services.now())[0].id


def test_a_method_that_is_not_taken_is_told_with_all_that_are(bad_http: TestClient) -> None:
    for path, methods in {
        "/api/questions": "GET, POST",
        "/api/sources/1": "PATCH, DELETE",
        f"/api/questions/{'0' * 32}": "GET, DELETE",
    }.items():
        response = bad_http.put(path)
        assert (response.status_code, response.headers["allow"]) == (405, methods)


def test_errors_are_described_as_they_are_sent(bad_http: TestClient) -> None:
    for path, operations in bad_http.get("/openapi.json").json()["paths"].items():
        for operation in operations.values():
            ((kind, content),) = operation["responses"]["default"]["content"].items()
            name = content["schema"]["$ref"].rpartition("/")[2]
            openai = path.startswith("/v1/")
            assert (kind, name) == (
                ("application/json", "ErrorAnswer") if openai else ("application/problem+json", "Problem")
            )


def test_each_kind_names_one_class_of_errors() -> None:
    """A renamed class, or a second one of its name, would be answered as another kind of problem: worth 4 s."""
    kinds = tomllib.loads((ROOT / "api/middleware/problems.toml").read_text())
    for package in PACKAGES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    ours = {error for error in _below(WellreadError) if error.__module__.split(".")[0] in PACKAGES}
    classes = Counter(error.__name__ for error in {redis.RedisError, *ours})
    assert {name: classes[name] for name in kinds} == dict.fromkeys(kinds, 1)


def _below(error: type[Exception]) -> Iterator[type[Exception]]:
    yield error
    for below in error.__subclasses__():
        yield from _below(below)
