"""Publishes an answer while a model writes it: only sentences whose citations are verbatim in the stored pages."""

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

#: a longer answer is published only when it is complete
MAX_CHARACTERS = 4_000


def notify_writing(services: Services, question_id: str) -> OnAnswer:
    """Return a callback that publishes a partial answer as an event ``writing``; it logs a failure and goes on."""
    texts: dict[int, str] = {}  # each page is read once

    def notify(answer: Answer) -> None:
        missing = {citation.page_id for citation in answer.citations} - texts.keys()
        try:
            texts.update(services.page_texts(sorted(missing)))
        except DatabaseError as error:
            log.warning("writing_not_published", question=question_id, error=str(error))
            return
        text = check(answer, texts.get).text
        if 0 < len(text) <= MAX_CHARACTERS:
            services.events.publish(question_id, EventKind.WRITING, {"answer": text})

    return notify
