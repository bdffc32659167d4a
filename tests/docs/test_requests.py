"""Every request that is shown is sent to a real API."""

from __future__ import annotations

import json

import httpx2
import pytest

from tests.api import walk
from tests.docs.blocks import API, blocks, every_command


@pytest.mark.parametrize("words", every_command("curl"))
def test_request_is_answered(words: list[str], url: str, question_id: str) -> None:
    address, body, headers = _request(words)
    assert address.startswith(API)
    response = httpx2.request(
        "POST" if body else "GET",
        address.replace(API, url).replace("QUESTION_ID", question_id),
        content=body.replace("QUESTION_ID", question_id) if body else body,
        headers=headers,
        timeout=60,
        trust_env=False,
    )
    assert response.is_success, response.text
    assert (
        walk.QUOTE in response.text
        or walk.BUILDER in response.text
        or address.endswith(("/trace", "/search", "/api/threads?q=lighthouse"))
        or 'wellread_up{part="redis"} 1.0' in response.text
        or response.status_code in (201, 202)
    )


def _request(words: list[str]) -> tuple[str, str | None, dict[str, str]]:
    """What a curl command line sends; knows the options the pages use and no others."""
    address, body, headers, rest = "", None, {}, iter(words[1:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(rest)
        elif word == "-F":  # a form with a file, whose content stands for any
            form = httpx2.Request("POST", API, files={"file": (next(rest).removeprefix("file=@"), b"PK\x03\x04")})
            body, headers["content-type"] = form.read().decode("latin-1"), form.headers["content-type"]
        elif word.startswith("-"):
            assert word in ("-s", "-sN"), word
        else:
            address = word
    return address, body, headers


def test_shown_problem_is_what_the_api_answers(url: str) -> None:
    shown = [json.loads(block.text) for block in blocks("json") if '"what_to_do"' in block.text]
    answered = httpx2.post(f"{url}/api/questions", json={"question": ""}, trust_env=False).json()
    assert shown == [answered]
