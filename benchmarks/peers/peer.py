"""A peer as its own documents use it: it indexes passages, or opens what it indexed and searches for each question.

It runs in the venv of the peers, without Wellread's code: ``python peer.py NAME index|ask FOLDER``. Both search by
words and by vectors, fused, for five passages.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Found = list[str]
Search = Callable[[str], Found]
HITS = 5


class Txtai:
    """txtai's embeddings database: SQLite, Faiss, and its own index of words."""

    def __init__(self, folder: Path) -> None:
        from txtai import Embeddings

        model = {"path": str(folder / "model.onnx"), "maxlength": 256}
        self._index, self._at = Embeddings({**model, "content": True, "hybrid": True, "gpu": False}), folder / "txtai"

    def index(self, passages: Sequence[dict[str, str]]) -> None:
        """Embed and store all passages."""
        self._index.index((each["id"], f"{each['title']}\n{each['text']}", None) for each in passages)
        self._index.save(str(self._at))

    def open(self) -> Search:
        """Open what was stored."""
        self._index.load(str(self._at))
        return lambda question: [hit["id"] for hit in self._index.search(question, HITS)]


class Haystack:
    """Haystack's pipeline of its store in memory, its two retrievers, and fastembed."""

    def __init__(self, folder: Path) -> None:
        self._at = folder / "haystack.json"
        self._model = {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "model_kwargs": {"specific_model_path": str(folder)},
            "progress_bar": False,
        }

    def index(self, passages: Sequence[dict[str, str]]) -> None:
        """Embed and store all passages."""
        from haystack import Document
        from haystack.document_stores.in_memory import InMemoryDocumentStore
        from haystack_integrations.components.embedders.fastembed import FastembedDocumentEmbedder

        embedder = FastembedDocumentEmbedder(**self._model, meta_fields_to_embed=["title"])
        embedder.warm_up()
        new = [Document(id=each["id"], content=each["text"], meta={"title": each["title"]}) for each in passages]
        store = InMemoryDocumentStore(embedding_similarity_function="cosine")
        store.write_documents(embedder.run(new)["documents"])
        store.save_to_disk(str(self._at))

    def open(self) -> Search:
        """Open what was stored."""
        from haystack import Pipeline
        from haystack.components.joiners import DocumentJoiner
        from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
        from haystack.document_stores.in_memory import InMemoryDocumentStore
        from haystack_integrations.components.embedders.fastembed import FastembedTextEmbedder

        store = InMemoryDocumentStore.load_from_disk(str(self._at))
        found = Pipeline()
        found.add_component("embedder", FastembedTextEmbedder(**self._model))
        found.add_component("by_vectors", InMemoryEmbeddingRetriever(store, top_k=2 * HITS))
        found.add_component("by_words", InMemoryBM25Retriever(store, top_k=2 * HITS))
        found.add_component("fused", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=HITS))
        found.connect("embedder.embedding", "by_vectors.query_embedding")
        found.connect("by_vectors", "fused")
        found.connect("by_words", "fused")

        def search(question: str) -> Found:
            ran = found.run({"embedder": {"text": question}, "by_words": {"query": question}})
            return [each.id for each in ran["fused"]["documents"]]

        return search


def main(name: str, work: str, folder: Path) -> None:
    """Do the work; print what it took as JSON, the first answer at once, and wait to be told to end."""
    peer: Any = {"txtai": Txtai, "haystack": Haystack}[name](folder)
    if work == "index":
        passages = json.loads((folder / "passages.json").read_text())
        peer.index(passages[:1])  # opens the model
        began = time.perf_counter()
        peer.index(passages)
        print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
        return
    questions = json.loads((folder / "questions.json").read_text())
    search = peer.open()
    print(json.dumps(search(questions[0])), flush=True)
    began = time.perf_counter()
    found = [search(question) for question in questions]
    print(json.dumps({"seconds": time.perf_counter() - began, "found": found}), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
