"""How a deployment fares, as the API gives it to its operator."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from store.overview.activity import DaySpent, DeadQuestion, Hour
from workers.processes.heartbeat import WorkQueue


class Operations(BaseModel):
    """What works, what waits, what failed, and what it cost."""

    queues: list[WorkQueue] | None = Field(description="null while Redis does not answer.")
    dead: list[DeadQuestion] = Field(description="Given up because a step failed too often, latest first.")
    hours: list[Hour] = Field(description="The last 24, oldest first.")
    spent: list[DaySpent] = Field(description="The days of the last 30 on which anything was spent, oldest first.")
    due: int = Field(description="Pages that are due for another look, counted up to ten thousand.")
    failed_callbacks: int = Field(description="Callers that could not be told that their question ended.")


class RelatedQuestion(BaseModel):
    """A question that what is known may answer too."""

    model_config = ConfigDict(from_attributes=True)

    question: str
    id: str | None = Field(description="Of the question that was asked so before; null: it was not asked yet.")
