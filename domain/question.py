"""Define the question, its variants, its budget and its events, and the threads of questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from domain.flow import Status
from domain.published import described, published

if TYPE_CHECKING:
    from domain.options import Overrides

VariantKind = Literal["paraphrase", "perspective_shift", "keyword_focus"]


class EventKind(StrEnum):
    """The kind of an event; a reader must leave out the kinds that it does not know."""

    STATUS = "status"  #: the question has another status
    PAGE = "page"  #: a candidate has an outcome
    WRITING = "writing"  #: the answer as far as it is written
    PROVISIONAL = "provisional"  #: the best answer so far; reading goes on
    FINAL = "final"  #: the question has ended
    CHANGED = "changed"  #: a watched question has another answer
    UNWATCHED = "unwatched"  #: the question is no longer watched
    STOPPED = "stopped"  #: the last event of a watch's stream


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What was asked and answered before, as far as a question may be understood from it."""

    question: str  #: as it was understood
    answer: str = ""  #: its first sentence; "" where there is none yet, or it is not known
    short_answer: str = ""


@dataclass(frozen=True, kw_only=True)
class Attached:
    """A document that a question brings with it: it is answered from these alone, and they serve nothing else."""

    name: str  #: "": it has none
    text: str


@published
class Thread:
    """Questions that are asked one after the other, each understood from those before it."""

    id: str
    title: str = described("Its first question, until it is renamed.")
    questions: int = described("How many were asked in it.")
    created_at: datetime
    updated_at: datetime = described("When it was last asked in.")


@published
class ThreadQuestion:
    """A question of a thread; GET /api/questions/{id} gives its record."""

    id: str
    question: str
    question_as_understood: str | None = described("The completed question, if it was completed from its thread.")
    status: Status
    created_at: datetime
    finished_at: datetime | None


@published
class ThreadWithQuestions(Thread):
    """A thread with its latest questions."""

    turns: tuple[ThreadQuestion, ...] = described("The latest, in the order in which they were asked.")


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The resources one question may use."""

    seconds: float = 120.0  #: in which pages are read; waiting for a worker or a turn is none
    pages: int = 20
    bytes: int = 50_000_000
    depth: int = 3
    cycles: int = 6
    tokens: int = 200_000  #: of a language model, input and output
    usd: float = 0.5


def _no_overrides() -> "Overrides":
    from domain.options import Overrides

    return Overrides()


#: of a question whose requests to a model may wait for a batch
LAST_PRIORITY: Final = -3


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Another wording of a question."""

    kind: VariantKind
    text: str


@dataclass(frozen=True, kw_only=True)
class VariantKey:
    """The key of stored variants."""

    question: str  #: folded, without needless space
    lang: str
    maker: str  #: the model's name
    count: int


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How often a kind of variant was tried for a type of question, and how often it led to a citation."""

    tried: int = 0
    rewarded: int = 0


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with its conditions and its progress."""

    id: str
    text: str  #: as it is understood: what is looked up
    status: Status
    created_at: datetime
    deadline: datetime
    asked: str = ""  #: in its asker's words, where those are others
    thread_id: str = ""
    lang: str = ""  #: ISO 639-1; empty: to be detected
    strategy: str = ""  #: a task strategy's name; empty: the general one
    sites: tuple[str, ...] = ()  #: URL prefixes that answers and the crawl are bound to; empty: anywhere
    langs: tuple[str, ...] = ()  #: languages of the pages that may answer, ISO 639-1; empty: any
    private: bool = False  #: new pages that it has read serve it alone
    crawl_enabled: bool = True
    max_age_s: int | None = None  #: evidence read longer ago does not count
    overrides: "Overrides" = field(default_factory=_no_overrides)
    answer_schema: Mapping[str, Any] | None = None  #: the form that the answer is to have, as JSON Schema
    budget: Budget = field(default_factory=Budget)
    priority: int = 0  #: 0–9, 9 is served first; LAST_PRIORITY after all others
    queries: tuple[str, ...] = ()  #: the question's text and its variants
    variants: tuple[Variant, ...] = ()
    missing: tuple[str, ...] = ()  #: what the last verdict found uncovered
    cycle: int = 0  #: search cycles completed
    waves: int = 0  #: waves of candidates begun
    crawl_reason: str = ""
    crawl_started_at: datetime | None = None
    draft: Mapping[str, Any] = field(default_factory=dict)  #: what a model is to do, as pipeline.draft makes it
    updated_at: datetime | None = None  #: when it got its status
    callback_url: str = ""
    owner: str | None = None  #: whose key asked it; None: an operator's

    @property
    def may_wait(self) -> bool:
        """Return whether its requests to a model may wait for a batch."""
        return self.priority == LAST_PRIORITY
