"""The options of questions and searches. Written by ``make docs`` from the API's bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """How a question is to be asked and answered."""

    #: Read and answer from these only.
    sites: Sequence[str]
    #: Answer from pages in these languages only (ISO 639-1).
    langs: Sequence[str]
    #: An id of your own, under which the answer is found; left out: one is made.
    id: str
    #: The question that it follows: what it leaves out is understood from there.
    after: str
    #: The thread that it is asked in; `new` begins one; left out: that of `after`, or none.
    thread: str
    #: What to look up for it, at most 4,000 characters; left out: it is completed here.
    question_as_understood: str
    #: The collection that is meant; left out: the key's first, or `default`.
    collection: str
    #: Neither read nor quote pages below these URLs.
    exclude_sites: Sequence[str]
    #: Quote only pages that say they were published after this.
    published_after: str
    #: Of the answer: one quote, up to five, or up to six.
    length: str
    #: What a model writes in (ISO 639-1); without a model: of the pages that are quoted.
    answer_language: str
    #: The confidence that suffices, instead of the strategy's, 0 to 1.
    threshold: float
    #: Other wordings in phase 2; 0: none; left out: the operator's number.
    variants: int
    #: Hits of phase 1, and half of those of phase 2; left out: from the question.
    top_k: int
    #: A JSON Schema that the answer fills too: an object of values or lists, each cited or null.
    answer_schema: Mapping[str, Any]
    #: Whether the web may be read when too little is known.
    crawl_enabled: bool
    #: Waves of reading; 0 reads nothing.
    max_search_cycles: int
    #: Evidence read longer ago than this many seconds is ignored.
    max_age: int
    #: How sure the answer must be; left out: from the question.
    strategy: str
    #: ISO 639-1; left out: from the question.
    lang: str
    #: 9 is served first.
    priority: int
    #: Whether an equal question's answer, or run, may be given.
    reuse: bool
    #: Ask it again when a page that its answer cites changes.
    watch: bool
    #: What the question may use.
    budget: Mapping[str, Any]


class Terms(Options, total=False):
    """Further options of a question that nobody waits for."""

    #: Told by a signed POST when the question ends.
    callback_url: str
    #: Seconds until it ends with the best answer there is.
    deadline: float


class Filters(TypedDict, total=False):
    """What a search is bound to."""

    #: The collection that is meant; left out: the key's first, or `default`.
    collection: str
    #: Pages below these URLs only.
    sites: Sequence[str]
    #: No pages below these URLs.
    exclude_sites: Sequence[str]
    #: Pages in these languages only (ISO 639-1).
    langs: Sequence[str]
    #: Passages with a part of one of these kinds only.
    kinds: Sequence[str]
    #: Pages that say they were published after this only.
    published_after: str
    #: Pages read, or seen unchanged, after this only.
    read_after: str
    #: Most passages to return.
    limit: int
    #: Of the query; left out: from its words.
    lang: str
