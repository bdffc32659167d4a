"""A knowledge base in memory, searched exactly, without an index, to measure and to fit; questions to ask it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from evals.sets.beir import EvalQuestion, EvalSet
from pipeline.retrieval.retrieve import Embed, Observe, Ranking, Search, ignore, retrieve
from store.embedders import SentenceEmbedder
from store.passages.schema import cosines_of, embedding_text, pack
from text.terms import analyse

Rows = NDArray[np.float32]
_K1, _B = 1.2, 0.75


class Bm25Index:
    """BM25 scores of texts, given as counted terms; each term's share of a score is computed once."""

    def __init__(self, counts: Sequence[Counter[str]], lengths: Sequence[int]) -> None:
        self._size = len(counts)
        mean = np.mean(lengths) if lengths else 1.0
        norms = _K1 * (1 - _B + _B * np.array(lengths, dtype=np.float64) / mean)
        found: dict[str, list[tuple[int, int]]] = {}
        for at, counter in enumerate(counts):
            for term, times in counter.items():
                found.setdefault(term, []).append((at, times))
        self._shares = {term: self._share(rows, norms) for term, rows in found.items()}

    def scores(self, terms: Iterable[str]) -> NDArray[np.float64]:
        """Return the score of every text for these terms."""
        scores = np.zeros(self._size)
        for term in terms:
            if term in self._shares:
                places, shares = self._shares[term]
                scores[places] += shares
        return scores

    def _share(
        self, rows: Sequence[tuple[int, int]], norms: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        places = np.array([place for place, _ in rows])
        times = np.array([times for _, times in rows], dtype=np.float64)
        idf = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
        return places, idf * times * (_K1 + 1) / (times + norms[places])


class MemoryKnowledge:
    """Passages with their unit rows (n, dimension); BM25 over title and text, cosine over the rows.

    ``sentences`` are the packed vectors of each passage's sentences (:mod:`store.passages.schema`).
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        rows: Rows,
        *,
        sentences: Sequence[bytes] = (),
        counts: Sequence[Counter[str]] | None = None,
    ) -> None:
        self.passages = tuple(passages)
        self.rows = rows
        self._sentences = list(sentences) or [b""] * len(passages)
        self._counts = counts or [Counter(analyse(f"{item.title}\n{item.text}", item.lang)) for item in passages]
        self._bm25 = Bm25Index(self._counts, [counter.total() for counter in self._counts])
        self._places = {item.id: at for at, item in enumerate(passages)}
        self._hidden: frozenset[int] = frozenset()
        self._without: dict[frozenset[str], MemoryKnowledge] = {}

    @classmethod
    def embedded(cls, passages: Sequence[Passage], embedder: Embed) -> MemoryKnowledge:
        """Return the knowledge base of ``passages``, embedded as they are when they are stored."""
        texts = [embedding_text(passage) for passage in passages]
        if isinstance(embedder, SentenceEmbedder):
            rows, sentences = embedder.embed_passages(texts)
            return cls(passages, rows, sentences=list(map(pack, sentences)))
        return cls(passages, embedder.embed(texts))

    def where(self, keep: Callable[[Passage], bool]) -> MemoryKnowledge:
        """Return the knowledge base of only the passages that ``keep`` selects, with its own term statistics."""
        chosen = [at for at, item in enumerate(self.passages) if keep(item)]
        counts = [self._counts[at] for at in chosen]
        sentences = [self._sentences[at] for at in chosen]
        return MemoryKnowledge(
            [self.passages[at] for at in chosen], self.rows[chosen], sentences=sentences, counts=counts
        )

    def without(self, titles: Collection[str]) -> MemoryKnowledge:
        """Return the knowledge base without the passages under these titles; made once for each choice of titles."""
        key = frozenset(titles)
        if key not in self._without:
            self._without[key] = self.where(lambda passage: passage.title not in key)
        return self._without[key]

    def hiding(self, ids: Collection[str]) -> MemoryKnowledge:
        """Return the same knowledge base in which these passages are never found; its term statistics stay."""
        other = copy(self)
        other._hidden = frozenset(self._places[id] for id in ids)
        return other

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        """Return the k best passages by BM25; a passage without any of the terms is no hit."""
        scores = self._bm25.scores(analyse(text, lang))
        return [
            Hit(passage=passage, score=score, scale="bm25", rank=rank, bm25=score)
            for rank, (passage, score) in enumerate(self._best(scores, k), start=1)
            if score > 0
        ]

    def search_vectors(self, vectors: Rows, *, k: int, scope: Scope) -> list[list[Hit]]:
        """Return the k nearest passages of each row."""
        return [
            [
                Hit(passage=passage, score=score, scale="similarity", rank=rank, similarity=score)
                for rank, (passage, score) in enumerate(self._best(similarities, k), start=1)
            ]
            for similarities in vectors @ self.rows.T
        ]

    def similarities(self, vectors: Rows, ids: Collection[str]) -> dict[str, Rows]:
        """Return the exact similarity of each named passage to each row of ``vectors``: {id: (n,)}."""
        return {id: vectors @ self.rows[self._places[id]] for id in ids if id in self._places}

    def sentence_similarities(self, vector: Rows, ids: Collection[str]) -> dict[str, Rows]:
        """Return for each named passage the cosines of ``vector`` and its sentences."""
        packed = {id: self._sentences[self._places[id]] for id in ids if id in self._places}
        return {id: cosines_of(vector, sentences) for id, sentences in packed.items() if sentences}

    def _best(self, scores: NDArray[np.floating[Any]], k: int) -> list[tuple[Passage, float]]:
        order = np.argsort(-scores, kind="stable")[: k + len(self._hidden)]
        return [(self.passages[at], float(scores[at])) for at in order if at not in self._hidden][:k]


@dataclass(frozen=True, kw_only=True)
class EmbeddedQuestion:
    """A question of a set with its embedding."""

    question: EvalQuestion
    lang: str
    embedder_id: str
    row: Rows  #: of the question, (dimension,)
    pool: Executor

    def find(
        self, text: str, base: Search, *, k: int, ranking: Ranking | None = None, observe: Observe = ignore
    ) -> tuple[Hit, ...]:
        """Return the k best hits of a knowledge base; the text leg searches for ``text``."""
        hits, _ = retrieve(
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
