"""While a deployment is replaced bit by bit, old and new processes read each other's messages; no row is lost."""

from __future__ import annotations

from typing import Any

import pytest

from domain.flow import TASKS
from store.sql.tables import QuestionRow
from tests.api import walk
from tests.workers.conftest import Outbox
from workers import sweep
from workers.app import app
from workers.services import Services

#: what has a message of its own for each row
OF_ROWS = sorted(task.name for task in TASKS.values() if not task.every_s and task.name != "wellread.ask")


@pytest.fixture(autouse=True)
def _loaded() -> None:
    app.loader.import_default_modules()


@pytest.mark.parametrize("task", OF_ROWS)
def test_message_of_before_there_were_collections_is_taken(task: str) -> None:
    app.tasks[task].__header__("1")


@pytest.mark.parametrize("later", [{"kwargs": {"a_later_field": 1}}, {"args": ["default", "a later one"]}])
def test_message_with_a_later_field_leaves_its_row_to_the_sweep(
    later: dict[str, Any], services: Services, outbox: Outbox
) -> None:
    question = walk.ask(services)
    args, kwargs = [question.id, *later.get("args", [])], later.get("kwargs", {})
    refused = app.tasks["wellread.retrieve"].apply(args=args, kwargs=kwargs)
    assert isinstance(refused.result, TypeError)
    with services.database.write() as session:
        row = session.get_one(QuestionRow, question.id)
        assert (row.status, row.attempts, row.lease_by) == ("ASKED", 0, None)
        row.due_at = row.created_at.replace(year=2020)
    sweep.sweep(services)
    assert ("wellread.retrieve", question.id) in outbox.messages
