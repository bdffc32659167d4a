"""A real API, and something that answers like the workers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

import pytest
from fastapi import FastAPI

from api.app import create_app
from domain import Status
from store.sql.database import migrate
from store.sql.tables import QuestionRow
from tests.api import walk
from tests.api.conftest import serving
from workers.services import Services
from workers.settings import load


@pytest.fixture(scope="package")
def services(tmp_path_factory: pytest.TempPathFactory, valkey_url: str) -> Iterator[Services]:
    settings = load(data_dir=tmp_path_factory.mktemp("docs") / "data", redis_url=valkey_url)
    migrate(settings.database)
    services = Services(settings)
    services.__dict__["dispatcher"] = _Silent()
    yield services
    services.database.close()
    services.redis.close()


class _Silent:
    """Nobody listens: the questions are moved on here."""

    def within(self, collection: str, database: object) -> _Silent:
        return self

    def stand(self, task: str, row_id: str | int, **_: object) -> bool:
        return False

    def send(self, task: str, row_id: str | int, **_: object) -> bool:
        return True

    def send_all(self, task: str, row_ids: Iterable[int], **_: object) -> None:
        pass

    def send_for(self, question_id: str, status: Status, **_: object) -> None:
        pass


@pytest.fixture(scope="package")
def url(services: Services) -> Iterator[str]:
    app: FastAPI = create_app(services)
    stop = threading.Event()
    page_id = walk.keep_page(services)
    answering = threading.Thread(target=_answer_all, args=(services, page_id, stop))
    answering.start()
    with serving(app) as url:
        yield url
    stop.set()
    answering.join()


def _answer_all(services: Services, page_id: int, stop: threading.Event) -> None:
    while not stop.wait(0.02):
        with services.database.read() as session:
            asked = [row.id for row in session.query(QuestionRow).where(QuestionRow.status == Status.ASKED)]
        for question_id in asked:
            walk.move(services, question_id, walk.answered(page_id))
