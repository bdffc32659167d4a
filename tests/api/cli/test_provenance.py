"""Below an answer stands what to know of it: whether it holds, where it comes from, what it cost, what is missing."""

from __future__ import annotations

from typing import Any

from api.cli.answer import about_answer, record_lines
from api.cli.width import Style
from tests.api.records import record_json
from tests.tables import each_row
from wellread import Record
from wellread.responses import to_value

PAID = {"model": "claude-sonnet-5-5", "input_tokens": 3400, "output_tokens": 500, "usd": 0.0123}
WAITING = [
    {"url": f"http://a.example/{at}", "title": "", "outcome": None, "reason": None, "wave": 0} for at in range(7)
]
LACKING = {"sufficient": False, "confidence": 0.1, "reason": "", "missing": ["year", "builder"], "judge": "calibrated"}


@each_row(
    ("changes", "said"),
    [
        ({}, []),  # nothing to know
        (
            {"stale": True, "stale_at": "2026-11-03T10:00:00Z"},
            ["Stale since 2026-11-03 10:00 UTC: a cited page has changed or is gone."],
        ),
        ({"stale": True}, ["Stale: a cited page has changed or is gone."]),  # an older server
        ({"cached_from": "abc"}, ["Reused from abc; what it cites still says the same."]),
        (
            {"cached_from": "abc", "status": "ABSTAINED", "citations": [], "sentences": []},
            ["Reused from abc; nothing that may answer it was read since."],
        ),
        ({"shared_with": "abc"}, ["Shared with abc, which asked the same."]),
        ({"round": 1}, ["Asked again once, because its evidence changed."]),
        ({"round": 3}, ["Asked again 3 times, because its evidence changed."]),
        (
            {"cost": PAID | {"usd": 0.0, "unpriced": True, "model": "qwen3:8b"}},
            ["Cost not known (qwen3:8b: 3,400 tokens read, 500 written)."],
        ),
        ({"cost": PAID}, ["Cost $0.0123 (claude-sonnet-5-5: 3,400 tokens read, 500 written)."]),
        ({"cost": PAID | {"by_model": [PAID]}}, ["Cost $0.0123 (claude-sonnet-5-5: 3,400 tokens read, 500 written)."]),
        (
            {"cost": PAID | {"by_model": [PAID | {"usd": 0.012}, PAID | {"usd": 0.0003, "model": "claude-haiku-5-5"}]}},
            ["Cost $0.0123 (claude-sonnet-5-5 $0.0120, claude-haiku-5-5 $0.0003: 3,400 tokens read, 500 written)."],
        ),
        ({"verdict": LACKING}, []),  # it is final: what was missing stands in the answer
        ({"status": "SEEKING", "verdict": LACKING}, ["Not covered yet: year, builder."]),
        (
            {"status": "READING", "verdict": None, "pages": WAITING},
            ["Being read: " + ", ".join(f"http://a.example/{at}" for at in range(5)) + " and 2 more."],
        ),
    ],
)
def test_what_is_to_be_known_is_said(changes: dict[str, Any], said: list[str]) -> None:
    record = to_value(Record, record_json(**changes))
    assert list(about_answer(record)) == said
    shown = "\n".join(record_lines(record, Style(width=200)))
    assert all(line in shown for line in said)


def test_what_a_page_is_called_cannot_steer_the_terminal() -> None:
    lacking = {**LACKING, "missing": ["a\x1b[2Jb"]}
    (line,) = about_answer(to_value(Record, record_json(status="SEEKING", verdict=lacking, pages=[])))
    assert "\x1b" not in line
