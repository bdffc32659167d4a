"""The API's description for people: shown with its own files alone, and usable in a real browser."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.api.web.browser import opened
from workers.services import Services

FILES = ["/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"]


@pytest.mark.parametrize("path", FILES)
def test_files_come_from_here_with_a_policy_that_lets_nothing_else_in(http: TestClient, path: str) -> None:
    response = http.get(path)
    assert response.status_code == 200
    assert "script-src 'self'; style-src 'self'; connect-src 'self'" in response.headers["content-security-policy"]


def test_page_loads_only_what_is_served_here(http: TestClient) -> None:
    loaded = re.findall(r"(?:src|href)=\"([^\"]+)\"", http.get("/docs").text)
    assert {f"/{path}" for path in loaded} - {"/data:,", "/openapi.json"} == set(FILES) - {"/docs"}


@pytest.mark.live
def test_person_reads_and_tries_the_api(app: FastAPI, services: Services) -> None:
    with opened(app) as tab:
        tab.open(f"{tab.run('location.origin')}/docs")
        tab.wait("document.querySelectorAll('.opblock').length > 30")
        assert "/api/search" in tab.text("#reference")
        tab.run("document.querySelector('#operations-questions-latest_api_questions_get button').click()")
        tab.wait("document.querySelector('.try-out__btn')")
        tab.run("document.querySelector('.try-out__btn').click()")
        tab.wait("document.querySelector('.execute')")
        tab.run("document.querySelector('.execute').click()")
        tab.wait("document.querySelector('.live-responses-table')?.innerText.includes('200')")
        assert tab.complaints == []
