"""The retrievers that are shown for LangChain and LlamaIndex find what answers, with the real libraries and workers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode

from tests.docs.blocks import API, Block, blocks
from tests.live.test_faults import QUESTIONS, _stack

pytestmark = pytest.mark.timeout(300)

SHOWN = [block for block in blocks("python") if block.page == "docs/how-to/frameworks.md"]
ANSWER = "610 megawatt-hours"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        _stack(monkeypatch, tmp_path_factory.mktemp("stack")) as (stack, _),
    ):
        yield stack.address.api_url


def run(url: str, *shown: Block) -> Any:
    names: dict[str, Any] = {"__name__": "docs"}
    for block in shown:
        exec(compile(block.text.replace(API, url), str(block), "exec"), names)
    return names["WellreadRetriever"]


def test_two_retrievers_are_shown() -> None:
    assert len(SHOWN) == 4


def test_langchain_finds_what_answers(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    retriever = run(url, *SHOWN[:2])
    chain = retriever(wait=120) | RunnableLambda(lambda found: found[0].page_content) | StrOutputParser()
    assert ANSWER in chain.invoke(QUESTIONS[0])
    (first, *_) = asyncio.run(retriever(wait=120).ainvoke(QUESTIONS[0]))
    assert first.metadata["source"].endswith("/energy.html")
    known = retriever(read=False, limit=3).invoke(QUESTIONS[0])
    assert len(known) == 3
    assert any(ANSWER in document.page_content for document in known)


def test_llama_index_finds_what_answers(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    retriever = run(url, *SHOWN[2:])
    (first, *_) = retriever(wait=120).retrieve(QUESTIONS[0])
    assert ANSWER in first.node.get_content()
    assert first.node.metadata["source"].endswith("/energy.html")
    Settings.llm = MockLLM()  # the engine asks for one, and does not call it in this mode
    engine = RetrieverQueryEngine.from_args(retriever(read=False, limit=3), response_mode=ResponseMode.NO_TEXT)
    assert any(ANSWER in found.node.get_content() for found in engine.query(QUESTIONS[0]).source_nodes)
