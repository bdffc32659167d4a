"""Ask for each value of a schema by itself, and read it out of the answer to that; what is not said is null."""

from __future__ import annotations

import re
from typing import Final

from domain import Answer, Citation
from domain.question import Turn
from domain.short_answer import short_answer
from pipeline.answering.structured.schema import Leaf
from pipeline.question.analysis import MAX_CHARACTERS
from pipeline.question.follow_up import understand
from pipeline.question.follow_up.frame import frame_of

_NUMBER: Final = re.compile(r"(?<![\w.,])[-−]?\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?|(?<![\w.,])[-−]?\d+(?:\.\d+)?")
_YES: Final = frozenset("yes ja oui sí si sì sim tak да 是 はい".split())
_NO: Final = frozenset("no nein non não nee nie нет 否 いいえ".split())
#: a longer sentence is no value
_LONGEST: Final = 300


def field_question(leaf: Leaf, question: str, lang: str) -> str:
    """Return the question for one value, about what the whole question is about."""
    if leaf.description.endswith(("?", "？")):
        return understand(leaf.description, [Turn(question=question)], lang)[:MAX_CHARACTERS]
    frame = frame_of(question, lang)
    topic = frame.names[0] if frame.names else frame.topic
    label = leaf.label.rstrip(". ")
    if topic.casefold() in label.casefold():
        asked = {"en": f"What is {label}?", "de": f"Was ist {label}?"}.get(lang, f"{label}?")
    elif leaf.kind == "boolean":
        asked = f"{topic}: {label}?"
    else:
        the = "" if re.match(r"(?:the|an?|its?|how|when|where|who|what|which) ", label, re.IGNORECASE) else "the "
        asked = {"en": f"What is {the}{label} of {topic}?", "de": f"Was ist {label} von {topic}?"}.get(
            lang, f"{label} ({topic})?"
        )
    return asked[:MAX_CHARACTERS]


def read_value(leaf: Leaf, answer: Answer) -> tuple[str | float | bool, Citation] | None:
    """Return the value that the first sentence of an answer gives, with its citation; None where it gives none."""
    sentence = answer.sentences[0] if answer.sentences else None
    cited = {citation.marker: citation for citation in answer.citations}
    citation = next((cited[marker] for marker in sentence.markers if marker in cited), None) if sentence else None
    if sentence is None or citation is None or sentence.contradicts:
        return None
    value = _value(leaf, short_answer(answer.sentences) or "", sentence.text)
    return None if value is None else (value, citation)


def _value(leaf: Leaf, short: str, sentence: str) -> str | float | bool | None:
    if leaf.kind == "boolean":
        said = short.casefold().strip(" .")
        return True if said in _YES else False if said in _NO else None
    if leaf.kind == "string":
        return (
            _choice(leaf, short, sentence)
            if leaf.choices
            else short or (sentence if len(sentence) <= _LONGEST else None)
        )
    for text in (short, sentence):
        numbers = {number for found in _NUMBER.findall(text) if (number := _number(leaf, found)) is not None}
        if len(numbers) == 1:
            return numbers.pop()
    return None


def _number(leaf: Leaf, found: str) -> float | None:
    number = float(re.sub(r"[,\u202f\u00a0]", "", found).replace("−", "-"))
    if leaf.minimum is not None and number < leaf.minimum:
        return None
    if leaf.maximum is not None and number > leaf.maximum:
        return None
    if leaf.kind == "integer":
        return int(number) if number.is_integer() else None
    return number


def _choice(leaf: Leaf, short: str, sentence: str) -> str | None:
    for text in (short, sentence):
        said = [one for one in leaf.choices if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE)]
        if len(said) == 1:
            return said[0]
    return None
