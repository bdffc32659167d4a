"""Gives the answers that operators wrote (:mod:`workers.curated`) to questions that mean the same.

An answer's document has the forms of its questions as metadata, by which a question finds it.
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from crawler.extract.chunk import passages_of
from domain import Question
from domain.curated import CURATED, OPERATOR, CuratedAnswer
from domain.document import PushedDocument
from pipeline import ask
from pipeline.answering.citations import located
from pipeline.answering.quotes import whole
from pipeline.phrases import say
from store import documents
from store.pages import pages
from store.questions.state import Move
from store.sql.rows import to_value
from text.same_question import form_of
from workers.questions import follow_ups
from workers.questions.transitions import answered
from workers.services import Services

#: the metadata with the forms of its questions, as the rules were when it was saved, and with when it is deleted
FORM: Final = "curated"
EXPIRES: Final = "curated_expires"
#: conditions on what may be quoted, which an operator's answer is not compared with
_BOUNDS: Final = frozenset(
    {"filters", "source_kinds", "published_after", "published_before", "read_before", "answer_language"}
)


def is_known(services: Services, session: Session, question: Question) -> bool:
    """Return whether an operator has answered a question that means the same."""
    return _match(services, session, question) is not None


def given(services: Services, question: Question) -> Move | None:
    """Return the end of a question that an operator has answered; None where none has.

    One that a model has yet to complete from its thread is left to that.
    """
    if question.thread_id and services.model is not None and follow_ups.needs_model(services, question):
        return None
    with services.database.read() as session:
        document = _match(services, session, question)
        if document is None or not (read := pages.read(session, [document.page_id])):
            return None
        cited = pages.cited(session, [document.page_id])
    passages, curated = passages_of(read[document.page_id]), from_document(document)
    said = say("by_operator", document.lang, name=curated.author, date=f"{curated.written:%Y-%m-%d}")
    answer = replace(located(whole(passages), cited), composer=OPERATOR, notice=" ".join((said, *curated.sources)))
    request = ask.LookupRequest(text=question.text, lang=question.lang, task=question.strategy, id=question.id)
    return replace(answered(ask.without_search(request, passages, answer)), outcome="curated")


def _match(services: Services, session: Session, question: Question) -> PushedDocument | None:
    """Return the latest answer to a question, unless that is bound to some sources or asks for a form."""
    own = question.overrides.model_dump(exclude_defaults=True).keys()
    bound = question.sites or question.langs or question.private or question.max_age_s is not None or own & _BOUNDS
    if bound or question.answer_schema is not None or services.settings.curated == "page":
        return None
    if not documents.has_value(session, FORM):  # most have none: they need no form
        return None
    found = documents.latest_with(session, CURATED, FORM, form_of(question.text, question.lang))
    is_over = found is not None and found.metadata.get(EXPIRES, "9") <= services.now().isoformat()
    return None if is_over else found


def from_document(document: PushedDocument, text: str = "") -> CuratedAnswer:
    """Return the answer that a document is."""
    said = document.metadata
    return to_value(
        CuratedAnswer,
        document,
        id=document.id.removeprefix(CURATED),
        questions=tuple(said["questions"]),
        answer=text,
        author=said["author"],
        written=datetime.fromisoformat(said["written"]),
        sources=tuple(said["sources"]),
        expires_at=datetime.fromisoformat(said[EXPIRES]) if EXPIRES in said else None,
    )
