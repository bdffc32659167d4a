"""Measure what it costs to read the best passages with a question: all new, and all remembered."""

from __future__ import annotations

import resource
from itertools import cycle, islice
from time import process_time

from benchmarks.corpus.knowledge_base import real_set
from benchmarks.report import Figure, Options, Report, spread
from pipeline.reader import PassageReader

#: passages read for one question
COUNTS = (5, 8)
#: what is read for a question is not read again for the same one
_QUESTION, _ANOTHER = "Who built it, and when was it finished?", "When was it finished, and who built it?"


def measure(options: Options) -> Report:
    """Read passages of the evaluation's set, each question with new ones, on one thread."""
    before = _memory_mb()
    reader = PassageReader()
    passages = cycle((passage.title, passage.text) for passage in real_set().passages)
    reader.read(_QUESTION, list(islice(passages, 1)))
    figures = [Figure(name="memory of the models", value=_memory_mb() - before, unit="MB")]
    for count in COUNTS:
        new: list[float] = []
        known: list[float] = []
        for _ in range(max(1, options.rounds // 10)):
            some = list(islice(passages, count))
            for question, seconds in ((_QUESTION, new), (_ANOTHER, known)):
                began = process_time()
                reader.read(question, some)
                seconds.append(process_time() - began)
        figures += [*spread(f"{count} new passages", new), *spread(f"{count} remembered passages", known)]
    figures.append(Figure(name="memory in all, with what is remembered", value=_memory_mb() - before, unit="MB"))
    words = [len(passage.text.split()) for passage in real_set().passages]
    return Report(
        title=f"reading: a question with passages of {sum(words) / len(words):.0f} words, one thread",
        figures=figures,
        notes=("processor time",),
    )


def _memory_mb() -> float:
    """Return the most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
