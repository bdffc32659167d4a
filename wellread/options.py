"""The options of questions, searches and sources. Written by ``make docs`` from the API's bodies."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """How a question is to be asked and answered."""

    #: Read and quote only pages below these URLs.
    sites: Sequence[str]
    #: Answer only from pages in these languages (ISO 639-1).
    langs: Sequence[str]
    #: Your own id for the question; default: a new one.
    id: str
    #: The question that this one follows; what it leaves out is completed from there.
    after: str
    #: The thread; `new` starts one; default: that of `after`, or none.
    thread: str
    #: The complete question, at most 4,000 characters; default: it is completed automatically.
    question_as_understood: str
    #: The collection; default: the key's first, or `default`.
    collection: str
    #: Do not read or quote pages below these URLs.
    exclude_sites: Sequence[str]
    #: Whether `sites` are single pages: nothing below them is read or quoted.
    only_pages: bool
    #: Quote only pages that state a publication date after this.
    published_after: str
    #: Quote only pages that state a publication date before this.
    published_before: str
    #: Quote only pages whose text was read before this.
    read_before: str
    #: Quote only documents whose metadata fits all of these: `team=support|ops`, `team!=sales`, `year>=2020`.
    filters: Sequence[str]
    #: Quote only pages of the web, files, or documents.
    source_kinds: Sequence[str]
    #: Length of the answer: short is one passage, normal as many as the question needs (at most three), long up to six;
    #: a report has sections with headings.
    length: str
    #: Whether the answer is only sentences of the pages, none in a model's words; default: the operator's setting.
    verbatim: bool
    #: How a model should write the answer, such as its form, tone or terms; it cannot change what counts as a source.
    instructions: str
    #: Language (ISO 639-1) that a model writes in; without a model, of the quoted pages.
    answer_language: str
    #: Whether a model may take up to a day to answer, at half the price; default: the operator's setting.
    batch: bool
    #: Confidence from which the outcome is `answered`, from 0 to 1, instead of the strategy's.
    threshold: float
    #: Whether the outcome is `unknown` where it would be `unsure`; default: the operator's setting.
    strict: bool
    #: Other wordings in phase 2; 0: none; default: the operator's setting.
    variants: int
    #: Hits in phase 1; phase 2 retrieves twice as many; default: chosen from the question.
    top_k: int
    #: A JSON Schema for values to extract, each with a citation or null.
    answer_schema: Mapping[str, Any]
    #: Whether to crawl if too little is known.
    crawl_enabled: bool
    #: Most waves of reading; 0 reads nothing.
    max_search_cycles: int
    #: Ignore evidence that was read longer ago than this many seconds.
    max_age: int
    #: How certain the answer must be; default: general.
    strategy: str
    #: ISO 639-1; default: detected from the question.
    lang: str
    #: 9 is served first.
    priority: int
    #: Whether to reuse the answer, or join the run, of an equal question.
    reuse: bool
    #: A Celery task on the same Redis that gets the record when the question ends.
    reply_to: Mapping[str, Any]
    #: Ask it again when a page that its answer cites changes.
    watch: bool
    #: What the question may use.
    budget: Mapping[str, Any]
    #: Your own data (at most 4,096 bytes as JSON): in the record, the events and the webhook again.
    metadata: Mapping[str, Any]


class Terms(Options, total=False):
    """Further options of a question that nobody waits for."""

    #: Receives a signed POST when the question ends.
    callback_url: str
    #: The events that `callback_url` receives; default: all.
    callback_events: Sequence[str]
    #: Seconds until it ends with the best answer so far; default: 900, or with `batch` 86400.
    deadline: float


class Filters(TypedDict, total=False):
    """What a search is bound to."""

    #: The collection; default: the key's first, or `default`.
    collection: str
    #: Only pages below these URLs.
    sites: Sequence[str]
    #: No pages below these URLs.
    exclude_sites: Sequence[str]
    #: Only pages in these languages (ISO 639-1).
    langs: Sequence[str]
    #: Only passages with a part of one of these kinds.
    kinds: Sequence[str]
    #: Only pages that state a publication date after this.
    published_after: str
    #: Only pages read, or seen unchanged, after this.
    read_after: str
    #: Only pages whose text was read before this.
    read_before: str
    #: Only pages that state a publication date before this.
    published_before: str
    #: Only documents whose metadata fits all of these, as in `team=support|ops`, `team!=sales`, `year>=2020`.
    filters: Sequence[str]
    #: Only pages of the web, files, or documents.
    source_kinds: Sequence[str]
    #: Most passages to return.
    limit: int
    #: The query's language; default: detected from its words.
    lang: str


class QuestionFilters(TypedDict, total=False):
    """Which questions are meant."""

    #: The collection; default: the key's first, or `default`.
    collection: str
    #: Only those with these ids.
    id: Sequence[str]
    #: Only those with one of these statuses.
    status: Sequence[str]
    #: Only those with one of these outcomes.
    outcome: Sequence[str]
    #: Only those that ended without an answer: unknown, failed or out of time.
    unanswered: bool
    #: Only those whose final answer has at least this confidence.
    min_confidence: float
    #: Only those whose final answer has at most this confidence.
    max_confidence: float
    #: Only those with these words in the question, in this order.
    text: str
    #: Only those of a thread.
    thread: str
    #: Only those asked with the API key of this name.
    key: str
    #: Only those whose metadata has this value: `name=value`.
    metadata: Sequence[str]
    #: Only those asked at this time or later.
    asked_after: str
    #: Only those asked before this time.
    asked_before: str
    #: Only those that ended before this time.
    ended_before: str


class SourceOptions(TypedDict, total=False):
    """What is set of a source."""

    #: Seconds between two requests to it; null: the server's setting.
    min_delay_s: float | None
    #: Whether to pause it; its schedule is kept.
    paused: bool
    #: Patterns of the paths that are read of it (`*`: any characters); empty: all.
    include: Sequence[str]
    #: Patterns of the paths that are not read of it.
    exclude: Sequence[str]
    #: CSS selectors of what counts as content of its pages, as it stands; empty: found by itself.
    select: Sequence[str]
    #: CSS selectors of what does not count as content of its pages.
    drop: Sequence[str]
    #: Most links from its front page that are followed; null: no limit.
    depth: int | None
    #: Whether it is read whatever robots.txt and noindex say. Only for your own.
    ignore_robots: bool
    #: Receives a signed POST for each page that is new, changed or removed; it is not shown again.
    callback_url: str | None
    #: Whether nothing but the page with this URL is read.
    page_only: bool
    #: Check it this often: 90m, 6h, 1d12h.
    every: str | None
    #: Check it at these times: a cron line, such as "0 3 * * *".
    cron: str | None
    #: Time zone of the cron line, such as Europe/Berlin; null: as it is.
    zone: str | None
    #: How a source of your own is reached; what is left out stays, null takes it all back. It is not shown again.
    access: Mapping[str, Any] | None
