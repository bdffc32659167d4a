"""Passages that a search found, in the terminal."""

from __future__ import annotations

import pytest

from api.cli.ask import passages_lines
from api.cli.width import Style
from domain.record import FoundPassage


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Rules\n\nDoors close at ten.", ["   Doors close at ten."]),
        ("Rules of doors\n\nThey close.", ["   Rules of doors", "   They close."]),
        ("Rules", ["   Rules"]),  # nothing else is in it
    ],
)
def test_heading_that_is_the_title_is_shown_once(text: str, shown: list[str]) -> None:
    found = FoundPassage(
        rank=1, score=1, similarity=None, passage_id="1:0", page_id=1, url="files://house.md", title="House › Rules",
        lang="en", text=text, start=0, end=len(text),
    )  # fmt: skip
    assert [line for line in passages_lines([found], Style())[1:-2] if line.strip()] == shown
