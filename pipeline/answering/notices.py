"""Write notices for the reader of an answer: its sources are older than asked for, or were read in part."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from domain import Answer, Citation, CitedPage
from pipeline.phrases import Phrase, say

#: parts that a notice names
_NAMED = 3


def outdated_notice(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Return which citations are of pages published and last changed before ``oldest``, as a notice; "" for none."""
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, lang)}" for citation in old)
    return say("old", lang, pages=pages) if pages else ""


def partly_read_notice(answer: Answer, cited: Mapping[int, CitedPage], lang: str) -> str:
    """Return which citations are of documents that were read in part, and what is missing, as a notice; "" for none."""
    missing = {page_id: ", ".join(page.missing[:_NAMED]) for page_id, page in cited.items() if page.missing}
    of_page = {citation.page_id: citation.marker for citation in reversed(answer.citations)}
    pages = ", ".join(f"[{marker}] (− {missing[page]})" for page, marker in of_page.items() if page in missing)
    return say("partly", lang, pages=pages) if pages else ""


def with_notices(answer: Answer, *notices: str) -> Answer:
    """Return the answer with the notices added, each once."""
    return replace(answer, notice=" ".join(dict.fromkeys(filter(None, (answer.notice, *notices)))))


def _is_older(citation: Citation, oldest: datetime) -> bool:
    dates = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(dates) and max(dates) < oldest


def _dated(source: Citation, lang: str) -> str:
    date = _date(source, lang)
    return f" ({date})" if date else ""


def _date(source: Citation, lang: str) -> str:
    """Return the first known date of a source."""
    dates: tuple[tuple[Phrase, datetime | None], ...] = (
        ("modified", source.modified),
        ("published", source.published),
        ("read", source.read_at),
    )
    return next((f"{say(phrase, lang)} {when:%Y-%m-%d}" for phrase, when in dates if when is not None), "")
