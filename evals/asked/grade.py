"""What a question got, and whether that is right; where it is not, what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from api.operations.bench import plain
from domain import Citation, Cost, Sentence
from domain.answer import short_answer
from domain.outcome import Outcome
from domain.record import ContextHit
from evals.asked.questions import Question, QuestionSet, page_of
from evals.measure.answers import of_first_quote

Grade = Literal["right", "wrong", "abstained"]

#: an answer is called sure from here
SURE = 0.8
#: passages that are looked at for the gold text
FIRST_HITS = 8
#: what went wrong, the first that holds
FAILURES = {
    "page_not_found": "no gold page among the first eight passages",
    "passage_not_found": "a gold page, but no passage with the gold text among the first eight",
    "withheld_though_right": "the passage is there and the sentence was right, but it was withheld",
    "abstained_wrong_sentence": "the passage is there; abstained, and the sentence was wrong",
    "abstained_though_there": "the passage is there; abstained (over HTTP the withheld sentence is not known)",
    "wrong_sentence": "the passage is there; answered with another sentence",
    "answered_unanswerable": "nothing answers it, and it was answered",
    "no_answer": "it failed, was refused or timed out",
}


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage that an answer was made from."""

    page: str  #: "site:path"
    text: str


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a question got: enough to grade it, and to grade it again."""

    id: str  #: of the question
    status: str
    ended_as: Outcome | None = None
    answer: str = ""  #: without its markers
    first: str = ""  #: its first sentence
    short: str | None = None
    withheld: str | None = None  #: the answer that was not given; None: not known
    confidence: float = 0.0
    reason: str = ""
    cited: tuple[str, ...] = ()  #: "site:path"
    context: tuple[Passage, ...] = ()
    pages_read: int = 0
    seconds: float = 0.0
    composer: str = ""
    notice: str = ""
    tokens: int = 0  #: that a model read and wrote
    usd: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Graded:
    """A question with what it got and what that is worth."""

    question: Question
    reply: Reply
    outcome: Grade
    first_is_right: bool  #: the first sentence alone
    shown_is_right: bool | None  #: the answer, or what was withheld; None: that is not known
    gold_rank: int | None  #: of the first passage of a gold page
    gold_in_context: bool  #: whether the gold text is in the passages
    failure: str | None  #: one of FAILURES

    @property
    def is_sure_and_wrong(self) -> bool:
        """Return whether a wrong answer was called sure."""
        return self.outcome == "wrong" and self.reply.confidence >= SURE


def make_reply(
    question: Question,
    addresses: dict[str, str],
    *,
    status: str,
    ended_as: Outcome | None,
    text: str,
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    context: Sequence[ContextHit],
    confidence: float,
    reason: str,
    seconds: float,
    withheld: str | None = None,
    pages_read: int = 0,
    composer: str = "",
    notice: str = "",
    cost: Cost | None = None,
) -> Reply:
    """Keep what grading needs of a record, or of its parts."""
    return Reply(
        id=question.id,
        status=status,
        ended_as=ended_as,
        answer=plain(text),
        first=plain(of_first_quote(sentences) or text),
        short=short_answer(sentences),
        withheld=withheld if withheld is None else plain(withheld),
        confidence=confidence,
        reason=reason,
        cited=tuple(page_of(citation.url, addresses) for citation in citations),
        context=tuple(Passage(page=page_of(hit.url, addresses), text=plain(hit.text)) for hit in context[:FIRST_HITS]),
        pages_read=pages_read,
        seconds=round(seconds, 2),
        composer=composer,
        notice=notice,
        tokens=cost.input_tokens + cost.output_tokens if cost else 0,
        usd=cost.usd if cost else 0.0,
    )


def grade(question: Question, reply: Reply, of: QuestionSet) -> Graded:
    """Grade what a question got."""
    ranks = [rank for rank, hit in enumerate(reply.context, start=1) if of.is_gold(hit.page, question)]
    in_context = is_right(question.gold, " ".join(hit.text for hit in reply.context))
    outcome = _outcome(question, reply)
    return Graded(
        question=question,
        reply=reply,
        outcome=outcome,
        first_is_right=outcome == "right" and bool(question.gold) and is_right(question.golds, reply.first),
        shown_is_right=_shown_is_right(question, reply),
        gold_rank=min(ranks, default=None),
        gold_in_context=in_context,
        failure=None if outcome == "right" else _failure(question, reply, bool(ranks), in_context),
    )


def grade_all(replies: Sequence[Reply], of: QuestionSet) -> list[Graded]:
    """Grade the replies to questions that the set still holds."""
    by_id: Mapping[str, Question] = {question.id: question for question in of.questions}
    return [grade(by_id[reply.id], reply, of) for reply in replies if reply.id in by_id]


def is_right(gold: Sequence[str], text: str) -> bool:
    """Return whether a gold pattern matches a text."""
    return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in gold)


def _outcome(question: Question, reply: Reply) -> Grade:
    """Return whether a reply is right; one that is unsure by its first quote."""
    answered = reply.status == "ANSWERED"
    if not question.gold:
        return "wrong" if answered else "right"
    if not answered:
        return "abstained"
    said = reply.first if reply.ended_as == "unsure" else reply.answer
    return "right" if is_right(question.golds, said) else "wrong"


def _shown_is_right(question: Question, reply: Reply) -> bool | None:
    shown = reply.answer if reply.status == "ANSWERED" else reply.withheld
    return None if shown is None else is_right(question.golds, shown)


def _failure(question: Question, reply: Reply, page_found: bool, in_context: bool) -> str:
    if reply.status not in {"ANSWERED", "ABSTAINED"}:
        return "no_answer"
    if not question.gold:
        return "answered_unanswerable"
    if not in_context:
        return "passage_not_found" if page_found else "page_not_found"
    if reply.status == "ANSWERED":
        return "wrong_sentence"
    if reply.withheld is None:
        return "abstained_though_there"
    return "withheld_though_right" if is_right(question.golds, reply.withheld) else "abstained_wrong_sentence"
