"""How long it takes until `wellread --help` is there, until `wellread up` takes questions, and the memory it holds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

import psutil  # type: ignore[import-untyped]

from benchmarks.alone import alone, environment, up
from benchmarks.options import Options
from benchmarks.report import Figure, Report, ratio, spread
from workers.settings import Settings

_HELP_RUNS, _UP_RUNS = 15, 3
_MB = 1e6


def measure(options: Options) -> Report:
    """Start the command line and a bare Python in turn; then the whole of Wellread on an empty folder."""
    with alone() as settings:
        pairs = [(_run_s(settings, "-c", "pass"), _run_s(settings, "-m", "api", "--help")) for _ in range(_HELP_RUNS)]
    bare, helped = ([pair[which] for pair in pairs] for which in (0, 1))
    ups = [_up(options) for _ in range(_UP_RUNS)]
    first, others = ups[0], ups[1:]
    return Report(
        title=f"startup: {_HELP_RUNS} runs of the help, {_UP_RUNS} of `up` without Flower",
        figures=[
            *spread("python alone", bare),
            *spread("wellread --help", helped),
            ratio("wellread --help / python alone", helped, bare),
            Figure(name="up: takes questions, first time", value=first[0], unit="s"),
            Figure(
                name="up: takes questions, then", value=min(seconds for seconds, _, _ in others), unit="s", at_most=3
            ),
            Figure(name="up: memory, shared pages once (PSS)", value=first[1] / _MB, unit="MB"),
            Figure(name="up: memory, shared pages each time (RSS)", value=first[2] / _MB, unit="MB"),
        ],
        notes=("every `up` begins with an empty data folder; the models are converted already",),
    )


def _run_s(settings: Settings, *arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run((sys.executable, *arguments), env=environment(settings), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _up(options: Options) -> tuple[float, float, float]:
    """Return the seconds until it is ready, and its processes' memory in bytes once it has answered: PSS and RSS."""
    with alone() as settings:
        options.models_dir.mkdir(parents=True, exist_ok=True)
        settings.models_dir.symlink_to(options.models_dir, target_is_directory=True)
        started = time.perf_counter()
        with up(settings) as (process, client):
            ready_s = time.perf_counter() - started
            client.ask("What is kept here?", wait=60.0, crawl_enabled=False)
            return ready_s, *_memory(psutil.Process(process.pid))


def _memory(parent: psutil.Process) -> tuple[float, float]:
    told = [each.memory_full_info() for each in _alive([parent, *parent.children(recursive=True)])]
    return sum(each.pss for each in told), sum(each.rss for each in told)


def _alive(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
