"""An embedder with a file of the vectors it made: a corpus measured twice is embedded once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.retrieval.retrieve import MultilingualEmbed
from store.embedders import Embedder, SentenceEmbedder
from store.passages.schema import NUMBERS

_TABLE = """CREATE TABLE IF NOT EXISTS embedded
            (embedder TEXT, text TEXT, vector BLOB, sentences BLOB, PRIMARY KEY (embedder, text))"""
_STORED = "SELECT text, vector, sentences FROM embedded WHERE embedder = ? AND text IN (SELECT value FROM json_each(?))"

Rows = NDArray[np.float32]
#: a text's vector and its sentences' (sentences, 384); None: not made
_Embedded = tuple[Rows, Rows | None]


class CachedEmbedder:
    """Embeds a text only once; the file's keys are the embedder's id and dimension and the text's hash."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "vectors.db"
        self.id = embedder.id
        self.dimension = embedder.dimension
        self._space = f"{self.id}/{self.dimension}"
        if isinstance(embedder, MultilingualEmbed):
            self.embed_in_any_language = embedder.embed_in_any_language

    def embed(self, texts: Sequence[str]) -> Rows:
        """Return the vectors of ``texts``, one unit row each; only the new ones are made."""
        made = self._kept(texts, lambda new: [(vector, None) for vector in self._embedder.embed(new)], whole=False)
        return self._rows(made)

    def embed_passages(self, texts: Sequence[str]) -> tuple[Rows, list[Rows]]:
        """Return the vectors of ``texts`` and of their sentences: none where the embedder does not tell them apart."""
        made = self._kept(texts, self._with_sentences, whole=True)
        return self._rows(made), [sentences for _, sentences in made if sentences is not None]

    def _with_sentences(self, texts: Sequence[str]) -> list[_Embedded]:
        if isinstance(self._embedder, SentenceEmbedder):
            return list(zip(*self._embedder.embed_passages(texts), strict=True))
        return [(vector, np.empty((0, NUMBERS), dtype=np.float32)) for vector in self._embedder.embed(texts)]

    def _kept(
        self, texts: Sequence[str], make: Callable[[list[str]], list[_Embedded]], *, whole: bool
    ) -> list[_Embedded]:
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest() for text in texts]
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            database.execute(_TABLE)
            rows = database.execute(_STORED, (self._space, json.dumps(keys)))
            stored = {key: (np.frombuffer(vector, dtype=np.float32), _sentences(kept)) for key, vector, kept in rows}
        known = {key: each for key, each in stored.items() if not whole or each[1] is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(new, make(list(new.values())), strict=True)) if new else {}
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            added = [(self._space, key, _bytes(vector), _bytes(sentences)) for key, (vector, sentences) in made.items()]
            database.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?, ?, ?)", added)
        both = known | made
        return [both[key] for key in keys]

    def _rows(self, made: Sequence[_Embedded]) -> Rows:
        return np.array([vector for vector, _ in made], dtype=np.float32).reshape(len(made), self.dimension)


def _bytes(rows: Rows | None) -> bytes | None:
    return None if rows is None else rows.astype(np.float32).tobytes()


def _sentences(stored: bytes | None) -> Rows | None:
    return None if stored is None else np.frombuffer(stored, dtype=np.float32).reshape(-1, NUMBERS)
