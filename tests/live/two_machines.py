"""Two machines' worth of workers on one PostgreSQL, one Redis and one object store; one dies, the other goes on.

Neither has anything of the other's folder. moto's server speaks S3; its packages are in a venv of their own, in which
`make frameworks` runs this.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from benchmarks.faults.site import questions, serving
from domain import Status
from store.passages import connect
from tests.live.terminal import free_port
from tests.own_stack import until
from tests.store.passages.object_store import objects
from tests.store.passages.object_store import s3 as s3
from wellread import ApiUnreachable, Client

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ASKED = 10


class Machine:
    """Programs of Wellread on a folder of their own."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self._env = folder, {**env, "WELLREAD_DATA_DIR": str(folder)}
        self._programs: list[subprocess.Popen[bytes]] = []
        folder.mkdir()

    def run(self, *command: str) -> None:
        """Run ``wellread`` with these arguments in the background."""
        with (self.folder / f"{command[-1]}.log").open("wb") as log:
            self._programs.append(
                subprocess.Popen([sys.executable, "-m", "api", *command], env=self._env, stdout=log, stderr=log)
            )

    def done(self, program: str) -> int:
        """How many tasks a worker has done."""
        return (self.folder / f"{program}.log").read_text("utf-8").count("succeeded in")

    def end(self, number: signal.Signals) -> None:
        """Send all its programs a signal, and wait for their ends."""
        for program in self._programs:
            program.send_signal(number)
        for program in self._programs:
            program.wait(60)
        self._programs.clear()


@contextmanager
def _machine(folder: Path, env: dict[str, str]) -> Iterator[Machine]:
    machine = Machine(folder, env)
    try:
        yield machine
    finally:
        machine.end(signal.SIGTERM)


def _is_ready(client: Client) -> bool:
    try:
        return client.is_ready()
    except ApiUnreachable:
        return False


def test_what_one_machine_began_the_other_ends(s3: str, valkey_url: str, empty_postgres: str, tmp_path: Path) -> None:
    base, port = uuid.uuid4().hex, free_port()
    env = {
        **os.environ,
        "WELLREAD_DATABASE_URL": empty_postgres,
        "WELLREAD_REDIS_URL": valkey_url,
        "WELLREAD_PASSAGES_URI": f"s3://knowledge/{base}",
        "WELLREAD_API_PORT": str(port),
        "WELLREAD_WIKIPEDIA": "false",
        "WELLREAD_CRAWL_PROCESSES": "2",
    }
    with ExitStack() as running:
        site = running.enter_context(serving())
        lasting, dying = (running.enter_context(_machine(tmp_path / name, env)) for name in ("lasting", "dying"))
        subprocess.run([sys.executable, "-m", "api", "migrate"], env=env, check=True, timeout=120)
        for command in (("worker", "embed"), ("worker", "model"), ("worker", "upkeep"), ("beat",), ("api",)):
            lasting.run(*command)
        for machine in (lasting, dying):
            for queue in ("answer", "crawl"):
                machine.run("worker", queue)
        client = running.enter_context(Client(f"http://127.0.0.1:{port}"))
        until(lambda: _is_ready(client), 120)
        client.add_source(site, own=True, min_delay_s=0.0)
        texts = questions(2 * ASKED)
        first = [client.submit(text, reuse=False, budget={"pages": 4}) for text in texts[:ASKED]]
        until(lambda: all(dying.done(queue) for queue in ("answer", "crawl")), 120)
        dying.end(signal.SIGKILL)
        ids = first + [client.submit(text, reuse=False, budget={"pages": 4}) for text in texts[ASKED:]]
        until(lambda: all(client.get(each).status.is_final for each in ids), 300)
        ended = [client.get(each).status for each in ids]
        assert set(ended) <= {Status.ANSWERED, Status.ABSTAINED}
        assert ended.count(Status.ANSWERED) > ASKED
        assert all(lasting.done(queue) for queue in ("answer", "crawl", "embed"))
    assert objects(s3, base) > 0
    assert not list(tmp_path.glob("*/passages"))
    connect.erase(f"s3://knowledge/{base}")
    started = subprocess.run(
        [sys.executable, "-m", "api", "worker", "answer"], env=env, capture_output=True, timeout=120, check=False
    )
    assert (started.returncode, b"wellread reindex" in started.stderr) == (1, True)
