"""What tests of whole sites share: a worker that is only a loop, and figures of pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import update

from store.sql.tables import CandidateRow
from tests.workers.conftest import Outbox
from workers.crawl import read_candidate
from workers.services import Services

WorkOff = Callable[..., int]


@pytest.fixture
def work_off(services: Services, outbox: Outbox) -> WorkOff:
    """Answer calls to read as a worker would, until none is left or ``at_most`` were answered; gives how many were."""

    def run(at_most: int = 5_000) -> int:
        done = 0
        while done < at_most:
            calls = [row_id for task, row_id in outbox.messages if task == "wellread.read"]
            if not calls:
                return done
            outbox.messages = [call for call in outbox.messages if call[0] != "wellread.read"]
            for number, row_id in enumerate(calls):
                if done == at_most:
                    outbox.messages += [("wellread.read", left) for left in calls[number:]]
                    return done
                _due_now(services)
                read_candidate.read(services, int(row_id))
                done += 1
        return done

    return run


def _due_now(services: Services) -> None:
    with services.database.write() as session:
        session.execute(update(CandidateRow).values(due_at=services.now() - timedelta(seconds=1)))
