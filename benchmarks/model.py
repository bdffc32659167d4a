"""Ask all of `wellread up` by the hundred, with a model's service that takes the time of a real one, and without.

The service is a double of Anthropic's Messages API on loopback: it takes .6 s for a verdict, a check or variants, and
writes an answer within 2 s, which cites the first thing it was given. Everything else is the product.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any, Final

import click
import numpy as np

from benchmarks.corpus.knowledge_base import make_knowledge_base, real_set
from benchmarks.faults import ledger
from benchmarks.faults.ledger import Outcome
from benchmarks.faults.strike import kill, programs_of
from benchmarks.load import loops
from benchmarks.load.calls import Call, Caller, many_connections
from benchmarks.report import Figure, Options, Report
from evals.model.service import ModelServer
from evals.model.wire import Cite, MessagesHandler, Say, content_of, frames_of, say_json
from evals.sandbox import sandbox, up
from store.sql.database import Database
from wellread import AsyncClient
from workers.processes.supervise import wait_until
from workers.settings import Settings

#: how long the service takes, for what is short and for an answer
SHORT_S, ANSWER_S = 0.6, 2.0
#: of an answer: how long until it begins
_BEGINS_S = 0.4
#: questions asked one after another, at once, at half of the rate, and while the worker that waits is killed
ALONE, TOGETHER, MANY, STRUCK = 10, 30, 200, 30
SHORT_ALONE, SHORT_MANY = 5, 60
HALF_S, WARM = 40.0, 8
#: how long a caller waits, at most as long as the API lets it, and how long after the last one all must have ended
WAIT_S, ENDED_S = 120.0, 300.0
_KEY: Final = "sk-ant-measured"


class Service(ModelServer[Any, Any]):
    """The double; it counts the answers that it was asked for, and those it is writing."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.answers = 0
        self.writing = 0
        self.lock = threading.Lock()


class _Handler(MessagesHandler):
    def answer_post(self, headers: dict[str, str], body: dict[str, Any]) -> None:
        double = self.server.double
        schema = body.get("output_config", {}).get("format", {}).get("schema")
        if schema:
            double.stopping.wait(SHORT_S)
            self.reply_with(body, say_json(_filled(schema)))
            return
        with double.lock:
            double.answers, double.writing = double.answers + 1, double.writing + 1
        try:
            self.stream(_in_time(body, double.stopping))
        finally:
            with double.lock:
                double.writing -= 1


def _in_time(body: dict[str, Any], stopping: threading.Event) -> Iterator[str]:
    """Yield the events of an answer evenly over its time."""
    results = [block for block in content_of(body) if block["type"] == "search_result"]
    said = results[0]["content"][0]["text"].strip() if results else "Nothing was given."
    cites = [Cite(result=0, start=0, end=1)] if results else []
    frames = list(frames_of(body, Say([(said, cites)]), Say([]), stopping))
    began = time.monotonic()
    for number, (event, data) in enumerate(frames):
        due = began + _BEGINS_S + (ANSWER_S - _BEGINS_S) * number / len(frames)
        stopping.wait(max(0.0, due - time.monotonic()))
        yield f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}"


