"""Measure days of questions, of which those of the last month are kept: the database's size, the sweep, the start.

Each day's questions are written as rows, as large as real ones; then the old ones are deleted as `wellread.expire` does
it. A few are watched, and stay.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from sqlalchemy import func, select

from benchmarks.growth import rows
from benchmarks.report import Figure, Options, Report, spread
from evals.measure.stopwatch import seconds_of
from evals.sandbox import broker, sandbox, up
from store.questions import deletion
from store.sql.database import migrate
from store.sql.tables import QuestionRow
from workers.services import Services
from workers.settings import Settings
from workers.upkeep.expiry import BATCH
from workers.upkeep.sweep import sweep

KEPT_DAYS = 30
#: of how many questions one is watched
WATCHED_OF = 1_000
#: seconds until a question can be asked, and milliseconds of a sweep
START_S, SWEEP_MS = 5.0, 20.0
#: how much larger the database may be at the end than when the first deletions had room to be used again
GROWTH = 1.15
_MB = 1e6


def measure(options: Options) -> Report:
    """Fill and delete day by day; then start all of it on that database."""
    with sandbox() as settings:
        sizes, batches_s, sweeps_s, questions = _fill_and_delete(settings, options.days, options.a_day)
        started = time.perf_counter()
        with up(settings):
            ready_s = time.perf_counter() - started
    settled = KEPT_DAYS + 10
    asked = options.a_day * options.days
    return Report(
        title=f"growth: {options.a_day:,} questions a day for {options.days} days, kept for {KEPT_DAYS}, on SQLite",
        figures=[
            Figure(name="questions asked", value=asked),
            Figure(name="questions left", value=questions),
            Figure(name=f"database after {settled} days", value=sizes[settled - 1] / _MB, unit="MB"),
            Figure(name=f"database after {options.days} days", value=sizes[-1] / _MB, unit="MB"),
            Figure(
                name=f"size, day {options.days} / day {settled}",
                value=sizes[-1] / sizes[settled - 1],
                unit="×",
                at_most=GROWTH,
            ),
            *spread(f"a batch of {BATCH} deleted", batches_s),
            *spread("sweep, days 31 to 60", sweeps_s[: len(sweeps_s) // 2]),
            *spread("sweep, the last 30 days", sweeps_s[len(sweeps_s) // 2 :], p50=SWEEP_MS),
            Figure(name="up: takes questions, on this database", value=ready_s, unit="s", at_most=START_S),
        ],
        notes=(
            f"one of {WATCHED_OF:,} questions is watched and stays",
            "a question has two answers, five steps, six pages",
        ),
    )


def _fill_and_delete(settings: Settings, days: int, a_day: int) -> tuple[list[int], list[float], list[float], int]:
    """Return the database's size in bytes after each day, the seconds of batches and sweeps, the questions left."""
    migrate(settings.database)
    sizes, batches_s, sweeps_s = list[int](), list[float](), list[float]()
    file = settings.data_dir / "wellread.db"
    with broker(settings):
        services = Services(settings)
        today = services.now()
        for day in range(days):
            morning = today - timedelta(days=days - day)
            with services.database.write() as session:
                rows.add_day(session, day, morning, a_day, watched_of=WATCHED_OF)
            batches_s += _delete_old(services, morning - timedelta(days=KEPT_DAYS))
            sizes.append(file.stat().st_size)
            if KEPT_DAYS <= day < 2 * KEPT_DAYS or day >= days - KEPT_DAYS:
                sweeps_s.append(seconds_of(lambda: sweep(services)))
        with services.database.read() as session:
            left = session.scalar(select(func.count()).select_from(QuestionRow)) or 0
        services.close()
    return sizes, batches_s, sweeps_s, left


def _delete_old(services: Services, before: datetime) -> list[float]:
    """Delete what ended before; return the seconds of each batch."""
    took_s, done = list[float](), BATCH
    while done == BATCH:
        began = time.perf_counter()
        with services.database.write() as session:
            done = len(deletion.delete_ended(session, before, BATCH))
        if done:
            took_s.append(time.perf_counter() - began)
    return took_s
