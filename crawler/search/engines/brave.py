"""Search with Brave, which has an index of its own; needs a key."""

from typing import Final

from crawler.search.engine import Query, RateLimit, Recency
from crawler.search.keyed_engine import JsonObject, KeyedEngine

_FRESHNESS: Final[dict[Recency, str]] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
#: the languages it accepts by their ISO 639-1 code; any other is an error
_LANGUAGES: Final = frozenset(
    "ar eu bn bg ca hr cs da nl en et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr pl pa ro ru sr sk sl es sv"
    " ta te th tr uk vi".split()
)


class Brave(KeyedEngine):
    """Brave Search; at most one query a second, the limit of its smallest plan."""

    name = "brave"
    rate_limit = RateLimit(max_queries=3, max_concurrent=1, delay_s=1.1)
    base_url, path, method = "https://api.search.brave.com", "/res/v1/web/search", "GET"
    key_header = "x-subscription-token"
    max_results = 20
    results, snippet = ("web", "results"), "description"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "q": query.cut(400, 50),
            "count": count,
            "search_lang": query.known_lang if query.known_lang in _LANGUAGES else None,
            "freshness": _FRESHNESS[query.recency] if query.recency else None,
            "result_filter": "web",
            "text_decorations": "false",
        }

    def _is_answer(self, answer: JsonObject) -> bool:
        return "query" in answer  # without "web" where nothing was found
