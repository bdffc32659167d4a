"""Search with Exa, an engine over embeddings that accepts whole questions; needs a key."""

from crawler.search.engine import Query
from crawler.search.keyed_engine import JsonObject, KeyedEngine
from crawler.search.responses import text_of


class Exa(KeyedEngine):
    """Exa, with the matching sentences of each page; it has no language option."""

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
        parts = result.get("highlights") if isinstance(result, dict) else None
        text = " … ".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        return text or text_of(result, "text")
