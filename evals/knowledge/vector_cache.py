"""An embedder with a file of the vectors it made: a corpus measured twice is embedded once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from store.embedders import Embedder

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, text TEXT, vector BLOB, PRIMARY KEY (embedder, text))"
_STORED = "SELECT text, vector FROM vectors WHERE embedder = ? AND text IN (SELECT value FROM json_each(?))"


class CachedEmbedder:
    """Embeds a text only once; the file's keys are the embedder's id and dimension and the text's hash."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "vectors.db"
        self.id = embedder.id
        self.dimension = embedder.dimension
        self._space = f"{self.id}/{self.dimension}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, one unit row each; only the new ones are made."""
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest() for text in texts]
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            database.execute(_TABLE)
            rows = database.execute(_STORED, (self._space, json.dumps(keys)))
            stored = {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in stored}
        made = dict(zip(new, self._embedder.embed(list(new.values())), strict=True))
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            new_rows = [(self._space, key, vector.astype(np.float32).tobytes()) for key, vector in made.items()]
            database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", new_rows)
        vectors = stored | made
        return np.array([vectors[key] for key in keys], dtype=np.float32).reshape(len(keys), self.dimension)
