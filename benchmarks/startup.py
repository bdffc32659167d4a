"""Measure the start: `wellread --help`, `wellread up` until it takes questions, and its memory."""

from __future__ import annotations

import subprocess
import sys
import time

from api.cli.demo.run import DELAY_S, SCRIPT
from api.cli.demo.site_server import serve
from benchmarks.report import Figure, Options, Report, ratio, spread
from benchmarks.usage import memory
from evals.measure.stopwatch import seconds_of
from evals.sandbox import environment, sandbox, up
from workers.settings import Settings

_HELP_RUNS, _UP_RUNS, _QUESTIONS = 15, 3, 4
#: what reads pages has ended then, and what was needed for a moment is given back
_QUIET_S = 15.0
_MB = 1e6


def measure(options: Options) -> Report:
    """Start the command line and a bare Python in turn; then all of Wellread on an empty folder."""
    with sandbox() as settings:
        pairs = [(_run_s(settings, "-c", "pass"), _run_s(settings, "-m", "api", "--help")) for _ in range(_HELP_RUNS)]
    bare, helped = ([pair[which] for pair in pairs] for which in (0, 1))
    first, again, shared, resident = zip(*(_up() for _ in range(_UP_RUNS)), strict=True)
    return Report(
        title=f"startup: {_HELP_RUNS} runs of the help, {_UP_RUNS} of `up` without Flower",
        figures=[
            *spread("python alone", bare),
            *spread("wellread --help", helped),
            ratio("wellread --help / python alone", helped, bare),
            Figure(name="up: takes questions, on an empty folder", value=min(first), unit="s"),
            Figure(name="up: takes questions, then", value=min(again), unit="s", at_most=3),
            Figure(name="up: memory, shared pages once (PSS)", value=min(shared) / _MB, unit="MB"),
            Figure(name="up: memory, shared pages each time (RSS)", value=min(resident) / _MB, unit="MB"),
        ],
        notes=(f"memory: {_QUIET_S:g} s after {_QUESTIONS} questions that read the pages of the demonstration's site",),
    )


def _run_s(settings: Settings, *arguments: str) -> float:
    command, env = (sys.executable, *arguments), environment(settings)
    return seconds_of(lambda: subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL))


def _up() -> tuple[float, float, float, float]:
    """Return the seconds until it is ready, at first and again, and then its memory after questions: PSS and RSS."""
    with sandbox() as settings, serve() as site:
        env = {"WELLREAD_ALLOW_HOSTS": site.origin.removeprefix("http://")}
        times = [time.perf_counter()]
        with up(settings, **env):
            times.append(time.perf_counter())
        times.append(time.perf_counter())
        with up(settings, **env) as (process, client):
            times.append(time.perf_counter())
            client.add_source(site.origin, own=True, min_delay_s=DELAY_S)
            for each in SCRIPT["more"][:_QUESTIONS]:
                client.ask(each["question"], wait=60.0)
            time.sleep(_QUIET_S)
            return times[1] - times[0], times[3] - times[2], *memory(process.pid)
