"""A collection is written into a file over HTTP and by the client, and taken over by another."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from sqlalchemy import text
from starlette.testclient import TestClient

from api.app import create_app
from store import folders as stored_folders
from store.sql.tables import AnswerRow
from tests.api import walk
from tests.api.conftest import LOCAL, serving
from wellread import Client, Refused
from workers import files as watched
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services, collections
from workers.settings import Settings

ZIP = {"content-type": "application/zip"}


@pytest.fixture
def asked(services: Services) -> str:
    """A question that was answered, a source with a schedule that is paused, and an empty collection."""
    question_id = walk.ask(services).id
    walk.move(services, question_id, walk.answered(walk.keep_page(services)))
    source = submit.add_source(services, "https://example.org/", own=False, min_delay_s=None)
    sites.change(services, source.id, {"every": "6h", "paused": True})
    collections.add(services, "research")
    return question_id


def test_collection_is_the_same_elsewhere(http: TestClient, asked: str, services: Services) -> None:
    file = http.get("/api/export")
    assert file.headers["content-type"] == "application/zip"
    assert file.headers["content-disposition"] == 'attachment; filename="wellread-default.zip"'
    assert list(services.settings.data_dir.glob("tmp*")) == []
    there = {"collection": "research"}
    taken = http.post("/api/import", params=there, content=file.content, headers=ZIP)
    assert taken.status_code == 200, taken.text
    assert {name: taken.json()[name] for name in ("sources", "new", "questions")} == {
        "sources": 1,
        "new": 1,
        "questions": 1,
    }
    again = http.post("/api/import", params=there, content=file.content, headers=ZIP).json()
    assert (again["questions"], again["questions_known"], again["new"], again["known"]) == (0, 1, 0, 1)
    record, was = (http.get(f"/api/questions/{asked}", params=where).json() for where in (there, {}))
    assert record["citations"][0]["quote"] == walk.QUOTE
    assert {name: record[name] for name in ("answer", "sentences", "timings", "cost", "confidence")} == {
        name: was[name] for name in ("answer", "sentences", "timings", "cost", "confidence")
    }
    page = http.get(f"/api/pages/{record['citations'][0]['page_id']}", params=there).json()
    assert walk.QUOTE in page["text"]
    (source,) = http.get("/api/sources", params=there).json()
    assert (source["paused"], source["schedule"]["every_s"], source["next_due"]) == (True, 21_600, None)


def test_answer_with_fields_that_only_an_older_version_had_is_taken_over(
    http: TestClient, asked: str, services: Services
) -> None:
    was = http.get(f"/api/questions/{asked}").json()["sentences"]
    contradicting = {"contradicts": [2], "disputes": [{"citations": [1, 2], "values": ["1871", "1876"]}]}
    with services.database.write() as session:
        (answer,) = session.query(AnswerRow)
        answer.sentences = [sentence | contradicting for sentence in answer.sentences]
    there = {"collection": "research"}
    taken = http.post("/api/import", params=there, content=http.get("/api/export").content, headers=ZIP)
    assert taken.json()["questions"] == 1
    assert http.get(f"/api/questions/{asked}", params=there).json()["sentences"] == was


def test_what_cannot_be_written_is_counted(http: TestClient, asked: str, services: Services) -> None:
    assert "x-left-out" not in http.get("/api/export").headers
    with services.database.write() as session:
        session.execute(text("UPDATE questions SET answer_schema = :half"), {"half": '{"b": "\\ud800"}'})
    assert http.get("/api/export").headers["x-left-out"] == "1"


@pytest.mark.parametrize("body", [b"", b"PK no more", b'{"a": 1}'])
def test_foreign_file_is_refused_with_what_to_do(http: TestClient, services: Services, body: bytes) -> None:
    refused = http.post("/api/import", content=body, headers=ZIP)
    assert str(services.settings.data_dir) not in refused.text
    assert (refused.status_code, refused.json()["type"]) == (422, "bad-archive")
    assert "GET /api/export" in refused.json()["what_to_do"]
    assert http.get("/api/stats").json()["pages"] == 0


def test_page_of_another_site_cannot_have_a_file_taken_over(http: TestClient) -> None:
    foreign = {"origin": "https://elsewhere.example", **ZIP}
    assert http.post("/api/import", content=b"x", headers=foreign).status_code == 403
    assert http.post("/api/import", content=b"x", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_a_folder_goes_no_way_over_http(http: TestClient, services: Services, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.md").write_text("Alma keeps it.")
    watched.watch(services, tmp_path / "papers")
    body = http.get("/api/export").content
    with zipfile.ZipFile(BytesIO(body)) as file:
        assert str(tmp_path) not in "".join(file.read(name).decode() for name in file.namelist())
    (state,) = http.get("/api/folders").json()
    assert (state["name"], state["problem"]) == ("papers", None)
    assert "path" not in state
    collections.add(services, "research")
    http.post("/api/import", params={"collection": "research", "own": True}, content=body, headers=ZIP)
    with services.of("research").database.read() as session:
        assert stored_folders.list_all(session) == []


def test_only_an_administrator_may(services: Services, settings: Settings) -> None:
    pairs = ("operate:an-operator", "admin@research:a-bound-admin")
    collections.add(services, "research")
    services.settings = settings.model_copy(update={"api_keys": tuple(map(SecretStr, pairs))})
    with TestClient(create_app(services), base_url=LOCAL) as http:
        operator, bound = ({"x-api-key": key} for key in ("an-operator", "a-bound-admin"))
        assert http.get("/api/export", headers=operator).status_code == 403
        assert http.post("/api/import", content=b"x", headers=operator | ZIP).status_code == 403
        assert http.get("/api/export", headers=bound).status_code == 200  # of its own
        assert http.get("/api/export?collection=default", headers=bound).status_code == 404


def test_client_writes_and_takes_over(app: FastAPI, asked: str) -> None:
    with serving(app) as url, Client(url) as client, Client(url, collection="research") as research:
        taken = research.import_collection(client.export_collection(), own=True)
        assert (taken.questions, taken.new) == (1, 1)
        assert research.get(asked).answer == client.get(asked).answer
        with pytest.raises(Refused, match="was not written by"):
            client.import_collection(b"PK no more")


def test_a_source_is_paused_and_resumed(http: TestClient, services: Services) -> None:
    source = submit.add_source(services, "https://example.org/", own=False, min_delay_s=None)
    path = f"/api/sources/{source.id}"
    every = http.patch(path, json={"cron": "0 3 * * *", "zone": "Europe/Berlin"}).json()
    paused = http.patch(path, json={"paused": True}).json()
    assert paused == every | {"paused": True, "next_due": None}
    assert http.patch(path, json={"paused": False}).json() == every
    assert http.patch(path, json={"paused": None}).status_code == 422
