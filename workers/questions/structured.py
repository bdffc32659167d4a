"""Fills the form that an answer is to have: each of its values is looked up by itself, once the question has ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from domain import Answer, Question
from domain.answer import StructuredAnswer, StructuredField
from pipeline.abstain import likely_answer
from pipeline.answering.structured.fill import field_question, read_value
from pipeline.answering.structured.schema import Leaf, filled, parse_schema
from store.questions.state import Move
from text.language import detect_language
from workers.questions import lookup

if TYPE_CHECKING:
    from workers.services import Services

#: a step has 100; what is not looked up by then stays null
WITHIN_S: Final = 40.0


def with_form(services: Services, question: Question, move: Move) -> Move:
    """Return a final move whose answer has the form asked for; any other as it is."""
    if not question.answer_schema or move.answer is None or not move.to.is_final:
        return move
    return replace(move, answer=replace(move.answer, structured=_fill(services, question)))


def _fill(services: Services, question: Question) -> StructuredAnswer:
    leaves = parse_schema(question.answer_schema or {})
    lang = question.lang or detect_language(question.text)
    give_up, fields = time.monotonic() + WITHIN_S, []
    for leaf in leaves:
        answer = _answer(services, question, leaf, lang) if time.monotonic() < give_up else None
        found = read_value(leaf, answer) if answer else None
        if answer is None or found is None:
            fields.append(StructuredField(path=leaf.pointer, value=None))
        else:
            value, citation = found
            confidence = round(answer.confidence, 4)
            fields.append(StructuredField(path=leaf.pointer, value=value, confidence=confidence, citation=citation))
    return StructuredAnswer(value=filled(leaves, {each.path: each.value for each in fields}), fields=tuple(fields))


def _answer(services: Services, question: Question, leaf: Leaf, lang: str) -> Answer | None:
    """Return the answer to the question for one value, by the hits' own words; None where it is not likely right."""
    asked = replace(question, text=field_question(leaf, question.text, lang), lang=lang)
    result = lookup.first_pass_alone(services, asked)
    if result.verdict.sufficient:
        return result.answer
    return likely_answer(result.answer, result.verdict, lang)
