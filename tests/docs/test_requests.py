"""What the documents show of the API's answers is what it answers."""

from __future__ import annotations

import json

import httpx2

from tests.docs.blocks import blocks


def test_shown_problem_is_what_the_api_answers(url: str) -> None:
    shown = [json.loads(block.text) for block in blocks("json") if '"what_to_do"' in block.text]
    answered = httpx2.post(f"{url}/api/questions", json={"question": ""}, trust_env=False).json()
    assert shown == [answered]
