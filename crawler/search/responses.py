"""Read an engine's answer without trusting its shape; one that is no 200 becomes an EngineError.

The error is told by the answer's status, or by the words that engines use.
"""

import contextlib
import html
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from crawler.fetch.result import Fetched
from crawler.robots.crawl_delay import parse_retry_after
from crawler.search.engine import EngineReply
from crawler.search.errors import (
    EngineDown,
    EngineError,
    EngineForbidden,
    EngineKeyRejected,
    OutOfCredit,
    QueryRefused,
    RateLimited,
    TakenForRobot,
)
from crawler.urls import canonical_or_none
from domain import Link
from domain.errors import masked

#: words of block pages; searched in pages only, never in an API's answer
_BLOCK_PAGE: Final = re.compile(
    rb"captcha|anomaly-modal|unusual traffic|cf-challenge|challenge-platform|just a moment\.\.\."
    rb"|are you a (?:human|robot)|verify (?:that )?you are (?:a )?human|bots use duckduckgo",
    re.IGNORECASE,
)
#: some engines answer a wrong key (Brave) or used-up credit (Serper) with a 400 or 422
_KEY: Final = re.compile(r"subscription[ _]token[ _](?:invalid|missing)|invalid (?:api[ -]?)?key|unauthori[sz]ed", re.I)
_CREDIT: Final = re.compile(
    r"(?:not enough|insufficient|no more|out of) (?:credits?|balance|funds)"
    r"|(?:quota|usage limit)[\w ]{0,20} ?(?:exceed|reached|used up)|exceed[\w ']{0,30} (?:quota|usage limit|credits)",
    re.I,
)
_MAX_DETAIL: Final = 200  #: characters of an engine's own message
_MAX_SEARCHED: Final = 20_000  #: bytes of a page
_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_TEXT: Final = 500  #: characters of a title or snippet
_MAX_RESULTS: Final = 100  #: of one answer


def is_block_page(body: bytes) -> bool:
    """Return whether a page is a captcha, or says that it takes us for a robot."""
    return _BLOCK_PAGE.search(body[:_MAX_SEARCHED]) is not None


def error_of(fetched: Fetched, engine: str, *, setting: str = "", hide: str = "") -> EngineError | None:
    """Return the error that an answer means; None for a 200.

    ``setting`` is the environment variable with the key, ``hide`` the key itself, which the answer may repeat.
    """
    status = fetched.status
    if status == 200:
        return None
    detail = _detail(fetched, hide)
    what = f"{status}{f': {detail}' if detail else ''}"
    advice = f"check {setting}" if setting else "ask it again later"
    wait_s = parse_retry_after(fetched.headers.get("retry-after", ""), datetime.now(UTC))
    if status == 202 or (status in (403, 429, 503) and _is_page(fetched) and is_block_page(fetched.body)):
        return TakenForRobot(f"{engine} takes us for a robot ({status}): it is not asked for a while")
    if status in (402, 432, 433) or (status in (400, 403, 429) and _CREDIT.search(detail)):
        return OutOfCredit(f"{engine} has no searches left for this account ({what}): add credit there")
    if (status in (401, 403) and setting) or (status in (400, 422) and setting and _KEY.search(detail)):
        return EngineKeyRejected(f"{engine} does not accept the key ({what}): {advice}")
    if status in (401, 403):
        return EngineForbidden(f"{engine} refuses to answer ({what}): {advice}")
    if status == 429:
        return RateLimited(f"{engine} has been asked too often ({what}): ask it again later", retry_after_s=wait_s)
    if status in (400, 413, 414, 422):
        return QueryRefused(f"{engine} does not accept this query ({what}): ask in other words")
    if status == 408 or status >= 500:
        return EngineDown(f"{engine} failed with the status {what}: ask it again later", retry_after_s=wait_s)
    return EngineError(f"{engine} answered with the status {what}: check its URL")


def _detail(fetched: Fetched, hide: str) -> str:
    """Return the engine's own message on one line; "" for a page."""
    if _is_page(fetched):
        return ""
    text = fetched.body[:_MAX_SEARCHED].decode("utf-8", "replace")
    with contextlib.suppress(ValueError, RecursionError):
        text = _message(json.loads(text)) or text
    plain = " ".join(html.unescape(text).split())
    plain = "".join(char for char in plain if char.isprintable())
    return masked(plain, hide)[:_MAX_DETAIL]


def _message(answer: object, depth: int = 3) -> str:
    """Return the texts of an error object, in whichever fields the engine has them."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list):
        answer = answer[0] if answer else None
        return _message(answer, depth - 1) if depth else ""
    if not isinstance(answer, dict) or not depth:
        return ""
    named = (answer.get(name) for name in ("code", "error", "errors", "detail", "message", "msg"))
    return ": ".join(dict.fromkeys(text for value in named if (text := _message(value, depth - 1))))


def _is_page(fetched: Fetched) -> bool:
    return "html" in fetched.content_type or fetched.body[:200].lstrip()[:1] == b"<"


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
    known = canonical_or_none(url)
    return Link(url=known, text=title, context=snippet) if known else None
