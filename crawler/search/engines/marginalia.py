"""Search with Marginalia, an index of small, text-heavy, mostly English sites; needs a key."""

from crawler.search.engine import Query, RateLimit
from crawler.search.keyed_engine import JsonObject, KeyedEngine


class Marginalia(KeyedEngine):
    """Marginalia; it has neither language nor date options."""

    name = "marginalia"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1)
    base_url, method = "https://api2.marginalia-search.com", "GET"
    key_header = "api-key"
    snippet = "description"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {"query": query.cut(500), "count": count, "page": 1, "nsfw": 1}  # nsfw: filtered
