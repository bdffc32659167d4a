"""What beat sends all the time is not logged; what fails, and what is asked for, is."""

from __future__ import annotations

import logging

import pytest

from workers.services.logs import quiet_ticks


@pytest.mark.parametrize(
    ("task", "level", "is_logged"),
    [
        ("wellread.sweep", logging.INFO, False),
        ("wellread.sweep", logging.ERROR, True),
        ("wellread.retrieve", logging.INFO, True),
    ],
)
def test_only_ticks_that_went_well_are_left_out(
    task: str, level: int, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    quiet_ticks()
    caplog.set_level(logging.INFO, "celery.app.trace")
    logging.getLogger("celery.app.trace").log(level, "Task %(name)s[%(id)s] ended", {"name": task, "id": "1"})
    assert bool(caplog.records) is is_logged


def test_other_lines_of_these_loggers_stay(caplog: pytest.LogCaptureFixture) -> None:
    quiet_ticks()
    caplog.set_level(logging.INFO, "celery.worker.strategy")
    logging.getLogger("celery.worker.strategy").info("Task of unknown shape: %s", "x")
    assert len(caplog.records) == 1
