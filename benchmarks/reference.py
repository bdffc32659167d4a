"""The least work of a search, in plain numpy: one matrix–vector product, and BM25 by added postings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from evals.knowledge.in_memory import Bm25Index
from evals.measure.stopwatch import seconds_of
from text.analyser import analyse


class Exact:
    """Every vector of a passages table in one float32 matrix."""

    def __init__(self, table: Any) -> None:
        rows = table.search().select(["id", "vector"]).limit(None).to_arrow().combine_chunks()
        self.ids: list[str] = rows["id"].to_pylist()
        self._rows = rows["vector"].combine_chunks().flatten().to_numpy().reshape(rows.num_rows, -1)

    def product_s(self, vector: NDArray[np.float32]) -> float:
        """Return the seconds of one product with the matrix, on one thread; nothing is ranked."""
        with threadpool_limits(1, user_api="blas"):
            return seconds_of(lambda: self._rows @ vector)

    def nearest(self, vector: NDArray[np.float32], k: int) -> list[str]:
        """Return the ids of the k nearest."""
        return [self.ids[at] for at in np.argsort(-(self._rows @ vector), kind="stable")[:k]]


class Postings:
    """BM25 by added postings, computed beforehand for the terms of some questions."""

    def __init__(self, table: Any, texts: Collection[str], lang: str) -> None:
        wanted = {term for text in texts for term in analyse(text, lang)}
        stored = table.search().select(["search_text"]).limit(None).to_arrow()["search_text"].to_pylist()
        passages = [text.split(" ") for text in stored]
        counts = [Counter(term for term in terms if term in wanted) for terms in passages]
        self._bm25, self._lang = Bm25Index(counts, [len(terms) for terms in passages]), lang

    def best_s(self, text: str, k: int) -> float:
        """Return the seconds to analyse a query, add up its scores and take the k best."""
        return seconds_of(lambda: np.argpartition(-self.scores(text), k)[:k])

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return every passage's score for a query, in the order of the table."""
        return self._bm25.scores(set(analyse(text, self._lang)))
