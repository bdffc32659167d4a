"""What was read in a passage's gloss, by places in the passage itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain import AnswerSpan, Reading
from text.gloss.gloss import Gloss, Span


@dataclass(frozen=True, eq=False)
class GlossedReading:
    """What was read in a passage's gloss, by places in the passage itself."""

    read: Reading
    gloss: Gloss

    @property
    def similarity(self) -> float:
        """The cosine of the question's gloss and the passage's."""
        return self.read.similarity

    @property
    def answers(self) -> float:
        """The logit that the passage answers the question."""
        return self.read.answers

    def evidence(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span of the passage the mean logit that its words are of what answers."""
        return self.read.evidence([self.gloss.place(span) for span in spans])

    def sentence_scores(self, spans: Sequence[Span]) -> list[float]:
        """Return for each character span the cosine of the question and the span in its context."""
        return self.read.sentence_scores([self.gloss.place(span) for span in spans])

    def short_answer(self) -> AnswerSpan | None:
        """Return None: which few words answer is not read off a gloss."""
        return None
