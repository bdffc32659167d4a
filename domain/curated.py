"""Answers that an operator wrote."""

from datetime import datetime
from typing import Final

from domain.document import DocumentState
from domain.published import Received, always_sent, described

#: begins the id of the document that a curated answer is
CURATED: Final = "curated/"
#: the composer of such an answer
OPERATOR: Final = "operator"
MAX_ID: Final = 200
MAX_QUESTIONS: Final = 20
#: characters of one of its questions, so that filters find their forms, and of its text
MAX_QUESTION, MAX_ANSWER = 400, 20_000


@always_sent()
class CuratedAnswer(Received):
    """An answer that an operator wrote, for questions that mean the same as one of its own."""

    id: str = described("Your own.")
    questions: tuple[str, ...] = described("The questions that it answers, in several wordings.")
    answer: str = described("Its text; links are written out, other Markdown is left out.")
    author: str = described("Whose answer it is: shown with it.")
    written: datetime = described("When it was written: shown with it.")
    sources: tuple[str, ...] = described("URLs that are given with it.")
    expires_at: datetime | None = described("When it is deleted; null: never.")
    state: DocumentState = described("Other questions find passages of it once it is `indexed`.")
    page_id: int = described("GET /api/pages/{page_id} gives its text.")
    changed_at: datetime
