"""The cases that the judge is fitted and measured on: a question asked in one knowledge base, answered there or not.

A knowledge base can be on a question's subject and still lack the answer. So a question is asked with everything in;
with all passages under its titles out; with only the passages out that answer it, while others on the subject stay;
and the same in knowledge bases of a few passages, as they are early in a crawl.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from domain import Hit, Passage
from evals.knowledge.in_memory import EmbeddedQuestion, MemoryKnowledge, embed_questions
from evals.sets.beir import EvalQuestion, EvalSet, is_for_fitting
from pipeline.answering.compose import compose
from pipeline.judging.calibration import Features, features_of
from pipeline.judging.evidence import Evidence, gather
from pipeline.judging.reading import best_first
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import PassageReader
from pipeline.retrieval.retrieve import Embed, Search

#: all: everything in. title-out: nothing on the subject. passage-out: the subject in, the answer out.
#: tiny: a few passages with the answer. tiny-off, tiny-on: a few passages without, off or on the subject.
#: unanswerable: everything in, and nothing answers. shown-right, shown-wrong: a question as it was asked, and so was
#: what the composer would show.
Condition = Literal[
    "all", "title-out", "passage-out", "tiny", "tiny-off", "tiny-on", "unanswerable", "shown-right", "shown-wrong"
]
ANSWERED: frozenset[Condition] = frozenset({"all", "tiny", "shown-right"})

#: as `training` takes them from squad2; XQuAD's English paragraphs are squad2's
LEARNED = frozenset({"French and Indian War", "Immune system", "Steam engine"})
_K = 10
#: hits that are searched for an answer in another passage
_READ = 5


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question asked in one knowledge base."""

    set: str
    lang: str
    condition: Condition
    fitted: bool  #: used to fit, else to report
    analysis: Analysis
    answers: tuple[str, ...]
    hits: tuple[Hit, ...]

    @property
    def answered(self) -> bool:
        """Return whether the knowledge base holds the answer."""
        return self.condition in ANSWERED

    @cached_property
    def shows_answer(self) -> bool:
        """Whether what the composer would quote holds an answer."""
        if self.condition == "shown-right" or not self.answered:
            return self.answered
        answer = compose(self._gathered, confidence=1.0)
        quotes = " ".join(citation.quote for citation in answer.citations).casefold() if answer else ""
        return any(text.casefold() in quotes for text in self.answers)

    @cached_property
    def features(self) -> Features | None:
        """The judge's input; None without hits or terms."""
        return features_of(self._gathered)

    @cached_property
    def _gathered(self) -> Evidence:
        return gather(self.analysis, self.hits)


def cases_of(eval_set: EvalSet, embedder: Embed, at_most: int, *, translates: bool = True) -> Iterator[Case]:
    """Yield up to ``at_most`` questions of the set, each in every condition.

    Without ``translates`` other languages than English are not read.
    """
    chance = random.Random(20)  # noqa: S311 - a sample, not a secret
    reader = PassageReader(remembered=len(eval_set.passages))
    everything = MemoryKnowledge.embedded(eval_set.passages, embedder)
    asked = [question for question in eval_set.questions if not _learned(eval_set, question)]
    sample = chance.sample(asked, min(at_most, len(asked)))
    for question in embed_questions(eval_set, sample, embedder):
        yield from _of_question(eval_set, everything, question, chance, reader, embedder, translates=translates)


def _learned(eval_set: EvalSet, question: EvalQuestion) -> bool:
    """Return whether the reader learned from the question: its evidence would be too good."""
    return eval_set.lang == "en" and any(eval_set.passages[at].title in LEARNED for at in question.gold)


def _of_question(
    eval_set: EvalSet,
    everything: MemoryKnowledge,
    embedded: EmbeddedQuestion,
    chance: random.Random,
    reader: PassageReader,
    embedder: Embed,
    *,
    translates: bool,
) -> Iterator[Case]:
    question = embedded.question
    analysis = analyse_question(question.text, eval_set.lang)
    titles = {eval_set.passages[at].title for at in question.gold}
    for condition, base in _bases(eval_set, everything, question, titles, chance):
        found = embedded.find(analysis.text, base, k=_K)
        hits = tuple(best_first(embedder, reader, analysis, found, translates=translates))
        if condition in ("passage-out", "tiny-on") and _contains_any(question.answers, hits):
            continue  # another passage may answer too
        yield Case(
            set=eval_set.name,
            lang=eval_set.lang,
            condition=condition,
            # the few questions on several titles are only reported
            fitted=is_for_fitting(min(titles, default=question.text)) and len(titles) < 2,
            analysis=analysis,
            answers=question.answers,
            hits=hits,
        )


def _bases(
    eval_set: EvalSet, everything: MemoryKnowledge, question: EvalQuestion, titles: set[str], chance: random.Random
) -> Iterator[tuple[Condition, Search]]:
    if not question.answerable:
        yield "unanswerable", everything
        return
    gold = {eval_set.passages[at].id for at in question.gold}
    beside = [item for item in eval_set.passages if item.title in titles and item.id not in gold]
    off = _few(_others(eval_set, titles, chance), chance)
    on = _few(beside, chance)
    yield "all", everything
    yield "title-out", everything.without(titles)
    yield "tiny", _only(everything, gold | chance.choice([off, on, off | on]))
    yield "tiny-off", _only(everything, off)
    if beside:
        yield "passage-out", everything.hiding(gold)
        yield "tiny-on", _only(everything, on | chance.choice([set(), off]))


def _others(eval_set: EvalSet, titles: set[str], chance: random.Random) -> list[Passage]:
    """Return passages of other titles: of one or two, as of a site just started, or of all."""
    others = [passage for passage in eval_set.passages if passage.title not in titles]
    if chance.random() < 0.5:
        some = {passage.title for passage in chance.sample(others, 2)}
        return [passage for passage in others if passage.title in some]
    return others


def _few(passages: Sequence[Passage], chance: random.Random) -> set[str]:
    count = min(chance.randint(1, 12), len(passages))
    return {passage.id for passage in chance.sample(passages, count)}


def _only(everything: MemoryKnowledge, ids: set[str]) -> MemoryKnowledge:
    return everything.where(lambda passage: passage.id in ids)


def _contains_any(answers: Sequence[str], hits: Sequence[Hit]) -> bool:
    texts = " ".join(hit.passage.text for hit in hits[:_READ]).casefold()
    return any(answer.casefold() in texts for answer in answers)
