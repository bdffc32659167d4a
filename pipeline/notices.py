"""What a reader must know of an answer: that its sources disagree, or that they are older than was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pipeline.contradictions import Claim
from pipeline.harmless import harmless
from store.short_answer import contradictions_of
from store.types import Answer, Citation, Passage

#: of a value that is not in the answer
MAX_VALUE_CHARACTERS = 60

_WORDS = {
    "en": {
        "disagree": "The sources disagree: {sides}.",
        "published": "published",
        "modified": "changed",
        "read": "read",
        "old": "Older than asked for: {pages}.",
        "otherwise": "Another source says otherwise: {sides}.",
    },
    "de": {
        "disagree": "Die Quellen widersprechen sich: {sides}.",
        "published": "veröffentlicht",
        "modified": "geändert",
        "read": "gelesen",
        "old": "Älter als gewünscht: {pages}.",
        "otherwise": "Eine andere Quelle sagt etwas anderes: {sides}.",
    },
}


def disagreement(answer: Answer, lang: str) -> str:
    """Say which citation gives which value and of when it is; "" where none contradicts another."""
    words = _WORDS.get(lang, _WORDS["en"])
    cited = {citation.marker: citation for citation in answer.citations}
    said = []
    for each in contradictions_of(answer.sentences):
        sides = [
            f"“{value}” [{marker}]{_dated(cited[marker], words)}"
            for marker, value in zip(each.citations, each.values, strict=True)
        ]
        said.append(words["disagree"].format(sides="; ".join(sides)))
    return " ".join(said)


def unsaid(answer: Answer, claims: Sequence[Claim], lang: str) -> str:
    """Say what pages claim that an answer, which cites another side, does not cite; "" where it cites every side."""
    words = _WORDS.get(lang, _WORDS["en"])
    cited = {citation.page_id for citation in answer.citations}
    passages = [(claim.text, claim.read.span.hit.passage) for claim in claims]
    left_out = [(value, passage) for value, passage in passages if passage.page_id not in cited]
    if not left_out or len(left_out) == len(claims):
        return ""
    sides = "; ".join(f"“{_short(value)}” – {passage.url}{_dated(passage, words)}" for value, passage in left_out)
    return words["otherwise"].format(sides=sides)


def older_than(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Say which citations are of pages that were published, and changed last, before ``oldest``; "" where none is."""
    words = _WORDS.get(lang, _WORDS["en"])
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, words)}" for citation in old)
    return words["old"].format(pages=pages) if pages else ""


def said(answer: Answer, notice: str) -> Answer:
    """Give the answer with a notice more, unless it is empty."""
    return replace(answer, notice=f"{answer.notice} {notice}".strip()) if notice else answer


def _is_older(citation: Citation, oldest: datetime) -> bool:
    said = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(said) and max(said) < oldest


def _short(value: str) -> str:
    return " ".join(harmless(value).split())[:MAX_VALUE_CHARACTERS]


def _dated(source: Citation | Passage, words: dict[str, str]) -> str:
    """Say of when a source is, by the first of its dates that is known."""
    modified = source.modified if isinstance(source, Citation) else None
    dates = (("modified", modified), ("published", source.published), ("read", source.read_at))
    return next((f" ({words[name]} {when:%Y-%m-%d})" for name, when in dates if when is not None), "")
