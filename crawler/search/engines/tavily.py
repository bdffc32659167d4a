"""Search with Tavily, an API made for language models; needs a key."""

from crawler.search.engine import Query
from crawler.search.keyed_engine import JsonObject, KeyedEngine


class Tavily(KeyedEngine):
    """Tavily at its basic depth, one credit a query; it has no language option."""

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
