"""Read passages with a question.

The model is opened at the first reading. Judge and composer read the same passages: what was read last is remembered.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import structlog

from domain import AnswerSpan
from text.encoder.runtime import NOTHING, JointLayers, Logits, ModelFileBroken

log = structlog.get_logger()

#: readings that are remembered: of the passes of one question
REMEMBERED: Final = 48
#: of a short answer; the reader was trained on answers of a few words
MAX_ANSWER_TOKENS: Final = 30
#: what it loses for each token after the first: of 180 answers to XQuAD .48 are exact (.46 without), of 120 to SQuAD 2
#: .55 (.54)
_LONGER: Final = 0.1


class PassageReader:
    """The reader; safe to use from several threads."""

    def __init__(self, *, threads: int = 1, remembered: int = REMEMBERED) -> None:
        self._threads = threads
        self._reading = lru_cache(maxsize=remembered)(self._read)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> "list[PassageReading] | None":
        """Return the readings of ``passages``, each a title and a text; None if the model's file is broken."""
        if self._joint is None:
            return None
        return [self._reading(question, title, text) for title, text in passages]

    @cached_property
    def _joint(self) -> JointLayers | None:
        try:
            return JointLayers(threads=self._threads)
        except ModelFileBroken as error:  # answers are worse without the reader, and better than none
            log.error("reader_unavailable", error=str(error))
            return None

    def _read(self, question: str, title: str, text: str) -> "PassageReading":
        assert self._joint is not None
        return PassageReading(text=text, logits=self._joint.read(question, title, text))


@dataclass(frozen=True, eq=False, kw_only=True)
class PassageReading:
    """What a question and a passage's tokens give, read together."""

    text: str
    logits: Logits

    @property
    def answers(self) -> float:
        """Return the logit that the passage answers the question; -10 where it has no text."""
        return self.logits.answers

    def evidence(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return for each character span the mean logit that its tokens are of what answers; -10 for no text."""
        means = []
        for first, last in map(self._tokens, spans):
            means.append(float(self.logits.evidence[first:last].mean()) if first < last else NOTHING)
        return means

    def short_answer(self) -> AnswerSpan | None:
        """Return the best span of at most 30 tokens, widened to whole words; None where the passage has no text."""
        return self._short

    @cached_property
    def _short(self) -> AnswerSpan | None:
        start, end = self.logits.start, self.logits.end
        count = len(start)
        found = []
        for longer in range(min(MAX_ANSWER_TOKENS, count)):
            margins = start[: count - longer] + end[longer:] - _LONGER * longer
            first = int(margins.argmax())
            found.append((float(margins[first]), first, first + longer))
        if not found:
            return None
        margin, first, last = max(found, key=lambda each: each[0])
        return AnswerSpan(*self._whole_words(self.logits.spans[first][0], self.logits.spans[last][1]), margin)

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
            bisect_right(self.logits.spans, start, key=lambda token: token[1]),
            bisect_left(self.logits.spans, end, key=lambda token: token[0]),
        )
