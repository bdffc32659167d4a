"""Search with Mojeek, which has an index of its own and no tracking; needs a key, sent in the URL."""

from crawler.search.engine import Query, RateLimit
from crawler.search.errors import EngineError, EngineKeyRejected, OutOfCredit
from crawler.search.keyed_engine import JsonObject, KeyedEngine
from crawler.search.responses import text_of
from domain.errors import masked


class Mojeek(KeyedEngine):
    """Mojeek; all its answers have the status 200, and an outcome in words."""

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
        status = text_of(answer.get("response"), "status")
        if not status.startswith("OK"):
            raise _error_of(masked(status, self._key)[:200])
        return True


def _error_of(status: str) -> EngineError:
    words = status.lower()
    if "key" in words or "access denied" in words or "invalid" in words:
        return EngineKeyRejected(f"Mojeek does not accept the key ({status}): check WELLREAD_MOJEEK_KEY")
    if "quota" in words or "limit" in words or "exceeded" in words:
        return OutOfCredit(f"Mojeek has no searches left for this account ({status}): add credit there")
    return EngineError(f"Mojeek answered without results ({status or 'no status'}): ask it again later")
