"""What came of a folder's files, and which of them are left out."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from api.cli.files import _found_in, other_kinds_lines
from api.cli.width import Style
from store import folders
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from tests.workers.files.remote_servers import KEY, s3_server
from workers.files import look_through_one
from workers.services import Services


def test_files_of_a_folder_that_are_left_out_for_their_kind_are_named(tmp_path: Path) -> None:
    (tmp_path / "sheets").mkdir()
    for name in ("leave.md", "sheets/shifts.numbers", "photo.jpg", ".hidden.numbers"):
        (tmp_path / name).write_text("x")
    left = [file.path for file in _found_in(tmp_path, readable=False)]
    assert left == ["photo.jpg", "sheets/shifts.numbers"]
    [line] = other_kinds_lines(left, Style(width=150))
    assert line.startswith("2 files are in a format that cannot be read: photo.jpg, sheets/shifts.numbers.")


def test_many_files_that_are_left_out_are_counted() -> None:
    said = " ".join(other_kinds_lines([f"{at}.jpg" for at in range(1_205)], Style()))
    assert said.startswith(
        "1,205 files are in a format that cannot be read: 0.jpg, 1.jpg, 2.jpg, 3.jpg, 4.jpg and 1,200 more."
    )


def test_nothing_is_said_where_every_kind_is_read() -> None:
    assert other_kinds_lines([], Style()) == []


class _AtOnce:
    """Looks through a folder when it is asked to be looked through."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def send(self, task: str, row_id: int, **_: object) -> bool:
        look_through_one(self._services, row_id)
        return True


def test_the_login_of_a_bucket_is_what_is_given_or_that_of_aws_and_is_not_shown(
    services: Services, app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.__dict__["dispatcher"] = _AtOnce(services)
    (tmp_path / "login").write_text(f"{KEY['user']}:{KEY['password']}\n")
    with s3_server({}, KEY) as (endpoint, _), serving(app) as url:
        services.settings = services.settings.model_copy(update={"allow_hosts": (endpoint.removeprefix("http://"),)})
        monkeypatch.setenv("WELLREAD_API_URL", url)
        named = {"ACCESS_KEY_ID": KEY["user"], "SECRET_ACCESS_KEY": "another", "SESSION_TOKEN": "its-token"}
        for name, value in {**named, "REGION": "eu-west-1", "ENDPOINT_URL": endpoint}.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        refused = wellread("files", "watch", "s3://shelf/docs")
        assert (refused.exit_code, "SignatureDoesNotMatch" in refused.output) == (1, True), refused.output
        taken = wellread("files", "watch", "s3://shelf/docs", "--login", f"@{tmp_path / 'login'}")
        assert (taken.exit_code, taken.output.count("no file that can be read")) == (0, 1), taken.output
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY["password"])
        monkeypatch.delenv("AWS_SESSION_TOKEN")
        assert wellread("files", "watch", "s3://shelf/docs").exit_code == 0
        (folder,) = services.read(folders.list_all)
        assert dict(folder.access) == KEY
        shown = taken.output + httpx2.get(f"{url}/api/folders").text
        assert "s3cret" not in shown
        assert "its-token" not in shown
    services.close_web_access()
