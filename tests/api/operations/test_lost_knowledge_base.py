"""Lost or partly lost passages are noticed by workers, /readyz and the doctor; each names what builds them again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
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
from workers.services import Services, completeness


@pytest.fixture(autouse=True)
def nothing_known(services: Services) -> Iterator[None]:
    """Forget what other tests found and who worked there."""
    services.redis.flushall()
    yield
    services.redis.flushall()


@pytest.fixture
def indexed(services: Services) -> Services:
    """One page that is indexed."""
    services.__dict__["embedder"] = HashingEmbedder(64)
    _keep(services, "tower")
    reindex(services, lambda done, total: None)
    return services


def _keep(services: Services, name: str, *, times: int = 8) -> int:
    """A page that is said to be indexed."""
    page_id = walk.keep_page(services, f"https://example.org/{name}")
    text = f"The keeper of the {name} climbs it at dusk each day. " * times
    with services.database.write() as session:
        session.execute(update(PageRow).where(PageRow.id == page_id).values(text=text))
        session.execute(update(PageRow).values(state=IndexState.INDEXED, duplicate_of=None))
    return page_id


def _ready(http: TestClient, services: Services) -> bool:
    """Whether /readyz is, with a worker that answers."""
    services.redis.zadd("wellread:alive:answer", {"here:1": time.time()})
    try:
        return http.get("/readyz").status_code == 200
    finally:
        services.redis.delete("wellread:alive:answer")


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


@pytest.fixture(params=["folder", "URL"])
def halved(request: pytest.FixtureRequest, indexed: Services) -> Services:
    """Two pages, one without its passages, and a short one, which needs none; at a URL LanceDB alone can look."""
    without = [_keep(indexed, "lighthouse"), _keep(indexed, "hut", times=1)]
    reindex(indexed, lambda done, total: None)
    if request.param == "URL":
        uri = Path(indexed.passages_uri).as_uri()
        indexed.settings = indexed.settings.model_copy(update={"passages_uri": uri})
    indexed.passages_writer.delete_pages(without)
    return indexed


def test_page_without_passages_is_named_while_the_others_are_searched(halved: Services, http: TestClient) -> None:
    with structlog.testing.capture_logs() as logged:
        completeness.look_and_warn(halved)
    (warned,) = logged
    said = _check(http)
    (found,) = diagnose(halved, "knowledge base")
    assert (said["ok"], said["needed"], _ready(http, halved)) == (False, False, True)
    assert said["detail"] == f"1 of 2 pages have no passages in {halved.passages_uri}"
    assert "wellread reindex" in str(said["what_to_do"])
    assert (warned["log_level"], warned["detail"], warned["what_to_do"]) == (
        "warning",
        said["detail"],
        said["what_to_do"],
    )
    assert (found.level, found.finding, found.fix) == ("wrong", said["detail"], said["what_to_do"])


def test_nothing_is_ready_where_no_page_has_passages(indexed: Services, http: TestClient) -> None:
    assert _ready(http, indexed)
    indexed.passages_writer.delete_pages([1])
    completeness.look(indexed)
    assert (_check(http)["needed"], _ready(http, indexed)) == (True, False)


def test_missing_files_of_the_table_are_named(indexed: Services, http: TestClient) -> None:
    for data in (Path(indexed.passages_uri) / "passages.lance" / "data").iterdir():
        data.unlink()
    completeness.look(indexed)
    said = _check(http)
    assert (said["ok"], said["needed"], "wellread reindex" in str(said["detail"])) == (False, False, True)


def test_nothing_is_said_any_more_after_a_reindex(halved: Services, http: TestClient) -> None:
    completeness.look(halved)
    reindex(halved, lambda done, total: None)
    completeness.look(halved)
    assert (_check(http)["ok"], _check(http)["detail"]) == (True, "there")


def test_what_was_found_is_forgotten_where_nobody_looks_any_more(halved: Services) -> None:
    completeness.look(halved)
    assert 0 < halved.redis.ttl("wellread:completeness") <= completeness.KEEP_S
