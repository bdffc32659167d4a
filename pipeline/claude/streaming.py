"""The answer while Claude writes it: told sentence by sentence, each complete and checked, never a raw piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from domain import Cost
from pipeline.claude.answer import Said, answer_from
from pipeline.claude.passages import Given
from pipeline.llm import Tell
from text.sentences import sentence_spans

#: an answer is told of so often at most; each time all of it is checked again
MAX_TOLD = 20


@dataclass(kw_only=True)
class Writing:
    """Hears what is said so far and tells of it whenever a supported sentence more is complete."""

    tell: Tell
    given: Sequence[Given]
    composer: str
    question: str
    lang: str
    _sentences: int = field(default=1, init=False)  # the last one is not complete before the next begins
    _told: list[str] = field(default_factory=list, init=False)

    def __call__(self, said: Sequence[Said]) -> None:
        """Hear the stretches that are whole, the citations of each known."""
        sentences = len(sentence_spans("".join(stretch.text for stretch in said)))
        if sentences <= self._sentences or len(self._told) == MAX_TOLD:
            return
        self._sentences = sentences
        answer = answer_from(
            said, self.given, composer=self.composer, cost=Cost(), end="not yet", question=self.question, lang=self.lang
        )
        if answer.text and answer.text not in self._told:
            self._told.append(answer.text)
            self.tell(answer)
