"""Fills the form that an answer is to have: each of its values is looked up by itself, once the question has ended."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from domain import Answer, Citation, Question, Status
from domain.answer import StructuredAnswer, StructuredField
from pipeline.answering.citations import located
from pipeline.answering.schema import Leaf, Rows, filled, parse_schema, pointer_of
from pipeline.answering.structured_answer import FoundRow, field_question, read_value, rows_of
from pipeline.ask import LookupResult
from store.pages import pages
from store.questions.state import Move
from text.language import detect_language
from workers.questions import lookup
from workers.services import Services

#: a step has 100; what is not looked up by then stays null
WITHIN_S: Final = 40.0
#: why a value is null
NOT_SAID: Final = "Nothing that was read is likely to say it."
NOT_READ: Final = "What was found gives no such value."
NO_TIME: Final = "There was no time left to look it up."
NO_ROWS: Final = "No table or list that was found has these fields."


def with_form(services: Services, question: Question, move: Move) -> Move:
    """Return a move that ends a question, or has its answer written, with the form asked for; any other as it is."""
    if not question.answer_schema or move.answer is None or not (move.to.is_final or move.to is Status.WRITING):
        return move
    return replace(move, answer=replace(move.answer, structured=_fill(services, question)))


def _fill(services: Services, question: Question) -> StructuredAnswer:
    leaves = parse_schema(question.answer_schema or {})
    lang = question.lang or detect_language(question.text)
    give_up, fields = time.monotonic() + WITHIN_S, list[StructuredField]()
    for leaf in leaves:
        if time.monotonic() >= give_up:
            fields.append(StructuredField(path=leaf.pointer, value=None, reason=NO_TIME))
        elif isinstance(leaf, Rows):
            fields += _objects(services, question, leaf, lang)
        else:
            fields.append(_field(services, question, leaf, lang))
    return StructuredAnswer(value=filled(leaves, {each.path: each.value for each in fields}), fields=tuple(fields))


def _field(services: Services, question: Question, leaf: Leaf, lang: str) -> StructuredField:
    _, answer = _looked_up(services, question, field_question(leaf, question.text, lang), lang)
    found = read_value(leaf, answer) if answer else None
    if answer is None or found is None:
        return StructuredField(path=leaf.pointer, value=None, reason=NOT_SAID if answer is None else NOT_READ)
    value, citation = found
    return StructuredField(path=leaf.pointer, value=value, confidence=round(answer.confidence, 4), citation=citation)


def _objects(services: Services, question: Question, rows: Rows, lang: str) -> list[StructuredField]:
    """Return a value for each field of each row, of the best place that gives rows; or why there is none."""
    asked = rows.description if rows.description.endswith(("?", "？")) else question.text
    result, answer = _looked_up(services, question, asked, lang)
    if answer is None:
        return [StructuredField(path=rows.pointer, value=None, reason=NOT_SAID)]
    with services.database.read() as session:
        ids = {hit.passage.page_id for hit in result.context}
        read, places = pages.read(session, ids, question.id), pages.cited(session, ids)
    for passage in (hit.passage for hit in result.context if hit.passage.page_id in read):
        page = read[passage.page_id]
        found = rows_of(rows, page.text, (passage.start, passage.end), lang)
        lines = tuple(
            Citation(
                marker=marker,
                passage_id=passage.id,
                page_id=page.id,
                url=page.url,
                title=passage.title,
                quote=page.text[row.start : row.end],
                start=row.start,
                end=row.end,
            )
            for marker, row in enumerate(found, start=1)
        )
        if found:
            citations = located(replace(answer, citations=lines), places).citations
            numbered = enumerate(zip(found, citations, strict=True))
            return [field for at, (row, of) in numbered for field in _of_row(rows, at, row, of, answer.confidence)]
    return [StructuredField(path=rows.pointer, value=None, reason=NO_ROWS)]


def _of_row(rows: Rows, at: int, row: FoundRow, citation: Citation, confidence: float) -> Iterator[StructuredField]:
    for leaf in rows.fields:
        path, value = pointer_of(*rows.path, at, *leaf.path), row.values.get(leaf.path[-1])
        if value is None:
            yield StructuredField(path=path, value=None, reason=NOT_READ)
        else:
            yield StructuredField(path=path, value=value, confidence=round(confidence, 4), citation=citation)


def _looked_up(services: Services, question: Question, text: str, lang: str) -> tuple[LookupResult, Answer | None]:
    """Search for one value by the hits' own words; return what was found, and the answer that is perhaps right."""
    result = lookup.first_pass_alone(services, replace(question, text=text, lang=lang))
    return result, None if result.outcome == "unknown" else result.answer
