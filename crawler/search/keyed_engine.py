"""Search with an engine whose JSON API needs a key; its class says what to ask, and where the results are."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from crawler.fetch.client import Fetcher
from crawler.search.catalog import variable
from crawler.search.engine import EngineReply, Query, RateLimit
from crawler.search.http import EngineApi, Method
from crawler.search.responses import results_of, text_of, to_reply

JsonObject = Mapping[str, Any]


class KeyedEngine(ABC):
    """An engine with a key; its class is named as messages name it."""

    name: ClassVar[str]
    rate_limit: ClassVar[RateLimit] = RateLimit(max_queries=3)
    base_url: ClassVar[str]
    method: ClassVar[Method] = "POST"
    path: ClassVar[str] = "/search"
    key_header: ClassVar[str] = ""  #: "" where a parameter has the key
    key_scheme: ClassVar[str] = ""  #: before the key, as "Bearer "
    max_results: ClassVar[int] = 100  #: of one search
    results: ClassVar[tuple[str, ...]] = ("results",)  #: the names that lead to the list of results
    url: ClassVar[str] = "url"  #: the field of a result
    snippet: ClassVar[str] = "snippet"  #: the field of a result

    def __init__(self, *, client: Fetcher, key: str, base_url: str = "") -> None:
        self._api = EngineApi(
            client=client,
            name=type(self).__name__,
            base_url=base_url or self.base_url,
            key=key,
            setting=variable(self.name),
        )
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
        """Return whether nothing was found where the results are missing; raises EngineError for a failure."""
        return False

    def _snippet(self, result: object) -> str:
        """Return a result's snippet."""
        return text_of(result, self.snippet)
