"""A question's record: the same for the store that builds it, the API that gives it and the client that gets it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from domain.answer import Citation, Cost, Form, NextQuestion, Sentence, StructuredAnswer, Verdict
from domain.flow import Status
from domain.outcome import Outcome
from domain.page import BlockKind
from domain.published import Received, described

FeedbackVerdict = Literal["right", "wrong", "citation_wrong"]


@dataclass(frozen=True, kw_only=True)
class ContextHit:
    """A passage the answer was made from."""

    rank: int = field(metadata=described("Among the hits; 1 is best."))
    original_rank: int = field(default=0, metadata=described("Before reranking; 0: it was not reranked."))
    score: float = field(
        metadata=described(
            "The order of this answer's hits: higher is better; it is not a probability, and scores of "
            "two questions do not compare."
        )
    )
    rerank_score: float | None = field(
        default=None, metadata=described("The reranker's, from 0 to 1; null if nothing was reranked.")
    )
    similarity: float | None = field(
        default=None, metadata=described("1 − cosine distance to the query; null if it was not compared.")
    )
    passage_id: str
    page_id: int
    url: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class NearPassage:
    """A passage that is near the question and no part of the answer."""

    passage_id: str
    page_id: int = field(metadata=described("GET /api/pages/{page_id} gives the page's text."))
    url: str
    title: str = field(metadata=described("The page's title, and the headings above the passage, if any."))
    text: str = field(metadata=described("Its beginning: at most 300 characters."))


@dataclass(frozen=True, kw_only=True)
class FoundPassage(Received):
    """A passage that a search found."""

    rank: int = field(metadata=described("1 is best."))
    score: float = field(
        metadata=described(
            "What the passages are ordered by, within this search; scores of two searches do not compare."
        )
    )
    similarity: float | None = field(
        metadata=described("1 − cosine distance to the query; null if it was not compared.")
    )
    passage_id: str
    page_id: int = field(metadata=described("GET /api/pages/{page_id} gives the page's text."))
    url: str
    title: str
    lang: str
    text: str
    start: int = field(metadata=described("Offset in the page's text, in Unicode characters."))
    end: int
    kinds: tuple[BlockKind, ...] = field(default=(), metadata=described("The kinds of its parts, if known."))
    published: datetime | None = None
    read_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class PageSeen:
    """A page chosen for this question and what came of it."""

    url: str
    title: str
    outcome: str | None = field(
        metadata=described(
            "read, known, unchanged, empty, wall, gone, forbidden, blocked, failed or skipped; null while it waits."
        )
    )
    reason: str | None
    wave: int


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long one step took."""

    step: str
    cycle: int
    attempt: int
    outcome: str
    seconds: float
    started_at: datetime


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What a reader said of one revision of an answer."""

    verdict: FeedbackVerdict
    comment: str
    revision: int
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Watch:
    """A question that is asked again when its evidence changes."""

    question_id: str
    question: str
    status: Status
    callback_url: str | None
    created_at: datetime
    changed_at: datetime | None = field(metadata=described("When its watcher was last told of another answer."))


@dataclass(frozen=True, kw_only=True)
class Event:
    """One step of progress."""

    id: str  #: give it as ``after`` to get only later events; empty for one that was read from the rows
    kind: str  #: status, page, writing, provisional, final, changed or stopped
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class CitedLine:
    """A citation in one line."""

    n: int
    url: str
    title: str
    quote: str


@dataclass(frozen=True, kw_only=True)
class Record(Received):
    """A question as its asker sees it."""

    id: str
    question: str = field(metadata=described("In its asker's words."))
    question_as_understood: str | None = field(
        default=None, metadata=described("The completed question, if it was completed from its thread.")
    )
    thread: str | None = field(default=None, metadata=described("The id of the thread that it belongs to."))
    metadata: Mapping[str, Any] = field(
        default_factory=dict, metadata=described("What its asker gave it as `metadata`.")
    )
    asks_back: bool = field(
        default=False, metadata=described("Whether it lacks what it is about: `answer` asks for that.")
    )
    status: Status
    outcome: Outcome | None = field(
        default=None,
        metadata=described(
            "What it came to: `answered`, `unsure` (perhaps right: status ANSWERED too) or `unknown` (ABSTAINED); null "
            "until then, and if it failed, was cancelled or ran out of time."
        ),
    )
    current_step: str | None = field(metadata=described("The phase that works on it; null at the end."))
    final_step: str | None = field(metadata=described("The phase that ended it; null until then."))
    provisional: bool = field(metadata=described("Whether the answer may still change."))
    answer: str | None = field(
        metadata=described("The answer in Markdown with its [n] markers, or an honest “not known”.")
    )
    short_answer: str | None = field(
        default=None,
        metadata=described(
            "Only what was asked; null if that is uncertain, as of an unsure answer. Of a model's answer only its yes "
            "or no."
        ),
    )
    confidence: float = field(metadata=described("Of the answer, from 0 to 1."))
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    context: tuple[ContextHit, ...] = field(metadata=described("The passages the answer was made from."))
    nearest: tuple[NearPassage, ...] = field(
        default=(),
        metadata=described("If the outcome is unsure or unknown: the nearest passages, at most three; not an answer."),
    )
    structured: StructuredAnswer | None = field(
        default=None, metadata=described("The final answer in the form of `answer_schema`, if one was given.")
    )
    related: tuple[NextQuestion, ...] = field(
        default=(), metadata=described("What to ask next: the nearest pages say something on it.")
    )
    composer: str | None = field(
        metadata=described("“extractive”, the model's name, or “operator”: it is an operator's own.")
    )
    notice: str = field(metadata=described("What must be known of how the answer was made."))
    verdict: Verdict | None
    retry_attempted: bool = field(metadata=described("Whether phase 2 looked again in other words."))
    paraphrased_queries: tuple[str, ...] = field(metadata=described("Those other words."))
    online_search_triggered: bool = field(
        metadata=described("Whether phase 3 began, even if it read no page (`live_urls`).")
    )
    crawl_reason: str | None = field(metadata=described("Why phase 3 began."))
    stop_reason: str | None = field(metadata=described("Why the reading ended."))
    rag_hits_count: int
    sql_hits_count: int
    graph_hits_count: int
    live_urls: tuple[str, ...] = field(metadata=described("The pages read for this question."))
    pages: tuple[PageSeen, ...]
    search_cycles_completed: int
    max_search_cycles: int
    entity: str | None = field(metadata=described("The first thing the question names."))
    timings: tuple[Timing, ...]
    seconds: float = field(metadata=described("From asking to the end, or to now."))
    cost: Cost
    error: str | None = field(metadata=described("What went wrong, for a question that failed."))
    revision: int = field(metadata=described("Counts the answers given; 0 before the first."))
    shared_with: str | None = field(
        default=None, metadata=described("The equal question in flight whose run this one shares.")
    )
    cached_from: str | None = field(
        default=None, metadata=described("The equal question whose answer was given again.")
    )
    stale: bool = field(
        default=False, metadata=described("Whether a page that the answer cites has changed or vanished.")
    )
    stale_at: datetime | None = field(default=None, metadata=described("When that was found."))
    watched: bool = field(default=False, metadata=described("Whether it is asked again when that happens."))
    changed_at: datetime | None = field(
        default=None, metadata=described("When its watcher was last told of another answer.")
    )
    round: int = field(default=0, metadata=described("How often it was asked again."))
    feedback: Feedback | None = field(default=None, metadata=described("What a reader said of this revision."))
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class QuestionLine:
    """A question with its latest answer in one line, as an export has it."""

    id: str
    question: str = field(metadata=described("In its asker's words."))
    metadata: Mapping[str, Any] = field(metadata=described("What its asker gave it."))
    thread: str | None
    status: Status
    outcome: Outcome | None
    confidence: float | None = field(metadata=described("Of the latest answer; null without one."))
    answer: str | None
    short_answer: str | None
    citations: tuple[CitedLine, ...]
    structured: Form | None = field(metadata=described("The answer's values in the form of its schema."))
    error: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class QuestionSummary:
    """A question in a list."""

    id: str
    question: str
    question_as_understood: str | None = field(metadata=described("What was looked up, where it was completed."))
    thread: str | None = field(metadata=described("The id of its thread."))
    status: Status
    outcome: Outcome | None = field(metadata=described("What it came to, as in its record."))
    confidence: float | None = field(metadata=described("Of its final answer; null without one."))
    metadata: Mapping[str, Any] = field(metadata=described("What its asker gave it."))
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Delivery(Received):
    """A webhook, and what came of it."""

    id: int
    event: str
    question_id: str | None = field(metadata=described("The question that it is about; null: none."))
    url: str = field(metadata=described("The receiver, without the query of its address."))
    status: str = field(metadata=described("WAITING, DELIVERED or FAILED."))
    attempts: int
    response_status: int | None = field(metadata=described("HTTP status of the receiver's last response."))
    response: str | None = field(metadata=described("The first 500 bytes of it."))
    seconds: float | None = field(metadata=described("How long the last try took."))
    error: str | None = field(metadata=described("Why the last try failed."))
    created_at: datetime
    tried_at: datetime | None
    delivered_at: datetime | None
    next_try_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class WebhookTried(Received):
    """What came of a test of a receiver."""

    delivered: bool = field(metadata=described("Whether it answered with a status below 300."))
    signed: bool = field(metadata=described("Whether the request had a signature: WELLREAD_WEBHOOK_SECRET is set."))
    response_status: int | None
    response: str | None = field(metadata=described("The first 500 bytes."))
    seconds: float
    error: str | None = field(metadata=described("Why it failed; null: it did not."))


@dataclass(frozen=True, kw_only=True)
class BulkItem:
    """What came of one of several questions."""

    line: int = field(metadata=described("Its place among those sent; the first is 1."))
    id: str | None = field(metadata=described("As it was given."))
    question_id: str | None = field(default=None, metadata=described("Its id here; null: it was not asked."))
    status: Status | None = None
    is_new: bool = field(default=False, metadata=described("false: it was asked before, with this id."))
    problem: Mapping[str, Any] | None = field(
        default=None, metadata=described("Why it was not asked: type, title, status, detail and what_to_do.")
    )


@dataclass(frozen=True, kw_only=True)
class Bulk:
    """What came of several questions, in the order in which they were sent."""

    questions: tuple[BulkItem, ...]
    retry_after_s: int | None = field(
        default=None,
        metadata=described("Seconds after which to send those again for which there was no room; null: none."),
    )


@dataclass(frozen=True, kw_only=True)
class BulkChange:
    """What came of a change to many questions."""

    done: int = field(metadata=described("Questions that it was done to."))
    left: int = field(
        metadata=described("Questions that it is still to be done to: ask again. With `dry_run`, those that are meant.")
    )
    retry_after_s: int | None = field(
        default=None, metadata=described("Seconds after which there may be room for the rest; null: at once.")
    )
