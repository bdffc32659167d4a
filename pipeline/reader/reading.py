"""What the reader says of one passage: whether it answers, where, and by which sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]
Span = tuple[int, int]

#: the most tokens of a short answer
SPAN_TOKENS: Final = 30
#: the evidence of a span that holds no token
NO_EVIDENCE: Final = -10.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """The logits of one passage; those of tokens in the order of the passage's text."""

    answers: float  #: log-odds that the passage answers the question
    relevance: float  #: for ordering passages; higher is better
    offsets: NDArray[np.int32]  #: (tokens, 2): where each token is in the passage's text
    start: Logits  #: that the short answer begins at a token, above that there is none
    end: Logits  #: that it ends there, above that there is none
    evidence: Logits  #: that a token is in a sentence that answers

    def sentence_scores(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span the log-odds that it answers: the mean of its tokens' evidence."""
        return [self._evidence(*self._tokens(span)) for span in spans]

    def best_span(self, within: Span | None = None, *, max_tokens: int = SPAN_TOKENS) -> tuple[int, int, float] | None:
        """Return the characters of the likeliest short answer and its score: log-odds above "no answer".

        None when no token lies in ``within``.
        """
        first, last = self._tokens(within) if within is not None else (0, len(self.offsets))
        if first >= last:
            return None
        sums = self.start[first:last, np.newaxis] + self.end[np.newaxis, first:last]
        places = np.arange(last - first)
        length = places[np.newaxis] - places[:, np.newaxis]
        sums = np.where((length >= 0) & (length < max_tokens), sums, -np.inf)
        begins, ends = np.unravel_index(int(sums.argmax()), sums.shape)
        return (
            int(self.offsets[first + begins, 0]),
            int(self.offsets[first + ends, 1]),
            float(sums[begins, ends]),
        )

    def _tokens(self, span: Span) -> tuple[int, int]:
        """Return the first token that is at least partly in a character span, and the one after the last."""
        start, end = span
        first = int(np.searchsorted(self.offsets[:, 1], start, side="right"))
        last = int(np.searchsorted(self.offsets[:, 0], end, side="left"))
        return first, last

    def _evidence(self, first: int, last: int) -> float:
        return float(self.evidence[first:last].mean()) if first < last else NO_EVIDENCE
