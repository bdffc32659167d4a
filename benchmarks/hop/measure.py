"""Measure the time from task to task: plain Celery, a step of ours (claim, record, send), and huey, on one Valkey."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TypeVar

import redis

from benchmarks.hop.huey import tasks
from benchmarks.hop.worker import DONE, NEXT, NOTHING, RETRIEVE, expect, send
from benchmarks.report import Figure, Options, Report
from domain.errors import WellreadError
from evals.measure.stopwatch import seconds_of
from evals.sandbox import broker, sandbox, worker
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.database import Database, migrate
from workers.app import app
from workers.services import Services
from workers.settings import Settings

T = TypeVar("T")

_WAIT_S = 120
#: no-ops for each hop
_NOTHINGS = 10
#: questions in flight while steps are counted
_IN_FLIGHT = 20
#: sequences of each kind, in turn; the best counts, since other work of the machine only adds time
_TURNS = 3


def measure(options: Options) -> Report:
    """Pass one message on many times, then run many no-ops; each kind in turn, three times."""
    hops, has_huey = options.rounds, find_spec("huey") is not None
    with sandbox() as settings, broker(settings) as client, ExitStack() as workers:
        migrate(settings.database)
        app.conf.update(broker_url=settings.broker)
        workers.enter_context(worker("hop.worker", settings))
        celery = _plain("celery", client, hops, partial(send, NEXT), partial(send, NOTHING, 0))
        kinds = [celery, _framed(settings, client, hops)]
        if has_huey:
            workers.enter_context(worker("hop.huey", settings))
            kinds.append(_plain("huey", client, hops, *tasks(settings.redis)))
        figures = _measured(kinds, hops)
    missing = () if has_huey else ("huey is not installed, so it is left out: pip install huey",)
    return Report(
        title=f"hop: {hops} hops one after another, {hops * _NOTHINGS} no-ops at once, best of {_TURNS}",
        figures=figures,
        notes=(
            "a step is claimed in SQL, recorded there and followed by a message: two commits, one synced to the disk",
            *missing,
        ),
    )


class NoEnd(WellreadError):
    """The tasks did not end in time."""


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """One kind of task, and how to send it."""

    name: str
    client: redis.Redis
    hop: Callable[[], object]  #: sends one message that is passed on
    many: Callable[[], int]  #: sends no-ops; returns how many

    def hop_s(self) -> float:
        """Return the seconds until one message was passed on to its end."""
        return seconds_of(lambda: self._wait_for(self.hop))

    def rate(self) -> float:
        """Return how many ran in a second, from the first one sent."""
        started = time.perf_counter()
        count = self._wait_for(self.many)
        return count / (time.perf_counter() - started)

    def _wait_for(self, send: Callable[[], T]) -> T:
        sent = send()
        deadline = time.monotonic() + _WAIT_S
        while self.client.blpop([DONE], timeout=1) is None:
            if time.monotonic() > deadline:
                raise NoEnd(f"{self.name}: no end after {_WAIT_S} s")
        return sent


def _measured(kinds: Sequence[_Kind], hops: int) -> list[Figure]:
    for kind in kinds:
        kind.hop_s()  # the first one waits for the worker to be up
    turns = [{kind.name: (kind.hop_s(), kind.rate()) for kind in kinds} for _ in range(_TURNS)]
    figures = []
    for name in turns[0]:
        hop_ms = 1e3 * min(turn[name][0] for turn in turns) / hops
        rate = max(turn[name][1] for turn in turns)
        ours = name == "celery"
        figures.append(Figure(name=f"{name}: hop", value=hop_ms, unit="ms", at_most=2.0 if ours else None))
        figures.append(Figure(name=f"{name}: worked off", value=rate, unit="/s", at_least=1_000 if ours else None))
    rates = {figure.name: figure.value for figure in figures}
    if "huey: worked off" in rates:
        value = rates["huey: worked off"] / rates["celery: worked off"]
        figures.append(Figure(name="no-ops, huey / celery", value=value, unit="×", at_most=4.0))
    return figures


def _plain(
    name: str, client: redis.Redis, hops: int, pass_on: Callable[[int], object], nothing: Callable[[], object]
) -> _Kind:
    """Return the kind of a queue's tasks: one that passes a message on, one that does nothing."""

    def hop() -> None:
        expect(client, 1)
        pass_on(hops)

    def many() -> int:
        expect(client, hops * _NOTHINGS)
        for _ in range(hops * _NOTHINGS):
            nothing()
        return hops * _NOTHINGS

    return _Kind(name=name, client=client, hop=hop, many=many)


def _framed(settings: Settings, client: redis.Redis, hops: int) -> _Kind:
    database = Database(settings.database)

    def ask(count: int) -> int:
        expect(client, count, steps=hops)
        with database.write() as session:
            news = [NewQuestion(text=f"What is passed on, {time.time_ns()}?", reuse=False) for _ in range(count)]
            ids = [new_questions.ask(session, new, Services.now())[0].id for new in news]
        for question_id in ids:
            send(RETRIEVE, question_id)
        return hops

    return _Kind(name="our frame", client=client, hop=lambda: ask(1), many=lambda: ask(_IN_FLIGHT))
