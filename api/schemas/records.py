"""What callers get: a question's record, its trace, and what is known of pages and sources.

The record's fields are those of :class:`store.questions.records.Record`, and of the four-phase design's ``/api/chat``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from domain import Status
from store.questions.records import Record


class _Out(BaseModel):
    """Read from a dataclass, a row or a mapping alike."""

    model_config = ConfigDict(from_attributes=True)


class FocusOut(_Out):
    """The few words of a sentence that say just what was asked."""

    start: int
    end: int
    confidence: float


class SentenceOut(_Out):
    """A sentence of the answer."""

    text: str
    markers: list[int] = Field(description="The citations that support it.")
    focus: FocusOut | None = Field(default=None, description="Where it says just what was asked.")
    contradicts: list[int] = Field(default=[], description="The citations that give another value for that.")


class ContradictionOut(_Out):
    """Citations that give different values for what was asked."""

    citations: list[int]
    values: list[str] = Field(description="What each of them says.")


class CitationOut(_Out):
    """A link from the answer to a span of a stored page."""

    marker: int = Field(description="The number shown in the answer.")
    passage_id: str
    page_id: int = Field(description="GET /api/pages/{page_id} gives the page's text.")
    url: str
    title: str
    quote: str = Field(description="Exactly the stored text from `start` to `end`.")
    start: int = Field(description="Offset in the page's text, in Unicode characters.")
    end: int
    published: datetime | None = None
    modified: datetime | None = Field(default=None, description="As the page itself says.")
    read_at: datetime | None = Field(default=None, description="When the page was last seen to say so.")


class HitOut(_Out):
    """A passage the answer was made from."""

    rank: int
    score: float
    similarity: float | None = None
    passage_id: str
    page_id: int
    url: str
    title: str
    text: str


class VerdictOut(_Out):
    """Whether the hits sufficed."""

    sufficient: bool
    confidence: float = Field(description="Calibrated probability that the hits answer the question.")
    reason: str
    missing: list[str] = Field(description="Words of the question that the hits do not cover.")
    judge: str
    version: int = Field(default=0, description="Of the judge, where it was learned here; 0: as shipped.")


class PageSeenOut(_Out):
    """A page chosen for this question and what came of it."""

    url: str
    title: str
    outcome: str | None = Field(
        description="read, known, unchanged, empty, gone, forbidden, blocked, failed or skipped; null while it waits."
    )
    reason: str | None
    wave: int


class TimingOut(_Out):
    """How long one step took."""

    step: str
    cycle: int
    attempt: int
    outcome: str
    seconds: float
    started_at: datetime


class CostOut(_Out):
    """What a model's API was asked for."""

    model: str
    input_tokens: int
    output_tokens: int
    usd: float


class FeedbackOut(_Out):
    """What a reader said of one revision of an answer."""

    verdict: Literal["right", "wrong", "citation_wrong"]
    comment: str
    revision: int
    updated_at: datetime


class WatchOut(_Out):
    """A question that is asked again when its evidence changes."""

    question_id: str
    question: str
    status: Status
    callback_url: str | None
    created_at: datetime
    changed_at: datetime | None = Field(description="When its watcher was last told of another answer.")


