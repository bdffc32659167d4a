"""Turn an engine's answer that is no 200 into an EngineError: by its status, or by the words that engines use."""

from __future__ import annotations

import contextlib
import html
import json
import re
from datetime import UTC, datetime
from typing import Final

from crawler.fetch.result import Fetched
from crawler.robots.crawl_delay import parse_retry_after
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
    return (plain.replace(hide, "[key]") if hide else plain)[:_MAX_DETAIL]


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
