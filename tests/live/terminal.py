"""A terminal in which the documents' blocks of shell are run, with this machine's addresses in place of theirs."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.docs.blocks import ROOT, SOCKET, Block

#: what a page says for each machine another
FOLDER = "/home/YOU/.local/share/wellread"
#: where the packages are that a venv would get from a registry; of Wellread it gets what `pip install` makes
PACKAGES = sysconfig.get_path("purelib")
_INSTALL = f"pip install '{ROOT}' && echo '{PACKAGES}' > $(echo wellread-venv/lib/python*/site-packages)/packages.pth"


class Terminal:
    """Runs blocks in a folder of its own, on free ports, with the packages of this venv and no registry."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: dict[str, str] = {f"127.0.0.1:{port}": f"127.0.0.1:{free_port()}" for port in (8484, 5555, 8000)}
        self.said |= {"http.server 8000": f"http.server {self.port(8000)}", "pip install .": _INSTALL}
        self.said |= {"api/cli/demo/site": str(ROOT / "api/cli/demo/site")}
        self.said |= {SOCKET: SOCKET, FOLDER: str(folder / "data")}
        self.env = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR")} | {
            "WELLREAD_DATA_DIR": str(folder / "data"),
            "WELLREAD_API_PORT": self.port(8484),
            "WELLREAD_FLOWER_PORT": self.port(5555),
            "WELLREAD_WIKIPEDIA": "false",
            "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
            "PYTHONPATH": PACKAGES,
            "PYTHONUNBUFFERED": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_QUIET": "2",
            "COLUMNS": "100",
        }
        self._processes: list[subprocess.Popen[bytes]] = []

    def port(self, shown: int) -> str:
        return self.said[f"127.0.0.1:{shown}"].rpartition(":")[2]

    def here(self, text: str) -> str:
        """A page's text with this machine's addresses."""
        for shown, real in self.said.items():
            text = text.replace(shown, real)
        return text

    def run(self, block: Block, within_s: float = 600) -> str:
        """What a block prints; one that serves goes on until the end. What it exports holds for the next ones, too."""
        self.env |= dict(word.split("=", 1) for word in re.findall(r"[A-Z_]+=\S+", _exports(self.here(block.text))))
        printed = self.folder / f"printed-{len(self._processes)}"
        serves = block.text.rstrip().endswith("wellread up")
        venv = self.folder / "wellread-venv/bin/activate"
        script = f"set -eu\n{f'. {venv}' if venv.exists() else ''}\n{self.here(block.text)}"
        with printed.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", script],
                cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip
        self._processes.append(process)
        deadline = time.monotonic() + within_s
        while process.poll() is None and not (serves and "Ctrl-C stops it" in printed.read_text("utf-8")):
            assert time.monotonic() < deadline, f"{block} goes on:\n{printed.read_text('utf-8')}"
            time.sleep(0.03)
        text = printed.read_text("utf-8")
        assert process.returncode == (None if serves else 0), f"{block}:\n{text}"
        if serves and "Celery: " in text:
            self.said[SOCKET] = text.partition("Celery: ")[2].partition("\n")[0]
        return text

    def close(self) -> None:
        """End what still runs."""
        for process in reversed(self._processes):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT if process.poll() is None else signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _exports(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("export "))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def opened() -> Iterator[Terminal]:
    """A terminal in an empty folder; what it started ends with it."""
    with tempfile.TemporaryDirectory(prefix="wr-", dir="/tmp") as folder:  # a socket's path must be short
        terminal = Terminal(Path(folder))
        try:
            yield terminal
        finally:
            terminal.close()


def assert_shows(shown: Block, printed: str, terminal: Terminal) -> None:
    """Every line that the page shows was printed, but for its figures."""
    flat = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", printed).split())
    for line in terminal.here(shown.text).split("\n"):
        wanted = re.sub(r"\d+(\\\.\d+)?", r"[\\d,.]+", re.escape(" ".join(line.split())))
        assert re.search(wanted, flat), f"{shown}: {line!r} is not in\n{printed}"
