from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from store.embedders import DimensionChanged, EmbedderError, EmbeddingFailed, EmbeddingRefused
from store.embedders.remote import RemoteEmbedder
from tests.store.embedders.service import Service, embeddings, vector


@dataclass
class Remote:
    """A remote embedder whose waits are recorded instead of slept."""

    embedder: RemoteEmbedder
    waits: list[float]


@pytest.fixture
def remote(service: Service) -> Iterator[Remote]:
    waits: list[float] = []
    embedder = RemoteEmbedder("small", base_url=service.url, api_key="secret", timeout_s=5, sleep=waits.append)
    yield Remote(embedder, waits)
    embedder.close()


def test_remote_vectors_are_unit_rows_in_the_order_of_the_texts(remote: Remote, service: Service) -> None:
    texts = ["a" * length for length in range(150)]
    rows = remote.embedder.embed(texts)
    expected = np.array([vector(text or " ") for text in texts])
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert [len(body["input"]) for body in service.requests] == [1, 64, 64, 22]
    assert service.requests[0]["model"] == "small"
    assert set(service.keys) == {"Bearer secret"}
    assert remote.embedder.id == "openai:small"
    assert remote.embedder.dimension == 3


def test_remote_embeds_nothing_without_asking_twice(remote: Remote) -> None:
    assert remote.embedder.embed([]).shape == (0, 3)


def test_a_busy_service_is_asked_again_after_the_time_it_names(remote: Remote, service: Service) -> None:
    def answer(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if number == 1:
            return 429, {"retry-after": "2"}, {}
        return (503, {}, "busy") if number == 2 else (200, {}, embeddings(body))

    service.answer = answer
    assert remote.embedder.embed(["a"]).shape == (1, 3)
    assert remote.waits == [2.0, 1.0]


def test_a_service_that_keeps_failing_ends_in_an_error_after_bounded_waits(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (500, {"retry-after": "3600"}, "down")
    with pytest.raises(EmbeddingFailed, match="failed 5 times: HTTP 500"):
        remote.embedder.embed(["a"])
    assert remote.waits == [10.0] * 4


def test_a_service_that_is_not_there_ends_in_an_error() -> None:
    gone = RemoteEmbedder("small", base_url="http://127.0.0.1:9/v1", sleep=lambda seconds: None)
    with pytest.raises(EmbeddingFailed, match="ConnectError"):
        gone.embed(["a"])
    gone.close()


@pytest.mark.parametrize(
    ("status", "reply", "advice"),
    [
        (401, {}, "API key"),
        (403, {}, "API key"),
        (404, {}, "base URL"),
        (400, {"error": "input too long"}, "input too long"),
        (200, "<html>hello</html>", "base URL"),
        (200, {"data": [{"index": 0}]}, "base URL"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_do(
    status: int, reply: Any, advice: str, remote: Remote, service: Service
) -> None:
    service.answer = lambda number, body: (status, {}, reply)
    with pytest.raises(EmbeddingRefused, match=advice):
        remote.embedder.embed(["a"])
    assert len(service.requests) == 1


def test_another_dimension_than_before_is_refused(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, embeddings(body, dimension=3 if number == 1 else 4))
    with pytest.raises(DimensionChanged, match="wellread reindex"):
        remote.embedder.embed(["a"])


@pytest.mark.parametrize("bad", [[0.0, 0.0, 0.0], [float("nan"), 1.0, 1.0]])
def test_a_vector_without_direction_is_an_error(bad: list[float], remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, {"data": [{"index": 0, "embedding": bad}]})
    with pytest.raises(EmbedderError, match="no direction"):
        remote.embedder.embed(["a"])


def test_too_few_vectors_are_an_error(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, {"data": embeddings(body)["data"][:1]})
    with pytest.raises(EmbeddingFailed, match="1 vectors for 2 texts"):
        remote.embedder.embed(["a", "b"])


def test_the_key_is_in_no_error(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (401, {}, {})
    with pytest.raises(EmbeddingRefused) as caught:
        remote.embedder.embed(["a"])
    assert "secret" not in str(caught.value)
