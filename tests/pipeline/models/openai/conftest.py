"""A language model on a double of a chat completions server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.models.model import LanguageModel
from tests.openai_double import OpenAIDouble, model_at


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIDouble]:
    with OpenAIDouble() as running:
        yield running


@pytest.fixture
def double(server: OpenAIDouble) -> OpenAIDouble:
    server.forget()
    return server


@pytest.fixture
def model(double: OpenAIDouble) -> Iterator[LanguageModel]:
    made = model_at(double.url)
    yield made
    made.close()
