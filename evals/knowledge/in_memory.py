"""A knowledge base in memory, searched exactly: retrieval without an index, for measuring and fitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from text.analyser import analyse

Rows = NDArray[np.float32]
_K1, _B = 1.2, 0.75


class MemoryKnowledge:
    """Passages with their unit rows (n, dimension); BM25 over title and text, cosine over the rows."""

    def __init__(self, passages: Sequence[Passage], rows: Rows) -> None:
        self.passages = tuple(passages)
        self.rows = rows
        self._counts = [Counter(analyse(f"{item.title}\n{item.text}", item.lang)) for item in passages]
        self._index()

    def where(self, keep: Callable[[Passage], bool]) -> MemoryKnowledge:
        """Return the knowledge base of only the passages that ``keep`` holds for, with its own term statistics."""
        chosen = [at for at, item in enumerate(self.passages) if keep(item)]
        part = object.__new__(MemoryKnowledge)
        part.passages = tuple(self.passages[at] for at in chosen)
        part.rows = self.rows[chosen]
        part._counts = [self._counts[at] for at in chosen]
        part._index()
        return part

    def without(self, titles: Collection[str]) -> MemoryKnowledge:
        """Return the knowledge base without the passages under these titles; made once for each choice of titles."""
        key = frozenset(titles)
        if key not in self._without:
            self._without[key] = self.where(lambda passage: passage.title not in key)
        return self._without[key]

    def hiding(self, ids: Collection[str]) -> Hiding:
        """Return the same knowledge base in which these passages are never found; its term statistics stay."""
        return Hiding(everything=self, ids=frozenset(ids))

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        """Return the k best passages by BM25; a passage without any of the terms is no hit."""
        scores = np.zeros(len(self.passages))
        for term in analyse(text, lang):
            places, weights = self._postings.get(term, (None, None))
            if places is not None and weights is not None:
                scores[places] += weights
        best = np.argsort(-scores, kind="stable")[:k]
        return [
            Hit(passage=self.passages[at], score=score, scale="bm25", rank=rank, bm25=score)
            for rank, at in enumerate(best, start=1)
            if (score := float(scores[at])) > 0
        ]

    def search_vectors(self, vectors: Rows, *, k: int, scope: Scope) -> list[list[Hit]]:
        """Return the k nearest passages of each row."""
        return [self._nearest(similarities, k) for similarities in vectors @ self.rows.T]

    def similarities(self, vectors: Rows, ids: Collection[str]) -> dict[str, Rows]:
        """Return the exact similarity of each named passage to each row of ``vectors``: {id: (n,)}."""
        return {id: vectors @ self.rows[self._places[id]] for id in ids if id in self._places}

    def _nearest(self, similarities: Rows, k: int) -> list[Hit]:
        best = np.argsort(-similarities, kind="stable")[:k]
        return [
            Hit(
                passage=self.passages[at],
                score=float(similarities[at]),
                scale="similarity",
                rank=rank,
                similarity=float(similarities[at]),
            )
            for rank, at in enumerate(best, start=1)
        ]

    def _index(self) -> None:
        """Weigh each term of each passage by BM25, once."""
        self._without: dict[frozenset[str], MemoryKnowledge] = {}
        self._places = {item.id: at for at, item in enumerate(self.passages)}
        count = len(self._counts)
        lengths = np.array([sum(counter.values()) for counter in self._counts], dtype=np.float64)
        mean = lengths.mean() if count else 1.0
        found: dict[str, list[tuple[int, int]]] = {}
        for at, counter in enumerate(self._counts):
            for term, times in counter.items():
                found.setdefault(term, []).append((at, times))
        self._postings: dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]] = {}
        for term, places in found.items():
            rows = np.array([place for place, _ in places])
            seen = np.array([times for _, times in places], dtype=np.float64)
            idf = np.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5))
            norm = _K1 * (1 - _B + _B * lengths[rows] / mean)
            self._postings[term] = (rows, idf * seen * (_K1 + 1) / (seen + norm))


@dataclass(frozen=True, kw_only=True)
class Hiding:
    """A knowledge base in which some passages are never found."""

    everything: MemoryKnowledge
    ids: frozenset[str]

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        """Return the k best of the other passages by BM25."""
        return self._shown(self.everything.search_text(text, lang=lang, k=k + len(self.ids), scope=scope), k)

    def search_vectors(self, vectors: Rows, *, k: int, scope: Scope) -> list[list[Hit]]:
        """Return the k nearest of the other passages to each row of ``vectors``."""
        found = self.everything.search_vectors(vectors, k=k + len(self.ids), scope=scope)
        return [self._shown(hits, k) for hits in found]

    def similarities(self, vectors: Rows, ids: Collection[str]) -> dict[str, Rows]:
        """Return the exact similarity of each named passage to each row of ``vectors``: {id: (n,)}."""
        return self.everything.similarities(vectors, ids)

    def _shown(self, hits: list[Hit], k: int) -> list[Hit]:
        shown = [hit for hit in hits if hit.passage.id not in self.ids][:k]
        return [replace(hit, rank=rank) for rank, hit in enumerate(shown, start=1)]
