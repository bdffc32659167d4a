"""Measure a fleet of 50 to 500 workers on a real PostgreSQL and a real Valkey, and when each part of it is full."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import redis
from sqlalchemy import text
from sqlalchemy.orm import Session

from benchmarks.fleet.driver import CITED, WRITER, Times, page
from benchmarks.postgres import postgres
from benchmarks.report import Figure, Options, Report
from benchmarks.usage import processor_s
from evals.knowledge.stored import save_page
from evals.sandbox import broker, environment, running_process, sandbox, worker
from store.sql.database import migrate
from workers.processes.heartbeat import last_sweep, living_workers
from workers.processes.supervise import StartError, wait_until
from workers.services import Services

#: threads of one driver process at most: no more than it can serve with tasks that sleep
_THREADS = 100
#: seconds before measuring, as many times as steps are slower, and seconds of measuring
_WARM_S, _MEASURED_S, _LOOK_S = 1.3, 45.0, 0.5
_SWEEP_EVERY_S = 3.0
#: of the workers those that answer; the others read
_ANSWERING = 0.62
#: workers that ask of this machine's two cores what they can give: steps of larger fleets sleep as many times longer
_AT_FULL_SPEED = 5
#: what all workers use
_SHARED = ("PostgreSQL", "Valkey's thread")
_NOW = """SELECT count(*) FILTER (WHERE state <> 'idle') AS "in use", count(*) FILTER (WHERE wait_event_type = 'Lock')
 AS locked, count(*) FILTER (WHERE wait_event = 'WalSync') AS syncing, count(*) AS open FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"""
_SO_FAR = """SELECT (SELECT count(*) FROM questions WHERE status = 'ANSWERED') AS ended, (SELECT count(*) FROM steps
 WHERE name <> 'embed') + (SELECT count(*) FROM candidates WHERE settled_at IS NOT NULL) AS tasks,
 (SELECT sum(calls) FROM pg_stat_statements) AS statements,
 (SELECT sessions FROM pg_stat_database WHERE datname = current_database()) AS opened"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a fleet of so many workers did: counts and seconds of each part, by name, and what was seen on average."""

    workers: int
    slower: float
    seconds: float
    did: dict[str, float]
    seen: dict[str, float]

    def figures(self) -> list[Figure]:
        """Return what was done in a second or a minute, and which part of its time each part worked."""
        share = {name: amount / self.seconds for name, amount in self.did.items()}
        per_min = 60 * share["ended"]
        rows = [
            (f"{self.workers} workers whose steps sleep {self.slower:g} times as long", per_min, "/min"),
            ("  as many at full speed", per_min * self.slower, "/min"),
            ("  tasks of one driver", share["tasks"] / drivers_of(self.workers), "/s"),
            *((f"  {name}", share[name], "cores") for name in ("workers", "PostgreSQL", "API and upkeep")),
            *((f"  {name}", share[name], "of its time") for name in ("Valkey's thread", "the one writer")),
            ("  the sweep", self.seen["sweep"] / _SWEEP_EVERY_S, "of its time"),
            *((f"  {name}", self.seen[name], "connections") for name in ("open", "in use", "locked", "syncing")),
        ]
        return [Figure(name=name, value=value, unit=unit) for name, value, unit in rows]


def measure(options: Options) -> Report:
    """Run each fleet for some minutes; before that, what one driver can do with tasks that do nothing."""
    return report(options, _no_ops(options.rounds), [_run(number, options.embed_s) for number in options.workers])


def report(options: Options, no_ops: float, runs: Sequence[Run]) -> Report:
    """Return the figures of each fleet, what a question costs each part, and at how many a minute each is full."""
    answer_s, read_s, write_s = Times(embed=options.embed_s).of_question
    each = {name: amount / max(1.0, runs[-1].did["ended"]) for name, amount in runs[-1].did.items()}
    rows = [
        ("one driver: tasks that do nothing", no_ops, "/s"),
        *((f"a question: {name}", each[name], "") for name in ("commands", "statements", "opened")),
        *((f"a question: {name}", 1e3 * each[name], "ms") for name in ("workers", *_SHARED)),
        *((f"full: a core of {name}, at", 60 / each[name], "/min") for name in _SHARED),
        ("full: the one writer, at", 60 / write_s, "/min"),
    ]
    figures = [Figure(name=name, value=value, unit=unit) for name, value, unit in rows]
    return Report(
        title=f"fleet: {options.embed_s:g} s to embed a page, on {os.cpu_count()} cores",
        figures=[*(figure for run in runs for figure in run.figures()), *figures],
        notes=(
            f"at full speed a question takes {answer_s:.2f} s of a worker that answers, {read_s:.2f} s of one that"
            f" reads, {write_s:.3f} s of the writer",
        ),
        values={"no_ops": no_ops, "runs": [vars(run) for run in runs]},
    )


