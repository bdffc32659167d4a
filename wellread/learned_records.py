"""Values about learning for operators: its versions and last results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Kind = Literal["judge", "reranker", "variants"]
_PARTS = "Figures before and after, by part: of a judge the language."


class VersionOut(BaseModel):
    """A version of what was learned."""

    model_config = ConfigDict(from_attributes=True)

    kind: Kind
    number: int = Field(description="Counts from 1 within its kind.")
    embedder: str = Field(description="The embedder whose hits it judges; empty if it does not matter.")
    active: bool = Field(description="Whether it is in use; if no version of a kind is, the shipped one is.")
    examples: int = Field(description="How many answers, questions or tries it was learned from.")
    metrics: dict[str, dict[str, dict[str, float]]] = Field(description=_PARTS)
    created_at: datetime


class LessonOut(BaseModel):
    """What learning a kind came to."""

    model_config = ConfigDict(from_attributes=True)

    kind: Kind
    embedder: str
    said: str = Field(description="What was refitted, or why it was refused, with figures.")
    version: int | None = Field(default=None, description="The new version in use; null: what served stays.")


class TryOut(BaseModel):
    """What learning a kind last came to."""

    model_config = ConfigDict(from_attributes=True)

    kind: Kind
    embedder: str
    held: bool = Field(description="Whether it stays as it was put back until it is learned by hand.")
    tried_at: datetime | None
    said: str


class LearnedOut(BaseModel):
    """All versions, of each kind the latest first, and what was last tried."""

    versions: list[VersionOut]
    tries: list[TryOut]


def _no_flag(given: object) -> object:
    """Return a number as it is; raises ValueError for false, which would count as 0."""
    if isinstance(given, bool):
        raise ValueError("true and false are not accepted")
    return given


Number = Annotated[int | None, BeforeValidator(_no_flag)]


class RollbackRequest(BaseModel):
    """Which version to go back to."""

    model_config = ConfigDict(extra="forbid")

    version: Number = Field(None, ge=0, description="0: the shipped one; null: the previous one.")
