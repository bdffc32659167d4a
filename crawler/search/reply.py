"""Take an engine's JSON answer apart without trusting its shape."""

from __future__ import annotations

import html
import json
import re
from typing import Any, Final

from crawler.fetch import Fetched
from crawler.search import EngineError
from crawler.urls import BadUrl, canonical
from store.types import Link

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_TEXT: Final = 500  #: characters of a title or snippet kept


def json_object(fetched: Fetched, engine: str) -> dict[str, Any]:
    """Return the answer's JSON object.

    Raises:
        EngineError: the status is not 200, or the body is no JSON object.
    """
    if fetched.status == 429:
        raise EngineError(f"{engine} has been asked too often (429): ask it again later")
    if fetched.status != 200:
        raise EngineError(f"{engine} answered with the status {fetched.status}: ask it again later")
    try:
        answer = json.loads(fetched.body)
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{engine} answered what is not JSON: check its URL") from error
    if not isinstance(answer, dict):
        raise EngineError(f"{engine} answered JSON of another shape than its documentation says: check its URL")
    return answer


def text_of(result: object, name: str) -> str:
    """Return a field's text, "" where there is none."""
    value = result.get(name) if isinstance(result, dict) else None
    return value if isinstance(value, str) else ""


def plain(markup: str) -> str:
    """Return text without tags and entities, its white space in single blanks."""
    return " ".join(html.unescape(_TAG.sub("", markup)).split())[:_MAX_TEXT]


def to_link(url: str, title: str, snippet: str) -> Link | None:
    """Make a result a link, or nothing where its URL is not one that can be read."""
    try:
        return Link(url=canonical(url), text=title, context=snippet)
    except BadUrl:
        return None
