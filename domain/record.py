"""A question's record: the same for the store that builds it, the API that gives it and the client that gets it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from domain.answer import Citation, Cost, Form, NextQuestion, Sentence, StructuredAnswer, Verdict
from domain.flow import Status
from domain.outcome import Outcome
from domain.page import BlockKind
from domain.published import Received, described, published

FeedbackVerdict = Literal["right", "wrong", "citation_wrong"]


@published
class ContextHit:
    """A passage the answer was made from."""

    rank: int = described("Among the hits; 1 is best.")
    original_rank: int = described("Before reranking; 0: it was not reranked.", default=0)
    score: float = described(
        "The order of this answer's hits: higher is better; it is not a probability, and scores of "
        "two questions do not compare."
    )
    rerank_score: float | None = described("The reranker's, from 0 to 1; null if nothing was reranked.", default=None)
    similarity: float | None = described("1 − cosine distance to the query; null if it was not compared.", default=None)
    passage_id: str
    page_id: int
    url: str
    title: str
    text: str


@published
class NearPassage:
    """A passage that is near the question and no part of the answer."""

    passage_id: str
    page_id: int = described("GET /api/pages/{page_id} gives the page's text.")
    url: str
    title: str = described("The page's title, and the headings above the passage, if any.")
    text: str = described("Its beginning: at most 300 characters.")


@published
class FoundPassage(Received):
    """A passage that a search found."""

    rank: int = described("1 is best.")
    score: float = described(
        "What the passages are ordered by, within this search; scores of two searches do not compare."
    )
    similarity: float | None = described("1 − cosine distance to the query; null if it was not compared.")
    passage_id: str
    page_id: int = described("GET /api/pages/{page_id} gives the page's text.")
    url: str
    title: str
    lang: str
    text: str
    start: int = described("Offset in the page's text, in Unicode characters.")
    end: int
    kinds: tuple[BlockKind, ...] = described("The kinds of its parts, if known.", default=())
    published: datetime | None = None
    read_at: datetime | None = None


@published
class PageSeen:
    """A page chosen for this question and what came of it."""

    url: str
    title: str
    outcome: str | None = described(
        "read, known, unchanged, empty, wall, gone, forbidden, blocked, failed or skipped; null while it waits."
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


@published
class Watch:
    """A question that is asked again when its evidence changes."""

    question_id: str
    question: str
    status: Status
    callback_url: str | None
    created_at: datetime
    changed_at: datetime | None = described("When its watcher was last told of another answer.")


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


@published
class Record(Received):
    """A question as its asker sees it."""

    id: str
    question: str = described("In its asker's words.")
    question_as_understood: str | None = described(
        "The completed question, if it was completed from its thread.", default=None
    )
    thread: str | None = described("The id of the thread that it belongs to.", default=None)
    metadata: Mapping[str, Any] = described("What its asker gave it as `metadata`.", default_factory=dict)
    asks_back: bool = described("Whether it lacks what it is about: `answer` asks for that.", default=False)
    status: Status
    outcome: Outcome | None = described(
        "What it came to: `answered`, `unsure` (perhaps right: status ANSWERED too) or `unknown` (ABSTAINED); null "
        "until then, and if it failed, was cancelled or ran out of time.",
        default=None,
    )
    current_step: str | None = described("The phase that works on it; null at the end.")
    final_step: str | None = described("The phase that ended it; null until then.")
    provisional: bool = described("Whether the answer may still change.")
    answer: str | None = described("The answer in Markdown with its [n] markers, or an honest “not known”.")
    short_answer: str | None = described(
        "Only what was asked; null if that is uncertain, as of an unsure answer. Of a model's answer only its yes "
        "or no.",
        default=None,
    )
    confidence: float = described("Of the answer, from 0 to 1.")
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    context: tuple[ContextHit, ...] = described("The passages the answer was made from.")
    nearest: tuple[NearPassage, ...] = described(
        "If the outcome is unsure or unknown: the nearest passages, at most three; not an answer.", default=()
    )
    structured: StructuredAnswer | None = described(
        "The final answer in the form of `answer_schema`, if one was given.", default=None
    )
    related: tuple[NextQuestion, ...] = described(
        "What to ask next: the nearest pages say something on it.", default=()
    )
    composer: str | None = described("“extractive”, the model's name, or “operator”: it is an operator's own.")
    notice: str = described("What must be known of how the answer was made.")
    verdict: Verdict | None
    retry_attempted: bool = described("Whether phase 2 looked again in other words.")
    paraphrased_queries: tuple[str, ...] = described("Those other words.")
    online_search_triggered: bool = described("Whether phase 3 began, even if it read no page (`live_urls`).")
    crawl_reason: str | None = described("Why phase 3 began.")
    stop_reason: str | None = described("Why the reading ended.")
    rag_hits_count: int
    sql_hits_count: int
    graph_hits_count: int
    live_urls: tuple[str, ...] = described("The pages read for this question.")
    pages: tuple[PageSeen, ...]
    search_cycles_completed: int
    max_search_cycles: int
    entity: str | None = described("The first thing the question names.")
    timings: tuple[Timing, ...]
    seconds: float = described("From asking to the end, or to now.")
    cost: Cost
    error: str | None = described("What went wrong, for a question that failed.")
    revision: int = described("Counts the answers given; 0 before the first.")
    shared_with: str | None = described("The equal question in flight whose run this one shares.", default=None)
    cached_from: str | None = described("The equal question whose answer was given again.", default=None)
    stale: bool = described("Whether a page that the answer cites has changed or vanished.", default=False)
    stale_at: datetime | None = described("When that was found.", default=None)
    watched: bool = described("Whether it is asked again when that happens.", default=False)
    changed_at: datetime | None = described("When its watcher was last told of another answer.", default=None)
    round: int = described("How often it was asked again.", default=0)
    feedback: Feedback | None = described("What a reader said of this revision.", default=None)
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


@published
class QuestionLine:
    """A question with its latest answer in one line, as an export has it."""

    id: str
    question: str = described("In its asker's words.")
    metadata: Mapping[str, Any] = described("What its asker gave it.")
    thread: str | None
    status: Status
    outcome: Outcome | None
    confidence: float | None = described("Of the latest answer; null without one.")
    answer: str | None
    short_answer: str | None
    citations: tuple[CitedLine, ...]
    structured: Form | None = described("The answer's values in the form of its schema.")
    error: str | None
    created_at: datetime
    finished_at: datetime | None


@published
class QuestionSummary:
    """A question in a list."""

    id: str
    question: str
    question_as_understood: str | None = described("What was looked up, where it was completed.")
    thread: str | None = described("The id of its thread.")
    status: Status
    outcome: Outcome | None = described("What it came to, as in its record.")
    confidence: float | None = described("Of its final answer; null without one.")
    metadata: Mapping[str, Any] = described("What its asker gave it.")
    created_at: datetime
    finished_at: datetime | None


@published
class Delivery(Received):
    """A webhook, and what came of it."""

    id: int
    event: str
    question_id: str | None = described("The question that it is about; null: none.")
    url: str = described("The receiver, without the query of its address.")
    status: str = described("WAITING, DELIVERED or FAILED.")
    attempts: int
    response_status: int | None = described("HTTP status of the receiver's last response.")
    response: str | None = described("The first 500 bytes of it.")
    seconds: float | None = described("How long the last try took.")
    error: str | None = described("Why the last try failed.")
    created_at: datetime
    tried_at: datetime | None
    delivered_at: datetime | None
    next_try_at: datetime | None


@published
class WebhookTried(Received):
    """What came of a test of a receiver."""

    delivered: bool = described("Whether it answered with a status below 300.")
    signed: bool = described("Whether the request had a signature: WELLREAD_WEBHOOK_SECRET is set.")
    response_status: int | None
    response: str | None = described("The first 500 bytes.")
    seconds: float
    error: str | None = described("Why it failed; null: it did not.")


@published
class BulkItem:
    """What came of one of several questions."""

    line: int = described("Its place among those sent; the first is 1.")
    id: str | None = described("As it was given.")
    question_id: str | None = described("Its id here; null: it was not asked.", default=None)
    status: Status | None = None
    is_new: bool = described("false: it was asked before, with this id.", default=False)
    problem: Mapping[str, Any] | None = described(
        "Why it was not asked: type, title, status, detail and what_to_do.", default=None
    )


@published
class Bulk:
    """What came of several questions, in the order in which they were sent."""

    questions: tuple[BulkItem, ...]
    retry_after_s: int | None = described(
        "Seconds after which to send those again for which there was no room; null: none.", default=None
    )


@published
class BulkChange:
    """What came of a change to many questions."""

    done: int = described("Questions that it was done to.")
    left: int = described("Questions that it is still to be done to: ask again. With `dry_run`, those that are meant.")
    retry_after_s: int | None = described(
        "Seconds after which there may be room for the rest; null: at once.", default=None
    )
