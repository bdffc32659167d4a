"""Other programs use the local models: OpenAI's client embeds, and documents are ranked as rerankers do."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import openai
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.routes.local_models import MAX_DOCUMENTS, MAX_INPUTS
from tests.api.conftest import serving
from tests.tables import each_row
from workers.services import Services

BUILT = "The lighthouse of Vierburg was built in 1874 by Anna Berg."
DOCUMENTS = ["Cats are small carnivores kept as pets.", BUILT, "The ferry to Sand leaves twice a day."]


@pytest.fixture
def small(services: Services) -> Services:
    services.settings = services.settings.model_copy(update={"embedder": "minilm"})
    return services


@pytest.fixture
def http(small: Services) -> Iterator[TestClient]:
    with TestClient(create_app(small), base_url="http://127.0.0.1:8484") as http:
        yield http


def test_client_of_openai_embeds_as_the_knowledge_base_does(small: Services) -> None:
    with (
        serving(create_app(small)) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        plain = client.embeddings.create(model="wellread-embed", input=DOCUMENTS, encoding_format="float")
        packed = client.embeddings.create(model="wellread-embed", input=BUILT)  # in base64, which the client unpacks
    expected = small.embedder.embed(DOCUMENTS)
    assert [each.index for each in plain.data] == [0, 1, 2]
    assert np.array([each.embedding for each in plain.data]) == pytest.approx(expected, abs=1e-6)
    assert packed.data[0].embedding == pytest.approx(expected[1].tolist(), abs=1e-6)


def test_base64_holds_the_numbers_in_32_bits(http: TestClient, small: Services) -> None:
    body = {"model": "wellread-embed", "input": [BUILT], "encoding_format": "base64"}
    packed = http.post("/v1/embeddings", json=body).json()["data"][0]["embedding"]
    assert np.frombuffer(base64.b64decode(packed), "<f4") == pytest.approx(small.embedder.embed([BUILT])[0])


def test_documents_are_ordered_by_how_well_they_answer(http: TestClient) -> None:
    body = {"model": "wellread-rerank", "query": "Who built the lighthouse of Vierburg?", "documents": DOCUMENTS}
    results = http.post("/v1/rerank", json=body).json()["results"]
    assert (results[0]["index"], len(results), sorted(results[0])) == (1, 3, ["index", "relevance_score"])
    scores = [each["relevance_score"] for each in results]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 < scores[0] <= 1
    assert scores[-1] >= 0
    objects = [{"text": text} for text in DOCUMENTS]
    (best,) = http.post("/v1/rerank", json=body | {"documents": objects, "top_n": 1, "return_documents": True}).json()[
        "results"
    ]
    assert best == {"index": 1, "relevance_score": scores[0], "document": {"text": BUILT}}


EMBED = {"model": "wellread-embed", "input": "x"}
RERANK = {"model": "wellread-rerank", "query": "x", "documents": ["x"]}


@each_row(
    ("path", "body", "said"),
    [
        ("embeddings", EMBED | {"model": "wellread"}, "it is one of wellread-embed"),
        ("embeddings", EMBED | {"input": []}, "input"),
        ("embeddings", EMBED | {"input": [""]}, "input"),
        ("embeddings", EMBED | {"input": [[1, 2]]}, "input"),
        ("embeddings", EMBED | {"input": ["x"] * (MAX_INPUTS + 1)}, "input"),
        ("embeddings", EMBED | {"dimensions": 7}, "have 384 dimensions"),
        ("embeddings", EMBED | {"encoding_format": "int8"}, "encoding_format"),
        ("rerank", RERANK | {"model": "rerank-v3.5"}, "it is one of wellread-rerank"),
        ("rerank", RERANK | {"query": ""}, "query"),
        ("rerank", RERANK | {"documents": []}, "documents"),
        ("rerank", RERANK | {"documents": [{"image": "x"}]}, "documents"),
        ("rerank", RERANK | {"documents": ["x"] * (MAX_DOCUMENTS + 1)}, "documents"),
        ("rerank", RERANK | {"documents": ["x" * 20_001]}, "documents"),
        ("rerank", RERANK | {"top_n": 0}, "top_n"),
    ],
)
def test_what_the_models_do_not_take_is_refused_in_words(
    http: TestClient, path: str, body: dict[str, Any], said: str
) -> None:
    refused = http.post(f"/v1/{path}", json=body)
    assert refused.status_code in (400, 404)
    assert said in refused.json()["error"]["message"]


@pytest.mark.parametrize(("path", "body"), [("embeddings", EMBED), ("rerank", RERANK)])
def test_embedder_that_is_a_service_is_not_spent(
    http: TestClient, small: Services, path: str, body: dict[str, Any]
) -> None:
    remote = {"embedder": "openai:text-embedding-3-small", "embedder_base_url": "http://127.0.0.1:1/v1"}
    small.settings = small.settings.model_copy(update=remote)
    refused = http.post(f"/v1/{path}", json=body)
    assert refused.status_code == 400
    assert "WELLREAD_EMBEDDER" in refused.json()["error"]["message"]


def test_local_models_are_listed_and_answer_no_question(http: TestClient) -> None:
    listed = [each["id"] for each in http.get("/v1/models").json()["data"]]
    assert listed == ["wellread", "wellread-known", "wellread-embed", "wellread-rerank"]
    asked = {"model": "wellread-embed", "messages": [{"role": "user", "content": "Who?"}]}
    assert http.post("/v1/chat/completions", json=asked).status_code == 404
