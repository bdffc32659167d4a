"""The rows of a year of questions: as many as were asked, of which the first are watched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from benchmarks.growth import rows
from benchmarks.growth.measure import Filled, report, watched_of
from benchmarks.report import Options
from store.sql.database import Database
from store.sql.tables import AnswerRow, QuestionRow, WatchRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "watched"),
    [
        (200 * 365, 1_000),  # a year as large as the benchmark's own
        (1_000 * 365, 1_000),
        (100 * 365, 730),
        (10 * 61, 12),  # the smallest: most are still deleted
    ],
)
def test_a_thousand_are_watched_where_there_are_enough(asked: int, watched: int) -> None:
    assert watched_of(asked) == watched


def test_first_questions_of_all_days_are_watched(database: Database) -> None:
    with database.write() as session:
        for day in range(3):
            rows.add_day(session, day, NOW + timedelta(days=day), 10, watched=15)
    with database.read() as session:
        questions, answers, watches = (
            session.scalar(select(func.count()).select_from(row)) for row in (QuestionRow, AnswerRow, WatchRow)
        )
        newest = session.scalar(select(func.max(WatchRow.created_at)))
    assert (questions, answers, watches) == (30, 60, 15)
    assert newest is not None
    assert newest < NOW + timedelta(days=2)


def test_programs_get_figures_by_stable_names(tmp_path: Path) -> None:
    options = Options(passages=1_000, rounds=1, folder=tmp_path, embedder="minilm", days=61, a_day=10)
    filled = Filled(
        sizes=[day * 1_000_000 for day in range(1, 62)],
        batches_s=[0.1],
        early_s=[0.001],
        late_s=[0.002, 0.004],
        questions=312,
        watches=12,
    )
    stored: dict[str, Any] = report(options, filled, 4.0).as_json()
    assert (stored["asked"], stored["left"], stored["watches"], stored["start_s"]) == (610, 312, 12, 4.0)
    assert (stored["sweep_early_p50_ms"], stored["sweep_p50_ms"]) == (pytest.approx(1.0), pytest.approx(3.0))
    assert stored["growth"] == 61 / 40
    assert stored["sizes_mb"][39] == 40.0
