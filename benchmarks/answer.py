"""Measure a question answered from the knowledge base over HTTP by all of `wellread up`, without a provider's model."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle, islice
from typing import Any

from benchmarks.corpus.knowledge_base import make_knowledge_base, real_set
from benchmarks.report import Figure, Options, Report, spread
from domain import Status
from domain.errors import WellreadError
from evals.sandbox import sandbox, up
from wellread import Client, Record

#: questions asked before measuring
_WARM = 15
_WAIT_S = 60.0


class NothingAnswered(WellreadError):
    """No question was answered at the first pass, so there is nothing to measure."""


@dataclass(frozen=True, kw_only=True)
class _TimedQuestion:
    """One question: how long its asker waited, and the record and trace that explain it."""

    wall_s: float
    record: Record
    trace: Sequence[Any]

    @property
    def at_first_pass(self) -> bool:
        return self.record.status is Status.ANSWERED and len(self.record.timings) == 1

    @property
    def parts_s(self) -> dict[str, float]:
        """The seconds of each part, in order; together they are the time waited."""
        step = self.record.timings[0]
        parts = dict(self.trace[0]["detail"]["seconds"])
        queue = (step.started_at - self.record.created_at) / timedelta(seconds=1)
        return {
            "queue, from the row to its step": queue,
            **parts,
            "rest of the step": step.seconds - sum(parts.values()),
            "HTTP, and waiting for the event": self.wall_s - queue - step.seconds,
        }


def measure(options: Options) -> Report:
    """Ask one question after another, each as a new row; measure those that the first pass answers."""
    questions = [question.text for question in real_set().questions if question.answerable]
    with sandbox() as settings:
        shutil.copytree(make_knowledge_base(options), settings.data_dir, dirs_exist_ok=True)
        with up(settings, WELLREAD_EMBEDDER="minilm") as (_, client):
            asked = [_ask(client, text) for text in islice(cycle(questions), options.rounds + _WARM)][_WARM:]
    answered = [each for each in asked if each.at_first_pass]
    if not answered:
        raise NothingAnswered(NothingAnswered.__doc__)
    figures = [
        *spread("answered over HTTP", [each.wall_s for each in answered], p50=60, p95=150),
        Figure(name="answered at the first pass", value=len(answered) / len(asked), unit="of all"),
    ]
    for name in answered[0].parts_s:
        target = 10 if name.startswith("queue") else None
        figures += spread(f"  {name}", [each.parts_s[name] for each in answered], p50=target)
    return Report(
        title=f"answer: {options.passages:,} passages, {len(asked)} questions one after another",
        figures=figures,
        notes=("the targets are those for 100,000 passages", "questions that need a second pass are left out"),
    )


def _ask(client: Client, text: str) -> _TimedQuestion:
    started = time.perf_counter()
    record = client.ask(text, wait=_WAIT_S, crawl_enabled=False, reuse=False)
    wall_s = time.perf_counter() - started
    return _TimedQuestion(wall_s=wall_s, record=record, trace=client.trace(record.id))
