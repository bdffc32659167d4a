"""The verdict on hits; the answer with its sentences, citations and cost, its short answer, and its parts as shown.

What callers get of it is :class:`domain.record.Record`: a new field goes there too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, Literal, Self

from domain.page import Block
from domain.published import UNPUBLISHED, always_sent, described, published

#: the composers of what no model wrote: of quotes, and of "I do not know"
EXTRACTIVE, ABSTENTION = "extractive", "abstention"
#: the composer of what is asked back
ASKING_BACK: Final = "asking back"


@always_sent("missing", "judge")
class Verdict:
    """Whether the hits sufficed."""

    sufficient: bool
    confidence: float = described("Calibrated probability that the hits answer the question.")
    reason: str
    missing: tuple[str, ...] = described("Words of the question that the hits do not cover.", default=())
    not_mentioned: str = described(
        "A name or year of the question that no hit mentions: no sure answer is given.", default=""
    )
    judge: str = ""  #: the name of the judge
    shipped_confidence: float | None = described(
        "The confidence before readers' feedback corrected it; null: it did not.", default=None
    )
    #: calibrated probability that the first quote alone answers; None: it has no other than the confidence
    first_quote: float | None = field(default=None, metadata=UNPUBLISHED)
    embedder: str = field(default="", metadata=UNPUBLISHED)  #: whose similarities were weighed
    #: what was weighed: feature → value; verdicts that differ in it alone are equal
    evidence: Mapping[str, float] = field(default_factory=dict, compare=False, metadata=UNPUBLISHED)

    @property
    def of_first_quote(self) -> float:
        """The confidence in the first quote alone."""
        return self.confidence if self.first_quote is None else self.first_quote

    @property
    def of_answer(self) -> float:
        """The confidence in what is shown: only the first quote where the hits do not suffice."""
        return self.confidence if self.sufficient else self.of_first_quote


@published
class Citation:
    """A link from the answer to a span of a stored page."""

    marker: int = described("The number shown in the answer.")
    passage_id: str
    page_id: int = described("GET /api/pages/{page_id} gives the page's text.")
    url: str
    title: str = described("The page's title, and the headings above the quote, if any.")
    quote: str = described("Exactly the stored text from `start` to `end`.")
    start: int = described("Offset in the page's text, in Unicode characters.")
    end: int
    place: str = described("Where in a file: its page, slide or row, such as page 3.", default="")
    published: datetime | None = None
    modified: datetime | None = described("As the page itself says.", default=None)
    read_at: datetime | None = described("When the page was last seen to say so.", default=None)
    blocks: tuple[Block, ...] = field(default=(), compare=False, repr=False, metadata=UNPUBLISHED)  #: of the quote

    @property
    def name(self) -> str:
        """Where the quote is, in words: the title with the headings above it, and its page, slide or row."""
        return ", ".join(filter(None, (self.title.strip() or self.url, self.place)))


@dataclass(frozen=True, kw_only=True)
class CitedPage:
    """What a citation says of its page, besides the quote."""

    title: str
    headings: tuple[tuple[int, str], ...]  #: (offset in its text, heading) in order
    places: tuple[tuple[int, str], ...]  #: (offset in its text, "page 3") in order, of files that have such
    published: datetime | None
    modified: datetime | None  #: as the page itself says
    seen_at: datetime  #: when it was last seen with the stored text
    missing: tuple[str, ...] = ()  #: what of it could not be read


@dataclass(frozen=True, kw_only=True)
class Focus:
    """The few words of a sentence that say just what was asked."""

    start: int  #: the words are ``text[start:end]``
    end: int
    confidence: float  #: that these are the words, [0, 1]


@dataclass(frozen=True, kw_only=True)
class ChosenSentence:
    """The sentence of a quote that was chosen; what stands beside it belongs to it."""

    start: int  #: it is ``text[start:end]``
    end: int


#: what a sentence is in the answer's text: a part of a paragraph, or a block of its own
AnswerBlock = Literal["", "item", "step", "row", "code", "heading"]
#: words made for the answer, the page's, a model's that its source does not say, or uncited ones about what pages lack
Origin = Literal["written", "quoted", "unconfirmed", "missing"]


@always_sent("markers")
class Sentence:
    """A sentence of the answer, or another of its blocks."""

    text: str
    markers: tuple[int, ...] = described("The citations that support it.", default=())
    block: AnswerBlock = described(
        "Whether it is a list's item, a step, a table's row (cells are parted by `|`), code or a heading; "
        "empty in prose.",
        default="",
    )
    origin: Origin = described(
        "Whose words it is in: `quoted`, its source's, since a model wrote what that does not say; `unconfirmed`, "
        "a model's, which its source does not say; `missing` says, without a citation, what the pages lack.",
        default="written",
    )
    focus: Focus | None = described("The part that says exactly what was asked.", default=None)
    chosen: ChosenSentence | None = described(
        "The part that is the answering sentence; null if it is all of it.", default=None
    )
    #: "Yes" or "No" (in the question's language), where it answers a yes/no question
    says: str = field(default="", metadata=UNPUBLISHED)


@always_sent()
class ModelCost:
    """What one model was asked for."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: bool = described("Whether its price is not known.", default=False)

    def __add__(self, other: "ModelCost") -> Self:
        return replace(
            self,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=self.usd + other.usd,
            unpriced=self.unpriced or other.unpriced,
        )

    @property
    def _parts(self) -> "tuple[ModelCost, ...]":
        return (self,)


