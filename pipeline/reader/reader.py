"""Read passages with a question: the trained model behind onnxruntime, with a memory of what it has read.

The model is opened at the first reading. Judge, reranker and composer read the same passages: each is read once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.reader.layout import Window, windows_of
from pipeline.reader.reading import Reading
from text.encoder.runtime import WordVectors, open_session, open_tokenizer, word_vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL: Final = Path(__file__).parent / "reader.onnx"
#: readings that are remembered, some 5 KB each
REMEMBERED: Final = 512
#: far more than a passage; keeps one huge text from being read to its end
_MAX_CHARS: Final = 20_000
_OUTPUTS: Final = ("start", "end", "evidence", "answers", "relevance")


class Reader:
    """The reader; safe to use from several threads."""

    def __init__(self, model: Path = MODEL, *, threads: int = 1) -> None:
        self._model, self._threads = model, threads
        self._known: OrderedDict[tuple[str, str, str], Reading] = OrderedDict()
        self._lock = Lock()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """Return the readings of ``passages``, each a title and a text, in their order."""
        return [self._read(question, title, text) for title, text in passages]

    @cached_property
    def _session(self) -> InferenceSession:
        return open_session(self._model, self._threads)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return open_tokenizer()

    @cached_property
    def _words(self) -> WordVectors:
        return word_vectors()

    def _read(self, question: str, title: str, text: str) -> Reading:
        key = (question, title, text)
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        reading = self._run(question, title, text)
        with self._lock:
            self._known[key] = reading
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return reading

    def _run(self, question: str, title: str, text: str) -> Reading:
        passage = self._tokenized(text)
        offsets = np.array(passage.offsets, dtype=np.int32).reshape(-1, 2)
        start, end, evidence = (np.full(len(offsets), -np.inf, dtype=np.float32) for _ in range(3))
        depth = np.full(len(offsets), -1)
        answers = relevance = -np.inf
        for window in windows_of(self._tokenized(question).ids, self._tokenized(title).ids, passage.ids):
            out = self._logits(window)
            # Where windows overlap, a token counts in the one that shows more of what is around it.
            mine = np.minimum(np.arange(window.count), np.arange(window.count)[::-1])
            here = slice(window.first, window.first + window.count)
            deeper = mine > depth[here]
            depth[here] = np.where(deeper, mine, depth[here])
            for values, name in ((start, "start"), (end, "end"), (evidence, "evidence")):
                tokens = out[name][0, window.base : window.base + window.count]
                nothing = 0.0 if name == "evidence" else out[name][0, 0]
                values[here] = np.where(deeper, tokens - nothing, values[here])
            answers, relevance = max(answers, float(out["answers"][0])), max(relevance, float(out["relevance"][0]))
        return Reading(answers=answers, relevance=relevance, offsets=offsets, start=start, end=end, evidence=evidence)

    def _tokenized(self, text: str) -> Any:
        whole = text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(whole, add_special_tokens=False)

    def _logits(self, window: Window) -> dict[str, NDArray[np.float32]]:
        # One window a run: int8 activations share one scale a run, so in a batch a passage's scores would depend on
        # its neighbours.
        inputs = {
            "words": self._words.of(window.ids)[np.newaxis],
            "segments": np.array([window.segments], dtype=np.int64),
            "mask": np.ones((1, len(window.ids)), dtype=np.int64),
        }
        return dict(zip(_OUTPUTS, self._session.run(list(_OUTPUTS), inputs), strict=True))
