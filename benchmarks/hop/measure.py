"""From task to task: a plain Celery task, a step in our frame (claim, record, ring), and huey's, on one Valkey."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import redis

from benchmarks.alone import alone, broker, worker
from benchmarks.hop.counting import DONE, expect
from benchmarks.hop.worker import NEXT, NOTHING, RETRIEVE, send
from benchmarks.options import Options
from benchmarks.report import Figure, Report
from domain.errors import WellreadError
from store.questions import new as new_questions
from store.questions.new import NewQuestion
from store.sql.database import Database, migrate
from workers.app import app
from workers.services import Services
from workers.settings import Settings

_WAIT_S = 120
#: no-ops for each hop asked for
_NOTHINGS = 10
#: questions in flight where steps are counted
_IN_FLIGHT = 20
#: sequences of each kind, taken in turn; the best counts, as what else the machine does only adds
_TURNS = 3


def measure(options: Options) -> Report:
    """Pass one message on so often, then work off so many; each kind in turn, three times."""
    hops = options.rounds
    with alone() as settings, broker(settings) as client:
        migrate(settings.database)
        app.conf.update(broker_url=settings.broker)
        with worker("hop.worker", settings):
            kinds = [_celery(client, hops), _framed(settings, client, hops)]
            if find_spec("huey"):
                with worker("hop.huey", settings):
                    figures = _measured([*kinds, _huey(settings, client, hops)], hops)
            else:
                figures = _measured(kinds, hops)
    lacking = () if find_spec("huey") else ("huey is not installed, so it is left out: pip install huey",)
    return Report(
        title=f"hop: {hops} hops one after another, {hops * _NOTHINGS} no-ops at once, best of {_TURNS}",
        figures=figures,
        notes=(
            "a step is claimed in SQL, recorded there and rung for: two commits, each synced to the disk",
            *lacking,
        ),
    )


class NoEnd(WellreadError):
    """The tasks did not run to their end in time."""


class _Kind:
    """One kind of task, and how to send it."""

    def __init__(self, name: str, client: redis.Redis, hop: Callable[[], object], many: Callable[[], int]) -> None:
        self.name = name
        self._client, self._hop, self._many = client, hop, many

    def hop_s(self) -> float:
        """Return the seconds until one message was passed on to its end."""
        started = time.perf_counter()
        self._hop()
        self._wait()
        return time.perf_counter() - started

    def rate(self) -> float:
        """Return how many were worked off in a second, from the first one sent."""
        started = time.perf_counter()
        count = self._many()
        self._wait()
        return count / (time.perf_counter() - started)

    def _wait(self) -> None:
        deadline = time.monotonic() + _WAIT_S
        while self._client.blpop([DONE], timeout=1) is None:
            if time.monotonic() > deadline:
                raise NoEnd(f"{self.name}: no end after {_WAIT_S} s")


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


def _celery(client: redis.Redis, hops: int) -> _Kind:
    def hop() -> None:
        expect(client, 1)
        send(NEXT, hops)

    def many() -> int:
        expect(client, hops * _NOTHINGS)
        for _ in range(hops * _NOTHINGS):
            send(NOTHING, 0)
        return hops * _NOTHINGS

    return _Kind("celery", client, hop, many)


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

    return _Kind("our frame", client, lambda: ask(1), lambda: ask(_IN_FLIGHT))


def _huey(settings: Settings, client: redis.Redis, hops: int) -> _Kind:
    from benchmarks.hop.huey import tasks

    pass_on, nothing = tasks(settings.redis)

    def hop() -> None:
        expect(client, 1)
        pass_on(hops)

    def many() -> int:
        expect(client, hops * _NOTHINGS)
        for _ in range(hops * _NOTHINGS):
            nothing()
        return hops * _NOTHINGS

    return _Kind("huey", client, hop, many)
