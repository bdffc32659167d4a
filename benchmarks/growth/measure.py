"""Measure days of questions, of which those of the last month are kept: the database's size, the sweep, the start.

Each day's questions are written as rows, as large as real ones; then the old ones are deleted as `wellread.expire` does
it. The first ones are watched, and stay.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import func, select

from benchmarks.growth import rows
from benchmarks.report import Figure, Options, Report, spread
from evals.measure.stopwatch import seconds_of
from evals.sandbox import broker, sandbox, up
from store.questions import deletion
from store.sql.database import migrate
from store.sql.tables import QuestionRow, WatchRow
from workers.deletion import BATCH
from workers.services import Services
from workers.settings import Settings
from workers.sweep import sweep

KEPT_DAYS = 30
#: days after which the deletions have had room to be used again
SETTLED_DAYS = KEPT_DAYS + 10
#: how many questions are watched, and of all of them at most one of so many
WATCHES, WATCHED_OF = 1_000, 50
#: seconds until a question can be asked, and milliseconds of a sweep
START_S, SWEEP_MS = 5.0, 20.0
#: how much larger the database may be at the end than when the first deletions had room to be used again
GROWTH = 1.15
_MB = 1e6


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What filling and deleting left, and how long it took."""

    sizes: list[int]  #: bytes of the database after each day
    batches_s: list[float]
    early_s: list[float]  #: sweeps of the second month
    late_s: list[float]  #: sweeps of the last
    questions: int
    watches: int


def measure(options: Options) -> Report:
    """Fill and delete day by day; then start all of it on that database."""
    with sandbox() as settings:
        filled = _fill_and_delete(settings, options.days, options.a_day)
        started = time.perf_counter()
        with up(settings):
            ready_s = time.perf_counter() - started
    return report(options, filled, ready_s)


def watched_of(asked: int) -> int:
    """Return how many of so many questions are watched."""
    return min(WATCHES, asked // WATCHED_OF)


def report(options: Options, filled: Filled, ready_s: float) -> Report:
    """Return the figures, for people and for programs."""
    asked = options.a_day * options.days
    settled, last = filled.sizes[SETTLED_DAYS - 1] / _MB, filled.sizes[-1] / _MB
    return Report(
        title=f"growth: {options.a_day:,} questions a day for {options.days} days,"
        f" each kept for {KEPT_DAYS}, on SQLite",
        figures=[
            Figure(name="questions asked", value=asked),
            Figure(name="questions left", value=filled.questions),
            Figure(name="watches", value=filled.watches),
            Figure(name=f"database after {SETTLED_DAYS} days", value=settled, unit="MB"),
            Figure(name=f"database after {options.days} days", value=last, unit="MB"),
            Figure(
                name=f"size, day {options.days} / day {SETTLED_DAYS}", value=last / settled, unit="×", at_most=GROWTH
            ),
            *spread(f"a batch of {BATCH} deleted", filled.batches_s),
            *spread("sweep, days 31 to 60", filled.early_s),
            *spread("sweep, the last 30 days", filled.late_s, p50=SWEEP_MS),
            Figure(name="up: takes questions, on this database", value=ready_s, unit="s", at_most=START_S),
        ],
        notes=(
            f"the first questions are watched and stay: at most {WATCHES:,}, and at most one of {WATCHED_OF} of all",
            "a question has two answers, five steps, six pages",
        ),
        values={
            "asked": asked,
            "left": filled.questions,
            "watches": filled.watches,
            "sizes_mb": [round(size / _MB, 2) for size in filled.sizes],
            "growth": last / settled,
            "sweep_early_p50_ms": float(np.median(filled.early_s)) * 1e3,
            "sweep_p50_ms": float(np.median(filled.late_s)) * 1e3,
            "delete_p50_ms": float(np.median(filled.batches_s)) * 1e3,
            "start_s": ready_s,
        },
    )


def _fill_and_delete(settings: Settings, days: int, a_day: int) -> Filled:
    """Ask on each day and delete what is old, and sweep on those of the second month and the last."""
    migrate(settings.database)
    sizes, batches_s, sweeps_s = list[int](), list[float](), list[float]()
    file, watched = settings.data_dir / "wellread.db", watched_of(days * a_day)
    with broker(settings):
        services = Services(settings)
        today = services.now()
        for day in range(days):
            morning = today - timedelta(days=days - day)
            with services.database.write() as session:
                rows.add_day(session, day, morning, a_day, watched=watched)
            batches_s += _delete_old(services, morning - timedelta(days=KEPT_DAYS))
            sizes.append(file.stat().st_size)
            if KEPT_DAYS <= day < 2 * KEPT_DAYS or day >= days - KEPT_DAYS:
                sweeps_s.append(seconds_of(lambda: sweep(services)))
        with services.database.read() as session:
            questions, watches = (
                session.scalar(select(func.count()).select_from(row)) or 0 for row in (QuestionRow, WatchRow)
            )
        services.close()
    half = len(sweeps_s) // 2
    return Filled(
        sizes=sizes,
        batches_s=batches_s,
        early_s=sweeps_s[:half],
        late_s=sweeps_s[half:],
        questions=questions,
        watches=watches,
    )


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
