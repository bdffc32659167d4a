"""The harness of load: what it makes of calls, and a short run of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.load import loops
from benchmarks.load.calls import Call, Caller, many_connections
from benchmarks.load.measure import measure
from benchmarks.load.stage import stage
from benchmarks.report import Options
from domain import Status
from wellread import AsyncClient


def _call(at: float, seconds: float, status: Status | None = None, **others: object) -> Call:
    taken = {"question_id": f"{at}", "status": status} if status else {}
    return Call(asked_at=at, seconds=seconds, **taken, **others)  # type: ignore[arg-type]


def test_calls_are_counted_by_what_came_of_them() -> None:
    calls = [
        _call(0.0, 1.0, Status.ANSWERED),
        _call(1.0, 3.0, Status.ABSTAINED),
        _call(1.0, 30.0, Status.ASKED),  # not answered in time
        _call(2.0, 0.1, retry_after_s=2.0),
        _call(3.0, 0.1, retry_after_s=2.0),
        _call(4.0, 1.0, Status.ANSWERED, comes_again=True),
        _call(5.0, 0.1, retry_after_s=2.0, comes_again=True),
        _call(6.0, 0.1, error="it hung up"),
    ]
    done = stage("mixed", calls, peak_open=3, processor_s=0.8)
    assert (done.taken, done.refused, done.failed) == (4, 3, 1)
    assert (done.came_again, done.came_in) == (2, 1)
    assert (done.in_time, done.answered_per_s) == (0.75, 0.6)
    assert (done.p50_s, done.processor_ms) == (1.0, 200.0)
    assert "3 refused, 1 of 2 who came again taken; 1 failed" in done.as_note()


def test_nothing_asked_is_no_error() -> None:
    assert stage("none", [], peak_open=0, processor_s=0.0).answered_per_s == 0


def test_callers_who_cannot_be_answered_go_on_and_say_so() -> None:
    async def ask() -> list[Call]:
        async with AsyncClient("http://127.0.0.1:9", transport=many_connections()) as client:
            caller = Caller(client=client, next_text=lambda: "Who?", reuse=True)
            return [
                *await loops.closed(caller, 2, 0.05),
                *await loops.open_(caller, 100, 0.1),
                *await loops.at_once(caller, 3),
            ]

    calls = asyncio.run(ask())
    assert len(calls) > 5
    assert all("does not answer" in call.error and not call.refused for call in calls)


@pytest.mark.live
@pytest.mark.timeout(600)
@pytest.mark.nightly
def test_a_short_run_loses_nothing_and_fails_nobody(tmp_path: Path) -> None:
    report = measure(Options(passages=1_000, rounds=1, folder=tmp_path, embedder="minilm", short=True)).as_json()
    assert {name: report[name] for name in ("lost", "duplicated", "stuck")} == {"lost": 0, "duplicated": 0, "stuck": 0}
    assert sum(each["failed"] for each in report["stages"]) == 0
    assert all(each["taken"] for each in report["stages"])
