"""Ask a reranker that another program serves: ``POST …/rerank``, as Cohere, Jina, vLLM and others take it.

While it fails, it is left alone for some seconds, so that not every question waits for it.
"""

import math
import time
from collections.abc import Sequence
from typing import Final

import httpx2
import structlog

from domain import Hit
from domain.errors import masked, without_userinfo
from pipeline.retrieval.rerank import NotReranked, reorder

log = structlog.get_logger()

#: seconds that it may take, and for which it is not asked after a failure
TIMEOUT_S: Final = 5.0
AGAIN_S: Final = 30.0


class RemoteReranker:
    """A service that reranks; calls may be made from any thread."""

    def __init__(self, url: str, *, model: str = "", api_key: str = "", timeout_s: float = TIMEOUT_S) -> None:
        base = url.rstrip("/")
        self._url = base if base.endswith("/rerank") else f"{base}/rerank"
        self._named = {"model": model} if model else {}
        self._key, self._left_alone_until, self._why = api_key, 0.0, ""
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx2.Client(headers=headers, timeout=timeout_s)

    def __call__(self, question: str, lang: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits in its order; raises NotReranked."""
        if not hits:
            return []
        if time.monotonic() < self._left_alone_until:
            raise NotReranked(self._why)
        try:
            return reorder(hits, self._scores(question, hits))
        except (httpx2.HTTPError, ValueError, KeyError, TypeError, IndexError) as error:
            self._why = f"The reranker failed ({_named(error)}): hits are in the local order."
            self._left_alone_until = time.monotonic() + AGAIN_S
            shown = masked(without_userinfo(f"{self._url}: {error}"), self._key)[:300]
            log.warning("reranker_failed", error=shown, seconds=AGAIN_S)
            raise NotReranked(self._why) from error

    def _scores(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """Return the score of each hit, [0, 1]; raises HTTPError, or what Python raises for a reply in another form."""
        documents = [f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in hits]
        body = {**self._named, "query": question, "documents": documents, "top_n": len(documents)}
        response = self._http.post(self._url, json=body)
        response.raise_for_status()
        scores: dict[int, float] = {
            int(each["index"]): float(each["relevance_score"]) for each in response.json()["results"]
        }
        found = [scores[at] for at in range(len(hits))]
        if not all(map(math.isfinite, found)):
            raise ValueError("a score is no number")
        is_scaled = all(0 <= score <= 1 for score in found)
        return found if is_scaled else [1 / (1 + math.exp(-max(-60.0, score))) for score in found]  # they are logits


def _named(error: Exception) -> str:
    """Return what went wrong, without the address: askers read it."""
    if isinstance(error, httpx2.HTTPStatusError):
        return f"HTTP {error.response.status_code}"
    if isinstance(error, httpx2.TimeoutException):
        return "it did not answer in time"
    return "it is not reached" if isinstance(error, httpx2.HTTPError) else "its reply has another form"
