"""Files are sent as a form, by those who may choose what is read; names, sizes and kinds are checked."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from tests.api.conftest import LOCAL, serving
from tests.office import docx
from workers.services import Services
from workers.settings import load

KEYS = ("ask:aaaa", "operate:oooo")


def send(http: TestClient, name: str, body: bytes = b"# Lamp\n\nIt is lit.", **more: object) -> httpx2.Response:
    return http.post("/api/files", files={"file": (name, body)}, **more)  # type: ignore[arg-type, return-value]


def test_file_is_taken_and_waits_to_be_read(http: TestClient) -> None:
    answer = send(http, "Hand book.docx", docx())
    assert answer.status_code == 202
    file = answer.json()
    assert file["address"] == "files://uploads/Hand%20book.docx"
    assert file["outcome"] is None
    assert http.get(answer.headers["location"]).json() == file
    assert http.get("/api/files").json() == [file]
    assert http.get("/api/files", params={"folder": "uploads"}).json() == [file]
    assert http.get("/api/files", params={"folder": "uploads/"}).json() == [file]
    assert http.get("/api/files", params={"folder": "uploads/none"}).json() == []


def test_folder_that_is_not_known_is_said_with_those_that_are(http: TestClient) -> None:
    answer = http.get("/api/files", params={"folder": "upload"})
    assert (answer.status_code, answer.json()["type"]) == (404, "unknown-folder")
    assert answer.json()["detail"] == "There is no folder 'upload': files are in uploads."


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"files": {"file": ("a.md", b"x")}, "data": {"folder": "rules"}}, "no field 'folder': it takes file and name"),
        ({"files": {"file": ("a.md", b"x"), "name": ("b.md", b"x")}}, "`name` must be text"),
        ({"files": {"document": ("a.md", b"x")}}, "no field 'document': it takes file and name"),
        ({"files": [("file", ("a.md", b"x")), ("file", ("b.md", b"x"))]}, "file more than once"),
        ({"files": {"file": ("a.md", b"x")}, "data": {"name": ["b.md", "c.md"]}}, "name more than once"),
        ({"data": {"name": "b.md"}}, "There is no file in the request"),
        ({"files": {"file": ("all.zip", b"x")}}, "and `wellread restore` restores a backup"),
    ],
)
def test_form_that_is_no_file_is_refused_in_words(http: TestClient, form: dict[str, Any], said: str) -> None:
    answer = http.post("/api/files", **form)
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text
    assert http.get("/api/files").json() == []


def test_file_of_the_same_name_is_replaced(http: TestClient) -> None:
    first, second = send(http, "lamp.md").json(), send(http, "lamp.md", b"# Lamp\n\nIt is dark.").json()
    assert (first["id"], second["bytes"]) == (second["id"], 19)
    named = http.post("/api/files", files={"file": ("lamp.md", b"x")}, data={"name": "north/lamp.md"}).json()
    assert named["address"] == "files://uploads/north/lamp.md"
    assert len(http.get("/api/files").json()) == 2


def test_file_that_has_no_page_is_deleted(http: TestClient) -> None:
    file, other = send(http, "lamp.md").json(), send(http, "pier.md").json()
    assert http.get("/api/files", params={"address": file["address"]}).json() == [file]
    assert http.delete(f"/api/files/{file['id']}").status_code == 204
    assert http.get("/api/files").json() == [other]
    assert http.get("/api/files", params={"address": file["address"]}).json() == []
    assert http.delete(f"/api/files/{file['id']}").json()["type"] == "unknown-file"


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("../x.md", b"x", "bad-file-name"),
        ("..", b"x", "bad-file-name"),
        ("/etc/x.md", b"x", "bad-file-name"),
        ("a/../../x.md", b"x", "bad-file-name"),
        ("x.exe", b"x", "file-refused"),
        ("x", b"x", "file-refused"),
        ("x.md", b"", "file-refused"),
    ],
)
def test_what_cannot_be_taken_is_refused_and_nothing_stored(
    http: TestClient, name: str, body: bytes, kind: str
) -> None:
    answer = http.post("/api/files", files={"file": ("x.md", body)}, data={"name": name})
    assert (answer.status_code, answer.json()["type"]) == (422, kind)
    assert http.get("/api/files").json() == []


@pytest.mark.parametrize(
    "request_",
    [
        {"data": {"name": "x.md"}, "files": {"other": ("x.md", b"x")}},
        {"content": b"not a form", "headers": {"content-type": "multipart/form-data; boundary=x"}},
        {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
        {"files": [("file", ("a.md", b"x")), ("file", ("b.md", b"x"))]},
        {"json": {"file": "x"}},
    ],
)
def test_other_bodies_are_refused(http: TestClient, request_: dict[str, object]) -> None:
    answer = http.post("/api/files", **request_)  # type: ignore[arg-type]
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_page_of_another_site_cannot_send_files(http: TestClient) -> None:
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert send(http, "x.md", headers=headers).status_code == 403
    assert send(http, "x.md", headers={"origin": LOCAL, "sec-fetch-site": "same-origin"}).status_code == 202


def test_only_those_who_choose_what_is_read_send_files(services: Services) -> None:
    settings = load(data_dir=services.settings.data_dir, redis_url=services.settings.redis_url, api_keys=KEYS)
    services.__dict__["settings"] = settings
    with TestClient(create_app(services), base_url=LOCAL) as http:
        for key, status in (("", 401), ("aaaa", 403), ("oooo", 202)):
            assert send(http, "x.md", headers={"x-api-key": key}).status_code == status
        assert http.get("/api/files", headers={"x-api-key": "aaaa"}).status_code == 200


def test_two_gigabytes_are_refused_while_they_come(services: Services, tmp_path: Path) -> None:
    settings = load(
        data_dir=services.settings.data_dir, redis_url=services.settings.redis_url, file_max_bytes=3_000_000
    )
    services.__dict__["settings"] = settings
    app: FastAPI = create_app(services)
    head = b'--x\r\ncontent-disposition: form-data; name="file"; filename="huge.pdf"\r\n\r\n%PDF-1.4'
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield head
        for _ in range(2 * 1024):
            sent += 2**20
            yield b"\0" * 2**20

    form = {"content-type": "multipart/form-data; boundary=x"}
    with serving(app) as url, httpx2.Client(trust_env=False) as client:
        tracemalloc.start()
        try:
            status = client.post(f"{url}/api/files", content=body(), headers=form).status_code
        except httpx2.TransportError:  # it was refused, and the connection closed, while we were sending
            status = 413
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert client.get(f"{url}/api/files").json() == []
    assert status == 413
    assert sent < 100 * 2**20
    assert peak < 20_000_000


def test_two_gigabytes_that_are_announced_are_refused_unread(http: TestClient) -> None:
    said = send(http, "x.pdf", headers={"content-length": str(2**31)})
    assert said.status_code == 413
    assert "WELLREAD_FILE_MAX_BYTES" in said.json()["detail"]
