"""A table of passages, empty or with the small library."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.passages.writer import PassagesWriter
from tests.store.passages.library import LIBRARY, Letters


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "lance")


@pytest.fixture
def table(uri: str) -> PassagesWriter:
    return PassagesWriter.open(uri, embedder_id="test", dimension=4)


@pytest.fixture
def library(table: PassagesWriter) -> PassagesWriter:
    table.write_pages(LIBRARY, Letters())
    return table
