"""Publish the answer while Claude writes it, sentence by sentence, each complete and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from domain import Cost
from pipeline.claude.answer import CitedText, answer_from
from pipeline.claude.passages import PassageBlocks
from pipeline.llm import OnAnswer
from text.sentences import sentence_spans

#: the most updates of one answer; each checks the whole answer again
MAX_UPDATES = 20


@dataclass(kw_only=True)
class AnswerStream:
    """Receives the reply so far and calls ``on_answer`` whenever a further supported sentence is complete."""

    on_answer: OnAnswer
    passages: Sequence[PassageBlocks]
    composer: str
    question: str
    lang: str
    _sentences: int = field(default=1, init=False)  # the last one is not complete before the next begins
    _published: list[str] = field(default_factory=list, init=False)

    def __call__(self, parts: Sequence[CitedText]) -> None:
        """Receive the complete parts, each with its citations."""
        sentences = len(sentence_spans("".join(part.text for part in parts)))
        if sentences <= self._sentences or len(self._published) == MAX_UPDATES:
            return
        self._sentences = sentences
        answer = answer_from(
            parts,
            self.passages,
            composer=self.composer,
            cost=Cost(),
            state="partial",
            question=self.question,
            lang=self.lang,
        )
        if answer.text and answer.text not in self._published:
            self._published.append(answer.text)
            self.on_answer(answer)
