"""Tells who watches of an answer while a model writes it: what stands in the pages' stored text, and no more of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from domain import Answer, EventKind
from pipeline.answering.citations import check
from store.sql.database import DatabaseError

if TYPE_CHECKING:
    from pipeline.llm import OnAnswer
    from workers.services import Services

log = structlog.get_logger()

#: a longer answer is shown when it is whole
MAX_CHARACTERS = 4_000


def telling(services: Services, question_id: str) -> OnAnswer:
    """Return what publishes an answer so far as an event ``writing``; a failure is logged and forgiven."""
    texts: dict[int, str] = {}  # each page is looked up once an answer

    def tell(answer: Answer) -> None:
        missing = {citation.page_id for citation in answer.citations} - texts.keys()
        try:
            texts.update(services.page_texts(sorted(missing)))
        except DatabaseError as error:
            log.warning("writing_not_told", question=question_id, error=str(error))
            return
        text = check(answer, texts.get).text
        if 0 < len(text) <= MAX_CHARACTERS:
            services.events.publish(question_id, EventKind.WRITING, {"answer": text})

    return tell
