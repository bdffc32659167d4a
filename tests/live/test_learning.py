"""Workers that run judge by what was learned a moment ago, and by what is shipped a moment after it is put back."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from store.embedders import open_embedder
from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from tests.workers.learning.judged_answers import put_history
from workers.processes.supervise import wait_until
from workers.services import Services
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(600)]


def _verdict(client: httpx2.Client) -> tuple[float, int]:
    """Ask anew, and give how sure the judge is and which version it has."""
    asked = {"question": QUESTIONS[0], "crawl_enabled": False, "reuse": False}
    question_id = client.post("/api/questions", json=asked).json()["id"]
    assert wait_until(lambda: _status(client, question_id) in FINAL, within_s=60)
    verdict = client.get(f"/api/questions/{question_id}").json()["verdict"]
    return verdict["confidence"], verdict["version"]


def test_workers_take_a_learned_judge_up_without_a_restart_and_leave_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WELLREAD_EMBEDDER", "multilingual")
    with _stack(monkeypatch, tmp_path) as (stack, client):
        first = client.post("/api/questions", json={"question": QUESTIONS[0]}).json()["id"]
        assert wait_until(lambda: _status(client, first) in FINAL, within_s=120)
        shipped = _verdict(client)
        before = stack.pids()
        services = Services(load())
        embedder = open_embedder("multilingual", threads=1)
        put_history(services, embedder=embedder.id)
        lessons = client.post("/api/learned").json()
        assert [lesson["version"] for lesson in lessons] == [1, None, None], lessons
        assert wait_until(lambda: _verdict(client)[1] == 1, within_s=60)
        assert _verdict(client)[0] < shipped[0]  # readers there found it too sure
        client.post("/api/learned/judge/rollback", json={"version": 0})
        assert wait_until(lambda: _verdict(client)[1] == 0, within_s=60)
        assert _verdict(client) == (pytest.approx(shipped[0]), 0)
        assert stack.pids() == before
        services.close()
