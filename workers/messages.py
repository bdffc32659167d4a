"""Accepts the questions that other services enqueue.

Their sender hears nothing back; so a refusal is stored under the id that it gave, where it looks for the answer.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError

from domain import Question
from domain.errors import WellreadError
from store import keys
from store.questions import new_questions
from workers.priorities import UNREADABLE
from workers.questions.submit import Payload, default_budget, submit, to_new
from workers.services import Services
from workers.services.interruptions import OUTAGES

log = structlog.get_logger()

#: of a refused question's text, and of what is said about it
MOST_CHARS = 4_000


class MessageRefused(WellreadError):
    """The question that a message asks was refused: why is said here, in the log, and under the question's id."""


def accept(services: Services, /, *arguments: Any, **fields: Any) -> Question:
    """Accept a question from a message; one that is refused is logged, and saved under its id.

    The payload is the one argument, or the keyword arguments are. Raises MessageRefused, and what
    :data:`workers.services.interruptions.OUTAGES` names: the message can be taken later.
    """
    opened, owner = services, None
    payload = _sent(arguments, fields)
    try:
        asked = Payload.model_validate(_only(arguments, fields))
        opened = services.of(asked.collection)
        if asked.owner:
            owner = services.read(keys.owner_of, asked.owner, opened.collection.name, services.now())
        new = to_new(asked, default_budget(opened), idempotency_key=asked.idempotency_key, owner=owner)
        question, _ = submit(opened, new, is_message=True)
    except OUTAGES:
        raise
    except (ValidationError, WellreadError) as error:
        reason = _reason(error)
        log.error("message_refused", error=reason)
        with suppress(WellreadError):  # it may name none that there is
            opened = services.of(str(payload.get("collection") or ""))
        _record_refusal(opened, payload, owner, reason)
        raise MessageRefused(reason) from None
    return question


def _sent(arguments: tuple[Any, ...], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a message says, also where it says it at the wrong place: its sender looks for its id."""
    given = {**next((each for each in arguments if isinstance(each, Mapping)), {}), **fields}
    nested = next((each for each in given.values() if isinstance(each, Mapping) and "id" in each), {})
    return given if "id" in given else {**nested, **given}


def _only(arguments: tuple[Any, ...], fields: Mapping[str, Any]) -> Any:
    """Return the payload; raise WellreadError for a message that has none, or more than one."""
    if UNREADABLE in fields:
        raise WellreadError(f"its payload cannot be read, send it as JSON: {fields[UNREADABLE]}")
    if len(arguments) + bool(fields) != 1:
        raise WellreadError('its payload is one argument, {"question": …}, or its fields are keyword arguments')
    return arguments[0] if arguments else fields


def _reason(error: Exception) -> str:
    """Return what is wrong, without the values."""
    if not isinstance(error, ValidationError):
        return str(error)[:MOST_CHARS]
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:8])[:MOST_CHARS]


def _record_refusal(services: Services, payload: Mapping[str, Any], owner: str | None, reason: str) -> None:
    """Save a failed question under the id that the sender gave, unless it gave none or that is taken."""
    try:
        question_id = UUID(str(payload.get("id"))).hex
    except (AttributeError, ValueError):
        return
    text = str(payload.get("question") or "")[:MOST_CHARS]
    services.write(
        new_questions.refuse, question_id, text, owner, f"The question was refused: {reason}", services.now()
    )
