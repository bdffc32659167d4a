"""Read passages with a question: one run of the encoder each, and a memory of what it has read.

The encoder is opened at the first reading. Judge and composer read the same passages, and other questions read them
again: each is read once while it is remembered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Final

import numpy as np

from pipeline.reader.reading import PassageReading
from text.encoder.runtime import Encoder, States

#: passages that are remembered, some 150 KB each
REMEMBERED: Final = 128


class Reader:
    """The reader; safe to use from several threads."""

    def __init__(self, *, threads: int = 1, remembered: int = REMEMBERED) -> None:
        self._threads, self._remembered = threads, remembered
        self._known: OrderedDict[tuple[str, str], States] = OrderedDict()
        self._lock = Lock()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[PassageReading]:
        """Return the readings of ``passages``, each a title and a text, in their order."""
        vector = self._encoder.vector(question)
        return [PassageReading(question=vector, states=self._states(title, text)) for title, text in passages]

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(threads=self._threads)

    def _states(self, title: str, text: str) -> States:
        key = (title, text)
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        states = self._encoder.read(title, text)
        states = States(states.spans, states.vectors.astype(np.float16))  # half the memory; cosines agree to .001
        with self._lock:
            self._known[key] = states
            if len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return states
