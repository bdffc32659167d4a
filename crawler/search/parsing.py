"""Parse an engine's JSON answer without trusting its shape."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any, Final

from crawler.fetch.result import Fetched
from crawler.search.engine import EngineReply
from crawler.search.errors import EngineError, TakenForRobot
from crawler.search.responses import is_block_page
from crawler.urls import BadUrl, canonical
from domain import Link

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_TEXT: Final = 500  #: characters of a title or snippet
_MAX_RESULTS: Final = 100  #: of one answer


def json_object(fetched: Fetched, engine: str) -> dict[str, Any]:
    """Return the answer's JSON object; raises EngineError where it is none."""
    try:
        answer = json.loads(fetched.body)
    except (ValueError, RecursionError) as error:
        if is_block_page(fetched.body):
            raise TakenForRobot(f"{engine} takes us for a robot: it is not asked for a while") from error
        raise EngineError(f"{engine} did not answer with JSON: check its URL") from error
    if not isinstance(answer, dict):
        raise EngineError(f"{engine} answered with JSON of an unexpected shape: check its URL")
    return answer


def results_of(answer: Any, *path: str, engine: str, empty: bool = False) -> list[Any]:
    """Return the list of results at ``path``; raises EngineError where there is none.

    ``empty``: the engine leaves out the list, or what holds it, where it found nothing.
    """
    found: Any = answer
    for name in path:
        found = found.get(name) if isinstance(found, dict) else ()
        if found is None and empty:
            return []
    if not isinstance(found, list):
        raise EngineError(f"{engine} answered without results: check its URL, or ask it again later")
    return found[:_MAX_RESULTS]


def to_reply(
    results: list[Any], *, url: str = "url", title: str = "title", snippet: str | Callable[[Any], str], limit: int
) -> EngineReply:
    """Turn results into links, in their order; results without a valid URL are left out."""
    links = (
        to_link(
            text_of(result, url),
            plain_text(text_of(result, title)),
            plain_text(text_of(result, snippet) if isinstance(snippet, str) else snippet(result)),
        )
        for result in results
    )
    return EngineReply(links=tuple([link for link in links if link is not None][: max(limit, 0)]))


def text_of(result: object, name: str) -> str:
    """Return a field's text; "" where there is none."""
    value = result.get(name) if isinstance(result, dict) else None
    return value if isinstance(value, str) else ""


def plain_text(markup: str) -> str:
    """Return text without tags and entities, white space as single blanks."""
    return " ".join(html.unescape(_TAG.sub("", markup[: 20 * _MAX_TEXT])).split())[:_MAX_TEXT]


def to_link(url: str, title: str, snippet: str) -> Link | None:
    """Return a result as a link; None where its URL is not valid."""
    try:
        return Link(url=canonical(url), text=title, context=snippet)
    except BadUrl:
        return None
