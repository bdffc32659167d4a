"""Gives the local models to other programs: the embedder by OpenAI's embeddings API, the reader as a reranker.

What is asked for is computed in this process, one request at a time: these models keep a processor busy.
"""

import base64
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeVar

import anyio
import numpy as np
from anyio import to_thread
from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.dependencies import MainDep, check_waiting
from api.middleware.auth import ASK
from api.openai.completions import ERRORS
from api.openai.requests import EMBEDDER, RERANKER, Unsupported, check_model
from domain.options import MAX_CHARACTERS, Storable
from pipeline.retrieval.rerank import relevance_of
from store.embedders import Embedder
from workers.admission import Busy
from workers.services import Services

router = APIRouter(prefix="/v1", tags=["openai"], dependencies=[Depends(check_waiting), *ASK], responses=ERRORS)

#: the routes whose bodies are long
PATHS: Final = ("/v1/embeddings", "/v1/rerank")
MAX_INPUTS, MAX_DOCUMENTS = 256, 200
#: requests that wait for their turn; more are refused
_MOST_WAITING: Final = 32
_one_at_a_time = anyio.CapacityLimiter(1)

Value = TypeVar("Value")
#: the models read no more of it
Text = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class EmbeddingsRequest(Storable):
    """Texts to embed. A `user` and the like are taken and have no effect."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(description=f"`{EMBEDDER}`.", examples=[EMBEDDER])
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MAX_INPUTS)] = Field(
        description=f"A text, or up to {MAX_INPUTS}; no tokens."
    )
    encoding_format: Literal["float", "base64"] = Field(
        default="float", description="base64: of the numbers in 32 bits, little-endian."
    )
    dimensions: int | None = Field(default=None, description="That of the model; it has no other.")


class Document(BaseModel):
    """A text to rank."""

    text: Text


class RerankRequest(Storable):
    """Documents to order by how well they answer a query."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(description=f"`{RERANKER}`.", examples=[RERANKER])
    query: Annotated[str, StringConstraints(min_length=1, max_length=MAX_CHARACTERS)] = Field(
        description="A question, or words."
    )
    documents: list[Text | Document] = Field(
        min_length=1, max_length=MAX_DOCUMENTS, description="Texts, or objects with a `text`."
    )
    top_n: int | None = Field(default=None, ge=1, description="Most results; default: all documents.")
    return_documents: bool = Field(default=False, description="Whether each result has its document's text.")


@router.post(PATHS[0].removeprefix("/v1"))
async def embed(body: EmbeddingsRequest, services: MainDep) -> dict[str, Any]:
    """Embed texts as with OpenAI's API, by the embedder that the knowledge base uses; nothing is stored."""
    check_model(body.model, [EMBEDDER])
    texts = [body.input] if isinstance(body.input, str) else body.input

    def work() -> np.ndarray[Any, np.dtype[np.float32]]:
        embedder = _local_embedder(services)
        if body.dimensions not in (None, embedder.dimension):
            raise Unsupported(f"The vectors have {embedder.dimension} dimensions: leave `dimensions` out.")
        return embedder.embed(texts)

    rows = await _in_turn(work)
    is_text = body.encoding_format == "base64"
    data = [base64.b64encode(row.astype("<f4").tobytes()).decode() if is_text else row.tolist() for row in rows]
    return {
        "object": "list",
        "data": [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(data)],
        "model": body.model,
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


@router.post(PATHS[1].removeprefix("/v1"))
async def rerank(body: RerankRequest, services: MainDep) -> dict[str, Any]:
    """Order documents by how well they answer a query, best first, as Cohere's, Jina's and vLLM's rerankers do."""
    check_model(body.model, [RERANKER])
    texts = [each if isinstance(each, str) else each.text for each in body.documents]

    def work() -> list[float]:
        embedder = _local_embedder(services)
        read = services.reader.read(body.query, [("", text) for text in texts])
        answers = [each.answers for each in read] if read else [None] * len(texts)
        asked, *vectors = embedder.embed([body.query, *texts])
        return [relevance_of(logit, float(vector @ asked)) for logit, vector in zip(answers, vectors, strict=True)]

    scores = await _in_turn(work)
    best = sorted(range(len(texts)), key=lambda at: -scores[at])[: body.top_n]
    return {
        "model": body.model,
        "results": [
            {"index": at, "relevance_score": round(scores[at], 6)}
            | ({"document": {"text": texts[at]}} if body.return_documents else {})
            for at in best
        ],
    }


def _local_embedder(services: Services) -> Embedder:
    """Return the embedder; raises Unsupported if it is a service, which others' texts would cost."""
    if services.settings.embedder_url:
        raise Unsupported("Texts are embedded by a service here (WELLREAD_EMBEDDER): only local models are lent.")
    return services.embedder


async def _in_turn(work: Callable[[], Value]) -> Value:
    """Return what the work gives in a thread, when that before it is done; raises Busy if too much waits."""
    if (waiting := _one_at_a_time.statistics().tasks_waiting) >= _MOST_WAITING:
        raise Busy(f"{waiting} requests wait for the local models.")
    return await to_thread.run_sync(work, limiter=_one_at_a_time)
