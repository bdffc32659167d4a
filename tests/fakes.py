"""Small in-memory stand-ins for what lives outside: a knowledge base to search, an embedder."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from domain import Hit, Passage, Scope
from pipeline.models.pace import Pace
from text.terms import analyse


def passage(text: str, *, page_id: int = 1, ord: int = 0, title: str = "", lang: str = "en", start: int = 0) -> Passage:
    return Passage(
        id=f"{page_id}-{ord}",
        page_id=page_id,
        ord=ord,
        url=f"https://example.org/{page_id}",
        title=title,
        lang=lang,
        text=text,
        start=start,
        end=start + len(text),
        content_hash=f"{zlib.crc32(text.encode()):08x}",
    )


class HashingEmbedder:
    """Embeds a text as the bag of its terms, each hashed to one of ``dimension`` places: equal words, near vectors."""

    id = "hashing"

    def __init__(self, dimension: int = 512) -> None:
        self.dimension = dimension
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(len(texts))
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in analyse(text, "en"):
                row[zlib.crc32(term.encode()) % self.dimension] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows


class MemorySearch:
    """Searches a list of passages: text by how many of the query's terms a passage holds, vectors exactly."""

    def __init__(self, passages: Sequence[Passage], embedder: HashingEmbedder) -> None:
        self.passages = list(passages)
        self._rows = embedder.embed([f"{item.title}\n{item.text}" for item in passages])

    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        wanted = set(analyse(text, lang))
        scores = [float(len(wanted & set(analyse(f"{p.title}\n{p.text}", lang)))) for p in self.passages]
        best = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:k]
        found = [(self.passages[at], scores[at]) for at in best if scores[at] > 0]
        return [
            Hit(passage=p, score=score, scale="bm25", rank=rank, bm25=score)
            for rank, (p, score) in enumerate(found, start=1)
        ]

    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope) -> list[list[Hit]]:
        return [self._nearest(row, k) for row in vectors]

    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        return {p.id: vectors @ row for p, row in zip(self.passages, self._rows, strict=True) if p.id in ids}

    def sentence_similarities(
        self, vector: NDArray[np.float32], ids: Collection[str]
    ) -> dict[str, NDArray[np.float32]]:
        return {}

    def _nearest(self, row: NDArray[np.float32], k: int) -> list[Hit]:
        if not self.passages:
            return []
        similarities = self._rows @ row
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


class Unpaced(Pace):
    """The pace of a test that asks as fast as it can; it counts the pauses that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float | None] = []

    def wait_s(self, model: str, tokens: int) -> float:
        return 0.0

    def slow_down(self, model: str, seconds: float | None, *, sent_s_ago: float = 0.0) -> None:
        self.pauses.append(seconds)

    def settle(self, reserved: int, used: int) -> None:
        """Count nothing."""
