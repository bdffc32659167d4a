"""The API's answers that are not values of :mod:`domain`, and the names of those values in the OpenAPI document."""

import json
import re
from typing import Any, Final

from pydantic import BaseModel, Field, TypeAdapter

from domain import Status
from domain.record import Record
from store.activity import DaySpent, DeadQuestion, Hour
from workers.processes.heartbeat import WorkQueue

_RECORD = TypeAdapter(Record)

#: the OpenAPI document's names of values that are called otherwise here
_PUBLISHED_NAMES: Final = {
    name: f"{name}Out"
    for name in (
        "Citation Cost Feedback Focus Learned ModelCost PageCheck PageSeen Record NextQuestion Schedule "
        "Sentence SiteRead Source Step StructuredAnswer StructuredField Thread ThreadQuestion ThreadWithQuestions "
        "Timing Verdict Watch"
    ).split()
} | {"ContextHit": "HitOut", "PageRead": "ReadingOut", "StoredPage": "PageOut"}


def with_published_names(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document with the values of :mod:`domain` under their published names."""
    schemas = document["components"]["schemas"]
    for name, published in _PUBLISHED_NAMES.items():
        schemas[published] = schemas.pop(name) | {"title": published}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    renamed: dict[str, Any] = json.loads(
        re.sub(
            r'"#/components/schemas/(\w+)"',
            lambda ref: f'"#/components/schemas/{_PUBLISHED_NAMES.get(ref[1], ref[1])}"',
            json.dumps(document),
        )
    )
    return renamed


def record_json(record: Record) -> dict[str, Any]:
    """Return the record as JSON values: the same from the API, in an event and on the command line."""
    values: dict[str, Any] = _RECORD.dump_python(record, mode="json")
    return values


class StatsOut(BaseModel):
    """How much is kept and how much waits."""

    pages: int = Field(description="Pages that are held.")
    sources: int
    questions: dict[Status, int] = Field(description="By status.")
    queues: dict[str, int] | None = Field(
        description="Calls that stand in each queue; null while Redis is away, and for a key bound to collections."
    )
    engines: list[str] = Field(description="The search engines that are asked where too little is known.")


class CheckOut(BaseModel):
    """One part that must work."""

    name: str
    ok: bool
    needed: bool = Field(default=True, description="False: questions are answered without it, and `ready` stays true.")
    detail: str = Field(description="Empty for whoever may not see it.")
    what_to_do: str = ""


class Readiness(BaseModel):
    """Whether questions can be answered."""

    ready: bool = Field(description="Whether all is ok that is needed.")
    checks: list[CheckOut]


class Operations(BaseModel):
    """What works, what waits, what failed, and what it cost."""

    queues: list[WorkQueue] | None = Field(description="null while Redis does not answer.")
    dead: list[DeadQuestion] = Field(description="Given up because a step failed too often, latest first.")
    hours: list[Hour] = Field(description="The last 24, oldest first.")
    spent: list[DaySpent] = Field(description="The days of the last 30 on which anything was spent, oldest first.")
    due: int = Field(description="Pages that are due for another look, counted up to ten thousand.")
    failed_callbacks: int = Field(description="Callers that could not be told that their question ended.")
