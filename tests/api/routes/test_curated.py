"""Operators' answers are given to questions that mean the same, with the author's name and date, and to no others."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from starlette.testclient import TestClient

from domain.document import Pushed
from tests.api.cli.command import wellread
from tests.api.routes.test_documents import embed, put
from workers import curated
from workers import documents as pushed
from workers import services as composition
from workers.services import Services
from workers.tasks import answer as answering

RESET = {
    "questions": ["How do I reset my password?", "I forgot my password, what now?"],
    "answer": "Ring the help desk:\n\n- inside, 4711\n- outside, 040 4711",
    "author": "Mari Tamm",
    "written": "2026-03-01T09:00:00Z",
    "sources": ["https://intranet.example/reset"],
}


def save(http: TestClient, curated_id: str = "reset", **changes: Any) -> Any:
    answer = http.put(f"/api/curated/{curated_id}", json=RESET | changes)
    assert answer.status_code in (200, 201), answer.text
    return answer


def ask(http: TestClient, services: Services, question: str, **options: Any) -> dict[str, Any]:
    question_id = http.post("/api/questions", json={"question": question, "crawl_enabled": False} | options).json()[
        "id"
    ]
    with patch.object(composition, "services", lambda collection="default": services):
        tasks = {"ASKED": answering.retrieve, "RETRYING": answering.retry}
        with patch.object(answering, "services", lambda collection="default": services):
            while task := tasks.get(record(http, question_id)["status"]):
                task(question_id)
    return record(http, question_id)


def record(http: TestClient, question_id: str) -> dict[str, Any]:
    return http.get(f"/api/questions/{question_id}").json()  # type: ignore[no-any-return]


def test_answer_is_given_whole_with_name_and_date_if_the_question_means_the_same(
    http: TestClient, services: Services
) -> None:
    assert save(http).status_code == 201
    answered = ask(http, services, "how can I reset the password")
    assert (answered["outcome"], answered["composer"]) == ("answered", "operator")
    assert answered["answer"] == "Ring the help desk:\n- inside, 4711\n- outside, 040 4711 [1]"
    assert answered["notice"] == "Mari Tamm wrote this answer on 2026-03-01. https://intranet.example/reset"
    (cited,) = answered["citations"]
    assert (cited["url"], cited["place"]) == ("files://pushed/curated/reset", "Mari Tamm, 2026-03-01")
    assert ask(http, services, "I forgot my password, what now?")["composer"] == "operator"


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How do I change my password?", {}),
        ("How do I not reset my password?", {}),
        ("How do I reset my password?", {"langs": ["de"]}),  # bound to other sources
        ("How do I reset my password?", {"source_kinds": ["web"]}),
        ("How do I reset my password?", {"published_before": "2026-01-01T00:00:00Z"}),
    ],
)
def test_answer_is_not_given_to_another_question_or_one_that_is_bound_to_other_sources(
    http: TestClient, services: Services, question: str, options: dict[str, Any]
) -> None:
    save(http)
    assert ask(http, services, question, **options)["composer"] == "abstention"


def test_new_answer_takes_the_place_of_what_pages_said_and_its_change_and_end_that_of_itself(
    http: TestClient, services: Services
) -> None:
    asked = "How is the lamp restarted?"
    put(http, "lamp", "The lamp of Vierburg is restarted with the green key.")
    embed(services)
    assert ask(http, services, asked)["composer"] == "extractive"
    save(http, questions=[asked], answer="With the red key.")
    assert ask(http, services, asked)["answer"] == "With the red key. [1]"
    assert save(http, questions=[asked], answer="With the blue key.").status_code == 200
    assert ask(http, services, asked)["answer"] == "With the blue key. [1]"
    until = services.now() + timedelta(hours=1)
    save(http, questions=[asked], answer="With no key.", expires_at=until.isoformat())
    assert ask(http, services, asked)["composer"] == "operator"
    services.__dict__["now"] = lambda: until + timedelta(seconds=1)
    assert ask(http, services, asked)["composer"] == "extractive"
    curated.delete_expired(services)
    assert http.get("/api/curated/reset").status_code == 404
    assert http.get("/api/curated").json() == []


def test_answer_is_not_deleted_with_documents_whose_metadata_it_lacks(http: TestClient) -> None:
    save(http)
    put(http, "lamp", metadata={"import": "monday"})
    meant = {"filters": ["import!=tuesday"], "dry_run": True}
    assert http.post("/api/documents/delete", json=meant).json() == {"done": 0, "left": 1}


def test_links_of_an_answer_are_written_out(http: TestClient, services: Services) -> None:
    save(http, answer="See [the page](https://intranet.example/vpn) first.", questions=["How do I get in?"])
    assert (
        ask(http, services, "How can I get in?")["answer"] == "See the page (https://intranet.example/vpn) first. [1]"
    )


def test_document_whose_id_looks_like_that_of_an_answer_is_none(http: TestClient, services: Services) -> None:
    pushed.put(services, "curated/old", Pushed(form="text", content=b"The horn.", place="pushed by a former version"))
    save(http)
    assert [each["id"] for each in http.get("/api/curated").json()] == ["reset"]
    assert http.get("/api/curated/old").status_code == 404


def test_answer_is_only_searched_if_the_operator_wants_it(http: TestClient, services: Services) -> None:
    services.settings = services.settings.model_copy(update={"curated": "page"})
    save(
        http, questions=["Who built the lighthouse?"], answer="Robert Tallis built the lighthouse of Vierburg in 1871."
    )
    embed(services)
    answered = ask(http, services, "Who built the lighthouse?")
    assert (answered["composer"], answered["citations"][0]["place"]) == ("extractive", "Mari Tamm, 2026-03-01")


def test_bad_answers_are_refused_with_the_reason(http: TestClient) -> None:
    for wrong, said in (
        ({"questions": []}, "questions"),
        ({"answer": " "}, "answer"),
        ({"author": ""}, "author"),
        ({"author": "Mari\nTamm"}, "author"),
        ({"sources": ["javascript:alert(1)"]}, "sources"),
        ({"questions": [f"{number} {'x' * 390}?" for number in range(12)]}, "4,096"),
        ({"colour": "red"}, "colour"),
    ):
        refused = http.put("/api/curated/reset", json=RESET | wrong)
        assert refused.status_code == 422, (wrong, refused.text)
        assert said in refused.json()["detail"]
    assert http.delete("/api/curated/none").status_code == 404
    assert put(http, "curated/lamp").status_code == 422


def test_command_line_adds_a_file_lists_shows_and_deletes(placed: Services, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(
        "id,questions,answer,author\n"
        'lamp,How is the lamp restarted?|How do I restart the lamp?,"With the red key.",Mari\n'
        "broken,,No question.,Mari\n"
    )
    added = wellread("curated", "add", "--file", str(file))
    assert added.exit_code == 1
    assert "1 answer saved, 1 not." in added.output
    assert "line 3" in added.output
    assert "lamp  How is the lamp restarted?  (Mari, " in wellread("curated", "list").output
    shown = wellread("curated", "show", "lamp").output
    assert "How do I restart the lamp?" in shown
    assert "With the red key." in shown
    assert "lamp is deleted." in wellread("curated", "delete", "lamp").output
    assert "No answer of an operator's yet." in wellread("curated", "list").output


def test_questions_that_mean_the_same_share_an_answer_only_if_the_operator_wants_that(
    http: TestClient, services: Services
) -> None:
    put(http, "lamp", "The lamp of Vierburg is restarted with the green key. It shines for ten hours.")
    embed(services)
    first = ask(http, services, "How is the lamp of Vierburg restarted?")
    again = "Please tell me how is our lamp of Vierburg restarted"
    assert ask(http, services, again)["cached_from"] is None
    services.settings = services.settings.model_copy(update={"reuse_similar": True})
    assert ask(http, services, "How is the lamp of Vierburg restarted?")["cached_from"] is None  # of the time before
    asked = ask(http, services, again)
    assert (asked["answer"], asked["question"]) == (first["answer"], again)
    assert asked["cached_from"] is not None
    assert ask(http, services, "How is the lamp of Vierburg not restarted?")["cached_from"] is None
