"""Write notices for the reader of an answer: its sources disagree, or they are older than asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from domain import Answer, Citation, CitedPage
from domain.short_answer import contradictions_of
from domain.site import is_under
from pipeline.phrases import Phrase, say
from text.quotation import quoted

#: parts that a notice names
_NAMED = 3


def disagreement_notice(answer: Answer, lang: str, own_sites: Sequence[str] = ()) -> str:
    """Return which citation gives which value, with dates, as a notice; "" when none contradicts another.

    Names the newest and those of the operator's own sources, whose URLs begin with one of ``own_sites``.
    """
    cited = {citation.marker: citation for citation in answer.citations}
    notices = []
    for contradiction in contradictions_of(answer.sentences):
        newest = _newest([cited[marker] for marker in contradiction.citations])
        sides = [
            f"{quoted(value, lang)} [{marker}]{_described(cited[marker], lang, newest, own_sites)}"
            for marker, value in zip(contradiction.citations, contradiction.values, strict=True)
        ]
        notices.append(say("disagree", lang, sides="; ".join(sides)))
    return " ".join(notices)


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


def _newest(sources: Sequence[Citation]) -> int | None:
    """Return the marker of the one source that was published or changed last; None where a date is unknown."""
    dates = {source.marker: source.modified or source.published for source in sources}
    known = {marker: when for marker, when in dates.items() if when is not None}
    if len(known) < len(dates):
        return None
    last = [marker for marker, when in known.items() if when == max(known.values())]
    return last[0] if len(last) == 1 else None


def _described(source: Citation, lang: str, newest: int | None, own_sites: Sequence[str]) -> str:
    """Return the date of a source, and whether it is the newest or the operator's own, in brackets."""
    is_own = is_under(source.url, own_sites)
    said = [
        _date(source, lang),
        say("newest", lang) if source.marker == newest else "",
        say("own", lang) if is_own else "",
    ]
    return f" ({', '.join(filter(None, said))})" if any(said) else ""


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
