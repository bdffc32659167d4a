"""A reranker of the operator's orders the hits; while it fails, they have the local order, and the trace says why."""

from __future__ import annotations

from typing import Any

import pytest

from domain import Hit
from pipeline.models.reranker import RemoteReranker
from pipeline.retrieval.rerank import NotReranked
from tests.fakes import passage
from tests.store.embedders.conftest import service as service
from tests.store.embedders.service import Service
from tests.tables import each_row

HITS = [
    Hit(passage=passage(text, page_id=at), score=1 / at, scale="minmax", rank=at)
    for at, text in enumerate(("Cats", "Dogs", "Ada Brandt keeps it."), start=1)
]


def scored(*scores: float) -> dict[str, Any]:
    """A reply, in the order of the scores as services give it."""
    best = sorted(enumerate(scores), key=lambda each: -each[1])
    return {"results": [{"index": at, "relevance_score": score} for at, score in best]}


def replying(service: Service, status: int, body: Any) -> RemoteReranker:
    service.answer = lambda number, received: (status, {}, body)
    return RemoteReranker(service.url, model="big", api_key="secret", timeout_s=2)


def order(hits: list[Hit]) -> list[int]:
    return [hit.passage.page_id for hit in hits]


def test_hits_have_the_order_and_the_scores_of_the_service(service: Service) -> None:
    rerank = replying(service, 200, scored(0.1, 0.05, 0.9))
    hits = rerank("Who keeps it?", "en", HITS)
    assert [(hit.passage.page_id, hit.score, hit.scale, hit.original_rank) for hit in hits] == [
        (3, 0.9, "rerank", 3),
        (1, 0.1, "rerank", 1),
        (2, 0.05, "rerank", 2),
    ]
    (asked,) = service.requests
    assert (asked["model"], asked["query"], asked["top_n"], len(asked["documents"])) == ("big", "Who keeps it?", 3, 3)
    assert service.keys == ["Bearer secret"]
    assert rerank("warm", "en", []) == []
    assert len(service.requests) == 1


def test_logits_become_scores_from_0_to_1(service: Service) -> None:
    hits = replying(service, 200, scored(-3.0, 800.0, 2.0))("Who?", "en", HITS)
    assert order(hits) == [2, 3, 1]
    assert all(0 <= hit.score <= 1 for hit in hits)


@each_row(
    ("status", "body", "why"),
    [
        (500, "down", "HTTP 500"),
        (401, {"error": "no such key"}, "HTTP 401"),
        (200, "<html>", "another form"),
        (200, {"data": []}, "another form"),
        (200, scored(0.5), "another form"),  # one of three
        (200, {"results": [{"index": at, "relevance_score": float("nan")} for at in range(3)]}, "another form"),
    ],
)
def test_failure_is_named_without_the_address(service: Service, status: int, body: Any, why: str) -> None:
    with pytest.raises(NotReranked, match=why) as failed:
        replying(service, status, body)("Who?", "en", HITS)
    assert "127.0.0.1" not in str(failed.value)
    assert "secret" not in str(failed.value)


def test_service_that_fails_is_left_alone_for_a_while(service: Service) -> None:
    rerank = replying(service, 500, "down")
    for _ in range(3):
        with pytest.raises(NotReranked, match="HTTP 500"):
            rerank("Who?", "en", HITS)
    assert len(service.requests) == 1


def test_service_that_is_away_fails_at_once() -> None:
    with pytest.raises(NotReranked, match="not reached"):
        RemoteReranker("http://127.0.0.1:1/v1")("Who?", "en", HITS)
