"""The bundled embedders, opened once for the whole run, and a service that embeds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.embedders import Embedder, open_embedder
from store.embedders.bundled import Combined, MiniLM
from tests.store.embedders.service import Service, serving


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
def multilingual() -> Embedder:
    return open_embedder("multilingual")


@pytest.fixture(scope="session")
def combined(minilm: MiniLM, multilingual: Embedder) -> Combined:
    return Combined(minilm, multilingual)


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as service:
        yield service
