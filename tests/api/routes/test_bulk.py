"""Many questions are asked, listed, exported and changed at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from domain import Status
from store.questions import listing
from tests.api import walk
from tests.api.conftest import LOCAL
from workers.services import Services

NAMED = {"id": "ticket 17", "question": "Who built it?", "metadata": {"team": "support", "n": 3, "urgent": True}}


def bulk(http: TestClient, *questions: Any, **headers: str) -> Any:
    response = http.post("/api/questions/bulk", json={"questions": list(questions)}, headers=headers)
    assert response.status_code == 202, response.text
    return response.json()


def listed(http: TestClient, **filters: Any) -> list[str]:
    response = http.get("/api/questions", params=filters)
    assert response.status_code == 200, response.text
    return [each["question"] for each in response.json()]


def test_what_cannot_be_asked_is_reported_and_the_rest_is_asked(http: TestClient) -> None:
    wrong: list[dict[str, Any]] = [
        {"question": ""},
        {"question": "Who?", "nonsense": 1},
        {"id": "x"},
        {"question": "Who?", "metadata": {"long": "x" * 5000}},
    ]
    asked = bulk(http, NAMED, *wrong, {"question": "When was it built?"})["questions"]
    assert [each["line"] for each in asked] == [1, 2, 3, 4, 5, 6]
    assert [each["question_id"] is not None for each in asked] == [True, False, False, False, False, True]
    said = [each["problem"]["detail"] for each in asked[1:5]]
    assert said[0].startswith("The question is empty")
    assert said[1] == "nonsense: unknown field"
    assert said[2] == "question: it is missing"
    assert "5,012 bytes" in said[3]
    assert sorted(listed(http)) == ["When was it built?", "Who built it?"]


def test_question_that_was_sent_before_is_not_asked_again(http: TestClient) -> None:
    first, again = bulk(http, NAMED)["questions"], bulk(http, NAMED, NAMED)["questions"]
    assert [each["question_id"] for each in again] == [first[0]["question_id"]] * 2
    assert (first[0]["is_new"], again[0]["is_new"]) == (True, False)
    other = bulk(http, NAMED | {"question": "Who tore it down?"})["questions"][0]
    assert other["problem"]["type"] == "idempotency-conflict"


def test_rest_is_left_to_be_sent_again_where_there_is_no_room(http: TestClient, services: Services) -> None:
    services.settings = services.settings.model_copy(update={"max_open_questions": 2})
    came = bulk(http, *({"question": f"Who is number {n}?"} for n in range(4)))
    assert [each["problem"] and each["problem"]["type"] for each in came["questions"]] == [
        None,
        None,
        "too-many-open",
        "too-many-open",
    ]
    assert came["retry_after_s"] > 0


def test_question_that_cannot_be_stored_spoils_no_other(http: TestClient) -> None:
    asked = bulk(http, {"question": "a\0b"}, {"question": "Who?", "metadata": {str(n): n for n in range(300)}})
    assert [each["question_id"] is not None for each in asked["questions"]] == [False, True]
    assert "cannot be stored" in asked["questions"][0]["problem"]["detail"]


def test_long_ids_and_numbers_are_told_apart(http: TestClient) -> None:
    names = ["x" * 300 + "1", "x" * 300 + "2", 17, "18", "DEADBEEF" * 4]
    asked = bulk(http, *({"id": name, "question": f"Who is {name}?"[-90:]} for name in names))["questions"]
    assert len({each["question_id"] for each in asked}) == 5
    assert asked[4]["question_id"] == "deadbeef" * 4


def test_metadata_is_in_record_list_and_export(http: TestClient) -> None:
    question_id = bulk(http, NAMED)["questions"][0]["question_id"]
    assert http.get(f"/api/questions/{question_id}").json()["metadata"] == NAMED["metadata"]
    assert http.get("/api/questions").json()[0]["metadata"] == NAMED["metadata"]
    line = json.loads(http.get("/api/questions/export").text)
    assert (line["metadata"], line["status"], line["answer"]) == (NAMED["metadata"], "ASKED", None)


def test_metadata_does_not_keep_an_answer_from_being_reused(http: TestClient, services: Services) -> None:
    first = bulk(http, NAMED)["questions"][0]["question_id"]
    walk.move(services, first, walk.answered(walk.keep_page(services)))
    again = bulk(http, {"question": "Who built it?", "metadata": {"team": "sales"}})["questions"][0]
    assert again["status"] == "ANSWERED"


@pytest.fixture
def three(http: TestClient, services: Services) -> list[str]:
    """An open question, an answered one and one that is not known."""
    questions = ["Who waits?", "Who built it?", "Who knows?"]
    asked = bulk(http, *({"question": each, "metadata": {"n": n}} for n, each in enumerate(questions)))
    ids = [each["question_id"] for each in asked["questions"]]
    walk.move(services, ids[1], walk.answered(walk.keep_page(services)))
    walk.move(services, ids[2], walk.abstained())
    return ids


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"status": "ASKED"}, ["Who waits?"]),
        ({"status": ["ASKED", "ANSWERED"]}, ["Who built it?", "Who waits?"]),
        ({"outcome": "unknown"}, ["Who knows?"]),
        ({"unanswered": "true"}, ["Who knows?"]),
        ({"min_confidence": 0.9}, ["Who built it?"]),
        ({"max_confidence": 0.89}, []),
        ({"text": "who BUILT"}, ["Who built it?"]),
        ({"text": "%"}, []),
        ({"metadata": "n=2"}, ["Who knows?"]),
        ({"metadata": ["n=2", "n=1"]}, []),
        ({"metadata": "other=2"}, []),
        ({"asked_before": "2001-01-01"}, []),
        ({"asked_after": "2001-01-01", "limit": 1}, ["Who knows?"]),
    ],
)
def test_filters_find_what_they_mean(
    http: TestClient, three: list[str], filters: dict[str, Any], found: list[str]
) -> None:
    assert listed(http, **filters) == found


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("metadata=team", "name=value"),
        ("key=nobody", "nobody"),
        ("after=nonsense", "`Link`"),
        ("after=0001-01-01T00:00:00%2B23:00_x", "`Link`"),
        ("metadata=%22=1", "name=value"),
        ("min_confidence=2", "min_confidence"),
        ("status=DONE", "status"),
        ("colour=red", "colour"),
    ],
)
def test_filter_that_cannot_be_read_is_refused(http: TestClient, query: str, said: str) -> None:
    response = http.get(f"/api/questions?{query}")
    assert response.status_code in (404, 422)
    assert said in response.json()["detail"] + response.json()["what_to_do"]


def test_parts_of_a_list_follow_each_other_also_where_one_is_deleted(http: TestClient, three: list[str]) -> None:
    first = http.get("/api/questions", params={"limit": 1})
    assert [each["id"] for each in first.json()] == [three[2]]
    http.delete(f"/api/questions/{three[2]}")
    second = http.get(first.links["next"]["url"])
    third = http.get(second.links["next"]["url"])
    assert [each["id"] for part in (second, third) for each in part.json()] == [three[1], three[0]]
    assert "next" not in third.links


def test_export_has_the_answers_and_no_formula_for_a_spreadsheet(http: TestClient, three: list[str]) -> None:
    http.post("/api/questions", json={"question": "=1+1 is what?", "metadata": {"a": 1}})
    rows = list(csv.DictReader(io.StringIO(http.get("/api/questions/export?format=csv").text)))
    assert rows[0]["question"] == "'=1+1 is what?"
    assert json.loads(rows[0]["metadata"]) == {"a": 1}
    built = next(row for row in rows if row["question"] == "Who built it?")
    assert (built["outcome"], built["short_answer"], built["citations"]) == (
        "answered",
        walk.BUILDER,
        "https://example.org/tower",
    )


def test_change_of_every_question_needs_a_condition(http: TestClient, three: list[str]) -> None:
    for what in ("cancel", "replay", "delete"):
        refused = http.post(f"/api/questions/{what}", json={"dry_run": True})
        assert (refused.status_code, refused.json()["type"]) == (422, "no-condition")


def test_open_questions_are_cancelled_replayed_and_deleted_by_filter(
    http: TestClient, services: Services, three: list[str]
) -> None:
    assert http.post("/api/questions/cancel", json={"text": "who", "dry_run": True}).json()["left"] == 1
    assert http.post("/api/questions/cancel", json={"text": "who"}).json()["done"] == 1
    assert http.get(f"/api/questions/{three[0]}").json()["status"] == "CANCELLED"
    assert http.post("/api/questions/replay", json={"text": "who"}).json()["done"] == 1
    assert http.get(f"/api/questions/{three[0]}").json()["status"] == "ASKED"
    came = http.post("/api/questions/delete", json={"outcome": ["unknown"], "status": ["ABSTAINED"]}).json()
    assert (came["done"], came["left"]) == (1, 0)
    with services.database.read() as session:
        assert {row.id for row in listing.latest(session)} == set(three[:2])


def test_what_fails_again_is_not_replayed_again(http: TestClient, services: Services, three: list[str]) -> None:
    for question_id in three:
        http.post(f"/api/questions/{question_id}/cancel")
    began = services.now().isoformat()
    body = {"text": "waits", "ended_before": began}
    assert http.post("/api/questions/replay", json=body).json()["done"] == 1
    http.post(f"/api/questions/{three[0]}/cancel")  # it ends again at once
    assert http.post("/api/questions/replay", json=body).json() == {"done": 0, "left": 0, "retry_after_s": None}


@pytest.fixture
def keyed(services: Services) -> Iterator[TestClient]:
    keys = tuple(map(SecretStr, ("ask:one", "ask:two", "operate:ops")))
    services.settings = services.settings.model_copy(update={"api_keys": keys})
    with TestClient(create_app(services), base_url=LOCAL) as client:
        yield client


def test_key_sees_and_changes_only_its_own(keyed: TestClient) -> None:
    for key in ("one", "two"):
        bulk(keyed, {"id": "same", "question": f"Who is {key}?"}, **{"x-api-key": key})
    own = keyed.get("/api/questions", headers={"x-api-key": "one"}).json()
    assert [each["question"] for each in own] == ["Who is one?"]
    assert keyed.get("/api/questions/export", headers={"x-api-key": "one"}).text.count("\n") == 1
    came = keyed.post("/api/questions/cancel", json={"status": [Status.ASKED]}, headers={"x-api-key": "one"}).json()
    assert came["done"] == 1
    refused = keyed.get("/api/questions?key=two", headers={"x-api-key": "one"})
    assert (refused.status_code, refused.json()["type"]) == (422, "bad-filter")
    guess = {"key": "two", "status": ["ASKED"], "dry_run": True}
    refused = keyed.post("/api/questions/cancel", json=guess, headers={"x-api-key": "one"})
    assert (refused.status_code, refused.json()["type"]) == (422, "bad-filter")
    left = keyed.get("/api/questions?status=ASKED", headers={"x-api-key": "ops"}).json()
    assert [each["question"] for each in left] == ["Who is two?"]
