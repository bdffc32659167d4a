"""The knowledge base is built again from SQL's texts: for another embedder, and never beside something that writes."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from api.cli.main import cli
from api.operations.reindex import reindex
from domain import PageText, Validators
from domain.errors import WellreadError
from store.graph import GraphReader
from store.pages import pages
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from store.questions import answers
from store.sql.tables import AnswerRow, EvidenceRow, PageRow
from tests.api import walk
from tests.fakes import HashingEmbedder
from workers.processes.stack import AlreadyRunning, Stack
from workers.services import Services

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def _keep(services: Services, name: str, text: str, *, content_hash: str = "") -> int:
    page = PageText(title=name, text=text, lang="en")
    with services.database.write() as session:
        page_id, _ = pages.save(
            session, url=f"https://example.org/{name}", host="https://example.org", page=page,
            content_hash=content_hash or name, validators=Validators(), depth=0, now=NOW,
        )  # fmt: skip
    return page_id


@pytest.fixture
def kept(services: Services) -> Services:
    """Three pages in SQL; the knowledge base was made by an embedder of another dimension."""
    for number in range(3):
        _keep(services, f"page{number}", f"The keeper of the lamp number {number} climbs the tower at dusk each day.")
    PassagesWriter.open(services.settings.passages, embedder_id="another", dimension=8)
    services.__dict__["embedder"] = HashingEmbedder(64)
    return services


def test_another_embedders_table_is_replaced_by_every_page(kept: Services) -> None:
    with pytest.raises(WellreadError, match="reindex"):
        kept._open_passages(Passages)
    seen: list[tuple[int, int]] = []
    held = reindex(kept, lambda done, total: seen.append((done, total)))
    assert held == 3
    assert kept._open_passages(Passages).page_ids() == {1, 2, 3}
    assert (seen[0], seen[-1]) == ((0, 3), (3, 3))


def test_afterwards_no_page_waits_to_be_embedded(kept: Services) -> None:
    reindex(kept, lambda done, total: None)
    with kept.database.read() as session:
        assert {row.state for row in session.query(PageRow)} == {"INDEXED"}


def test_a_page_that_is_gone_stays_out(kept: Services) -> None:
    with kept.database.write() as session:
        pages.mark_gone(session, 2, NOW)
    assert reindex(kept, lambda done, total: None) == 2


def test_a_page_that_is_saved_meanwhile_waits_for_the_worker(kept: Services) -> None:
    def save_anew(done: int, total: int) -> None:
        if done == 3:
            _keep(kept, "page0", "The tower has fallen, and nobody climbs it any more.", content_hash="new")
            _keep(kept, "page3", "A new tower of steel stands beside the ruins.")

    held = reindex(kept, save_anew)
    with kept.database.read() as session:
        states = {row.id: row.state for row in session.query(PageRow)}
    assert states == {1: "FETCHED", 2: "INDEXED", 3: "INDEXED", 4: "INDEXED"}  # the last was written as well
    assert held == 4


def test_what_the_worker_would_have_done_for_a_waiting_page_is_done(kept: Services) -> None:
    question = walk.ask(kept)
    walk.move(kept, question.id, walk.answered(1))
    with kept.database.write() as session:  # it held when it was given; the page's text is one of later
        session.execute(update(AnswerRow).values(stale_at=None))
        session.execute(update(EvidenceRow).values(content_hash="what it said then"))
    reindex(kept, lambda done, total: None)
    with kept.database.read() as session:
        given = answers.last(session, question.id)
        assert given is not None
        assert given.stale_at is not None
    assert GraphReader(kept.database, kept.passages).pages_named(["page1"])


def test_progress_ends_at_all_where_pages_say_the_same(kept: Services) -> None:
    with kept.database.write() as session:
        session.get_one(PageRow, 3).duplicate_of = 1
    seen: list[tuple[int, int]] = []
    reindex(kept, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


def test_nothing_is_touched_while_a_stack_runs(kept: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = kept.settings
    stack = Stack(settings, flower=False)
    settings.run_dir.mkdir(parents=True, exist_ok=True)
    held = stack._take_lock()
    (settings.run_dir / "up.json").write_text(json.dumps({"pid": os.getpid(), "api_url": "", "flower_url": ""}))
    monkeypatch.setenv("WELLREAD_DATA_DIR", str(settings.data_dir))
    with held:
        result = CliRunner().invoke(cli, ["reindex"])
    assert result.exit_code == 1
    assert f"process {os.getpid()}" in result.stderr
    assert "stop it" in result.stderr
    with pytest.raises(WellreadError, match="reindex"):  # the other embedder's table is as it was
        kept._open_passages(Passages)


def test_nothing_is_touched_while_a_worker_elsewhere_writes(kept: Services) -> None:
    kept.redis.zadd("wellread:alive:embed", {"elsewhere:1": datetime.now(UTC).timestamp()})
    try:
        with pytest.raises(AlreadyRunning, match="embed"):
            reindex(kept, lambda done, total: None)
    finally:
        kept.redis.delete("wellread:alive:embed")