def _filled(schema: dict[str, Any]) -> Any:
    """Return the least that a JSON schema allows; what is asked is answered with yes."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _named(name) or _filled(each) for name, each in schema.get("properties", {}).items()}
    return {"array": [], "boolean": True, "number": 0.9, "integer": 1}.get(str(kind), "as asked")


def _named(name: str) -> Any:
    if name != "variants":
        return None
    return [{"kind": kind, "text": f"{kind} of it"} for kind in ("paraphrase", "perspective_shift", "keyword_focus")]


def measure(options: Options) -> Report:
    """Ask with and without a model in turn; kill the worker that waits for it; return the ratios."""
    alone, many = (SHORT_ALONE, SHORT_MANY) if options.short else (ALONE, MANY)
    texts, asked = cycle([question.text for question in real_set().questions if question.answerable]), set[str]()
    with Service() as service, sandbox() as settings:
        shutil.copytree(make_knowledge_base(options), settings.data_dir, dirs_exist_ok=True)
        with _running(settings, texts, asked) as (run, _):
            without = run.together("without a model", many)
        with _running(settings, texts, asked, service) as (run, parent):
            one = [call.seconds for call in run.one_by_one(alone)]
            thirty = run.together("at once", TOGETHER)
            with_model = run.together("with a model", many)
            half = run.at_rate(_rate(with_model) / 2, HALF_S)
            asked_before = service.answers
            run.together_and_kill(STRUCK, service, parent)
            asked_again = service.answers - asked_before - STRUCK
            outcome = _outcome(settings, asked)
    return _report(options, one, thirty, with_model, without, half, asked_again, outcome)


@contextmanager
def _running(
    settings: Settings, texts: Iterator[str], asked: set[str], service: Service | None = None
) -> Iterator[tuple[_Run, int]]:
    more = {"WELLREAD_EMBEDDER": "minilm"}
    if service:
        more |= {"WELLREAD_ANTHROPIC_API_KEY": _KEY, "WELLREAD_ANTHROPIC_BASE_URL": service.url}
    with up(settings, **more) as (process, client):
        run = _Run(client.url, texts, asked)
        run.together("warm", WARM)
        yield run, process.pid


class _Run:
    """The questions that one stack is asked; each is new."""

    def __init__(self, url: str, texts: Iterator[str], asked: set[str]) -> None:
        self._url, self._texts, self._asked = url, texts, asked

    def one_by_one(self, count: int) -> list[Call]:
        """Ask one question after another."""
        return [call for _ in range(count) for call in self.together("", 1)]

    def together(self, name: str, count: int) -> list[Call]:
        """Ask so many questions at the same moment."""
        calls = asyncio.run(self._ask(lambda caller: loops.at_once(caller, count)))
        if name:
            _note(f"{name}: {count} questions in {_took_s(calls):.1f} s")
        return calls

    def at_rate(self, rate: float, seconds: float) -> list[Call]:
        """Ask so many questions a second, each when chance says."""
        calls = asyncio.run(self._ask(lambda caller: loops.open_(caller, rate, seconds)))
        _note(f"{len(calls)} questions at {rate:.2f} a second: p95 {_p95(calls):.2f} s")
        return calls

    def together_and_kill(self, count: int, service: Service, parent: int) -> list[Call]:
        """Ask so many at once, and kill the worker that waits for the model while several answers are written."""

        def strike() -> None:
            if wait_until(lambda: service.writing >= 3, within_s=WAIT_S):
                kill(lambda: programs_of(parent), "model")
                _note(f"killed while {service.writing} answers were written")

        striking = threading.Thread(target=strike)
        striking.start()
        calls = self.together("with a kill -9", count)
        striking.join()
        return calls

    async def _ask(self, asked: Any) -> list[Call]:
        async with AsyncClient(self._url, transport=many_connections()) as client:
            caller = Caller(client=client, next_text=self._texts.__next__, reuse=False, wait_s=WAIT_S)
            calls: list[Call] = await asked(caller)
        for error in sorted({call.error for call in calls if call.error})[:3]:
            _note(f"  failed: {error}")
        self._asked |= {call.question_id for call in calls if call.question_id}
        return calls


def _outcome(settings: Settings, asked: set[str]) -> Outcome:
    """Return what the rows say of all that was asked, once it has ended."""
    database = Database(settings.database)
    wait_until(lambda: ledger.count_open(database) == 0, within_s=ENDED_S)
    with database.read() as session:
        found = ledger.count(session, asked)
    database.close()
    return found


def _report(
    options: Options,
    one: Sequence[float],
    thirty: Sequence[Call],
    with_model: Sequence[Call],
    without: Sequence[Call],
    half: Sequence[Call],
    asked_again: int,
    outcome: Outcome,
) -> Report:
    alone_s = float(np.median(one))
    every = [*thirty, *with_model, *half]
    figures = [
        Figure(name="one question alone, p50", value=alone_s, unit="s"),
        Figure(name=f"{TOGETHER} questions at once, all ended", value=_took_s(thirty), unit="s", at_most=12),
        Figure(name="answered without a model", value=_rate(without), unit="/s"),
        Figure(name="answered with a model", value=_rate(with_model), unit="/s"),
        Figure(name="with beside without", value=_rate(with_model) / _rate(without), unit="×", at_least=0.8),
        Figure(name="p95 at half of that rate, beside one alone", value=_p95(half) / alone_s, unit="×", at_most=1.5),
        Figure(
            name="ended in time", value=sum(call.answered for call in every) / len(every), unit="of all", at_least=1
        ),
        Figure(name="answers asked for again after kill -9", value=asked_again),
        Figure(name="lost", value=outcome.lost + outcome.open, at_most=0),
        Figure(name="recorded twice", value=outcome.duplicated, at_most=0),
    ]
    return Report(
        title=f"model: {options.passages:,} passages, {len(with_model)} questions at once",
        figures=figures,
        notes=(f"the model takes {SHORT_S:g} s for a verdict, a check or variants and {ANSWER_S:g} s for an answer",),
    )


def _took_s(calls: Sequence[Call]) -> float:
    return max(call.asked_at + call.seconds for call in calls) - min(call.asked_at for call in calls)


def _rate(calls: Sequence[Call]) -> float:
    return max(1e-9, sum(call.answered for call in calls) / _took_s(calls))


def _p95(calls: Sequence[Call]) -> float:
    return float(np.percentile([call.seconds for call in calls] or [WAIT_S], 95))


def _note(text: str) -> None:
    click.echo(text, err=True)
