"""`wellread up` as a service manager runs it: started again on the same folder and port whenever it has ended."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from evals.sandbox import environment, running_process, up_command
from wellread import Client, ClientError
from workers.processes.supervise import StartError, wait_until
from workers.settings import Settings

#: seconds until an end is seen, and until it must take questions after a start
SEEN_S, STARTS_WITHIN_S = 0.25, 60.0


class Service:
    """A command that is kept running in the background; what it said is in the data folder's output.log."""

    def __init__(self, command: tuple[str, ...], settings: Settings, env: Mapping[str, str]) -> None:
        self.starts = 0  #: how often it was started
        self._command, self._settings, self._env = command, settings, env
        self._process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="service")
        self._keeper.start()

    @property
    def pid(self) -> int:
        """The process of the latest start, which may have ended."""
        return self._process.pid if self._process else 0

    def kill(self) -> None:
        """End the command at once, with none of its own words, and wait until it is started again."""
        before = self.starts
        if self._process is not None:
            self._process.kill()
        wait_until(lambda: self.starts > before or self._over.is_set(), within_s=STARTS_WITHIN_S)

    def end(self) -> None:
        """End the command in order, and start it no more."""
        self._over.set()
        self._keeper.join()

    def _keep(self) -> None:
        while not self._over.is_set():
            with running_process(self._command, self._settings, self._env) as process:
                self._process, self.starts = process, self.starts + 1
                while process.poll() is None and not self._over.wait(SEEN_S):
                    pass


@contextmanager
def kept_up(settings: Settings, **more: str) -> Iterator[tuple[Service, Client]]:
    """Keep `wellread up` running on a port of its own; yield it and a client once a question can be asked."""
    port = _free_port()
    service = Service(up_command(port), settings, environment(settings, **more))
    try:
        with Client(f"http://127.0.0.1:{port}") as client:
            if not wait_until(lambda: _is_ready(client), within_s=STARTS_WITHIN_S):
                raise StartError(f"`wellread up` takes no questions after {STARTS_WITHIN_S:.0f} s")
            yield service, client
    finally:
        service.end()


def kill_up(service: Service, client: Client) -> None:
    """Kill `wellread up`, and with it all that it runs; wait until it takes questions again."""
    service.kill()
    wait_until(lambda: _is_ready(client), within_s=STARTS_WITHIN_S)


def _is_ready(client: Client) -> bool:
    try:
        return client.is_ready()
    except ClientError:  # it does not listen yet
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
