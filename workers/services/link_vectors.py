"""Compares the texts of links with a question in meaning, with the bundled models, whatever embeds the passages.

A paid or remote embedder is not asked: a page may have thousands of links. English uses the English model alone,
which is half as large and twice as fast as both.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import structlog

from store.embedders import EmbedderError, open_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawler.discovery.relevance import Similarity
    from store.embedders import Embedder

log = structlog.get_logger()

#: vectors that are remembered: each link once, for all waves and questions; about 12 MB
MOST_VECTORS: Final = 8_192


class LinkVectors:
    """The vectors of links' texts."""

    def __init__(self, *, threads: int = 1) -> None:
        self._open = lru_cache(maxsize=2)(lambda name: open_embedder(name, threads=threads))
        self._known: OrderedDict[tuple[str, str], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def similarity_to(self, question: str, lang: str) -> "Similarity | None":
        """Return the comparison with a question; None, and words alone rank, where no model is installed."""
        name = "minilm" if lang == "en" else "multilingual"
        try:
            embedder = self._open(name)
        except EmbedderError as error:
            log.warning("links_not_embedded", error=str(error))
            return None
        asked = embedder.embed([question])[0]
        return lambda texts: [float(vector @ asked) for vector in self._vectors(name, embedder, texts)]

    def _vectors(self, name: str, embedder: "Embedder", texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        with self._lock:
            known = {text: vector for text in texts if (vector := self._known.get((name, text))) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:  # copies: a row would keep its whole batch in memory
            known |= {text: vector.copy() for text, vector in zip(new, embedder.embed(new), strict=True)}
        with self._lock:
            for text in new:
                self._known[name, text] = known[text]
            while len(self._known) > MOST_VECTORS:
                self._known.popitem(last=False)
        return [known[text] for text in texts]
