"""Questions are asked in threads; threads are listed, searched, read, renamed and deleted over HTTP."""

from __future__ import annotations

import uuid
from typing import Any

from starlette.testclient import TestClient

from store.questions import threads
from tests.api import walk
from workers.services import Services


def ask(http: TestClient, question: str, **others: Any) -> dict[str, Any]:
    response = http.post("/api/questions", json={"question": question, "reuse": False, **others})
    assert response.status_code == 202, response.text
    record: dict[str, Any] = response.json()
    return record


def test_question_asked_after_another_is_understood_from_it_and_both_are_one_thread(http: TestClient) -> None:
    first = ask(http, "When was the lighthouse of Skagen built?")
    assert (first["thread"], first["question_as_understood"]) == (None, None)
    second = ask(http, "And who built it?", after=first["id"])
    assert second["question"] == "And who built it?"
    assert "Skagen" in second["question_as_understood"]
    thread = http.get(f"/api/threads/{second['thread']}").json()
    assert (thread["title"], thread["questions"]) == ("When was the lighthouse of Skagen built?", 2)
    assert [turn["id"] for turn in thread["turns"]] == [first["id"], second["id"]]
    assert thread["turns"][1]["question_as_understood"] == second["question_as_understood"]


def test_new_thread_is_begun_by_name_and_asked_in_by_its_id(http: TestClient) -> None:
    first = ask(http, "When was the lighthouse of Skagen built?", thread="new")
    second = ask(http, "And who built it?", thread=first["thread"])
    assert second["thread"] == first["thread"]
    assert "Skagen" in second["question_as_understood"]


def test_asker_says_how_the_question_is_to_be_understood(http: TestClient) -> None:
    first = ask(http, "When was the lighthouse of Skagen built?")
    asked = ask(http, "And who built it?", after=first["id"], question_as_understood="Who built the grey lighthouse?")
    assert asked["question_as_understood"] == "Who built the grey lighthouse?"
    other = ask(http, "Who?", question_as_understood="Who painted it?")
    assert (other["thread"], other["question_as_understood"]) == (None, "Who painted it?")


def test_same_key_gives_the_same_follow_up_although_its_thread_went_on(http: TestClient) -> None:
    first = ask(http, "When was the lighthouse of Skagen built?", thread="new")
    body = {"question": "And who built it?", "thread": first["thread"]}
    once = http.post("/api/questions", json=body, headers={"Idempotency-Key": "k"})
    ask(http, "Where is the harbour of Gedser?", thread=first["thread"])
    again = http.post("/api/questions", json=body, headers={"Idempotency-Key": "k"})
    assert (once.status_code, again.status_code) == (202, 200)
    assert again.json()["id"] == once.json()["id"]
    assert again.json()["question_as_understood"] == once.json()["question_as_understood"]


def test_question_follows_the_one_that_it_names_not_the_latest(http: TestClient) -> None:
    first = ask(http, "When was the lighthouse of Skagen built?", thread="new")
    ask(http, "When was the harbour of Gedser built?", thread=first["thread"])
    asked = ask(http, "Who built it?", after=first["id"])
    assert "Skagen" in asked["question_as_understood"]
    assert "Gedser" not in asked["question_as_understood"]


def test_unknown_thread_and_question_are_named(http: TestClient) -> None:
    missing = str(uuid.uuid4())
    first = ask(http, "When was the lighthouse of Skagen built?", thread="new")
    for body, status, kind in (
        ({"thread": missing}, 404, "unknown-thread"),
        ({"after": missing}, 404, "unknown-question"),
        ({"after": first["id"], "thread": missing}, 404, "unknown-thread"),
        ({"thread": "../x"}, 422, "bad-request"),
    ):
        response = http.post("/api/questions", json={"question": "Why?", **body})
        assert (response.status_code, response.json()["type"]) == (status, kind)
    other = ask(http, "Where is Gedser?", thread="new")
    response = http.post("/api/questions", json={"question": "Why?", "after": first["id"], "thread": other["thread"]})
    assert (response.status_code, response.json()["type"]) == (422, "not-in-thread")
    assert http.get(f"/api/threads/{missing}").json()["type"] == "unknown-thread"
    assert http.get("/api/threads/nonsense").json()["type"] == "unknown-thread"


def test_threads_are_listed_newest_first_and_found_by_words_of_their_titles(http: TestClient) -> None:
    old = ask(http, "Who built the Café of Skagen?", thread="new")["thread"]
    new = ask(http, "Where is the harbour of Gedser?", thread="new")["thread"]
    assert [thread["id"] for thread in http.get("/api/threads").json()] == [new, old]
    assert [thread["id"] for thread in http.get("/api/threads", params={"q": "skagen CAFE"}).json()] == [old]
    assert http.get("/api/threads", params={"q": "100%"}).json() == []
    newest = http.get("/api/threads", params={"limit": 1}).json()
    older = http.get("/api/threads", params={"before": newest[0]["updated_at"]}).json()
    assert [thread["id"] for thread in older] == [old]
    ask(http, "And who built it?", thread=old)
    assert [thread["id"] for thread in http.get("/api/threads").json()] == [old, new]