def drivers_of(workers: int) -> int:
    """Return how many processes so many workers are threads of."""
    return max(2, -(-workers // _THREADS))


def _no_ops(rounds: int) -> float:
    """Return how many tasks that do nothing one driver runs in a second."""
    from benchmarks.hop.measure import _plain  # chooses which tasks this process has
    from benchmarks.hop.worker import NEXT, NOTHING, send
    from workers.app import app

    with sandbox() as settings, broker(settings) as client, worker("hop.worker", settings):
        app.conf.update(broker_url=settings.broker)
        kind = _plain("driver", client, rounds, partial(send, NEXT), partial(send, NOTHING, 0))
        kind.hop_s()
        return kind.rate()


def _run(workers: int, embed_s: float) -> Run:
    """Start the servers, the drivers, the one writer, the sweep and who asks; measure what they do after a while."""
    with sandbox() as empty, postgres() as server, broker(empty) as client, ExitStack() as running:
        server.set(max_connections=600, shared_preload_libraries="'pg_stat_statements'")
        settings = empty.model_copy(update={"database_url": server.url})
        migrate(settings.database)
        services, slower, drivers = Services(settings), workers / _AT_FULL_SPEED, drivers_of(workers)
        running.callback(services.close)
        with services.database.write() as session:
            session.execute(text("CREATE EXTENSION pg_stat_statements"))
            cited = save_page(session, page(CITED), CITED, services.now())

        def start(role: str, argument: int = 0, threads: int = 2) -> int:
            """Start a driver, or the product's own worker of the sweep; return its process' id."""
            command: tuple[str, ...]
            command = (sys.executable, "-m", "benchmarks.fleet.driver", role, f"{argument}", f"{slower}", f"{embed_s}")
            if role == "upkeep":
                command = (sys.executable, "-m", "api", "worker", role, "--beat")
            answering = round(threads * _ANSWERING)
            env = {
                "WELLREAD_DATABASE_URL": settings.database,
                "WELLREAD_MAX_OPEN_QUESTIONS": "5000",
                "WELLREAD_ANSWER_PROCESSES": f"{answering}",
                "WELLREAD_CRAWL_PROCESSES": f"{threads - answering}",
            }
            return running.enter_context(running_process(command, settings, environment(settings, **env))).pid

        mine = [start("answer,crawl", cited, workers // drivers) for _ in range(drivers)]
        mine.append(start("embed", cited))
        wanted = Counter(answer=drivers, crawl=drivers, embed=1)
        if not wait_until(lambda: wanted <= Counter(living_workers(services)), within_s=120):
            raise StartError((settings.data_dir / "output.log").read_text()[-2000:])
        others = [start("upkeep"), start("ask", 2 * workers)]
        parts = {"workers": mine, "API and upkeep": others, "PostgreSQL": [server.pid]}
        time.sleep(max(20.0, _WARM_S * slower))
        began, before = time.monotonic(), _so_far(services, client, parts)
        seen = _seen(services, until=began + _MEASURED_S)
        after, seconds = _so_far(services, client, parts), time.monotonic() - began
    did = {name: after[name] - before[name] for name in after}
    return Run(workers=workers, slower=slower, seconds=seconds, did=did, seen=seen)


def _seen(services: Services, until: float) -> dict[str, float]:
    """Return what was seen again and again until then, on average."""
    looks, seen = 0, Counter[str]()
    while time.monotonic() < until:
        time.sleep(_LOOK_S)
        swept, looks = last_sweep(services), looks + 1
        with services.database.read() as session:
            seen.update(_row(session, _NOW) | {"sweep": swept.seconds if swept else 0.0})
    return {name: total / looks for name, total in seen.items()}


def _so_far(services: Services, client: redis.Redis, parts: dict[str, list[int]]) -> dict[str, float]:
    """Return what was done since the start: counts, and seconds of processors."""
    cpu = client.info("cpu")
    with services.database.read() as session:
        counted = _row(session, _SO_FAR)
    return {
        **counted,
        **{name: sum(map(processor_s, pids)) for name, pids in parts.items()},
        "Valkey's thread": cpu["used_cpu_sys_main_thread"] + cpu["used_cpu_user_main_thread"],
        "commands": client.info("stats")["total_commands_processed"],
        "the one writer": float(client.get(WRITER) or 0),
    }


def _row(session: Session, sql: str) -> dict[str, float]:
    return {name: float(value or 0) for name, value in session.execute(text(sql)).mappings().one().items()}
