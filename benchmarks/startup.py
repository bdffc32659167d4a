"""Measure the start: `wellread --help`, `wellread up` until it takes questions, and its memory."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.report import Figure, Options, Report, ratio, spread
from benchmarks.usage import memory
from evals.measure.stopwatch import seconds_of
from evals.sandbox import environment, sandbox, up
from workers.settings import Settings

_HELP_RUNS, _UP_RUNS = 15, 3
_MB = 1e6


def measure(options: Options) -> Report:
    """Start the command line and a bare Python in turn; then all of Wellread on an empty folder."""
    with sandbox() as settings:
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
        notes=("every `up` starts with an empty data folder",),
    )


def _run_s(settings: Settings, *arguments: str) -> float:
    command, env = (sys.executable, *arguments), environment(settings)
    return seconds_of(lambda: subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL))


def _up(options: Options) -> tuple[float, float, float]:
    """Return the seconds until it is ready, and its processes' memory in bytes after an answer: PSS and RSS."""
    with sandbox() as settings:
        started = time.perf_counter()
        with up(settings) as (process, client):
            ready_s = time.perf_counter() - started
            client.ask("What is kept here?", wait=60.0, crawl_enabled=False)
            return ready_s, *memory(process.pid)
