"""What of a request counts for its hash, and what does not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from evals.model.requests import Request, request_of
from tests.evals.model.bodies import answer_body, verdict_body

DAY = date(2026, 11, 26)


def normal(body: dict[str, Any], *, port: int = 4000, day: date = DAY) -> Request:
    return request_of(body, {"sea": f"http://127.0.0.1:{port}/"}, day)


def test_another_day_and_port_give_the_same_hash() -> None:
    other = answer_body(port=41234, today="2027-02-03", read="2027-02-03T23:59Z")
    assert normal(other, port=41234, day=date(2027, 2, 3)).hash == normal(answer_body()).hash


@pytest.mark.parametrize(
    "today",
    ["2026-11-26", "26 November 2026", "November 26, 2026", "Thursday, 26 November 2026", "26.11.2026", "2026-11-25"],
)
def test_today_is_found_however_it_is_written(today: str) -> None:
    assert normal(answer_body(today=today)).system[1] == "Today is TODAY. The question is about http://sea.example/."


def test_a_date_in_a_pages_text_stays() -> None:
    assert normal(answer_body()).results[0].blocks[1] == "She finished it on 2026-11-26."
    assert normal(answer_body()).results[0].title == "The lighthouse (read TODAY)"


def test_a_port_that_begins_like_a_sites_is_not_the_sites() -> None:
    assert normal(answer_body(port=40001)).results[0].source == "http://127.0.0.1:40001/index.html"


def test_model_limits_and_caching_do_not_count() -> None:
    other = answer_body(model="claude-next", max_tokens=9, stream=True)
    del other["system"][0]["cache_control"]
    assert normal(other).hash == normal(answer_body()).hash


@pytest.mark.parametrize("change", ["question", "block", "schema"])
def test_what_is_read_counts(change: str) -> None:
    other = answer_body()
    if change == "question":
        other["messages"][0]["content"][-1]["text"] = "Question: Who lit it?"
    elif change == "block":
        other["messages"][0]["content"][0]["content"].pop()
    else:
        other = verdict_body()
    assert normal(other).hash != normal(answer_body()).hash


def test_kind_is_told_from_what_is_asked_for() -> None:
    assert normal(answer_body()).kind == "answer"
    assert normal(verdict_body()).kind == "verdict"


def test_text_to_read_numbers_the_blocks_and_tells_nothing_of_the_evaluation() -> None:
    text = normal(answer_body()).readable()
    assert "[0.1] She finished it on 2026-11-26." in text
    assert text.index("INSTRUCTIONS") < text.index("SEARCH RESULT 0") < text.index("QUESTION")
    assert "gold" not in text
