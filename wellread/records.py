"""What the API answers, as plain values: a question's record, its progress, sources and readings.

Fields that a newer server adds are left out of the values and stand in ``Record.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

from domain import Citation, Cost, Sentence, Status, Verdict
from domain.contradiction import Contradiction
from domain.record import Feedback, PageSeen, Timing, Watch
from domain.short_answer import to_contradiction, to_sentence

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A question as its asker sees it; the fields of ``GET /api/questions/{id}``."""

    id: str
    question: str
    status: Status
    current_step: str | None
    final_step: str | None
    provisional: bool  #: whether the answer may still change
    answer: str | None  #: with its [n] markers
    short_answer: str | None  #: the few words of it that say just what was asked; None where that is unsure
    contradictions: Sequence[Contradiction]  #: where the cited pages disagree
    confidence: float
    sentences: Sequence[Sentence]
    citations: Sequence[Citation]
    context: Sequence[Mapping[str, Any]]  #: the passages the answer was made from
    composer: str | None
    notice: str
    verdict: Verdict | None
    retry_attempted: bool
    paraphrased_queries: Sequence[str]
    online_search_triggered: bool
    crawl_reason: str | None
    stop_reason: str | None
    rag_hits_count: int
    sql_hits_count: int
    graph_hits_count: int
    live_urls: Sequence[str]  #: the pages read for this question
    pages: Sequence[PageSeen]
    search_cycles_completed: int
    max_search_cycles: int
    entity: str | None
    timings: Sequence[Timing]
    seconds: float  #: from asking to the end, or to now
    cost: Cost
    error: str | None
    revision: int
    shared_with: str | None  #: the equal question in flight whose run this one shares
    cached_from: str | None  #: the equal question whose answer was given again
    stale: bool  #: whether a page that the answer cites has changed or vanished
    stale_at: datetime | None  #: when that was found
    watched: bool  #: whether it is asked again when that happens
    changed_at: datetime | None  #: when its watcher was last told of another answer
    round: int  #: how often it was asked again
    feedback: Feedback | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    json: Mapping[str, Any]  #: the record as the server sent it


@dataclass(frozen=True, kw_only=True)
class Event:
    """One step of progress."""

    id: str  #: give it as ``after`` to hear only what came later; empty for what was told from the rows
    kind: str  #: status, page, writing, provisional or final
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PageRead:
    """A page that was asked to be read, and how far that has come."""

    id: int
    url: str
    outcome: str | None  #: None while it waits
    reason: str | None
    page_id: int | None
    title: str | None
    in_knowledge_base: bool  #: whether answers can be drawn from it

    @property
    def is_over(self) -> bool:
        """Return whether nothing more happens: it could not be read, or answers can be drawn from it."""
        return self.outcome is not None and (self.page_id is None or self.in_knowledge_base)


@dataclass(frozen=True, kw_only=True)
class PageCheck:
    """What was found when a page was looked at, once or many times in a row."""

    outcome: str
    status: int | None  #: HTTP status
    content_hash: str
    reason: str
    times: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, kw_only=True)
class StoredPage:
    """A page as it is kept; a citation's quote is ``text[start:end]``."""

    id: int
    url: str
    title: str
    lang: str
    text: str
    read_at: datetime
    published: datetime | None
    generation: int  #: counts the texts this page has had
    is_gone: bool
    checked_at: datetime | None = None
    next_due: datetime | None = None  #: when it will be looked at again
    history: Sequence[PageCheck] = ()  #: what was found when it was looked at, the latest first


def to_page(sent: Mapping[str, Any]) -> StoredPage:
    """Read the JSON of a whole page."""
    times = {name: _time(sent.get(name)) for name in ("read_at", "published", "checked_at", "next_due")}
    history = [
        to_value(PageCheck, {**check, "first_at": _time(check["first_at"]), "last_at": _time(check["last_at"])})
        for check in sent.get("history", ())
    ]
    return to_value(StoredPage, {**sent, **times, "history": tuple(history)})


def to_record(sent: Mapping[str, Any]) -> Record:
    """Read the JSON of a record."""
    read = {
        "status": Status(sent["status"]),
        "sentences": tuple(map(to_sentence, sent["sentences"])),
        "short_answer": sent.get("short_answer"),
        "contradictions": tuple(map(to_contradiction, sent.get("contradictions", ()))),
        "citations": tuple(map(_to_citation, sent["citations"])),
        "verdict": _to_verdict(sent["verdict"]) if sent["verdict"] else None,
        "pages": tuple(to_value(PageSeen, page) for page in sent["pages"]),
        "timings": tuple(
            to_value(Timing, {**timing, "started_at": _time(timing["started_at"])}) for timing in sent["timings"]
        ),
        "cost": to_value(Cost, sent["cost"]),
        **_to_standing(sent),
        "created_at": _time(sent["created_at"]),
        "updated_at": _time(sent["updated_at"]),
        "finished_at": _time(sent["finished_at"]),
        "json": sent,
    }
    return to_value(Record, {**sent, **read})


def to_watch(sent: Mapping[str, Any]) -> Watch:
    """Read the JSON of a watch."""
    times = {name: _time(sent[name]) for name in ("created_at", "changed_at")}
    return to_value(Watch, {**sent, "status": Status(sent["status"]), **times})


def to_feedback(sent: Mapping[str, Any]) -> Feedback:
    """Read the JSON of a reader's feedback."""
    return to_value(Feedback, {**sent, "updated_at": _time(sent["updated_at"])})


def _to_standing(sent: Mapping[str, Any]) -> dict[str, Any]:
    """How the answer came to be and whether it still holds; a server that does not tell shares and watches nothing."""
    said = sent.get("feedback")
    return {
        "shared_with": sent.get("shared_with"),
        "cached_from": sent.get("cached_from"),
        "stale": sent.get("stale", False),
        "stale_at": _time(sent.get("stale_at")),
        "watched": sent.get("watched", False),
        "changed_at": _time(sent.get("changed_at")),
        "round": sent.get("round", 0),
        "feedback": to_feedback(said) if said else None,
    }


def to_value(kind: type[Value], sent: Mapping[str, Any]) -> Value:
    """A dataclass of the fields it knows."""
    return kind(**{field.name: sent[field.name] for field in fields(kind) if field.name in sent})  # type: ignore[arg-type]


def _to_citation(sent: Mapping[str, Any]) -> Citation:
    times = {name: _time(sent.get(name)) for name in ("published", "modified", "read_at")}
    return to_value(Citation, {**sent, **times})


def _to_verdict(sent: Mapping[str, Any]) -> Verdict:
    return to_value(Verdict, {**sent, "missing": tuple(sent["missing"])})


def _time(sent: str | None) -> datetime | None:
    return datetime.fromisoformat(sent) if sent else None