class RecordOut(_Out):
    """A question as its asker sees it."""

    id: str
    question: str
    status: Status
    current_step: str | None = Field(description="The phase that works on it; null at the end.")
    final_step: str | None = Field(description="The phase that ended it; null until then.")
    provisional: bool = Field(description="Whether the answer may still change.")
    answer: str | None = Field(description="The answer with its [n] markers, or an honest “not known”.")
    short_answer: str | None = Field(default=None, description="Just what was asked; null where that is unsure.")
    contradictions: list[ContradictionOut] = Field(default=[], description="Where the cited pages disagree.")
    confidence: float = Field(description="Of the answer, from 0 to 1.")
    sentences: list[SentenceOut]
    citations: list[CitationOut]
    context: list[HitOut] = Field(description="The passages the answer was made from.")
    composer: str | None = Field(description="“extractive”, or the model's name.")
    notice: str = Field(description="What must be known of how the answer was made.")
    verdict: VerdictOut | None
    retry_attempted: bool = Field(description="Whether phase 2 looked again in other words.")
    paraphrased_queries: list[str] = Field(description="Those other words.")
    online_search_triggered: bool = Field(description="Whether the web was read.")
    crawl_reason: str | None = Field(description="Why.")
    stop_reason: str | None = Field(description="Why the reading ended.")
    rag_hits_count: int
    sql_hits_count: int
    graph_hits_count: int
    live_urls: list[str] = Field(description="The pages read for this question.")
    pages: list[PageSeenOut]
    search_cycles_completed: int
    max_search_cycles: int
    entity: str | None = Field(description="The first thing the question names.")
    timings: list[TimingOut]
    seconds: float = Field(description="From asking to the end, or to now.")
    cost: CostOut
    error: str | None = Field(description="What went wrong, for a question that failed.")
    revision: int = Field(description="Counts the answers given; 0 before the first.")
    shared_with: str | None = Field(default=None, description="The equal question in flight whose run this one shares.")
    cached_from: str | None = Field(default=None, description="The equal question whose answer was given again.")
    stale: bool = Field(default=False, description="Whether a page that the answer cites has changed or vanished.")
    stale_at: datetime | None = Field(default=None, description="When that was found.")
    watched: bool = Field(default=False, description="Whether it is asked again when that happens.")
    changed_at: datetime | None = Field(default=None, description="When its watcher was last told of another answer.")
    round: int = Field(default=0, description="How often it was asked again.")
    feedback: FeedbackOut | None = Field(default=None, description="What a reader said of this revision.")
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


def record_json(record: Record) -> dict[str, Any]:
    """The record as JSON values: the same from the API, as an event and on the command line."""
    return RecordOut.model_validate(record).model_dump(mode="json")


class QuestionSummary(_Out):
    """One of the latest questions."""

    id: str
    question: str
    status: Status
    created_at: datetime
    finished_at: datetime | None


class StepOut(_Out):
    """One finished step with everything that was kept of it."""

    question_id: str = Field(description="Another's, where a run was shared.")
    name: str
    cycle: int
    attempt: int
    outcome: str
    started_at: datetime
    finished_at: datetime
    seconds: float
    detail: dict[str, Any] = Field(
        description="Queries, hits with their scores, verdict, seconds, cost; of a page: url."
    )


class ScheduleOut(_Out):
    """When a source is looked at: every so often, or by a cron line."""

    every_s: float | None
    cron: str
    zone: str


class SourceOut(_Out):
    """A site that may be read for any question."""

    id: int
    url: str
    own: bool
    min_delay_s: float | None
    schedule: ScheduleOut | None = Field(description="null: each page by its own interval.")
    next_due: datetime | None = Field(description="When it is looked at again by its schedule.")


class PageCheckOut(_Out):
    """What was found when a page was looked at, once or many times in a row."""

    outcome: str = Field(description="new, changed, unchanged, gone, failed, or what else came of it.")
    status: int | None = Field(description="HTTP status of the answer; 304 where the server said so itself.")
    content_hash: str = Field(description="Of the text it had from then on.")
    reason: str
    times: int = Field(description="How often in a row.")
    first_at: datetime
    last_at: datetime


class PageOut(_Out):
    """A stored page, or the part of it that was asked for."""

    id: int
    url: str
    title: str
    lang: str
    text: str = Field(description="The text from `start`, as long as asked for.")
    start: int = Field(description="Where this text begins, in Unicode characters.")
    characters: int = Field(description="Length of the whole text.")
    published: datetime | None
    read_at: datetime
    content_hash: str
    generation: int = Field(description="Counts the texts this page has had.")
    is_gone: bool
    checked_at: datetime = Field(description="When it was last looked at.")
    next_due: datetime = Field(description="When it will be looked at again.")
    history: list[PageCheckOut] = Field(description="What was found when it was looked at, the latest first.")


class ReadingOut(_Out):
    """A page that was asked to be read, and how far that has come."""

    id: int
    url: str
    outcome: str | None = Field(description="null while it waits.")
    reason: str | None
    page_id: int | None
    title: str | None
    in_knowledge_base: bool = Field(description="Whether answers can be drawn from it.")


class StatsOut(_Out):
    """How much is kept and how much waits."""

    pages: int = Field(description="Pages that are held.")
    sources: int
    questions: dict[Status, int] = Field(description="By status.")
    queues: dict[str, int] | None = Field(description="Calls that stand in each queue; null while Redis is away.")


class CheckOut(_Out):
    """One part that must work."""

    name: str
    ok: bool
    detail: str
    what_to_do: str = ""


class Readiness(_Out):
    """Whether questions can be answered."""

    ready: bool
    checks: list[CheckOut]
