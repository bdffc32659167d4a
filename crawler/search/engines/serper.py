"""Search with Serper, an API for Google's results; needs a key."""

from typing import Final

from crawler.search.engine import Query, Recency
from crawler.search.keyed_engine import JsonObject, KeyedEngine

_PAST: Final[dict[Recency, str]] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper(KeyedEngine):
    """Serper's first page of organic results: more than ten cost another credit."""

    name = "serper"
    base_url = "https://google.serper.dev"
    key_header = "x-api-key"
    max_results = 10
    results, url = ("organic",), "link"

    def _params(self, query: Query, count: int) -> JsonObject:
        return {
            "q": query.cut(2000, 32),  # Google reads no more words
            "num": count,
            "hl": query.known_lang or None,
            "tbs": _PAST[query.recency] if query.recency else None,
        }

    def _is_answer(self, answer: JsonObject) -> bool:
        return "searchParameters" in answer
