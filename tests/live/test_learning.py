"""Workers that run judge by what was learned a moment ago, and by what is shipped a moment after a reset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from pipeline.judging.calibration import SHOWN
from tests.live.test_faults import FINAL, QUESTIONS, _stack, _status
from tests.workers.judged_answers import put_history
from workers.processes.supervise import wait_until
from workers.services import Services
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(600)]


def _verdict(client: httpx2.Client) -> dict[str, Any]:
    """Ask anew."""
    asked = {"question": QUESTIONS[0], "crawl_enabled": False, "reuse": False}
    question_id = client.post("/api/questions", json=asked).json()["id"]
    assert wait_until(lambda: _status(client, question_id) in FINAL, within_s=60)
    verdict: dict[str, Any] = client.get(f"/api/questions/{question_id}").json()["verdict"]
    return verdict


def test_workers_take_up_what_was_learned_without_a_restart_and_leave_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with _stack(monkeypatch, tmp_path) as (stack, client):
        first = client.post("/api/questions", json={"question": QUESTIONS[0]}).json()["id"]
        assert wait_until(lambda: _status(client, first) in FINAL, within_s=120)
        shipped = _verdict(client)
        before = stack.pids()
        services = Services(load())
        put_history(services, embedder=services.embedder.id, calibration=SHOWN)
        assert [each["said"] for each in client.post("/api/learned").json()] == ["in use"]
        assert wait_until(lambda: _verdict(client)["shipped_confidence"] is not None, within_s=60)
        assert _verdict(client)["confidence"] < shipped["confidence"]  # readers there found it too sure
        client.delete("/api/learned")
        assert wait_until(lambda: _verdict(client)["shipped_confidence"] is None, within_s=60)
        assert _verdict(client)["confidence"] == pytest.approx(shipped["confidence"])
        assert stack.pids() == before
        services.close()
