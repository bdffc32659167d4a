"""Read passages with a question: the encoder reads each once, and the reader's layers read it with each question.

The models are opened at the first reading. Judge and composer read the same passages, and other questions read them
again: what the encoder says of a passage is remembered, and what was read last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from pipeline.reader.reading import PassageReading
from text.encoder.reader import JointLayers
from text.encoder.runtime import Encoder, States, open_encoder

#: passages that are remembered, some 250 KB each
REMEMBERED: Final = 128
#: readings that are remembered: of the passes of one question
READINGS: Final = 48
_QUESTIONS: Final = 8


class Reader:
    """The reader; safe to use from several threads."""

    def __init__(self, *, threads: int = 1, remembered: int = REMEMBERED) -> None:
        self._threads = threads
        self._asked = lru_cache(maxsize=_QUESTIONS)(lambda question: self._encoder.ask(question))
        self._states = lru_cache(maxsize=remembered)(self._encode)
        self._reading = lru_cache(maxsize=READINGS)(self._read)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[PassageReading]:
        """Return the readings of ``passages``, each a title and a text, in their order."""
        return [self._reading(question, title, text) for title, text in passages]

    @cached_property
    def _encoder(self) -> Encoder:
        return open_encoder(self._threads)

    @cached_property
    def _joint(self) -> JointLayers:
        return JointLayers(threads=self._threads)

    def _read(self, question: str, title: str, text: str) -> PassageReading:
        asked, states = self._asked(question), self._states(title, text)
        logits = self._joint.read(asked, states)
        return PassageReading(text=text, question=asked.vector, states=states, logits=logits)

    def _encode(self, title: str, text: str) -> States:
        states = self._encoder.read(title, text)
        # half the memory; cosines agree to .001
        lower = [window.astype(np.float16) for window in states.lower]
        return States(states.spans, states.vectors.astype(np.float16), lower, states.lead)
