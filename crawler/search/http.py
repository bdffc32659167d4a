"""Call an engine's HTTP API through the guarded client; every failure is an EngineError, and no message has the key.

An answer's shape is not trusted; its status, or words that engines use, show which error it is.
"""

import contextlib
import html
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import urlencode

from crawler.delay import parse_retry_after
from crawler.fetch.client import Fetcher
from crawler.fetch.guard import FetchError
from crawler.fetch.response import ANY_TYPE, Fetched, NotConnected, TooLarge
from crawler.search.engine import (
    EngineDown,
    EngineError,
    EngineForbidden,
    EngineKeyRejected,
    EngineReply,
    EngineUnreachable,
    OutOfCredit,
    QueryRefused,
    RateLimited,
    TakenForRobot,
)
from crawler.urls import canonical_or_none
from domain import Link
from domain.errors import masked, without_userinfo

_JSON: Final = "application/json"
_QUERY: Final = re.compile(r"(https?://[^\s?'\"]*)\?[^\s'\"]*")
Method = Literal["GET", "POST"]


class EngineApi:
    """An engine's HTTP API; ``setting`` is the environment variable with the key, for messages."""

    def __init__(self, *, client: Fetcher, name: str, base_url: str, key: str = "", setting: str = "") -> None:
        self.name, self.base_url = name, base_url.rstrip("/")
        self._client, self._key, self._setting = client, key, setting

    async def json(
        self, method: Method, path: str, params: Mapping[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Send the parameters that are not None, in the URL or as JSON; return the JSON object that answers.

        Raises EngineError.
        """
        given = {name: value for name, value in params.items() if value is not None}
        headers = {"accept": _JSON, **(headers or {})}
        if method == "GET":
            fetched = await self._answer(f"{path}?{urlencode(given)}", headers)
        else:
            fetched = await self._answer(path, {"content-type": _JSON, **headers}, json.dumps(given).encode())
        try:
            answer = json.loads(fetched.body)
        except (ValueError, RecursionError) as error:
            if is_block_page(fetched.body):
                raise TakenForRobot(f"{self.name} takes us for a robot: it is not asked for a while") from error
            raise EngineError(f"{self.name} did not answer with JSON: check its URL") from error
        if not isinstance(answer, dict):
            raise EngineError(f"{self.name} answered with JSON of an unexpected shape: check its URL")
        return answer

    async def post_form(self, path: str, fields: Mapping[str, str]) -> Fetched:
        """POST a form, as a browser does, and return the page that answers; raises EngineError."""
        headers = {"accept": "text/html", "content-type": "application/x-www-form-urlencoded"}
        return await self._answer(path, headers, urlencode(fields).encode())

    async def _answer(self, path: str, headers: Mapping[str, str], body: bytes | None = None) -> Fetched:
        url = self.base_url + path
        try:
            if body is None:
                fetched = await self._client.get(url, headers=headers, accept=ANY_TYPE)
            else:
                fetched = await self._client.post(url, headers=headers, body=body, accept=ANY_TYPE)
        except TooLarge as error:
            raise EngineError(f"{self.name} sent an answer that is too large: check its URL") from error
        except FetchError as error:
            # without any URL's query and password, and from None: it has the question, and sometimes the key
            why = masked(without_userinfo(_QUERY.sub(r"\1", str(error))), self._key)
            if isinstance(error, NotConnected):
                why = f"{self.name} could not be reached: {why}; check this machine's network first"
                raise EngineUnreachable(why) from None
            raise EngineDown(f"{self.name} could not be asked: {why}") from None
        if failure := error_of(fetched, self.name, setting=self._setting, hide=self._key):
            raise failure
        return fetched


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


def results_of(answer: Any, *path: str, engine: str, empty: bool = False) -> list[Any]:
    """Return the list of results at ``path``; raises EngineError if there is none.

    ``empty``: the engine leaves out the list, or what holds it, if it found nothing.
    """
    found: Any = answer
    for name in path:
        found = found.get(name) if isinstance(found, dict) else ()
        if found is None and empty:
            return []
    if not isinstance(found, list):
        raise EngineError(f"{engine} answered without results: check its URL, or ask it again later")
    return found[:_MAX_RESULTS]


def to_reply(results: list[Any], *, url: str = "url", snippet: str | Callable[[Any], str], limit: int) -> EngineReply:
    """Turn results into links, in their order; results without a valid URL are left out."""
    links: list[Link] = []
    for result in results:
        context = text_of(result, snippet) if isinstance(snippet, str) else snippet(result)
        if known := canonical_or_none(text_of(result, url)):
            links.append(Link(url=known, text=plain_text(text_of(result, "title")), context=plain_text(context)))
    return EngineReply(links=tuple(links[: max(limit, 0)]))


def text_of(result: object, name: str) -> str:
    """Return a field's text; "" if there is none."""
    value = result.get(name) if isinstance(result, dict) else None
    return value if isinstance(value, str) else ""


def plain_text(markup: str) -> str:
    """Return text without tags and entities, white space as single blanks."""
    return " ".join(html.unescape(_TAG.sub("", markup[: 20 * _MAX_TEXT])).split())[:_MAX_TEXT]
