"""Turns what a question is asked with into one that can be stored; the payload of the task that asks one."""

from dataclasses import fields, replace
from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field

from domain import Budget
from domain.errors import WellreadError
from domain.options import Asked, Deadline, Overrides, StrategyName
from store.questions.new_questions import NewQuestion
from workers.questions.conditions import clean_sites


class BadBudget(WellreadError):
    """The question asks for more than the operator allows."""


class Payload(Asked):
    """What ``send_task("wellread.ask", [payload])`` takes: a published contract."""

    idempotency_key: str = Field("", max_length=255, description="Makes a repeat harmless, as an id does.")
    lang: str = Field("", max_length=8, description="ISO 639-1; default: detected from the question.")
    strategy: Annotated[StrategyName | None, BeforeValidator(lambda given: given or None)] = None
    callback_url: str = ""
    owner: str = Field("", max_length=100, description="The name of the API key that reads the answer back.")
    deadline: Deadline = None


def to_new(
    asked: Asked,
    allowed: Budget,
    *,
    deadline_s: float | None = None,
    callback_url: str = "",
    idempotency_key: str = "",
    private: bool = False,
    owner: str | None = None,
) -> NewQuestion:
    """Return the body as the store takes it; raises :class:`BadBudget` where it asks for more than ``allowed``.

    A field that has the same name and type there is taken over as it is.
    """
    budget = _budget(asked, allowed)
    names = {field.name for field in fields(NewQuestion)} & set(Asked.model_fields)
    own = {name: getattr(asked, name) for name in Overrides.model_fields}
    others = {
        "id": asked.id.hex if asked.id else "",
        "text": asked.question,
        "understood": asked.question_as_understood,
        "thread_id": asked.thread.hex if isinstance(asked.thread, UUID) else asked.thread or "",
        "after_id": asked.after.hex if asked.after else "",
        "strategy": asked.strategy or "",
        "sites": tuple(asked.sites),
        "langs": tuple(asked.langs),
        "crawl_enabled": asked.crawl_enabled and budget.cycles > 0,
        "max_age_s": asked.max_age,
        "budget": budget,
        "overrides": Overrides(**own | {"exclude_sites": clean_sites(asked.exclude_sites)}),
    }
    return NewQuestion(
        **{name: getattr(asked, name) for name in names} | others,
        private=private,
        owner=owner,
        idempotency_key=idempotency_key,
        deadline_s=deadline_s,
        callback_url=callback_url,
    )


def _budget(asked: Asked, allowed: Budget) -> Budget:
    wanted = {name: value for name, value in asked.budget.model_dump().items() if value is not None}
    for name in ("seconds", "pages", "bytes", "tokens", "usd"):
        if wanted.get(name, 0) > (most := getattr(allowed, name)):
            raise BadBudget(f"budget.{name} is {wanted[name]:g}, and the operator allows {most:g} a question.")
    if asked.max_search_cycles is not None:
        wanted["cycles"] = asked.max_search_cycles
    return replace(allowed, **wanted)
