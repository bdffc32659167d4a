"""Checks what the demonstration promises against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain import EventKind, Status
from wellread import Event, Record


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The outcome of one question."""

    record: Record
    fetched: tuple[str, ...]  #: the paths requested from the site meanwhile
    events: tuple[Event, ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A promise, and whether it held."""

    name: str
    holds: bool
    detail: str = ""


def check(findings: Sequence[Finding], expected: str, *, pages: Mapping[int, str]) -> list[Check]:
    """Compare the three findings with the promise; ``pages`` are the cited pages' texts by id."""
    first, second, third = findings
    return [
        Check(name="question 1 had a provisional answer while pages were read", holds=_was_provisional(first)),
        _answers("question 1", first, expected),
        Check(name="question 1 made Wellread read the site", holds=bool(first.record.live_urls and first.fetched)),
        _answers("question 2", second, expected),
        Check(name="question 2 read nothing", holds=not (second.record.online_search_triggered or second.fetched)),
        Check(
            name="question 3 is not known, and says what was read",
            holds=third.record.status is Status.ABSTAINED and bool(third.record.live_urls),
            detail="" if third.record.status is Status.ABSTAINED else f"it is {third.record.status}",
        ),
        _quotes_are_verbatim(findings, pages),
    ]


def _answers(name: str, finding: Finding, expected: str) -> Check:
    record = finding.record
    right = record.status is Status.ANSWERED and expected in _plain(record.answer or "")
    return Check(
        name=f"{name} is answered: {expected}",
        holds=right and bool(record.citations),
        detail="" if right else f"{record.status}: {_plain(record.answer or 'no answer')[:200]}",
    )


def _was_provisional(finding: Finding) -> bool:
    kinds = [event.kind for event in finding.events]
    return EventKind.PROVISIONAL in kinds and EventKind.PAGE in kinds[kinds.index(EventKind.PROVISIONAL) :]


def _quotes_are_verbatim(findings: Sequence[Finding], pages: Mapping[int, str]) -> Check:
    citations = [citation for finding in findings for citation in finding.record.citations]
    wrong = [c.url for c in citations if pages.get(c.page_id, "")[c.start : c.end] != c.quote]
    return Check(
        name=f"all {len(citations)} quotes are in the stored pages word for word", holds=not wrong and bool(citations),
        detail=", ".join(wrong),
    )  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(text.split())