def test_threads_are_found_by_what_was_asked_and_answered_in_them(http: TestClient, services: Services) -> None:
    first = ask(http, "Who built the Café of Skagen?", thread="new")
    second = ask(http, "And who painted it?", thread=first["thread"])
    other = ask(http, "Where is the harbour of Gedser?", thread="new")
    walk.move(services, second["id"], walk.answered(walk.keep_page(services)))

    def found(words: str) -> list[str]:
        return [thread["id"] for thread in http.get("/api/threads", params={"q": words}).json()]

    assert found("PAINTED") == [first["thread"]]  # asked in it
    assert found("tallis 1871") == [first["thread"]]  # answered in it
    assert found("cafe tallis") == [first["thread"]]  # understood and answered
    assert found("tallis gedser") == []
    assert found("who") == [first["thread"]]
    assert found("gedser") == [other["thread"]]
    assert found("%") == found("_") == []
    http.delete(f"/api/questions/{second['id']}")
    assert found("tallis") == []


def test_thread_is_renamed(http: TestClient) -> None:
    thread = ask(http, "Who built the Café of Skagen?", thread="new")["thread"]
    renamed = http.patch(f"/api/threads/{thread}", json={"title": " Lighthouses  of Denmark"})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Lighthouses of Denmark")
    assert len(http.get("/api/threads", params={"q": "denmark"}).json()) == 1
    assert http.patch(f"/api/threads/{thread}", json={"title": "  "}).status_code == 422


def test_deleting_a_thread_deletes_its_questions_and_the_last_question_its_thread(http: TestClient) -> None:
    first = ask(http, "Who built the Café of Skagen?", thread="new")
    second = ask(http, "And who painted it?", thread=first["thread"])
    lone = ask(http, "Where is the harbour of Gedser?", thread="new")
    assert http.delete(f"/api/threads/{first['thread']}").status_code == 204
    for record in (first, second):
        assert http.get(f"/api/questions/{record['id']}").status_code == 404
    assert http.delete(f"/api/threads/{first['thread']}").status_code == 404
    assert http.delete(f"/api/questions/{lone['id']}").status_code == 204
    assert http.get("/api/threads").json() == []


def test_thread_is_exported_as_one_document_however_long(http: TestClient, services: Services) -> None:
    first = ask(http, "Who built the lighthouse?", thread="new")
    walk.move(services, first["id"], walk.answered(walk.keep_page(services)))
    for number in range(120):
        walk.ask_in(services, first["thread"], f"Where is the harbour of Gedser, {number}?")
    for form, kind, heading in (("md", "text/markdown", "\n## "), ("html", "text/html", "<h2>")):
        document = http.get(f"/api/threads/{first['thread']}/export", params={"format": form})
        asked = [part.splitlines()[0].removesuffix("</h2>") for part in document.text.split(heading)[1:] if "?" in part]
        asked = [each for each in asked if each.endswith("?")]
        gedser = [f"Where is the harbour of Gedser, {number}?" for number in range(120)]
        assert asked == ["Who built the lighthouse?", *gedser]
        assert walk.QUOTE in document.text
        assert document.headers["content-type"] == f"{kind}; charset=utf-8"
        assert document.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert (
            document.headers["content-disposition"] == f'attachment; filename="wellread-{first["thread"][:8]}.{form}"'
        )
    assert http.get(f"/api/threads/{first['thread']}/export", params={"format": "pdf"}).status_code == 422
    assert http.get(f"/api/threads/{'0' * 32}/export").status_code == 404


def test_of_a_long_thread_the_last_turns_alone_are_read(http: TestClient, services: Services) -> None:
    thread = ask(http, "When was the lighthouse of Skagen built?", thread="new")["thread"]
    for _ in range(120):
        walk.ask_in(services, thread, "Where is the harbour of Gedser?")
    with services.database.read() as session:
        assert len(threads.last_questions(session, thread)) == threads.LAST_TURNS
    read = http.get(f"/api/threads/{thread}").json()
    assert (read["questions"], len(read["turns"])) == (121, 50)
    earlier = http.get(f"/api/threads/{thread}", params={"before": read["turns"][0]["id"], "limit": 100}).json()
    assert len(earlier["turns"]) == 71
    assert "Gedser" in ask(http, "And who built it?", thread=thread)["question_as_understood"]
