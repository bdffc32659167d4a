"""Search with Kagi, an engine without advertising; needs a key, and is paid by the query."""

from crawler.search.engine import Query
from crawler.search.keyed_engine import JsonObject, KeyedEngine


class Kagi(KeyedEngine):
    """Kagi; it has regions but no language option."""

    name = "kagi"
    base_url, path = "https://kagi.com", "/api/v1/search"
    key_header, key_scheme = "authorization", "Bearer "
    results = ("data", "search")

    def _params(self, query: Query, count: int) -> JsonObject:
        filters = {"region": "no_region"} | ({"after": query.since.isoformat()} if query.since else {})
        return {"query": query.cut(2000), "page": 1, "workflow": "search", "safe_search": True, "filters": filters}

    def _is_answer(self, answer: JsonObject) -> bool:
        return isinstance(answer.get("data"), dict)  # without "search" where nothing was found
