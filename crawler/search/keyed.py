"""Search with the engines whose JSON API needs a key; each class says what to ask, and where the results are."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from crawler.fetch.client import Fetcher
from crawler.search.engine import (
    EngineError,
    EngineKeyRejected,
    EngineReply,
    OutOfCredit,
    Query,
    RateLimit,
    Recency,
    variable,
)
from crawler.search.http import EngineApi, Method, results_of, text_of, to_reply
from domain.errors import masked

JsonObject = Mapping[str, Any]


class KeyedEngine(ABC):
    """An engine with a key; its class is named as messages name it."""

    name: ClassVar[str]
    rate_limit: ClassVar[RateLimit] = RateLimit(max_queries=3)
    base_url: ClassVar[str]
    method: ClassVar[Method] = "POST"
    path: ClassVar[str] = "/search"
    key_header: ClassVar[str] = ""  #: "" if a parameter has the key
    key_scheme: ClassVar[str] = ""  #: before the key, as "Bearer "
    max_results: ClassVar[int] = 100  #: of one search
    results: ClassVar[tuple[str, ...]] = ("results",)  #: the names that lead to the list of results
    url: ClassVar[str] = "url"  #: the field of a result
    snippet: ClassVar[str] = "snippet"  #: the field of a result
    recencies: ClassVar[Mapping[Recency, str]] = {}  #: the engine's words for them

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "") -> None:
        name, url = type(self).__name__, base_url or self.base_url
        self._api = EngineApi(client=client, name=name, base_url=url, key=key, setting=variable(self.name))
        self._key = key

    async def search(self, query: Query, *, limit: int) -> EngineReply:
        """Return results in the engine's order."""
        params = self._params(query, min(max(limit, 1), self.max_results))
        headers = {self.key_header: self.key_scheme + self._key} if self.key_header else {}
        answer = await self._api.json(self.method, self.path, params, headers=headers)
        results = results_of(answer, *self.results, engine=self._api.name, empty=self._is_answer(answer))
        return to_reply(results, url=self.url, snippet=self._snippet, limit=limit)

    @abstractmethod
    def _params(self, query: Query, count: int) -> JsonObject:
        """Return what to ask for ``count`` results; a parameter that is None is not sent."""

    def _is_answer(self, answer: JsonObject) -> bool:
        """Return whether nothing was found if the results are missing; raises EngineError for a failure."""
        return False

    def _snippet(self, result: object) -> str:
        return text_of(result, self.snippet)


class Brave(KeyedEngine):
    """Brave Search, which has an index of its own; at most one query a second, the limit of its smallest plan."""

    name = "brave"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1, delay_s=1.1)
    base_url, path, method = "https://api.search.brave.com", "/res/v1/web/search", "GET"
    key_header = "x-subscription-token"
    max_results = 20
    results, snippet = ("web", "results"), "description"
    recencies: ClassVar = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
    #: the languages it accepts by their ISO 639-1 code; any other is an error
    languages: Final = frozenset(
        "ar eu bn bg ca hr cs da nl en et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr pl pa ro ru sr sk sl es"
        " sv ta te th tr uk vi".split()
    )

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "q": query.cut(400, 50),
            "count": count,
            "search_lang": query.known_lang if query.known_lang in self.languages else None,
            "freshness": self.recencies[query.recency] if query.recency else None,
            "result_filter": "web",
            "text_decorations": "false",
        }

    def _is_answer(self, answer: JsonObject) -> bool:
        return "query" in answer  # without "web" if nothing was found


class Exa(KeyedEngine):
    """Exa, an engine over embeddings that accepts whole questions; it has no language option."""

    name = "exa"
    base_url = "https://api.exa.ai"
    key_header = "x-api-key"
    max_results = 25

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "query": query.cut(2000),
            "type": "auto",
            "numResults": count,
            "contents": {"highlights": {"maxCharacters": 500}},
            "startPublishedDate": f"{query.since.isoformat()}T00:00:00.000Z" if query.since else None,
        }

    def _snippet(self, result: object) -> str:
        """Return the matching sentences of the page."""
        parts = result.get("highlights") if isinstance(result, dict) else None
        text = " … ".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        return text or text_of(result, "text")


class Kagi(KeyedEngine):
    """Kagi, an engine without advertising, paid by the query; it has regions but no language option."""

    name = "kagi"
    base_url, path = "https://kagi.com", "/api/v1/search"
    key_header, key_scheme = "authorization", "Bearer "
    results = ("data", "search")

    def _params(self, query: Query, count: int) -> JsonObject:
        filters = {"region": "no_region"} | ({"after": query.since.isoformat()} if query.since else {})
        return {"query": query.cut(2000), "page": 1, "workflow": "search", "safe_search": True, "filters": filters}

    def _is_answer(self, answer: JsonObject) -> bool:
        return isinstance(answer.get("data"), dict)  # without "search" if nothing was found


class Marginalia(KeyedEngine):
    """Marginalia, an index of small, text-heavy, mostly English sites, with neither language nor date options."""

    name = "marginalia"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1)
    base_url, method = "https://api2.marginalia-search.com", "GET"
    key_header = "api-key"
    snippet = "description"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {"query": query.cut(500), "count": count, "page": 1, "nsfw": 1}  # nsfw: filtered


class Mojeek(KeyedEngine):
    """Mojeek, which has an index of its own; all its answers have the status 200, and an outcome in words."""

    name = "mojeek"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1)
    base_url, method = "https://api.mojeek.com", "GET"
    results, snippet = ("response", "results"), "desc"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "q": query.cut(1000),
            "fmt": "json",
            "t": count,
            "lb": query.known_lang.upper() or None,  # languages are preferred, not required
            "since": query.since.strftime("%Y%m%d") if query.since else None,
            "api_key": self._key,
        }

    def _is_answer(self, answer: JsonObject) -> bool:
        status = masked(text_of(answer.get("response"), "status"), self._key)[:200]
        words = status.lower()
        if status.startswith("OK"):
            return True
        if any(word in words for word in ("key", "access denied", "invalid")):
            raise EngineKeyRejected(f"Mojeek does not accept the key ({status}): check WELLREAD_MOJEEK_KEY")
        if any(word in words for word in ("quota", "limit", "exceeded")):
            raise OutOfCredit(f"Mojeek has no searches left for this account ({status}): add credit there")
        raise EngineError(f"Mojeek answered without results ({status or 'no status'}): ask it again later")


class Serper(KeyedEngine):
    """Serper, an API for Google's results: the first page of organic ones, more than ten cost another credit."""

    name = "serper"
    base_url = "https://google.serper.dev"
    key_header = "x-api-key"
    max_results = 10
    results, url = ("organic",), "link"
    recencies: ClassVar = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "q": query.cut(2000, 32),  # Google reads no more words
            "num": count,
            "hl": query.known_lang or None,
            "tbs": self.recencies[query.recency] if query.recency else None,
        }

    def _is_answer(self, answer: JsonObject) -> bool:
        return "searchParameters" in answer


class Tavily(KeyedEngine):
    """Tavily, an API made for language models, at its basic depth: one credit a query, no language option."""

    name = "tavily"
    base_url = "https://api.tavily.com"
    key_header, key_scheme = "authorization", "Bearer "
    max_results = 20
    snippet = "content"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "query": query.cut(400),
            "search_depth": "basic",
            "topic": "general",
            "max_results": count,
            "include_answer": False,
            "include_raw_content": False,
            "time_range": query.recency,
        }
