"""Services on a real database and a real Valkey, without workers: a test calls the work itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import redis

from workers.services import Services
from workers.settings import load


class Outbox:
    """Records the messages that would be sent."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str | int]] = []
        self.priorities: dict[tuple[str, str | int], int | None] = {}  #: of the last message of each task and row

    def within(self, collection: str, database: object) -> Outbox:
        return self

    def send(self, task: str, row_id: str | int, *, priority: int | None = None, **_: object) -> bool:
        self.messages.append((task, row_id))
        self.priorities[task, row_id] = priority
        return True

    def stand(self, task: str, row_id: str | int, **_: object) -> bool:
        return False

    def send_all(self, task: str, row_ids: Iterable[int], *, priority: int | None = None, **_: object) -> None:
        for row_id in row_ids:
            self.send(task, row_id, priority=priority)

    def send_for(self, question_id: str, status: str, *, priority: int, **_: object) -> None:
        self.messages.append((status, question_id))
        self.priorities[status, question_id] = priority


@pytest.fixture
def outbox() -> Outbox:
    return Outbox()


@pytest.fixture
def services(valkey_url: str, outbox: Outbox, migrated_file: Path) -> Iterator[Services]:
    redis.Redis.from_url(valkey_url).flushall()
    settings = load(redis_url=valkey_url, wikipedia=False, fetch_deadline_s=8.0, min_delay_s=0.0)
    settings.data_dir.mkdir(parents=True)
    shutil.copy(migrated_file, settings.data_dir)
    ready = Services(settings)
    ready.__dict__["dispatcher"] = outbox
    yield ready
    ready.close()
