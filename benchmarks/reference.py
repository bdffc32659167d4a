"""The least that a search must do, as plain numpy: one matrix–vector product, and bm25 by added postings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from text.analyser import analyse

_K1, _B = 1.2, 0.75


class Exact:
    """Every vector of a passages table in one float32 matrix."""

    def __init__(self, table: Any) -> None:
        found = table.search().select(["id", "vector"]).limit(None).to_arrow().combine_chunks()
        self.ids: list[str] = found["id"].to_pylist()
        self._rows = found["vector"].combine_chunks().flatten().to_numpy().reshape(found.num_rows, -1)

    def product_s(self, vector: NDArray[np.float32]) -> float:
        """Return the seconds of one product with the matrix, on one thread; nothing is ranked."""
        with threadpool_limits(1, user_api="blas"):
            started = time.perf_counter()
            self._rows @ vector
            return time.perf_counter() - started

    def nearest(self, vector: NDArray[np.float32], k: int) -> list[str]:
        """Return the ids of the k nearest."""
        return [self.ids[at] for at in np.argsort(-(self._rows @ vector), kind="stable")[:k]]


class Postings:
    """Of a passages table, what bm25 adds up for the terms of some questions, computed before they are asked."""

    def __init__(self, table: Any, texts: Collection[str], lang: str) -> None:
        wanted = {term for text in texts for term in analyse(text, lang)}
        stored = table.search().select(["search_text"]).limit(None).to_arrow()["search_text"].to_pylist()
        lengths = np.empty(len(stored))
        found: dict[str, list[tuple[int, int]]] = {term: [] for term in wanted}
        for at, terms in enumerate(text.split(" ") for text in stored):
            lengths[at] = len(terms)
            for term, times in Counter(term for term in terms if term in wanted).items():
                found[term].append((at, times))
        self._count, self._lang = len(stored), lang
        self._added = {term: self._weighed(rows, lengths) for term, rows in found.items() if rows}

    def best_s(self, text: str, k: int) -> float:
        """Return the seconds to analyse a query, add up its scores and take the k best."""
        started = time.perf_counter()
        np.argpartition(-self.scores(text), k)[:k]
        return time.perf_counter() - started

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return every passage's bm25 for a query, in the order of the table."""
        scores = np.zeros(self._count)
        for term in set(analyse(text, self._lang)):
            if term in self._added:
                places, weights = self._added[term]
                scores[places] += weights
        return scores

    def _weighed(
        self, rows: Sequence[tuple[int, int]], lengths: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        places = np.array([place for place, _ in rows])
        times = np.array([times for _, times in rows], dtype=np.float64)
        idf = np.log(1 + (self._count - len(rows) + 0.5) / (len(rows) + 0.5))
        return places, idf * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * lengths[places] / lengths.mean()))
