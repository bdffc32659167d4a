"""Read passages with a question: the encoder reads each once, and the reader's layers read it with each question.

The models are opened at the first reading. Judge and composer read the same passages, and other questions read them
again: what the encoder says of a passage is remembered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Final

import numpy as np

from pipeline.reader.reading import PassageReading
from text.encoder.reader import JointLayers
from text.encoder.runtime import Encoder, States

#: passages that are remembered, some 250 KB each
REMEMBERED: Final = 128


class Reader:
    """The reader; safe to use from several threads."""

    def __init__(self, *, threads: int = 1, remembered: int = REMEMBERED) -> None:
        self._threads, self._remembered = threads, remembered
        self._known: OrderedDict[tuple[str, str], States] = OrderedDict()
        self._lock = Lock()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[PassageReading]:
        """Return the readings of ``passages``, each a title and a text, in their order."""
        asked = self._encoder.ask(question)
        readings = []
        for title, text in passages:
            states = self._states(title, text)
            logits = self._joint.read(asked, states)
            readings.append(PassageReading(text=text, question=asked.vector, states=states, logits=logits))
        return readings

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(threads=self._threads)

    @cached_property
    def _joint(self) -> JointLayers:
        return JointLayers(threads=self._threads)

    def _states(self, title: str, text: str) -> States:
        key = (title, text)
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        states = self._encoder.read(title, text)
        # half the memory; cosines agree to .001
        lower = [window.astype(np.float16) for window in states.lower]
        states = States(states.spans, states.vectors.astype(np.float16), lower, states.lead)
        with self._lock:
            self._known[key] = states
            if len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return states
