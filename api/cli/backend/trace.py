"""A question's trace, of the API that WELLREAD_API_URL names, or of this machine's database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.cli.connect import named_api, open_services
from api.schemas.records import StepOut


def trace(question_id: str) -> list[StepOut]:
    """Every finished step, in the order they began; raises what says that there is no such question."""
    return [StepOut.model_validate(step) for step in _steps(question_id)]


def as_json(steps: Sequence[StepOut]) -> list[dict[str, Any]]:
    """The steps as JSON values: the same as the API gives them."""
    return [step.model_dump(mode="json") for step in steps]


def _steps(question_id: str) -> Sequence[object] | Sequence[Mapping[str, Any]]:
    if (client := named_api()) is not None:
        with client:
            return client.trace(question_id)
    from store.questions import trace as kept

    with open_services().database.read() as session:
        return kept.read(session, question_id)
