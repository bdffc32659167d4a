"""An embedder behind an OpenAI-compatible HTTP service (OpenAI, vLLM, Ollama, llama.cpp, TEI …)."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import httpx2
import numpy as np
from numpy.typing import NDArray

from domain.errors import masked, without_userinfo
from store.embedders import OPENAI_URL, DimensionChanged, EmbeddingFailed, EmbeddingRefused

_TEXTS_PER_REQUEST: Final = 64
_ATTEMPTS: Final = 5
_FIRST_WAIT_S: Final = 0.5
_MAX_WAIT_S: Final = 10.0
_TIMEOUT_S: Final = 60.0
_ADVICE: Final = "Check that the service is up and the model loaded; the rest will be tried again."
_RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class RemoteEmbedder:
    """``POST {base_url}/embeddings``; busy and failing servers are asked again, a bounded number of times."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str = "",
        timeout_s: float = _TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.id = f"openai:{model}"
        self._model = model
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._shown = without_userinfo(self._url)
        self._sleep = sleep
        self._key = api_key
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx2.Client(headers=headers, timeout=timeout_s)

    @cached_property
    def dimension(self) -> int:
        """The length of each vector, asked of the service once."""
        [vector] = self._request(["dimension"])
        return len(vector)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), dimension) unit rows; raises EmbeddingRefused, EmbeddingFailed or DimensionChanged."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for first in range(0, len(texts), _TEXTS_PER_REQUEST):
            for row, vector in enumerate(self._request(texts[first : first + _TEXTS_PER_REQUEST]), start=first):
                vectors[row] = self._unit(vector)
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _unit(self, vector: Sequence[float]) -> NDArray[np.float32]:
        if len(vector) != self.dimension:
            raise DimensionChanged(self.id, self.dimension, len(vector))
        row = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(row))
        if not np.isfinite(length) or length == 0.0:
            raise EmbeddingFailed(f"{self._shown} answered with a vector that has no direction. {_ADVICE}")
        unit: NDArray[np.float32] = row / length
        return unit

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        # Services refuse an empty text; a space is sent instead.
        body = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        why = ""
        for attempt in range(_ATTEMPTS):
            wait_s = _FIRST_WAIT_S * 2**attempt
            try:
                response = self._client.post(self._url, json=body)
            except httpx2.TransportError as error:
                why = without_userinfo(f"{type(error).__name__}: {error}")
            else:
                if response.is_success:
                    return self._vectors(response, len(texts))
                if response.status_code not in _RETRIED:
                    raise self._refusal(response)
                why, wait_s = f"HTTP {response.status_code}", _seconds(response.headers.get("retry-after", ""), wait_s)
            if attempt < _ATTEMPTS - 1:
                self._sleep(min(wait_s, _MAX_WAIT_S))
        raise EmbeddingFailed(f"{self._shown} failed {_ATTEMPTS} times: {why}. {_ADVICE}")

    def _refusal(self, response: httpx2.Response) -> EmbeddingRefused:
        why = f"{self._said(response, 200)}. Check the model and the base URL."
        if response.status_code in {401, 403}:
            why = "the key is missing or wrong. Set the embedder's API key."
        elif response.status_code == 404:
            why = "no such address or model. Check the base URL (often …/v1) and the name."
        what = f"{self._shown} answered HTTP {response.status_code} for the model {self._model!r}"
        return EmbeddingRefused(f"{what}: {why}")

    def _said(self, response: httpx2.Response, most: int) -> str:
        return repr(masked(response.text[:10_000], self._key)[:most])

    def _vectors(self, response: httpx2.Response, count: int) -> list[list[float]]:
        try:
            data = sorted(response.json()["data"], key=lambda item: int(item["index"]))
            vectors = [[float(number) for number in item["embedding"]] for item in data]
        except (ValueError, KeyError, TypeError) as error:
            raise EmbeddingRefused(
                f"{self._shown} does not answer as an OpenAI-compatible service does: {self._said(response, 100)}. "
                "Check the base URL."
            ) from error
        if len(vectors) != count:
            raise EmbeddingFailed(f"{self._shown} answered {len(vectors)} vectors for {count} texts. {_ADVICE}")
        return vectors


def _seconds(header: str, otherwise: float) -> float:
    try:
        return max(0.0, float(header))
    except ValueError:
        return otherwise
