"""Refuses query parameters that a route does not have: a mistyped one would change nothing, and nobody would know."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel

#: below it; OpenAI's clients and probes send parameters of their own
PREFIX = "/api/"
#: what a client that works in a collection sends with every request, also where it makes no difference
EVERYWHERE = frozenset({"collection"})


async def refuse_unknown(request: Request) -> None:
    """Raise RequestValidationError where a parameter of the query is none of the route's; it waits for no thread."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.path.startswith(PREFIX):
        return
    known = sorted(set(_names(route.dependant)))
    if unknown := sorted(set(request.query_params) - EVERYWHERE - set(known)):
        said = f"there is no such parameter, only {', '.join(known)}" if known else "this path takes no parameterss"
        raise RequestValidationError([{"type": "unknown", "loc": ("query", unknown[0][:60]), "msg": said}])


def _names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if inspect.isclass(kind) and issubclass(kind, BaseModel):
            yield from kind.model_fields
        else:
            yield field.alias
    for each in dependant.dependencies:
        yield from _names(each)
