"""A lost knowledge base is noticed at the start, by /readyz and by the doctor; each names what builds it again."""

from __future__ import annotations

import shutil

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from api.operations.doctor import diagnose
from api.operations.reindex import reindex
from store.passages.errors import PassagesLost
from store.sql.tables import IndexState, PageRow
from tests.api import walk
from tests.fakes import HashingEmbedder
from workers.entrypoints import run_worker
from workers.processes.stack import Stack
from workers.processes.supervise import StartError
from workers.services import Services


@pytest.fixture
def indexed(services: Services) -> Services:
    """One page that is indexed."""
    services.__dict__["embedder"] = HashingEmbedder(64)
    page_id = walk.keep_page(services)
    text = "The keeper of the lamp climbs the tower at dusk each day. " * 8
    with services.database.write() as session:
        session.execute(update(PageRow).where(PageRow.id == page_id).values(text=text, state=IndexState.INDEXED))
    reindex(services, lambda done, total: None)
    return services


def _check(http: TestClient) -> dict[str, object]:
    checks = http.get("/readyz").json()["checks"]
    return next(check for check in checks if check["name"] == "knowledge base")


def test_while_it_is_there_nothing_is_said(indexed: Services, http: TestClient) -> None:
    assert _check(http)["ok"] is True
    assert [found.level for found in diagnose(indexed, "knowledge base")] == ["ok"]


def test_readyz_the_doctor_the_stack_and_its_workers_name_reindex(indexed: Services, http: TestClient) -> None:
    shutil.rmtree(indexed.passages_uri)
    said = _check(http)
    assert (said["ok"], "wellread reindex" in str(said["what_to_do"])) == (False, True)
    (found,) = diagnose(indexed, "knowledge base")
    assert (found.level, "wellread reindex" in found.finding) == ("wrong", True)
    with (
        pytest.raises(StartError, match="wellread reindex"),
        Stack(indexed.settings.model_copy(update={"api_port": 0}), flower=False),
    ):
        pass
    with pytest.raises(PassagesLost):
        run_worker(indexed.settings, "answer")


def test_the_doctor_counts_the_pages_without_passages(indexed: Services) -> None:
    indexed.passages_writer.delete_pages([1])
    (found,) = diagnose(indexed, "knowledge base")
    assert (found.level, found.finding[:40]) == (
        "wrong",
        "1 of 1 pages have no passages in " + indexed.passages_uri[:7],
    )
    assert "wellread reindex" in found.fix
