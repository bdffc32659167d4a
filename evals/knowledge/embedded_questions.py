"""Questions of a set, embedded in one batch, to be asked of knowledge bases in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from domain import Hit, Scope
from evals.sets.beir import EvalQuestion, EvalSet
from pipeline.retrieval.retrieve import Embed, Observe, Ranking, Search, Vectors, retrieve


@dataclass(frozen=True, kw_only=True)
class EmbeddedQuestions:
    """A question of a set with its embedding."""

    question: EvalQuestion
    lang: str
    embedder_id: str
    row: Vectors  #: of the question, (dimension,)
    pool: Executor

    def find(
        self, text: str, base: Search, *, k: int, ranking: Ranking | None = None, observe: Observe | None = None
    ) -> tuple[Hit, ...]:
        """Return the k best hits of a knowledge base; the text leg looks for ``text``."""
        hits = retrieve(
            [text],
            self.row[None],
            search=base,
            pool=self.pool,
            k=k,
            scope=Scope(),
            lang=self.lang,
            embedder_id=self.embedder_id,
            ranking=ranking or Ranking(),
            observe=observe,
        )
        return tuple(hits)


def asked_of(each: EvalSet, questions: Sequence[EvalQuestion], embedder: Embed) -> Iterator[EmbeddedQuestions]:
    """Yield questions of the set, ready to be asked until the next one."""
    rows = embedder.embed([question.text for question in questions])
    with ThreadPoolExecutor(1) as pool:
        for question, row in zip(questions, rows, strict=True):
            yield EmbeddedQuestions(question=question, lang=each.lang, embedder_id=embedder.id, row=row, pool=pool)
