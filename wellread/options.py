"""The options of the client. Written by ``make docs`` from the API's bodies."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """How a question is to be asked and answered."""

    sites: Sequence[str]  # Read and quote only pages below these URLs.
    langs: Sequence[str]  # Answer only from pages in these languages (ISO 639-1).
    id: str  # Your own id for the question; default: a new one.
    after: str  # The question that this one follows; what it leaves out is completed from there.
    thread: str  # The thread; `new` starts one; default: that of `after`, or none.
    # The complete question, at most 4,000 characters; default: it is completed automatically.
    question_as_understood: str
    collection: str  # The collection; default: the key's first, or `default`.
    exclude_sites: Sequence[str]  # Do not read or quote pages below these URLs.
    only_pages: bool  # Whether `sites` are single pages: nothing below them is read or quoted.
    published_after: str  # Quote only pages that state a publication date after this.
    published_before: str  # Quote only pages that state a publication date before this.
    read_before: str  # Quote only pages whose text was read before this.
    # Quote only documents whose metadata fits all of these: `team=support|ops`, `team!=sales`, `year>=2020`.
    filters: Sequence[str]
    source_kinds: Sequence[str]  # Quote only pages of the web, files, or documents.
    # Length of the answer: short is one passage, normal as many as the question needs (at most three), long up to six;
    # a report has sections with headings.
    length: str
    # Whether the answer is only sentences of the pages, none in a model's words; default: the operator's setting.
    verbatim: bool
    # How a model should write the answer, such as its form, tone or terms; it cannot change what counts as a source.
    instructions: str
    answer_language: str  # Language (ISO 639-1) that a model writes in; without a model, of the quoted pages.
    batch: bool  # Whether a model may take up to a day to answer, at half the price; default: the operator's setting.
    threshold: float  # Confidence from which the outcome is `answered`, from 0 to 1, instead of the strategy's.
    strict: bool  # Whether the outcome is `unknown` where it would be `unsure`; default: the operator's setting.
    variants: int  # Other wordings in phase 2; 0: none; default: the operator's setting.
    top_k: int  # Hits in phase 1; phase 2 retrieves twice as many; default: chosen from the question.
    answer_schema: Mapping[str, Any]  # A JSON Schema for values to extract, each with a citation or null.
    crawl_enabled: bool  # Whether to crawl if too little is known.
    max_search_cycles: int  # Most waves of reading; 0 reads nothing.
    max_age: int  # Ignore evidence that was read longer ago than this many seconds.
    strategy: str  # How certain the answer must be; default: general.
    lang: str  # ISO 639-1; default: detected from the question.
    priority: int  # 9 is served first.
    reuse: bool  # Whether to reuse the answer, or join the run, of an equal question.
    reply_to: Mapping[str, Any]  # A Celery task on the same Redis that gets the record when the question ends.
    watch: bool  # Ask it again when a page that its answer cites changes.
    budget: Mapping[str, Any]  # What the question may use.
    # Your own data (at most 4,096 bytes as JSON): in the record, the events and the webhook again.
    metadata: Mapping[str, Any]


class Terms(Options, total=False):
    """Further options of a question that nobody waits for."""

    callback_url: str  # Receives a signed POST when the question ends.
    callback_events: Sequence[str]  # The events that `callback_url` receives; default: all.
    deadline: float  # Seconds until it ends with the best answer so far; default: 900, or with `batch` 86400.


class Filters(TypedDict, total=False):
    """What a search is bound to."""

    collection: str  # The collection; default: the key's first, or `default`.
    sites: Sequence[str]  # Only pages below these URLs.
    exclude_sites: Sequence[str]  # No pages below these URLs.
    langs: Sequence[str]  # Only pages in these languages (ISO 639-1).
    kinds: Sequence[str]  # Only passages with a part of one of these kinds.
    published_after: str  # Only pages that state a publication date after this.
    read_after: str  # Only pages read, or seen unchanged, after this.
    read_before: str  # Only pages whose text was read before this.
    published_before: str  # Only pages that state a publication date before this.
    # Only documents whose metadata fits all of these, as in `team=support|ops`, `team!=sales`, `year>=2020`.
    filters: Sequence[str]
    source_kinds: Sequence[str]  # Only pages of the web, files, or documents.
    limit: int  # Most passages to return.
    lang: str  # The query's language; default: detected from its words.


class QuestionFilters(TypedDict, total=False):
    """Which questions are meant."""

    collection: str  # The collection; default: the key's first, or `default`.
    id: Sequence[str]  # Only those with these ids.
    status: Sequence[str]  # Only those with one of these statuses.
    outcome: Sequence[str]  # Only those with one of these outcomes.
    unanswered: bool  # Only those that ended without an answer: unknown, failed or out of time.
    min_confidence: float  # Only those whose final answer has at least this confidence.
    max_confidence: float  # Only those whose final answer has at most this confidence.
    text: str  # Only those with these words in the question, in this order.
    thread: str  # Only those of a thread.
    key: str  # Only those asked with the API key of this name.
    metadata: Sequence[str]  # Only those whose metadata has this value: `name=value`.
    asked_after: str  # Only those asked at this time or later.
    asked_before: str  # Only those asked before this time.
    ended_before: str  # Only those that ended before this time.


class SourceOptions(TypedDict, total=False):
    """What is set of a source."""

    min_delay_s: float | None  # Seconds between two requests to it; null: the server's setting.
    paused: bool  # Whether to pause it; its schedule is kept.
    include: Sequence[str]  # Patterns of the paths that are read of it (`*`: any characters); empty: all.
    exclude: Sequence[str]  # Patterns of the paths that are not read of it.
    select: Sequence[str]  # CSS selectors of what counts as content of its pages, as it stands; empty: found by itself.
    drop: Sequence[str]  # CSS selectors of what does not count as content of its pages.
    depth: int | None  # Most links from its front page that are followed; null: no limit.
    ignore_robots: bool  # Whether it is read whatever robots.txt and noindex say. Only for your own.
    # Receives a signed POST for each page that is new, changed or removed; it is not shown again.
    callback_url: str | None
    page_only: bool  # Whether nothing but the page with this URL is read.
    every: str | None  # Check it this often: 90m, 6h, 1d12h.
    cron: str | None  # Check it at these times: a cron line, such as "0 3 * * *".
    zone: str | None  # Time zone of the cron line, such as Europe/Berlin; null: as it is.
    # How a source of your own is reached; what is left out stays, null takes it all back. It is not shown again.
    access: Mapping[str, Any] | None


class FolderOptions(TypedDict, total=False):
    """How a folder elsewhere is watched."""

    name: str  # Its files have addresses below files://NAME/.
    every: str  # Check it this often: 90s, 6h, 1d12h.
    link: str  # What URLs in citations begin with; the file's path follows. Empty: the repository's page or s3://….
    ref: str  # Git: branch or tag; empty: the repository's own choice.
    path: str  # Git: folder in the repository; empty: all of it.
    region: str  # S3: such as eu-west-1; empty: us-east-1.
    endpoint: str  # S3: URL of the service; empty: that of AWS.
    user: str  # User, or access key id. None of the three is shown again.
    password: str  # Password or token, or secret access key.
    token: str  # S3: session token.
