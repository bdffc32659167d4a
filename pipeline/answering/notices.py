"""Write notices for the reader of an answer: its sources disagree, or they are older than asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from domain import Answer, Citation
from domain.short_answer import contradictions_of

_WORDS = {
    "en": {
        "disagree": "The sources disagree: {sides}.",
        "published": "published",
        "modified": "changed",
        "read": "read",
        "old": "Older than asked for: {pages}.",
    },
    "de": {
        "disagree": "Die Quellen widersprechen sich: {sides}.",
        "published": "veröffentlicht",
        "modified": "geändert",
        "read": "gelesen",
        "old": "Älter als gewünscht: {pages}.",
    },
}


def disagreement_notice(answer: Answer, lang: str) -> str:
    """Return which citation gives which value, with dates, as a notice; "" when none contradicts another."""
    words = _WORDS.get(lang, _WORDS["en"])
    cited = {citation.marker: citation for citation in answer.citations}
    notices = []
    for contradiction in contradictions_of(answer.sentences):
        sides = [
            f"“{value}” [{marker}]{_dated(cited[marker], words)}"
            for marker, value in zip(contradiction.citations, contradiction.values, strict=True)
        ]
        notices.append(words["disagree"].format(sides="; ".join(sides)))
    return " ".join(notices)


def outdated_notice(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Return which citations are of pages published and last changed before ``oldest``, as a notice; "" for none."""
    words = _WORDS.get(lang, _WORDS["en"])
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, words)}" for citation in old)
    return words["old"].format(pages=pages) if pages else ""


def with_notices(answer: Answer, *notices: str) -> Answer:
    """Return the answer with the notices added, each once."""
    return replace(answer, notice=" ".join(dict.fromkeys(filter(None, (answer.notice, *notices)))))


def _is_older(citation: Citation, oldest: datetime) -> bool:
    dates = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(dates) and max(dates) < oldest


def _dated(source: Citation, words: dict[str, str]) -> str:
    """Return the first known date of a source, in brackets."""
    dates = (("modified", source.modified), ("published", source.published), ("read", source.read_at))
    return next((f" ({words[name]} {when:%Y-%m-%d})" for name, when in dates if when is not None), "")
