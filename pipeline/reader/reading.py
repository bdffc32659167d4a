"""What was read in one passage: how near the question it is, and its sentences are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from text.encoder.runtime import States


@dataclass(frozen=True, eq=False, kw_only=True)
class PassageReading:
    """A question's unit vector beside the states of a passage's tokens."""

    question: NDArray[np.float32]
    states: States

    @cached_property
    def similarity(self) -> float:
        """Return the cosine of the question and the whole passage; 0 where it has no text."""
        return self._cosine(0, len(self.states.spans))

    def sentence_scores(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return for each character span the cosine of the question and the span in its context; 0 for no text."""
        return [self._cosine(*self._tokens(span)) for span in spans]

    def _tokens(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the first token that is at least partly in a character span, and the one after the last."""
        start, end = span
        return (
            bisect_right(self.states.spans, start, key=lambda token: token[1]),
            bisect_left(self.states.spans, end, key=lambda token: token[0]),
        )

    def _cosine(self, first: int, last: int) -> float:
        if first >= last:
            return 0.0
        mean = self.states.vectors[first:last].mean(axis=0, dtype=np.float32)
        return float(mean @ self.question / (np.linalg.norm(mean) + 1e-9))
