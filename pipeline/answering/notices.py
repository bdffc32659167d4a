"""Write notices for the reader of an answer: its sources disagree, or they are older than asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from domain import Answer, Citation
from domain.short_answer import contradictions_of
from pipeline.phrases import Phrase, say


def disagreement_notice(answer: Answer, lang: str) -> str:
    """Return which citation gives which value, with dates, as a notice; "" when none contradicts another."""
    cited = {citation.marker: citation for citation in answer.citations}
    notices = []
    for contradiction in contradictions_of(answer.sentences):
        sides = [
            f"“{value}” [{marker}]{_dated(cited[marker], lang)}"
            for marker, value in zip(contradiction.citations, contradiction.values, strict=True)
        ]
        notices.append(say("disagree", lang, sides="; ".join(sides)))
    return " ".join(notices)


def outdated_notice(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Return which citations are of pages published and last changed before ``oldest``, as a notice; "" for none."""
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, lang)}" for citation in old)
    return say("old", lang, pages=pages) if pages else ""


def with_notices(answer: Answer, *notices: str) -> Answer:
    """Return the answer with the notices added, each once."""
    return replace(answer, notice=" ".join(dict.fromkeys(filter(None, (answer.notice, *notices)))))


def _is_older(citation: Citation, oldest: datetime) -> bool:
    dates = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(dates) and max(dates) < oldest


def _dated(source: Citation, lang: str) -> str:
    """Return the first known date of a source, in brackets."""
    dates: tuple[tuple[Phrase, datetime | None], ...] = (
        ("modified", source.modified),
        ("published", source.published),
        ("read", source.read_at),
    )
    return next((f" ({say(phrase, lang)} {when:%Y-%m-%d})" for phrase, when in dates if when is not None), "")
