"""Complete a question from its thread: what it leaves out, and what its pronouns stand for."""

from __future__ import annotations

from collections.abc import Sequence

from domain.question import Turn
from pipeline.question.analysis import MAX_CHARACTERS
from pipeline.question.entities import find_entities
from text.analyser import words
from text.language import detect_language
from text.terms import content_words

#: a question without a name that has one of these is about what was asked before
_POINTS_BACK = frozenset("it its they them their theirs he him his she her hers".split())


def understand(question: str, turns: Sequence[Turn], lang: str = "") -> str:
    """Return the question as it stands alone; itself where it does already, or nothing was asked before."""
    if not turns or _stands_alone(question, lang or detect_language(question)):
        return question
    both = f"{turns[-1].question} {question}"
    return both if len(both) <= MAX_CHARACTERS else question


def _stands_alone(question: str, lang: str) -> bool:
    if find_entities(question, lang):
        return True
    return bool(content_words(question, lang)) and _POINTS_BACK.isdisjoint(words(question))
