"""Run the product's processes on a temporary data folder, with an environment of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import redis

from domain.errors import WellreadError
from evals.knowledge.stored import DefaultSettings
from wellread import Client
from workers.processes import stack
from workers.processes.stack import valkey
from workers.processes.supervise import StartError, wait_until
from workers.settings import Settings

_STARTS_WITHIN_S = 60.0


@contextmanager
def sandbox() -> Iterator[Settings]:
    """Yield the default settings on an empty temporary folder; nothing comes from the environment."""
    with tempfile.TemporaryDirectory(prefix="wr-sandbox-", ignore_cleanup_errors=True) as folder:
        settings = DefaultSettings.model_validate({"data_dir": Path(folder) / "data"})
        settings.run_dir.mkdir(mode=0o700, parents=True)
        try:
            yield settings
        except WellreadError:
            sys.stderr.write((settings.data_dir / "output.log").read_text(errors="replace")[-3000:])
            raise


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """Return the environment of a child process on these settings' data folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("WELLREAD_", "ANTHROPIC_"))}
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    ours = {"WELLREAD_DATA_DIR": str(settings.data_dir), "WELLREAD_WIKIPEDIA": "false", "PYTHONPATH": path}
    return {**inherited, **ours, **more}


@contextmanager
def running_process(
    command: tuple[str, ...], settings: Settings, env: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a child process in the data folder, its output in a file there; end it afterwards."""
    with (settings.data_dir / "output.log").open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own programs
            command, env=dict(env), cwd=settings.data_dir, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def broker(settings: Settings) -> Iterator[redis.Redis]:
    """Run the embedded Valkey as `wellread up` does; yield a client."""
    client = redis.Redis.from_url(settings.redis)
    with running_process(valkey(settings).command, settings, environment(settings)) as process:
        _wait(lambda: _answers(client), process, settings)
        yield client
        client.close()


@contextmanager
def worker(module: str, settings: Settings, **more: str) -> Iterator[None]:
    """Run a module of the benchmarks as a worker."""
    command = (sys.executable, "-m", f"benchmarks.{module}")
    with running_process(command, settings, environment(settings, **more)):
        yield


def up_command(port: int = 0) -> tuple[str, ...]:
    """Return the command line of `wellread up` on a port, or on any that is free."""
    return (sys.executable, "-m", "api", "up", "--port", str(port), "--no-flower")


@contextmanager
def up(settings: Settings, **more: str) -> Iterator[tuple[subprocess.Popen[bytes], Client]]:
    """Run `wellread up`; yield its process and a client once a question can be asked."""
    with running_process(up_command(), settings, environment(settings, **more)) as process:
        _wait(lambda: stack.running(settings) is not None, process, settings)
        address = stack.running(settings)
        with Client(address.api_url if address else "") as client:
            _wait(client.is_ready, process, settings)
            yield process, client


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes], settings: Settings) -> None:
    if not wait_until(lambda: ready() or process.poll() is not None, within_s=_STARTS_WITHIN_S) or not ready():
        raise StartError(f"A process did not start:\n{(settings.data_dir / 'output.log').read_text()[-2000:]}")


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
