"""A reader whose weights were drawn at random: its mechanics are the trained one's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.reader.reader import Reader
from tests.training.tiny import HEADS, tiny_weights
from training.onnx_graph import quantise, reader_model


@pytest.fixture(scope="session")
def untrained_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "untrained.onnx"
    quantise(reader_model(tiny_weights(), HEADS), path)
    return path


@pytest.fixture
def untrained(untrained_model: Path) -> Reader:
    return Reader(untrained_model)
