"""Read passages with a question: the encoder reads each once, and the reader's layers read it with each question.

The models are opened at the first reading. Judge and composer read the same passages, and other questions read them
again: what the encoder says of a passage is remembered, and what was read last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain import AnswerSpan
from text.encoder.reader import NOTHING, JointLayers, Logits
from text.encoder.runtime import Encoder, States, open_encoder

#: passages that are remembered, some 250 KB each
REMEMBERED: Final = 128
#: readings that are remembered: of the passes of one question
READINGS: Final = 48
_QUESTIONS: Final = 8
#: of a short answer; the reader was trained on answers of a few words
MAX_ANSWER_TOKENS: Final = 30


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


@dataclass(frozen=True, eq=False, kw_only=True)
class PassageReading:
    """A question's unit vector beside the states of a passage's tokens, and the logits of both read together."""

    text: str
    question: NDArray[np.float32]
    states: States
    logits: Logits

    @property
    def answers(self) -> float:
        """Return the logit that the passage answers the question; -10 where it has no text."""
        return self.logits.answers

    @cached_property
    def similarity(self) -> float:
        """Return the cosine of the question and the whole passage; 0 where it has no text."""
        return self._cosine((0, len(self.states.spans)))

    def sentence_scores(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return for each character span the cosine of the question and the span in its context; 0 for no text.

        Judge and composer ask for the same spans: each is computed once.
        """
        return [self._remembered(span) for span in spans]

    def evidence(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return for each character span the mean logit that its tokens are of what answers; -10 for no text."""
        means = []
        for first, last in map(self._tokens, spans):
            means.append(float(self.logits.evidence[first:last].mean()) if first < last else NOTHING)
        return means

    def short_answer(self) -> AnswerSpan | None:
        """Return the best span of at most 30 tokens, widened to whole words; None where the passage has no text."""
        start, end = self.logits.start, self.logits.end
        count = len(start)
        found = []
        for longer in range(min(MAX_ANSWER_TOKENS, count)):
            margins = start[: count - longer] + end[longer:]
            first = int(margins.argmax())
            found.append((float(margins[first]), first, first + longer))
        if not found:
            return None
        margin, first, last = max(found, key=lambda each: each[0])
        return AnswerSpan(*self._whole_words(self.states.spans[first][0], self.states.spans[last][1]), margin)

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        while start and self.text[start - 1 : start + 1].isalnum():
            start -= 1
        while end < len(self.text) and self.text[end - 1 : end + 1].isalnum():
            end += 1
        return start, end

    def _tokens(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the first token that is at least partly in a character span, and the one after the last."""
        start, end = span
        return (
            bisect_right(self.states.spans, start, key=lambda token: token[1]),
            bisect_left(self.states.spans, end, key=lambda token: token[0]),
        )

    @cached_property
    def _remembered(self) -> Callable[[tuple[int, int]], float]:
        return cache(lambda span: self._cosine(self._tokens(span)))

    def _cosine(self, tokens: tuple[int, int]) -> float:
        first, last = tokens
        if first >= last:
            return 0.0
        mean = self.states.vectors[first:last].mean(axis=0, dtype=np.float32)
        return float(mean @ self.question / (np.linalg.norm(mean) + 1e-9))
