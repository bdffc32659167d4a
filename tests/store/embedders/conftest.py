"""The bundled embedders, opened once for the whole run, and a service that embeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.embedders import Embedder, open_embedder
from store.embedders.combined import Combined
from store.embedders.minilm import MiniLM, open_minilm
from tests.store.embedders.service import Service, serving


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def minilm(models_dir: Path) -> MiniLM:
    return open_minilm(models_dir)


@pytest.fixture(scope="session")
def multilingual(models_dir: Path) -> Embedder:
    return open_embedder("multilingual", models_dir=models_dir)


@pytest.fixture(scope="session")
def combined(minilm: MiniLM, multilingual: Embedder) -> Combined:
    return Combined(minilm, multilingual)


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as service:
        yield service
