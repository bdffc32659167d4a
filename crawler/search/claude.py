"""Search with Claude: the model is told to search once; its results are used, its text is not.

The pages' text comes encrypted, so there are only titles and URLs to rank by. The SDK is slow to import: it is
imported where a call is made.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpx2

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import FetchError
from crawler.fetch.response import ANY_TYPE, Fetched, FetchTimeout
from crawler.search.engine import (
    EngineDown,
    EngineError,
    EngineReply,
    OverBudget,
    Query,
    QueryRefused,
    RateLimit,
    RateLimited,
)
from crawler.search.http import error_of, to_reply
from domain import Cost

if TYPE_CHECKING:
    import anthropic

#: request headers that the guarded client sets itself
_SET_BY_CLIENT: Final = frozenset(
    {"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "user-agent"}
)
#: response headers that do not hold for the decoded body
_OF_ENCODED_BODY: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


@dataclass(frozen=True)
class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends POSTs only."""

    client: Fetcher

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a POST; raises httpx2.TransportError for another request, and if the guarded client fails."""
        if request.method != "POST":
            raise httpx2.UnsupportedProtocol(f"{request.method} is not sent", request=request)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _SET_BY_CLIENT}
        try:
            body = await request.aread()
            fetched = await self.client.post(str(request.url), body=body, headers=headers, accept=ANY_TYPE)
        except FetchTimeout as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except FetchError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        headers = {name: value for name, value in fetched.headers.items() if name not in _OF_ENCODED_BODY}
        return httpx2.Response(fetched.status, headers=headers, content=fetched.body, request=request)


#: the version that every model supports, and that runs no code
TOOL: Final = "web_search_20250305"
SEARCH_USD: Final = 0.01  #: list price of one search, without the tokens of its results
MAX_TOKENS: Final = 512
#: the most tokens of one search's results, to bound the cost of a call
RESULT_TOKENS: Final = 40_000
_SETTING: Final = "WELLREAD_ANTHROPIC_API_KEY"
_SYSTEM: Final = "Search the web once for what is params, then reply with the one word: done."

#: maps input and output tokens to their cost
Price = Callable[[int, int], Cost]


@dataclass(frozen=True, kw_only=True)
class ClaudeSearch:
    """Claude's web search, through the Anthropic SDK and the guarded client; one paid search a question."""

    name = "claude"
    rate_limit = RateLimit(max_queries=1, max_concurrent=1)

    client: Fetcher
    key: str = field(repr=False)
    model: str
    price: Price
    max_usd: float
    base_url: str = "https://api.anthropic.com"

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return the results of one search in their order."""
        highest_usd = self.price(RESULT_TOKENS, MAX_TOKENS).usd + SEARCH_USD
        if highest_usd > self.max_usd:
            raise OverBudget(
                f"A search with Claude could cost ${highest_usd:.3f}, more than the ${self.max_usd:.3f} a"
                " question may spend: nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION"
            )
        message = await self._message(query.cut(500))
        results, usage = _results(message), getattr(message, "usage", None)
        spent = self.price(_number(usage, "input_tokens"), _number(usage, "output_tokens"))
        searches = _number(getattr(usage, "server_tool_use", None), "web_search_requests")
        cost = spent + Cost(model=spent.model, usd=searches * SEARCH_USD)
        return EngineReply(links=to_reply(results, snippet="", limit=limit).links, cost=cost)

    async def _message(self, text: str) -> "anthropic.types.Message":
        import anthropic

        transport = httpx2.AsyncClient(transport=GuardedTransport(self.client), trust_env=False)
        sdk = anthropic.AsyncAnthropic(api_key=self.key, base_url=self.base_url, max_retries=0, http_client=transport)
        async with sdk:
            try:
                return await sdk.messages.create(
                    model=self.model,
                    max_tokens=MAX_TOKENS,
                    system=_SYSTEM,
                    messages=[{"role": "user", "content": text}],
                    tools=[{"type": TOOL, "name": "web_search", "max_uses": 1}],
                )
            except anthropic.APIStatusError as error:
                response = error.response
                fetched = Fetched(
                    url=str(response.url),
                    status=response.status_code,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=response.content,
                )
                found = error_of(fetched, "Claude's search", setting=_SETTING, hide=self.key)
                # from None: the SDK's message repeats the server's answer
                raise found or EngineError("Claude's search sent an answer that is not understood") from None
            except anthropic.APIConnectionError as error:
                why = error.__cause__ or error
                raise EngineDown(f"Claude's search could not be asked: {why}") from None
            except Exception as error:  # the SDK does not validate answers: any exception is possible
                raise EngineError(f"Claude's search answered with no message ({type(error).__name__})") from None


def _results(message: Any) -> list[Any]:
    """Return the results of all searches; the SDK does not validate shapes, so each is checked."""
    content = getattr(message, "content", None)
    if not isinstance(content, list):
        raise EngineError("Claude's search answered with no message: check WELLREAD_ANTHROPIC_BASE_URL")
    found: list[Any] = []
    for block in content:
        if getattr(block, "type", "") == "web_search_tool_result":
            results = getattr(block, "content", None)
            if not isinstance(results, list):
                raise _failed(str(getattr(results, "error_code", "unknown")))
            found += [{"url": getattr(one, "url", ""), "title": getattr(one, "title", "")} for one in results]
    return found


def _failed(code: str) -> EngineError:
    if code == "too_many_requests":
        return RateLimited(f"Claude's search has been used too often ({code}): ask it again later")
    if code in ("invalid_tool_input", "query_too_long", "request_too_large", "max_uses_exceeded"):
        return QueryRefused(f"Claude's search does not accept this query ({code}): ask in other words")
    return EngineDown(f"Claude's search failed ({code}): ask it again later")


def _number(value: object, name: str) -> int:
    found = getattr(value, name, 0)
    return found if isinstance(found, int) else 0
