"""What a reader must know of an answer: that its sources disagree, or that they are older than was asked for."""

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
    """Say which citation gives which value and of when it is; "" where none contradicts another."""
    words = _WORDS.get(lang, _WORDS["en"])
    cited = {citation.marker: citation for citation in answer.citations}
    with_notice = []
    for each in contradictions_of(answer.sentences):
        sides = [
            f"“{value}” [{marker}]{_dated(cited[marker], words)}"
            for marker, value in zip(each.citations, each.values, strict=True)
        ]
        with_notice.append(words["disagree"].format(sides="; ".join(sides)))
    return " ".join(with_notice)


def outdated_notice(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Say which citations are of pages that were published, and changed last, before ``oldest``; "" where none is."""
    words = _WORDS.get(lang, _WORDS["en"])
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, words)}" for citation in old)
    return words["old"].format(pages=pages) if pages else ""


def with_notice(answer: Answer, notice: str) -> Answer:
    """Return the answer with a notice more, unless it is empty."""
    return replace(answer, notice=f"{answer.notice} {notice}".strip()) if notice else answer


def _is_older(citation: Citation, oldest: datetime) -> bool:
    with_notice = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(with_notice) and max(with_notice) < oldest


def _dated(source: Citation, words: dict[str, str]) -> str:
    """Say of when a source is, by the first of its dates that is known."""
    dates = (("modified", source.modified), ("published", source.published), ("read", source.read_at))
    return next((f" ({words[name]} {when:%Y-%m-%d})" for name, when in dates if when is not None), "")