#: a part of it is nowhere in its quotes, they say otherwise, or only a model says that they support it
FindingKind = Literal["not_said", "contradicted", "unconfirmed"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A sentence of an answer that its quotes do not support."""

    sentence: int  #: its index in ``Answer.sentences``
    kind: FindingKind
    by: Literal["rules", "model"]
    why: str  #: for the trace: the rule, and the number, name … that the quote lacks


@always_sent()
class Cost(ModelCost):
    """What a model's API was asked for."""

    model: str = described("The model; if several were asked, their names with commas.", default="")
    unpriced: bool = described("Whether calls are left out of `usd` because their price is not known.", default=False)
    #: of one call it may be empty; costs that differ in it only are equal
    by_model: tuple[ModelCost, ...] = described(
        "The sum of each model, in the order in which they were asked.", default=(), compare=False
    )

    def __add__(self, other: ModelCost) -> Self:
        sums: dict[str, ModelCost] = {}
        for part in (*self._parts, *other._parts):
            sums[part.model] = sums[part.model] + part if part.model in sums else part
        return replace(super().__add__(other), model=", ".join(filter(None, sums)), by_model=tuple(sums.values()))

    @property
    def _parts(self) -> tuple[ModelCost, ...]:
        if self.by_model or self == Cost():
            return self.by_model
        return (ModelCost(**{each.name: getattr(self, each.name) for each in fields(ModelCost)}),)


@dataclass(frozen=True, kw_only=True)
class SolvedQuestion:
    """A question with an answer that a reader confirmed."""

    question: str
    answer: str  #: with markers, or without
    lang: str = ""


@published
class NextQuestion:
    """A question to ask next, made of a heading or a definition of a page that was near."""

    question: str
    page_id: int = described("The page that says something on it.")


#: of a form: a text, a number, true or false, or a list of texts or numbers
Value = str | int | float | bool | tuple[str | int | float, ...]
#: an object, or a list of them
Form = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@published
class StructuredField:
    """A value of an answer in the asker's form."""

    path: str = described("Its JSON pointer in `value`.")
    value: Value | None
    confidence: float = described("From 0 to 1.", default=0.0)
    citation: Citation | None = described("Its citation; null for a null value.", default=None)
    reason: str = described("Why it is null; empty for a value.", default="")


@published
class StructuredAnswer:
    """An answer in the asker's form."""

    value: Form = described("In the form of `answer_schema`; null if not found.")
    fields: tuple[StructuredField, ...]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a question, every sentence with its citations."""

    text: str  #: the sentences joined, with their [n] markers
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    confidence: float
    composer: str  #: "extractive" or the model's name
    notice: str = ""  #: a note to the reader about how it was made (for example, a model failed)
    related: tuple[NextQuestion, ...] = ()
    structured: StructuredAnswer | None = None  #: in the form that was asked for
    cost: Cost = field(default_factory=Cost)


#: words that are less sure are not given as the short answer
SURE = 0.3


def first_said(sentences: Sequence[Sentence]) -> Sentence | None:
    """Return the first sentence that is no heading."""
    return next((sentence for sentence in sentences if sentence.block != "heading"), None)


def short_answer(sentences: Sequence[Sentence]) -> str | None:
    """Return the short answer in the first sentence, or in the code quoted with it; None when it is unsure.

    It is "Yes" or "No" when the sentence answers a yes/no question.
    """
    first = first_said(sentences)
    if first is None:
        return None
    if first.says:
        return first.says
    focused = next((each for each in sentences if each.focus and each.markers == first.markers), first)
    words = focused.focus
    return focused.text[words.start : words.end] if words and words.confidence >= SURE else None


#: what ends a sentence that announces the next one
LEADS_IN: Final = (":", "：")
_TOGETHER: Final = ("", "item", "step", "row")
_BETWEEN_CELLS: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, kw_only=True)
class Part:
    """Sentences of one kind, one after the other."""

    block: AnswerBlock
    sentences: tuple[Sentence, ...]
    first: int = 1  #: the number of its first step


def parts_of(sentences: Sequence[Sentence]) -> list[Part]:
    """Return the parts in order; steps go on counting until a heading or a lead-in, because code may part them."""
    parts: list[Part] = []
    steps = 0
    for sentence in sentences:
        if sentence.block == "heading" or (not sentence.block and sentence.text.endswith(LEADS_IN)):
            steps = 0
        last = parts[-1] if parts else None
        if last is not None and last.block == sentence.block and sentence.block in _TOGETHER:
            parts[-1] = Part(block=last.block, sentences=(*last.sentences, sentence), first=last.first)
        else:
            parts.append(Part(block=sentence.block, sentences=(sentence,), first=steps + 1))
        steps += sentence.block == "step"
    return parts


def cells_of(row: str) -> list[str]:
    r"""Return what is in the cells of a row; ``\|`` is no border."""
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(row)]


def fence_for(code: str) -> str:
    """Return backticks that the code does not have so many of in a row."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
