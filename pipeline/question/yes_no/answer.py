"""Tell whether a sentence answers a yes/no question, and give an answer its "Yes" or "No"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain import Answer, Hit
from domain.short_answer import first_said
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import last_question
from pipeline.question.yes_no import english_german, restated
from pipeline.question.yes_no.doubt import is_doubtful
from pipeline.question.yes_no.words import YesNo, yes_no_word
from text.sentences import sentence_spans


def is_yes_no(analysis: Analysis) -> bool:
    """Return whether a question is a yes/no question."""
    if "?" not in analysis.text:
        return False
    question = last_question(analysis.text)
    return english_german.is_yes_no(question, analysis.lang) or restated.is_yes_no(question, analysis.lang)


def answers_yes_no(analysis: Analysis, text: str, start: int, end: int, *, title: str = "") -> YesNo:
    """Return "yes" or "no" when the sentence ``text[start:end]`` of a passage states or negates just the question."""
    sentence = text[start:end].strip()
    if not sentence.endswith((".", "!")) or not is_yes_no(analysis):
        return ""
    says = english_german.says(analysis, sentence) or restated.says(analysis, sentence)
    return "" if says and is_doubtful(text, start, end, title=title, lang=analysis.lang) else says


def add_yes_no(analysis: Analysis, answer: Answer, first: YesNo, hits: Sequence[Hit]) -> Answer:
    """Return the answer to a yes/no question with ``first`` as the short answer of its first sentence.

    Without it when a sentence of the hits says the contrary. The focus is dropped: a name is no answer to such a
    question.
    """
    opening = first_said(answer.sentences)
    if opening is None or not is_yes_no(analysis):
        return answer
    sentences = [(hit, span) for hit in hits for span in sentence_spans(hit.passage.text)] if first else []
    contrary = {
        answers_yes_no(analysis, hit.passage.text, *span, title=hit.passage.title) for hit, span in sentences
    } - {"", first}
    says = "" if contrary else yes_no_word(first, analysis.lang)
    own = (replace(each, focus=None, says=says) if each is opening else each for each in answer.sentences)
    return replace(answer, sentences=tuple(own))
