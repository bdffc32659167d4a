"""A few passages, and a small embedder for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from domain import Passage, Scope
from store.passages.table import Passages

READ = datetime(2026, 5, 1, 12, tzinfo=UTC)


def passage(page_id: int, ord: int, text: str, *, title: str = "", lang: str = "en", url: str = "") -> Passage:
    return Passage(
        id=f"{page_id}-{ord}",
        page_id=page_id,
        ord=ord,
        url=url or f"https://site.example/{page_id}",
        title=title,
        lang=lang,
        text=text,
        start=0,
        end=len(text),
        content_hash=f"{title}|{text}",
        read_at=READ,
    )


def page(page_id: int, text: str, *, passages: int) -> list[Passage]:
    return [passage(page_id, ord, f"{text} part {ord} of {passages}") for ord in range(passages)]


def vectors_of(
    pages: Mapping[int, Sequence[Passage]], random: np.random.Generator, dimension: int = 4
) -> dict[str, NDArray[np.float32]]:
    hashes = [p.content_hash for passages in pages.values() for p in passages]
    rows = random.standard_normal((len(hashes), dimension)).astype(np.float32)
    return dict(zip(hashes, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))


class Letters:
    """A small embedder of counts of letters; remembers what it was asked to embed."""

    def __init__(self, id: str = "test", letters: str = "abcd") -> None:
        self.id = id
        self.dimension = len(letters)
        self.asked: list[str] = []
        self._letters = letters

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        counts = np.array([[text.count(letter) + 0.1 for letter in self._letters] for text in texts], dtype=np.float32)
        counts = counts.reshape(len(texts), self.dimension)
        unit: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit


LIBRARY = {
    1: [passage(1, 0, "aa The Straße in C++"), passage(1, 1, "bb running houses")],
    2: [passage(2, 0, "cc Häuser an der STRASSE", lang="de")],
    3: [passage(3, 0, "dd 北京大学是一所大学", lang="zh", url="https://other.example/it's/100%_x")],
}


def found(table: Passages, text: str, lang: str = "en", scope: Scope | None = None) -> list[str]:
    return [hit.passage.id for hit in table.search_text(text, lang=lang, k=10, scope=scope or Scope())]


def batches(embedded: Mapping[int, Sequence[Passage]]) -> Iterator[Mapping[int, Sequence[Passage]]]:
    for number, passages in embedded.items():
        yield {number: passages}
