"""Questions of a set, embedded in one batch, to ask of knowledge bases in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from domain import Hit, Scope
from evals.sets.beir import EvalQuestion, EvalSet
from pipeline.retrieval.retrieve import Embed, Observe, Ranking, Search, Vectors, retrieve


@dataclass(frozen=True, kw_only=True)
class EmbeddedQuestion:
    """A question of a set with its embedding."""

    question: EvalQuestion
    lang: str
    embedder_id: str
    row: Vectors  #: of the question, (dimension,)
    pool: Executor

    def find(
        self, text: str, base: Search, *, k: int, ranking: Ranking | None = None, observe: Observe | None = None
    ) -> tuple[Hit, ...]:
        """Return the k best hits of a knowledge base; the text leg searches for ``text``."""
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


def embed_questions(
    eval_set: EvalSet, questions: Sequence[EvalQuestion], embedder: Embed
) -> Iterator[EmbeddedQuestion]:
    """Yield the questions with their embeddings; each can be asked until the next one is taken."""
    rows = embedder.embed([question.text for question in questions])
    with ThreadPoolExecutor(1) as pool:
        for question, row in zip(questions, rows, strict=True):
            yield EmbeddedQuestion(question=question, lang=eval_set.lang, embedder_id=embedder.id, row=row, pool=pool)
