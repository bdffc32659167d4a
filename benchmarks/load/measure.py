"""Ask all of `wellread up` over HTTP by 1 to 256 callers, then at half to three times the rate that was answered.

New questions and repeated ones apart; nothing is read from the web. The callers run on the same machine.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle

import click

from benchmarks.corpus.knowledge_base import make_knowledge_base, real_set
from benchmarks.faults import ledger
from benchmarks.faults.ledger import Outcome
from benchmarks.load import loops
from benchmarks.load.calls import WAIT_S, Call, Caller, many_connections
from benchmarks.load.peaks import Peaks, watching
from benchmarks.load.stage import Stage, stage
from benchmarks.report import Figure, Options, Report
from benchmarks.usage import processor_s
from evals.sandbox import sandbox, up
from store.sql.database import Database
from wellread import AsyncClient
from workers.processes.supervise import wait_until

#: seconds in which as many are answered as may be open: half of what a caller waits
OPEN_S, FEWEST_OPEN = WAIT_S / 2, 8
CALLERS, RATES, SECONDS = (1, 4, 16, 64, 256), (0.5, 1.0, 2.0, 3.0), 20.0
SHORT_CALLERS, SHORT_RATES, SHORT_SECONDS = (1, 16), (0.5, 2.0), 5.0
#: questions that are repeated; equal ones asked at once, where as many may be open
REPEATED, EQUAL = 10, 64
#: seconds until all have ended after the last load
ENDED_S = 120.0


@dataclass(frozen=True, kw_only=True)
class _Load:
    callers: tuple[int, ...]
    rates: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """All stages of a run, and every call of it."""

    new: list[Stage]
    new_open: list[Stage]
    repeated: list[Stage]
    repeated_open: list[Stage]
    equal: Stage
    calls: list[Call]


def measure(options: Options) -> Report:
    """Ask ever more at once; count what was answered, how late, and what was refused or lost."""
    load = _Load(callers=CALLERS, rates=RATES, seconds=SECONDS)
    if options.short:
        load = _Load(callers=SHORT_CALLERS, rates=SHORT_RATES, seconds=SHORT_SECONDS)
    with sandbox() as settings:
        shutil.copytree(make_knowledge_base(options), settings.data_dir, dirs_exist_ok=True)
        with up(settings, WELLREAD_EMBEDDER="minilm") as (_, client):
            first = asyncio.run(_ask_first(client.url, load.seconds))
        per_s = stage("last of the first", first[len(first) // 2 :], peak_open=0, processor_s=0.0).answered_per_s
        most_open = max(FEWEST_OPEN, round(OPEN_S * per_s))
        more = {"WELLREAD_EMBEDDER": "minilm", "WELLREAD_MAX_OPEN_QUESTIONS": str(most_open)}
        with up(settings, **more) as (process, client):
            database = Database(settings.database)
            with watching(database, process.pid) as peaks:
                run = _Run(client.url, load, peaks, partial(processor_s, process.pid))
                measured = asyncio.run(run.run(min(EQUAL, most_open)))
                wait_until(lambda: ledger.count_open(database) == 0, within_s=ENDED_S)
            with database.read() as session:
                outcome = ledger.count(
                    session, {call.question_id for call in (*first, *measured.calls) if call.question_id}
                )
            database.close()
    return _report(options, measured, outcome, peaks, most_open)


async def _ask_first(url: str, seconds: float) -> list[Call]:
    """Ask new questions until all is warm, and as long again."""
    texts = _texts()
    async with AsyncClient(url, transport=many_connections()) as client:
        caller = Caller(client=client, next_text=cycle(texts[REPEATED:-1]).__next__, reuse=False)
        return [*await loops.closed(caller, FEWEST_OPEN, seconds), *await loops.closed(caller, FEWEST_OPEN, seconds)]


def _texts() -> list[str]:
    return [question.text for question in real_set().questions if question.answerable]


class _Run:
    """The loads, one after another."""

    def __init__(self, url: str, load: _Load, peaks: Peaks, processor: Callable[[], float]) -> None:
        self._url, self._load, self._peaks, self._processor = url, load, peaks, processor
        self._calls: list[Call] = []

    async def run(self, equal_ones: int) -> _Measured:
        """Ask under each load in turn; so many equal ones at once."""
        texts = _texts()
        async with AsyncClient(self._url, transport=many_connections()) as client:
            new = Caller(client=client, next_text=cycle(texts[REPEATED:-1]).__next__, reuse=False)
            repeated = Caller(client=client, next_text=cycle(texts[:REPEATED]).__next__, reuse=True)
            equal = replace(repeated, next_text=lambda: texts[-1])
            for caller in (new, repeated):  # until all is warm
                self._calls += await loops.closed(caller, 1, self._load.seconds / 2)
            new_closed = await self._closed("new", new)
            repeated_closed = await self._closed("repeated", repeated)
            together = await self._stage(f"{equal_ones} equal ones at once", lambda: loops.at_once(equal, equal_ones))
            return _Measured(
                new=new_closed,
                repeated=repeated_closed,
                equal=together,
                new_open=await self._open("new", new, saturation(new_closed)),
                repeated_open=await self._open("repeated", repeated, saturation(repeated_closed)),
                calls=self._calls,
            )

    async def _closed(self, kind: str, caller: Caller) -> list[Stage]:
        return [
            await self._stage(f"{kind}, {n} callers", partial(loops.closed, caller, n, self._load.seconds))
            for n in self._load.callers
        ]

    async def _open(self, kind: str, caller: Caller, most: float) -> list[Stage]:
        return [
            await self._stage(
                f"{kind}, {share:g} × {most:.1f}/s", partial(loops.open_, caller, share * most, self._load.seconds)
            )
            for share in self._load.rates
        ]

    async def _stage(self, name: str, asked: Callable[[], Awaitable[list[Call]]]) -> Stage:
        self._peaks.open, before = 0, self._processor()
        calls = await asked()
        self._calls += calls
        done = stage(name, calls, self._peaks.open, self._processor() - before)
        click.echo(done.as_note(), err=True)
        for error in sorted({call.error for call in calls if call.error})[:3]:
            click.echo(f"  failed: {error}", err=True)
        return done


def saturation(stages: list[Stage]) -> float:
    """Return the most that was answered in a second."""
    return max(each.answered_per_s for each in stages)


def _cheapest(stages: list[Stage]) -> float:
    return min(each.processor_ms for each in stages)


def _report(options: Options, measured: _Measured, outcome: Outcome, peaks: Peaks, most_open: int) -> Report:
    closed, opened = measured.new + measured.repeated, measured.new_open + measured.repeated_open
    stages = [*closed, measured.equal, *opened]
    half = measured.new_open[0]
    again, came_in = sum(each.came_again for each in stages), sum(each.came_in for each in stages)
    figures = [
        Figure(name="new, answered", value=saturation(measured.new), unit="/s", at_least=25),
        Figure(name="repeated, answered", value=saturation(measured.repeated), unit="/s", at_least=150),
        Figure(name="new, time of processors", value=_cheapest(measured.new), unit="ms each"),
        Figure(name="repeated, time of processors", value=_cheapest(measured.repeated), unit="ms each"),
        Figure(name="new at half of that, p95 / p50", value=half.p95_s / max(1e-9, half.p50_s), unit="×", at_most=3),
        Figure(
            name="taken and answered in time", value=min(each.in_time for each in stages), unit="of all", at_least=1
        ),
        Figure(name="refused", value=sum(each.refused for each in stages)),
        Figure(name="refused, told within p95", value=max(each.refusal_p95_s for each in stages), unit="s"),
        Figure(name="taken when they came again", value=came_in / max(1, again), unit="of all"),
        Figure(name="neither taken nor refused", value=sum(each.failed for each in stages), at_most=0),
        Figure(name="equal ones at once, p95", value=measured.equal.p95_s, unit="s"),
        Figure(name="most open", value=max(each.peak_open for each in stages), at_most=most_open),
        Figure(name="memory, shared pages once (PSS)", value=peaks.memory_bytes / 1e6, unit="MB"),
        Figure(name="lost", value=outcome.lost, at_most=0),
        Figure(name="not ended", value=outcome.open, at_most=0),
        Figure(name="duplicated", value=outcome.duplicated, at_most=0),
    ]
    return Report(
        title=f"load: {options.passages:,} passages, {len(measured.calls):,} calls, at most {most_open} questions open",
        figures=figures,
        notes=(f"in time: within the {WAIT_S:g} s that each caller waits", *(each.as_note() for each in stages)),
        values={
            "stages": [each.as_json() for each in stages],
            "lost": outcome.lost,
            "stuck": outcome.open,
            "duplicated": outcome.duplicated,
        },
    )
