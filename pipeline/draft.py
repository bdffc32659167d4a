"""What a model is to do for a question, and where the question goes then: made by a lookup, kept in the question's row.

The lookup decides as it would without a model; that decision holds if the model fails.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from domain import Answer, Status
from pipeline.answering.sections import PageSpan
from pipeline.llm import Form


@dataclass(frozen=True, kw_only=True)
class Onward:
    """Where a question goes, with the columns that are set then."""

    to: Status
    outcome: str
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AnswerBasis:
    """What a model reads to answer, and what the lookup found out about it."""

    spans: tuple[PageSpan, ...]  #: best first; the model reads the sections around them
    confidence: float  #: of the local judge
    lang: str  #: of the question, ISO 639-1
    form: Form = "prose"
    notes: tuple[str, ...] = ()
    examples: str = ""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a model is asked for, and where the question goes then."""

    ask: Literal["answer", "variants", "rewrite"]
    failed: Onward  #: if the model gives nothing
    reading: AnswerBasis | None = None  #: for an answer
    refused: Onward | None = None  #: if the model says that it read no answer
    unknown: Answer | None = None  #: what is said then
    judged: bool = False  #: whether the small model has said already that what is to be read holds an answer
    count: int = 0  #: of variants
    read: tuple[str, ...] = ()  #: keys of what a model has read for this question without finding the answer


_DRAFT = TypeAdapter(Draft)


def to_json(draft: Draft) -> dict[str, Any]:
    """Return the draft as a row keeps it."""
    made: dict[str, Any] = _DRAFT.dump_python(draft, mode="json", exclude_defaults=True)
    return made


def from_json(kept: Mapping[str, Any], columns: Collection[str]) -> Draft | None:
    """Return the draft that a row keeps; None if it keeps none, or one that another version made.

    ``columns`` are those that may be set where the question goes then.
    """
    try:
        draft = _DRAFT.validate_python(kept)
    except ValidationError:
        return None
    is_whole = draft.ask != "answer" or (draft.reading and draft.refused)
    set_then = {*draft.failed.changes, *(draft.refused.changes if draft.refused else ())}
    return draft if is_whole and set_then.issubset(columns) else None
