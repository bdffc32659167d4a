"""What was read in one passage: how near the question it is, whether it answers, and where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain import AnswerSpan
from text.encoder.reader import NOTHING, Logits
from text.encoder.runtime import States

#: of a short answer; the reader was trained on answers of a few words
MAX_ANSWER_TOKENS: Final = 30


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
