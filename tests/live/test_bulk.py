"""A file of questions is asked while workers are killed and Wellread is started again: each line is answered once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.faults.strike import kill
from store.questions import listing
from store.sql.database import Database
from tests.live.terminal import free_port
from workers.processes.stack import Stack
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(900)]

#: questions, and lines that repeat them
NEW, REPEATED = 40, 200


def test_every_line_is_answered_once_whatever_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    port, file, out = str(free_port()), tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    for name, value in (("WIKIPEDIA", "false"), ("API_PORT", port), ("DATA_DIR", str(tmp_path / "data"))):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    monkeypatch.setenv("WELLREAD_API_URL", f"http://127.0.0.1:{port}")
    asked = [{"id": f"new-{n}", "question": f"How many steps has tower number {n}?"} for n in range(NEW)]
    chance = random.Random(7)
    asked += [{"id": f"again-{n}", "question": chance.choice(asked)["question"]} for n in range(REPEATED)]
    file.write_text("".join(json.dumps(each) + "\n" for each in asked))
    command = [sys.executable, "-c", "from api.cli.main import main; main()", "ask", "--no-crawl"]
    command += ["--file", str(file), "--out", str(out)]
    asking = None
    for wait_s in (8.0, 8.0, None):
        with Stack(load(), flower=False) as stack:
            if asking is None:
                asking = subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})
            until = time.monotonic() + (wait_s or 600.0)
            while time.monotonic() < until and asking.poll() is None:
                time.sleep(2)
                if wait_s is not None:
                    kill(stack.pids, chance.choice(("answer", "api", "upkeep")))
            if wait_s is None:
                assert asking.poll() == 0
        if wait_s == 8.0 and asking.poll() is None:  # the command too is stopped once, and given again
            asking.send_signal(signal.SIGKILL)
            asking.wait()
            asking = subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == [each["id"] for each in asked]
    assert {line["status"] for line in lines} <= {"ANSWERED", "ABSTAINED"}
    assert len({line["question_id"] for line in lines}) == len(asked)
    database = Database(load().database)
    with database.read() as session:
        assert len(listing.latest(session, 1_000)) == len(asked)
    database.close()
